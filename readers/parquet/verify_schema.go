package parquet

import (
	"errors"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/fieldname"
)

// What a file says of its schema twice, as a Parquet schema and as an Arrow schema in the metadata, must agree. Reading goes by
// the Parquet schema; Verify reports where the other contradicts it.

// maxSchemaFaults bounds what is reported of one schema.
const maxSchemaFaults = 100

// noteSchema remembers a fault for Verify. Types that are not known here are none, and limits are the reader's.
func (f *parquetFile) noteSchema(err error) {
	if errors.Is(err, errs.ErrUnsupported) || errors.Is(err, errs.ErrLimit) || len(f.schemaFaults) >= maxSchemaFaults {
		return
	}
	f.schemaFaults = append(f.schemaFaults, errs.Errorf(errs.ErrCorrupt, "%s in the metadata: %w", arrowSchemaKey, err))
}

// fitNames renames the fields whose names are not UTF-8.
func (f *parquetFile) fitNames() {
	var names fieldname.Names
	var path []string
	var left []int // children still to come of the groups that path leads through
	for i := range f.footer.Schema {
		e := &f.footer.Schema[i]
		for len(left) > 0 && left[len(left)-1] == 0 {
			left = left[:len(left)-1]
		}
		stored := e.Name
		e.Name = fieldname.Fit(stored)
		if n := len(left); n > 0 {
			left[n-1]--
			path = append(path[:n-1], e.Name)
			names.Check(stored, path...)
		}
		if e.Children > 0 {
			left = append(left, int(e.Children))
		}
	}
	f.doubts = append(f.doubts, names.Errors(errs.At{Format: "parquet", Op: "footer", Off: errs.N(f.end)})...)
}

// compareSchema compares the Arrow schema in the metadata with the Parquet schema, as both are read.
func (f *parquetFile) compareSchema(s *arrow.Schema) {
	if s.NumFields() != len(f.nodes) {
		f.noteSchema(corrupt("it has %d columns, the Parquet schema has %d", s.NumFields(), len(f.nodes)))
		return
	}
	for i, n := range f.nodes {
		stored := s.Field(i)
		f.compareField(n, &stored, n.field.Name)
	}
}

// compareField compares a field of the Arrow schema. The names of items of lists and of entries of maps are their writers' own.
func (f *parquetFile) compareField(n *node, stored *arrow.Field, path string) {
	if stored.Name != n.field.Name {
		f.noteSchema(corrupt("it has a field %q where the Parquet schema has %q", stored.Name, path))
		return
	}
	t := storage(stored.Type)
	for t.ID() == arrow.DICTIONARY || t.ID() == arrow.RUN_END_ENCODED {
		if d, ok := t.(*arrow.DictionaryType); ok {
			t = storage(d.ValueType)
		} else {
			t = storage(t.(*arrow.RunEndEncodedType).Encoded())
		}
	}
	if !related(familyOf(t), familyOf(n.field.Type)) {
		f.noteSchema(corrupt("it has the type %s for %q, where the Parquet schema has %s", stored.Type, path, n.field.Type))
		return
	}
	children := storedChildren(t)
	switch {
	case n.shape == structShape && t.ID() == arrow.STRUCT && len(children) != len(n.children):
		f.noteSchema(corrupt("it has %d fields in %q, where the Parquet schema has %d", len(children), path, len(n.children)))
	case len(children) != len(n.children):
	case n.shape == mapShape:
		f.compareEntries(n.children[0], children[0].Type, path)
	default:
		for i, k := range n.children {
			if n.shape == listShape {
				children[i].Name = k.field.Name
			}
			f.compareField(k, &children[i], path+"."+k.field.Name)
		}
	}
}

func (f *parquetFile) compareEntries(n *node, stored arrow.DataType, path string) {
	children := storedChildren(stored)
	for i, k := range n.children {
		if i < len(children) {
			children[i].Name = k.field.Name
			f.compareField(k, &children[i], path+"."+k.field.Name)
		}
	}
}

// family is a group of Arrow types that Parquet may store alike.
type family uint8

const (
	anyFamily     family = iota // null, and what is not known
	boolFamily                  // bool
	numberFamily                // integers, dates, times
	floatFamily                 // float and double
	decimalFamily               // in any storage
	bytesFamily                 // text, bytes, and what is stored as bytes
	structFamily                // struct
	listFamily                  // every kind of list, and maps
)

func familyOf(t arrow.DataType) family {
	switch t.ID() {
	case arrow.BOOL:
		return boolFamily
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		return numberFamily
	case arrow.FLOAT32, arrow.FLOAT64:
		return floatFamily
	case arrow.DECIMAL128, arrow.DECIMAL256:
		return decimalFamily
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		return bytesFamily
	case arrow.STRUCT:
		return structFamily
	case arrow.LIST, arrow.LARGE_LIST, arrow.FIXED_SIZE_LIST, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW, arrow.MAP:
		return listFamily
	}
	return anyFamily
}

// related reports whether a column of one family may be stored as the other. Writers may store decimals, whose scale they leave
// to the Arrow schema, as numbers or bytes.
func related(stored, parquet family) bool {
	switch {
	case stored == parquet || stored == anyFamily || parquet == anyFamily:
		return true
	case stored == decimalFamily:
		return parquet == numberFamily || parquet == bytesFamily
	}
	return false
}
