package orcwire

import (
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// maxNotation is how many types a text may name, and how deep they may stand.
const maxNotation, maxNotationDepth = 100_000, 128

// ParseType reads a type in ORC's own notation, what Type.String writes: "struct<a:int,b:array<decimal(10,2)>>". Blanks may
// stand between its parts. A decimal without digits is decimal(38,10), as it is in Java; char and varchar have a length.
// Ids count from 0, a type before its children. Errors are errs.ErrOption and say where.
func ParseType(text string) (*Type, error) {
	p := notation{text: text}
	t, err := p.parse(nil, 0)
	if err == nil && p.peek() != 0 {
		err = p.fail("more behind the type")
	}
	return t, err
}

type notation struct {
	text  string
	at    int
	types int
}

func (p *notation) fail(format string, args ...any) error {
	return errs.Errorf(errs.ErrOption, "%q at %d: "+format, append([]any{shortened(p.text), p.at}, args...)...)
}

func shortened(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

// peek returns the next byte that is no blank; 0 = there is none.
func (p *notation) peek() byte {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// take passes a byte.
func (p *notation) take(c byte) error {
	if p.peek() != c {
		return p.fail("%q expected", c)
	}
	p.at++
	return nil
}

// word returns letters, digits and underscores.
func (p *notation) word() string {
	p.peek()
	start := p.at
	for p.at < len(p.text) && isWord(p.text[p.at:p.at+1]) {
		p.at++
	}
	return p.text[start:p.at]
}

func (p *notation) kind() (Kind, error) {
	start := p.at
	name := strings.ToLower(p.word())
	if name == "timestamp" {
		at := p.at
		if strings.EqualFold(strings.Join(strings.Fields(p.rest()), " "), "with local time zone") {
			return TimestampInstant, nil
		}
		p.at = at
		return Timestamp, nil
	}
	for k, n := range kindNames {
		if n == name {
			return Kind(k), nil
		}
	}
	p.at = start
	return 0, p.fail("there is no type %q", name)
}

// rest passes letters and blanks.
func (p *notation) rest() string {
	start := p.at
	for p.at < len(p.text) && (p.text[p.at] == ' ' || isWord(p.text[p.at:p.at+1])) {
		p.at++
	}
	return p.text[start:p.at]
}

func (p *notation) parse(parent *Type, depth int) (*Type, error) {
	k, err := p.kind()
	if err != nil {
		return nil, err
	}
	t := &Type{ID: p.types, Kind: k, Parent: parent}
	if p.types++; p.types > maxNotation || depth > maxNotationDepth {
		return nil, p.fail("more than %d types, or %d inside one another", maxNotation, maxNotationDepth)
	}
	switch {
	case k.Compound():
		err = p.children(t, depth)
	case k == Decimal:
		t.Precision, t.Scale = 38, 10
		if p.peek() == '(' {
			var n []uint32
			if n, err = p.numbers(); err == nil && (len(n) > 2 || n[0] < 1 || n[0] > 38 || len(n) == 2 && n[1] > n[0]) {
				err = p.fail("a decimal has 1 to 38 digits, and no more behind the point")
			}
			if err == nil {
				t.Precision, t.Scale = n[0], append(n, 0)[1]
			}
		}
	case k == Char || k == Varchar:
		var n []uint32
		if n, err = p.numbers(); err == nil && (len(n) != 1 || n[0] < 1) {
			err = p.fail("%s has a length", k)
		}
		if err == nil {
			t.MaxLength = n[0]
		}
	case k == Geometry || k == Geography:
		err = p.fail("%s is not read as another type", k)
	}
	t.Last = p.types - 1
	return t, err
}

// numbers reads "(10,2)".
func (p *notation) numbers() (out []uint32, err error) {
	err = p.take('(')
	for err == nil {
		var n uint64
		if n, err = strconv.ParseUint(p.word(), 10, 31); err != nil {
			return nil, p.fail("a number expected")
		}
		out = append(out, uint32(n))
		if p.peek() != ',' {
			return out, p.take(')')
		}
		p.at++
	}
	return nil, err
}

func (p *notation) children(t *Type, depth int) error {
	if err := p.take('<'); err != nil {
		return err
	}
	for p.peek() != '>' {
		if len(t.Children) > 0 {
			if err := p.take(','); err != nil {
				return err
			}
		}
		if t.Kind == Struct {
			name, err := p.name()
			if err == nil {
				err = p.take(':')
			}
			if err != nil {
				return err
			}
			t.Names = append(t.Names, name)
		}
		c, err := p.parse(t, depth+1)
		if err != nil {
			return err
		}
		t.Children = append(t.Children, c)
	}
	p.at++
	if least, most := t.Kind.arity(); len(t.Children) < least || len(t.Children) > most {
		return p.fail("%s of %d types", t.Kind, len(t.Children))
	}
	return nil
}

// name reads the name of a field, which may stand in backquotes, those inside doubled.
func (p *notation) name() (string, error) {
	if p.peek() != '`' {
		start := p.at
		for p.at < len(p.text) && strings.IndexByte(":,<>()` \t\r\n", p.text[p.at]) < 0 {
			p.at++
		}
		if p.at == start {
			return "", p.fail("a name expected")
		}
		return p.text[start:p.at], nil
	}
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		if p.text[p.at] == '`' {
			if p.at+1 >= len(p.text) || p.text[p.at+1] != '`' {
				p.at++
				return b.String(), nil
			}
			p.at++
		}
		b.WriteByte(p.text[p.at])
	}
	return "", p.fail("the name does not end")
}
