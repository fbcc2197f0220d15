package flight

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/flight/internal/sql"
	"github.com/arrowio/arrowio/flight/internal/strict"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

// action is one of DoAction's. run sends any number of results.
type action struct {
	name, description string
	run               func(ctx context.Context, s *service, body []byte, send func([]byte) error) error
}

// coreActions lists those that every server has.
func coreActions() []action {
	return []action{
		{"inspect", `What files say of themselves, a JSON object each. Body: {"dataset", "file": pattern of their names, "blocks": bool, "checksums": bool, "where"}`, inspect},
		{"formats", "The formats that are read and written, and their options. No body", formats},
		{"verify", `Checks all of a dataset; a JSON object for each fault, then one for all. Body: {"dataset", "file": pattern}`, verify},
		{"refresh", `Looks for new and changed files. Body: {"dataset"}`, refresh},
		{"cancel", `Ends calls of this client. Body: {"request_id"}`, cancel},
		{"SetSessionOptions", "Sets the catalog and the schema, of which there is one each, and settings of a session. Body: SetSessionOptionsRequest", setSessionOptions},
		{"GetSessionOptions", "Tells them. Body: GetSessionOptionsRequest", getSessionOptions},
		{"CloseSession", "Ends the session. Body: CloseSessionRequest", closeSession},
		{flight.CancelFlightInfoActionType, "Ends the calls that read a FlightInfo. Body: CancelFlightInfoRequest", cancelFlightInfo},
	}
}

// ListActions implements the RPC.
func (s *service) ListActions(_ *flight.Empty, stream flight.FlightService_ListActionsServer) error {
	for _, a := range s.actions {
		if err := stream.Send(&flight.ActionType{Type: a.name, Description: a.description}); err != nil {
			return err
		}
	}
	return nil
}

// DoAction implements the RPC.
func (s *service) DoAction(r *flight.Action, stream flight.FlightService_DoActionServer) error {
	for _, a := range s.actions {
		if a.name == r.GetType() {
			CallFrom(stream.Context()).say(a.name)
			return a.run(stream.Context(), s, r.GetBody(), func(b []byte) error { return stream.Send(&flight.Result{Body: b}) })
		}
	}
	names := make([]string, len(s.actions))
	for i, a := range s.actions {
		names[i] = a.name
	}
	return rpcerr.Errorf(codes.Unimplemented, "there is no action %q, only %s", r.GetType(), strings.Join(names, ", "))
}

// body decodes the JSON of an action; none at all is an object without fields.
func body(b []byte, v any) error {
	if len(b) == 0 {
		return nil
	}
	if len(b) > maxCommandBytes {
		return errs.Errorf(errs.ErrOption, "a body of %d bytes; the most is %d", len(b), maxCommandBytes)
	}
	if err := strict.Decode(b, v); err != nil {
		return errs.Errorf(errs.ErrOption, "body: %w", err)
	}
	return nil
}

func sendJSON(send func([]byte) error, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return errs.Errorf(errs.ErrInternal, "%w", err)
	}
	return send(b)
}

// inspection is the body of inspect and verify.
type inspection struct {
	Dataset   string            `json:"dataset"`
	File      string            `json:"file"` // a pattern as path.Match reads it; "" = all
	Blocks    bool              `json:"blocks"`
	Checksums bool              `json:"checksums"`
	Where     string            `json:"where"`
	Options   map[string]string `json:"options"`
}

var errNoDataset = errs.Errorf(errs.ErrOption, "the body names no dataset")

// open returns the dataset and those of its files that are meant.
func (q *inspection) open(ctx context.Context, s *service) (e *Entry, files []int, err error) {
	if q.Dataset == "" {
		return nil, nil, errNoDataset
	}
	if e, err = s.open(ctx, PermitRead, q.Dataset, q.Options); err != nil {
		return nil, nil, err
	}
	if err := e.told(); err != nil {
		return nil, nil, err
	}
	for i, f := range e.Fragments {
		ok, err := path.Match(q.File, f.Name)
		if err != nil {
			return nil, nil, errs.Errorf(errs.ErrOption, "file: %q is not a pattern", q.File)
		}
		if q.File == "" || ok {
			files = append(files, i)
		}
	}
	if len(files) == 0 && q.File != "" {
		also := ""
		if len(e.Fragments) > 0 {
			also = fmt.Sprintf("; one that it has is %q", e.Fragments[0].Name)
		}
		return nil, nil, rpcerr.Errorf(codes.NotFound, "%s has no file %q%s", q.Dataset, q.File, also)
	}
	return e, files, nil
}

// fileInfo is a result of inspect.
type fileInfo struct {
	Dataset  string            `json:"dataset"`
	Fragment int               `json:"fragment"`
	File     string            `json:"file"`
	Info     *arrowio.Info     `json:"info"`
	Warnings []arrowio.Warning `json:"warnings,omitempty"`
}

func inspect(ctx context.Context, s *service, b []byte, send func([]byte) error) error {
	var q inspection
	if err := body(b, &q); err != nil {
		return err
	}
	var where expr.Expr
	if q.Where != "" {
		var err error
		if where, err = expr.Parse(q.Where); err != nil {
			return errs.Errorf(errs.ErrOption, "where: %w", err)
		}
	}
	e, files, err := q.open(ctx, s)
	if err != nil {
		return err
	}
	for _, i := range files {
		info, err := e.inspect(ctx, i, arrowio.InfoOptions{Blocks: q.Blocks, Groups: q.Blocks, Checksums: q.Checksums}, where)
		if err != nil {
			return e.Public(err)
		}
		if err := sendJSON(send, info); err != nil {
			return err
		}
	}
	return nil
}

func (e *Entry) inspect(ctx context.Context, i int, o arrowio.InfoOptions, where expr.Expr) (*fileInfo, error) {
	if err := reserve(ctx, false); err != nil {
		return nil, err
	}
	f, err := e.Open(ctx, i)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if where != nil {
		if o.Filter, err = expr.Bind(where, f.Schema()); err != nil {
			return nil, errs.Errorf(errs.ErrSchema, "%s: where: %w", e.Fragments[i].Name, err)
		}
	}
	out := &fileInfo{Dataset: e.Name, Fragment: i, File: e.Fragments[i].Name}
	if out.Info, err = f.Info(ctx, o); err != nil {
		return nil, err
	}
	for k, line := range out.Info.Notes {
		out.Info.Notes[k] = e.publicText(line)
	}
	for k := range out.Info.Facts {
		out.Info.Facts[k].Value = e.publicText(out.Info.Facts[k].Value)
	}
	for _, w := range arrowio.WarningsOf(f) {
		w.File, w.Place, w.Text = out.File, e.publicText(w.Place), e.publicText(errs.Respell(w.Text, w.Options, spelled))
		out.Warnings = append(out.Warnings, w)
	}
	return out, nil
}

// formatInfo is a format of the action formats.
type formatInfo struct {
	Name       string       `json:"name"`
	Extensions []string     `json:"extensions,omitempty"`
	Options    []optionInfo `json:"options,omitempty"`
}

// optionInfo is an arrowio.Option.
type optionInfo struct {
	Name     string   `json:"name"`
	Usage    string   `json:"usage"`
	Default  string   `json:"default,omitempty"` // what happens without it
	Values   []string `json:"values,omitempty"`  // nil = free text
	Repeated bool     `json:"repeated,omitempty"`
}

func optionInfos(options []arrowio.Option) (out []optionInfo) {
	for _, o := range options {
		out = append(out, optionInfo{o.Name, o.Usage, o.Default, o.Values, o.Repeated})
	}
	return out
}

func formats(_ context.Context, _ *service, b []byte, send func([]byte) error) error {
	if err := body(b, &struct{}{}); err != nil {
		return err
	}
	out := struct {
		Read          []formatInfo `json:"read"`
		Write         []formatInfo `json:"write"`
		ClientOptions []string     `json:"client_options"` // that clients may set to read, in Command.Options
		PutOptions    []string     `json:"put_options"`    // and to write, in PutCommand.Options
	}{ClientOptions: ClientOptions(), PutOptions: PutOptions()}
	for _, f := range readers.All() {
		out.Read = append(out.Read, formatInfo{f.Name, f.Extensions, optionInfos(f.Options)})
	}
	for _, f := range writers.All() {
		out.Write = append(out.Write, formatInfo{f.Name, f.Extensions, optionInfos(f.Options)})
	}
	return sendJSON(send, out)
}

// fault is a result of verify.
type fault struct {
	Fragment int    `json:"fragment"`
	File     string `json:"file"`
	Kind     string `json:"kind"` // an errs.Kind's name, or "system"
	Format   string `json:"format,omitempty"`
	Column   string `json:"column,omitempty"`
	Split    *int   `json:"split,omitempty"`
	Offset   *int64 `json:"offset,omitempty"`
	Message  string `json:"message"`
}

// verdict is the last result of verify.
type verdict struct {
	OK     bool `json:"ok"`
	Files  int  `json:"files"`
	Faults int  `json:"faults"`
}

func verify(ctx context.Context, s *service, b []byte, send func([]byte) error) error {
	var q inspection
	if err := body(b, &q); err != nil {
		return err
	}
	e, files, err := q.open(ctx, s)
	if err != nil {
		return err
	}
	if err := reserve(ctx, false); err != nil {
		return err
	}
	out := verdict{OK: true, Files: len(files)}
	for _, i := range files {
		n, err := e.verify(ctx, s, i, send)
		if err != nil {
			return e.Public(err)
		}
		out.Faults += n
	}
	out.OK = out.Faults == 0
	return sendJSON(send, out)
}

// verify checks one file, by its own checks or else by decoding it, and sends what is wrong.
func (e *Entry) verify(ctx context.Context, s *service, i int, send func([]byte) error) (faults int, err error) {
	var sendErr error
	report := func(err error) {
		faults++
		if sendErr == nil {
			sendErr = sendJSON(send, e.fault(i, err))
		}
	}
	err = e.verifyFile(ctx, s, i, report)
	var ae *errs.Error
	if errors.As(err, &ae) && ctx.Err() == nil && !errors.Is(err, errs.ErrInternal) {
		report(err)
		err = nil
	}
	if err == nil {
		err = sendErr
	}
	return faults, err
}

func (e *Entry) verifyFile(ctx context.Context, s *service, i int, report func(error)) error {
	f, err := e.Open(ctx, i)
	if err != nil {
		return err
	}
	defer f.Close()
	if v, ok := arrowio.As[arrowio.Verifier](f); ok {
		return v.Verify(ctx, report)
	}
	o := arrowio.ScanOptions{Parallelism: s.o.Parallelism, MemoryBudget: s.o.Memory, BatchBytes: DefaultBatchBytes, Allocator: s.o.Allocator}
	if c := CallFrom(ctx); c != nil {
		c.lease.Scan(&o)
	}
	scan, err := arrowio.Scan(ctx, f, o)
	if err != nil {
		return err
	}
	defer scan.Release()
	for scan.Next() {
	}
	if l, ok := arrowio.As[interface{ Doubts() []error }](f); ok {
		for _, fault := range l.Doubts() {
			report(fault)
		}
	}
	return scan.Err()
}

func (e *Entry) fault(i int, err error) fault {
	f := fault{Fragment: i, File: e.Fragments[i].Name, Kind: "system", Message: renamedError(err, e.publicText).Error()}
	var ae *errs.Error
	if errors.As(err, &ae) {
		f.Kind, f.Format, f.Column = ae.Kind.Error(), ae.Format, ae.Column
		if ae.Split >= 0 {
			f.Split = &ae.Split
		}
		if ae.Off >= 0 {
			f.Offset = &ae.Off
		}
	}
	return f
}

func refresh(ctx context.Context, s *service, b []byte, send func([]byte) error) error {
	var q struct {
		Dataset string `json:"dataset"`
	}
	if err := body(b, &q); err != nil {
		return err
	}
	if q.Dataset == "" {
		return errNoDataset
	}
	if err := s.authorize(ctx, PermitManage, q.Dataset); err != nil {
		return err
	}
	e, changed, err := s.o.Catalog.Refresh(ctx, q.Dataset)
	if err != nil {
		return err
	}
	if e, err = s.sharedWith(ctx, e); err != nil {
		return err
	}
	return sendJSON(send, struct {
		Dataset   string `json:"dataset"`
		Changed   bool   `json:"changed"`
		Fragments int    `json:"fragments"`
		Rows      int64  `json:"rows"`
		Bytes     int64  `json:"bytes"`
	}{e.Name, changed, len(e.Fragments), e.Rows, e.Bytes})
}

// mine reports whether a call may be ended by the client of another: by its own, or by one that may manage the server.
func (s *service) mine(ctx context.Context) func(*Call) bool {
	by := CallFrom(ctx)
	manager := s.authorize(ctx, PermitManage, "") == nil
	return func(c *Call) bool { return c != by && (manager || by != nil && c.Client.Name == by.Client.Name) }
}

func cancel(ctx context.Context, s *service, b []byte, send func([]byte) error) error {
	var q struct {
		RequestID string `json:"request_id"`
	}
	if err := body(b, &q); err != nil {
		return err
	}
	n := s.Cancel(q.RequestID, s.mine(ctx))
	if n == 0 {
		return rpcerr.Errorf(codes.NotFound, "no call of request id %q is under way", q.RequestID)
	}
	return sendJSON(send, struct {
		Cancelled int `json:"cancelled"`
	}{n})
}

// cancelFlightInfo ends the calls whose tickets are of a FlightInfo. One that nobody has read is cancelled as it is: nothing
// is kept for it. One that was read cannot be cancelled any more.
func cancelFlightInfo(ctx context.Context, s *service, b []byte, send func([]byte) error) error {
	var r flight.CancelFlightInfoRequest
	if err := proto.Unmarshal(b, &r); err != nil {
		return errs.Errorf(errs.ErrOption, "body: not a CancelFlightInfoRequest")
	}
	cancelled, err := s.cancelInfo(ctx, r.GetInfo())
	if err != nil {
		return err
	}
	status := flight.CancelStatusCancelled
	if !cancelled {
		status = flight.CancelStatusNotCancellable
	}
	out, err := proto.Marshal(&flight.CancelFlightInfoResult{Status: status})
	if err != nil {
		return errs.Errorf(errs.ErrInternal, "%w", err)
	}
	return send(out)
}

// cancelInfo ends the calls that this client may end and whose tickets are of info. cancelled is false where there is none, since
// those that read it have ended.
func (s *service) cancelInfo(ctx context.Context, info *flight.FlightInfo) (cancelled bool, err error) {
	queries := map[string]bool{}
	for _, e := range info.GetEndpoint() {
		id, err := s.queryOf(e.GetTicket().GetTicket())
		if err != nil {
			return false, err
		}
		if id != "" {
			queries[id] = true
		}
	}
	mine := s.mine(ctx)
	n := s.cancelCalls(func(c *Call) bool { return queries[load(&c.query)] && mine(c) })
	return n > 0 || !s.calls.wasRead(queries, mine), nil
}

// queryOf returns the query id of a ticket, of whatever language; "" = it has none.
func (s *service) queryOf(ticket []byte) (string, error) {
	if sql.Owns(ticket) {
		return s.sql.QueryOf(ticket)
	}
	t, err := ParseTicket(ticket)
	if err != nil {
		return "", err
	}
	return t.Query, nil
}
