package sql

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/flight/internal/strict"
	"github.com/arrowio/arrowio/internal/sqltext"
)

// MaxTextBytes is the longest SELECT, and the most that the values of its parameters may be, as text.
const MaxTextBytes = 256 << 10

// ticket is what an endpoint of a SELECT is redeemed by, where the ticket of a command cannot say it: other names, what
// is inside of structs, a limit behind a condition, a count. As that ticket, it is all that a server needs, and is checked
// when it comes back.
type ticket struct {
	Of     json.RawMessage `json:"of,omitempty"`    // the ticket of the server that the rows come from
	Items  []item          `json:"items,omitempty"` // columns, of those of Of; none = as they are
	Limit  *int64          `json:"limit,omitempty"` // rows; nil = all
	Offset int64           `json:"offset,omitzero"` // rows before them
	Count  string          `json:"count,omitempty"` // the name of the only column: how many rows there are
	One    *one            `json:"one,omitempty"`   // a constant, and nothing else
	Ask    *asked          `json:"ask,omitempty"`   // a statement for the engine, and nothing else
}

type item struct {
	Path string `json:"path"`
	Name string `json:"name"`
}

// one is a table of one column, and one row or none.
type one struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	Date  bool   `json:"date,omitzero"` // Value is days since 1970-01-01
	None  bool   `json:"none,omitzero"` // no row
}

func (o *one) schema() *arrow.Schema {
	if o.Date {
		return arrow.NewSchema([]arrow.Field{{Name: o.Name, Type: arrow.FixedWidthTypes.Date32}}, nil)
	}
	return countSchema(o.Name)
}

// record returns the table. The caller releases it.
func (o *one) record() arrow.Record {
	b := array.NewRecordBuilder(memory.NewGoAllocator(), o.schema())
	defer b.Release()
	switch f := b.Field(0).(type) {
	case *array.Date32Builder:
		if !o.None {
			f.Append(arrow.Date32(o.Value))
		}
	case *array.Int64Builder:
		if !o.None {
			f.Append(o.Value)
		}
	}
	return b.NewRecord()
}

// oneOf is what a SELECT without a dataset returns.
func oneOf(sel *sqltext.Select) *one {
	it := sel.Items[0]
	o := &one{Name: it.Name, Value: it.One, Date: it.Today, None: sel.Limit == 0}
	if it.Today {
		o.Value = int64(arrow.Date32FromTime(time.Now().UTC()))
	}
	return o
}

// parseTicket reads the handle of a TicketStatementQuery.
func parseTicket(b []byte) (*ticket, error) {
	t := &ticket{}
	if len(b) > maxMessageBytes {
		return nil, errs.Errorf(errs.ErrOption, "a statement handle of %d bytes; the most is %d", len(b), maxMessageBytes)
	}
	if err := strict.Decode(b, t); err != nil {
		return nil, errs.Errorf(errs.ErrOption, "statement handle: %w", err)
	}
	if a := t.Ask; a != nil {
		if t.One != nil || t.Of != nil || t.Items != nil || t.Count != "" || len(a.SQL) > MaxTextBytes || len(a.Values) > 2*maxBindBytes || len(a.Query) != len(newID()) || !validSpent(a.Spent) {
			return nil, errs.Errorf(errs.ErrOption, "a statement handle that was not made here")
		}
		return t, nil
	}
	switch {
	case (t.One != nil) == (t.Of != nil), t.Offset < 0, t.Limit != nil && *t.Limit < 0, t.Count != "" && t.Items != nil:
		return nil, errs.Errorf(errs.ErrOption, "a statement handle that was not made here")
	}
	return t, nil
}

// pack returns the ticket that clients get.
func (t *ticket) pack() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(t); err != nil {
		return nil, errs.Errorf(errs.ErrInternal, "%w", err)
	}
	return Pack(&pb.TicketStatementQuery{StatementHandle: bytes.TrimSuffix(b.Bytes(), []byte("\n"))})
}

// plan is a SELECT that fits its dataset.
type plan struct {
	sel     *sqltext.Select
	data    Dataset       // nil = SELECT integer
	rows    Selection     // of data
	schema  *arrow.Schema // of the result
	items   []item        // nil = the columns of rows
	whole   bool          // one stream must do it
	limited bool          // by the stream, not by the rows of the command
}

// textError gives what the text is refused for its code: all of it is the client's to change.
func textError(err error) error {
	if errors.Is(err, errs.ErrUnsupported) {
		return &rpcerr.Error{Code: codes.InvalidArgument, Err: err}
	}
	return err
}

// plan reads a SELECT and looks at its dataset. Where unbound is set, there are no params yet, and the condition is
// checked for its columns alone.
func (d *Dialect) plan(ctx context.Context, text string, params []string, unbound bool) (*plan, error) {
	if len(text) > MaxTextBytes {
		return nil, errs.Errorf(errs.ErrLimit, "SQL of %d bytes; the most is %d", len(text), MaxTextBytes)
	}
	d.s.Said(ctx, text)
	sel, err := sqltext.Parse(text)
	if err != nil {
		return nil, textError(err)
	}
	p := &plan{sel: sel}
	if sel.Table == nil {
		p.schema = oneOf(sel).schema()
		return p, nil
	}
	if sel.Params > 0 && params == nil && !unbound {
		return nil, rpcerr.Errorf(codes.InvalidArgument, "SQL: no value is bound to parameters (the statement has %d): prepare the statement and bind a value to each, at the server that is asked", sel.Params)
	}
	name, err := datasetOf(sel.Table)
	if err != nil {
		return nil, err
	}
	if p.data, err = d.s.Open(ctx, name); err != nil {
		return nil, err
	}
	q := &Query{}
	if unbound {
		_, err = parameterTypes(sel, p.data.Schema())
	} else if err = p.condition(q, params); err == nil {
		err = sel.Bind(params)
	}
	if err != nil {
		return nil, err
	}
	if err := p.columns(q, p.data.Schema()); err != nil {
		return nil, err
	}
	p.limit(q)
	if p.rows, err = p.data.Select(*q); err != nil {
		return nil, err
	}
	return p, p.result()
}

// plans reads a SELECT for each row of params.
func (d *Dialect) plans(ctx context.Context, text string, params []string) ([]*plan, error) {
	first, err := d.plan(ctx, text, firstRow(text, params), false)
	if err != nil {
		return nil, err
	}
	out := []*plan{first}
	for n := first.sel.Params; n > 0 && n*len(out) < len(params); {
		p, err := d.plan(ctx, text, params[n*len(out):n*(len(out)+1)], false)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// firstRow returns the first of the rows that params are for a statement; what is wrong with the statement, plan says.
func firstRow(text string, params []string) []string {
	sel, err := sqltext.Parse(text)
	if err != nil || sel.Params >= len(params) {
		return params
	}
	return params[:sel.Params]
}

// flightInfos answers a SELECT for each row of its parameters: with the endpoints of each, one after the other.
func flightInfos(ctx context.Context, plans []*plan, at *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	out, err := plans[0].flightInfo(ctx, at)
	for _, p := range plans[1:] {
		if err != nil {
			return nil, err
		}
		var more *flight.FlightInfo
		if more, err = p.flightInfo(ctx, at); err == nil {
			out.Endpoint = append(out.Endpoint, more.Endpoint...)
			out.TotalRecords, out.TotalBytes = added(out.TotalRecords, more.TotalRecords), added(out.TotalBytes, more.TotalBytes)
		}
	}
	return out, err
}

// added adds what may be unknown, -1.
func added(a, b int64) int64 {
	if a < 0 || b < 0 {
		return -1
	}
	return a + b
}

// datasetOf returns the dataset that a table is.
func datasetOf(table []string) (string, error) {
	n := len(table)
	if n > 1 && table[n-2] != Schema || n > 2 && table[n-3] != Catalog {
		return "", rpcerr.Errorf(codes.NotFound, "SQL: there is no table %s: datasets are in %s.%s, and one with a dot in its name is written in quotes", expr.Quote(table...), Catalog, Schema)
	}
	return table[n-1], nil
}

func (p *plan) condition(q *Query, params []string) error {
	x, err := p.sel.Where(params)
	if err != nil {
		return textError(err)
	}
	if x != nil {
		q.Where = x.String()
	}
	return nil
}

// columns says what of the dataset is read, and what becomes of it.
func (p *plan) columns(q *Query, s *arrow.Schema) error {
	switch {
	case p.sel.All:
		return nil
	case p.sel.Items[0].Count:
		q.Columns, p.whole = []string{}, true
		return nil
	}
	plain := true
	seen := map[string]bool{} // fields, which may be named in several ways
	for _, it := range p.sel.Items {
		ids, err := expr.Resolve(s, it.Path)
		if err != nil {
			return errs.Errorf(errs.ErrSchema, "SQL: %w", err)
		}
		field := fmt.Sprint(ids)
		plain = plain && len(ids) == 1 && s.Field(ids[0]).Name == it.Name && !seen[field]
		if !seen[field] {
			q.Columns = append(q.Columns, it.Path)
		}
		seen[field] = true
		p.items = append(p.items, item{it.Path, it.Name})
	}
	if plain {
		p.items = nil
	}
	return nil
}

// limit says which rows are wanted: by number in the query where no condition comes before.
func (p *plan) limit(q *Query) {
	if p.sel.Limit < 0 && p.sel.Offset == 0 {
		return
	}
	if q.Where != "" || p.whole || !p.data.Numbered() {
		p.whole, p.limited = true, true
		return
	}
	to := ""
	if n := p.sel.Limit; n >= 0 && n <= math.MaxInt64-p.sel.Offset {
		to = fmt.Sprint(p.sel.Offset + n)
	}
	q.Rows = fmt.Sprintf("%d:%s", p.sel.Offset, to)
}

// result makes the schema.
func (p *plan) result() error {
	switch {
	case p.sel.Items != nil && p.sel.Items[0].Count:
		p.schema = countSchema(p.sel.Items[0].Name)
	case p.items != nil:
		x, err := newExtraction(p.rows.Schema(), p.items)
		if err != nil {
			return err
		}
		p.schema = x.schema
	default:
		p.schema = p.rows.Schema()
	}
	return nil
}

func countSchema(name string) *arrow.Schema {
	return arrow.NewSchema([]arrow.Field{{Name: name, Type: arrow.PrimitiveTypes.Int64}}, nil)
}

// flightInfo answers the SELECT.
func (p *plan) flightInfo(ctx context.Context, at *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	if p.data == nil {
		one, rows := oneOf(p.sel), int64(1)
		if one.None {
			rows = 0
		}
		b, err := (&ticket{One: one}).pack()
		return &flight.FlightInfo{
			Schema: schemaBytes(p.schema), FlightDescriptor: at, TotalRecords: rows, TotalBytes: -1, Ordered: true,
			Endpoint: []*flight.FlightEndpoint{{Ticket: &flight.Ticket{Ticket: b}}},
		}, err
	}
	info, err := p.rows.Info(ctx, p.whole)
	if err != nil {
		return nil, err
	}
	info.Schema, info.FlightDescriptor = schemaBytes(p.schema), at
	if p.whole {
		info.TotalRecords = arrowio.UnknownRows
	}
	for _, e := range info.Endpoint {
		if len(e.Ticket.Ticket) > maxMessageBytes/2 {
			return nil, errs.Errorf(errs.ErrLimit, "SQL: its ticket has %d bytes; the most is %d", len(e.Ticket.Ticket), maxMessageBytes/2)
		}
		if !p.whole && p.items == nil {
			continue // the server's own ticket says it all
		}
		t := &ticket{Of: e.Ticket.Ticket, Items: p.items}
		if p.limited {
			t.Offset = p.sel.Offset
			if p.sel.Limit >= 0 {
				t.Limit = &p.sel.Limit
			}
		}
		if p.sel.Items != nil && p.sel.Items[0].Count {
			t.Count = p.sel.Items[0].Name
		}
		if e.Ticket.Ticket, err = t.pack(); err != nil {
			return nil, err
		}
	}
	return info, nil
}
