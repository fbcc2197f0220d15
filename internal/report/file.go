package report

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/drawing"
)

const (
	maxBands    = 40 // of a picture
	maxFacts    = 100
	maxNotes    = 100
	maxMembers  = 500
	maxUnits    = 200 // of a filter
	linkedCells = 40  // of a picture, which a keyboard reaches
)

// file is what a report keeps of an input.
type file struct {
	File
	facts    []arrowio.Fact
	notes    []string
	warnings []string
	more     left
	layout   *drawing.Layout
	columns  []*column // the largest first
	stored   int64     // of all columns
	groups   []arrowio.GroupInfo
	index    int64 // bytes of indexes
	findings []Finding
	schemas  []notation
	types    []fieldType // of the schema
}

// left is how many of each are left out.
type left struct{ Warnings, Notes, Facts, Units int }

// fieldType is a column of the schema, for comparing files.
type fieldType struct{ name, text string }

// condense keeps of a file what is shown.
func condense(f File) *file {
	k := &file{File: f}
	for _, w := range f.Warnings[:min(len(f.Warnings), maxNotes)] {
		k.warnings = append(k.warnings, drawing.Text(w.String()))
	}
	k.more.Warnings = max(0, len(f.Warnings)-maxNotes)
	if f.Schema != nil {
		for _, x := range f.Schema.Fields() {
			k.types = append(k.types, fieldType{x.Name, x.Type.String()})
		}
		if f.Schema.NumFields() > 0 {
			k.notations()
		}
	}
	of := repeating(f.Schema)
	if f.Schema == nil && f.Info != nil {
		of = repeating(f.Info.Schema)
	}
	k.Schema, k.Warnings = nil, nil
	k.printable()
	if f.Info == nil {
		return k
	}
	info := f.Info
	for _, n := range info.Notes[:min(len(info.Notes), maxNotes)] {
		k.notes = append(k.notes, drawing.Text(n))
	}
	k.more.Notes = max(0, len(info.Notes)-maxNotes)
	k.more.Facts = max(0, len(info.Facts)-maxFacts) + max(0, len(info.Metadata)-maxFacts)
	for _, x := range info.Facts[:min(len(info.Facts), maxFacts)] {
		k.facts = append(k.facts, arrowio.Fact{Name: drawing.Short(x.Name), Value: drawing.Clip(x.Value, 400)})
	}
	for i, key := range slices.Sorted(maps.Keys(info.Metadata)) {
		if i == maxFacts {
			break
		}
		k.facts = append(k.facts, arrowio.Fact{Name: drawing.Short(key), Value: drawing.Clip(string(info.Metadata[key]), 400)})
	}
	k.layout = drawing.New(info).Fold(maxBands)
	k.groups = info.Groups
	for i := range info.Groups {
		k.index += drawing.Bounded(info.Groups[i].Index)
	}
	for i := range info.Columns {
		c := newColumn(&info.Columns[i], i, of)
		if i < k.layout.Columns() && k.layout.Unit != "split" {
			c.nulls = k.layout.Nulls(i)
		}
		k.columns = append(k.columns, c)
		k.stored += drawing.Bounded(info.Columns[i].Bytes)
	}
	slices.SortStableFunc(k.columns, func(a, b *column) int { return compareBytes(a, b) })
	k.findings = k.advice()
	kept := *info // without what is large
	kept.Columns, kept.Groups, kept.Splits = nil, nil, nil
	kept.Members = kept.Members[:min(len(kept.Members), maxMembers)]
	k.Info = &kept
	k.File.Info = &kept
	k.splits(len(info.Splits))
	return k
}

// printable makes texts that are shown as they are fit for that.
func (k *file) printable() {
	k.Unread = drawing.Text(k.Unread)
	if v := k.Verdict; v != nil {
		clean := &Verdict{OK: v.OK, Said: drawing.Text(v.Said), FaultsOf: v.FaultsOf}
		for _, f := range v.Faults {
			clean.Faults = append(clean.Faults, drawing.Text(f))
		}
		k.Verdict = clean
	}
	if f := k.Filter; f != nil {
		k.more.Units = max(0, len(f.Units)-maxUnits)
		clean := &Filter{Text: drawing.Text(f.Text), Reads: drawing.Text(f.Reads), Names: f.Names}
		for _, u := range f.Units[:min(len(f.Units), maxUnits)] {
			u.Unit = drawing.Short(u.Unit)
			by := make([]string, len(u.By))
			for i := range u.By {
				by[i] = drawing.Clip(u.By[i], 60)
			}
			u.By = by
			clean.Units = append(clean.Units, u)
		}
		k.Filter = clean
	}
}

// splits notes the number of splits, where the format has no groups.
func (k *file) splits(n int) {
	if len(k.groups) == 0 && n > 1 {
		k.facts = append([]arrowio.Fact{{Name: "splits", Value: strconv.Itoa(n)}}, k.facts...)
	}
}

// shown is a file as the template shows it.
type shown struct {
	ID       string
	Inner    bool // it is one of several
	Open     bool
	Name     string
	Format   string
	Version  string
	Writer   string
	Error    string
	Info     *arrowio.Info
	Warnings []string
	Verdict  *Verdict
	Filter   *Filter
	Findings []Finding
	Unread   string

	Drawing *drawing.Drawing
	Unit    string
	Groups  int
	Strips  int // columns that have one
	Joined  int // groups that are one stroke of a strip
	Blocks  int

	Columns   []columnLine
	ColumnsOf int
	Has       has

	Bands     []groupLine
	BandsOf   int
	Members   []memberLine
	MembersOf int
	Facts     []arrowio.Fact
	Notes     []string
	More      left
	Schemas   []notation
	Sample    *sampled
}

// groupLine is a line of the list of groups.
type groupLine struct {
	Number int
	Rows   int64
	Off    int64
	Bytes  int64
	Index  int64
	Detail string
}

// memberLine is a line of the list of what a directory holds.
type memberLine struct {
	arrowio.MemberInfo
	Bad    bool
	Option string
}

func (k *file) show(i int, inner bool, l level, common string) *shown {
	s := &shown{
		ID: "f" + strconv.Itoa(i) + "-", Inner: inner, Open: i == 0, Name: drawing.Clip(strings.TrimPrefix(k.Name, common), 300), Error: drawing.Text(k.Error), Info: k.Info,
		Warnings: k.warnings, Verdict: k.Verdict, Filter: k.Filter, Findings: k.findings, Unread: k.Unread, Blocks: k.Blocks,
		Facts: k.facts, Notes: k.notes, More: k.more, ColumnsOf: len(k.columns), BandsOf: len(k.groups),
	}
	if !inner {
		s.ID = ""
	}
	for _, n := range k.schemas {
		s.Schemas = append(s.Schemas, notation{n.Name, lines(n.Text, l.schema), n.Trouble})
	}
	if k.Sample != nil {
		s.Sample = k.Sample.show(l)
	}
	if k.Info == nil {
		return s
	}
	s.Format, s.Version, s.Writer = drawing.Clip(k.Info.Format, 40), drawing.Short(k.Info.Version), drawing.Short(k.Info.Writer)
	s.Unit, s.Groups = k.unit(), len(k.groups)
	s.Drawing = k.layout.Draw(drawing.Options{By: k.layout.Telling(), To: k.layout.Bands(), Cells: l.cells, ID: s.ID + "layout"})
	s.Strips, s.Joined = l.strips, (len(k.groups)+l.strokes-1)/l.strokes
	at := map[int]bool{} // columns that are listed
	for n, c := range k.columns[:min(len(k.columns), l.columns)] {
		s.Columns = append(s.Columns, c.line(k.stored, s.ID, n < l.strips, l.strokes))
		s.Has.add(&s.Columns[n])
		at[c.number] = true
	}
	if s.Drawing != nil {
		s.link(at)
	}
	for i, g := range k.groups[:min(len(k.groups), l.groups)] {
		s.Bands = append(s.Bands, groupLine{i, g.Rows.Len(), g.Off, g.Bytes, g.Index, drawing.Clip(g.Detail, 300)})
	}
	s.MembersOf = len(k.Info.Members)
	for _, m := range k.Info.Members[:min(len(k.Info.Members), l.listed)] {
		line := memberLine{MemberInfo: m, Bad: badState(m.State)}
		line.Kind, line.Name, line.ID, line.State, line.Detail = drawing.Clip(m.Kind, 40), drawing.Short(m.Name), drawing.Short(m.ID), drawing.Short(m.State), drawing.Clip(m.Detail, 300)
		for _, o := range m.Open {
			line.Option = strings.TrimSpace(line.Option + " " + drawing.Short("--"+o.Option+" "+o.Value))
		}
		s.Members = append(s.Members, line)
	}
	return s
}

// badState reports whether the state of a member means that something is wrong with it.
func badState(s string) bool {
	s = strings.ToLower(s)
	return strings.Contains(s, "damaged") || strings.Contains(s, "corrupt") || strings.Contains(s, "missing") || strings.Contains(s, "unreadable") || strings.Contains(s, "lost") ||
		strings.Contains(s, "failed")
}

// link makes the largest cells of columns that are listed lead to them.
func (s *shown) link(listed map[int]bool) {
	var cells []*drawing.Cell
	for b := range s.Drawing.Bands {
		for c := range s.Drawing.Bands[b].Cells {
			if x := &s.Drawing.Bands[b].Cells[c]; x.Label != "" && listed[x.Column] {
				cells = append(cells, x)
			}
		}
	}
	slices.SortStableFunc(cells, func(a, b *drawing.Cell) int { return int(min(1, max(-1, b.Bytes-a.Bytes))) })
	for _, c := range cells[:min(len(cells), linkedCells)] {
		c.URL = "#" + s.ID + "c" + strconv.Itoa(c.Column)
	}
}

// lines makes text of several lines printable, and cuts it after n bytes.
func lines(s string, n int) string {
	var b strings.Builder
	more := 0
	for line := range strings.Lines(s) {
		if b.Len() > n {
			more++
			continue
		}
		b.WriteString(drawing.Clip(strings.TrimSuffix(line, "\n"), 500))
		b.WriteByte('\n')
	}
	if more > 0 {
		b.WriteString("… (" + drawing.Plural(more, "more line") + " left out)\n")
	}
	return b.String()
}

// Plural is the heading of the groups.
func (s *shown) Plural() string {
	return strings.ToUpper(s.Unit[:1]) + s.Unit[1:] + "s"
}
