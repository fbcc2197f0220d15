package hivetext

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/jsontext"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// JSON appends lines of JSON to the builders of columns, as Hive's JsonSerDe does: members are found by name without regard to case, those
// that are missing are null, and those that no column is for are passed over. What Hive's versions read in different ways is an error.
type JSON struct {
	lex   jsontext.Lexer
	depth int
	root  *member
}

// member is a column, a field of a struct, an item of a list or a map.
type member struct {
	name     string
	typ      *orcwire.Type
	builder  array.Builder // nil = the column is not read
	leaf     leaf
	children []*member
	index    map[string]int // of the children of a struct, by their names in small letters
	seen     int64          // the object of its parent in which it was seen last
	objects  int64          // that have been read of it
	keys     map[string]bool
}

// NewJSON returns what reads lines of columns; the builders of those that are not read are nil.
func NewJSON(columns *orcwire.Type, builders []array.Builder, depth int) (*JSON, error) {
	j := &JSON{depth: depth, root: &member{typ: columns, index: map[string]int{}}}
	for i, t := range columns.Children {
		m := &member{}
		if builders[i] != nil {
			var err error
			if m, err = newMember(t, builders[i]); err != nil {
				return nil, errs.Locate(err, errs.At{Column: columns.Names[i]})
			}
		}
		j.root.add(columns.Names[i], i, m)
	}
	return j, nil
}

func (m *member) add(name string, i int, child *member) {
	child.name = name
	m.children = append(m.children, child)
	m.index[strings.ToLower(name)] = i
}

func newMember(t *orcwire.Type, b array.Builder) (*member, error) {
	m := &member{typ: t, builder: b, index: map[string]int{}}
	children := func(builders ...array.Builder) (*member, error) {
		for i, b := range builders {
			child, err := newMember(t.Children[i], b)
			if err != nil {
				return nil, err
			}
			name := ""
			if t.Names != nil {
				name = t.Names[i]
			}
			m.add(name, i, child)
		}
		return m, nil
	}
	switch b := b.(type) {
	case *array.ListBuilder:
		return children(b.ValueBuilder())
	case *array.MapBuilder:
		m.keys = map[string]bool{}
		if t.Children[0].Kind.Compound() {
			return nil, errs.Errorf(errs.ErrUnsupported, "maps with keys of type %s cannot be read from JSON", t.Children[0])
		}
		return children(b.KeyBuilder(), b.ItemBuilder())
	case *array.StructBuilder:
		fields := make([]array.Builder, b.NumField())
		for i := range fields {
			fields[i] = b.FieldBuilder(i)
		}
		return children(fields...)
	}
	if t.Kind == orcwire.Binary {
		return nil, errs.Errorf(errs.ErrUnsupported, "binary values in JSON cannot be read: Hive 3 takes the text itself, and Hive 4 base64")
	}
	if !t.Kind.Compound() {
		m.leaf = leafOf(t, b)
	}
	if m.leaf == nil {
		return nil, errs.Errorf(errs.ErrUnsupported, "values of type %s cannot be read from JSON", t)
	}
	return m, nil
}

// Append appends a row.
func (j *JSON) Append(line []byte) error {
	j.lex.Line, j.lex.Pos = line, 0
	if err := j.lex.Begin(); err != nil {
		return corrupt(err)
	}
	if err := j.object(j.root, j.depth); err != nil {
		return err
	}
	return corrupt(j.lex.End())
}

// corrupt returns an error of the lexer as one of the file.
func corrupt(err error) error {
	var known *errs.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return errs.Errorf(errs.ErrCorrupt, "%w", err)
}

var internalName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^_col(\d{1,6})$`) })

// find returns the number of the field of a struct that a name is for; -1 = there is none.
func (m *member) find(name []byte) int {
	if i, ok := m.index[string(name)]; ok {
		return i
	}
	lower := strings.ToLower(string(name))
	if i, ok := m.index[lower]; ok {
		return i
	}
	if x := internalName().FindStringSubmatch(lower); x != nil { // how Hive itself writes columns without names
		if i, err := strconv.Atoi(x[1]); err == nil && i < len(m.children) {
			return i
		}
	}
	return -1
}

// object reads the members of an object whose brace was read.
func (j *JSON) object(m *member, depth int) error {
	if depth <= 0 {
		return errs.Errorf(errs.ErrLimit, "%w", jsontext.ErrDepth)
	}
	m.objects++
	err := j.lex.Members(func(name []byte) error {
		i := m.find(name)
		if i < 0 {
			return corrupt(j.lex.Skip(depth - 1))
		}
		child := m.children[i]
		if child.seen == m.objects {
			return errs.Errorf(errs.ErrUnsupported, "the member %.80q comes twice, and Hive would show the last one", name)
		}
		child.seen = m.objects
		if child.builder == nil {
			return corrupt(j.lex.Skip(depth - 1))
		}
		err := j.value(child, depth-1)
		if m == j.root {
			err = errs.Locate(err, errs.At{Column: child.name})
		}
		return err
	})
	if err != nil {
		return corrupt(err)
	}
	for _, child := range m.children {
		if child.seen != m.objects && child.builder != nil {
			child.builder.AppendNull()
		}
	}
	return nil
}

// value appends the value that comes next.
func (j *JSON) value(m *member, depth int) error {
	t, err := j.lex.Next()
	if err != nil {
		return corrupt(err)
	}
	if t == jsontext.Null {
		m.builder.AppendNull()
		return nil
	}
	unlike := func() error {
		what := [...]string{jsontext.False: "a boolean", jsontext.True: "a boolean", jsontext.Number: "a number", jsontext.String: "a text", jsontext.Array: "an array", jsontext.Object: "an object"}[t]
		return errs.Errorf(errs.ErrSchema, "the value is %s, and the column is %s", what, m.typ)
	}
	switch b := m.builder.(type) {
	case *array.ListBuilder:
		if t != jsontext.Array {
			return unlike()
		}
		if depth <= 0 {
			return errs.Errorf(errs.ErrLimit, "%w", jsontext.ErrDepth)
		}
		b.Append(true)
		return corrupt(j.lex.Elements(func() error { return j.value(m.children[0], depth-1) }))
	case *array.StructBuilder:
		if t != jsontext.Object {
			return unlike()
		}
		b.Append(true)
		return j.object(m, depth)
	case *array.MapBuilder:
		if t != jsontext.Object {
			return unlike()
		}
		if depth <= 0 {
			return errs.Errorf(errs.ErrLimit, "%w", jsontext.ErrDepth)
		}
		b.Append(true)
		clear(m.keys)
		return corrupt(j.lex.Members(func(name []byte) error {
			if m.keys[string(name)] {
				return errs.Errorf(errs.ErrUnsupported, "the key %.80q comes twice, and Hive would show the last one", name)
			}
			m.keys[string(name)] = true
			if err := m.children[0].text(name); err != nil {
				return err
			}
			return j.value(m.children[1], depth-1)
		}))
	}
	var text []byte
	switch t {
	case jsontext.True:
		text = []byte("true")
	case jsontext.False:
		text = []byte("false")
	case jsontext.Number:
		text, _, err = j.lex.Number()
	case jsontext.String:
		text, err = j.lex.Text()
	default:
		return unlike()
	}
	if err != nil {
		return corrupt(err)
	}
	return m.text(text)
}

// text appends a value by its text.
func (m *member) text(v []byte) error {
	switch m.leaf(v, false) {
	case exact:
		return nil
	case far:
		return misfit(m.typ, m.builder.Type(), v, far)
	}
	return errs.Errorf(errs.ErrSchema, "%.40q is not %s", v, m.typ)
}
