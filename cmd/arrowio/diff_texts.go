package main

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize"
	"golang.org/x/text/unicode/norm"

	"github.com/arrowio/arrowio/internal/celltext"
)

// wholeBytes is about how much of the text of a value is looked at for where it differs.
const wholeBytes = 16 << 20

// diffText is a value as text. exact tells apart what text does not; "" = it is the same.
type diffText struct {
	text, exact string
	valid       bool
}

// newDiffText returns the text of value i.
func newDiffText(write celltext.Writer, i int) diffText {
	t := diffText{valid: true}
	c := celltext.Cell{Limit: wholeBytes}
	write(&c, i)
	t.text = clipped(c.Text)
	c = celltext.Cell{Limit: wholeBytes, Exact: true}
	write(&c, i)
	if exact := clipped(c.Text); exact != t.text {
		t.exact = exact
	}
	return t
}

func clipped(text []byte) string {
	s, _ := celltext.Clip(string(text), wholeBytes)
	return s
}

// best returns the text: the exact one if it is asked for.
func (t diffText) best(exact bool) *string {
	switch {
	case !t.valid:
		return nil
	case exact && t.exact != "":
		return &t.exact
	}
	return &t.text
}

// alike reports whether two texts look the same, or nearly, so that only escapes tell them apart.
func alike(a, b string) bool { return a == b || seen(a) == seen(b) }

// twins are characters that look like a letter or a sign of ASCII in most fonts.
var twins = strings.NewReplacer(
	"а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x", "і", "i", "ј", "j", "ѕ", "s", "ԁ", "d", "һ", "h",
	"А", "A", "В", "B", "Е", "E", "К", "K", "М", "M", "Н", "H", "О", "O", "Р", "P", "С", "C", "Т", "T", "У", "Y", "Х", "X", "І", "I", "Ј", "J", "Ѕ", "S",
	"Α", "A", "Β", "B", "Ε", "E", "Ζ", "Z", "Η", "H", "Ι", "I", "Κ", "K", "Μ", "M", "Ν", "N", "Ο", "O", "Ρ", "P", "Τ", "T", "Υ", "Y", "Χ", "X", "ο", "o", "ν", "v",
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "−", "-", "’", "'", "‘", "'", "ʼ", "'", "′", "'", "“", "\"", "”", "\"", "⁄", "/", "∕", "/",
)

// seen returns a text as the eye takes it: without what has no width, in letters that are not told apart.
func seen(s string) string {
	ascii := true
	for i := range len(s) {
		if ascii = s[i] < 0x80; !ascii {
			break
		}
	}
	if ascii {
		return s
	}
	return twins.Replace(strings.Map(func(r rune) rune {
		switch {
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, norm.NFKD.String(s)))
}

// diffCut says what part of two texts is shown. Numbers are bytes of the whole texts.
type diffCut struct {
	From    int  `json:"from"`     // the part begins there
	LengthA *int `json:"length_a"` // of the whole text; null = there is none
	LengthB *int `json:"length_b"`
	Differ  *int `json:"differ"` // the first difference; null = there is nothing to compare with, or none up to there
}

// around returns the parts of two texts of at most about n bytes that are around their first difference. nil = they are whole.
func around(a, b *string, n int) (partA, partB *string, cut *diffCut) {
	if (a == nil || len(*a) <= n) && (b == nil || len(*b) <= n) {
		return a, b, nil
	}
	cut = &diffCut{}
	if a != nil && b != nil {
		at := 0
		for at < min(len(*a), len(*b)) && (*a)[at] == (*b)[at] {
			at++
		}
		if at < max(len(*a), len(*b)) {
			cut.Differ = &at
			if at > n/2 {
				cut.From = at - n/4
				for cut.From > 0 && cut.From < len(*a) && (*a)[cut.From]&0xc0 == 0x80 {
					cut.From--
				}
			}
		}
	}
	part := func(s *string) (*string, *int) {
		if s == nil {
			return nil, nil
		}
		all := len(*s)
		text, more := celltext.Clip((*s)[min(cut.From, all):], n)
		if cut.From > 0 {
			text = gridEllipsis + text
		}
		if more {
			text += gridEllipsis
		}
		return &text, &all
	}
	partA, cut.LengthA = part(a)
	partB, cut.LengthB = part(b)
	return partA, partB, cut
}

// String says it in words.
func (c *diffCut) String() string {
	if c == nil {
		return ""
	}
	var said []string
	for i, n := range []*int{c.LengthA, c.LengthB} {
		if n != nil {
			said = append(said, fmt.Sprintf("%s has %s bytes", []string{"A", "B"}[i], humanize.Comma(int64(*n))))
		}
	}
	if c.Differ != nil {
		said = append(said, "they differ from byte "+humanize.Comma(int64(*c.Differ))+" on")
	}
	return " (" + strings.Join(said, ", ") + ")"
}

// tellApart decides which texts of values are shown: of those that look alike and differ the exact ones.
func (d *diffDoc) tellApart() {
	// Rows of one input alone stand apart, so that all of a column are looked at.
	var same, begun rivals
	d.alone(func(c *diffCell, t diffText) {
		same.add(c.Path, seen(t.text), *t.best(true))
		begun.add(c.Path, beginning(t.text), t.text)
	})
	d.alone(func(c *diffCell, t diffText) {
		c.exact = c.exact || same.of(c.Path, seen(t.text), *t.best(true)) != nil
		c.rival = begun.of(c.Path, beginning(t.text), t.text)
	})
	for i := range d.First {
		r := &d.First[i]
		for k := range r.Key {
			r.Key[k].show()
		}
		for k := range r.Columns {
			c := &r.Columns[k]
			c.exact = c.exact || r.Kind == "changed" && c.texts[0].valid && c.texts[1].valid && alike(c.texts[0].text, c.texts[1].text)
			c.show()
		}
	}
}

// alone visits the texts of rows that one input alone has.
func (d *diffDoc) alone(visit func(c *diffCell, t diffText)) {
	for i := range d.First {
		r := &d.First[i]
		if r.Kind == "changed" {
			continue
		}
		for _, list := range [][]diffCell{r.Key, r.Columns} {
			for k := range list {
				for _, t := range list[k].texts {
					if t.valid {
						visit(&list[k], t)
					}
				}
			}
		}
	}
}

// rivals are texts of a column that are taken for one: two that differ, of each that are.
type rivals struct{ pairs map[[2]string][2]*string }

func (r *rivals) add(path, as, text string) {
	if r.pairs == nil {
		r.pairs = map[[2]string][2]*string{}
	}
	key := [2]string{path, as}
	switch two := r.pairs[key]; {
	case two[0] == nil:
		r.pairs[key] = [2]*string{&text}
	case two[1] == nil && *two[0] != text:
		r.pairs[key] = [2]*string{two[0], &text}
	}
}

// of returns a text that is taken for this one and differs; nil = there is none.
func (r *rivals) of(path, as, text string) *string {
	two := r.pairs[[2]string{path, as}]
	if two[0] != nil && *two[0] != text {
		return two[0]
	}
	return two[1]
}

// shownBytes is how much of a value is shown to people.
const shownBytes = 200

// beginning returns what may be seen of a text that is cut.
func beginning(text string) string {
	begin, _ := celltext.Clip(text, shownBytes)
	return begin
}

// show sets the texts that are shown.
func (c *diffCell) show() {
	for i, t := range c.texts {
		c.whole[i] = t.best(c.exact)
	}
	if a, b := c.whole[0], c.whole[1]; a != nil && b != nil && *a == *b && c.types[0] != c.types[1] {
		typed := [2]string{*a + " (" + c.types[0] + ")", *b + " (" + c.types[1] + ")"}
		c.whole = [2]*string{&typed[0], &typed[1]}
	}
	c.A, c.B, c.Cut = c.part(cellBytes)
}

// part returns about n bytes of the texts.
func (c *diffCell) part(n int) (a, b *string, cut *diffCut) {
	a, b = c.whole[0], c.whole[1]
	switch {
	case c.rival != nil && b == nil:
		if a, _, cut = around(a, c.rival, n); cut != nil {
			cut.LengthB, cut.Differ = nil, nil
		}
		return a, nil, cut
	case c.rival != nil && a == nil:
		if _, b, cut = around(c.rival, b, n); cut != nil {
			cut.LengthA, cut.Differ = nil, nil
		}
		return nil, b, cut
	}
	return around(a, b, n)
}
