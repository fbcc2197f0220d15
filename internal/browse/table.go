package browse

import "strings"

// Widths of the cells of tables, in columns of the terminal.
const (
	cellMost  = 40 // text is clipped to this
	numberMax = 80 // what may not be clipped is clipped to this
	gap       = 2  // between cells
)

// tableColumn is a column of a table on the screen.
type tableColumn struct {
	name  string
	right bool
	whole bool // not clipped to cellMost
}

// widen sets widths[k] to what the header and the cells of column k need, and never makes it narrower.
func widen(widths []int, columns []tableColumn, rows [][]string) {
	for k, c := range columns {
		n := max(widths[k], wide(c.name))
		for _, row := range rows {
			if k < len(row) {
				n = max(n, wide(row[k]))
			}
		}
		most := cellMost
		if c.whole {
			most = numberMax
		}
		widths[k] = max(min(n, most), 1)
	}
}

// visible chooses the columns that a line of a width has room for: the first frozen ones, and those from left on. The last may be cut.
func visible(widths []int, frozen, left, width int) (shown []int) {
	used := 0
	add := func(k int) bool {
		if used >= width && len(shown) > 0 {
			return false
		}
		shown = append(shown, k)
		used += widths[k] + gap
		return true
	}
	for k := 0; k < min(frozen, len(widths)); k++ {
		if !add(k) {
			return shown
		}
	}
	for k := max(left, frozen); k < len(widths); k++ {
		if !add(k) {
			break
		}
	}
	return shown
}

// line writes cells side by side. styles are those of the cells; nil = none.
func line(shown, widths []int, columns []tableColumn, width int, cell func(k int) (text, style string)) string {
	var b strings.Builder
	used := 0
	for i, k := range shown {
		room := min(widths[k], width-used)
		if room <= 0 {
			break
		}
		text, style := cell(k)
		b.WriteString(styled(style, fit(text, room, columns[k].right)))
		used += room
		if i < len(shown)-1 {
			n := min(gap, width-used)
			b.WriteString(strings.Repeat(" ", max(n, 0)))
			used += n
		}
	}
	return b.String()
}
