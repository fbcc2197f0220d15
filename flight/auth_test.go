package flight

import (
	"context"
	"encoding/base64"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

// tokenFileOf stores a token of each name, and returns the secrets.
func tokenFileOf(t testing.TB, names ...string) (path string, secrets map[string]string) {
	t.Helper()
	path, secrets = filepath.Join(t.TempDir(), "tokens"), map[string]string{}
	for _, name := range names {
		secret, line, err := NewToken(name, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if err := AddToken(path, line); err != nil {
			t.Fatal(err)
		}
		secrets[name] = secret
	}
	return path, secrets
}

func addPassword(t testing.TB, path, name, password string, expires time.Time) {
	t.Helper()
	line, err := NewPassword(name, password, expires)
	if err != nil {
		t.Fatal(err)
	}
	if err := AddToken(path, line); err != nil {
		t.Fatal(err)
	}
}

func access(t testing.TB, o AccessOptions) *Access {
	t.Helper()
	a, err := NewAccess(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func with(ctx context.Context, header, value string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, header, value)
}

func basic(name, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(name+":"+password))
}

func rules(t testing.TB, texts ...string) (out []Rule) {
	t.Helper()
	for _, text := range texts {
		r, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// Without a token nothing is told; with one, what it permits.
func TestTokens(t *testing.T) {
	t.Parallel()
	dir := events(t, 100)
	path, secrets := tokenFileOf(t, "alice", "bob")
	lines, err := ReadTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	a := access(t, AccessOptions{Tokens: path, Rules: rules(t, "alice:read=events", "alice:manage=events", "bob:read=pr*")})
	r := start(t, Options{Authorizer: a}, map[string]Spec{"events": {Paths: []string{dir}}, "prices": {Paths: []string{dir}}})
	c := r.client(t)
	asked := func(ctx context.Context, dataset string) codes.Code {
		_, err := c.GetFlightInfo(ctx, pathOf(dataset))
		return code(err)
	}
	alice, bob := with(t.Context(), "authorization", "Bearer "+secrets["alice"]), with(t.Context(), "authorization", "bearer "+secrets["bob"])
	for _, q := range []struct {
		what, dataset string
		ctx           context.Context
		want          codes.Code
	}{
		{"no token", "events", t.Context(), codes.Unauthenticated},
		{"a wrong one", "events", with(t.Context(), "authorization", "Bearer "+secrets["alice"][:40]), codes.Unauthenticated},
		{"an empty one", "events", with(t.Context(), "authorization", "Bearer "), codes.Unauthenticated},
		{"its hash", "events", with(t.Context(), "authorization", "Bearer "+lines[0].Hash), codes.Unauthenticated},
		{"another scheme", "events", with(t.Context(), "authorization", "Digest x"), codes.Unauthenticated},
		{"two", "events", with(alice, "authorization", "Bearer x"), codes.Unauthenticated},
		{"alice", "events", alice, codes.OK},
		{"alice elsewhere", "prices", alice, codes.PermissionDenied},
		{"alice nowhere", "secret", alice, codes.PermissionDenied}, // whether it exists is not told
		{"bob", "prices", bob, codes.OK},
		{"bob elsewhere", "events", bob, codes.PermissionDenied},
		{"bob nowhere", "prune", bob, codes.NotFound},
		{"as a password", "events", with(t.Context(), "authorization", basic("alice", secrets["alice"])), codes.OK},
		{"of another", "events", with(t.Context(), "authorization", basic("alice", secrets["bob"])), codes.Unauthenticated},
	} {
		if got := asked(q.ctx, q.dataset); got != q.want {
			t.Errorf("%s: %s, want %s", q.what, got, q.want)
		}
	}
	// A listing leaves out what is refused.
	st, err := c.ListFlights(bob, &flight.Criteria{})
	if err != nil {
		t.Fatal(err)
	}
	info, err := st.Recv()
	if err != nil || info.FlightDescriptor.Path[0] != "prices" {
		t.Errorf("%v, %v", info, err)
	}
	if info, err := st.Recv(); err == nil {
		t.Errorf("bob is told of %v", info)
	}
	refresh := func(ctx context.Context, dataset string) codes.Code {
		st, err := c.DoAction(ctx, &flight.Action{Type: "refresh", Body: []byte(`{"dataset":"` + dataset + `"}`)})
		if err == nil {
			_, err = st.Recv()
		}
		return code(err)
	}
	if got := refresh(alice, "events"); got != codes.OK {
		t.Errorf("alice refreshes: %s", got)
	}
	if got := refresh(bob, "prices"); got != codes.PermissionDenied {
		t.Errorf("bob refreshes: %s", got)
	}
	for _, secret := range secrets {
		if strings.Contains(r.log.String(), secret) {
			t.Error("a secret is in the log")
		}
	}
	if !strings.Contains(r.log.String(), "client=alice") {
		t.Error("the log does not tell who")
	}
}

// Both ways of Flight clients to give a password: a header of Handshake, and its payload.
func TestHandshake(t *testing.T) {
	t.Parallel()
	dir := events(t, 100)
	path, _ := tokenFileOf(t)
	addPassword(t, path, "alice", "öpen: sesame", time.Time{})
	addPassword(t, path, "alice", "another", time.Time{})
	addPassword(t, path, "bob", "late", time.Now().Add(-time.Second))
	r := start(t, Options{Authorizer: access(t, AccessOptions{Tokens: path, Attempts: 100})}, map[string]Spec{"events": {Paths: []string{dir}}})
	c := r.client(t)

	ctx, err := c.AuthenticateBasicToken(t.Context(), "alice", "öpen: sesame")
	if err != nil {
		t.Fatal(err)
	}
	md, _ := metadata.FromOutgoingContext(ctx)
	if v := md.Get("authorization"); len(v) != 1 || !strings.HasPrefix(v[0], "Bearer arrowio-session_") {
		t.Fatal("no token is given:", v)
	}
	if _, got := getAll(ctx, t, c, pathOf("events")); got.rows() != 300 {
		t.Errorf("%d rows", got.rows())
	}

	shake := func(name, password string) (*flight.HandshakeResponse, error) {
		st, err := c.Handshake(t.Context())
		if err != nil {
			return nil, err
		}
		b, err := proto.Marshal(&flight.BasicAuth{Username: name, Password: password})
		if err != nil {
			t.Fatal(err)
		}
		_ = st.Send(&flight.HandshakeRequest{Payload: b})
		return st.Recv()
	}
	resp, err := shake("alice", "another")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.GetFlightInfo(with(t.Context(), "auth-token-bin", string(resp.Payload)), pathOf("events")); err != nil {
		t.Error(err)
	}
	for _, q := range [][2]string{{"alice", "wrong"}, {"alice", ""}, {"mallory", "another"}, {"bob", "late"}, {"", ""}, {"alice", strings.Repeat("x", 2000)}} {
		if _, err := shake(q[0], q[1]); code(err) != codes.Unauthenticated {
			t.Errorf("payload %.20q: %v", q, err)
		}
		if _, err := c.AuthenticateBasicToken(t.Context(), q[0], q[1]); code(err) != codes.Unauthenticated {
			t.Errorf("header %.20q: %v", q, err)
		}
	}
	st, err := c.Handshake(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := st.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Recv(); code(err) != codes.Unauthenticated {
		t.Errorf("a handshake that says nothing: %v", err)
	}
	for _, secret := range []string{"sesame", "another", "arrowio-session_"} {
		if strings.Contains(r.log.String(), secret) {
			t.Errorf("%s is in the log", secret)
		}
	}
}

// Passwords can be tried only so often; one that was right once is no try.
func TestAttempts(t *testing.T) {
	t.Parallel()
	dir := events(t, 10)
	path, secrets := tokenFileOf(t, "bob")
	addPassword(t, path, "alice", "right", time.Time{})
	r := start(t, Options{Authorizer: access(t, AccessOptions{Tokens: path, Attempts: 0.001})}, map[string]Spec{"events": {Paths: []string{dir}}})
	c := r.client(t)
	login := func(password string) codes.Code {
		_, err := c.GetFlightInfo(with(t.Context(), "authorization", basic("alice", password)), pathOf("events"))
		return code(err)
	}
	if got := login("right"); got != codes.OK {
		t.Fatal(got)
	}
	for i := range 4 {
		if got := login("wrong"); got != codes.Unauthenticated {
			t.Errorf("try %d: %s", i, got)
		}
	}
	if got := login("wrong"); got != codes.ResourceExhausted {
		t.Error(got)
	}
	if got := login("right"); got != codes.OK {
		t.Error("who was let in is put out:", got)
	}
	if _, err := c.GetFlightInfo(with(t.Context(), "authorization", "Bearer "+secrets["bob"]), pathOf("events")); err != nil {
		t.Error("tokens are not passwords:", err)
	}
}
