package jsonl

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/floattext"
	"github.com/arrowio/arrowio/internal/jsontext"
	"github.com/arrowio/arrowio/internal/recordsplit"
	"github.com/arrowio/arrowio/internal/textvalues"
)

// rows parses rows.
type rows struct {
	f     *file
	lines *lines
	lex   jsontext.Lexer
	root  []child // all columns; those that are not read have no node
	index map[string]int
	seen  int64
}

// node appends values of one place to a builder.
type node struct {
	typ     arrow.DataType
	builder array.Builder
	add     textvalues.Appender // reads any value by its text, as text or as a schema says; nil = by the type of the builder
	elem    *node
	key     *node // of a map, whose values are elem; with the members "key" and "value"
	partial bool  // members that the type does not have are passed over
	members []child
	index   map[string]int
	seen    int64
}

type child struct {
	name string
	node *node
	seen int64 // object in which it came last
}

// misfit is a value or member that the sample did not show.
type misfit struct{ error }

func (m misfit) Unwrap() error { return m.error }

// newRows returns what parses rows of the columns that p asks for, and the columns' builders.
func newRows(f *file, p arrowio.Projection, mem memory.Allocator) (r *rows, builders []array.Builder) {
	r = &rows{f: f, lines: f.lines(), root: make([]child, f.Fields.NumFields()), index: map[string]int{}}
	mem = arrowbuf.Clean(mem)
	for i, fl := range f.Fields.Fields() {
		r.root[i].name = fl.Name
		r.index[fl.Name] = i
	}
	for _, i := range p.Columns() {
		t := f.Fields.Field(i).Type
		r.root[i].node = newNode(t, array.NewBuilder(mem, t), f.asText[i] || f.told != nil && f.told[i])
		builders = append(builders, r.root[i].node.builder)
	}
	return r, builders
}

// newNode returns the node of a type, whose flat values are read by their text or not.
func newNode(t arrow.DataType, b array.Builder, byText bool) *node {
	n := &node{typ: t, builder: b}
	switch b := b.(type) {
	case *array.ListBuilder:
		n.elem = newNode(t.(*arrow.ListType).Elem(), b.ValueBuilder(), byText)
	case *array.StructBuilder:
		n.index = map[string]int{}
		for i, f := range t.(*arrow.StructType).Fields() {
			n.members = append(n.members, child{name: f.Name, node: newNode(f.Type, b.FieldBuilder(i), byText)})
			n.index[f.Name] = i
		}
	case *array.MapBuilder:
		m := t.(*arrow.MapType)
		n.key, n.elem = newNode(m.KeyType(), b.KeyBuilder(), byText), newNode(m.ItemType(), b.ItemBuilder(), byText)
		n.members = []child{{name: "key", node: n.key}, {name: "value", node: n.elem}}
		n.index = map[string]int{"key": 0, "value": 1}
		n.elem.passOver()
	default:
		if appender := textvalues.For(t); byText && appender != nil {
			n.add = appender(b)
		}
	}
	return n
}

// passOver has objects keep only the members of their types.
func (n *node) passOver() {
	n.partial = true
	if n.elem != nil && n.key == nil {
		n.elem.passOver()
	}
	for _, m := range n.members {
		m.node.passOver()
	}
}

// parse appends the rows of one batch to the builders.
func (r *rows) parse() (n int64, err error) {
	for size := 0; n < recordsplit.BatchRows && size < recordsplit.BatchBytes; n++ {
		line, err := r.lines.next()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		size += len(line)
		r.lex.Line, r.lex.Pos = line, 0
		if err := r.line(); err != nil {
			return 0, r.lines.fault(errs.ErrCorrupt, err)
		}
	}
	return n, nil
}

func (r *rows) line() error {
	if err := r.lex.Begin(); err != nil {
		return err
	}
	r.seen++
	if err := r.object(r.root, r.index, r.seen, 0, nil); err != nil {
		return err
	}
	return r.lex.End()
}

// object appends the members of an object whose brace was read, and a null to those that it leaves out.
// n is the node of the object; nil = it is a row.
func (r *rows) object(members []child, index map[string]int, seen int64, depth int, n *node) error {
	guess := 0 // members tend to come in the order of the first object
	err := r.lex.Members(func(name []byte) error {
		i := guess
		if i >= len(members) || string(name) != members[i].name {
			var ok bool
			switch i, ok = index[string(name)]; {
			case ok:
			case n != nil && n.key != nil:
				return misfit{fmt.Errorf("an entry of a map has %q, and not only key and value", name)}
			case n != nil && n.partial:
				return r.lex.Skip(r.f.limits.Depth - depth)
			default:
				return misfit{fmt.Errorf("%q was not among the members of the first %d rows; read all of them for types with %w", name, r.f.sampled, errs.Opt("jsonl-sample", "all"))}
			}
		}
		guess = i + 1
		m := &members[i]
		if m.seen == seen {
			return twice(m.name)
		}
		m.seen = seen
		var err error
		if m.node == nil {
			err = r.lex.Skip(r.f.limits.Depth - depth)
		} else {
			err = r.value(m.node, depth+1)
		}
		if err != nil {
			return inside(m.name, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range members {
		if m := &members[i]; m.seen != seen && m.node != nil {
			m.node.builder.AppendNull()
		}
	}
	return nil
}

// text appends a value by its text: of a string what it says, null as null, of everything else what stands there.
func (r *rows) text(n *node, depth int) error {
	r.lex.Space()
	start := r.lex.Pos
	if start < len(r.lex.Line) && r.lex.Line[start] == '"' {
		s, err := r.lex.Text()
		if err != nil {
			return err
		}
		return n.addText(s)
	}
	if err := r.lex.Skip(r.f.limits.Depth - depth); err != nil {
		return err
	}
	if s := r.lex.Line[start:r.lex.Pos]; string(s) != "null" {
		return n.addText(s)
	}
	n.builder.AppendNull()
	return nil
}

// addText appends the value that a text stands for.
func (n *node) addText(text []byte) error {
	if !n.add(text) {
		return misfit{textvalues.Misfit(n.typ, text)}
	}
	return nil
}

// value appends the next value.
func (r *rows) value(n *node, depth int) error {
	if n.add != nil {
		return r.text(n, depth)
	}
	t, err := r.lex.Next()
	if err != nil {
		return err
	}
	if depth > r.f.limits.Depth {
		return jsontext.ErrDepth
	}
	if t == jsontext.Null {
		n.builder.AppendNull()
		return nil
	}
	switch b := n.builder.(type) {
	case *array.BooleanBuilder:
		if t == jsontext.True || t == jsontext.False {
			b.Append(t == jsontext.True)
			return nil
		}
	case *array.StringBuilder:
		if t == jsontext.String {
			s, err := r.lex.Text()
			if err == nil {
				b.BinaryBuilder.Append(s)
			}
			return err
		}
	case *array.ListBuilder:
		if t == jsontext.Array {
			b.Append(true)
			return r.lex.Elements(func() error {
				if err := r.value(n.elem, depth+1); err != nil {
					return inside("item", err)
				}
				return nil
			})
		}
	case *array.StructBuilder:
		if t == jsontext.Object {
			b.Append(true)
			n.seen++
			return r.object(n.members, n.index, n.seen, depth, n)
		}
	case *array.MapBuilder:
		switch t {
		case jsontext.Object:
			b.Append(true)
			return r.lex.Members(func(name []byte) error { return r.entry(n, name, depth) })
		case jsontext.Array:
			b.Append(true)
			return r.lex.Elements(func() error { return r.pair(n, depth) })
		}
	default:
		if t == jsontext.Number {
			return r.number(n)
		}
		if f, ok := b.(*array.Float64Builder); ok && t == jsontext.String {
			s, err := r.lex.Text()
			if err != nil {
				return err
			}
			if v, ok := jsontext.NotNumbers[string(s)]; ok {
				f.Append(v)
				return nil
			}
		}
	}
	return r.misfit(n, classNames[classOf(t)])
}

// entry appends a member of an object to a map.
func (r *rows) entry(n *node, name []byte, depth int) error {
	key := string(name) // reading the value ends the name
	if err := n.key.addText(name); err != nil {
		return inside("key", err)
	}
	if err := r.value(n.elem, depth+1); err != nil {
		return inside(key, err)
	}
	return nil
}

// pair appends an object with the members key and value to a map, as maps are written.
func (r *rows) pair(n *node, depth int) error {
	t, err := r.lex.Next()
	if err != nil {
		return err
	}
	if t != jsontext.Object {
		return r.misfit(n, classNames[classOf(t)]+" in an array")
	}
	n.seen++
	keys := n.key.builder
	had, nulls := keys.Len(), keys.NullN()
	err = r.object(n.members, n.index, n.seen, depth+1, n)
	if err == nil && (n.members[0].seen != n.seen || keys.NullN() > nulls || keys.Len() != had+1) {
		return misfit{errors.New("a key of a map is null or absent")}
	}
	return err
}

func classOf(t jsontext.Token) class {
	return [...]class{classNull, classBool, classBool, classNumber, classString, classArray, classObject}[t]
}

func (r *rows) misfit(n *node, what string) error {
	if r.f.told != nil {
		return misfit{fmt.Errorf("%s is not %s, the type that the schema says", what, n.typ)}
	}
	if r.f.asked {
		return misfit{fmt.Errorf("%s is not %s, as which it is read in all files; %w reads columns as text", what, n.typ, errs.Opt("jsonl-types", "text"))}
	}
	return misfit{fmt.Errorf("%s is not %s, as inferred from the first %d rows; read all of them for that with %w, or columns as text with %w", what, n.typ, r.f.sampled, errs.Opt("jsonl-sample", "all"), errs.Opt("jsonl-types", "text"))}
}

// number appends a number that n's type holds exactly, as far as its kind of number can be exact.
func (r *rows) number(n *node) error {
	text, integer, err := r.lex.Number()
	if err != nil {
		return err
	}
	switch b := n.builder.(type) {
	case *array.Int64Builder:
		if v, err := strconv.ParseInt(string(text), 10, 64); err == nil && integer && string(text) != "-0" {
			b.Append(v)
			return nil
		}
	case *array.Uint64Builder:
		if v, err := strconv.ParseUint(string(text), 10, 64); err == nil && integer {
			b.Append(v)
			return nil
		}
	case *array.Float64Builder:
		if integer {
			if v, ok := exactFloat(text); ok {
				b.Append(v)
				return nil
			}
			return misfit{fmt.Errorf("%s is not exact as float64, and other values have fractions; %w reads columns as text", shown(text), errs.Opt("jsonl-types", "text"))}
		}
		if v, kept := floattext.Parse(text); kept {
			b.Append(v)
			return nil
		}
		return misfit{fmt.Errorf("%s %s; %w reads columns as text", shown(text), whyNotFloat(string(text)), errs.Opt("jsonl-types", "text"))}
	}
	return r.misfit(n, shown(text))
}
