package avro

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/schemadiff"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// builder makes the nodes of a projection.
type builder struct {
	f   *file
	mem *arrowbuf.Arena
}

// rows returns the nodes of a projection in its order, and how a row is decoded.
func (b *builder) rows(p arrowio.Projection) (roots []*node, row []step) {
	roots = make([]*node, len(p.Fields))
	if b.f.avro.Kind != trevniwire.AvroRecord {
		if len(roots) == 0 {
			return roots, []step{{skip: skippers(nil, b.f.avro)}}
		}
		field := p.Schema.Field(0)
		roots[0] = b.node(b.f.avro, b.f.tree.Roots[0], p.Fields[0], field, schemadiff.Path(field.Name))
		return roots, []step{{node: roots[0]}}
	}
	row = b.steps(b.f.avro, p.Fields, roots, func(i, at int) *node {
		field := p.Schema.Field(at)
		return b.node(b.f.avro.Fields[i].Type, b.f.tree.Roots[i], p.Fields[at], field, schemadiff.Path(field.Name))
	})
	return roots, row
}

// steps returns how a record is decoded of which kept are the fields that are wanted. make makes the node of field i, which is
// number at of those; it goes to out.
func (b *builder) steps(s *trevniwire.Avro, kept []arrowio.ProjectedField, out []*node, make func(i, at int) *node) (list []step) {
	place := map[int]int{}
	for at, k := range kept {
		place[k.Index] = at
	}
	for i, f := range s.Fields {
		at, wanted := place[i]
		if wanted {
			out[at] = make(i, at)
			list = append(list, step{node: out[at]})
			continue
		}
		if k := len(list) - 1; k >= 0 && list[k].node == nil {
			list[k].skip = skippers(list[k].skip, f.Type)
		} else if skip := skippers(nil, f.Type); len(skip) > 0 {
			list = append(list, step{skip: skip})
		}
	}
	return list
}

// node makes the node of a value of s, which is w in Arrow; field and pf are what is wanted of it.
func (b *builder) node(s *trevniwire.Avro, w *trevniwire.Node, pf arrowio.ProjectedField, field arrow.Field, path string) *node {
	n := &node{
		field: field, path: path, null: -1,
		valid: arrowbuf.NewVec[uint8](b.mem), bytes: arrowbuf.NewVec[uint8](b.mem), fours: arrowbuf.NewVec[int32](b.mem),
		eights: arrowbuf.NewVec[int64](b.mem), d128: arrowbuf.NewVec[[16]byte](b.mem), d256: arrowbuf.NewVec[[32]byte](b.mem),
	}
	if o := s.Optional(); o != nil {
		n.optional = true
		if n.null = 0; !s.Branches[0].IsNull() {
			n.null = 1
		}
		s = o
	}
	fields := arrowtype.Children(field.Type)
	switch s.Kind {
	case trevniwire.AvroRecord:
		n.op = opRecord
		kept := pf.Children
		if kept == nil {
			for i := range s.Fields {
				kept = append(kept, arrowio.ProjectedField{Index: i})
			}
		}
		n.children = make([]*node, len(kept))
		n.steps = b.steps(s, kept, n.children, func(i, at int) *node {
			return b.node(s.Fields[i].Type, w.Children[i], kept[at], fields[at], schemadiff.Below(path, fields[at].Name))
		})
	case trevniwire.AvroArray:
		n.op, n.width, n.least = opList, 4, leastBytes(s.Items)
		if m, ok := field.Type.(*arrow.MapType); ok { // see trevniwire.ShredTable
			n.children = []*node{b.entries(s.Items.Fields[0].Type, s.Items.Fields[1].Type, w, pf, m, path)}
			break
		}
		item := b.node(s.Items, w.Children[0], arrowio.ProjectedField{Children: pf.Children}, fields[0], schemadiff.Below(path, fields[0].Name))
		n.children = []*node{item}
	case trevniwire.AvroMap:
		n.op, n.width, n.least = opList, 4, 1+leastBytes(s.Items)
		key := &trevniwire.Avro{Name: "string", Type: trevniwire.String}
		n.children = []*node{b.entries(key, s.Items, w, pf, field.Type.(*arrow.MapType), path)}
	case trevniwire.AvroUnion:
		n.op, n.width = opUnion, 5
		for i, branch := range s.Branches {
			if branch.IsNull() {
				n.null = i
			}
			n.branches = append(n.branches, b.node(branch, w.Children[i], arrowio.ProjectedField{Index: i}, fields[i], schemadiff.Below(path, fields[i].Name)))
		}
		n.children = n.branches
	default:
		b.leaf(n, s, w)
	}
	if n.nullable() && n.width == 0 {
		n.width = 1
	}
	return n
}

// entries makes the node of the entries of a map w of keys and values.
func (b *builder) entries(keys, values *trevniwire.Avro, w *trevniwire.Node, pf arrowio.ProjectedField, t *arrow.MapType, path string) *node {
	key := b.node(keys, w.Children[0], arrowio.ProjectedField{}, t.KeyField(), schemadiff.Below(path, "key"))
	value := b.node(values, w.Children[1], arrowio.ProjectedField{Children: pf.Children}, t.ItemField(), schemadiff.Below(path, "value"))
	return &node{
		op: opRecord, path: path, null: -1, field: arrow.Field{Name: "entries", Type: t.Elem()},
		children: []*node{key, value}, steps: []step{{node: key}, {node: value}},
	}
}

// leaf completes the node of a value without parts.
func (b *builder) leaf(n *node, s *trevniwire.Avro, w *trevniwire.Node) {
	switch t := n.field.Type.(type) {
	case *arrow.Decimal128Type:
		n.op, n.width, n.bound = opDecimal128, 16, trevniwire.NewDecimalBound(int(t.Precision))
		n.sized, n.size, n.column = s.Kind == trevniwire.AvroFixed, s.Size, w.Col
		return
	case *arrow.Decimal256Type:
		n.op, n.width, n.bound = opDecimal256, 32, trevniwire.NewDecimalBound(int(t.Precision))
		n.sized, n.size, n.column = s.Kind == trevniwire.AvroFixed, s.Size, w.Col
		return
	}
	switch s.Kind {
	case trevniwire.AvroEnum:
		n.op, n.width, n.enum, n.symbols = opEnum, 4, b.f.dicts[w], int32(len(s.Symbols))
		return
	case trevniwire.AvroFixed:
		n.op, n.width, n.size = opFixed, int64(s.Size), s.Size
		return
	}
	switch s.Type {
	case trevniwire.Null:
		n.op = opNull
	case trevniwire.Boolean:
		n.op, n.width = opBool, 1
	case trevniwire.Int:
		n.op, n.width = opInt, 4
	case trevniwire.Long:
		n.op, n.width = opLong, 8
	case trevniwire.Float:
		n.op, n.width = opFloat, 4
	case trevniwire.Double:
		n.op, n.width = opDouble, 8
	default:
		n.op, n.width, n.text = opString, 4, s.Type == trevniwire.String
	}
}
