package parquet

import (
	"encoding/base64"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowipc"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

const arrowSchemaKey = "ARROW:schema"

// storedSchema reads an Arrow schema message in base64.
func storedSchema(text string, limits arrowio.Limits) (*arrowipc.Schema, error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, corrupt("it is not in base64")
	}
	prefix, n, err := arrowipc.Framing(b)
	if err != nil {
		return nil, err
	}
	if n > int64(len(b))-prefix {
		return nil, corrupt("it is cut off")
	}
	m, err := arrowipc.ParseMessage(b[prefix:prefix+n], limits)
	if err != nil {
		return nil, err
	}
	if m.Body != 0 {
		return nil, corrupt("it is no schema")
	}
	return m.Schema()
}

// adopt gives a node, and what is below it, what the field in the stored Arrow schema says beyond Parquet: types that
// Parquet stores as another, time zones, metadata. It counts as far as the stored columns can be read that way.
func (n *node) adopt(stored *arrow.Field) {
	if n.shape == leafShape && tellsLogicalType(*stored, n.elem) {
		n.field.Metadata = without(n.field.Metadata, metaLogical)
	}
	if stored.Name == n.field.Name {
		n.field.Metadata = merge(stored.Metadata, n.field.Metadata)
	}
	t := storage(stored.Type)
	if n.shape == leafShape {
		n.plain = t.ID() != arrow.DICTIONARY && t.ID() != arrow.RUN_END_ENCODED
		n.field.Type = adoptLeaf(n.field.Type, n.elem, t)
		return
	}
	children := storedChildren(t)
	if n.shape == mapShape && len(children) == 1 { // the entries of a map have a name of their own
		children[0].Name = n.children[0].field.Name
	}
	if len(children) == len(n.children) {
		for i, k := range n.children {
			if n.shape == listShape {
				children[i].Name = k.field.Name
			}
			k.adopt(&children[i])
		}
	}
	n.settle(t)
}

func storedChildren(t arrow.DataType) []arrow.Field {
	if n, ok := t.(arrow.NestedType); ok {
		return n.Fields()
	}
	return nil
}

// adoptLeaf returns the type of a leaf that Parquet has as t and the stored schema as want.
func adoptLeaf(t arrow.DataType, e *decode.Element, want arrow.DataType) arrow.DataType {
	switch w := want.(type) {
	case *arrow.TimestampType:
		if o, ok := t.(*arrow.TimestampType); ok && (o.TimeZone != "" || e.Type == decode.Int96) && w.TimeZone != "" {
			return &arrow.TimestampType{Unit: o.Unit, TimeZone: w.TimeZone}
		}
	case *arrow.DurationType:
		if t.ID() == arrow.INT64 {
			return want
		}
	case *arrow.DictionaryType:
		switch {
		case t.ID() == arrow.STRING && (w.ValueType.ID() == arrow.STRING || w.ValueType.ID() == arrow.LARGE_STRING || w.ValueType.ID() == arrow.STRING_VIEW),
			t.ID() == arrow.BINARY && (w.ValueType.ID() == arrow.BINARY || w.ValueType.ID() == arrow.LARGE_BINARY || w.ValueType.ID() == arrow.BINARY_VIEW):
			return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: t, Ordered: w.Ordered}
		}
	case *arrow.LargeStringType, *arrow.StringViewType:
		if t.ID() == arrow.STRING {
			return want
		}
	case *arrow.LargeBinaryType, *arrow.BinaryViewType:
		if t.ID() == arrow.BINARY {
			return want
		}
	case *arrow.Decimal256Type:
		if d, ok := t.(*arrow.Decimal128Type); ok && d.Precision == w.Precision && d.Scale == w.Scale {
			return want
		}
	}
	return t
}

// storage returns t without the extension types at and below it.
func storage(t arrow.DataType) arrow.DataType {
	switch x := t.(type) {
	case arrow.ExtensionType:
		return storage(x.StorageType())
	case *arrow.StructType, *arrow.ListType, *arrow.LargeListType, *arrow.FixedSizeListType, *arrow.MapType:
		return arrowtype.Inside(t, storage)
	case *arrow.DictionaryType:
		return &arrow.DictionaryType{IndexType: x.IndexType, ValueType: storage(x.ValueType), Ordered: x.Ordered}
	}
	return t
}

// as returns d, whose type is the storage of t, as t. The caller releases it.
func as(d arrow.ArrayData, t arrow.DataType) arrow.ArrayData {
	if arrow.TypeEqual(d.DataType(), t) {
		d.Retain()
		return d
	}
	inner := t
	for {
		e, ok := inner.(arrow.ExtensionType)
		if !ok {
			break
		}
		inner = e.StorageType()
	}
	var children []arrow.ArrayData
	if n, ok := inner.(arrow.NestedType); ok {
		for i, f := range n.Fields() {
			k := as(d.Children()[i], f.Type)
			defer k.Release()
			children = append(children, k)
		}
	}
	if dict, ok := d.Dictionary().(*array.Data); ok && dict != nil {
		return array.NewDataWithDictionary(t, d.Len(), d.Buffers(), d.NullN(), d.Offset(), dict)
	}
	return array.NewData(t, d.Len(), d.Buffers(), children, d.NullN(), d.Offset())
}

// merge returns a with what b has besides.
func merge(a, b arrow.Metadata) arrow.Metadata {
	keys, values := a.Keys(), a.Values()
	for i, k := range b.Keys() {
		if a.FindKey(k) < 0 {
			keys, values = append(keys[:len(keys):len(keys)], k), append(values[:len(values):len(values)], b.Values()[i])
		}
	}
	return arrow.NewMetadata(keys, values)
}

// without returns the metadata without a key.
func without(md arrow.Metadata, key string) arrow.Metadata {
	i := md.FindKey(key)
	if i < 0 {
		return md
	}
	return arrow.NewMetadata(slices.Delete(slices.Clone(md.Keys()), i, i+1), slices.Delete(slices.Clone(md.Values()), i, i+1))
}
