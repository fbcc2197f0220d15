package browse

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/dustin/go-humanize"
)

// rowsView is the view of rows. It holds a window of rows around the ones on the screen, of the columns on the screen.
type rowsView struct {
	rows    Rows
	where   string
	columns []int // numbers of fields that are shown, in order
	frozen  int   // how many of them stay on the left
	left    int   // first column after them, an index in columns
	at      int   // column under the cursor, an index in columns

	top, cursor int64 // row numbers
	height      int   // of rows on the screen
	widths      map[int]int

	window  window
	wanted  window // what the running task reads
	failed  error  // of the last reading of a window
	failure window // of failed

	sorted  *sorted
	sorting sorting // the last that was begun

	found string // text of the last search
	hit   hit    // of it
}

type hit struct {
	row    int64
	column int // field; -1 = none
}

// window is rows in memory.
type window struct {
	first  int64
	n      int64 // that were asked for
	known  int64 // how many rows were known then
	fields []int // their columns
	cells  [][]string
}

// sorted is the window of rows in another order, as it was when it was sorted.
type sorted struct {
	by    int // field
	desc  bool
	first int64
	order []int64 // numbers of rows, in the order in which they are shown
}

// sorting is a window that a task sorts.
type sorting struct {
	task     int
	by       int // field
	desc     bool
	first, n int64
}

// Bounds of a window.
const (
	sortRows     = 1000
	windowMost   = 4096
	minimumWidth = 3
)

func newRowsView(rows Rows, where string, fields int) rowsView {
	v := rowsView{rows: rows, where: where, frozen: 1, widths: map[int]int{}, hit: hit{column: -1}}
	for k := range fields {
		v.columns = append(v.columns, k)
	}
	return v
}

// count returns how many rows there are, as far as is known.
func (v *rowsView) count() (int64, bool) {
	if v.sorted != nil {
		return int64(len(v.sorted.order)), true
	}
	return v.rows.Count()
}

// number returns the number of the row at a place of the screen's order.
func (v *rowsView) number(i int64) int64 {
	if v.sorted == nil {
		return i
	}
	if i < 0 || i >= int64(len(v.sorted.order)) {
		return -1
	}
	return v.sorted.order[i]
}

// moveTo moves the cursor. The rows that are not known yet are not excluded: reading tells where they end.
func (v *rowsView) moveTo(row int64) {
	n, all := v.count()
	if all {
		row = min(row, n-1)
	}
	v.cursor = max(0, row)
	v.scroll()
}

func (v *rowsView) scroll() {
	h := int64(max(v.height, 1))
	v.top = max(min(v.top, v.cursor), v.cursor-h+1)
	if n, all := v.count(); all {
		v.top = min(v.top, n-h)
	}
	v.top = max(v.top, 0)
}

// turn moves the cursor by n columns.
func (v *rowsView) turn(n int) {
	v.at = max(0, min(v.at+n, len(v.columns)-1))
	if v.at >= v.frozen {
		v.left = min(max(v.left, v.frozen), v.at)
	}
}

// needed lists the fields that may be on a screen of a width: frozen ones and those from left on.
func (v *rowsView) needed(width int) []int {
	var out []int
	most := width/(minimumWidth+gap) + 1
	for i := 0; i < min(v.frozen, len(v.columns)); i++ {
		out = append(out, v.columns[i])
	}
	for i := max(v.left, v.frozen); i < len(v.columns) && len(out) < most; i++ {
		out = append(out, v.columns[i])
	}
	return out
}

// holds reports whether a window has some rows of some fields, or is what was asked for and ends before them.
func (w *window) holds(first, n int64, fields []int) bool {
	if w.n == 0 || first < w.first || first+n > w.first+w.n {
		return false
	}
	for _, f := range fields {
		if !slices.Contains(w.fields, f) {
			return false
		}
	}
	return true
}

// cell returns the cell of a row and a field.
func (w *window) cell(row int64, field int) (string, bool) {
	i := row - w.first
	if i < 0 || i >= int64(len(w.cells)) {
		return "", false
	}
	k := slices.Index(w.fields, field)
	if k < 0 || k >= len(w.cells[i]) {
		return "", false
	}
	return w.cells[i][k], true
}

// load reads the rows that the screen needs, and some before and after them, unless they are there or being read.
func (m *Model) load() tea.Cmd {
	v := &m.rows
	if m.tab != tabRows || v.height == 0 || len(v.columns) == 0 {
		return nil
	}
	h := int64(v.height)
	first, n := v.top, h
	fields := v.needed(m.width)
	if s := v.sorted; s != nil {
		first, n = s.first, int64(len(s.order))
	} else if count, all := v.rows.Count(); all {
		n = min(n, max(count-first, 0))
	}
	known, _ := v.rows.Count()
	fresh := v.window.first+int64(len(v.window.cells)) >= min(first+n, known) || known == v.window.known
	if n == 0 || fresh && v.window.holds(first, n, fields) || v.failed != nil && v.failure.holds(first, n, fields) {
		return nil
	}
	if m.tasks[taskPage] != nil && v.wanted.holds(first, n, fields) {
		return nil
	}
	if v.sorted == nil {
		first, n = max(0, first-h), min(3*h, windowMost)
	}
	want := window{first: first, n: n, known: known, fields: fields}
	v.wanted = want
	rows := v.rows
	return m.start(taskPage, func(ctx context.Context, _ *atomic.Int64) func(*Model) tea.Cmd {
		cells, err := rows.Page(ctx, want.fields, want.first, int(want.n))
		return func(m *Model) tea.Cmd {
			v := &m.rows
			if err != nil {
				v.failed, v.failure = err, want
				return nil
			}
			want.cells = cells
			v.window, v.failed = want, nil
			v.settle(m.data.Fields())
			return m.load()
		}
	})
}

// settle takes the widths of columns from the window, and keeps the cursor among the rows.
func (v *rowsView) settle(fields []Field) {
	w := &v.window
	widths := make([]int, len(w.fields))
	columns := make([]tableColumn, len(w.fields))
	for k, f := range w.fields {
		widths[k], columns[k] = v.widths[f], fieldColumn(fields[f])
	}
	widen(widths, columns, w.cells)
	for k, f := range w.fields {
		if v.sorted != nil && v.sorted.by == f {
			widths[k] = max(widths[k], min(wide(columns[k].name)+1, cellMost)) // with the mark
		}
		v.widths[f] = widths[k]
	}
	v.moveTo(v.cursor)
}

func fieldColumn(f Field) tableColumn {
	return tableColumn{name: safe(f.Name), right: f.Number, whole: f.Number || f.Short}
}

// sortShown sorts the rows around the cursor by the column under the cursor: ascending, descending, not.
func (m *Model) sortShown() tea.Cmd {
	v := &m.rows
	by := v.columns[v.at]
	if t, s := m.tasks[taskOver], v.sorting; t != nil && t.id == s.task && s.by == by { // the key comes again before the rows are there
		if s.desc {
			m.stop(taskOver)
			return nil
		}
		return m.sortWindow(s.first, s.n, by, true)
	}
	switch s := v.sorted; {
	case s != nil && s.by == by && s.desc:
		v.unsort()
		return m.load()
	case s != nil:
		desc := s.by == by
		v.sorted = nil
		v.cursor, v.top = s.first, s.first
		return m.sortWindow(s.first, int64(len(s.order)), by, desc)
	}
	return m.sortWindow(max(0, v.top-v.top%sortRows), sortRows, by, false)
}

func (v *rowsView) unsort() {
	row := v.number(v.cursor)
	v.sorted = nil
	v.top = max(0, row-int64(v.height)/2)
	v.moveTo(row)
}

func (m *Model) sortWindow(first, n int64, by int, desc bool) tea.Cmd {
	v := &m.rows
	rows, field := v.rows, m.data.Fields()[by]
	want := window{first: first, n: n, fields: v.needed(m.width)}
	run := m.start(taskOver, func(ctx context.Context, _ *atomic.Int64) func(*Model) tea.Cmd {
		cells, err := rows.Page(ctx, []int{by}, first, int(n))
		var shown [][]string
		if err == nil {
			shown, err = rows.Page(ctx, want.fields, first, len(cells))
		}
		return func(m *Model) tea.Cmd {
			if err != nil {
				m.fail(err)
				return nil
			}
			v := &m.rows
			keys, order := make([]sortKey, len(cells)), make([]int, len(cells))
			for i, row := range cells {
				keys[i], order[i] = keyOf(row[0], field.Number, "NULL"), i
			}
			sortBy(order, keys, desc)
			s := &sorted{by: by, desc: desc, first: first}
			for _, i := range order {
				s.order = append(s.order, first+int64(i))
			}
			want.n, want.cells = int64(len(shown)), shown
			v.sorted, v.window, v.cursor, v.top = s, want, 0, 0
			v.settle(m.data.Fields())
			return m.load()
		}
	})
	v.sorting = sorting{m.lastTask, by, desc, first, n}
	return run
}

// view draws the rows.
func (v *rowsView) view(fields []Field, width, height int) []string {
	v.height = max(1, height-1)
	v.scroll()
	n, all := v.count()
	last := v.top + int64(v.height) // about the widest number of a row
	if all {
		last = min(last, n)
	}
	if v.sorted != nil {
		last = v.sorted.first + n
	}
	gutter := max(len(humanize.Comma(last)), 3)
	room := width - gutter - gap
	widths, columns := make([]int, len(v.columns)), make([]tableColumn, len(v.columns))
	for i, f := range v.columns {
		columns[i] = fieldColumn(fields[f])
		widths[i] = max(v.widths[f], minimumWidth)
		if len(v.columns) > 1 {
			widths[i] = max(min(widths[i], room-gap-minimumWidth), 1)
		}
	}
	if v.at >= v.frozen { // the column under the cursor is to be seen whole
		for v.left < v.at && !whole(visible(widths, v.frozen, v.left, room), widths, v.at, room) {
			v.left = max(v.left, v.frozen) + 1
		}
	}
	shown := visible(widths, v.frozen, v.left, room)
	out := []string{styled(faint, fit("row", gutter, true)) + "  " + line(shown, widths, columns, room, func(i int) (string, string) {
		name := columns[i].name
		if v.sorted != nil && v.sorted.by == v.columns[i] {
			name = sortMark(name, widths[i], v.sorted.desc)
		}
		if i == v.at {
			return name, "\x1b[1;4;36m"
		}
		return name, heading
	})}
	for i := v.top; i < v.top+int64(v.height); i++ {
		if all && i >= n {
			break
		}
		row := v.number(i)
		have := false
		text := line(shown, widths, columns, room, func(k int) (string, string) {
			cell, ok := v.window.cell(row, v.columns[k])
			if !ok {
				return "·", faint
			}
			have = true
			switch {
			case i == v.cursor && k == v.at:
				return cell, "\x1b[27;1m"
			case i == v.cursor && row == v.hit.row && v.columns[k] == v.hit.column:
				return cell, "\x1b[1;4m"
			case i == v.cursor:
				return cell, ""
			case row == v.hit.row && v.columns[k] == v.hit.column:
				return cell, matched
			case cell == "NULL":
				return cell, faint
			}
			return cell, ""
		})
		if !have && !all && i >= n && v.wanted.n == 0 {
			break
		}
		number := fit(humanize.Comma(row), gutter, true)
		if i == v.cursor {
			out = append(out, reversed(number+"  "+text, width))
			continue
		}
		out = append(out, styled(faint, number)+"  "+text)
	}
	return out
}

// whole reports whether column at is shown, and not cut unless it is alone beside the frozen ones.
func whole(shown, widths []int, at, room int) bool {
	used := 0
	for i, k := range shown {
		used += widths[k]
		if k == at {
			return used <= room || i <= 1
		}
		used += gap
	}
	return false
}

// status tells where the cursor is.
func (v *rowsView) status(fields []Field) string {
	n, all := v.rows.Count()
	text := humanize.Comma(n) + " rows"
	if !all {
		text = "at least " + text
	}
	if v.where != "" {
		if text = humanize.Comma(n) + " rows match"; !all {
			text += " so far"
		}
	}
	if v.sorted != nil {
		text += fmt.Sprintf(" · sorted: only rows %s to %s, which were read", humanize.Comma(v.sorted.first), humanize.Comma(v.sorted.first+int64(len(v.sorted.order))-1))
	}
	if len(v.columns) > 0 {
		f := fields[v.columns[v.at]]
		text += fmt.Sprintf(" · column %d of %d: %s %s", v.at+1, len(v.columns), safe(f.Name), safe(f.Type))
	}
	return text
}
