package expr

import (
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"
)

// Parse parses a predicate; the grammar is in the package's documentation. Errors are of type *ParseError. A comparison with NULL
// is an error that suggests IS NULL, since no row could satisfy it. Bind checks whether the columns exist and fit the values.
func Parse(s string) (Expr, error) { return parse(s, false) }

// ParseSQL is Parse for the conditions of SQL, in which a comparison with NULL is allowed. Its result is null.
func ParseSQL(s string) (Expr, error) { return parse(s, true) }

func parse(s string, sql bool) (Expr, error) {
	if len(s) > maxText {
		return nil, &ParseError{Column: 1, Message: "a filter of more than 1 MiB"}
	}
	p := parser{lexer: lexer{text: s}, sql: sql}
	if err := p.advance(); err != nil {
		return nil, err
	}
	e, err := p.or(0)
	if err != nil {
		return nil, err
	}
	if p.tok.kind != tokEnd {
		return nil, p.expected("AND, OR or the end")
	}
	return e, nil
}

// parser is one token ahead; each method reads one rule of the grammar.
type parser struct {
	lexer
	tok token
	sql bool // comparisons with NULL are allowed
}

func (p *parser) advance() (err error) {
	p.tok, err = p.next()
	return err
}

func (p *parser) expected(what string) error {
	return p.fail(p.tok.pos, "expected %s, found %v", what, p.tok)
}

// accept passes over the token if it is the one named.
func (p *parser) accept(kind tokenKind, text string) (bool, error) {
	if !p.tok.is(kind, text) {
		return false, nil
	}
	return true, p.advance()
}

func (p *parser) need(kind tokenKind, text, what string) error {
	ok, err := p.accept(kind, text)
	if err == nil && !ok {
		err = p.expected(what)
	}
	return err
}

func (p *parser) or(depth int) (Expr, error) {
	list, err := p.list("OR", depth, (*parser).and)
	if err != nil || len(list) == 1 {
		return first(list), err
	}
	return Or(list), nil
}

func (p *parser) and(depth int) (Expr, error) {
	list, err := p.list("AND", depth, (*parser).not)
	if err != nil || len(list) == 1 {
		return first(list), err
	}
	return And(list), nil
}

func first(list []Expr) Expr {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

func (p *parser) list(word string, depth int, part func(*parser, int) (Expr, error)) ([]Expr, error) {
	var out []Expr
	for {
		e, err := part(p, depth)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
		if more, err := p.accept(tokWord, word); !more || err != nil {
			return out, err
		}
	}
}

func (p *parser) not(depth int) (Expr, error) {
	if depth > maxDepth {
		return nil, p.fail(p.tok.pos, "more than %d parentheses and NOTs within one another", maxDepth)
	}
	if ok, err := p.accept(tokWord, "NOT"); err != nil {
		return nil, err
	} else if ok {
		e, err := p.not(depth + 1)
		if err != nil {
			return nil, err
		}
		return Not{e}, nil
	}
	if ok, err := p.accept(tokPunct, "("); err != nil {
		return nil, err
	} else if ok {
		e, err := p.or(depth + 1)
		if err != nil {
			return nil, err
		}
		return e, p.need(tokPunct, ")", "AND, OR or ')'")
	}
	if p.tok.kind == tokPath {
		return p.afterPath()
	}
	return p.afterValue()
}

// afterPath reads what starts with a path: a test of that column, or a value like DATE '…', which a column of that name
// is told from by the string beside it.
func (p *parser) afterPath() (Expr, error) {
	before := *p
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind == tokString && typedNames[strings.ToUpper(before.tok.text)] != nil {
		*p = before
		return p.afterValue()
	}
	if p.tok.is(tokPunct, "(") {
		return p.call(before.tok)
	}
	return p.rest(before.tok.text)
}

// call reads contains(list, value), the only function there is.
func (p *parser) call(name token) (Expr, error) {
	if !strings.EqualFold(name.text, "contains") {
		return nil, p.fail(name.pos, "there is no function %s; the only one is contains(list, value)", name)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind != tokPath {
		return nil, p.expected("a column of lists")
	}
	e := Contains{Col: p.tok.text}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if err := p.need(tokPunct, ",", "',' and a value"); err != nil {
		return nil, err
	}
	var err error
	if e.Value, err = p.compared(e.Col, "a value"); err != nil {
		return nil, err
	}
	return e, p.need(tokPunct, ")", "')'")
}

// compared reads a value that col is compared with.
func (p *parser) compared(col, what string) (scalar.Scalar, error) {
	start := p.tok
	v, err := p.value(what)
	if err == nil {
		err = p.notNull(start, v, col)
	}
	return v, err
}

// notNull refuses a value that col is compared with if it is NULL.
func (p *parser) notNull(at token, v scalar.Scalar, col string) error {
	if v != scalar.ScalarNull || p.sql {
		return nil
	}
	return p.fail(at.pos, "a comparison with NULL is never true: write %s IS NULL or %s IS NOT NULL", pathText(col), pathText(col))
}

// comparison reads the right side of a comparison: a value, or another column.
func (p *parser) comparison(col string, op Op, what string) (Expr, error) {
	if p.tok.kind == tokPath {
		before := *p
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.tok.kind != tokString || typedNames[strings.ToUpper(before.tok.text)] == nil {
			if p.tok.kind == tokNumber && typedNames[strings.ToUpper(before.tok.text)] != nil {
				return nil, p.expected("a string after " + strings.ToUpper(before.tok.text))
			}
			return CompareColumns{col, op, before.tok.text}, nil
		}
		*p = before
	}
	v, err := p.compared(col, what)
	return Compare{col, op, v}, err
}

// rest reads what is said of a column.
func (p *parser) rest(col string) (Expr, error) {
	if op, ok := p.op(); ok {
		if err := p.advance(); err != nil {
			return nil, err
		}
		return p.comparison(col, op, "a value or a column after "+op.String())
	}
	if ok, err := p.accept(tokWord, "IS"); err != nil {
		return nil, err
	} else if ok {
		not, err := p.accept(tokWord, "NOT")
		if err != nil {
			return nil, err
		}
		if p.tok.kind == tokPath && strings.EqualFold(p.tok.text, "NAN") { // no keyword: columns may be called so
			return negate(not, IsNaN{col}), p.advance()
		}
		return negate(not, IsNull{col}), p.need(tokWord, "NULL", "NULL, NAN, NOT NULL or NOT NAN after IS")
	}
	not, err := p.accept(tokWord, "NOT")
	if err != nil {
		return nil, err
	}
	var rule func(*parser, string) (Expr, error)
	if p.tok.kind == tokWord {
		rule = columnRules[p.tok.text]
	}
	if rule != nil {
		if err := p.advance(); err != nil {
			return nil, err
		}
		e, err := rule(p, col)
		if err != nil {
			return nil, err
		}
		return negate(not, e), nil
	}
	if not {
		return nil, p.expected("IN, BETWEEN, LIKE or ILIKE after NOT")
	}
	switch p.tok.kind {
	case tokEnd:
	case tokWord:
		if p.tok.text != "AND" && p.tok.text != "OR" {
			return nil, p.expected("an operator")
		}
	default:
		if p.tok.text != ")" || p.tok.kind != tokPunct {
			return nil, p.expected("an operator")
		}
	}
	return Compare{col, Eq, scalar.NewBooleanScalar(true)}, nil
}

// columnRules are the tests that NOT may precede.
var columnRules = map[string]func(*parser, string) (Expr, error){
	"IN": (*parser).in, "BETWEEN": (*parser).between, "LIKE": (*parser).like, "ILIKE": (*parser).ilike,
}

func negate(not bool, e Expr) Expr {
	if not {
		return Not{e}
	}
	return e
}

var opOf = map[string]Op{"=": Eq, "==": Eq, "!=": Ne, "<>": Ne, "<": Lt, "<=": Le, ">": Gt, ">=": Ge}

func (p *parser) op() (Op, bool) {
	if p.tok.kind != tokPunct {
		return 0, false
	}
	op, ok := opOf[p.tok.text]
	return op, ok
}

func (p *parser) in(col string) (Expr, error) {
	if err := p.need(tokPunct, "(", "'(' after IN"); err != nil {
		return nil, err
	}
	e := In{Col: col}
	if done, err := p.accept(tokPunct, ")"); done || err != nil {
		return e, err
	}
	for {
		v, err := p.value("a value")
		if err != nil {
			return nil, err
		}
		e.Values = append(e.Values, v)
		more, err := p.accept(tokPunct, ",")
		if err != nil {
			return nil, err
		}
		if !more {
			return e, p.need(tokPunct, ")", "',' or ')'")
		}
	}
}

func (p *parser) between(col string) (Expr, error) {
	lo, err := p.comparison(col, Ge, "a value or a column after BETWEEN")
	if err != nil {
		return nil, err
	}
	if err := p.need(tokWord, "AND", "AND and the upper value of BETWEEN"); err != nil {
		return nil, err
	}
	hi, err := p.comparison(col, Le, "the upper value of BETWEEN")
	if err != nil {
		return nil, err
	}
	return And{lo, hi}, nil
}

func (p *parser) like(col string) (Expr, error)  { return p.pattern(Like{Col: col}) }
func (p *parser) ilike(col string) (Expr, error) { return p.pattern(Like{Col: col, Fold: true}) }

func (p *parser) pattern(e Like) (Expr, error) {
	if p.tok.kind != tokString {
		return nil, p.expected("a pattern in single quotes")
	}
	e.Pattern = p.tok.text
	pos := p.tok.pos
	if err := p.advance(); err != nil {
		return nil, err
	}
	if ok, err := p.accept(tokWord, "ESCAPE"); err != nil {
		return nil, err
	} else if ok {
		r, n := utf8.DecodeRuneInString(p.tok.text)
		if p.tok.kind != tokString || n != len(p.tok.text) || r == 0 || r == utf8.RuneError && n < 3 {
			return nil, p.expected("one character in single quotes after ESCAPE")
		}
		e.Escape = r
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	if _, err := compileLike(e.Pattern, e.Escape, true); err != nil {
		return nil, p.fail(pos, "%v", err)
	}
	return e, nil
}

// afterValue reads a test that starts with a value: TRUE, FALSE, or a comparison turned round.
func (p *parser) afterValue() (Expr, error) {
	start := p.tok
	v, err := p.value("a column, a value, NOT or '('")
	if err != nil {
		return nil, err
	}
	op, ok := p.op()
	if !ok {
		if start.is(tokWord, "TRUE") {
			return And{}, nil
		}
		if start.is(tokWord, "FALSE") {
			return Or{}, nil
		}
		return nil, p.expected("an operator after the value")
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind != tokPath {
		return nil, p.expected("a column: one side of a comparison must be a column")
	}
	if err := p.notNull(start, v, p.tok.text); err != nil {
		return nil, err
	}
	e := Compare{p.tok.text, turned[op], v}
	return e, p.advance()
}

// typedName makes a value from the text that follows its name.
type typedName func(text string) (scalar.Scalar, error)

var typedNames = map[string]typedName{
	"DATE": parseDate, "TIMESTAMP": parseTimestamp, "TIME": parseTime, "DURATION": parseDuration, "DOUBLE": parseDouble,
}

// value reads a literal.
func (p *parser) value(what string) (scalar.Scalar, error) {
	t := p.tok
	var v scalar.Scalar
	var err error
	switch {
	case t.kind == tokString:
		v = scalar.NewStringScalar(t.text)
	case t.kind == tokHex:
		v = scalar.NewBinaryScalar(memory.NewBufferBytes([]byte(t.text)), arrow.BinaryTypes.Binary)
	case t.is(tokWord, "TRUE"), t.is(tokWord, "FALSE"):
		v = scalar.NewBooleanScalar(t.text == "TRUE")
	case t.is(tokWord, "NULL"):
		v = scalar.ScalarNull
	case t.kind == tokNumber:
		v, err = parseNumber(t.text)
	case t.is(tokPunct, "-"), t.is(tokPunct, "+"):
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.tok.kind != tokNumber {
			return nil, p.expected("a number after " + t.text)
		}
		v, err = parseNumber(t.text + p.tok.text)
	case t.kind == tokPath && typedNames[strings.ToUpper(t.text)] != nil:
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.tok.kind != tokString {
			return nil, p.expected("a string after " + strings.ToUpper(t.text))
		}
		v, err = typedNames[strings.ToUpper(t.text)](p.tok.text)
	case t.kind == tokPath:
		return nil, p.fail(t.pos, "expected %s, found the name %v; put text in single quotes", what, t)
	default:
		return nil, p.expected(what)
	}
	if err != nil {
		return nil, p.fail(t.pos, "%v", err)
	}
	return v, p.advance()
}
