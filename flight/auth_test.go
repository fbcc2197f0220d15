package flight

import (
	"context"
	"encoding/base64"
	"os"
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
	dir := events(t, 100)
	path, secrets := tokenFileOf(t, "alice", "bob")
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
		{"its hash", "events", with(t.Context(), "authorization", "Bearer "+hashToken(secrets["alice"])), codes.Unauthenticated},
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

// A token that is removed, or that has expired, is worth nothing; one that is added works without a restart.
func TestTokensChange(t *testing.T) {
	path, secrets := tokenFileOf(t, "alice", "bob")
	old, line, err := NewToken("carol", time.Now().Add(-time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if err := AddToken(path, line); err != nil {
		t.Fatal(err)
	}
	a := access(t, AccessOptions{Tokens: path})
	known := func(secret string) bool { _, err := a.bearer(secret); return err == nil }
	if !known(secrets["alice"]) || !known(secrets["bob"]) || known(old) {
		t.Error("alice and bob have tokens, carol's has expired")
	}
	session := a.session(a.tokens.bearer(secrets["alice"], time.Now()))
	if !known(session) {
		t.Error("the session of a token")
	}
	if n, err := RemoveTokens(path, "alice"); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	a.tokens.checked = time.Time{} // a second later
	if known(secrets["alice"]) || known(session) || !known(secrets["bob"]) {
		t.Error("alice's token was removed")
	}
	// A file that is no token file does not put everybody out, nor in.
	if err := os.WriteFile(path, []byte("alice token "+secrets["alice"]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTokens(path); err == nil || strings.Contains(err.Error(), secrets["alice"]) {
		t.Errorf("a file with a secret in it: %v", err)
	}
	a.tokens.checked = time.Time{}
	if known(secrets["alice"]) || !known(secrets["bob"]) {
		t.Error("the last good file stays in use")
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi, err)
	}
}

// A session ends when it says so, and cannot be made by others.
func TestSession(t *testing.T) {
	path, secrets := tokenFileOf(t, "alice")
	a := access(t, AccessOptions{Tokens: path, Session: time.Hour})
	s := strings.TrimPrefix(a.session(a.tokens.bearer(secrets["alice"], time.Now())), sessionPrefix)
	if _, ok := a.openSession(s, time.Now().Add(59*time.Minute)); !ok {
		t.Error("it ends too early")
	}
	if _, ok := a.openSession(s, time.Now().Add(61*time.Minute)); ok {
		t.Error("it does not end")
	}
	if _, ok := access(t, AccessOptions{Tokens: path}).openSession(s, time.Now()); ok {
		t.Error("another process takes it")
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range b {
		b[i] ^= 1
		if _, ok := a.openSession(base64.RawURLEncoding.EncodeToString(b), time.Now()); ok {
			t.Errorf("byte %d may be anything", i)
		}
		b[i] ^= 1
		if _, ok := a.openSession(base64.RawURLEncoding.EncodeToString(b[:i]), time.Now()); ok {
			t.Errorf("%d bytes are enough", i)
		}
	}
}

// Both ways of Flight clients to give a password: a header of Handshake, and its payload.
func TestHandshake(t *testing.T) {
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
	if v := md.Get("authorization"); len(v) != 1 || !strings.HasPrefix(v[0], "Bearer "+sessionPrefix) {
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
	for _, secret := range []string{"sesame", "another", sessionPrefix} {
		if strings.Contains(r.log.String(), secret) {
			t.Errorf("%s is in the log", secret)
		}
	}
}

// Passwords can be tried only so often; one that was right once is no try.
func TestAttempts(t *testing.T) {
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

func TestBuckets(t *testing.T) {
	b, now := newBuckets(1, 2), time.Now()
	for i, want := range []bool{true, true, false, true} {
		if i == 3 {
			now = now.Add(time.Second)
		}
		if got := b.take("a", now); got != want {
			t.Errorf("%d: %t", i, got)
		}
	}
	for i := range 3 * maxBuckets {
		b.take(strings.Repeat("x", i%7)+string(rune('a'+i%26))+randomID(), now)
	}
	if len(b.by) > maxBuckets+1 {
		t.Errorf("%d buckets", len(b.by))
	}
}

func TestParseRule(t *testing.T) {
	for _, text := range []string{"", "alice", "alice:read", "alice=x", "alice:eat=x", ":read=x", "alice:read=", "alice:read=a,,b", "a[:read=x", "alice:read=[", "alice:read=a,["} {
		if r, err := ParseRule(text); err == nil {
			t.Errorf("%q: %v", text, r)
		}
	}
	r := rules(t, "spiffe://org/app:read=events-*,prices")[0]
	for _, q := range []struct {
		client, dataset string
		p               Permission
		want            bool
	}{
		{"spiffe://org/app", "events-1", PermitRead, true},
		{"spiffe://org/app", "prices", PermitRead, true},
		{"spiffe://org/app", "prices2", PermitRead, false},
		{"spiffe://org/app", "prices", PermitWrite, false},
		{"spiffe://org/apple", "prices", PermitRead, false},
		{"", "prices", PermitRead, false},
	} {
		if got := r.permits(q.client, q.p, q.dataset); got != q.want {
			t.Errorf("%+v: %t", q, got)
		}
	}
	all := rules(t, "*:write=*")[0]
	if !all.permits("spiffe://org/app", PermitWrite, "x") || !all.permits("", PermitWrite, "x") {
		t.Error("* is everybody")
	}
}

// The hash of RFC 9106's reference program, for a known password and salt.
func TestArgon2(t *testing.T) {
	// echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 24, of the reference implementation's own tests
	const hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	h, err := parseArgon2(hash)
	if err != nil {
		t.Fatal(err)
	}
	if !h.matches("password") || h.matches("Password") {
		t.Error("not the hash that the reference makes")
	}
	for _, bad := range []string{
		"", "x", "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		strings.Replace(hash, "v=19", "v=16", 1), strings.Replace(hash, "m=65536", "m=4294967295", 1), strings.Replace(hash, "t=2", "t=0", 1),
		strings.Replace(hash, "p=1", "p=256", 1), strings.Replace(hash, "p=1", "p=1x", 1), strings.Replace(hash, "c29tZXNhbHQ", "c29", 1), hash + "$", hash[:40],
	} {
		if _, err := parseArgon2(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func FuzzParseToken(f *testing.F) {
	secret, line, err := NewToken("a", time.Now())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(line.line())
	f.Add("alice token " + secret)
	f.Add("alice password $argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc 2030-01-02T03:04:05Z")
	f.Fuzz(func(t *testing.T, s string) {
		a, err := parseToken(s)
		if err != nil {
			return
		}
		if b, err := parseToken(a.line()); err != nil || b.Name != a.Name || b.Hash != a.Hash || !b.Expires.Equal(a.Expires.Truncate(time.Second)) {
			t.Errorf("%q becomes %q: %v", s, a.line(), err)
		}
	})
}
