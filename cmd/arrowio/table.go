package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/arrowio/arrowio/internal/celltext"
)

// showFlags are the flags about how rows are printed.
type showFlags struct {
	expanded bool
	noPager  bool
}

func addShowFlags(cmd *cobra.Command) *showFlags {
	f := &showFlags{}
	fs := cmd.Flags()
	fs.BoolVarP(&f.expanded, "expanded", "x", false, "print a table with every field on a line of its own")
	fs.BoolVar(&f.noPager, "no-pager", false, "never start $PAGER, or less, for what does not fit the screen")
	return f
}

// Limits of the rows that set the widths of a table: number of rows, bytes of text, and on a terminal the time to wait for
// them.
const (
	tableRows  = 1000
	tableBytes = 8 << 20
	tableWait  = 2 * time.Second
)

// newTablePrinter prints rows as a table on standard output, through a pager where that is a terminal.
func (a *app) newTablePrinter(s *arrow.Schema, f *showFlags) rowPrinter {
	w := a.page(f)
	width := a.lineWidth()
	if f.expanded {
		return newExpandedPrinter(w, s, width)
	}
	return &tablePrinter{w: w, width: width, schema: s}
}

// tablePrinter prints batches as a table. It keeps the text of the first rows until they have set the widths.
type tablePrinter struct {
	w      io.Writer
	width  int // of the terminal; 0 = none
	schema *arrow.Schema

	grid  *grid
	shown []int      // columns that fit, in order
	held  [][]string // rows that settle the widths: all columns
	bytes int        // of held
	since time.Time  // of the first row held
	rows  int64
}

// Write prints a batch.
func (t *tablePrinter) Write(rec arrow.Record) error {
	if rec.NumRows() == 0 {
		return nil
	}
	t.rows += rec.NumRows()
	writers := cellWriters(rec)
	c := &celltext.Cell{Limit: cellLimit}
	i, n := 0, int(rec.NumRows())
	for ; t.grid == nil && i < n; i++ {
		t.hold(c, writers, i)
		if len(t.held) == tableRows || t.bytes > tableBytes {
			if err := t.start(); err != nil {
				return err
			}
		}
	}
	if t.grid == nil && t.width > 0 && time.Since(t.since) > tableWait {
		if err := t.start(); err != nil {
			return err
		}
	}
	if t.grid == nil {
		return nil
	}
	row := make([]string, len(t.shown))
	for ; i < n; i++ {
		for at, k := range t.shown {
			row[at] = cellText(c, writers, k, i)
		}
		if err := t.grid.row(row); err != nil {
			return err
		}
	}
	return t.grid.flush()
}

// cellWriters returns for each column the function that writes its values.
func cellWriters(rec arrow.Record) []celltext.Writer {
	writers := make([]celltext.Writer, rec.NumCols())
	for k, col := range rec.Columns() {
		writers[k] = celltext.New(col)
	}
	return writers
}

// elided is shown in place of columns that are left out.
const elided = -1

// cellText returns the text of column k in row i.
func cellText(c *celltext.Cell, writers []celltext.Writer, k, i int) string {
	if k == elided {
		return gridEllipsis
	}
	c.Text = c.Text[:0]
	writers[k](c, i)
	return string(c.Text)
}

// hold keeps a row until the widths are set.
func (t *tablePrinter) hold(c *celltext.Cell, writers []celltext.Writer, i int) {
	if len(t.held) == 0 {
		t.since = time.Now()
	}
	row := make([]string, len(writers))
	for k := range writers {
		row[k] = cellText(c, writers, k, i)
		t.bytes += len(row[k]) + 16
	}
	t.held = append(t.held, row)
}

// start chooses the columns that are shown and their widths, and prints the rows that were kept.
func (t *tablePrinter) start() (err error) {
	all := make([]gridColumn, t.schema.NumFields())
	names := shownFields(t.schema.Fields())
	for k, f := range t.schema.Fields() {
		all[k] = gridColumn{name: names[k], right: isNumber(f.Type), whole: isNumber(f.Type) || isShort(f.Type)}
	}
	t.shown = fitting(all, t.held, t.width)
	columns := make([]gridColumn, len(t.shown))
	rows := make([][]string, len(t.held))
	for i := range rows {
		rows[i] = make([]string, len(t.shown))
	}
	for at, k := range t.shown {
		if k == elided {
			columns[at] = gridColumn{name: gridEllipsis}
		} else {
			columns[at] = all[k]
		}
		for i, row := range t.held {
			if k == elided {
				rows[i][at] = gridEllipsis
			} else {
				rows[i][at] = row[k]
			}
		}
	}
	t.held = nil
	if t.grid, err = newGrid(t.w, columns, rows, gridMaximum, t.width); err != nil {
		return err
	}
	for _, row := range rows {
		if err := t.grid.row(row); err != nil {
			return err
		}
	}
	return nil
}

// Close prints the rows that were kept, and on a terminal a last line with the number of rows and columns.
func (t *tablePrinter) Close() error {
	err := t.finish()
	if err == nil && t.width > 0 {
		err = footer(t.w, t.rows, t.schema.NumFields(), t.shown)
	}
	if e := closeWriter(t.w); err == nil {
		err = e
	}
	return err
}

// Abort prints what is ready.
func (t *tablePrinter) Abort() error {
	var err error
	if t.grid != nil || len(t.held) > 0 {
		err = t.finish()
	}
	if e := closeWriter(t.w); err == nil {
		err = e
	}
	return err
}

// untouched reports whether nothing is printed: the printer can be let go without Close or Abort.
func (t *tablePrinter) untouched() bool { return t.grid == nil }

func (t *tablePrinter) finish() error {
	if t.grid == nil {
		if err := t.start(); err != nil {
			return err
		}
	}
	return t.grid.flush()
}

// footer counts the rows and the columns of a table.
func footer(w io.Writer, rows int64, columns int, shown []int) error {
	text := fmt.Sprintf("%s × %s", counted(rows, "row"), counted(int64(columns), "column"))
	if n := len(shown) - 1; n >= 0 && n < columns && containsElided(shown) {
		text += fmt.Sprintf(" (%d shown)", n)
	}
	_, err := fmt.Fprintln(w, text)
	return err
}

func containsElided(shown []int) bool {
	for _, k := range shown {
		if k == elided {
			return true
		}
	}
	return false
}

// counted counts things in thousands.
func counted(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return humanize.Comma(n) + " " + what
}

// expandedPrinter prints every field on a line of its own.
type expandedPrinter struct {
	to    io.Writer
	w     *bufio.Writer
	width int // of the terminal; 0 = none
	names []string
	pad   int // width of the names
	rows  int64
}

// expandedLimit is how many bytes of a value are shown.
const expandedLimit = 10_000

func newExpandedPrinter(w io.Writer, s *arrow.Schema, width int) *expandedPrinter {
	p := &expandedPrinter{to: w, w: bufio.NewWriterSize(w, 64<<10), width: width}
	p.names = shownFields(s.Fields())
	p.pad = padding(p.names, width)
	return p
}

// padding is how wide a column of names is: as wide as they are, but for the half of a terminal that values need.
func padding(names []string, width int) int {
	pad := 0
	for _, n := range names {
		pad = max(pad, displayWidth(n))
	}
	if width > 0 {
		pad = min(pad, width/2)
	}
	return min(pad, gridMaximum)
}

// Write prints a batch.
func (p *expandedPrinter) Write(rec arrow.Record) error {
	writers := cellWriters(rec)
	c := &celltext.Cell{Limit: expandedLimit}
	values := make([]string, len(writers))
	for i := range int(rec.NumRows()) {
		for k := range writers {
			values[k] = cellText(c, writers, k, i)
			if len(values[k]) > expandedLimit {
				cut, _ := celltext.Clip(values[k], expandedLimit)
				values[k] = cut + gridEllipsis
			}
		}
		p.rows++
		expand(p.w, fmt.Sprintf("row %s", humanize.Comma(p.rows)), p.names, values, p.pad, p.width, cutWidth)
	}
	return p.w.Flush()
}

// expand prints a title and names with their values, a line each, more lines for values that are wider than the terminal: cut
// says where they break. Where it gives lines that do not fit beside the names, they stand below the name.
func expand(w *bufio.Writer, title string, names, values []string, pad, width int, cut func(text string, width int) []string) {
	title = "─ " + title + " "
	line := width
	if line == 0 {
		line = max(pad+3+20, displayWidth(title))
	}
	w.WriteString(title + strings.Repeat("─", max(0, line-displayWidth(title))) + "\n")
	for k, name := range names {
		if displayWidth(name) > pad {
			name = clip(name, pad)
		}
		parts := values[k : k+1]
		if width > 0 {
			parts = cut(values[k], max(1, width-pad-displayWidth(gridSeparator)))
		}
		if room := width - pad - displayWidth(gridSeparator); width > 0 && slices.ContainsFunc(parts, func(p string) bool { return displayWidth(p) > room }) {
			w.WriteString(name + ":\n  " + strings.Join(parts, "\n  ") + "\n")
			continue
		}
		for i, part := range parts {
			if i > 0 {
				name = ""
			}
			w.WriteString(name)
			writeSpaces(w, pad-displayWidth(name))
			w.WriteString(gridSeparator)
			w.WriteString(part)
			w.WriteString("\n")
		}
	}
}

// cutWidth cuts text into parts of at most width columns, wherever that is.
func cutWidth(text string, width int) []string {
	if displayWidth(text) <= width {
		return []string{text}
	}
	var parts []string
	start, used := 0, 0
	for i, r := range text {
		n := displayWidth(string(r))
		if used+n > width && i > start {
			parts = append(parts, text[start:i])
			start, used = i, 0
		}
		used += n
	}
	return append(parts, text[start:])
}

// untouched reports whether nothing is printed: the printer can be let go without Close or Abort.
func (p *expandedPrinter) untouched() bool { return p.rows == 0 }

// Close ends the output, on a terminal with a last line that counts rows and columns.
func (p *expandedPrinter) Close() error {
	err := p.w.Flush()
	if err == nil && p.width > 0 {
		err = footer(p.to, p.rows, len(p.names), nil)
	}
	if e := closeWriter(p.to); err == nil {
		err = e
	}
	return err
}

// Abort prints what is ready.
func (p *expandedPrinter) Abort() error {
	err := p.w.Flush()
	if e := closeWriter(p.to); err == nil {
		err = e
	}
	return err
}

func isNumber(t arrow.DataType) bool {
	return arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID()) || arrow.IsDecimal(t.ID())
}

// isShort reports whether the values of a type are short and say nothing when they are clipped.
func isShort(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.BOOL, arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		return true
	}
	return false
}
