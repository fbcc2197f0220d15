package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/dustin/go-humanize"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/tablediff"
)

// diffDoc is the JSON of a comparison.
type diffDoc struct {
	Same     bool       `json:"same"`
	Compared string     `json:"compared"` // rows by "position" or "key", "unordered", or only the "schema"
	A        diffInput  `json:"a"`
	B        diffInput  `json:"b"`
	Schema   diffSchema `json:"schema"`
	Rows     *diffRows  `json:"rows"` // null = not compared
	First    []diffRow  `json:"first"`

	Warnings []arrowio.Warning `json:"warnings"`

	compared  int  // columns
	onlyApart bool // all that differs is columns whose values could not be compared
}

// diffInput says what one of the inputs is.
type diffInput struct {
	Input   string   `json:"input"`
	Files   int      `json:"files"`
	Format  *string  `json:"format"` // null = several
	Formats []string `json:"formats"`
	Bytes   int64    `json:"bytes"`
	Splits  *int     `json:"splits"` // null = there are several files
	Codecs  []string `json:"codecs"` // of the first file

	formats string
}

// diffSchema says how the schemas differ.
type diffSchema struct {
	Same      bool           `json:"same"` // names, types, nullability, order and metadata
	OnlyA     []string       `json:"only_a"`
	OnlyB     []string       `json:"only_b"`
	Reordered bool           `json:"reordered"`
	Columns   []diffColumn   `json:"columns"`
	Metadata  []diffMetadata `json:"metadata"` // that differs
}

// diffColumn is a column that both inputs have.
type diffColumn struct {
	Path   string    `json:"path"`
	A      diffField `json:"a"`
	B      diffField `json:"b"`
	Note   string    `json:"note,omitempty"`  // how values of the two types are compared
	Apart  string    `json:"apart,omitempty"` // why values cannot be compared
	Differ *int64    `json:"differ"`          // rows in which values differ; null = not compared, or rows do not belong together
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

// diffRows counts rows.
type diffRows struct {
	A             int64  `json:"a"`
	B             int64  `json:"b"`
	Equal         *int64 `json:"equal"` // null = no column could be compared
	Changed       int64  `json:"changed"`
	OnlyA         int64  `json:"only_a"`
	OnlyB         int64  `json:"only_b"`
	Shifted       *int64 `json:"shifted_at"` // most rows from here on differ; null = not so
	DuplicateKeys int64  `json:"duplicate_keys"`
	SpilledBytes  int64  `json:"spilled_bytes"`
}

// diffRow is two rows that differ, or one that one input alone has.
type diffRow struct {
	Kind    string     `json:"kind"`  // "changed", "only_a" or "only_b"
	RowA    *int64     `json:"row_a"` // from 0; null = none
	RowB    *int64     `json:"row_b"`
	Key     []diffCell `json:"key"`
	Columns []diffCell `json:"columns"` // whose values differ; of a row of one input all
}

// diffCell is the text of two values; null = the value is null, or there is no such row.
type diffCell struct {
	Path string   `json:"path"`
	A    *string  `json:"a"`
	B    *string  `json:"b"`
	Cut  *diffCut `json:"cut"` // null = they are whole

	texts [2]diffText
	whole [2]*string
	types [2]string
	exact bool
	rival *string // a text of another row that begins as this one does, of a row of one input alone; nil = there is none
}

func newDiffDoc(f *diffFlags, p *tablediff.Pairing, schemas [2]*arrow.Schema) *diffDoc {
	d := &diffDoc{Compared: "position", First: []diffRow{}}
	switch {
	case f.schemaOnly:
		d.Compared = "schema"
	case f.unordered:
		d.Compared = "unordered"
	case len(f.key) > 0:
		d.Compared = "key"
	}
	s := &d.Schema
	s.OnlyA, s.OnlyB, s.Reordered, s.Columns = orEmpty(p.OnlyA), orEmpty(p.OnlyB), p.Reordered, []diffColumn{}
	s.Same = len(p.OnlyA) == 0 && len(p.OnlyB) == 0 && !p.Reordered
	for _, c := range p.Columns {
		col := diffColumn{Path: c.Path, A: diffField(c.A), B: diffField(c.B), Note: c.Note, Apart: c.Apart}
		s.Same = s.Same && col.A == col.B
		s.Columns = append(s.Columns, col)
	}
	s.Metadata = differingMetadata(schemas[0].Metadata(), schemas[1].Metadata())
	s.Same = s.Same && len(s.Metadata) == 0
	return d
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
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

// count fills in what comparing rows found.
func (d *diffDoc) count(p *tablediff.Pairing, r *tablediff.Result) {
	d.Rows = &diffRows{
		A: r.RowsA, B: r.RowsB, Changed: r.Changed, OnlyA: r.OnlyA, OnlyB: r.OnlyB,
		DuplicateKeys: r.DuplicateKeys, SpilledBytes: r.SpilledBytes,
	}
	d.compared = p.Comparable()
	if s := d.Schema; d.compared > 0 || len(s.Columns)+len(s.OnlyA)+len(s.OnlyB) == 0 {
		d.Rows.Equal = &r.Equal
	}
	if r.Shifted != tablediff.NoRow {
		d.Rows.Shifted = &r.Shifted
	}
	if d.Compared == "unordered" {
		return
	}
	for k, c := range p.Columns {
		i := slices.IndexFunc(d.Schema.Columns, func(o diffColumn) bool { return o.Path == c.Path && o.Differ == nil && o.Apart == "" })
		if i >= 0 && c.Apart == "" {
			d.Schema.Columns[i].Differ = &r.Columns[k]
		}
	}
}

// judge decides whether the inputs are the same.
func (d *diffDoc) judge(f *diffFlags) {
	s := d.Schema
	d.Same = len(s.OnlyA) == 0 && len(s.OnlyB) == 0
	if r := d.Rows; r != nil {
		d.Same = d.Same && r.Changed == 0 && r.OnlyA == 0 && r.OnlyB == 0
	}
	if f.strict {
		d.Same = d.Same && s.Same
	}
	d.onlyApart = d.Same && d.apart() > 0
	d.Same = d.Same && !d.onlyApart
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

func (d *diffDoc) print(w sheet) error {
	for i, in := range []diffInput{d.A, d.B} {
		facts := []string{in.formats}
		if in.Files > 1 {
			facts = append(facts, plural(in.Files, "file"))
		}
		if in.Splits != nil {
			facts = append(facts, plural(*in.Splits, "split"))
		}
		facts = append(facts, humanize.IBytes(uint64(max(in.Bytes, 0))))
		if len(in.Codecs) > 0 {
			facts = append(facts, strings.Join(in.Codecs, ", "))
		}
		w.line([]string{"A  ", "B  "}[i], "   ", printable(in.Input+": "+strings.Join(facts, ", ")))
	}
	d.printSchema(w)
	if err := d.printRows(w); err != nil {
		return err
	}
	switch {
	case d.Same:
		return w.printLine("They are equal.")
	case d.Rows != nil && d.Rows.Equal == nil && d.onlyApart:
		return w.printLine("Not compared: no row could be.")
	case d.Rows != nil && d.Rows.Equal == nil:
		return w.printLine("They differ: no row could be compared.")
	case d.onlyApart:
		return w.printLine("They are equal as far as they could be compared; " + plural(d.apart(), "column") + " could not be.")
	}
	return w.printLine("They differ.")
}

func (d *diffDoc) printSchema(w sheet) {
	for i, list := range [][]string{d.Schema.OnlyA, d.Schema.OnlyB} {
		if len(list) > 0 {
			w.line("", "  ", printable(fmt.Sprintf("only in %s: %s", []string{"A", "B"}[i], strings.Join(list, ", "))))
		}
	}
	kind := func(f diffField) string {
		if f.Nullable {
			return f.Type
		}
		return f.Type + " not null"
	}
	for _, c := range d.Schema.Columns {
		switch text := c.Path + ": " + kind(c.A) + " in A, " + kind(c.B) + " in B"; {
		case c.Apart != "":
			w.line("", "  ", printable(text+"; not compared: "+c.Apart))
		case c.Note != "":
			w.line("", "  ", printable(text+"; "+c.Note))
		case c.A != c.B:
			w.line("", "  ", printable(text))
		}
	}
	if d.Schema.Reordered {
		w.line("", "  ", "the columns are in another order")
	}
	for _, m := range d.Schema.Metadata {
		value := func(v *string) string {
			if v == nil {
				return "not there"
			}
			return `"` + *v + `"`
		}
		a, b, cut := around(m.whole[0], m.whole[1], 60)
		w.line("", "  ", printable(fmt.Sprintf("metadata %s: %s in A, %s in B%s", m.Key, value(a), value(b), cut)))
	}
}

func (d *diffDoc) printRows(w sheet) error {
	r := d.Rows
	if r == nil {
		return nil
	}
	text := fmt.Sprintf("%s in A, %s in B: ", counted(r.A, "row"), humanize.Comma(r.B))
	switch {
	case r.Equal == nil:
		w.line("", "  ", text+"none compared, as they have no column in common whose values can be")
		return nil
	case len(d.Schema.OnlyA)+len(d.Schema.OnlyB) > 0 || d.apart() > 0:
		text += fmt.Sprintf("by %s that could be compared, ", plural(d.compared, "column"))
	}
	text += humanize.Comma(*r.Equal) + " equal"
	for _, n := range []struct {
		n    int64
		what string
	}{{r.Changed, "changed"}, {r.OnlyA, "only in A"}, {r.OnlyB, "only in B"}} {
		if n.n > 0 {
			text += fmt.Sprintf(", %s %s", humanize.Comma(n.n), n.what)
		}
	}
	w.line("", "  ", text)
	if r.DuplicateKeys > 0 {
		w.line("", "  ", fmt.Sprintf("%s in several of the differing rows of an input: such rows are told as of A or B alone", counted(r.DuplicateKeys, "key")+map[bool]string{true: " is", false: " are"}[r.DuplicateKeys == 1]))
	}
	if r.Shifted != nil {
		w.line("", "  ", fmt.Sprintf("Most rows from row %d on differ: rows may have been added, removed or moved there; --key or --unordered finds them.", *r.Shifted))
	}
	var counts [][]string
	for _, c := range d.Schema.Columns {
		if c.Differ != nil && *c.Differ > 0 {
			counts = append(counts, []string{c.Path, humanize.Comma(*c.Differ)})
		}
	}
	if len(counts) == 1 && d.compared > 1 && r.Changed > 1 {
		w.line("", "  ", printable(fmt.Sprintf("Only %s differs: in %s of %s that belong together.", counts[0][0], counts[0][1], counted(r.Changed+*r.Equal, "row"))))
	}
	if len(counts) > 0 {
		fmt.Fprintln(w)
		if err := printTable(w, []string{"column", "values that differ"}, map[string]bool{"values that differ": true}, counts); err != nil {
			return err
		}
	}
	if len(d.First) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	for _, row := range d.First {
		w.line("", "  ", printable(row.title()))
		for _, c := range row.Columns {
			text := func(v *string) string {
				if v == nil {
					return "NULL"
				}
				return *v
			}
			switch a, b, cut := c.part(shownBytes); row.Kind {
			case "only_a":
				w.line("  ", "    ", printable(c.Path+": "+text(a)+cut.String()))
			case "only_b":
				w.line("  ", "    ", printable(c.Path+": "+text(b)+cut.String()))
			default:
				w.line("  ", "    ", printable(c.Path+": "+text(a)+" → "+text(b)+cut.String()))
			}
		}
	}
	fmt.Fprintln(w)
	return nil
}

// title says which rows differ.
func (r diffRow) title() string {
	var text string
	switch {
	case r.RowB == nil:
		text = fmt.Sprintf("row %d of A is not in B", *r.RowA)
	case r.RowA == nil:
		text = fmt.Sprintf("row %d of B is not in A", *r.RowB)
	case *r.RowA == *r.RowB:
		text = fmt.Sprintf("row %d", *r.RowA)
	default:
		text = fmt.Sprintf("row %d of A, row %d of B", *r.RowA, *r.RowB)
	}
	for i, c := range r.Key {
		v := c.A
		if v == nil {
			v = c.B
		}
		text += map[bool]string{true: ": ", false: ", "}[i == 0] + c.Path + " = "
		if v == nil {
			text += "NULL"
		} else {
			text += shorten(*v, 100)
		}
	}
	return text
}
