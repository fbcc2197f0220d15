package orcwire

import (
	"slices"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/fieldname"
	"github.com/arrowio/arrowio/internal/geoarrow"
	"github.com/arrowio/arrowio/internal/pb"
)

// typeTree builds the tree of types from a footer's flat list (specification, "Type Information"):
//
//	0 struct<1, 2, 4>     ids in pre-order: the children of a type follow it, each with its subtree
//	1   int
//	2   list<3>
//	3     string
//	4   double
type typeTree struct {
	arena    []Type
	n        int      // types seen
	children []uint64 // ids of all types' children, one type's after another
	ends     []int    // by type: where its children end in children
	fields   typeFields
	lim      errs.Limits
	budget   *metaBudget
}

func newTypeTree(types int, lim errs.Limits, budget *metaBudget) *typeTree {
	return &typeTree{
		arena: make([]Type, types), children: make([]uint64, 0, types-1), ends: make([]int, 0, types),
		lim: lim, budget: budget,
	}
}

// typeFields is a type that is being read or written.
type typeFields struct {
	*Type
	tree *typeTree
}

var typeTable = pb.NewTable(
	enum(1, "kind", "type kind", len(kindNames), func(t *typeFields) *Kind { return &t.Kind }).Required().Words(
		"BOOLEAN", "BYTE", "SHORT", "INT", "LONG", "FLOAT", "DOUBLE", "STRING", "BINARY", "TIMESTAMP", "LIST", "MAP", "STRUCT", "UNION",
		"DECIMAL", "DATE", "VARCHAR", "CHAR", "TIMESTAMP_INSTANT", "GEOMETRY", "GEOGRAPHY"),
	pb.Custom(2, "subtypes", pb.FormUint, func(m *pb.Message, t *typeFields) {
		t.tree.children = pb.AppendVarints(m, t.tree.children)
	}, appendChildren),
	pb.Strings(3, "fieldNames", pb.FormText, func(t *typeFields) *[]string { return &t.Names }),
	pb.Uint(4, "maximumLength", func(t *typeFields) *uint32 { return &t.MaxLength }).OmitZero(),
	pb.Uint(5, "precision", func(t *typeFields) *uint32 { return &t.Precision }).OmitZero(),
	pb.Uint(6, "scale", func(t *typeFields) *uint32 { return &t.Scale }).If(func(t *typeFields) bool { return t.Precision > 0 || t.Scale > 0 }),
	pb.Parts(7, "attributes", "attribute", attributeTable, func(t *typeFields) *[]Attribute { return &t.Attributes }),
	pb.Text(8, "crs", func(t *typeFields) *string { return &t.CRS }).OmitZero(),
	enum(9, "algorithm", "edge algorithm", len(geoarrow.Algorithms), func(t *typeFields) *uint8 { return &t.EdgeAlgorithm }).
		If(func(t *typeFields) bool { return t.Kind == Geography }),
)

var attributeTable = pb.NewTable(
	pb.Text(1, "key", func(a *Attribute) *string { return &a.Key }),
	pb.Text(2, "value", func(a *Attribute) *string { return &a.Value }),
)

func appendChildren(dst []byte, num protowire.Number, t *typeFields) []byte {
	if len(t.Children) == 0 {
		return dst
	}
	dst, at := pb.Open(dst, num)
	for _, c := range t.Children {
		dst = protowire.AppendVarint(dst, uint64(c.ID))
	}
	return pb.Close(dst, at)
}

func appendTypes(dst []byte, num protowire.Number, f *footerFields) []byte {
	t := &typeFields{}
	for _, t.Type = range f.Types {
		dst = typeTable.AppendField(dst, num, t)
	}
	return dst
}

func readType(m *pb.Message, f *footerFields) {
	if err := f.tree.add(m); err != nil {
		m.Err = pb.Inside(err, "type %d", f.tree.n-1)
	}
}

// add reads the next type, the present field of m.
func (r *typeTree) add(m *pb.Message) error {
	t := &r.arena[r.n]
	t.ID = r.n
	r.n++
	names, attributes, err := r.count(m.Bytes())
	if err != nil {
		return err
	}
	if err := r.budget.take(names, unsafe.Sizeof("")); err != nil {
		return err
	}
	if err := r.budget.take(attributes, unsafe.Sizeof(Attribute{})); err != nil {
		return err
	}
	if names > 0 {
		t.Names = make([]string, 0, names)
	}
	if attributes > 0 {
		t.Attributes = make([]Attribute, 0, attributes)
	}
	first := len(r.children)
	r.fields = typeFields{Type: t, tree: r}
	if typeTable.ReadField(m, &r.fields); m.Err != nil {
		return m.Err
	}
	r.ends = append(r.ends, len(r.children))
	return t.check(len(r.children) - first)
}

// count returns how many names and attributes a type has, and that its children are no more than all types can be.
func (r *typeTree) count(b []byte) (names, attributes int, err error) {
	m := pb.New(b)
	children := len(r.children)
	for m.Next() {
		switch m.Num {
		case 2:
			children += m.Varints()
		case 3:
			names++
		case 7:
			attributes++
		}
	}
	if m.Err == nil && children > len(r.arena)-1 {
		m.Fail("%d types have %d children or more", len(r.arena), children)
	}
	return names, attributes, m.Err
}

// check says what is wrong with a type that has so many children.
func (t *Type) check(children int) error {
	if least, most := t.Kind.arity(); children < least || children > most {
		return errs.Errorf(errs.ErrCorrupt, "%s with %d children", t.Kind, children)
	}
	if t.Kind != Struct {
		t.Names = nil
	} else if len(t.Names) != children {
		return errs.Errorf(errs.ErrCorrupt, "%s with %d names for %d children", t.Kind, len(t.Names), children)
	}
	if t.Kind == Decimal {
		if p, s := max(t.Precision, 1), t.Scale; p > 38 || s > 38 || t.Precision > 0 && s > p {
			return errs.Errorf(errs.ErrCorrupt, "decimal(%d,%d)", t.Precision, s)
		}
	}
	return nil
}

// link joins the types that were added, and returns them by id.
func (r *typeTree) link() ([]*Type, error) {
	types := make([]*Type, r.n)
	for i := range r.arena[:r.n] {
		types[i] = &r.arena[i]
	}
	children := make([]*Type, 0, max(r.n-1, 0)) // all of them, one type's after another
	// In pre-order the next type is a child of the innermost type that still wants children.
	type open struct{ t, next, end int } // next and end are places in children
	var stack []open
	first := 0
	for i, t := range types {
		for len(stack) > 0 && stack[len(stack)-1].next == stack[len(stack)-1].end {
			types[stack[len(stack)-1].t].Last = i - 1
			stack = stack[:len(stack)-1]
		}
		if i > 0 {
			if len(stack) == 0 {
				return nil, errs.Errorf(errs.ErrCorrupt, "type %d is no type's child", i)
			}
			p := &stack[len(stack)-1]
			if id := r.children[p.next]; id != uint64(i) {
				return nil, errs.Errorf(errs.ErrCorrupt, "type %d has type %d for a child, not %d: ids are in pre-order", p.t, id, i)
			}
			t.Parent = types[p.t]
			t.Parent.Children = append(t.Parent.Children, t)
			p.next++
			if len(stack) > r.lim.Depth {
				return nil, errs.Errorf(errs.ErrLimit, "types are nested deeper than the limit Depth = %d", r.lim.Depth)
			}
		}
		n := r.ends[i] - first
		at := len(children)
		children = children[: at+n : cap(children)]
		t.Children = children[at : at : at+n]
		stack = append(stack, open{t: i, next: first, end: r.ends[i]})
		first = r.ends[i]
	}
	for _, p := range slices.Backward(stack) {
		if p.next < p.end {
			return nil, errs.Errorf(errs.ErrCorrupt, "type %d has type %d for a child, which is not there", p.t, r.children[p.next])
		}
		types[p.t].Last = r.n - 1
	}
	return types, nil
}

// fitNames renames the fields whose names are not UTF-8.
func (f *Footer) fitNames() {
	for _, t := range f.Types {
		for i, name := range t.Names {
			if t.Names[i] = fieldname.Fit(name); t.Names[i] != name {
				f.BadNames.Add(name, t.Children[i].Path())
			}
		}
	}
}
