package main

import (
	"fmt"
	"slices"
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

	limit     int      // of the lines of a kind, and of the columns of a row
	strictly  []string // all that differs, and counts only with --strict
	compared  int      // columns
	onlyApart bool     // all that differs is columns whose values could not be compared
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
	d := &diffDoc{Compared: "position", First: []diffRow{}, limit: f.limit.n}
	switch {
	case f.schemaOnly:
		d.Compared = "schema"
	case f.unordered:
		d.Compared = "unordered"
	case len(f.key) > 0:
		d.Compared = "key"
	}
	d.Schema = newDiffSchema(p, schemas)
	return d
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
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
	if f.strict && !s.Same {
		if d.Same {
			d.strictly = s.kinds()
		}
		d.Same = false
	}
	d.onlyApart = d.Same && d.apart() > 0
	d.Same = d.Same && !d.onlyApart
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
	case d.Rows == nil:
		return w.printLine(d.schemaVerdict())
	case d.Same:
		return w.printLine("They are equal.")
	case d.Rows.Equal == nil && d.onlyApart:
		return w.printLine("Not compared: no row could be.")
	case d.Rows.Equal == nil:
		return w.printLine("They differ: no row could be compared.")
	case d.onlyApart:
		return w.printLine("They are equal as far as they could be compared; " + plural(d.apart(), "column") + " could not be.")
	case len(d.strictly) > 0:
		return w.printLine("They differ, but only in what --strict counts: " + strings.Join(d.strictly, ", ") + ".")
	}
	return w.printLine("They differ.")
}

// schemaVerdict is the last line where no row was looked at.
func (d *diffDoc) schemaVerdict() string {
	kinds := d.Schema.kinds()
	counts := map[bool]string{true: "only --strict counts that", false: "that counts"}
	switch {
	case len(d.Schema.OnlyA)+len(d.Schema.OnlyB) > 0:
		return "The schemas differ: columns are in one input only. No row was compared."
	case d.apart() > 0 && len(kinds) == 0:
		return "The schemas are the same, but values of " + plural(d.apart(), "column") + " cannot be compared. No row was compared."
	case len(kinds) > 0:
		return "The schemas differ in " + strings.Join(kinds, ", ") + "; " + counts[d.Same || len(d.strictly) > 0] + ". No row was compared."
	}
	return "The schemas are the same. No row was compared."
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
	if len(counts) == 1 && d.compared > 1 && r.Changed > 1 && r.Shifted == nil {
		w.line("", "  ", printable(fmt.Sprintf("Only %s differs: in %s of %s that belong together.", counts[0][0], counts[0][1], counted(r.Changed+*r.Equal, "row"))))
	}
	if shown := min(len(counts), d.limit); shown > 0 {
		fmt.Fprintln(w)
		if err := printTable(w, []string{"column", "values that differ"}, map[string]bool{"values that differ": true}, counts[:shown]); err != nil {
			return err
		}
	}
	d.tellMore(w, "", len(counts), "column", "with values that differ")
	if len(d.First) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	for _, row := range d.First {
		w.line("", "  ", printable(row.title()))
		for _, c := range row.Columns[:min(len(row.Columns), d.limit)] {
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
		d.tellMore(w, "  ", len(row.Columns), "column", "")
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
