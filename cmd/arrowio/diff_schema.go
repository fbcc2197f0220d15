package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/tablediff"
)

// diffSchema says how the schemas differ.
type diffSchema struct {
	Same      bool           `json:"same"` // names, types, nullability, order and metadata
	OnlyA     []string       `json:"only_a"`
	OnlyB     []string       `json:"only_b"`
	Reordered bool           `json:"reordered"`
	Moved     []diffMoved    `json:"moved"`
	Columns   []diffColumn   `json:"columns"`
	Metadata  []diffMetadata `json:"metadata"` // that differs
}

// diffMoved is a column that stands in B before the one that it follows in A.
type diffMoved struct {
	Path   string `json:"path"`
	Before string `json:"before"`
}

// diffColumn is a column that both inputs have.
type diffColumn struct {
	Path     string         `json:"path"`
	A        diffField      `json:"a"`
	B        diffField      `json:"b"`
	Metadata []diffMetadata `json:"metadata,omitempty"` // that differs
	Note     string         `json:"note,omitempty"`     // how values of the two types are compared
	Apart    string         `json:"apart,omitempty"`    // why values cannot be compared
	Differ   *int64         `json:"differ"`             // rows in which values differ; null = not compared, or rows do not belong together
}

type diffField struct {
	Type     string `json:"type"`
	Nullable bool   `json:"nullable"`
}

// diffMetadata is a key whose values differ; null = it is not there.
type diffMetadata struct {
	Key string   `json:"key"`
	A   *string  `json:"a"`
	B   *string  `json:"b"`
	Cut *diffCut `json:"cut"`

	whole [2]*string
}

func newDiffSchema(p *tablediff.Pairing, schemas [2]*arrow.Schema) diffSchema {
	s := diffSchema{OnlyA: orEmpty(p.OnlyA), OnlyB: orEmpty(p.OnlyB), Reordered: len(p.Moved) > 0, Moved: []diffMoved{}, Columns: []diffColumn{}}
	for _, m := range p.Moved {
		s.Moved = append(s.Moved, diffMoved(m))
	}
	for _, c := range p.Columns {
		col := diffColumn{Path: c.Path, A: diffField(c.A), B: diffField(c.B), Note: c.Note, Apart: c.Apart}
		if found := differingMetadata(c.Metadata[0], c.Metadata[1]); len(found) > 0 {
			col.Metadata = found
		}
		s.Columns = append(s.Columns, col)
	}
	s.Metadata = differingMetadata(schemas[0].Metadata(), schemas[1].Metadata())
	s.Same = len(p.OnlyA) == 0 && len(p.OnlyB) == 0 && len(s.kinds()) == 0
	return s
}

// kinds names what differs besides the names of columns.
func (s *diffSchema) kinds() (kinds []string) {
	has := func(differs func(c diffColumn) bool) bool { return slices.ContainsFunc(s.Columns, differs) }
	for _, k := range []struct {
		name    string
		differs bool
	}{
		{"types", has(func(c diffColumn) bool { return c.A.Type != c.B.Type })},
		{"nullability", has(func(c diffColumn) bool { return c.A.Nullable != c.B.Nullable })},
		{"order of columns", s.Reordered},
		{"metadata of columns", has(func(c diffColumn) bool { return len(c.Metadata) > 0 })},
		{"metadata", len(s.Metadata) > 0},
	} {
		if k.differs {
			kinds = append(kinds, k.name)
		}
	}
	return kinds
}

func differingMetadata(a, b arrow.Metadata) []diffMetadata {
	list := []diffMetadata{}
	keys := slices.Concat(a.Keys(), b.Keys())
	slices.Sort(keys)
	for _, k := range slices.Compact(keys) {
		i, j := a.FindKey(k), b.FindKey(k)
		m := diffMetadata{Key: k}
		if i >= 0 {
			m.whole[0] = &a.Values()[i]
		}
		if j >= 0 {
			m.whole[1] = &b.Values()[j]
		}
		if i >= 0 && j >= 0 && *m.whole[0] == *m.whole[1] {
			continue
		}
		exact := i >= 0 && j >= 0 && alike(printable(*m.whole[0]), printable(*m.whole[1]))
		for n, v := range m.whole {
			if v != nil {
				text := printable(*v)
				if exact {
					text = strconv.QuoteToASCII(*v)
				}
				m.whole[n] = &text
			}
		}
		m.A, m.B, m.Cut = around(m.whole[0], m.whole[1], cellBytes)
		list = append(list, m)
	}
	return list
}

// apart counts the columns whose values cannot be compared.
func (d *diffDoc) apart() (n int) {
	for _, c := range d.Schema.Columns {
		if c.Apart != "" {
			n++
		}
	}
	return n
}

// tellMore says how many of n things were not told, as --limit is less.
func (d *diffDoc) tellMore(w sheet, indent string, n int, what, which string) {
	if n > d.limit {
		more := "… and " + plural(n-d.limit, "more "+what)
		if d.limit == 0 {
			more = plural(n, what)
		}
		w.line(indent, indent+"  ", strings.TrimSpace(more+" "+which))
	}
}

func (d *diffDoc) printSchema(w sheet) {
	s := &d.Schema
	for i, list := range [][]string{s.OnlyA, s.OnlyB} {
		text := fmt.Sprintf("only in %s: %s", []string{"A", "B"}[i], strings.Join(list[:min(len(list), d.limit)], ", "))
		if more := len(list) - d.limit; more > 0 && d.limit == 0 {
			text += plural(more, "column")
		} else if more > 0 {
			text += fmt.Sprintf(", … and %d more", more)
		}
		if len(list) > 0 {
			w.line("", "  ", printable(text))
		}
	}
	d.printColumns(w)
	for _, m := range s.Moved[:min(len(s.Moved), d.limit)] {
		w.line("", "  ", printable(fmt.Sprintf("the columns are in another order: %s is before %s in B, and behind it in A", m.Path, m.Before)))
	}
	d.tellMore(w, "", len(s.Moved), "column", "in another order")
	for _, m := range s.Metadata[:min(len(s.Metadata), d.limit)] {
		w.line("", "  ", printable("metadata "+m.String()))
	}
	d.tellMore(w, "", len(s.Metadata), "key", "of differing metadata")
}

// printColumns tells how columns differ that both inputs have, first those that are not compared.
func (d *diffDoc) printColumns(w sheet) {
	kind := func(f diffField) string {
		if f.Nullable {
			return f.Type
		}
		return f.Type + " not null"
	}
	var apart, others []string
	for _, c := range d.Schema.Columns {
		switch text := c.Path + ": " + kind(c.A) + " in A, " + kind(c.B) + " in B"; {
		case c.Apart != "":
			apart = append(apart, text+"; not compared: "+c.Apart)
		case c.Note != "":
			others = append(others, text+"; "+c.Note)
		case c.A != c.B:
			others = append(others, text)
		}
		for _, m := range c.Metadata {
			others = append(others, "metadata of "+c.Path+", "+m.String())
		}
	}
	all := append(apart, others...)
	for _, text := range all[:min(len(all), d.limit)] {
		w.line("", "  ", printable(text))
	}
	d.tellMore(w, "", len(all), "difference", "of columns")
}

// String says it in words.
func (m diffMetadata) String() string {
	value := func(v *string) string {
		if v == nil {
			return "not there"
		}
		return `"` + *v + `"`
	}
	a, b, cut := around(m.whole[0], m.whole[1], 60)
	return fmt.Sprintf("%s: %s in A, %s in B%s", m.Key, value(a), value(b), cut)
}
