package kuduwire

import (
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/pb"
)

// Schema is the columns of a table, key columns first.
type Schema struct{ Columns []Column }

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
	for m.Next() {
		if m.Num != 1 {
			continue
		}
		c, err := parseColumn(m.Message())
		if m.Err == nil && err != nil {
			return nil, pb.Inside(err, "column %d", len(s.Columns))
		}
		if len(s.Columns) == limit {
			return nil, errs.Errorf(errs.ErrLimit, "the schema has more than %d columns (Columns)", limit)
		}
		s.Columns = append(s.Columns, c)
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

// parseColumn parses a ColumnSchemaPB: 1 id, 2 name, 3 type, 4 is key, 5 is nullable, 6 read default, 7 write default,
// 8 encoding, 9 compression, 10 block size, 11 attributes{1 precision, 2 scale, 3 length}, 12 comment, 13 immutable,
// 14 auto-incrementing, 15 nested type{1 array{1 type}}.
func parseColumn(m pb.Message) (Column, error) {
	c := Column{Type: unknownType}
	typ, element := uint64(unknownType), uint64(unknownType)
	named := false
	for m.Next() {
		switch m.Num {
		case 1:
			c.ID, c.HasID = m.Int32(), true
		case 2:
			c.Name, named = m.String(), true
		case 3:
			typ = m.Uint64()
		case 4:
			c.Key = m.Bool()
		case 5:
			c.Nullable = m.Bool()
		case 6:
			c.ReadDefault = cell(&m)
		case 7:
			c.WriteDefault = cell(&m)
		case 8:
			if v := m.Uint64(); v <= uint64(cfilewire.EncodingBitShuffle) { // a value that nobody knows is none
				c.Encoding = cfilewire.Encoding(v)
			}
		case 9:
			if v := m.Uint64(); v <= uint64(cfilewire.Zlib) {
				c.Compression = cfilewire.Compression(v)
			}
		case 10:
			c.BlockSize = m.Int32()
		case 11:
			a := m.Message()
			for a.Next() {
				switch a.Num {
				case 1:
					c.Precision = a.Int32()
				case 2:
					c.Scale = a.Int32()
				case 3:
					c.Length = a.Int32()
				}
			}
			m.Err = orElse(m.Err, a.Err)
		case 12:
			c.Comment = m.String()
		case 13:
			c.Immutable = m.Bool()
		case 14:
			c.AutoIncrement = m.Bool()
		case 15:
			element = arrayElement(&m)
		}
	}
	if m.Err != nil {
		return c, m.Err
	}
	if !named || c.Name == "" {
		return c, errs.Errorf(errs.ErrCorrupt, "no name")
	}
	if typ == uint64(cfilewire.Nested) {
		c.Array, typ = true, element
	}
	if typ > uint64(cfilewire.Date) || typ == uint64(cfilewire.IsDeleted) {
		return c, errs.Errorf(errs.ErrUnsupported, "column %q has no type that this reader knows (%d)", c.Name, typ)
	}
	c.Type = cfilewire.DataType(typ)
	return c, c.check()
}

// unknownType is Kudu's number for it.
const unknownType = 999

// arrayElement parses a NestedDataTypePB: 1 array{1 type}.
func arrayElement(m *pb.Message) uint64 {
	element := uint64(unknownType)
	n := m.Message()
	for n.Next() {
		if n.Num != 1 {
			continue
		}
		a := n.Message()
		for a.Next() {
			if a.Num == 1 {
				element = a.Uint64()
			}
		}
		n.Err = orElse(n.Err, a.Err)
	}
	m.Err = orElse(m.Err, n.Err)
	return element
}

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
