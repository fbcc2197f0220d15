package expr

import (
	"fmt"
	"math"
	"strings"

	"github.com/apache/arrow/go/v15/arrow/scalar"
)

// element reads [key] at pos and tells its length.
func (l *lexer) element(pos int) (key scalar.Scalar, n int, err error) {
	p := parser{lexer: lexer{text: l.text, pos: pos + 1, inside: true}}
	if err := p.advance(); err != nil {
		return nil, 0, err
	}
	first := p.tok
	if key, err = p.value("a position or a key after '['"); err != nil {
		return nil, 0, err
	}
	if key == scalar.ScalarNull {
		return nil, 0, p.fail(first.pos, "NULL cannot be a position or a key")
	}
	if !p.tok.is(tokPunct, "]") {
		return nil, 0, p.expected("']'")
	}
	return key, p.tok.pos + 1 - pos, nil
}

func writeElement(b *strings.Builder, key scalar.Scalar) {
	b.WriteByte('[')
	writeLiteral(b, key)
	b.WriteByte(']')
}

// step leads from a value to what is inside: to an element of a list or the value of a key of a map, or, below one of
// those, to a field of a struct.
type step struct {
	key   scalar.Scalar // nil = it is a field
	field segment
	text  string // of a field, as it is written
}

// splitElements cuts a path behind the column that it begins with.
func splitElements(path string) (base string, steps []step, err error) {
	if strings.IndexByte(path, '[') < 0 {
		return path, nil, nil
	}
	l := lexer{text: path}
	if path[0] != '"' && path[0] != '`' && wordLen(path, true) == 0 {
		return path, nil, nil
	}
	if _, err := l.path(0); err != nil || l.pos < len(path) {
		return path, nil, nil //nolint:nilerr // a program's path: a name that expressions have in quotes
	}
	at := 0 // of the last step
	for i := 0; i < len(path); {
		switch c := path[i]; {
		case c == '"' || c == '`':
			_, n, _ := unquote(path[i:])
			i += n
		case c == '[' && !strings.HasPrefix(path[i:], "[]"):
			if base == "" {
				base = path[:i]
			} else if steps, err = appendFields(steps, path[at:i]); err != nil {
				return "", nil, err
			}
			key, n, err := l.element(i)
			if err != nil {
				return "", nil, err
			}
			steps = append(steps, step{key: key})
			i += n
			at = i
		default:
			i++
		}
	}
	if base == "" {
		return path, nil, nil
	}
	steps, err = appendFields(steps, path[at:])
	return base, steps, err
}

// appendFields adds the names of path, each behind a dot.
func appendFields(steps []step, path string) ([]step, error) {
	if path == "" {
		return steps, nil
	}
	path = path[1:]
	names, err := splitPath(path)
	for _, s := range names {
		steps = append(steps, step{field: s, text: path[s.start:s.end]})
	}
	return steps, err
}

// Base returns the path of the column in which a path to an element begins: tags for tags[0].x. For other paths it returns the
// path itself, and element is false.
func Base(path string) (base string, element bool) {
	base, steps, err := splitElements(path)
	return base, err == nil && len(steps) > 0
}

// position is the place in a list that a key is.
func position(key scalar.Scalar) (int, error) {
	v, ok := key.(*scalar.Int64)
	switch {
	case !ok:
		return 0, fmt.Errorf("a position in a list is a number, counted from 0")
	case v.Value < 0:
		return 0, fmt.Errorf("position %d: positions in a list are counted from 0, from its start", v.Value)
	case v.Value > math.MaxInt32:
		return math.MaxInt32, nil // beyond all elements
	}
	return int(v.Value), nil
}
