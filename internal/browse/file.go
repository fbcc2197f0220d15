package browse

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize"
)

// fileView is what is shown of one file: the lists of three views.
type fileView struct {
	file                   *File // nil = not read yet
	fault                  error
	facts, columns, groups *list
}

// openFile shows another file in the views that are about one, and in the rows its first.
func (m *Model) openFile(i int) tea.Cmd {
	if m.tab == tabRows {
		if i >= 0 && m.data.Broken(i) == nil {
			return m.goToFile(i)
		}
		m.tab = tabOverview // which says what is wrong with it
	}
	if i < 0 || i >= len(m.data.Files()) || i == m.file && m.of.file != nil {
		return nil
	}
	m.file, m.of = i, fileView{}
	m.stop(taskDetail)
	return tea.Batch(m.readFile(taskFile, false), m.enter(m.tab))
}

// readFile reads what a file says of itself.
func (m *Model) readFile(k kind, details bool) tea.Cmd {
	data, i := m.data, m.file
	return m.start(k, func(ctx context.Context, _ *atomic.Int64) func(*Model) tea.Cmd {
		f, err := data.File(ctx, i, details)
		return func(m *Model) tea.Cmd {
			if err != nil {
				if m.of.file == nil {
					m.of.fault = err
				}
				m.fail(err)
				return nil
			}
			if m.of.file == nil || details {
				m.of.show(f)
			}
			return nil
		}
	})
}

// show makes the lists. What was already shown keeps its place.
func (v *fileView) show(f *File) {
	v.file, v.fault = f, nil
	facts := make([][]string, len(f.Facts))
	for i, x := range f.Facts {
		facts[i] = []string{x.Name, x.Value}
	}
	keep(&v.facts, []tableColumn{{name: "", whole: true}, {name: "", whole: true}}, facts)
	v.facts.widths[1] = 1 << 20 // as wide as the screen
	columns := make([][]string, len(f.Columns))
	for i, c := range f.Columns {
		columns[i] = []string{
			c.Name, c.Type, size(c.Bytes), share(c.Bytes, f.Columns), c.Encodings, c.Codec, count(c.Nulls), count(c.Values), c.Min, c.Max, ratio(c.Bytes, c.Raw), c.Stored,
		}
	}
	keep(&v.columns, []tableColumn{
		{name: "column"},
		{name: "type"},
		{name: "bytes", right: true},
		{name: "share", right: true},
		{name: "encodings"},
		{name: "codec"},
		{name: "nulls", right: true},
		{name: "values", right: true},
		{name: "min"},
		{name: "max"},
		{name: "ratio", right: true},
		{name: "stored as"},
	}, columns)
	groups := make([][]string, len(f.Groups))
	most := int64(1)
	for _, g := range f.Groups {
		most = max(most, g.Bytes)
	}
	for i, g := range f.Groups {
		off := ""
		if g.Off >= 0 {
			off = count(g.Off)
		}
		groups[i] = []string{count(int64(i)), count(g.First), count(g.Rows), size(g.Bytes), bar(g.Bytes, most), off, g.Detail}
	}
	keep(&v.groups, []tableColumn{
		{name: cmp.Or(f.GroupOf, "split"), right: true},
		{name: "first row", right: true},
		{name: "rows", right: true},
		{name: "bytes", right: true},
		{name: ""},
		{name: "offset", right: true},
		{name: "what the format says"},
	}, groups)
}

func keep(l **list, columns []tableColumn, rows [][]string) {
	if *l == nil {
		*l = newList(columns, rows)
		return
	}
	(*l).columns = columns
	(*l).set(rows)
}

// share is the part of the bytes of all columns, in per cent.
func share(n int64, all []Column) string {
	total := int64(0)
	for _, c := range all {
		total += max(c.Bytes, 0)
	}
	if n < 0 || total <= 0 {
		return ""
	}
	return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(total))
}

// barWidth is the width of the longest bar.
const barWidth = 16

// bar draws a number beside the largest of its kind.
func bar(n, most int64) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat("█", max(1, int(float64(n)/float64(most)*barWidth)))
}

func count(n int64) string {
	if n < 0 {
		return ""
	}
	return humanize.Comma(n)
}

func size(n int64) string { return count(n) }

func ratio(stored, raw int64) string {
	if raw <= 0 || stored <= 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(raw)/float64(stored))
}

// showColumn opens the statistics and the blocks of the column under the cursor.
func (m *Model) showColumn() tea.Cmd {
	l := m.of.columns
	if l == nil || l.at() < 0 {
		return nil
	}
	i, data, file := l.at(), m.data, m.file
	o := &overlay{place: inColumn, title: "column " + safe(m.of.file.Columns[i].Name), column: i}
	m.push(o)
	have := m.of.file
	return m.fill(o, func(ctx context.Context) (func(), error) {
		f := have
		if !f.Details {
			var err error
			if f, err = data.File(ctx, file, true); err != nil {
				return nil, err
			}
		}
		if i >= len(f.Columns) {
			return nil, errChanged
		}
		lines, details := detailLines(f, f.Columns[i])
		return func() {
			if m.file == file && !have.Details {
				m.of.show(f)
			}
			o.list = newList(detailColumns, lines)
			o.keys = map[string]func(*Model) tea.Cmd{"enter": func(m *Model) tea.Cmd {
				if k := o.list.at(); k >= 0 {
					return m.showDetail(f, &f.Columns[i], details[k])
				}
				return nil
			}}
		}, nil
	})
}

var detailColumns = []tableColumn{
	{name: "of", whole: true},
	{name: "rows", right: true},
	{name: "encoding"},
	{name: "offset", right: true},
	{name: "bytes", right: true},
	{name: "nulls", right: true},
	{name: "min"},
	{name: "max"},
	{name: "raw bytes", right: true},
	{name: "values", right: true},
	{name: "first value"},
}

// detail is what a line about a column stands for: a block, a fact, a group's statistics, or otherwise the column in the whole file.
type detail struct {
	block *Block
	fact  *Fact
	group int // -1 = it is not about one
	name  string
}

// showDetail opens what a line about a column stands for.
func (m *Model) showDetail(f *File, c *Column, d detail) tea.Cmd {
	title := c.Name + " · " + d.name
	switch {
	case d.block != nil:
		b := d.block
		if b.Elsewhere != "" || b.Off < 0 || b.Bytes <= 0 {
			m.note = "the bytes of this block are not in one place of this file: " + b.Elsewhere
			return nil
		}
		return m.showBytes(fmt.Sprintf("%s %s", c.Name, b.Kind), b.Off, b.Bytes)
	case d.fact != nil && d.fact.Name == "index":
		for k := range c.Blocks {
			b := &c.Blocks[k]
			if kind := strings.ToLower(b.Kind); b.Elsewhere == "" && b.Off >= 0 && b.Bytes > 0 && (strings.Contains(kind, "index") || strings.Contains(kind, "bloom")) {
				return m.showBytes(fmt.Sprintf("%s %s", c.Name, b.Kind), b.Off, b.Bytes)
			}
		}
		m.note = "the index has no block of its own here: " + d.fact.Value
		return nil
	case d.fact != nil && d.fact.Name != "sum":
		return m.showText(title, d.fact.Value)
	case d.group >= 0:
		g := c.Groups[d.group]
		rows := int64(-1)
		if d.group < len(f.Groups) {
			rows = f.Groups[d.group].Rows
		}
		return m.showStatistics(title, []Fact{
			{"rows", count(rows)}, {"values", count(g.Values)}, {"nulls", count(g.Nulls)}, {"least value", g.Min}, {"greatest value", g.Max}, {NotUsed, g.Doubt},
		})
	}
	return m.showStatistics(title, append([]Fact{
		{"type", c.Type},
		{"encodings", c.Encodings},
		{"codec", c.Codec},
		{"bytes", count(c.Bytes)},
		{"bytes before compression", count(c.Raw)},
		{"times as small", ratio(c.Bytes, c.Raw)},
		{"values", count(c.Values)},
		{"nulls", count(c.Nulls)},
		{"least value", c.Min},
		{"greatest value", c.Max},
		{"blocks", count(int64(len(c.Blocks)))},
	}, c.Facts...))
}

// NotUsed is the name of the reason why filters do not use statistics.
const NotUsed = "not used by filters"

// showStatistics opens what is known of a column, with the names of the values.
func (m *Model) showStatistics(title string, facts []Fact) tea.Cmd {
	var lines [][]string
	for _, x := range facts {
		if x.Value != "" {
			lines = append(lines, []string{x.Name, x.Value})
		}
	}
	if len(lines) == 0 {
		m.note = "the file says nothing about this"
		return nil
	}
	o := &overlay{place: inStatistics, title: safe(title), list: newList([]tableColumn{{name: "what", whole: true}, {name: "value", whole: true}}, lines)}
	o.list.widths[1] = 1 << 20 // as wide as the screen
	m.push(o)
	return nil
}

// detailLines lists the column as a whole, and of each group its statistics and blocks, and what each line is.
func detailLines(f *File, c Column) (lines [][]string, details []detail) {
	add := func(d detail, cells ...string) {
		d.name = cells[0]
		lines, details = append(lines, cells), append(details, d)
	}
	add(detail{group: -1}, "whole file", "", c.Encodings, "", count(c.Bytes), count(c.Nulls), c.Min, c.Max, count(c.Raw), count(c.Values), "")
	for i, x := range c.Facts {
		add(detail{group: -1, fact: &c.Facts[i]}, x.Name, "", x.Value, "", "", "", "", "", "", "", "")
	}
	group := cmp.Or(f.GroupOf, "split")
	byGroup := map[int][]*Block{}
	for i := range c.Blocks {
		byGroup[c.Blocks[i].Group] = append(byGroup[c.Blocks[i].Group], &c.Blocks[i])
	}
	most := max(len(c.Groups), len(f.Groups))
	for g := range byGroup {
		most = max(most, g+1)
	}
	for g := range most {
		name := group + " " + strconv.Itoa(g)
		if g < len(c.Groups) {
			s := c.Groups[g]
			rows := ""
			if g < len(f.Groups) {
				rows = count(f.Groups[g].Rows)
			}
			add(detail{group: g}, name, rows, "", "", "", count(s.Nulls), s.Min, s.Max, "", count(s.Values), "")
		}
		for _, b := range byGroup[g] {
			off := count(b.Off)
			if b.Elsewhere != "" {
				off = b.Elsewhere
			}
			kind := cmp.Or(b.Kind, "block")
			add(detail{group: -1, block: b}, name+" "+kind, count(b.Rows), b.Encoding, off, count(b.Bytes), "", "", "", count(b.Raw), "", b.First)
		}
	}
	return lines, details
}

// showGroupRows goes to the first row of the group under the cursor.
func (m *Model) showGroupRows() tea.Cmd {
	l := m.of.groups
	g := m.of.file.Groups[l.at()]
	if g.Rows < 0 && g.First != 0 {
		m.note = "it is not known where these rows begin"
		return nil
	}
	var cmd tea.Cmd
	if m.rows.where != "" {
		if _, c := m.setFilter(""); c != nil {
			cmd = c
		}
	}
	rows, file := m.rows.rows, m.file
	return tea.Batch(cmd, m.start(taskOver, func(ctx context.Context, _ *atomic.Int64) func(*Model) tea.Cmd {
		row, err := rows.Place(ctx, file, g.First)
		return func(m *Model) tea.Cmd {
			if err != nil {
				m.fail(err)
				return nil
			}
			m.rows.sorted = nil
			m.rows.top = row
			m.rows.moveTo(row)
			return m.enter(tabRows)
		}
	}))
}

// showGroupBytes opens the bytes of the group under the cursor.
func (m *Model) showGroupBytes() tea.Cmd {
	l := m.of.groups
	g := m.of.file.Groups[l.at()]
	if g.Off < 0 || g.Bytes <= 0 {
		m.note = "the bytes of these rows are not in one place: open a column (2) and choose one of its blocks"
		return nil
	}
	return m.showBytes(fmt.Sprintf("%s %d", cmp.Or(m.of.file.GroupOf, "split"), l.at()), g.Off, g.Bytes)
}
