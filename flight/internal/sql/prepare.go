package sql

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/internal/strict"
	"github.com/arrowio/arrowio/internal/sqltext"
)

// statement is the handle of a prepared statement: it is all of it. Only values that a client binds, and does not take
// along in the new handle that it gets for them, are kept here, by ID and for a while.
type statement struct {
	SQL    string   `json:"sql"`
	ID     string   `json:"id"`
	Params []string `json:"params,omitzero"` // literals of arrowio/expr, those of several rows one after the other; absent = not bound
	// Engine says that the server's engine answers it; then Values are what Params are otherwise, as in asked.
	Engine bool   `json:"engine,omitzero"`
	Values string `json:"values,omitzero"`
	Spent  int64  `json:"spent,omitzero"` // milliseconds of the engine, to prepare it
}

func parseStatement(handle []byte) (*statement, error) {
	st := &statement{}
	if len(handle) > maxMessageBytes {
		return nil, errs.Errorf(errs.ErrOption, "a handle of %d bytes; the most is %d", len(handle), maxMessageBytes)
	}
	if err := strict.Decode(handle, st); err != nil {
		return nil, errs.Errorf(errs.ErrOption, "prepared statement: %w", err)
	}
	size := 0
	for _, p := range st.Params {
		size += len(p)
	}
	if size > MaxTextBytes || len(st.Values) > 2*maxBindBytes || len(st.SQL) > MaxTextBytes || st.Engine && st.Params != nil || !validSpent(st.Spent) || len(st.ID) != len(newID()) {
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

// Action is one of DoAction's. Run sends any number of results.
type Action struct {
	Type, Description string
	Run               func(ctx context.Context, d *Dialect, body []byte, send func([]byte) error) error
}

// Actions lists those of Flight SQL.
func Actions() []Action {
	return []Action{
		{flightsql.CreatePreparedStatementActionType, "Prepares a statement. Body: ActionCreatePreparedStatementRequest", createPrepared},
		{flightsql.ClosePreparedStatementActionType, "Forgets the values bound to a prepared statement. Body: ActionClosePreparedStatementRequest", closePrepared},
		{flightsql.BeginTransactionActionType, "Begins a transaction of the session. Body: ActionBeginTransactionRequest", beginTransaction},
		{flightsql.EndTransactionActionType, "Commits it, or takes back what it has done. Body: ActionEndTransactionRequest", endTransaction},
		{flightsql.CancelQueryActionType, "Ends the calls that read a FlightInfo. Body: ActionCancelQueryRequest", cancelQuery},
	}
}

// actionBody reads the Any that is the body of an action.
func actionBody(b []byte, m proto.Message) error {
	var a anypb.Any
	if len(b) > maxMessageBytes || proto.Unmarshal(b, &a) != nil || a.UnmarshalTo(m) != nil {
		return errs.Errorf(errs.ErrOption, "body: not a %s", m.ProtoReflect().Descriptor().Name())
	}
	return nil
}

func createPrepared(ctx context.Context, d *Dialect, b []byte, send func([]byte) error) error {
	var r pb.ActionCreatePreparedStatementRequest
	if err := actionBody(b, &r); err != nil {
		return err
	}
	if err := d.s.InTransaction(ctx, string(r.GetTransactionId())); err != nil {
		return err
	}
	st := &statement{SQL: r.GetQuery(), ID: newID()}
	ctx, spent := WithSpent(ctx, 0)
	var result, params *arrow.Schema
	session, err := d.s.Session(ctx)
	if err != nil {
		return err
	}
	var p *plan
	if err = errEngine; session == "" {
		p, err = d.plan(ctx, st.SQL, nil, true)
	}
	if d.unanswered(st.SQL, err) {
		st.Engine = true
		result, params, err = d.asked(ctx, st.SQL)
	} else if err == nil {
		result = p.schema
		params, err = p.parameters()
	}
	if err != nil {
		return err
	}
	st.Spent = spent.ms
	handle, err := st.handle()
	if err != nil {
		return err
	}
	out, err := Pack(&pb.ActionCreatePreparedStatementResult{
		PreparedStatementHandle: handle, DatasetSchema: schemaBytes(result), ParameterSchema: schemaBytes(params),
	})
	if err != nil {
		return err
	}
	return send(out)
}

// parameters returns the schema of the values that are to be bound.
func (p *plan) parameters() (*arrow.Schema, error) {
	var fields []arrow.Field
	if p.data != nil {
		types, err := parameterTypes(p.sel, p.data.Schema())
		if err != nil {
			return nil, err
		}
		for i, t := range types {
			fields = append(fields, arrow.Field{Name: fmt.Sprintf("parameter_%d", i+1), Type: t, Nullable: true})
		}
	}
	return arrow.NewSchema(fields, nil), nil
}

func closePrepared(ctx context.Context, d *Dialect, b []byte, send func([]byte) error) error {
	var r pb.ActionClosePreparedStatementRequest
	if err := actionBody(b, &r); err != nil {
		return err
	}
	st, err := parseStatement(r.GetPreparedStatementHandle())
	if err != nil {
		return err
	}
	d.bound.forget(d.boundKey(ctx, st.ID))
	return send(nil)
}

func cancelQuery(ctx context.Context, d *Dialect, b []byte, send func([]byte) error) error {
	//nolint:staticcheck // clients older than CancelFlightInfo send it
	var r pb.ActionCancelQueryRequest
	if err := actionBody(b, &r); err != nil {
		return err
	}
	var info flight.FlightInfo
	if err := proto.Unmarshal(r.GetInfo(), &info); err != nil {
		return errs.Errorf(errs.ErrOption, "body: its info is no FlightInfo")
	}
	cancelled, err := d.s.CancelInfo(ctx, &info)
	if err != nil {
		return err
	}
	result := pb.ActionCancelQueryResult_CANCEL_RESULT_CANCELLED
	if !cancelled {
		result = pb.ActionCancelQueryResult_CANCEL_RESULT_NOT_CANCELLABLE
	}
	//nolint:staticcheck // as above
	out, err := Pack(&pb.ActionCancelQueryResult{Result: result})
	if err != nil {
		return err
	}
	return send(out)
}

// literals checks values that are bound, in rows of each, against the statement.
func (st *statement) literals(values []string, each int) ([]string, error) {
	sel, err := sqltext.Parse(st.SQL)
	if err != nil {
		return nil, textError(err)
	}
	size := 0
	for _, v := range values {
		size += len(v)
	}
	switch {
	case each != sel.Params:
		return nil, errs.Errorf(errs.ErrOption, "SQL with %d parameters, and %d values for them", sel.Params, each)
	case size > MaxTextBytes:
		return nil, errs.Errorf(errs.ErrLimit, "values of parameters of %d bytes; the most is %d", size, MaxTextBytes)
	}
	return values, nil
}

// newID returns a new ID of a statement.
func newID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, says crypto/rand
	return hex.EncodeToString(b[:])
}
