package flight

import (
	"bytes"
	"container/list"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/sqltext"
)

// statement is the handle of a prepared statement: it is all of it. Only values that a client binds, and does not take
// along in the new handle that it gets for them, are kept here, by ID and for a while.
type statement struct {
	SQL    string   `json:"sql"`
	ID     string   `json:"id"`
	Params []string `json:"params,omitzero"` // literals of arrowio/expr; absent = not bound
}

func parseStatement(handle []byte) (*statement, error) {
	st := &statement{}
	if len(handle) > maxTicketBytes {
		return nil, errs.Errorf(errs.ErrOption, "a handle of %d bytes; the most is %d", len(handle), maxTicketBytes)
	}
	if err := strict(handle, st); err != nil {
		return nil, errs.Errorf(errs.ErrOption, "prepared statement: %w", err)
	}
	size := 0
	for _, p := range st.Params {
		size += len(p)
	}
	if size > maxSQLBytes || len(st.ID) != len(randomID()) {
		return nil, errs.Errorf(errs.ErrOption, "prepared statement: a handle that was not made here")
	}
	return st, nil
}

func (st *statement) handle() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(st); err != nil {
		return nil, errs.Errorf(errs.ErrInternal, "%w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// sqlActions lists those of Flight SQL.
func sqlActions() []action {
	return []action{
		{flightsql.CreatePreparedStatementActionType, "Prepares a SELECT. Body: ActionCreatePreparedStatementRequest", createPrepared},
		{flightsql.ClosePreparedStatementActionType, "Forgets the values bound to a prepared statement. Body: ActionClosePreparedStatementRequest", closePrepared},
		{flightsql.CancelQueryActionType, "Ends the calls that read a FlightInfo. Body: ActionCancelQueryRequest", cancelQuery},
	}
}

// actionBody reads the Any that is the body of an action.
func actionBody(b []byte, m proto.Message) error {
	var a anypb.Any
	if len(b) > maxTicketBytes || proto.Unmarshal(b, &a) != nil || a.UnmarshalTo(m) != nil {
		return errs.Errorf(errs.ErrOption, "body: not a %s", m.ProtoReflect().Descriptor().Name())
	}
	return nil
}

func createPrepared(ctx context.Context, s *service, b []byte, send func([]byte) error) error {
	var r pb.ActionCreatePreparedStatementRequest
	if err := actionBody(b, &r); err != nil {
		return err
	}
	if err := noTransaction(r.GetTransactionId()); err != nil {
		return err
	}
	p, err := sql{s}.plan(ctx, r.GetQuery(), nil, true)
	if err != nil {
		return err
	}
	params, err := p.parameters()
	if err != nil {
		return err
	}
	handle, err := (&statement{SQL: r.GetQuery(), ID: randomID()}).handle()
	if err != nil {
		return err
	}
	out, err := packSQL(&pb.ActionCreatePreparedStatementResult{
		PreparedStatementHandle: handle, DatasetSchema: schemaBytes(p.schema), ParameterSchema: schemaBytes(params),
	})
	if err != nil {
		return err
	}
	return send(out)
}

// parameters returns the schema of the values that are to be bound.
func (p *sqlPlan) parameters() (*arrow.Schema, error) {
	var fields []arrow.Field
	if p.b != nil {
		types, err := parameterTypes(p.sel, p.b.entry.Schema)
		if err != nil {
			return nil, err
		}
		for i, t := range types {
			fields = append(fields, arrow.Field{Name: fmt.Sprintf("parameter_%d", i+1), Type: t, Nullable: true})
		}
	}
	return arrow.NewSchema(fields, nil), nil
}

func closePrepared(ctx context.Context, s *service, b []byte, send func([]byte) error) error {
	var r pb.ActionClosePreparedStatementRequest
	if err := actionBody(b, &r); err != nil {
		return err
	}
	st, err := parseStatement(r.GetPreparedStatementHandle())
	if err != nil {
		return err
	}
	s.prepared.forget(ctx, st.ID)
	return send(nil)
}

func cancelQuery(ctx context.Context, s *service, b []byte, send func([]byte) error) error {
	//nolint:staticcheck // clients older than CancelFlightInfo send it
	var r pb.ActionCancelQueryRequest
	if err := actionBody(b, &r); err != nil {
		return err
	}
	var info flight.FlightInfo
	if err := proto.Unmarshal(r.GetInfo(), &info); err != nil {
		return errs.Errorf(errs.ErrOption, "body: its info is no FlightInfo")
	}
	if err := s.cancelInfo(ctx, &info); err != nil {
		return err
	}
	//nolint:staticcheck // as above
	out, err := packSQL(&pb.ActionCancelQueryResult{Result: pb.ActionCancelQueryResult_CANCEL_RESULT_CANCELLED})
	if err != nil {
		return err
	}
	return send(out)
}

// cancelInfo ends the calls that this client may end and whose tickets are of info.
func (s *service) cancelInfo(ctx context.Context, info *flight.FlightInfo) error {
	queries := map[string]bool{}
	for _, e := range info.GetEndpoint() {
		id, err := queryOf(e.GetTicket().GetTicket())
		if err != nil {
			return err
		}
		if id != "" {
			queries[id] = true
		}
	}
	mine := s.mine(ctx)
	s.cancelCalls(func(c *Call) bool { return queries[load(&c.query)] && mine(c) })
	return nil
}

// literalsOf checks values that are bound against the statement.
func (st *statement) literals(values []string) ([]string, error) {
	sel, err := sqltext.Parse(st.SQL)
	if err != nil {
		return nil, sqlError(err)
	}
	size := 0
	for _, v := range values {
		size += len(v)
	}
	switch {
	case len(values) != sel.Params:
		return nil, errs.Errorf(errs.ErrOption, "SQL with %d parameters, and %d values for them", sel.Params, len(values))
	case size > maxSQLBytes:
		return nil, errs.Errorf(errs.ErrLimit, "values of parameters of %d bytes; the most is %d", size, maxSQLBytes)
	}
	return values, nil
}

// Bounds on the values that are kept for prepared statements.
const (
	boundFor   = time.Hour
	maxBound   = 4096     // statements
	boundBytes = 16 << 20 // of values
)

// boundValues keeps the values that clients have bound, of each statement the latest. What is oldest goes first.
type boundValues struct {
	mu    sync.Mutex
	by    map[string]*list.Element
	order list.List // of *boundSet, oldest first
	bytes int
}

type boundSet struct {
	key    string
	params []string
	bytes  int
	at     time.Time
}

// boundKey tells statements of clients apart: nobody reads, or forgets, what others have bound.
func boundKey(ctx context.Context, id string) string {
	name := ""
	if c := CallFrom(ctx); c != nil {
		name = c.Client.Name
	}
	return name + "\x00" + id
}

func (v *boundValues) bind(ctx context.Context, id string, params []string) {
	s := &boundSet{key: boundKey(ctx, id), params: params, at: time.Now(), bytes: len(id)}
	for _, p := range params {
		s.bytes += len(p) + 16
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.by == nil {
		v.by = map[string]*list.Element{}
	}
	v.drop(v.by[s.key])
	v.by[s.key] = v.order.PushBack(s)
	v.bytes += s.bytes
	for e := v.order.Front(); e != nil && (v.order.Len() > maxBound || v.bytes > boundBytes || time.Since(e.Value.(*boundSet).at) > boundFor); e = v.order.Front() {
		v.drop(e)
	}
}

// params returns what is bound to a statement; nil = nothing.
func (v *boundValues) params(ctx context.Context, id string) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	e := v.by[boundKey(ctx, id)]
	if e == nil {
		return nil
	}
	s := e.Value.(*boundSet)
	if time.Since(s.at) > boundFor {
		v.drop(e)
		return nil
	}
	return s.params
}

func (v *boundValues) forget(ctx context.Context, id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.drop(v.by[boundKey(ctx, id)])
}

// drop forgets an element. v.mu is held.
func (v *boundValues) drop(e *list.Element) {
	if e == nil {
		return
	}
	s := v.order.Remove(e).(*boundSet)
	delete(v.by, s.key)
	v.bytes -= s.bytes
}

// literalPrefix is what a comparison has in front of its value.
const literalPrefix = "x = "

func literalText(text string) (string, bool) {
	text, ok := strings.CutPrefix(text, literalPrefix)
	return text, ok && text != "?"
}
