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

	hit hit // of the last search
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

// turnPage moves by the columns that a screen of a width has room for.
func (v *rowsView) turnPage(fields []Field, width int, back bool) {
	if len(v.columns) == 0 {
		return
	}
	room := v.room(width)
	v.reveal(fields, width)
	left := max(v.left, v.frozen)
	if back {
		if v.at = left - 1; v.at <= v.frozen {
			v.at, v.left = 0, 0
			return
		}
		v.left = v.leftFor(v.at, fields, room)
		return
	}
	shown, _ := v.onScreen(fields, room)
	next := shown[len(shown)-1]
	if next <= left || v.leftFor(next, fields, room) <= left {
		next++ // it was seen whole, or cannot be
	}
	if v.at = min(next, len(v.columns)-1); v.at >= v.frozen {
		v.left = v.at
	}
}

// reveal moves the columns on a screen of a width so that the one under the cursor is seen whole, if it can be.
func (v *rowsView) reveal(fields []Field, width int) {
	if v.at >= v.frozen && v.at < len(v.columns) {
		v.left = min(max(v.left, v.frozen, v.leftFor(v.at, fields, v.room(width))), v.at)
	}
}

// leftFor returns the first column, behind those that stay, with which column at is still seen whole.
func (v *rowsView) leftFor(at int, fields []Field, room int) int {
	used := v.cellWidth(at, fields, room)
	for i := range min(v.frozen, at) {
		used += v.cellWidth(i, fields, room) + gap
	}
	left := at
	for left > v.frozen {
		if used += v.cellWidth(left-1, fields, room) + gap; used > room {
			break
		}
		left--
	}
	return left
}

// onScreen chooses the columns that there is room for, with their widths: those that stay on the left, and those from left on. The last
// may be cut.
func (v *rowsView) onScreen(fields []Field, room int) (shown, widths []int) {
	used := 0
	for i := 0; i < len(v.columns) && (used < room || len(shown) == 0); i++ {
		if i == min(v.frozen, len(v.columns)) {
			i = max(v.left, i)
		}
		shown, widths = append(shown, i), append(widths, v.cellWidth(i, fields, room))
		used += widths[len(widths)-1] + gap
	}
	return shown, widths
}

// cellWidth returns the width of a column: that of its name, as long as nothing is known of the values. Those that stay on the left
// leave a third of the screen to the others.
func (v *rowsView) cellWidth(i int, fields []Field, room int) int {
	n, ok := v.widths[v.columns[i]]
	if !ok {
		n = min(wide(safe(fields[v.columns[i]].Name)), cellMost)
	}
	n = max(n, minimumWidth)
	if len(v.columns) == 1 {
		return n
	}
	most := room - gap - minimumWidth
	if v.frozen < len(v.columns) && i < v.frozen {
		most = room*2/3/v.frozen - gap
	}
	return max(min(n, most), 1)
}

// gutter is the width of the numbers of rows.
func (v *rowsView) gutter() int {
	n, all := v.count()
	last := v.top + int64(v.height) // about the widest number of a row
	if all {
		last = min(last, n)
	}
	if v.sorted != nil {
		last = v.sorted.first + n
	}
	return max(len(humanize.Comma(last)), 3)
}

// room is the width of the cells on a screen of a width.
func (v *rowsView) room(width int) int { return max(width-v.gutter()-gap, 1) }

// needed lists the fields that may be on a screen of a width: frozen ones and those from left on.
func (v *rowsView) needed(width int) []int {
	out := []int{} // nil would be all
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
	if m.tab != tabRows || v.height == 0 {
		return nil
	}
	v.reveal(m.data.Fields(), m.width)
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
			keys := make([]string, len(cells))
			for i, row := range cells {
				keys[i] = row[0]
			}
			s := &sorted{by: by, desc: desc, first: first}
			for _, i := range Order(keys, field.Number, desc) {
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
	gutter, room := v.gutter(), v.room(width)
	indexes, widths := v.onScreen(fields, room)
	shown, columns := make([]int, len(indexes)), make([]tableColumn, len(indexes))
	for k, i := range indexes {
		shown[k], columns[k] = k, fieldColumn(fields[v.columns[i]])
	}
	out := []string{styled(faint, fit("row", gutter, true)) + "  " + line(shown, widths, columns, room, func(k int) (string, string) {
		name := columns[k].name
		if v.sorted != nil && v.sorted.by == v.columns[indexes[k]] {
			name = sortMark(name, widths[k], v.sorted.desc)
		}
		if indexes[k] == v.at {
			return name, "\x1b[1;4;36m"
		}
		return name, heading
	})}
	for i := v.top; i < v.top+int64(v.height); i++ {
		if all && i >= n {
			break
		}
		row := v.number(i)
		have := len(shown) == 0
		text := line(shown, widths, columns, room, func(k int) (string, string) {
			field := v.columns[indexes[k]]
			cell, ok := v.window.cell(row, field)
			if !ok {
				return "·", faint
			}
			have = true
			switch {
			case i == v.cursor && indexes[k] == v.at:
				return cell, "\x1b[27;1m"
			case i == v.cursor && row == v.hit.row && field == v.hit.column:
				return cell, "\x1b[1;4m"
			case i == v.cursor:
				return cell, ""
			case row == v.hit.row && field == v.hit.column:
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

// status tells where the cursor is.
func (v *rowsView) status(fields []Field) string {
	n, all := v.rows.Count()
	text := counted(n, "row")
	if !all {
		text = "at least " + text
	}
	if v.where != "" {
		if text = counted(n, "row") + " match"; n == 1 {
			text += "es"
		}
		if !all {
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
