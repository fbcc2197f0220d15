package kudu

import (
	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/pb"
)

// tableSchema is a schema that the table had at some operation, made ready for applying rows.
type tableSchema struct {
	*kuduwire.Schema
	version  uint32
	keys     int
	auto     int                // column that counts by itself, -1 = none
	fixed    []bool             // by column: of the key or immutable, so no update changes it
	defaults []kuduwire.RowCell // by column: of a row that does not set it; not Set = it must be set
	layout   *memLayout
	clients  map[string]*client // by their SchemaPB
}

// client is a client's schema against the table's.
type client struct {
	layout *kuduwire.RowLayout
	to     []int // the table's column, by the client's
	auto   int   // the client's column that counts by itself, -1 = none
}

const maxClients = 64 // that many schemas at a time; others are worked out again

func newTableSchema(s *kuduwire.Schema, version uint32) (*tableSchema, error) {
	if err := s.CheckIDs(); err != nil {
		return nil, err
	}
	t := &tableSchema{
		Schema: s, version: version, keys: s.Keys(), auto: -1, layout: newMemLayout(s), clients: map[string]*client{},
		fixed: make([]bool, len(s.Columns)), defaults: make([]kuduwire.RowCell, len(s.Columns)),
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		t.fixed[i] = c.Key || c.Immutable
		switch {
		case c.ID < 0:
			return nil, errs.Errorf(errs.ErrCorrupt, "column %q has the id %d", c.Name, c.ID)
		case c.Array || c.Type.Width() == 0 && !c.Type.Binary():
			return nil, errs.Errorf(errs.ErrUnsupported, "rows in the write-ahead log with array column %q", c.Name)
		case c.Key && !c.Type.IsKey():
			return nil, errs.Errorf(errs.ErrCorrupt, "key column %q is of type %s", c.Name, c.Type)
		case c.AutoIncrement && (c.Type != cfilewire.Int64 || t.auto >= 0):
			return nil, errs.Errorf(errs.ErrCorrupt, "column %q counts by itself; it is of type %s", c.Name, c.Type)
		case c.AutoIncrement:
			t.auto = i
		case c.WriteDefault != nil:
			t.defaults[i] = kuduwire.RowCell{Set: true, Value: c.WriteDefault}
		case c.Nullable:
			t.defaults[i] = kuduwire.RowCell{Set: true, Null: true}
		}
	}
	return t, nil
}

// parseTableSchema reads the SchemaPB of a segment's header or of an ALTER.
func parseTableSchema(b []byte, version uint32, lim arrowio.Limits) (*tableSchema, error) {
	s, err := kuduwire.ParseSchema(pb.New(b), lim)
	if err != nil {
		return nil, err
	}
	return newTableSchema(s, version)
}

// client works out a client's SchemaPB: its columns are found by name and must be of the table's type.
func (t *tableSchema) client(b []byte, lim arrowio.Limits) (*client, error) {
	if c := t.clients[string(b)]; c != nil {
		return c, nil
	}
	s, err := kuduwire.ParseSchema(pb.New(b), lim)
	if err != nil {
		return nil, errs.Locate(err, errs.At{Op: "client's schema"})
	}
	c := &client{to: make([]int, len(s.Columns)), auto: -1}
	if c.layout, err = kuduwire.NewRowLayout(s); err != nil {
		return nil, err
	}
	names := make(map[string]int, len(t.Columns))
	for i := range t.Columns {
		names[t.Columns[i].Name] = i
	}
	for i := range s.Columns {
		k, ok := names[s.Columns[i].Name]
		if !ok {
			return nil, errs.Errorf(errs.ErrCorrupt, "the client's column %q is not in the table's schema, version %d", s.Columns[i].Name, t.version)
		}
		if s.Columns[i].Type != t.Columns[k].Type {
			return nil, errs.Errorf(errs.ErrCorrupt, "the client's column %q is of type %s, the table's %s", s.Columns[i].Name, s.Columns[i].Type, t.Columns[k].Type)
		}
		c.to[i] = k
		if k == t.auto {
			c.auto = i
		}
	}
	if len(t.clients) == maxClients {
		clear(t.clients)
	}
	t.clients[string(b)] = c
	return c, nil
}

// appendKey appends the encoded primary key of a row. It is false if a column of the key is not set.
func (t *tableSchema) appendKey(dst []byte, row []kuduwire.RowCell) ([]byte, bool, error) {
	var err error
	for i := range t.keys {
		if !row[i].Set || row[i].Null {
			return dst, false, nil
		}
		if dst, err = cfilewire.AppendKey(dst, t.Columns[i].Type, row[i].Value, i == t.keys-1); err != nil {
			return dst, false, err
		}
	}
	return dst, true, nil
}
