package kuduwire

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb"
	"google.golang.org/protobuf/encoding/protowire"
)

// BlockOp is what a block record says of its block.
type BlockOp uint8

// Operations of block records.
const (
	BlockCreate BlockOp = 1
	BlockDelete BlockOp = 2
)

// BlockRecord is a record of a container of the log block manager: a block begins to exist, or ceases to.
type BlockRecord struct {
	ID     uint64
	Off    int64 // in the container's data file; -1 where the records make no sense, though the block exists
	Length int64
	Seq    int32 // position among the container's records
	Op     BlockOp
}

// BlockDamage is what is wrong with the records of a container.
type BlockDamage struct {
	Torn    bool  // the last record was being written when the server stopped; Kudu passes over it
	NoHead  bool  // torn in what comes before all records: there can be no block
	Skipped int   // records with a wrong checksum or without sense
	Err     error // of the first of those
	Head    error // wraps ErrDescription: what describes the records is damaged, and they are not; nil = it is not
	Cut     bool  // what follows Err could not be read: the next record's place is unknown
	Doubled int   // blocks created twice at different places without being deleted between
	Unknown int   // deletions of blocks that were never created
}

// None reports whether nothing is wrong.
func (d *BlockDamage) None() bool { return *d == BlockDamage{} }

// ParseBlockRecords appends the records of the container file b (the .metadata of a log block container) to dst, in the
// order of the file. Damaged records are passed over where possible, and counted: a record that is lost makes a block
// missing, or leaves one that no superblock refers to, but never gives wrong bytes. A file whose beginning was not completely
// written has no records and is torn. err says that this is not a file of block records.
func ParseBlockRecords(b []byte, dst []BlockRecord) (records []BlockRecord, d BlockDamage, err error) {
	c, err := OpenContainer(b)
	switch {
	case errors.Is(err, ErrTorn):
		d.Torn, d.NoHead = true, true
		return dst, d, nil
	case errors.Is(err, ErrDescription) && (c.Type == typeBlockRecord || c.Type == ""):
		d.Head = err
	case err != nil:
		return dst, d, err
	case c.Type != typeBlockRecord:
		return dst, d, place(errs.Errorf(errs.ErrCorrupt, "the file holds %q, not %q", c.Type, typeBlockRecord), "block records", -1)
	}
	var r blockRecordFields
	var m pb.Message
	for {
		at := c.Good
		data, ok := c.Next()
		if ok {
			r, m = blockRecordFields{}, pb.New(data)
			if blockRecordTable.Read(&m, &r); m.Err != nil {
				d.skip(place(m.Err, "block record", at))
				continue
			}
			r.Seq = int32(len(dst))
			dst = append(dst, r.BlockRecord)
			continue
		}
		switch {
		case c.Err == nil:
			return dst, d, nil
		case errors.Is(c.Err, ErrTorn):
			d.Torn = true
			return dst, d, nil
		}
		d.skip(c.Err)
		if !c.Pass() {
			d.Cut = true
			return dst, d, nil
		}
	}
}

// ParseBlockRecord parses a record by itself, a BlockRecordPB.
func ParseBlockRecord(b []byte) (BlockRecord, error) {
	var r blockRecordFields
	err := blockRecordTable.Parse(b, &r)
	return r.BlockRecord, place(err, "block record", -1)
}

func (d *BlockDamage) skip(err error) {
	d.Skipped++
	if d.Err == nil {
		d.Err = err
	}
}

// blockRecordFields is a block record with the time when it was made.
type blockRecordFields struct {
	BlockRecord
	micros uint64
}

var blockRecordTable = pb.NewTable(
	pb.Part(1, "block_id", blockTable, func(r *blockRecordFields) *uint64 { return &r.ID }).Required().Reading(func(m *pb.Message, r *blockRecordFields) {
		if b := m.Bytes(); len(b) == 9 && b[0] == 1<<3|byte(protowire.Fixed64Type) { // there are millions of these
			r.ID = binary.LittleEndian.Uint64(b[1:])
		} else {
			blockTable.ReadField(m, &r.ID)
		}
	}),
	pb.Uint(2, "op_type", func(r *blockRecordFields) *BlockOp { return &r.Op }).Reading(func(m *pb.Message, r *blockRecordFields) {
		if v := m.Uint64(); v <= uint64(BlockDelete) {
			r.Op = BlockOp(v)
		}
	}).Words("UNKNOWN", "CREATE", "DELETE"),
	pb.Uint(3, "timestamp_us", func(r *blockRecordFields) *uint64 { return &r.micros }).Reading(nil),
	pb.Int(4, "offset", func(r *blockRecordFields) *int64 { return &r.Off }).If((*blockRecordFields).created),
	pb.Int(5, "length", func(r *blockRecordFields) *int64 { return &r.Length }).If((*blockRecordFields).created),
).Start(func(r *blockRecordFields) {
	r.Off, r.Length = -1, -1
}).Check(func(r *blockRecordFields) error {
	if r.ID == 0 {
		return errs.Errorf(errs.ErrCorrupt, "a block without an id")
	}
	if r.Op != BlockCreate && r.Op != BlockDelete {
		return errs.Errorf(errs.ErrCorrupt, "block %s is neither created nor deleted", BlockName(r.ID))
	}
	if r.Off < 0 || r.Length < 0 || r.Off+r.Length < 0 {
		r.Off, r.Length = -1, 0
	}
	return nil
})

func (r *blockRecordFields) created() bool { return r.Op == BlockCreate }

// LiveBlocks sorts records by block and leaves those that exist: of each block the last record, if that creates it. The
// result is the beginning of records. Records that contradict each other are counted in d; a block created at two places gets the
// offset -1.
func LiveBlocks(records []BlockRecord, d *BlockDamage) []BlockRecord {
	slices.SortFunc(records, func(a, b BlockRecord) int {
		if c := cmp.Compare(a.ID, b.ID); c != 0 {
			return c
		}
		return cmp.Compare(a.Seq, b.Seq)
	})
	live := records[:0]
	for i := 0; i < len(records); {
		last := records[i]
		if last.Op == BlockDelete {
			d.Unknown++
		}
		for i++; i < len(records) && records[i].ID == last.ID; i++ {
			r := records[i]
			if r.Op == BlockCreate && last.Op == BlockCreate && (r.Off != last.Off || r.Length != last.Length) {
				d.Doubled++
				r.Off, r.Length = -1, 0
			}
			last = r
		}
		if last.Op == BlockCreate {
			live = append(live, last)
		}
	}
	return live
}
