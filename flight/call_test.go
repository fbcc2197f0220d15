package flight

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
)

// tokenGuard is an Authorizer who knows tokens.
type tokenGuard struct{ may map[string][]string }

func (g tokenGuard) Authenticate(ctx context.Context, _ *Call) (Client, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	if v := md.Get("token"); len(v) == 1 {
		if _, ok := g.may[v[0]]; ok {
			return Client{Name: v[0]}, nil
		}
	}
	return Client{}, errors.New("who are you?")
}

func (g tokenGuard) Authorize(_ context.Context, c *Call, p Permission, dataset string) error {
	for _, m := range g.may[c.Client.Name] {
		if m == string(p)+" "+dataset {
			return nil
		}
	}
	return errors.New(c.Client.Name + " may not " + string(p) + " " + dataset)
}

// watch remembers calls.
type watch struct {
	mu    sync.Mutex
	begun []*Call
	ended map[string]error
}

func (w *watch) Started(c *Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun = append(w.begun, c)
}

func (w *watch) Ended(c *Call, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended[c.ID] = err
}

func TestAuthorizer(t *testing.T) {
	t.Parallel()
	dir := events(t, 100)
	w := &watch{ended: map[string]error{}}
	r := start(t, Options{
		Authorizer: tokenGuard{map[string][]string{"ann": {"read events", "read big"}, "bob": nil, "root": {"read events", "read other", "manage events", "manage "}}},
		Observers:  []Observer{w},
	}, map[string]Spec{"events": {Paths: []string{dir}}, "other": {Paths: []string{dir}}})
	c := r.client(t)
	as := func(name string) context.Context { return metadata.AppendToOutgoingContext(t.Context(), "token", name) }

	for _, name := range []string{"", "eve"} {
		if _, err := c.GetFlightInfo(as(name), pathOf("events")); code(err) != codes.Unauthenticated {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := c.GetFlightInfo(as("ann"), pathOf("other")); code(err) != codes.PermissionDenied || !strings.Contains(err.Error(), "ann may not read other") {
		t.Error(err)
	}
	if _, err := c.GetFlightInfo(as("ann"), pathOf("no-such")); code(err) != codes.PermissionDenied {
		t.Error("what there is shows to whom it is not for:", err)
	}
	for _, ticket := range []string{`{"dataset":"other"}`} {
		if s := get(as("ann"), t, c, []byte(ticket)); code(s.err) != codes.PermissionDenied {
			t.Error(s.err)
		}
	}
	if s := get(as("ann"), t, c, []byte(`{"dataset":"events"}`)); s.err != nil || s.rows() != 300 {
		t.Error(s.rows(), s.err)
	}
	list, err := c.ListFlights(as("ann"), &flight.Criteria{})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := list.Recv(); err != nil || info.FlightDescriptor.Path[0] != "events" {
		t.Error(info, err)
	}
	if info, err := list.Recv(); err == nil {
		t.Error(info)
	}
	for name, want := range map[string]codes.Code{"ann": codes.PermissionDenied, "root": codes.OK} {
		st, err := c.DoAction(as(name), &flight.Action{Type: "refresh", Body: []byte(`{"dataset":"events"}`)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = st.Recv(); code(err) != want {
			t.Errorf("%s: %v", name, err)
		}
	}

	// A stream of one client is not another's to end.
	big := events(t, 150_000)
	if err := r.catalog.Add(t.Context(), "big", Spec{Paths: []string{big}}); err != nil {
		t.Fatal(err)
	}
	ctx := metadata.AppendToOutgoingContext(as("ann"), RequestIDHeader, "of-ann")
	stalled(ctx, t, r, r.client(t), []byte(`{"dataset":"big","batch_bytes":262144}`))
	for _, step := range []struct {
		name string
		want codes.Code
	}{{"bob", codes.NotFound}, {"ann", codes.OK}, {"root", codes.NotFound}} {
		st, err := c.DoAction(as(step.name), &flight.Action{Type: "cancel", Body: []byte(`{"request_id":"of-ann"}`)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = st.Recv(); code(err) != step.want {
			t.Errorf("%s: %v", step.name, err)
		}
		if step.want == codes.OK {
			settled(t, "the call goes on", func() bool { return len(r.Calls()) == 0 })
		}
	}
	settled(t, "the end of a call is not told", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.ended["of-ann"] != nil
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.begun) == 0 || len(w.ended) <= len(w.begun) || code(w.ended["of-ann"]) != codes.Canceled {
		t.Errorf("%d calls were seen to begin, %d to end, %v", len(w.begun), len(w.ended), w.ended["of-ann"])
	}
}

// Every answer names its request, which is the client's where that is decent.
func TestRequestID(t *testing.T) {
	dir := events(t, 10)
	r := start(t, Options{}, map[string]Spec{"events": {Paths: []string{dir}}})
	c := r.client(t)
	for given, kept := range map[string]bool{"": false, "abc-1.2:3_4": true, "two words": false, strings.Repeat("x", 65): false} {
		ctx := t.Context()
		if given != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, RequestIDHeader, given)
		}
		var md metadata.MD
		if _, err := c.GetFlightInfo(ctx, pathOf("events"), grpc.Header(&md)); err != nil {
			t.Fatal(err)
		}
		got := md.Get(RequestIDHeader)
		if len(got) != 1 || kept != (got[0] == given) || !validRequestID(got[0]) {
			t.Errorf("%q: %q", given, got)
		}
		if !strings.Contains(r.log.String(), "request_id="+got[0]) {
			t.Errorf("the log does not have %q", got[0])
		}
	}
}

// A bug is an answer, and the stack stays here.
func TestPanic(t *testing.T) {
	r := start(t, Options{}, map[string]Spec{"bad": {Open: func(context.Context, map[string]string) (*dataset.Dataset, error) {
		dir := events(t, 10)
		d, err := readersOpen(t, dir)
		if err != nil {
			return nil, err
		}
		opened := 0
		open := d.Fragments[0].Open
		d.Fragments[0].Open = func(ctx context.Context) (arrowio.File, error) {
			if opened++; opened > 1 {
				panic("a bug")
			}
			return open(ctx)
		}
		return d, nil
	}}})
	c := r.client(t)
	for range 2 {
		s := get(t.Context(), t, c, []byte(`{"dataset":"bad"}`))
		if code(s.err) != codes.Internal || strings.Contains(s.err.Error(), "a bug") || !strings.Contains(s.err.Error(), "request id") {
			t.Fatal(s.err)
		}
	}
	st, err := c.DoAction(t.Context(), &flight.Action{Type: "inspect", Body: []byte(`{"dataset":"bad"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = st.Recv(); code(err) != codes.Internal {
		t.Error(err)
	}
	if log := r.log.String(); !strings.Contains(log, "a bug") || !strings.Contains(log, "goroutine") {
		t.Error("the log does not tell of it")
	}
}

// Errors tell what kind they are and where, and not where the server keeps its files.
func TestErrors(t *testing.T) {
	t.Parallel()
	dir := events(t, 20_000)
	damage(t, dir+"/part-1.orc")
	r := start(t, Options{}, map[string]Spec{"events": {Paths: []string{dir}}})
	c := r.client(t)
	s := get(t.Context(), t, c, []byte(`{"dataset":"events"}`))
	st := status.Convert(s.err)
	if st.Code() != codes.DataLoss || !strings.HasPrefix(st.Message(), "events/part-1.orc: orc: ") || strings.Contains(st.Message(), dir) {
		t.Fatal(s.err)
	}
	if len(st.Details()) != 1 {
		t.Fatal(st.Details())
	}
	info := st.Details()[0].(*errdetails.ErrorInfo)
	if info.Domain != "arrowio" || info.Reason != "CORRUPT" || info.Metadata["format"] != "orc" || info.Metadata["dataset"] != "events" || info.Metadata["request_id"] == "" {
		t.Error(info)
	}
	for _, q := range []struct {
		d    *flight.FlightDescriptor
		want codes.Code
		text string
	}{
		{pathOf("nothing"), codes.NotFound, `no dataset "nothing"`},
		{pathOf("../events"), codes.NotFound, "no dataset"},
		{pathOf("/etc/passwd"), codes.NotFound, "no dataset"},
		{pathOf(""), codes.InvalidArgument, "names no dataset"},
		{&flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"a", "b"}}, codes.InvalidArgument, "2 parts"},
		{&flight.FlightDescriptor{}, codes.InvalidArgument, "must be PATH or CMD"},
		{cmdOf(``), codes.InvalidArgument, "ends early"},
		{cmdOf(`[]`), codes.InvalidArgument, "command"},
		{cmdOf(`{"dataset":"events"} {}`), codes.InvalidArgument, "more behind"},
		{cmdOf(`{"dataset":"events","limit":5}`), codes.InvalidArgument, `unknown field "limit"`},
		{cmdOf(`{"dataset":"events","columns":["nope"]}`), codes.InvalidArgument, "nope"},
		{cmdOf(`{"dataset":"events","where":"nope = 1"}`), codes.InvalidArgument, "nope"},
		{cmdOf(`{"dataset":"events","where":"id = "}`), codes.InvalidArgument, "where"},
		{cmdOf(`{"dataset":"events","rows":"5"}`), codes.InvalidArgument, "rows"},
		{cmdOf(`{"dataset":"events","rows":"6:5"}`), codes.InvalidArgument, "rows"},
		{cmdOf(`{"dataset":"events","batch_rows":-1}`), codes.InvalidArgument, "batch_rows"},
		{cmdOf(`{"dataset":"events","batch_bytes":1}`), codes.InvalidArgument, "batch_bytes"},
		{cmdOf(`{"dataset":"events","compression":"gzip"}`), codes.InvalidArgument, "gzip"},
		{cmdOf(`{"dataset":"events","compressed":["id"]}`), codes.InvalidArgument, "compression says no codec"},
		{cmdOf(`{"dataset":"events","compression":"none","compressed":[]}`), codes.InvalidArgument, "compression says no codec"},
		{cmdOf(`{"dataset":"events","compression":"lz4","compressed":["nope"]}`), codes.InvalidArgument, "nope"},
		{cmdOf(`{"dataset":"events","columns":["id"],"compression":"lz4","compressed":["s"]}`), codes.InvalidArgument, "no column of the records"},
		{cmdOf(`{"dataset":"events","options":{"orc-keys":"/etc/passwd"}}`), codes.InvalidArgument, "not an option that may be set here"},
		{cmdOf(`{"dataset":"events","options":{"orc-strings":"no"}}`), codes.InvalidArgument, "orc-strings"},
		{cmdOf(`{"dataset":"events","endpoints":-1}`), codes.InvalidArgument, "endpoints"},
		{cmdOf(`{"dataset":"events","resume":{"fragment":3,"row":0}}`), codes.InvalidArgument, "resume"},
		{cmdOf(`{"dataset":"events","resume":{"fragment":-3,"row":0}}`), codes.InvalidArgument, "resume"},
		{cmdOf(`{"dataset":"events","x":"%s"}`, strings.Repeat("y", 70_000)), codes.InvalidArgument, "bytes"},
	} {
		_, err := c.GetFlightInfo(t.Context(), q.d)
		if code(err) != q.want || !strings.Contains(err.Error(), q.text) {
			t.Errorf("%.100s: %v", q.d, err)
		}
	}
	if _, err := c.GetSchema(t.Context(), pathOf("nothing")); code(err) != codes.NotFound {
		t.Error(err)
	}
	put, err := c.DoPut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := put.Send(&flight.FlightData{FlightDescriptor: pathOf("d")}); err != nil {
		t.Fatal(err)
	}
	if _, err := put.Recv(); code(err) != codes.Unimplemented {
		t.Error(err)
	}
}
