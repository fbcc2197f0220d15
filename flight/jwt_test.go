package flight

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
)

// identityProvider signs JWTs of an issuer "id" for the audience "arrowio".
type identityProvider struct {
	signer jose.Signer
	keys   string // a file
}

func newIdentityProvider(t testing.TB) *identityProvider {
	t.Helper()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: key}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public()}}})
	if err != nil {
		t.Fatal(err)
	}
	p := &identityProvider{s, filepath.Join(t.TempDir(), "keys")}
	if err := os.WriteFile(p.keys, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *identityProvider) issuer() JWTIssuer {
	return JWTIssuer{Issuer: "id", Audiences: []string{"arrowio"}, Keys: p.keys, Roles: []string{"groups"}, Skew: -1}
}

// token returns a token that is good until a time.
func (p *identityProvider) token(t testing.TB, name string, until time.Time, roles ...string) string {
	t.Helper()
	s, err := jwt.Signed(p.signer).Claims(map[string]any{"iss": "id", "aud": "arrowio", "sub": name, "exp": until.Unix(), "groups": roles}).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// as is the context of a client with a token of an hour.
func (p *identityProvider) as(t testing.TB, name string, roles ...string) context.Context {
	t.Helper()
	return with(t.Context(), "authorization", "Bearer "+p.token(t, name, time.Now().Add(time.Hour), roles...))
}

// JWTs are taken beside other tokens, and their roles are permitted things.
func TestJWTs(t *testing.T) {
	t.Parallel()
	dir := events(t, 100)
	p := newIdentityProvider(t)
	path, secrets := tokenFileOf(t, "bob")
	r := start(t, Options{Authorizer: access(t, AccessOptions{
		Tokens: path, JWTs: []JWTIssuer{p.issuer()}, Rules: rules(t, "role:analyst:read=events", "bob:read=*", "carol:read=prices"),
	})}, map[string]Spec{"events": {Paths: []string{dir}}, "prices": {Paths: []string{dir}}})
	c := r.client(t)
	expired := p.token(t, "carol", time.Now().Add(-time.Second))
	for _, q := range []struct {
		what, dataset string
		ctx           context.Context
		want          codes.Code
	}{
		{"by role", "events", p.as(t, "alice", "x", "analyst"), codes.OK},
		{"elsewhere", "prices", p.as(t, "alice", "analyst"), codes.PermissionDenied},
		{"no role", "events", p.as(t, "alice"), codes.PermissionDenied},
		{"a name is no role", "events", p.as(t, "role:analyst"), codes.PermissionDenied},
		{"by name", "prices", p.as(t, "carol"), codes.OK},
		{"a token of the file", "prices", with(t.Context(), "authorization", "Bearer "+secrets["bob"]), codes.OK},
		{"as a password", "prices", with(t.Context(), "authorization", basic("carol", p.token(t, "carol", time.Now().Add(time.Hour)))), codes.OK},
		{"expired", "prices", with(t.Context(), "authorization", "Bearer "+expired), codes.Unauthenticated},
	} {
		if _, err := c.GetFlightInfo(q.ctx, pathOf(q.dataset)); code(err) != q.want {
			t.Errorf("%s: %v, want %s", q.what, err, q.want)
		}
	}
	// Clients that ask for a token by Handshake go on with the one that they have.
	token := p.token(t, "carol", time.Now().Add(time.Hour))
	ctx, err := c.AuthenticateBasicToken(t.Context(), "carol", token)
	if err != nil {
		t.Fatal(err)
	}
	md, _ := metadata.FromOutgoingContext(ctx)
	if v := md.Get("authorization"); len(v) != 1 || v[0] != "Bearer "+token {
		t.Errorf("%q", v)
	}
	if log := r.log.String(); strings.Contains(log, "eyJ") || !strings.Contains(log, "client=carol") {
		t.Error("the log has a token, or does not say who")
	}
}

// A stream does not go on longer than the token that it was begun with, whatever the kind of token.
func TestTokensEndStreams(t *testing.T) {
	t.Parallel()
	p := newIdentityProvider(t)
	path, _ := tokenFileOf(t)
	until := time.Now().Add(2 * time.Second).Truncate(time.Second)
	secret, line, err := NewToken("bob", until)
	if err != nil {
		t.Fatal(err)
	}
	if err := AddToken(path, line); err != nil {
		t.Fatal(err)
	}
	addPassword(t, path, "carol", "secret", until)
	r := start(t, Options{Authorizer: access(t, AccessOptions{Tokens: path, JWTs: []JWTIssuer{p.issuer()}})}, nil)
	c := r.client(t)
	ended := make(chan error)
	ways := []string{"Bearer " + secret, "Bearer " + p.token(t, "alice", until), basic("carol", "secret")}
	for _, way := range ways {
		st, err := c.DoExchange(with(t.Context(), "authorization", way))
		if err != nil {
			t.Fatal(err)
		}
		if err := st.Send(&flight.FlightData{FlightDescriptor: cmdOf(`{}`)}); err != nil {
			t.Fatal(err)
		}
		go func() { _, err := st.Recv(); ended <- err }()
	}
	for range ways {
		err := <-ended
		if code(err) != codes.Unauthenticated || !strings.Contains(err.Error(), "expired") || time.Now().Before(until) {
			t.Errorf("%s before its end: %v", time.Until(until), err)
		}
	}
}
