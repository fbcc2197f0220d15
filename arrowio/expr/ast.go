package expr

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow/scalar"
)

// Expr is a predicate: one of the types of this package. String prints the form that Parse reads.
type Expr interface{ String() string }

// The nodes of a predicate. Col is a path as Resolve reads it; Quote makes one from any names. It may also lead to an
// element of a list or to the value of a map's key: tags[0], attributes['color'], items[0].price. A program may give
// values as scalars of any flat type; interval values have no text and no order.
type (
	// Compare is the comparison Col Op Value. If Value is null, the result is null for every row.
	Compare struct {
		Col   string
		Op    Op
		Value scalar.Scalar
	}
	// CompareColumns is the comparison Left Op Right of two columns. The result is null if either is null.
	CompareColumns struct {
		Left  string
		Op    Op
		Right string
	}
	// In is true if Col equals one of Values. If it equals none and Values has a null, the result is null instead of false.
	In struct {
		Col    string
		Values []scalar.Scalar
	}
	// Like is true if the whole value matches a pattern: % matches any text, _ matches one character, and the character after
	// Escape (0 = none) matches itself. If Fold is set, case is ignored (Unicode simple folding).
	Like struct {
		Col     string
		Pattern string
		Escape  rune
		Fold    bool
	}
	// Contains is true if the list Col has an element that equals Value, and null if Col is null. Null elements equal nothing.
	Contains struct {
		Col   string
		Value scalar.Scalar
	}
	// IsNull is true if Col is null or is inside a struct that is null. Col may be of any type.
	IsNull struct{ Col string }
	// IsNaN is true if Col, which must be a float column, is NaN, and null if Col is null.
	IsNaN struct{ Col string }
	// And is true if all of its parts are true; the empty And is true.
	And []Expr
	// Or is true if one of its parts is true; the empty Or is false.
	Or []Expr
	// Not is true if X is false, and null if X is null.
	Not struct{ X Expr }
)

// Columns returns the paths of the columns that e reads, as they are written in e, in order and with repetitions. For an element
// of a list or map it returns the path of the list or map.
func Columns(e Expr) (out []string) {
	mapColumns(e, func(path string) string {
		base, _ := Base(path)
		out = append(out, base)
		return path
	})
	return out
}

// mapColumns is e with each path replaced.
func mapColumns(e Expr, of func(path string) string) Expr {
	switch x := e.(type) {
	case Compare:
		x.Col = of(x.Col)
		return x
	case CompareColumns:
		x.Left = of(x.Left)
		x.Right = of(x.Right)
		return x
	case In:
		x.Col = of(x.Col)
		return x
	case Like:
		x.Col = of(x.Col)
		return x
	case Contains:
		x.Col = of(x.Col)
		return x
	case IsNull:
		x.Col = of(x.Col)
		return x
	case IsNaN:
		x.Col = of(x.Col)
		return x
	case Not:
		return Not{mapColumns(x.X, of)}
	case And:
		return And(mapList(x, of))
	case Or:
		return Or(mapList(x, of))
	}
	return e
}

func mapList(list []Expr, of func(string) string) []Expr {
	out := make([]Expr, len(list))
	for i, e := range list {
		out[i] = mapColumns(e, of)
	}
	return out
}

// Op is a comparison operator.
type Op uint8

// Comparisons.
const (
	Eq Op = iota + 1
	Ne
	Lt
	Le
	Gt
	Ge
)

var opText = [...]string{"", "=", "!=", "<", "<=", ">", ">="}

// turned is the comparison with its sides exchanged.
var turned = [...]Op{0, Eq, Ne, Gt, Ge, Lt, Le}

// String returns the operator as it is written.
func (o Op) String() string {
	if o >= Eq && o <= Ge {
		return opText[o]
	}
	return "?"
}

func (e Compare) String() string        { return text(e) }
func (e CompareColumns) String() string { return text(e) }
func (e In) String() string             { return text(e) }
func (e Like) String() string           { return text(e) }
func (e Contains) String() string       { return text(e) }
func (e IsNull) String() string         { return text(e) }
func (e IsNaN) String() string          { return text(e) }
func (e And) String() string            { return text(e) }
func (e Or) String() string             { return text(e) }
func (e Not) String() string            { return text(e) }

func text(e Expr) string {
	var b strings.Builder
	write(&b, e, bindsOr)
	return b.String()
}

// How tightly an operator binds; a part that binds less tightly than its place demands goes in parentheses.
const (
	bindsOr = iota
	bindsAnd
	bindsNot
)

func write(b *strings.Builder, e Expr, place int) {
	switch e := e.(type) {
	case And:
		writeList(b, e, "AND", "TRUE", bindsAnd, place)
	case Or:
		writeList(b, e, "OR", "FALSE", bindsOr, place)
	case Not:
		switch x := e.X.(type) {
		case In:
			writeIn(b, x, " NOT IN (")
		case Like:
			writeLike(b, x, " NOT")
		case IsNull:
			b.WriteString(pathText(x.Col) + " IS NOT NULL")
		case IsNaN:
			b.WriteString(pathText(x.Col) + " IS NOT NAN")
		default:
			b.WriteString("NOT ")
			write(b, e.X, bindsNot)
		}
	case Compare:
		if e.Op >= Eq && e.Op <= Ge && isNull(e.Value) { // Parse refuses it as a mistake; this is null as well
			writeIn(b, In{e.Col, []scalar.Scalar{scalar.ScalarNull}}, " IN (")
			return
		}
		b.WriteString(pathText(e.Col) + " " + e.Op.String() + " ")
		writeLiteral(b, e.Value)
	case CompareColumns:
		b.WriteString(pathText(e.Left) + " " + e.Op.String() + " " + pathText(e.Right))
	case In:
		writeIn(b, e, " IN (")
	case Like:
		writeLike(b, e, "")
	case Contains:
		b.WriteString("contains(" + pathText(e.Col) + ", ")
		writeLiteral(b, e.Value)
		b.WriteByte(')')
	case IsNull:
		b.WriteString(pathText(e.Col) + " IS NULL")
	case IsNaN:
		b.WriteString(pathText(e.Col) + " IS NAN")
	default:
		b.WriteByte('?') // nil or a foreign type; Bind refuses it
	}
}

func writeList(b *strings.Builder, parts []Expr, word, none string, binds, place int) {
	switch {
	case len(parts) == 0:
		b.WriteString(none)
		return
	case len(parts) == 1:
		write(b, parts[0], place)
		return
	case binds < place:
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	for i, x := range parts {
		if i > 0 {
			b.WriteString(" " + word + " ")
		}
		write(b, x, binds+1) // a list in a list of its own kind keeps its parentheses
	}
}

func writeIn(b *strings.Builder, e In, word string) {
	b.WriteString(pathText(e.Col) + word)
	for i, v := range e.Values {
		if i > 0 {
			b.WriteString(", ")
		}
		writeLiteral(b, v)
	}
	b.WriteByte(')')
}

// isNull reports whether a value is null.
func isNull(s scalar.Scalar) bool {
	l, err := literalOf(s)
	return err == nil && l.kind == litNull
}

func writeLike(b *strings.Builder, e Like, not string) {
	word := " LIKE "
	if e.Fold {
		word = " ILIKE "
	}
	b.WriteString(pathText(e.Col) + not + word)
	writeQuoted(b, e.Pattern, '\'')
	if e.Escape != 0 {
		b.WriteString(" ESCAPE ")
		writeQuoted(b, string(e.Escape), '\'')
	}
}

// writeQuoted writes s between quotes, doubling those inside.
func writeQuoted(b *strings.Builder, s string, quote byte) {
	b.WriteByte(quote)
	for {
		i := strings.IndexByte(s, quote)
		if i < 0 {
			break
		}
		b.WriteString(s[:i+1])
		b.WriteByte(quote)
		s = s[i+1:]
	}
	b.WriteString(s)
	b.WriteByte(quote)
}
