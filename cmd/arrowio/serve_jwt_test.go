package main

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// provider is a server of OpenID Connect: its configuration and its keys.
func provider(t *testing.T) (url string, token func(claims map[string]any) string) {
	t.Helper()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	keys, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "1"}}})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/.well-known/openid-configuration":
			fmt.Fprintf(w, `{"issuer": "http://%s", "jwks_uri": "http://%s/keys"}`, r.Host, r.Host)
		case "/keys":
			_, _ = w.Write(keys)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(h.Close)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: key, KeyID: "1"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return h.URL, func(claims map[string]any) string {
		all := map[string]any{"iss": h.URL, "aud": "arrowio", "exp": time.Now().Add(time.Hour).Unix()}
		for k, v := range claims {
			all[k] = v
		}
		s, err := jwt.Signed(signer).Claims(all).Serialize()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

// An issuer by flags, whose keys are found as OpenID Connect has it, and another in the config file.
func TestServeJWT(t *testing.T) {
	one, tokenOne := provider(t)
	two, tokenTwo := provider(t)
	config := filepath.Join(t.TempDir(), "config.toml")
	text := fmt.Sprintf("[[jwt]]\nissuer = %q\naudience = ['x', 'arrowio']\nkeys = %q\nprefix = 'two/'\nname = 'email'\nalgorithm = 'EdDSA'\nskew = '1m'\n", two, two+"/keys")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errs, _ := serving(t, "--config", config, "--jwt-issuer", one, "--jwt-audience=arrowio", "--jwt-roles=realm.roles", "--jwt-prefix=one/",
		"--permit=role:one/reader:read=e", "--permit=two/a@b:read=e", "--listen=grpc://127.0.0.1:0", "--writable=e="+t.TempDir(), "e="+opsFile)
	addr := regexp.MustCompile(`grpc://([0-9.:]+)`).FindStringSubmatch(out.String())
	c, err := flight.NewClientWithMiddleware(addr[1], nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	roles := map[string]any{"roles": []string{"reader"}}
	for token, want := range map[string]codes.Code{
		tokenOne(map[string]any{"sub": "x", "realm": roles}):                                                  codes.OK,
		tokenOne(map[string]any{"sub": "x"}):                                                                  codes.PermissionDenied,
		tokenOne(map[string]any{"sub": "x", "realm": roles, "aud": "y"}):                                      codes.Unauthenticated,
		tokenTwo(map[string]any{"email": "a@b", "exp": time.Now().Add(-50 * time.Second).Unix()}):             codes.OK,
		tokenTwo(map[string]any{"email": "b@b", "sub": "two/a@b"}):                                            codes.PermissionDenied,
		tokenTwo(map[string]any{"sub": "a@b"}):                                                                codes.Unauthenticated,
		tokenOne(map[string]any{"sub": "x", "realm": roles, "exp": time.Now().Add(-50 * time.Second).Unix()}): codes.Unauthenticated,
		strings.Replace(tokenOne(map[string]any{"sub": "x", "realm": roles}), ".", ".eyJ", 1):                 codes.Unauthenticated,
		tokenOne(map[string]any{"sub": "x", "realm": roles, "iss": "http://127.0.0.1:1"}):                     codes.Unauthenticated,
	} {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token)
		_, err := c.GetFlightInfo(ctx, &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"e"}})
		if status.Code(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if strings.Contains(errs.String(), "eyJ") {
		t.Error("a token is in the log")
	}
}

// Where clients send JWTs, what is writable is not for everybody.
func TestServeJWTWritable(t *testing.T) {
	issuer, token := provider(t)
	out, _, _ := serving(t, "--jwt-issuer", issuer, "--jwt-audience=arrowio", "--listen=grpc://127.0.0.1:0", "--writable=w*="+t.TempDir())
	addr := regexp.MustCompile(`grpc://([0-9.:]+)`).FindStringSubmatch(out.String())
	c, err := flight.NewClientWithMiddleware(addr[1], nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	put, err := c.DoPut(metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token(map[string]any{"sub": "x"})))
	if err != nil {
		t.Fatal(err)
	}
	if err := put.Send(&flight.FlightData{FlightDescriptor: &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"w1"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := put.Recv(); status.Code(err) != codes.PermissionDenied {
		t.Error(err)
	}
}

func TestServeJWTRefuses(t *testing.T) {
	issuer, _ := provider(t)
	base := []string{"serve", "--log=none", "--check-config", "--listen=grpc://127.0.0.1:0", "e=" + opsFile}
	for _, q := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--jwt-issuer", issuer, "--jwt-audience=a"}, 0, ""},
		{[]string{"--jwt-issuer", issuer}, 2, "audience is missing"},
		{[]string{"--jwt-audience=a"}, 2, "--jwt-issuer is missing"},
		{[]string{"--jwt-issuer", issuer + "/", "--jwt-audience=a"}, 2, "another issuer"},
		{[]string{"--jwt-issuer", issuer, "--jwt-audience=a", "--jwt-keys", issuer + "/none"}, 2, "404"},
		{[]string{"--jwt-issuer", issuer, "--jwt-audience=a", "--jwt-keys", opsFile}, 2, "no JSON Web Key Set"},
		{[]string{"--jwt-issuer=http://example.com", "--jwt-audience=a"}, 2, "https only"},
		{[]string{"--jwt-issuer", issuer, "--jwt-audience=a", "--jwt-algorithm=HS256"}, 2, `"HS256" is not one of RS256`},
		{[]string{"--jwt-issuer", issuer, "--jwt-audience=a", "--jwt-skew=-1s"}, 2, "skew"},
		{[]string{"--jwt-issuer", issuer, "--jwt-audience=a", "--listen=grpc://0.0.0.0:0"}, 2, "unencrypted"},
	} {
		if code, _, errs := said(t, "", append(base, q.args...)...); code != q.code || !strings.Contains(errs, q.want) {
			t.Errorf("%v: %d, %s", q.args, code, errs)
		}
	}
	config := filepath.Join(t.TempDir(), "config.toml")
	for text, want := range map[string]string{
		"jwt = 3":                      "[[jwt]]",
		"[jwt]\nissuer = 'x'":          "[[jwt]]",
		"jwt = ['x']":                  "[[jwt]]",
		"[[jwt]]\nissue = 'x'":         `no key "issue"`,
		"[[jwt]]\nissuer = ['x', 'y']": "one value",
		"[[jwt]]\naudience = 'x'":      "without an issuer",
		"[[jwt]]\nskew = 'long'":       "skew",
	} {
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := said(t, "", append(base, "--config", config)...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%q: %d, %s", text, code, errs)
		}
	}
}
