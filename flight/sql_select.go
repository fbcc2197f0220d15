package flight

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
	"github.com/apache/arrow/go/v15/arrow/scalar"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/internal/sqltext"
)

// maxSQLBytes is the longest SELECT, and the most that the values of its parameters may be, as text.
const maxSQLBytes = 256 << 10

// sqlTicket is what an endpoint of a SELECT is redeemed by, where the ticket of a command cannot say it: other names, what
// is inside of structs, a limit behind a condition, a count. As that ticket, it is all that a server needs, and is checked
// when it comes back.
type sqlTicket struct {
	Of     json.RawMessage `json:"of,omitempty"`    // the Ticket that the rows come from
	Items  []sqlItem       `json:"items,omitempty"` // columns, of those of Of; none = as they are
	Limit  *int64          `json:"limit,omitempty"` // rows; nil = all
	Offset int64           `json:"offset,omitzero"` // rows before them
	Count  string          `json:"count,omitempty"` // the name of the only column: how many rows there are
	One    *sqlOne         `json:"one,omitempty"`   // a constant, and nothing else
	rows   *Ticket         // of Of
}

type sqlItem struct {
	Path string `json:"path"`
	Name string `json:"name"`
}

type sqlOne struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// parseSQLTicket reads the handle of a TicketStatementQuery.
func parseSQLTicket(b []byte) (*sqlTicket, error) {
	t := &sqlTicket{}
	if len(b) > maxTicketBytes {
		return nil, errs.Errorf(errs.ErrOption, "a statement handle of %d bytes; the most is %d", len(b), maxTicketBytes)
	}
	if err := strict(b, t); err != nil {
		return nil, errs.Errorf(errs.ErrOption, "statement handle: %w", err)
	}
	switch {
	case (t.One != nil) == (t.Of != nil), t.Offset < 0, t.Limit != nil && *t.Limit < 0, t.Count != "" && t.Items != nil:
		return nil, errs.Errorf(errs.ErrOption, "a statement handle that was not made here")
	case t.One != nil:
		return t, nil
	}
	var err error
	t.rows, err = ParseTicket(t.Of)
	return t, err
}

// pack returns the ticket that clients get.
func (t *sqlTicket) pack() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(t); err != nil {
		return nil, errs.Errorf(errs.ErrInternal, "%w", err)
	}
	return packSQL(&pb.TicketStatementQuery{StatementHandle: bytes.TrimSuffix(b.Bytes(), []byte("\n"))})
}

// sqlPlan is a SELECT that fits its dataset.
type sqlPlan struct {
	sel     *sqltext.Select
	b       *bound        // nil = SELECT integer
	schema  *arrow.Schema // of the result
	items   []sqlItem     // nil = the columns of b
	whole   bool          // one stream must do it
	limited bool          // by the stream, not by the rows of the command
}

func (p *sqlPlan) public(err error) error {
	if p.b == nil {
		return err
	}
	return p.b.entry.Public(err)
}

// sqlError gives what the text is refused for its code: all of it is the client's to change.
func sqlError(err error) error {
	if errors.Is(err, errs.ErrUnsupported) {
		return &rpcerr.Error{Code: codes.InvalidArgument, Err: err}
	}
	return err
}

// plan reads a SELECT and looks at its dataset. Where unbound is set, there are no params yet, and the condition is
// checked for its columns alone.
func (q sql) plan(ctx context.Context, text string, params []string, unbound bool) (*sqlPlan, error) {
	if len(text) > maxSQLBytes {
		return nil, errs.Errorf(errs.ErrLimit, "SQL of %d bytes; the most is %d", len(text), maxSQLBytes)
	}
	sel, err := sqltext.Parse(text)
	if err != nil {
		return nil, sqlError(err)
	}
	p := &sqlPlan{sel: sel}
	if sel.Table == nil {
		p.schema = countSchema(sel.Items[0].Name)
		return p, nil
	}
	if sel.Params > 0 && params == nil && !unbound {
		return nil, rpcerr.Errorf(codes.InvalidArgument, "SQL: there are %d parameters, and no values are bound to them; prepare the statement and bind them", sel.Params)
	}
	name, err := sqlDataset(sel.Table)
	if err != nil {
		return nil, err
	}
	e, err := q.open(ctx, PermitRead, name, nil)
	if err != nil {
		return nil, err
	}
	c := &Command{Dataset: name}
	if unbound {
		_, err = parameterTypes(sel, e.Schema)
	} else {
		err = p.condition(c, params)
	}
	if err != nil {
		return nil, err
	}
	if err := p.columns(c, e.Schema); err != nil {
		return nil, err
	}
	p.rows(c)
	if p.b, err = c.bind(e); err != nil {
		return nil, e.Public(err)
	}
	return p, p.result()
}

// sqlDataset returns the dataset that a table is.
func sqlDataset(table []string) (string, error) {
	n := len(table)
	if n > 1 && table[n-2] != SQLSchema || n > 2 && table[n-3] != SQLCatalog {
		return "", rpcerr.Errorf(codes.NotFound, "SQL: there is no table %s: datasets are in %s.%s, and one with a dot in its name is written in quotes", expr.Quote(table...), SQLCatalog, SQLSchema)
	}
	return table[n-1], nil
}

func (p *sqlPlan) condition(c *Command, params []string) error {
	x, err := p.sel.Where(params)
	if err != nil {
		return sqlError(err)
	}
	if x != nil {
		c.Where = x.String()
	}
	return nil
}

// columns says what of the dataset is read, and what becomes of it.
func (p *sqlPlan) columns(c *Command, s *arrow.Schema) error {
	switch {
	case p.sel.All:
		return nil
	case p.sel.Items[0].Count:
		c.Columns, p.whole = []string{}, true
		return nil
	}
	plain := true
	seen := map[string]bool{}
	for _, it := range p.sel.Items {
		ids, err := expr.Resolve(s, it.Path)
		if err != nil {
			return errs.Errorf(errs.ErrSchema, "SQL: %w", err)
		}
		plain = plain && len(ids) == 1 && s.Field(ids[0]).Name == it.Name && !seen[it.Path]
		if !seen[it.Path] {
			c.Columns = append(c.Columns, it.Path)
		}
		seen[it.Path] = true
		p.items = append(p.items, sqlItem{it.Path, it.Name})
	}
	if plain {
		p.items = nil
	}
	return nil
}

// rows says which of them are wanted: by number in the command where no condition comes before.
func (p *sqlPlan) rows(c *Command) {
	if p.sel.Limit < 0 && p.sel.Offset == 0 {
		return
	}
	if c.Where != "" || p.whole {
		p.whole, p.limited = true, true
		return
	}
	to := ""
	if n := p.sel.Limit; n >= 0 && n <= math.MaxInt64-p.sel.Offset {
		to = fmt.Sprint(p.sel.Offset + n)
	}
	c.Rows = fmt.Sprintf("%d:%s", p.sel.Offset, to)
}

// result makes the schema.
func (p *sqlPlan) result() error {
	switch {
	case p.sel.Items != nil && p.sel.Items[0].Count:
		p.schema = countSchema(p.sel.Items[0].Name)
	case p.items != nil:
		x, err := newExtraction(p.b.schema, p.items)
		if err != nil {
			return err
		}
		p.schema = x.schema
	default:
		p.schema = p.b.schema
	}
	return nil
}

func countSchema(name string) *arrow.Schema {
	return arrow.NewSchema([]arrow.Field{{Name: name, Type: arrow.PrimitiveTypes.Int64}}, nil)
}

// flightInfo answers the SELECT.
func (p *sqlPlan) flightInfo(ctx context.Context, s *service, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	info := &flight.FlightInfo{Schema: schemaBytes(p.schema), FlightDescriptor: d, Ordered: true}
	if p.b == nil {
		b, err := (&sqlTicket{One: &sqlOne{p.sel.Items[0].Name, p.sel.Items[0].One}}).pack()
		info.Endpoint, info.TotalRecords, info.TotalBytes = []*flight.FlightEndpoint{{Ticket: &flight.Ticket{Ticket: b}}}, 1, -1
		return info, err
	}
	parts, err := p.parts(ctx, s.o.EndpointBytes)
	if err != nil {
		return nil, err
	}
	query := randomID()
	info.Endpoint, info.TotalRecords, info.TotalBytes = p.b.flightEndpoints(parts, dataset.SchemaHash(p.b.schema), query, s.o.Advertise)
	if p.whole {
		info.TotalRecords = arrowio.UnknownRows
	}
	for _, e := range info.Endpoint {
		if len(e.Ticket.Ticket) > maxTicketBytes/2 {
			return nil, errs.Errorf(errs.ErrLimit, "SQL: its ticket has %d bytes; the most is %d", len(e.Ticket.Ticket), maxTicketBytes/2)
		}
		if !p.whole && p.items == nil {
			continue // the ticket of a command says it all
		}
		t := &sqlTicket{Of: e.Ticket.Ticket, Items: p.items}
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
	info.AppMetadata, err = json.Marshal(infoMeta{Query: query, Format: p.b.entry.Format, Fragments: len(p.b.entry.Fragments)})
	if err != nil {
		return nil, errs.Errorf(errs.ErrInternal, "%w", err)
	}
	return info, nil
}

// parts divides the rows into endpoints, or makes one of all where one stream must do it. If that one has more files than a
// ticket may name, it names none of them, and stands for what there is when it is read.
func (p *sqlPlan) parts(ctx context.Context, bytes int64) ([]dataset.Part, error) {
	if !p.whole {
		return p.b.endpoints(ctx, bytes)
	}
	one, err := p.b.together(ctx, true)
	if len(one.Files) > maxParts {
		one.Files = nil
	}
	return []dataset.Part{one}, err
}

// parameterTypes returns the type of what each parameter is compared with, and checks that the condition's columns are
// there. One that is compared with nothing is text.
func parameterTypes(sel *sqltext.Select, s *arrow.Schema) ([]arrow.DataType, error) {
	marks := make([]string, sel.Params)
	out := make([]arrow.DataType, sel.Params)
	for i := range marks {
		marks[i] = fmt.Sprintf("'\x01parameter %d\x01'", i)
		out[i] = arrow.BinaryTypes.String
	}
	x, err := sel.Where(marks)
	if err != nil {
		if x, err = sel.Where(slices.Repeat([]string{"'?'"}, sel.Params)); err != nil { // as the character of ESCAPE
			return nil, sqlError(err)
		}
	}
	var walk func(expr.Expr) error
	note := func(t arrow.DataType, values ...scalar.Scalar) {
		for _, v := range values {
			text, ok := v.(*scalar.String) // other scalars may have no text at all
			if !ok {
				continue
			}
			if i := slices.Index(marks, "'"+string(text.Data())+"'"); i >= 0 {
				out[i] = t
			}
		}
	}
	see := func(col string, values ...scalar.Scalar) error {
		t, err := sqlColumnType(s, col)
		if err != nil {
			return err
		}
		note(t, values...)
		return nil
	}
	walk = func(x expr.Expr) error {
		switch x := x.(type) {
		case expr.Compare:
			return see(x.Col, x.Value)
		case expr.In:
			for _, v := range x.Values {
				if err := see(x.Col, v); err != nil {
					return err
				}
			}
			return see(x.Col)
		case expr.CompareColumns:
			if err := see(x.Left); err != nil {
				return err
			}
			return see(x.Right)
		case expr.Contains:
			list, err := sqlColumnType(s, x.Col)
			if l, ok := list.(arrow.ListLikeType); ok && err == nil {
				note(l.Elem(), x.Value)
			}
			return err
		case expr.Like:
			return see(x.Col)
		case expr.IsNull:
			return see(x.Col)
		case expr.IsNaN:
			return see(x.Col)
		case expr.Not:
			return walk(x.X)
		case expr.And:
			return walkAll(x, walk)
		case expr.Or:
			return walkAll(x, walk)
		}
		return nil
	}
	if x == nil {
		return out, nil
	}
	return out, walk(x)
}

func walkAll(list []expr.Expr, walk func(expr.Expr) error) error {
	for _, x := range list {
		if err := walk(x); err != nil {
			return err
		}
	}
	return nil
}

// sqlColumnType returns the type of the values of a column, dictionaries aside.
func sqlColumnType(s *arrow.Schema, path string) (arrow.DataType, error) {
	if _, element := expr.Base(path); element {
		t, err := expr.TypeOf(s, path)
		if err != nil {
			return nil, errs.Errorf(errs.ErrSchema, "SQL: %w", err)
		}
		return valueType(t), nil
	}
	ids, err := expr.Resolve(s, path)
	if err != nil {
		return nil, errs.Errorf(errs.ErrSchema, "SQL: %w", err)
	}
	t := s.Field(ids[0]).Type
	for _, i := range ids[1:] {
		n, ok := t.(arrow.NestedType)
		if !ok {
			break
		}
		for !strings.HasPrefix(n.Name(), "struct") && len(n.Fields()) == 1 { // a list, on the way to the struct inside
			inner, ok := n.Fields()[0].Type.(arrow.NestedType)
			if !ok {
				return n, nil
			}
			n = inner
		}
		if i >= len(n.Fields()) {
			return t, nil
		}
		t = n.Fields()[i].Type
	}
	return valueType(t), nil
}

func valueType(t arrow.DataType) arrow.DataType {
	if d, ok := t.(*arrow.DictionaryType); ok {
		return d.ValueType
	}
	return t
}
