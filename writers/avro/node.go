package avro

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/schemadiff"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// node appends the values of one part of the Avro schema.
type node struct {
	kind     trevniwire.AvroKind
	typ      trevniwire.Type
	size     int // of a fixed
	text     bool
	enum     []string
	target   arrow.DataType // what the values are read back as
	path     string
	optional bool // a union of null and this type
	null     int  // the branch of that union, or of a union of more, that is null; -1 = none
	children []*node
	find     arrowdense.Finder

	// Of the batch:
	arr     arrow.Array
	at      []int64 // where the value of each slot stands, -1 = null; nil = at the same place
	places  []int64 // what at is made of
	valid   []byte  // where at is nil, the bitmap of what is not null; nil = all
	off     int     // of the bitmap
	leaf    leaf
	slots   arrowdense.Slots               // of a union
	bounds  func(i int) (start, end int64) // of a list
	offsets []int32                        // of a list, in place of bounds
	indices []int32                        // of an enum in a dictionary, whose scratch is
	scratch []int32                        //
	symbol  []int32                        // the ordinal of each entry of that dictionary, -1 = none
	ordinal map[string]int32               // of symbols
}

func newNode(s *trevniwire.Avro, w *trevniwire.Node, path string, mem memory.Allocator) *node {
	n := &node{path: path, null: -1, target: w.Field.Type}
	if o := s.Optional(); o != nil {
		n.optional = true
		if n.null = 0; !s.Branches[0].IsNull() {
			n.null = 1
		}
		s = o
	}
	n.kind, n.typ, n.size, n.enum = s.Kind, s.Type, s.Size, s.Symbols
	n.text = s.Kind == trevniwire.AvroPrimitive && s.Type == trevniwire.String
	n.find = arrowdense.Finder{Mem: mem, Unions: s.Kind == trevniwire.AvroUnion, Dictionaries: s.Kind == trevniwire.AvroEnum}
	child := func(s *trevniwire.Avro, k int) {
		n.children = append(n.children, newNode(s, w.Children[k], schemadiff.Below(path, w.Children[k].Field.Name), mem))
	}
	switch s.Kind {
	case trevniwire.AvroRecord:
		for i, f := range s.Fields {
			child(f.Type, i)
		}
	case trevniwire.AvroArray:
		child(s.Items, 0)
	case trevniwire.AvroMap:
		child(&trevniwire.Avro{Name: "string", Type: trevniwire.String}, 0)
		child(s.Items, 1)
	case trevniwire.AvroUnion:
		for i, b := range s.Branches {
			if b.IsNull() {
				n.null = i
			}
			child(b, i)
		}
	case trevniwire.AvroEnum:
		n.ordinal = map[string]int32{}
		for i, x := range s.Symbols {
			n.ordinal[x] = int32(i)
		}
	}
	return n
}

// load binds n to the slots of arr.
func (n *node) load(arr arrow.Array) error {
	n.at, n.valid = nil, nil
	if n.kind == trevniwire.AvroPrimitive && n.typ == trevniwire.Null {
		n.arr = arr
		return nil
	}
	if n.elsewhere(arr) {
		n.places = n.places[:0]
		for i := range arr.Len() {
			n.places = append(n.places, int64(i))
		}
		n.at = n.places
		if n.at == nil {
			n.at = []int64{}
		}
		arr, n.at = n.find.Resolve(arr, n.at)
	} else if arr.NullN() > 0 {
		n.valid, n.off = arr.NullBitmapBytes(), arr.Data().Offset()
	}
	n.arr = arr
	switch n.kind {
	case trevniwire.AvroRecord:
		st, ok := arr.(*array.Struct)
		if !ok || st.NumField() != len(n.children) {
			return n.mismatch(arr)
		}
		for i, c := range n.children {
			if err := c.load(st.Field(i)); err != nil {
				return err
			}
		}
		return nil
	case trevniwire.AvroArray, trevniwire.AvroMap:
		return n.loadList(arr)
	case trevniwire.AvroUnion:
		u, ok := arr.(array.Union)
		if !ok || u.NumFields() > len(n.children) {
			return n.mismatch(arr)
		}
		n.slots = arrowdense.SlotsOf(u)
		for i := range u.NumFields() {
			if err := n.children[i].load(u.Field(i)); err != nil {
				return err
			}
		}
		return nil
	case trevniwire.AvroEnum:
		return n.loadEnum(arr)
	}
	return n.loadLeaf(arr)
}

// elsewhere reports whether the values of an array stand in another one.
func (n *node) elsewhere(arr arrow.Array) bool {
	switch a := arr.(type) {
	case array.ExtensionArray, *array.RunEndEncoded, *array.Null:
		return true
	case *array.Dictionary:
		_, text := a.Dictionary().(*array.String)
		return n.kind != trevniwire.AvroEnum || !text || a.Dictionary().NullN() > 0
	case array.Union:
		return n.kind != trevniwire.AvroUnion
	}
	return false
}

func (n *node) loadList(arr arrow.Array) error {
	l, ok := arr.(array.ListLike)
	if !ok {
		return n.mismatch(arr)
	}
	n.offsets, n.bounds = nil, l.ValueOffsets
	switch arr.(type) {
	case *array.List, *array.Map:
		if d := arr.Data(); d.Len() > 0 {
			n.offsets = arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())[d.Offset():][:d.Len()+1]
		}
	}
	if n.kind == trevniwire.AvroArray {
		return n.children[0].load(l.ListValues())
	}
	entries, ok := l.ListValues().(*array.Struct)
	if !ok || entries.NumField() != len(n.children) {
		return n.mismatch(arr)
	}
	for i, c := range n.children {
		if err := c.load(entries.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func (n *node) loadEnum(arr arrow.Array) error {
	n.symbol = nil
	d, ok := arr.(*array.Dictionary)
	if !ok {
		if _, ok := arr.(*array.String); !ok && arr.DataType().ID() != arrow.NULL {
			return n.mismatch(arr)
		}
		return nil
	}
	text := d.Dictionary().(*array.String)
	n.symbol = slices.Grow(n.symbol, text.Len()+1)[:0]
	for i := range text.Len() {
		k, ok := n.ordinal[text.Value(i)]
		if !ok {
			k = -1
		}
		n.symbol = append(n.symbol, k)
	}
	n.symbol = append(n.symbol, -1)
	n.indices = arrowdense.Indices(&n.scratch, d)
	return nil
}

func (n *node) mismatch(arr arrow.Array) error {
	return errs.Locate(errs.Errorf(errs.ErrInternal, "a batch of %s where %s was planned", arr.DataType(), n.target), errs.At{Format: Name, Column: n.path})
}

// refuse says that a value of n cannot be written.
func (n *node) refuse(format string, args ...any) error {
	return errs.Locate(errs.Errorf(errs.ErrSchema, format, args...), errs.At{Column: n.path})
}

var errNoNull = errors.New("a null, for which its type has no place")

// append appends the value of slot i.
func (n *node) append(b []byte, i int) ([]byte, error) {
	if n.at != nil {
		if i = int(n.at[i]); i < 0 {
			return n.appendNull(b)
		}
	} else if n.valid != nil && n.valid[(n.off+i)>>3]>>((n.off+i)&7)&1 == 0 {
		return n.appendNull(b)
	}
	if n.optional {
		b = append(b, byte(1-n.null)<<1)
	}
	switch n.kind {
	case trevniwire.AvroPrimitive:
		if n.typ == trevniwire.Null {
			return b, nil
		}
	case trevniwire.AvroRecord:
		for _, c := range n.children {
			var err error
			if b, err = c.append(b, i); err != nil {
				return nil, err
			}
		}
		return b, nil
	case trevniwire.AvroArray, trevniwire.AvroMap:
		return n.appendList(b, i)
	case trevniwire.AvroUnion:
		k, place := n.slots.At(i)
		c := n.children[k]
		if k != n.null && c.missing(int(place)) {
			return n.appendNull(b)
		}
		return c.append(appendLong(b, int64(k)), int(place))
	case trevniwire.AvroEnum:
		if n.symbol != nil {
			at := n.indices[i]
			if k := n.symbol[at]; k >= 0 {
				return appendLong(b, int64(k)), nil
			}
			return nil, n.refuse("%q is no symbol of its enum", n.arr.(*array.Dictionary).Dictionary().(*array.String).Value(int(at)))
		}
		v := n.arr.(*array.String).Value(i)
		k, ok := n.ordinal[v]
		if !ok {
			return nil, n.refuse("%q is no symbol of its enum", v)
		}
		return appendLong(b, int64(k)), nil
	}
	return n.leaf.append(b, i, n)
}

// missing reports whether the value at a slot is null.
func (n *node) missing(i int) bool {
	if n.at != nil {
		return n.at[i] < 0
	}
	return n.valid != nil && n.valid[(n.off+i)>>3]>>((n.off+i)&7)&1 == 0
}

func (n *node) appendNull(b []byte) ([]byte, error) {
	switch {
	case n.kind == trevniwire.AvroPrimitive && n.typ == trevniwire.Null:
		return b, nil
	case n.null < 0:
		return nil, n.refuse("%w", errNoNull)
	}
	return appendLong(b, int64(n.null)), nil
}

func (n *node) appendList(b []byte, i int) ([]byte, error) {
	var start, end int64
	if n.offsets != nil {
		start, end = int64(n.offsets[i]), int64(n.offsets[i+1])
	} else {
		start, end = n.bounds(i)
	}
	if end > start {
		b = appendLong(b, end-start)
		for j := start; j < end; j++ {
			for _, c := range n.children { // of a map two: key and value
				var err error
				if b, err = c.append(b, int(j)); err != nil {
					return nil, err
				}
			}
			if len(b) > math.MaxInt32 {
				return nil, fmt.Errorf("a row has more than %d bytes", math.MaxInt32)
			}
		}
	}
	return append(b, 0), nil
}

// appendLong appends a zig-zag varint.
func appendLong(b []byte, v int64) []byte {
	u := uint64(v<<1) ^ uint64(v>>63)
	for u >= 0x80 {
		b = append(b, byte(u)|0x80)
		u >>= 7
	}
	return append(b, byte(u))
}
