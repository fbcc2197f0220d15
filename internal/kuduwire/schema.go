package kuduwire

import (
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/fieldname"
	"github.com/arrowio/arrowio/internal/pb"
)

// Schema is the columns of a table, key columns first.
type Schema struct {
	Columns  []Column
	BadNames fieldname.Names // those that are not UTF-8: Columns have others
}

// Column is a column of a table.
type Column struct {
	ID            int32 // of the column for as long as it lives, whatever its name; 0 without HasID
	HasID         bool  // clients' schemas have none
	Name          string
	Type          cfilewire.DataType // of the elements of an array column
	Array         bool
	Key           bool
	Nullable      bool
	Immutable     bool
	AutoIncrement bool
	ReadDefault   []byte // cell of rows stored before there was this column; nil = none, empty = the empty string
	WriteDefault  []byte // cell of rows inserted without a value; nil = none
	Encoding      cfilewire.Encoding
	Compression   cfilewire.Compression
	BlockSize     int32
	Precision     int32 // of decimals
	Scale         int32 // of decimals
	Length        int32 // of varchars, in characters
	Comment       string
}

// ParseSchema parses a SchemaPB: 1 columns. Fixed-width defaults have their type's width; names and ids are unique; key
// columns come first and are not nullable. Nothing in the result refers to the message.
func ParseSchema(m pb.Message, lim errs.Limits) (*Schema, error) {
	limit := lim.WithDefaults().Columns
	s := &Schema{}
	var c columnFields
	for m.Next() {
		if m.Num != 1 {
			continue
		}
		c = columnFields{}
		if columnTable.ReadField(&m, &c); m.Err != nil {
			return nil, pb.Inside(m.Err, "column %d", len(s.Columns))
		}
		if len(s.Columns) == limit {
			return nil, errs.Errorf(errs.ErrLimit, "the schema has more than %d columns (Columns)", limit)
		}
		name := c.Name
		c.Name = fieldname.Fit(name)
		s.BadNames.Check(name, c.Name)
		s.Columns = append(s.Columns, c.Column)
	}
	if m.Err != nil {
		return nil, m.Err
	}
	return s, s.check()
}

func (s *Schema) check() error {
	names := make(map[string]struct{}, len(s.Columns))
	ids := make(map[int32]struct{}, len(s.Columns))
	for i := range s.Columns {
		c := &s.Columns[i]
		if _, ok := names[c.Name]; ok {
			return errs.Errorf(errs.ErrCorrupt, "two columns are called %q", c.Name)
		}
		names[c.Name] = struct{}{}
		if c.HasID {
			if _, ok := ids[c.ID]; ok {
				return errs.Errorf(errs.ErrCorrupt, "two columns have the id %d", c.ID)
			}
			ids[c.ID] = struct{}{}
		}
		switch {
		case c.Key && i > 0 && !s.Columns[i-1].Key:
			return errs.Errorf(errs.ErrCorrupt, "key column %q follows a column that is not a key", c.Name)
		case c.Key && (c.Nullable || c.Array):
			return errs.Errorf(errs.ErrCorrupt, "key column %q is nullable or an array", c.Name)
		}
	}
	return nil
}

// CheckIDs says whether this can be a table's own schema: all columns have ids, and there are key columns. The column
// with the id 0 may leave it out.
func (s *Schema) CheckIDs() error {
	none := -1
	for i := range s.Columns {
		switch {
		case s.Columns[i].HasID && s.Columns[i].ID != 0:
		case none >= 0:
			return errs.Errorf(errs.ErrCorrupt, "columns %q and %q have no ids", s.Columns[none].Name, s.Columns[i].Name)
		default:
			none = i
		}
	}
	if s.Keys() == 0 {
		return errs.Errorf(errs.ErrCorrupt, "no column is part of the key")
	}
	return nil
}

// Keys returns how many columns the key has: the first ones.
func (s *Schema) Keys() int {
	for i := range s.Columns {
		if !s.Columns[i].Key {
			return i
		}
	}
	return len(s.Columns)
}

// Index returns the position of the column with an id, -1 if there is none. It looks at one column after the other.
func (s *Schema) Index(id int32) int {
	for i := range s.Columns {
		if s.Columns[i].ID == id {
			return i
		}
	}
	return -1
}

// columnFields is a column that is being read.
type columnFields struct {
	Column
	typ, element uint64
}

var columnTable = pb.NewTable(
	pb.Int(1, "id", func(c *columnFields) *int32 { return &c.ID }).With(func(c *columnFields) *bool { return &c.HasID }),
	pb.Text(2, "name", func(c *columnFields) *string { return &c.Name }),
	pb.Uint(3, "type", func(c *columnFields) *uint64 { return &c.typ }).Word(typeWord),
	pb.Bool(4, "is_key", func(c *columnFields) *bool { return &c.Key }),
	pb.Bool(5, "is_nullable", func(c *columnFields) *bool { return &c.Nullable }),
	cellOf(6, "read_default_value", func(c *columnFields) *[]byte { return &c.ReadDefault }),
	cellOf(7, "write_default_value", func(c *columnFields) *[]byte { return &c.WriteDefault }),
	pb.Uint(8, "encoding", func(c *columnFields) *cfilewire.Encoding { return &c.Encoding }).Reading(func(m *pb.Message, c *columnFields) {
		if v := m.Uint64(); v <= uint64(cfilewire.EncodingBitShuffle) { // a value that is not known counts as absent
			c.Encoding = cfilewire.Encoding(v)
		}
	}).Words(encodingWords...),
	pb.Uint(9, "compression", func(c *columnFields) *cfilewire.Compression { return &c.Compression }).Reading(func(m *pb.Message, c *columnFields) {
		if v := m.Uint64(); v <= uint64(cfilewire.Zlib) {
			c.Compression = cfilewire.Compression(v)
		}
	}).Words(compressionWords...),
	pb.Int(10, "cfile_block_size", func(c *columnFields) *int32 { return &c.BlockSize }),
	pb.Part(11, "type_attributes", pb.NewTable(
		pb.Int(1, "precision", func(c *columnFields) *int32 { return &c.Precision }),
		pb.Int(2, "scale", func(c *columnFields) *int32 { return &c.Scale }),
		pb.Int(3, "length", func(c *columnFields) *int32 { return &c.Length }),
	), func(c *columnFields) *columnFields { return c }),
	pb.Text(12, "comment", func(c *columnFields) *string { return &c.Comment }),
	pb.Bool(13, "immutable", func(c *columnFields) *bool { return &c.Immutable }),
	pb.Bool(14, "is_auto_incrementing", func(c *columnFields) *bool { return &c.AutoIncrement }),
	pb.Part(15, "nested_type", pb.NewTable(
		pb.Part(1, "array", pb.NewTable(
			pb.Uint(1, "type", func(element *uint64) *uint64 { return element }).Word(typeWord),
		), func(element *uint64) *uint64 { return element }),
	), func(c *columnFields) *uint64 { return &c.element }),
).Start(func(c *columnFields) {
	c.typ, c.element = unknownType, unknownType
}).Check(func(c *columnFields) error {
	if c.Name == "" {
		return errs.Errorf(errs.ErrCorrupt, "no name")
	}
	if c.typ == uint64(cfilewire.Nested) {
		c.Array, c.typ = true, c.element
	}
	if c.typ > uint64(cfilewire.Date) || c.typ == uint64(cfilewire.IsDeleted) {
		return errs.Errorf(errs.ErrUnsupported, "column %q has no type that this reader knows (%d)", c.Name, c.typ)
	}
	c.Type = cfilewire.DataType(c.typ)
	return c.check()
})

// unknownType is Kudu's number for it.
const unknownType = 999

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// cell copies a default value; empty is not nil.
func cell(m *pb.Message) []byte { return append([]byte{}, m.Bytes()...) }

func (c *Column) check() error {
	if digits := c.Type.Decimal(); digits > 0 {
		// Clients' schemas may leave the attributes out.
		if c.Precision < 0 || c.Precision > digits || c.Scale < 0 || c.Scale > max(c.Precision, 0) {
			return errs.Errorf(errs.ErrCorrupt, "column %q: %s with precision %d and scale %d", c.Name, c.Type, c.Precision, c.Scale)
		}
	}
	if c.Length < 0 {
		return errs.Errorf(errs.ErrCorrupt, "column %q: length %d", c.Name, c.Length)
	}
	for _, d := range [][]byte{c.ReadDefault, c.WriteDefault} {
		if d != nil && !c.Array && !c.Type.Binary() && len(d) != c.Type.Width() {
			return errs.Errorf(errs.ErrCorrupt, "column %q: a default of %d bytes for %s", c.Name, len(d), c.Type)
		}
	}
	return nil
}
