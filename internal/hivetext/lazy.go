package hivetext

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// Lazy is how LazySimpleSerDe reads. Its JSON is part of a fragment's.
type Lazy struct {
	Separators []byte `json:"separators"`        // of fields, of their items, of keys and values or of what is in items, and so on
	Escape     int    `json:"escape,omitempty"`  // the byte behind which another one is itself; 0 = there is none, or Escaped
	Escaped    bool   `json:"escaped,omitempty"` // Escape counts
	Null       string `json:"null"`
	TakesRest  bool   `json:"rest,omitempty"`  // the last field has separators of its own level in it
	Wrong      bool   `json:"wrong,omitempty"` // values that do not fit become what Hive shows, null or another value
}

// Columns reads the types of columns, in ORC's notation.
func Columns(notation string) (*orcwire.Type, error) {
	t, err := orcwire.ParseType(notation)
	if err == nil && t.Kind != orcwire.Struct {
		err = errs.Errorf(errs.ErrOption, "columns are a struct, not %s", t.Kind)
	}
	return t, err
}

// Column appends texts to the builder of a column.
type Column struct {
	how     *Lazy
	root    *node
	scratch []byte
}

// node is a type in a column.
type node struct {
	typ      *orcwire.Type
	arrow    arrow.DataType
	builder  array.Builder
	leaf     leaf
	children []*node
	between  byte // items
	inside   byte // between a key and its value
	keys     map[string]bool
}

// Column returns what appends texts of a type to a builder of what the type is in Arrow.
func (l *Lazy) Column(t *orcwire.Type, b array.Builder) (*Column, error) {
	root, err := l.node(t, b, 1)
	if err != nil {
		return nil, err
	}
	return &Column{how: l, root: root}, nil
}

func (l *Lazy) node(t *orcwire.Type, b array.Builder, level int) (*node, error) {
	n := &node{typ: t, arrow: b.Type(), builder: b}
	var builders []array.Builder
	levels := 1
	switch b := b.(type) {
	case *array.ListBuilder:
		builders = []array.Builder{b.ValueBuilder()}
	case *array.MapBuilder:
		builders, levels = []array.Builder{b.KeyBuilder(), b.ItemBuilder()}, 2
		n.keys = map[string]bool{}
	case *array.StructBuilder:
		for i := range b.NumField() {
			builders = append(builders, b.FieldBuilder(i))
		}
	default:
		if !t.Kind.Compound() {
			n.leaf = leafOf(t, b)
		}
		if n.leaf == nil {
			return nil, errs.Errorf(errs.ErrUnsupported, "values of type %s cannot be read from text", t)
		}
		return n, nil
	}
	if len(builders) != len(t.Children) {
		return nil, errs.Errorf(errs.ErrInternal, "%s is shown as %s", t, b.Type())
	}
	if level+levels > len(l.Separators) {
		return nil, errs.Errorf(errs.ErrUnsupported, "values of type %s cannot be read from text: there are separators for %d levels alone; hive.serialization.extend.nesting.levels among the properties of the SerDe gives more", t, len(l.Separators))
	}
	if n.keys != nil && t.Children[0].Kind.Compound() {
		return nil, errs.Errorf(errs.ErrUnsupported, "maps with keys of type %s cannot be read from text", t.Children[0])
	}
	n.between, n.inside = l.Separators[level], l.Separators[level+levels-1]
	for i, child := range builders {
		c, err := l.node(t.Children[i], child, level+levels)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, c)
	}
	return n, nil
}

// Cut returns the text up to a separator, and what follows it; more reports whether there is a separator.
func (l *Lazy) Cut(text []byte, by byte) (part, rest []byte, more bool) {
	if !l.Escaped {
		return bytes.Cut(text, []byte{by})
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == by:
			return text[:i], text[i+1:], true
		case int(c) == l.Escape && i+1 < len(text):
			i++
		}
	}
	return text, nil, false
}

// Append appends the value of a text.
func (c *Column) Append(text []byte) error { return c.append(c.root, text) }

// Null appends null.
func (c *Column) Null() { c.root.builder.AppendNull() }

func (c *Column) append(n *node, text []byte) error {
	if string(text) == c.how.Null {
		n.builder.AppendNull()
		return nil
	}
	switch b := n.builder.(type) {
	case *array.ListBuilder:
		b.Append(true)
		for more := len(text) > 0; more; {
			var part []byte
			part, text, more = c.how.Cut(text, n.between)
			if err := c.append(n.children[0], part); err != nil {
				return err
			}
		}
		return nil
	case *array.StructBuilder:
		b.Append(true)
		more := true
		for i, child := range n.children {
			if !more {
				child.builder.AppendNull()
				continue
			}
			part := text
			if i < len(n.children)-1 || !c.how.TakesRest {
				part, text, more = c.how.Cut(text, n.between)
			}
			if err := c.append(child, part); err != nil {
				return err
			}
		}
		return nil
	case *array.MapBuilder:
		b.Append(true)
		clear(n.keys)
		for more := len(text) > 0; more; {
			var part []byte
			part, text, more = c.how.Cut(text, n.between)
			if err := c.entry(n, part); err != nil {
				return err
			}
		}
		return nil
	}
	return c.leaf(n, text)
}

// entry appends a key and a value. As in Hive, entries without a key are passed over, and all but the first of a key.
func (c *Column) entry(n *node, text []byte) error {
	key, value, valued := c.how.Cut(text, n.inside)
	k := n.children[0]
	if string(key) == c.how.Null || len(key) == 0 && !isText(k.typ.Kind) {
		return nil
	}
	name := keyName(k.typ.Kind, c.plain(k, key))
	if n.keys[name] {
		return nil
	}
	before := k.builder.Len()
	if err := c.leaf(k, key); err != nil {
		return err
	}
	if k.builder.IsNull(before) {
		return errs.Errorf(errs.ErrUnsupported, "%.40q is a key that Hive takes for null; such entries cannot be left out", key)
	}
	n.keys[name] = true
	if !valued {
		n.children[1].builder.AppendNull()
		return nil
	}
	return c.append(n.children[1], value)
}

// keyName returns what is the same for keys that are the same.
func keyName(kind orcwire.Kind, text []byte) string {
	if kind <= orcwire.Long && kind != orcwire.Boolean {
		if n, found := integer[int64](64)(text); found != null {
			return strconv.FormatInt(n, 10)
		}
	}
	if kind == orcwire.Boolean {
		return strings.ToLower(string(text))
	}
	return string(text)
}

func isText(k orcwire.Kind) bool {
	return k == orcwire.String || k == orcwire.Varchar || k == orcwire.Char || k == orcwire.Binary
}

// plain returns a text without escapes; only texts of characters have some.
func (c *Column) plain(n *node, text []byte) []byte {
	if !c.how.Escaped || !isText(n.typ.Kind) || n.typ.Kind == orcwire.Binary || bytes.IndexByte(text, byte(c.how.Escape)) < 0 {
		return text
	}
	c.scratch = c.scratch[:0]
	for i := 0; i < len(text); i++ {
		b := text[i]
		if int(b) == c.how.Escape && i+1 < len(text) {
			i++
			switch b = text[i]; b {
			case 'r':
				b = '\r'
			case 'n':
				b = '\n'
			}
		}
		c.scratch = append(c.scratch, b)
	}
	return c.scratch
}

func (c *Column) leaf(n *node, text []byte) error {
	kind := n.typ.Kind
	if len(text) == 0 && !isText(kind) {
		n.builder.AppendNull()
		return nil
	}
	v := c.plain(n, text)
	if isText(kind) && kind != orcwire.Binary && !utf8.Valid(v) {
		return errs.Errorf(errs.ErrCorrupt, "%.40q is not UTF-8", v)
	}
	switch found := n.leaf(v, c.how.Wrong); {
	case found == exact, found == other && c.how.Wrong:
		return nil
	case found == null && c.how.Wrong:
		n.builder.AppendNull()
		return nil
	default:
		return misfit(n.typ, n.arrow, v, found)
	}
}
