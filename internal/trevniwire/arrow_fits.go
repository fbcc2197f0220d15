package trevniwire

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Fits reports whether Arrow fields can be written as nodes of a given Avro schema, value for value.
func Fits(fields []arrow.Field, nodes []*Node) bool {
	return slices.EqualFunc(fields, nodes, func(f arrow.Field, n *Node) bool {
		if f.Name != n.Field.Name || f.Nullable && !n.Field.Nullable {
			return false
		}
		return fitsType(f.Type, n)
	})
}

func fitsType(t arrow.DataType, n *Node) bool {
	switch n.Kind {
	case Struct, Union:
		nested, ok := t.(arrow.NestedType)
		return ok && t.ID() == n.Field.Type.ID() && Fits(nested.Fields(), n.Children)
	case List:
		l, ok := t.(*arrow.ListType)
		return ok && fitsType(l.Elem(), n.Children[0]) && (!l.ElemField().Nullable || n.Children[0].Field.Nullable)
	case Map:
		m, ok := t.(*arrow.MapType)
		return ok && m.KeyType().ID() == arrow.STRING && fitsType(m.ItemType(), n.Children[1]) && (!m.ItemField().Nullable || n.Children[1].Field.Nullable)
	}
	if arrow.TypeEqual(t, n.Field.Type) {
		return true
	}
	// decimals beyond their precision were read as the bytes that they are
	return arrow.IsDecimal(n.Field.Type.ID()) && t.ID() == arrow.BINARY
}

// KeepsMetadata reports whether a given Avro schema, which is read as back, keeps those metadata of all fields that foreign reports.
func KeepsMetadata(fields, back []arrow.Field, foreign func(key string) bool) bool {
	return !slices.ContainsFunc(schemadiff.Fields(fields, back), func(d schemadiff.Difference) bool {
		return d.Aspect == schemadiff.Metadata && slices.ContainsFunc(d.Lost, foreign)
	})
}

// BeyondPrecision returns the columns of decimals whose values are beyond their precision: fields, of the same nodes, have them as the
// bytes that they are.
func BeyondPrecision(fields []arrow.Field, nodes []*Node) map[int]bool {
	to := map[int]bool{}
	beyondPrecision(fields, nodes, to)
	return to
}

func beyondPrecision(fields []arrow.Field, nodes []*Node, to map[int]bool) {
	for i, n := range nodes[:min(len(nodes), len(fields))] {
		t := fields[i].Type
		if n.Kind == Leaf && arrow.IsDecimal(n.Field.Type.ID()) && (t.ID() == arrow.BINARY || t.ID() == arrow.FIXED_SIZE_BINARY) {
			to[n.Col] = true
		}
		switch t := t.(type) {
		case *arrow.MapType:
			beyondPrecision([]arrow.Field{t.KeyField(), t.ItemField()}, n.Children, to)
		case arrow.NestedType:
			beyondPrecision(t.Fields(), n.Children, to)
		}
	}
}
