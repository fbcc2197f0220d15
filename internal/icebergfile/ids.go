package icebergfile

import (
	"errors"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// IDs are the ids of fields and of those inside them, in the same shape.
type IDs []FieldID

// FieldID is the id of one field.
type FieldID struct {
	ID       int32 // -1 = none
	Children IDs
	Entry    *iceberg.Name // of the mapping of names that says the id; nil = the file says it
}

// childrenOf returns the fields inside a type: the children of a struct, the elements of a list, the keys and values of a map.
func childrenOf(t arrow.DataType) []arrow.Field {
	switch t := t.(type) {
	case *arrow.StructType:
		return t.Fields()
	case *arrow.MapType:
		return []arrow.Field{t.KeyField(), t.ItemField()}
	case arrow.ListLikeType:
		return []arrow.Field{t.ElemField()}
	}
	return nil
}

// IDsOf returns the ids that the fields of a file carry. If none of them carries one, they are those that a mapping gives their
// names; nil = there is no mapping.
func IDsOf(fields []arrow.Field, mapping []iceberg.Name) (IDs, error) {
	c := carrier{seen: map[int32]string{}}
	ids, err := c.carried(fields, "")
	if err != nil || len(c.seen) > 0 || mapping == nil {
		return ids, err
	}
	named(ids, fields, nil, mapping, map[int32]bool{})
	return ids, nil
}

type carrier struct{ seen map[int32]string }

func (c *carrier) carried(fields []arrow.Field, above string) (IDs, error) {
	ids := make(IDs, len(fields))
	for i, f := range fields {
		path := above + f.Name
		ids[i].ID = -1
		text, ok := f.Metadata.GetValue(iceberg.MetaORC + iceberg.AttrID)
		if !ok {
			text, ok = f.Metadata.GetValue(iceberg.MetaFieldID)
		}
		if ok {
			n, err := strconv.ParseInt(text, 10, 32)
			if err != nil || n < 0 {
				return nil, schemaError(path, errs.ErrCorrupt, "the id %q is no number", text)
			}
			id := int32(n)
			if other, ok := c.seen[id]; ok {
				return nil, schemaError(path, errs.ErrCorrupt, "it has the id %d of %s", id, other)
			}
			ids[i].ID, c.seen[id] = id, path
		}
		var err error
		if ids[i].Children, err = c.carried(childrenOf(f.Type), path+"."); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// named gives fields the ids of their names. in is the type that they are inside of; nil = a schema. Of several fields that are
// called by one id's names the first has it.
func named(ids IDs, fields []arrow.Field, in arrow.DataType, mapping []iceberg.Name, taken map[int32]bool) {
	for i, f := range fields {
		name := f.Name
		switch in.(type) {
		case nil, *arrow.StructType:
		case *arrow.MapType:
			name = iceberg.KeyName
			if i > 0 {
				name = iceberg.ValueName
			}
		default:
			name = iceberg.ElementName
		}
		n := iceberg.Lookup(mapping, name)
		if n == nil || n.ID >= 0 && taken[n.ID] {
			continue
		}
		ids[i].ID, ids[i].Entry = n.ID, n
		if n.ID >= 0 {
			taken[n.ID] = true
		}
		named(ids[i].Children, childrenOf(f.Type), f.Type, n.Fields, taken)
	}
}

// explain adds to an error about a field the entry of the mapping of names that is wrong, perhaps.
func (id *FieldID) explain(err error, path string) error {
	var e *errs.Error
	if id.Entry == nil || !id.Entry.Said || !errors.As(err, &e) {
		return err
	}
	return schemaError(path, e.Kind, `%w; the file has no ids, and the mapping of names has {"field-id": %d, "names": %q} for it`, e.Err, id.ID, id.Entry.Names)
}

// schemaError is an error about the schema of a file.
func schemaError(path string, kind errs.Kind, format string, args ...any) error {
	e := errs.Errorf(kind, format, args...)
	e.Op, e.Column = "schema", path
	return e
}

// Has reports whether one of the fields, or one inside them, has an id.
func (ids IDs) Has(id int32) bool {
	for _, f := range ids {
		if f.ID == id || f.Children.Has(id) {
			return true
		}
	}
	return false
}
