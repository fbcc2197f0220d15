package kuduwire

import (
	"fmt"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb"
)

// TabletState is what a server makes of its replica of a tablet.
type TabletState uint8

// States of tablets.
const (
	TabletUnknown    TabletState = iota
	TabletCopying                // being copied from another server: not complete
	TabletReady                  // in use
	TabletDeleted                // gone; the superblock remains until the files are deleted
	TabletTombstoned             // gone, but the superblock stays, as the vote that this replica gave
)

// String returns Kudu's word in lower case.
func (s TabletState) String() string {
	return [...]string{"unknown", "copying", "ready", "deleted", "tombstoned"}[min(s, TabletTombstoned)]
}

// SuperBlock is what a server knows of its replica of a tablet: the schema, and which blocks hold the rows that have
// left memory.
type SuperBlock struct {
	TableID          string
	TabletID         string
	TableName        string
	LastDurableMRS   int64 // id of the last memrowset that is on disk, -1 = none
	RowSets          []RowSet
	Schema           *Schema
	SchemaVersion    uint32
	State            TabletState
	Orphaned         []uint64 // blocks that may still be on disk and belong to nothing
	HashBuckets      []int32  // partition: the bucket of each hash dimension
	PartitionStart   []byte   // partition: encoded key where it starts; empty = open
	PartitionEnd     []byte   // partition: encoded key behind its end; empty = open
	Partitioning     []byte   // of the table: see ParsePartitioning
	DataDirs         []string // uuids of the data directories over which the blocks are spread
	CountsLiveRows   bool     // the rowsets have LiveRows
	TxnStatus        bool     // a tablet of the table of transactions' states, not of users' rows
	TxnMetadata      bool     // takes part in transactions over several rows
	DimensionLabel   string
	ExtraConfigBytes int // of settings that do not matter for reading
}

// RowSet is a set of rows with keys of its own, flushed from memory at once.
type RowSet struct {
	ID             int64
	LastDurableDMS int64 // id of the last deltamemstore that is on disk, -1 = none
	Columns        []ColumnBlock
	Redo           []uint64 // delta files of what happened after the flush, oldest first
	Undo           []uint64 // delta files of what happened before, newest first
	Bloom          uint64   // block of the bloom filters, with HasBloom
	AdHoc          uint64   // block of the composite keys, with HasAdHoc
	HasBloom       bool
	HasAdHoc       bool
	MinKey         []byte // encoded; empty = in the footer of the key's file
	MaxKey         []byte
	LiveRows       int64 // -1 = not known
}

// ColumnBlock is the block of a rowset that has a column's values.
type ColumnBlock struct {
	Block uint64
	ID    int32 // of the column
}

// ParseSuperBlock parses the container file b, a TabletSuperBlockPB. It checks that ids of rowsets, of columns within a
// rowset and of the schema, and all blocks in use are used once. Nothing in the result refers to b. The limits that
// count are MetadataBytes and Columns.
func ParseSuperBlock(b []byte, lim errs.Limits) (*SuperBlock, error) {
	const op = "superblock"
	m, err := single(b, op, lim, "kudu.tablet.TabletSuperBlockPB")
	if err != nil {
		return nil, err
	}
	s := &SuperBlock{LastDurableMRS: -1}
	for m.Next() && err == nil {
		err = s.field(&m, lim)
	}
	if err = orElse(err, m.Err); err == nil {
		err = s.check()
	}
	if err != nil {
		return nil, place(err, op, -1)
	}
	return s, nil
}

func (s *SuperBlock) field(m *pb.Message, lim errs.Limits) error {
	switch m.Num {
	case 1:
		s.TableID = m.String()
	case 2:
		s.TabletID = m.String()
	case 3:
		s.LastDurableMRS = m.Int64()
	case 6:
		r, err := parseRowSet(m.Message())
		if m.Err == nil && err != nil {
			return pb.Inside(err, "rowset %d of the list", len(s.RowSets))
		}
		s.RowSets = append(s.RowSets, r)
	case 7:
		s.TableName = m.String()
	case 8:
		schema, err := ParseSchema(m.Message(), lim)
		if m.Err == nil && err != nil {
			return pb.Inside(err, "schema")
		}
		s.Schema = schema
	case 9:
		s.SchemaVersion = m.Uint32()
	case 10:
		if v := m.Uint64(); v <= 3 {
			s.State = TabletState(v) + TabletCopying
		}
	case 11:
		s.Orphaned = append(s.Orphaned, blockID(m))
	case 13:
		s.partition(m)
	case 14:
		s.Partitioning = cell(m)
	case 15:
		g := m.Message()
		for g.Next() {
			if g.Num == 1 {
				s.DataDirs = append(s.DataDirs, g.String())
			}
		}
		m.Err = orElse(m.Err, g.Err)
	case 16:
		s.CountsLiveRows = m.Bool()
	case 17:
		s.ExtraConfigBytes += len(m.Bytes())
	case 18:
		s.DimensionLabel = m.String()
	case 19:
		s.TxnStatus = m.Uint64() == 1
	case 20:
		s.TxnMetadata = true
	}
	return m.Err
}

// partition parses a PartitionPB: 1 hash buckets, 2 start, 3 end.
func (s *SuperBlock) partition(m *pb.Message) {
	p := m.Message()
	for p.Next() {
		switch p.Num {
		case 1:
			s.HashBuckets = pb.AppendVarints(&p, s.HashBuckets)
		case 2:
			s.PartitionStart = cell(&p)
		case 3:
			s.PartitionEnd = cell(&p)
		}
	}
	m.Err = orElse(m.Err, p.Err)
}

// check looks at the superblock as a whole.
func (s *SuperBlock) check() error {
	switch {
	case s.TabletID == "":
		return errs.Errorf(errs.ErrCorrupt, "no tablet id")
	case s.Schema == nil:
		return errs.Errorf(errs.ErrCorrupt, "no schema")
	}
	if err := s.Schema.CheckIDs(); err != nil {
		return pb.Inside(err, "schema")
	}
	rowsets := make(map[int64]struct{}, len(s.RowSets))
	for i := range s.RowSets {
		id := s.RowSets[i].ID
		if _, ok := rowsets[id]; ok {
			return errs.Errorf(errs.ErrCorrupt, "two rowsets have the id %d", id)
		}
		rowsets[id] = struct{}{}
	}
	used := map[uint64]BlockUse{}
	for _, u := range s.Blocks() {
		if first, ok := used[u.Block]; ok {
			return errs.Errorf(errs.ErrCorrupt, "block %s is %s and %s", BlockName(u.Block), first, u)
		}
		used[u.Block] = u
	}
	return nil
}

// BlockRole is what a block is to its rowset.
type BlockRole uint8

// Roles of blocks.
const (
	BlockOfColumn BlockRole = iota
	BlockOfRedo
	BlockOfUndo
	BlockOfBloom
	BlockOfAdHoc
)

// BlockUse says what a superblock has a block for.
type BlockUse struct {
	Block  uint64
	RowSet int64 // id
	Role   BlockRole
	Column int32 // id, of BlockOfColumn
}

// String says it for people: "column 3 of rowset 0".
func (u BlockUse) String() string {
	what := ""
	switch u.Role {
	case BlockOfColumn:
		what = fmt.Sprintf("column %d", u.Column)
	case BlockOfRedo:
		what = "a redo delta file"
	case BlockOfUndo:
		what = "an undo delta file"
	case BlockOfBloom:
		what = "the bloom filter"
	case BlockOfAdHoc:
		what = "the key index"
	}
	return fmt.Sprintf("%s of rowset %d", what, u.RowSet)
}

// Blocks returns all blocks in use, rowset by rowset, in the order of the superblock.
func (s *SuperBlock) Blocks() []BlockUse {
	var uses []BlockUse
	for i := range s.RowSets {
		r := &s.RowSets[i]
		for _, c := range r.Columns {
			uses = append(uses, BlockUse{Block: c.Block, RowSet: r.ID, Role: BlockOfColumn, Column: c.ID})
		}
		for _, b := range r.Redo {
			uses = append(uses, BlockUse{Block: b, RowSet: r.ID, Role: BlockOfRedo})
		}
		for _, b := range r.Undo {
			uses = append(uses, BlockUse{Block: b, RowSet: r.ID, Role: BlockOfUndo})
		}
		if r.HasBloom {
			uses = append(uses, BlockUse{Block: r.Bloom, RowSet: r.ID, Role: BlockOfBloom})
		}
		if r.HasAdHoc {
			uses = append(uses, BlockUse{Block: r.AdHoc, RowSet: r.ID, Role: BlockOfAdHoc})
		}
	}
	return uses
}

// parseRowSet parses a RowSetDataPB: 1 id, 2 last durable dms, 3 columns{2 block, 4 column id}, 4 redos{2 block},
// 5 undos{2 block}, 6 bloom block, 7 ad-hoc index block, 8 and 9 smallest and largest key, 10 live rows.
func parseRowSet(m pb.Message) (RowSet, error) {
	r := RowSet{ID: -1, LastDurableDMS: -1, LiveRows: -1}
	for m.Next() {
		switch m.Num {
		case 1:
			r.ID = m.Size()
		case 2:
			r.LastDurableDMS = m.Int64()
		case 3:
			c, err := parseColumnBlock(m.Message())
			m.Err = orElse(m.Err, err)
			r.Columns = append(r.Columns, c)
		case 4:
			r.Redo = append(r.Redo, deltaBlock(&m))
		case 5:
			r.Undo = append(r.Undo, deltaBlock(&m))
		case 6:
			r.Bloom, r.HasBloom = blockID(&m), true
		case 7:
			r.AdHoc, r.HasAdHoc = blockID(&m), true
		case 8:
			r.MinKey = cell(&m)
		case 9:
			r.MaxKey = cell(&m)
		case 10:
			r.LiveRows = m.Int64()
		}
	}
	if m.Err != nil {
		return r, m.Err
	}
	if r.ID < 0 {
		return r, errs.Errorf(errs.ErrCorrupt, "no id")
	}
	if r.LastDurableDMS < -1 || r.LiveRows < -1 {
		return r, errs.Errorf(errs.ErrCorrupt, "last deltamemstore %d, %d live rows", r.LastDurableDMS, r.LiveRows)
	}
	columns := make(map[int32]struct{}, len(r.Columns))
	for _, c := range r.Columns {
		if _, ok := columns[c.ID]; ok {
			return r, errs.Errorf(errs.ErrCorrupt, "two blocks for column %d", c.ID)
		}
		columns[c.ID] = struct{}{}
	}
	return r, nil
}

// parseColumnBlock parses a ColumnDataPB: 2 block, 4 column id, which is left out where it is 0.
func parseColumnBlock(m pb.Message) (ColumnBlock, error) {
	c, have := ColumnBlock{}, false
	for m.Next() {
		switch m.Num {
		case 2:
			c.Block, have = blockID(&m), true
		case 4:
			c.ID = m.Int32()
		}
	}
	if !have {
		m.Fail("a column without a block")
	}
	return c, m.Err
}

// deltaBlock parses a DeltaDataPB: 2 block.
func deltaBlock(m *pb.Message) uint64 {
	var id uint64
	have := false
	d := m.Message()
	for d.Next() {
		if d.Num == 2 {
			id, have = blockID(&d), true
		}
	}
	if !have {
		d.Fail("a delta file without a block")
	}
	m.Err = orElse(m.Err, d.Err)
	return id
}

// blockID parses a BlockIdPB: 1 id, a fixed64.
func blockID(m *pb.Message) uint64 {
	id, have := uint64(0), false
	b := m.Message()
	for b.Next() {
		if b.Num == 1 {
			id, have = b.Fixed64(), true
		}
	}
	if !have || id == 0 {
		b.Fail("a block without an id")
	}
	m.Err = orElse(m.Err, b.Err)
	return id
}

// BlockName returns a block's id as Kudu prints it: decimal, sixteen digits or more.
func BlockName(id uint64) string { return fmt.Sprintf("%016d", id) }
