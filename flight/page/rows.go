package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/celltext"
	"github.com/arrowio/arrowio/internal/drawing"
	"github.com/arrowio/arrowio/internal/extsort"
	"github.com/arrowio/arrowio/internal/workers"
)

const (
	rowsAtOnce    = 50
	columnsAtOnce = 40
	maxWhere      = 2000 // bytes
	lastRow       = 1 << 60
	valueLimit    = 160      // bytes of a value that are shown
	openLimit     = 1000     // and that can be opened
	openAtOnce    = 64 << 10 // bytes of values of a batch that can be opened
	shortCell     = 40       // bytes that need not be opened
)

type columnHead struct {
	Name, Type string
	Right      bool
}

// sortedHead is a column of rows that can be sorted.
type sortedHead struct {
	columnHead
	By      string // the order that it leads to; "" = there is none
	Next    string // that in words
	Sorted  string // aria-sort; "" = by another column
	Upwards bool
}

type cell struct {
	Text  string
	Whole string // what opens; "" = Text is short
	Null  bool
	Right bool
}

// sample is rows as text.
type sample struct {
	Rows [][]cell
	more bool // rows behind them
	err  error
}

type rowsPage struct {
	heading
	*shown
	Columns []sortedHead
	First   int64 // the number of the first row
	sample
	Previous, Next string
	Deep           bool // there are more rows than pages of a sorted view reach
	ColumnPager    pager
	Downloads      []choice // formats; Key is the address
}

func (p *Page) rows(ctx context.Context, v *flight.Visit, r *http.Request) (*answer, error) {
	e, err := v.Open(ctx, r.PathValue("name"))
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	if by := q.Get("by"); by != "" { // a button of a head
		q.Set("sort", by)
		return &answer{location: datasetURL(e.Name) + "/rows?" + showing(e, q).query()}, nil
	}
	d := &rowsPage{heading: headingOf(e, "rows"), shown: showing(e, q)}
	d.asked(v)
	if n, err := strconv.ParseInt(q.Get("from"), 10, 64); err == nil && n > 0 {
		d.First = min(n, lastRow)
	}
	base := d.URL + "/rows"
	d.ColumnPager = newPager(r, "column", int64(len(d.columns)), columnsAtOnce, base+"?"+d.query())
	columns := d.columns[d.ColumnPager.From:d.ColumnPager.To]
	for _, i := range columns {
		d.Columns = append(d.Columns, d.head(i))
	}
	if d.Trouble == "" {
		for _, f := range downloadable {
			d.Downloads = append(d.Downloads, choice{Key: base + f.extension + "?" + d.query(), Name: f.name})
		}
	}
	if d.Sorted >= 0 && d.First > maxSorted-rowsAtOnce {
		d.wrong(fmt.Sprintf("Pages of sorted rows end behind row %s: %s, or download the rows.", drawing.Count(maxSorted), d.Fewer()))
	} else if d.Trouble == "" {
		d.sample = p.sample(ctx, v, e, d.wanted(columns))
		v.Sent(int64(len(d.Rows)), 1, 0)
		if err := d.told(ctx, p.o.Timeout); err != nil {
			return nil, err
		}
	}
	d.turn(base)
	return &answer{template: "rows.html", frame: frame{Title: e.Name + ": rows", At: "datasets"}, data: d}, nil
}

func (d *rowsPage) head(i int) sortedHead {
	f := d.e.Schema.Field(i)
	h := sortedHead{columnHead: columnHead{drawing.Named(f.Name), typeName(f.Type), right(f.Type)}}
	if d.sortable(i) == nil {
		h.By, h.Next = d.turned(i), "ascending"
		if strings.HasPrefix(h.By, "-") {
			h.Next = "descending"
		}
	}
	if d.Sorted == i {
		h.Sorted, h.Upwards = "ascending", !d.Descending
		if d.Descending {
			h.Sorted = "descending"
		}
	}
	return h
}

// told says what went wrong with reading; what it returns is for all of the page.
func (d *rowsPage) told(ctx context.Context, timeout time.Duration) error {
	switch err := d.err; {
	case err == nil:
	case errors.Is(err, errs.ErrInternal):
		return err // what it says is for the log
	case ctx.Err() != nil && d.Sorted >= 0:
		d.Trouble = "Reading was stopped after " + timeout.String() + ", before all rows were there to be sorted. Set a filter."
	case ctx.Err() != nil:
		d.Trouble = "Reading was stopped after " + timeout.String() + "."
	case errors.Is(err, errs.ErrLimit) && d.Sorted >= 0:
		d.Trouble = "These rows cannot be sorted here, since they are too large: choose fewer columns, or set a filter."
	case status.Code(err) != codes.Unknown:
		return err
	default:
		d.Trouble = drawing.Text(d.e.Public(err).Error())
	}
	return nil
}

// turn sets the ways to the rows before and the next ones.
func (d *rowsPage) turn(base string) {
	column := strconv.FormatInt(d.ColumnPager.From, 10)
	to := func(from int64) string {
		return base + "?" + d.query("from", strconv.FormatInt(from, 10), "column", column)
	}
	if d.First > 0 {
		before := max(0, d.First-rowsAtOnce)
		if d.Sorted >= 0 {
			before = min(before, maxSorted-rowsAtOnce)
		}
		d.Previous = to(before)
	}
	switch {
	case !d.more:
	case d.Sorted >= 0 && d.First+2*rowsAtOnce > maxSorted:
		d.Deep = true
	default:
		d.Next = to(d.First + rowsAtOnce)
	}
}

// Unsorted is the address of the rows in the order of the dataset.
func (d *rowsPage) Unsorted() string { return d.URL + "/rows?" + d.query("sort", "") }

// Fewer says how there are fewer rows.
func (d *rowsPage) Fewer() string {
	if d.Where != "" {
		return "narrow the filter"
	}
	return "set a filter"
}

// MostSorted is how many rows pages of sorted rows reach.
func (d *rowsPage) MostSorted() int64 { return maxSorted }

// Last is the number behind the last row.
func (d *rowsPage) Last() int64 { return d.First + int64(len(d.Rows)) }

// wanted says which rows are shown of a scan.
type wanted struct {
	arrowio.ScanOptions
	skip    int64         // rows in front
	by      []extsort.Key // nil = the order of the dataset
	columns int           // that are shown; another may be there to sort by
}

// wanted says what to read for a page. The row behind those of the page tells that there are more.
func (d *rowsPage) wanted(columns []int) wanted {
	w := wanted{ScanOptions: d.scan(columns), skip: d.First, by: d.by(columns), columns: len(columns)}
	w.BatchRows = rowsAtOnce + 1
	switch {
	case d.Plain() && d.e.Numbered():
		w.Rows, w.skip = arrowio.RowRange{Start: d.First, End: d.First + rowsAtOnce + 1}, 0
	case d.Sorted >= 0 || d.First > 0:
		w.BatchRows, w.BatchBytes = 4096, 1<<20
	}
	return w
}

// sample reads the first rows of a scan, for as long as ctx lasts, and returns those that it has until then.
func (p *Page) sample(ctx context.Context, v *flight.Visit, e *flight.Entry, w wanted) sample {
	select {
	case p.reads <- struct{}{}:
	case <-ctx.Done():
		return sample{err: ctx.Err()}
	}
	// What reads may not look at ctx for a while: the request does not wait for it. Its place is free when it has ended.
	rows := make(chan []cell, rowsAtOnce+1)
	ended := make(chan error, 1)
	go func() {
		defer func() { <-p.reads }()
		ended <- workers.Catch(func() error { return read(ctx, v, e, w, rows) })
	}()
	var out sample
	var done bool
	for !done {
		select {
		case out.err = <-ended:
			done = true
		case <-ctx.Done():
			out.err, done = ctx.Err(), true
		}
	}
	for {
		select {
		case row := <-rows:
			out.Rows = append(out.Rows, row)
			continue
		default:
		}
		break
	}
	if len(out.Rows) > rowsAtOnce {
		out.Rows, out.more = out.Rows[:rowsAtOnce], true
	}
	return out
}

// read sends the rows of a page and one more.
func read(ctx context.Context, v *flight.Visit, e *flight.Entry, w wanted, rows chan<- []cell) (err error) {
	scan, err := v.Scan(ctx, e, w.ScanOptions)
	if err != nil {
		return err
	}
	defer scan.Release()
	skip, left := w.skip, int64(rowsAtOnce+1)
	send := func(rec arrow.Record) {
		n := rec.NumRows()
		from := min(skip, n)
		to := min(n, from+left)
		skip -= from
		left -= to - from
		part := rec.NewSlice(from, to)
		defer part.Release()
		for _, row := range cellsOf(part, int(to-from)) {
			rows <- row[:w.columns]
		}
	}
	if w.by == nil {
		for left > 0 && scan.Next() {
			send(scan.Record())
		}
		return scan.Err()
	}
	first := &top{schema: scan.Schema(), by: w.by, most: skip + left}
	defer func() { err = errors.Join(err, first.close()) }()
	for ctx.Err() == nil && scan.Next() {
		if err := first.add(ctx, scan.Record()); err != nil {
			return err
		}
	}
	if err := errors.Join(scan.Err(), ctx.Err()); err != nil {
		return err
	}
	return first.each(ctx, func(rec arrow.Record) error {
		send(rec)
		return nil
	})
}

func cellsOf(rec arrow.Record, n int) [][]cell {
	out := make([][]cell, n)
	for i := range out {
		out[i] = make([]cell, rec.NumCols())
	}
	c, open := &celltext.Cell{Limit: openLimit + 8, Brief: true}, openAtOnce
	for k, col := range rec.Columns() {
		write, right := celltext.New(col), right(col.DataType())
		for i := range out {
			c.Text = c.Text[:0]
			write(c, i)
			s := clipped(string(c.Text), valueLimit)
			out[i][k] = cell{Text: s, Null: s == celltext.Null, Right: right}
			if whole := clipped(string(c.Text), openLimit); len(whole) > shortCell && len(whole) <= open {
				out[i][k].Whole = whole
				open -= len(whole)
			}
		}
	}
	return out
}

func clipped(text string, most int) string {
	s, cut := celltext.Clip(text, most)
	if cut {
		s += "…"
	}
	return s
}

// right reports whether values of a type stand at the right of their column.
func right(t arrow.DataType) bool {
	return arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID()) || arrow.IsDecimal(t.ID())
}

// Final is the number of the last row.
func (d *rowsPage) Final() int64 { return d.Last() - 1 }

// Number is that of a row of the page.
func (d *rowsPage) Number(i int) string { return drawing.Count(d.First + int64(i)) }
