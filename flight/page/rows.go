package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/celltext"
	"github.com/arrowio/arrowio/internal/drawing"
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

type cell struct {
	Text  string
	Whole string // what opens; "" = Text is short
	Null  bool
	Right bool
}

// sample is rows as text.
type sample struct {
	Rows [][]cell
	err  error
}

type rowsPage struct {
	heading
	Where   string
	Columns []columnHead
	First   int64 // the number of the first row
	sample
	Trouble        string
	Previous, Next string
	ColumnPager    pager
}

func (p *Page) rows(ctx context.Context, v *flight.Visit, r *http.Request) (*answer, error) {
	e, err := v.Open(ctx, r.PathValue("name"))
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	d := &rowsPage{heading: headingOf(e, "rows"), Where: strings.TrimSpace(q.Get("where"))}
	if n, err := strconv.ParseInt(q.Get("from"), 10, 64); err == nil && n > 0 {
		d.First = min(n, lastRow)
	}
	o := arrowio.ScanOptions{BatchRows: rowsAtOnce, Rows: arrowio.RowRange{Start: d.First, End: d.First + rowsAtOnce}}
	filtered := url.Values{}
	switch {
	case len(d.Where) > maxWhere:
		d.Where, d.Trouble = "", fmt.Sprintf("The filter is longer than %d characters.", maxWhere)
	case d.Where != "":
		filtered.Set("where", d.Where)
		if o.Filter, err = expr.Parse(d.Where); err == nil {
			_, err = expr.Bind(o.Filter, e.Schema)
		}
		if err != nil {
			d.Trouble = drawing.Text(err.Error())
		}
	}
	if d.Where != "" || !e.Numbered() {
		d.First, o.Rows = 0, arrowio.RowRange{}
	}
	base := d.URL + "/rows"
	d.ColumnPager = newPager(r, "column", int64(e.Schema.NumFields()), columnsAtOnce, base+"?"+d.query(0, filtered))
	for _, f := range e.Schema.Fields()[d.ColumnPager.From:d.ColumnPager.To] {
		d.Columns = append(d.Columns, columnHead{drawing.Named(f.Name), typeName(f.Type), right(f.Type)})
		if d.ColumnPager.Partial() {
			o.Columns = append(o.Columns, expr.Quote(f.Name))
		}
	}
	if d.Trouble == "" {
		d.sample = p.sample(ctx, v, e, o)
		switch err := d.err; {
		case errors.Is(err, errs.ErrInternal):
			return nil, err // what it says is for the log
		case err != nil && ctx.Err() != nil:
			d.Trouble = "Reading was stopped after " + p.o.Timeout.String() + "."
		case err != nil && status.Code(err) != codes.Unknown:
			return nil, err
		case err != nil:
			d.Trouble = drawing.Text(e.Public(err).Error())
		}
	}
	if d.Where == "" && e.Numbered() {
		if d.First > 0 {
			d.Previous = base + "?" + d.query(max(0, d.First-rowsAtOnce), filtered)
		}
		if len(d.Rows) == rowsAtOnce && (e.Rows == arrowio.UnknownRows || d.Last() < e.Rows) {
			d.Next = base + "?" + d.query(d.First+rowsAtOnce, filtered)
		}
	}
	return &answer{template: "rows.html", frame: frame{Title: e.Name + ": rows", At: "datasets"}, data: d}, nil
}

// query makes the part of an address that says which rows and columns are shown.
func (d *rowsPage) query(from int64, with url.Values) string {
	q := url.Values{}
	for k, v := range with {
		q[k] = v
	}
	if from > 0 {
		q.Set("from", strconv.FormatInt(from, 10))
	}
	if c := d.ColumnPager.From; c > 0 {
		q.Set("column", strconv.FormatInt(c, 10))
	}
	return q.Encode()
}

// Last is the number behind the last row.
func (d *rowsPage) Last() int64 { return d.First + int64(len(d.Rows)) }

// sample reads the first rows of a scan, for as long as ctx lasts, and returns those that it has until then.
func (p *Page) sample(ctx context.Context, v *flight.Visit, e *flight.Entry, o arrowio.ScanOptions) sample {
	select {
	case p.reads <- struct{}{}:
	case <-ctx.Done():
		return sample{err: ctx.Err()}
	}
	// What reads may not look at ctx for a while: the request does not wait for it. Its place is free when it has ended.
	rows := make(chan []cell, rowsAtOnce)
	ended := make(chan error, 1)
	go func() {
		defer func() { <-p.reads }()
		ended <- workers.Catch(func() error { return read(ctx, v, e, o, rows) })
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
		return out
	}
}

// read sends at most as many rows as there is room for.
func read(ctx context.Context, v *flight.Visit, e *flight.Entry, o arrowio.ScanOptions, rows chan<- []cell) error {
	scan, err := v.Scan(ctx, e, o)
	if err != nil {
		return err
	}
	defer scan.Release()
	for left := rowsAtOnce; left > 0 && scan.Next(); {
		rec := scan.Record()
		n := min(left, int(rec.NumRows()))
		for _, row := range cellsOf(rec, n) {
			rows <- row
		}
		left -= n
	}
	return scan.Err()
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
