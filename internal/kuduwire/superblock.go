package kuduwire

import (
	"fmt"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb"
	"google.golang.org/protobuf/encoding/protowire"
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

// superFields is a superblock that is being read.
type superFields struct {
	*SuperBlock
	lim errs.Limits
}

var superBlockTable = pb.NewTable(
	pb.Text(1, "table_id", func(s *superFields) *string { return &s.TableID }),
	pb.Text(2, "tablet_id", func(s *superFields) *string { return &s.TabletID }),
	pb.Int(3, "last_durable_mrs_id", func(s *superFields) *int64 { return &s.LastDurableMRS }),
	pb.Only[superFields](4, "start_key", pb.FormBytes),
	pb.Only[superFields](5, "end_key", pb.FormBytes),
	each(pb.Parts(6, "rowsets", "rowset at", rowSetTable, func(s *superFields) *[]RowSet { return &s.RowSets })),
	pb.Text(7, "table_name", func(s *superFields) *string { return &s.TableName }),
	pb.Custom(8, "schema", pb.FormMessage, func(m *pb.Message, s *superFields) {
		schema, err := ParseSchema(m.Message(), s.lim)
		if s.Schema = schema; m.Err == nil && err != nil {
			m.Err = pb.Inside(err, "schema")
		}
	}, nil).Of(schemaShape),
	pb.Uint(9, "schema_version", func(s *superFields) *uint32 { return &s.SchemaVersion }),
	pb.Uint(10, "tablet_data_state", func(s *superFields) *TabletState { return &s.State }).Reading(func(m *pb.Message, s *superFields) {
		if v := m.Uint64(); v <= 3 {
			s.State = TabletState(v) + TabletCopying
		}
	}).Words(stateWords...),
	each(pb.Parts(11, "orphaned_blocks", "orphaned block", blockTable, func(s *superFields) *[]uint64 { return &s.Orphaned })),
	pb.Only[superFields](12, "tombstone_last_logged_opid", pb.FormMessage).Of(opIDShape),
	pb.Part(13, "partition", pb.NewTable(
		each(pb.Varints(1, "hash_buckets", func(s *SuperBlock) *[]int32 { return &s.HashBuckets })),
		cellOf(2, "partition_key_start", func(s *SuperBlock) *[]byte { return &s.PartitionStart }),
		cellOf(3, "partition_key_end", func(s *SuperBlock) *[]byte { return &s.PartitionEnd }),
	), func(s *superFields) *SuperBlock { return s.SuperBlock }),
	cellOf(14, "partition_schema", func(s *superFields) *[]byte { return &s.Partitioning }).Of(partitioningShape),
	pb.Part(15, "data_dir_group", pb.NewTable(
		each(pb.Strings(1, "uuids", pb.FormText, func(s *SuperBlock) *[]string { return &s.DataDirs })),
	), func(s *superFields) *SuperBlock { return s.SuperBlock }),
	pb.Bool(16, "supports_live_row_count", func(s *superFields) *bool { return &s.CountsLiveRows }),
	pb.Custom(17, "extra_config", pb.FormMessage, func(m *pb.Message, s *superFields) { s.ExtraConfigBytes += len(m.Bytes()) }, nil).Of(extraConfigShape),
	pb.Text(18, "dimension_label", func(s *superFields) *string { return &s.DimensionLabel }),
	pb.Custom(19, "table_type", pb.FormUint, func(m *pb.Message, s *superFields) { s.TxnStatus = m.Uint64() == 1 }, nil).
		Words("DEFAULT_TABLE", "TXN_STATUS_TABLE"),
	each(pb.Custom(20, "txn_metadata", pb.FormMessage, func(_ *pb.Message, s *superFields) { s.TxnMetadata = true }, nil).Of(txnShape)),
)

// ParseSuperBlock parses the container file b, a TabletSuperBlockPB. It checks that ids of rowsets, of columns within a
// rowset and of the schema, and all blocks in use are used once. Nothing in the result refers to b. The limits that
// count are MetadataBytes and Columns. With an error that wraps ErrDescription it returns the superblock.
func ParseSuperBlock(b []byte, lim errs.Limits) (*SuperBlock, error) {
	const op = "superblock"
	s := &SuperBlock{LastDurableMRS: -1}
	err := parseSingle(b, op, lim, superBlockTable, &superFields{s, lim}, typeSuperBlock)
	if s, err = kept(s, err); s != nil {
		if wrong := s.check(); wrong != nil {
			return nil, place(wrong, op, -1)
		}
	}
	return s, err
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

var rowSetTable = pb.NewTable(
	pb.Uint(1, "id", func(r *RowSet) *int64 { return &r.ID }).Required(),
	pb.Int(2, "last_durable_dms_id", func(r *RowSet) *int64 { return &r.LastDurableDMS }),
	each(pb.Parts(3, "columns", "column", pb.NewTable(
		pb.Part(2, "block", blockTable, func(c *ColumnBlock) *uint64 { return &c.Block }).Required(),
		pb.Int(4, "column_id", func(c *ColumnBlock) *int32 { return &c.ID }), // left out where it is 0
	), func(r *RowSet) *[]ColumnBlock { return &r.Columns })),
	each(pb.Parts(4, "redo_deltas", "redo delta file", deltaTable, func(r *RowSet) *[]uint64 { return &r.Redo })),
	each(pb.Parts(5, "undo_deltas", "undo delta file", deltaTable, func(r *RowSet) *[]uint64 { return &r.Undo })),
	pb.Part(6, "bloom_block", blockTable, func(r *RowSet) *uint64 { return &r.Bloom }).With(func(r *RowSet) *bool { return &r.HasBloom }),
	pb.Part(7, "adhoc_index_block", blockTable, func(r *RowSet) *uint64 { return &r.AdHoc }).With(func(r *RowSet) *bool { return &r.HasAdHoc }),
	cellOf(8, "min_encoded_key", func(r *RowSet) *[]byte { return &r.MinKey }),
	cellOf(9, "max_encoded_key", func(r *RowSet) *[]byte { return &r.MaxKey }),
	pb.Int(10, "live_row_count", func(r *RowSet) *int64 { return &r.LiveRows }).If(func(r *RowSet) bool { return r.LiveRows >= 0 }),
).Start(func(r *RowSet) {
	r.ID, r.LastDurableDMS, r.LiveRows = -1, -1, -1
}).Check(func(r *RowSet) error {
	if r.LastDurableDMS < -1 || r.LiveRows < -1 {
		return errs.Errorf(errs.ErrCorrupt, "last deltamemstore %d, %d live rows", r.LastDurableDMS, r.LiveRows)
	}
	columns := make(map[int32]struct{}, len(r.Columns))
	for _, c := range r.Columns {
		if _, ok := columns[c.ID]; ok {
			return errs.Errorf(errs.ErrCorrupt, "two blocks for column %d", c.ID)
		}
		columns[c.ID] = struct{}{}
	}
	return nil
})

// deltaTable is DeltaDataPB.
var deltaTable = pb.NewTable(
	pb.Part(2, "block", blockTable, func(id *uint64) *uint64 { return id }).Required(),
)

// blockTable is BlockIdPB.
var blockTable = pb.NewTable(
	pb.Fixed64(1, "id", func(id *uint64) *uint64 { return id }).Required().Word(BlockName),
).Check(func(id *uint64) error {
	if *id == 0 {
		return errs.Errorf(errs.ErrCorrupt, "a block without an id")
	}
	return nil
})

// cellOf is a field of bytes, which are copied; empty is not nil.
func cellOf[T any](num protowire.Number, name string, at func(v *T) *[]byte) pb.Entry[T] {
	return pb.Bytes(num, name, at).Reading(func(m *pb.Message, v *T) { *at(v) = cell(m) })
}

// BlockName returns a block's id as Kudu prints it: decimal, sixteen digits or more.
func BlockName(id uint64) string { return fmt.Sprintf("%016d", id) }
