package main

import (
	"bufio"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const (
	gridSeparator = " │ "
	gridEllipsis  = "…"
	gridMinimum   = 8   // a column is not squeezed below this
	gridMaximum   = 100 // nor is a cell of data wider than this
)

// grid writes rows of text as aligned columns, one row at a time. The first rows set the widths; later cells that do not fit
// are clipped or widen the column. So memory does not grow with the number of rows.
type grid struct {
	w       *bufio.Writer
	right   []bool // columns aligned right: numbers
	whole   []bool // columns that are never clipped
	widths  []int
	bounded bool // lines have to fit into a terminal
}

// newGrid prints the header. first are the rows that set the widths; newGrid does not print them. A cell takes at most
// cellWidth columns, and a line at most lineWidth; 0 = no limit.
func newGrid(w io.Writer, columns []gridColumn, first [][]string, cellWidth, lineWidth int) (*grid, error) {
	g := &grid{w: bufio.NewWriterSize(w, 64<<10), widths: make([]int, len(columns)), bounded: lineWidth > 0}
	header := make([]string, len(columns))
	for k, c := range columns {
		header[k], g.right, g.whole = c.name, append(g.right, c.right), append(g.whole, c.whole)
		g.widths[k] = displayWidth(c.name)
		for _, row := range first {
			g.widths[k] = max(g.widths[k], displayWidth(row[k]))
		}
		if cellWidth > 0 {
			g.widths[k] = min(g.widths[k], cellWidth)
		}
	}
	if lineWidth > 0 {
		squeeze(g.widths, g.floors(first), lineWidth-(len(header)-1)*len([]rune(gridSeparator)))
	}
	if err := g.line(header, true); err != nil {
		return nil, err
	}
	for k, n := range g.widths {
		if k > 0 {
			g.w.WriteString("─┼─")
		}
		g.w.WriteString(strings.Repeat("─", n))
	}
	return g, g.w.WriteByte('\n')
}

// floors returns the minimum width of each column. Text can be clipped to a few characters, numbers and dates not at all, since
// a clipped number looks like another number.
func (g *grid) floors(first [][]string) []int {
	floors := make([]int, len(g.widths))
	for k := range floors {
		floors[k] = gridMinimum
		for _, row := range first {
			if g.whole[k] {
				floors[k] = max(floors[k], displayWidth(row[k]))
			}
		}
	}
	return floors
}

// gridColumn is a column of a table.
type gridColumn struct {
	name  string
	right bool // aligned right
	whole bool // never clipped
}

// fitting chooses the columns that fit into a line, and puts the column elided in place of those in the middle that do not fit.
// If there is no limit it chooses all. rows are those that set the widths.
func fitting(columns []gridColumn, rows [][]string, line int) []int {
	separator := displayWidth(gridSeparator)
	least, total := make([]int, len(columns)), -separator
	for k, c := range columns {
		width := displayWidth(c.name)
		for _, row := range rows {
			width = max(width, displayWidth(row[k]))
		}
		least[k] = min(width, gridMinimum)
		if c.whole {
			for _, row := range rows {
				least[k] = max(least[k], min(displayWidth(row[k]), gridMaximum))
			}
		}
		total += least[k] + separator
	}
	if line == 0 || total <= line || len(columns) < 2 {
		all := make([]int, len(columns))
		for k := range all {
			all[k] = k
		}
		return all
	}
	// The first columns and the last ones by turns, as long as there is room, the first of all in any case.
	left, right := 1, len(columns)
	used := least[0] + separator + displayWidth(gridEllipsis)
	full := [2]bool{} // the next column of a side does not fit; that of the other may
	for side := 1; left < right && !(full[0] && full[1]); side = 1 - side {
		k := left
		if side == 1 {
			k = right - 1
		}
		if full[side] || used+least[k]+separator > line {
			full[side] = true
			continue
		}
		used += least[k] + separator
		if side == 1 {
			right--
		} else {
			left++
		}
	}
	var shown []int
	for k := range left {
		shown = append(shown, k)
	}
	shown = append(shown, elided)
	for k := right; k < len(columns); k++ {
		shown = append(shown, k)
	}
	return shown
}

// squeeze reduces the widest columns to one common width, so that all fit into total. No column becomes narrower than its
// floor.
func squeeze(widths, floors []int, total int) {
	sum := func(width int) (n int) {
		for k := range widths {
			n += squeezed(widths[k], floors[k], width)
		}
		return n
	}
	widest := slices.Max(append([]int{0}, widths...))
	// The first width at which they do not fit any more; one less is the common width.
	width := sort.Search(widest+1, func(w int) bool { return sum(w) > total }) - 1
	if width == widest {
		return // all fit as they are
	}
	width = max(width, 0)
	left := total - sum(width)
	for k, w := range widths {
		widths[k] = squeezed(w, floors[k], width)
		if left > 0 && widths[k] < w && widths[k] == width {
			widths[k]++ // what the division leaves over
			left--
		}
	}
}

func squeezed(width, floor, to int) int { return min(width, max(floor, to)) }

// cellLimit is the number of bytes of a value that can be visible in the widest cell: four bytes for each character, and some
// to see that it was clipped.
const cellLimit = 4*gridMaximum + 8

// row prints one row.
func (g *grid) row(cells []string) error { return g.line(cells, false) }

func (g *grid) line(cells []string, header bool) error {
	for k, text := range cells {
		if k > 0 {
			g.w.WriteString(gridSeparator)
		}
		n := displayWidth(text)
		if n > g.widths[k] && !header {
			// Numbers and dates are never clipped, and text only where the line has an end: the column grows from here on.
			if g.whole[k] || !g.bounded {
				g.widths[k] = max(g.widths[k], min(n, gridMaximum))
			}
		}
		if n > g.widths[k] {
			text = clip(text, g.widths[k])
			n = displayWidth(text)
		}
		pad := max(0, g.widths[k]-n)
		if g.right[k] {
			writeSpaces(g.w, pad)
		}
		g.w.WriteString(text)
		if !g.right[k] && k < len(cells)-1 {
			writeSpaces(g.w, pad)
		}
	}
	return g.w.WriteByte('\n') // bufio keeps the first error
}

// printTable prints a table whose rows are all known; columns in right are aligned right. If the table is too wide, cells are
// wrapped; if that is not enough, each row is printed as lines of name and value.
func printTable(w sheet, header []string, right map[string]bool, rows [][]string) error {
	for _, row := range rows {
		for k := range row {
			row[k] = printable(row[k])
		}
	}
	// Columns that nothing is known about are left out.
	var used []int
	for k := range header {
		if slices.ContainsFunc(rows, func(row []string) bool { return row[k] != "" }) || k == 0 {
			used = append(used, k)
		}
	}
	pick := func(row []string) []string {
		out := make([]string, len(used))
		for i, k := range used {
			out[i] = row[k]
		}
		return out
	}
	for i := range rows {
		rows[i] = pick(rows[i])
	}
	header = pick(header)
	aligned := make([]bool, len(header))
	for k, h := range header {
		aligned[k] = right[h]
	}
	g := newTable(w, header, aligned, rows)
	if g == nil {
		return printRecords(w, header, rows)
	}
	g.header(header)
	for _, row := range rows {
		g.wrapped(row)
	}
	return g.flush()
}

// Minimum widths of wrapped cells of text, and of those in the first column, which names the row.
const (
	wrapMinimum      = 12
	wrapFirstMinimum = 32
)

// newTable sets the widths of a table whose rows are all known; nil = it does not fit even with wrapped cells.
func newTable(w sheet, header []string, right []bool, rows [][]string) *grid {
	g := &grid{w: bufio.NewWriterSize(w, 64<<10), right: right, whole: right, widths: make([]int, len(header)), bounded: w.width > 0}
	floors := make([]int, len(header))
	least := -displayWidth(gridSeparator)
	for k, h := range header {
		g.widths[k], floors[k] = displayWidth(h), wrapMinimum
		for _, row := range rows {
			n := displayWidth(row[k])
			g.widths[k] = max(g.widths[k], n)
			if right[k] {
				floors[k] = max(floors[k], n)
			} else {
				floors[k] = max(floors[k], idWidth(row[k]))
			}
		}
		if k == 0 {
			floors[k] = max(floors[k], wrapFirstMinimum)
		}
		least += min(floors[k], g.widths[k]) + displayWidth(gridSeparator)
	}
	switch {
	case w.width == 0:
	case least > w.width:
		return nil
	default:
		squeeze(g.widths, floors, w.width-(len(header)-1)*displayWidth(gridSeparator))
	}
	return g
}

// header prints the names of columns and a line below.
func (g *grid) header(names []string) {
	g.wrapped(names)
	for k, n := range g.widths {
		if k > 0 {
			g.w.WriteString("─┼─")
		}
		g.w.WriteString(strings.Repeat("─", n))
	}
	_ = g.w.WriteByte('\n') // bufio keeps the first error
}

// wrapped prints a row with wrapped cells.
func (g *grid) wrapped(cells []string) {
	parts, most := make([][]string, len(cells)), 1
	for k, text := range cells {
		parts[k] = wrapWidth(text, g.widths[k], g.widths[k])
		most = max(most, len(parts[k]))
	}
	line := make([]string, len(cells))
	for i := range most {
		for k := range line {
			line[k] = ""
			if i < len(parts[k]) {
				line[k] = parts[k][i]
			}
		}
		_ = g.line(line, false) // bufio keeps the first error
	}
}

// printRecords prints each row as lines of name and value, without empty values.
func printRecords(w sheet, header []string, rows [][]string) error {
	out := bufio.NewWriterSize(w, 64<<10)
	pad := padding(header[1:], w.width)
	for _, row := range rows {
		var names, values []string
		for k := 1; k < len(header); k++ {
			if row[k] != "" {
				names, values = append(names, header[k]), append(values, row[k])
			}
		}
		expand(out, clip(header[0]+" "+row[0], w.width-3), names, values, pad, w.width,
			func(text string, room int) []string {
				if w.width > 0 && idWidth(text) > room {
					room = w.width - 2
				}
				return wrapWidth(text, room, room)
			})
	}
	return out.Flush()
}

// idWidth returns the width of the widest word with an id of 32 hex digits; 0 = there is none. Users copy ids, so they are not
// wrapped.
func idWidth(text string) (width int) {
	const digits, most = 32, narrowest - 2
	for word := range strings.FieldsSeq(text) {
		n := displayWidth(word)
		if n >= digits && n <= most && len(strings.Trim(word, "()[]{},.:;'\"")) == digits {
			width = max(width, n)
		}
	}
	return width
}

func (g *grid) flush() error { return g.w.Flush() }

// displayWidth is how many columns of a terminal text takes.
func displayWidth(text string) int {
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c > 0x7e {
			return ansi.StringWidthWc(text)
		}
	}
	return len(text)
}

// clip cuts text to width columns, the last of them an ellipsis.
func clip(text string, width int) string {
	used := 0
	for i, r := range text {
		n := displayWidth(string(r))
		if used+n > width-1 {
			return text[:i] + gridEllipsis
		}
		used += n
	}
	return text
}

func writeSpaces(w *bufio.Writer, n int) {
	const spaces = "                                "
	for ; n > len(spaces); n -= len(spaces) {
		w.WriteString(spaces)
	}
	w.WriteString(spaces[:n])
}
