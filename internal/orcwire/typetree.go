package orcwire

import (
	"slices"
	"unsafe"

	"github.com/arrowio/arrowio/arrowio/errs"
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
	arena  []Type
	n      int      // types seen
	kids   []uint64 // ids of all types' children, one type's after another
	ends   []int    // by type: where its children end in kids
	lim    errs.Limits
	budget *metaBudget
}

func newTypeTree(types int, lim errs.Limits, budget *metaBudget) *typeTree {
	return &typeTree{
		arena: make([]Type, types), kids: make([]uint64, 0, types-1), ends: make([]int, 0, types),
		lim: lim, budget: budget,
	}
}

// add reads the next type.
func (r *typeTree) add(b []byte) error {
	t := &r.arena[r.n]
	t.ID = r.n
	r.n++
	names, attributes, err := r.count(b)
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
	first := len(r.kids)
	hasKind := false
	m := pb.New(b)
	for m.Next() {
		switch m.Num {
		case 1:
			v := m.Uint64()
			if m.Err == nil && v >= uint64(len(kindNames)) {
				return errs.Errorf(errs.ErrUnsupported, "type kind %d is not known", v)
			}
			t.Kind, hasKind = Kind(v), true
		case 2:
			r.kids = m.AppendVarints(r.kids)
		case 3:
			t.Names = append(t.Names, m.String())
		case 4:
			t.MaxLength = m.Uint32()
		case 5:
			t.Precision = m.Uint32()
		case 6:
			t.Scale = m.Uint32()
		case 7:
			a, err := parseAttribute(m.Message())
			if err != nil {
				return err
			}
			t.Attributes = append(t.Attributes, a)
		case 8:
			t.CRS = m.String()
		case 9:
			v := m.Uint64()
			if m.Err == nil && v >= uint64(len(edgeNames)) {
				return errs.Errorf(errs.ErrUnsupported, "edge algorithm %d is not known", v)
			}
			t.EdgeAlgorithm = uint8(v)
		}
	}
	if m.Err != nil {
		return m.Err
	}
	if !hasKind {
		return errs.Errorf(errs.ErrCorrupt, "no kind")
	}
	r.ends = append(r.ends, len(r.kids))
	return t.check(len(r.kids) - first)
}

// count returns how many names and attributes a type has, and that its children are no more than all types can be.
func (r *typeTree) count(b []byte) (names, attributes int, err error) {
	m := pb.New(b)
	kids := len(r.kids)
	for m.Next() {
		switch m.Num {
		case 2:
			kids += m.Varints()
		case 3:
			names++
		case 7:
			attributes++
		}
	}
	if m.Err == nil && kids > len(r.arena)-1 {
		m.Fail("%d types have %d children or more", len(r.arena), kids)
	}
	return names, attributes, m.Err
}

// check says what is wrong with a type that has so many children.
func (t *Type) check(kids int) error {
	if least, most := t.Kind.arity(); kids < least || kids > most {
		return errs.Errorf(errs.ErrCorrupt, "%s with %d children", t.Kind, kids)
	}
	if t.Kind != Struct {
		t.Names = nil
	} else if len(t.Names) != kids {
		return errs.Errorf(errs.ErrCorrupt, "%s with %d names for %d children", t.Kind, len(t.Names), kids)
	}
	if t.Kind == Decimal {
		if p, s := max(t.Precision, 1), t.Scale; p > 38 || s > 38 || t.Precision > 0 && s > p {
			return errs.Errorf(errs.ErrCorrupt, "decimal(%d,%d)", t.Precision, s)
		}
	}
	return nil
}

func parseAttribute(m pb.Message) (Attribute, error) {
	var a Attribute
	for m.Next() {
		switch m.Num {
		case 1:
			a.Key = m.String()
		case 2:
			a.Value = m.String()
		}
	}
	return a, m.Err
}

// link joins the types that were added, and returns them by id.
func (r *typeTree) link() ([]*Type, error) {
	types := make([]*Type, r.n)
	for i := range r.arena[:r.n] {
		types[i] = &r.arena[i]
	}
	children := make([]*Type, 0, max(r.n-1, 0)) // all of them, one type's after another
	// In pre-order the next type is a child of the innermost type that still wants children.
	type open struct{ t, next, end int } // next and end are places in kids
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
			if id := r.kids[p.next]; id != uint64(i) {
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
			return nil, errs.Errorf(errs.ErrCorrupt, "type %d has type %d for a child, which is not there", p.t, r.kids[p.next])
		}
		types[p.t].Last = r.n - 1
	}
	return types, nil
}
