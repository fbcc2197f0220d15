package browse

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

// list is a table of known lines with a cursor: columns of a file, stripes, the fields of a record, help.
type list struct {
	columns []tableColumn
	rows    [][]string
	styles  []string // of the rows; nil = none
	order   []int    // rows as they are shown
	widths  []int
	sort    int // column that the order is of; -1 = none
	desc    bool
	sought  string // text of the last search in it

	cursor, top, left int
	height            int // lines of rows on the screen, when last drawn
}

func newList(columns []tableColumn, rows [][]string) *list {
	l := &list{columns: columns, sort: -1}
	l.set(rows)
	return l
}

// set replaces the rows, which are escaped, and keeps the place.
func (l *list) set(rows [][]string) {
	for _, row := range rows {
		for k := range row {
			row[k] = safe(row[k])
		}
	}
	l.rows, l.widths = rows, make([]int, len(l.columns))
	widen(l.widths, l.columns, rows)
	l.arrange()
	l.move(0)
}

// at returns the number of the row under the cursor; -1 = there are none.
func (l *list) at() int {
	if len(l.order) == 0 {
		return -1
	}
	return l.order[l.cursor]
}

// status tells where the cursor is, and the order.
func (l *list) status() string {
	text := fmt.Sprintf("%s of %s", humanize.Comma(int64(l.cursor+1)), humanize.Comma(int64(len(l.rows))))
	if l.sort >= 0 {
		if text += " · sorted by " + cmp.Or(l.columns[l.sort].name, "the unnamed column"); l.desc {
			text += ", descending"
		}
	}
	return text
}

// move moves the cursor by n rows.
func (l *list) move(n int) {
	l.cursor = max(0, min(l.cursor+n, len(l.rows)-1))
}

// turn moves left by n columns.
func (l *list) turn(n int) {
	l.left = max(0, min(l.left+n, len(l.columns)-2))
}

// sortNext sorts by the next column, and after the last one by none.
func (l *list) sortNext() {
	l.sort = (l.sort+2)%(len(l.columns)+1) - 1
	l.desc = l.sort > 0 && l.columns[l.sort].right // the largest first
	l.arrange()
}

func (l *list) flip() {
	if l.sort >= 0 {
		l.desc = !l.desc
		l.arrange()
	}
}

func (l *list) arrange() {
	l.order = make([]int, len(l.rows))
	for i := range l.order {
		l.order[i] = i
	}
	if l.sort < 0 {
		return
	}
	c := l.columns[l.sort]
	l.widths[l.sort] = max(l.widths[l.sort], min(wide(c.name)+1, cellMost))
	keys := make([]sortKey, len(l.rows))
	for i, row := range l.rows {
		keys[i] = keyOf(row[l.sort], c.right, "")
	}
	sortBy(l.order, keys, l.desc)
}

// hides reports whether columns that a line of a width does not show, or not in full, lie to the right.
func (l *list) hides(shown []int, width int) bool {
	if len(shown) == 0 || width < 3 {
		return false
	}
	used := -gap
	for _, k := range shown {
		used += l.widths[k] + gap
	}
	return shown[len(shown)-1] < len(l.columns)-1 || used > width
}

// view draws the list.
func (l *list) view(width, height int) []string {
	l.height = max(1, height-1)
	l.top = max(min(l.top, l.cursor), l.cursor-l.height+1)
	l.top = max(0, min(l.top, len(l.rows)-l.height))
	shown := visible(l.widths, 1, l.left+1, width)
	mark, room := "", width
	if l.hides(shown, width) {
		mark, room = " ›", width-2
	}
	out := []string{line(shown, l.widths, l.columns, room, func(k int) (string, string) {
		name := l.columns[k].name
		if k == l.sort {
			name = sortMark(name, l.widths[k], l.desc)
		}
		return name, heading
	}) + mark}
	for i := l.top; i < min(l.top+l.height, len(l.order)); i++ {
		row := l.rows[l.order[i]]
		style := ""
		if l.styles != nil {
			style = l.styles[l.order[i]]
		}
		text := line(shown, l.widths, l.columns, width, func(k int) (string, string) {
			if i == l.cursor {
				return row[k], ""
			}
			return row[k], style
		})
		if i == l.cursor {
			text = reversed(text, width)
		}
		out = append(out, text)
	}
	return out
}

// sortMark adds the order to the name that is sorted by, within a width.
func sortMark(name string, width int, desc bool) string {
	mark := "▲"
	if desc {
		mark = "▼"
	}
	return cut(name, width-1) + mark
}

// sortKey is a cell to sort by: numbers by value, text by bytes, what is empty or null last.
type sortKey struct {
	none   bool
	number *big.Float
	text   string
}

// keyOf returns the key of a cell. null is the text of a null; "" = none has it.
func keyOf(text string, number bool, null string) sortKey {
	if text == "" || null != "" && text == null {
		return sortKey{none: true}
	}
	if number {
		f, ok := new(big.Float).SetPrec(256).SetString(strings.ReplaceAll(text, ",", ""))
		if ok {
			return sortKey{number: f, text: text}
		}
	}
	return sortKey{text: text}
}

// Order returns the numbers of cells in the order in which the key s shows their rows.
func Order(cells []string, number, desc bool) []int {
	keys, order := make([]sortKey, len(cells)), make([]int, len(cells))
	for i, cell := range cells {
		keys[i], order[i] = keyOf(cell, number, "NULL"), i
	}
	sortBy(order, keys, desc)
	return order
}

func sortBy(order []int, keys []sortKey, desc bool) {
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := keys[a], keys[b]
		if x.none || y.none {
			return cmp.Compare(btoi(x.none), btoi(y.none))
		}
		c := cmp.Compare(x.text, y.text)
		switch {
		case x.number != nil && y.number != nil:
			c = x.number.Cmp(y.number)
		case x.number != nil || y.number != nil: // NaN and the like after the numbers
			c = cmp.Compare(btoi(x.number == nil), btoi(y.number == nil))
		}
		if desc {
			return -c
		}
		return c
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
