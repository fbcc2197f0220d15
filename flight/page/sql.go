package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/drawing"
	"github.com/arrowio/arrowio/internal/workers"
)

const (
	maxSQL     = 4000 // bytes
	resultRows = 200
)

// scanLine says what was read of a dataset.
type scanLine struct{ Dataset, Columns, Filter string }

type sqlPage struct {
	Query   string
	Ran     bool
	Columns []columnHead
	Rows    [][]cell
	All     int  // columns
	More    bool // rows
	Scans   []scanLine
	Trouble string
}

// MostRows is how many rows are shown.
func (d *sqlPage) MostRows() int { return resultRows }

// MostSQL is how long a query may be.
func (d *sqlPage) MostSQL() int { return maxSQL }

// ask shows the box, with the query of the address in it, which is not run: an address of another site would run it, too.
func (p *Page) ask(_ context.Context, v *flight.Visit, r *http.Request) (*answer, error) {
	if !v.HasSQL() {
		return nil, errNoSQL
	}
	q := r.URL.Query().Get("query")
	return sqlAnswer(&sqlPage{Query: q[:min(len(q), maxSQL)]}), nil
}

var errNoSQL = status.Error(codes.NotFound, "this server answers no SQL here: a build with DuckDB does, without --sql-subset")

func sqlAnswer(d *sqlPage) *answer {
	return &answer{template: "sql.html", frame: frame{Title: "SQL", At: "sql"}, data: d}
}

// asked runs the query of the form.
func (p *Page) asked(ctx context.Context, v *flight.Visit, r *http.Request) (*answer, error) {
	if !v.HasSQL() {
		return nil, errNoSQL
	}
	d := &sqlPage{Query: strings.TrimSpace(strings.ReplaceAll(r.PostFormValue("query"), "\r\n", "\n"))}
	switch {
	case d.Query == "":
		d.Trouble = "There is no query in the box."
		return sqlAnswer(d), nil
	case len(d.Query) > maxSQL:
		d.Trouble = fmt.Sprintf("The query is longer than %d bytes.", maxSQL)
		return sqlAnswer(d), nil
	}
	select {
	case p.reads <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-p.reads }()
	err := workers.Catch(func() error { return v.Query(ctx, d.Query, d.read) })
	v.Sent(int64(len(d.Rows)), 1, 0)
	switch {
	case errors.Is(err, errs.ErrInternal):
		return nil, err // what it says is for the log
	case err != nil && ctx.Err() != nil:
		d.Trouble = "The query was stopped after " + p.o.Timeout.String() + "."
	case err != nil:
		d.Trouble = drawing.Text(err.Error())
	}
	return sqlAnswer(d), nil
}

// read takes the first rows.
func (d *sqlPage) read(rows flight.SQLRows) error {
	fields := rows.Schema().Fields()
	d.All = len(fields)
	for _, f := range fields[:min(len(fields), columnsAtOnce)] {
		d.Columns = append(d.Columns, columnHead{drawing.Named(f.Name), typeName(f.Type), right(f.Type)})
	}
	for !d.More {
		rec, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		n := min(int(rec.NumRows()), resultRows-len(d.Rows))
		for _, row := range cellsOf(rec, n) {
			d.Rows = append(d.Rows, row[:len(d.Columns)])
		}
		d.More = int64(n) < rec.NumRows()
		rec.Release()
	}
	d.Ran = true
	if s, ok := rows.(flight.SQLScanned); ok {
		for _, scan := range s.Scans() {
			d.Scans = append(d.Scans, scanLine{drawing.Short(scan.Dataset), drawing.Clip(strings.Join(scan.Columns, ", "), 400), drawing.Clip(scan.Filter, 400)})
		}
	}
	return nil
}
