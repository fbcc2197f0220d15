package auth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

var (
	rsaKey = sync.OnceValue(func() *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, 2048)) })
	ecKey  = sync.OnceValue(func() *ecdsa.PrivateKey { return must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)) })
	edKey  = sync.OnceValue(func() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(make([]byte, 32)) })
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

const testIssuer = "https://id.example.com/"

// keysFile writes a set of the public keys by their kid.
func keysFile(t testing.TB, keys map[string]any) string {
	t.Helper()
	set := jose.JSONWebKeySet{}
	for kid, k := range keys {
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: k, KeyID: kid})
	}
	path := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(path, must(json.Marshal(set)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func threeKeys(t testing.TB) string {
	return keysFile(t, map[string]any{"r": rsaKey().Public(), "e": ecKey().Public(), "d": edKey().Public()})
}

type claims map[string]any

// good are the claims of a token that is taken, with others in their place.
func good(others claims) claims {
	c := claims{"iss": testIssuer, "aud": "arrowio", "sub": "alice", "exp": time.Now().Add(time.Hour).Unix()}
	for k, v := range others {
		if v == nil {
			delete(c, k)
		} else {
			c[k] = v
		}
	}
	return c
}

// signed makes a token by go-jose.
func signed(t testing.TB, alg jose.SignatureAlgorithm, key any, kid string, c claims, o *jose.SignerOptions) string {
	t.Helper()
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: jose.JSONWebKey{Key: key, KeyID: kid}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return must(jwt.Signed(s).Claims(map[string]any(c)).Serialize())
}

func typed(typ string) *jose.SignerOptions {
	return (&jose.SignerOptions{}).WithType(jose.ContentType(typ))
}

// byHand makes a token of any header and claims, signed by sign.
func byHand(header, payload string, sign func(text string) []byte) string {
	b := base64.RawURLEncoding
	text := b.EncodeToString([]byte(header)) + "." + b.EncodeToString([]byte(payload))
	return text + "." + b.EncodeToString(sign(text))
}

func text(c claims) string { return string(must(json.Marshal(c))) }

func hmacOf(secret []byte) func(string) []byte {
	return func(text string) []byte {
		m := hmac.New(sha256.New, secret)
		m.Write([]byte(text))
		return m.Sum(nil)
	}
}

func rs256(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return must(rsa.SignPKCS1v15(rand.Reader, rsaKey(), crypto.SHA256, sum[:]))
}

func jwtAccess(t testing.TB, j JWTIssuer, rules ...Rule) *Access {
	t.Helper()
	j.Issuer = testIssuer
	if j.Audiences == nil {
		j.Audiences = []string{"other", "arrowio"}
	}
	if j.Keys == "" {
		j.Keys = threeKeys(t)
	}
	return access(t, Options{JWTs: []JWTIssuer{j}, Rules: rules, Logger: slog.New(slog.DiscardHandler)})
}

func TestJWT(t *testing.T) {
	a := jwtAccess(t, JWTIssuer{Roles: []string{"groups", "realm.roles", "https://example.com/roles", "scope"}})
	until := time.Now().Add(time.Hour).Truncate(time.Second)
	for _, token := range []string{
		signed(t, jose.RS256, rsaKey(), "r", good(nil), nil),
		signed(t, jose.PS512, rsaKey(), "r", good(claims{"aud": []string{"x", "other"}}), nil),
		signed(t, jose.ES256, ecKey(), "e", good(nil), typed("at+jwt")),
		signed(t, jose.EdDSA, edKey(), "d", good(nil), typed("JWT")),
		signed(t, jose.EdDSA, edKey(), "", good(nil), nil),                                                       // the only key that fits
		signed(t, jose.RS256, rsaKey(), "r", good(claims{"exp": time.Now().Add(-20 * time.Second).Unix()}), nil), // of 30 that clocks may differ, on a slow machine
		signed(t, jose.RS256, rsaKey(), "r", good(claims{"nbf": time.Now().Add(20 * time.Second).Unix(), "iat": time.Now().Unix()}), nil),
		byHand(`{"alg":"RS256","kid":"r"}`, text(good(nil)), rs256), // signed by the standard library
	} {
		id, err := a.bearer(t.Context(), token)
		if err != nil || id.Name != "alice" || id.Roles != nil {
			t.Errorf("%+v, %v", id, err)
		}
	}
	id, err := a.bearer(t.Context(), signed(t, jose.RS256, rsaKey(), "r", good(claims{
		"exp": until.Unix(), "groups": []string{"b", "a"}, "realm": claims{"roles": []string{"c"}}, "https://example.com/roles": "d e", "scope": "e f",
	}), nil))
	if err != nil || !slices.Equal(id.Roles, []string{"a", "b", "c", "d", "e", "f"}) || !id.Until.Equal(until.Add(30*time.Second)) {
		t.Errorf("%+v, %v", id, err)
	}
}

// What RFC 8725 and its examples warn of, and what else a hostile client may send.
func TestJWTAttacks(t *testing.T) {
	pub := must(x509.MarshalPKIXPublicKey(rsaKey().Public()))
	pemKey := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pub})
	jwk := must(json.Marshal(jose.JSONWebKey{Key: rsaKey().Public(), KeyID: "r"}))
	mine := must(rsa.GenerateKey(rand.Reader, 2048))
	ok := signed(t, jose.RS256, rsaKey(), "r", good(nil), nil)
	parts := strings.Split(ok, ".")
	none := func(string) []byte { return nil }
	hour := time.Hour
	at := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	rs := func(others claims) string { return signed(t, jose.RS256, rsaKey(), "r", good(others), nil) }
	embedded := &jose.SignerOptions{EmbedJWK: true}
	a := jwtAccess(t, JWTIssuer{Roles: []string{"groups"}})
	for name, q := range map[string]struct {
		token string
		want  error
	}{
		"none":                      {byHand(`{"alg":"none"}`, text(good(nil)), none), errNoJWT},
		"None":                      {byHand(`{"alg":"None","kid":"r"}`, text(good(nil)), none), errNoJWT},
		"no alg":                    {byHand(`{"kid":"r"}`, text(good(nil)), none), errNoJWT},
		"HS256 with the PEM":        {byHand(`{"alg":"HS256","kid":"r"}`, text(good(nil)), hmacOf(pemKey)), errNoJWT},
		"HS256 with the DER":        {byHand(`{"alg":"HS256","kid":"r"}`, text(good(nil)), hmacOf(pub)), errNoJWT},
		"HS256 with the JWK":        {byHand(`{"alg":"HS256","kid":"r"}`, text(good(nil)), hmacOf(jwk)), errNoJWT},
		"HS256 with the modulus":    {byHand(`{"alg":"HS256","kid":"r"}`, text(good(nil)), hmacOf(rsaKey().N.Bytes())), errNoJWT},
		"another alg for the key":   {byHand(`{"alg":"ES256","kid":"r"}`, text(good(nil)), rs256), errJWTKey},
		"PS256 over PKCS 1.5":       {byHand(`{"alg":"PS256","kid":"r"}`, text(good(nil)), rs256), errJWTBad},
		"no signature":              {parts[0] + "." + parts[1] + ".", errJWTBad},
		"signature of another":      {parts[0] + "." + strings.Split(rs(claims{"sub": "bob"}), ".")[1] + "." + parts[2], errJWTBad},
		"another header":            {base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"r","x":1}`)) + "." + parts[1] + "." + parts[2], errJWTBad},
		"own key, its kid":          {signed(t, jose.RS256, mine, "r", good(nil), nil), errJWTBad},
		"own key, another kid":      {signed(t, jose.RS256, mine, "x", good(nil), nil), errJWTKey},
		"own key embedded":          {signed(t, jose.RS256, mine, "r", good(nil), embedded), errJWTBad},
		"own key embedded, no kid":  {signed(t, jose.RS256, mine, "", good(nil), embedded), errJWTBad},
		"kid of a path":             {signed(t, jose.RS256, mine, "../../dev/null", good(nil), nil), errJWTKey},
		"kid of another key":        {signed(t, jose.RS256, rsaKey(), "e", good(nil), nil), errJWTKey},
		"kid that is no text":       {byHand(`{"alg":"RS256","kid":7}`, text(good(nil)), rs256), errNoJWT},
		"ES256 of zeros":            {byHand(`{"alg":"ES256","kid":"e"}`, text(good(nil)), func(string) []byte { return make([]byte, 64) }), errJWTBad},
		"crit":                      {byHand(`{"alg":"RS256","kid":"r","crit":["exp"],"exp":1}`, text(good(nil)), rs256), errJWTBad},
		"another type":              {signed(t, jose.RS256, rsaKey(), "r", good(nil), typed("logout+jwt")), errJWTType},
		"type that is no text":      {byHand(`{"alg":"RS256","kid":"r","typ":1}`, text(good(nil)), rs256), errJWTType},
		"another issuer":            {rs(claims{"iss": "https://evil.example.com/"}), errJWTIssuer},
		"issuer without its slash":  {rs(claims{"iss": strings.TrimSuffix(testIssuer, "/")}), errJWTIssuer},
		"no issuer":                 {rs(claims{"iss": nil}), errJWTIssuer},
		"issuer twice":              {byHand(`{"alg":"RS256","kid":"r"}`, `{"iss":"x",`+text(good(nil))[1:], rs256), errNoJWT},
		"another audience":          {rs(claims{"aud": []string{"arrowio2", "Arrowio"}}), errJWTAudience},
		"no audience":               {rs(claims{"aud": nil}), errJWTAudience},
		"audience that is no text":  {rs(claims{"aud": 7}), errJWTBad},
		"expired":                   {rs(claims{"exp": at(-31 * time.Second)}), errJWTExpired},
		"expired long ago":          {rs(claims{"exp": 0}), errJWTExpired},
		"expires never":             {rs(claims{"exp": nil}), errJWTForever},
		"expires after the numbers": {rs(claims{"exp": json.Number("1e400")}), errJWTBad},
		"expiry that is text":       {rs(claims{"exp": "9999999999"}), errJWTBad},
		"not before":                {rs(claims{"nbf": at(hour)}), errJWTEarly},
		"issued in the future":      {rs(claims{"iat": at(hour)}), errJWTEarly},
		"too long":                  {rs(claims{"x": strings.Repeat("x", maxJWT)}), errLongJWT},
		"megabytes":                 {strings.Repeat("x.", 2<<20), errBadToken},
		"not base64":                {"a.b.c", errNoJWT},
		"empty parts":               {"..", errNoJWT},
		"not JSON":                  {byHand(`{"alg":"RS256","kid":"r"}`, `[]`, rs256), errNoJWT},
		"deep":                      {byHand(`{"alg":"RS256","kid":"r"}`, strings.Repeat("[", 6000), rs256), errNoJWT},
		"encrypted":                 {"eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA", errBadToken},
	} {
		id, err := a.bearer(t.Context(), q.token)
		if err != q.want || id.Name != "" && err == nil {
			t.Errorf("%s: %+v, %v; want %v", name, id, err, q.want)
		}
	}
	for name, c := range map[string]claims{
		"no subject":      {"sub": nil},
		"empty":           {"sub": ""},
		"a number":        {"sub": 7},
		"a line":          {"sub": "a\nb"},
		"no end":          {"sub": strings.Repeat("x", 257)},
		"bell":            {"sub": "a\x07"},
		"from the left":   {"sub": "a\u202eb"},
		"roles of a tree": {"groups": claims{"a": "b"}},
		"role of numbers": {"groups": []any{"a", 1}},
		"role of nothing": {"groups": []any{""}},
		"many roles":      {"groups": strings.Split(strings.Repeat("a,", 1001)+"a", ",")},
	} {
		if id, err := a.bearer(t.Context(), rs(c)); err == nil {
			t.Errorf("%s: %+v", name, id)
		}
	}
}

// Where a token says that its key is to be had, nobody asks.
func TestJWTKeyOfToken(t *testing.T) {
	mine := must(rsa.GenerateKey(rand.Reader, 2048))
	var asked atomic.Int64
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: mine.Public(), KeyID: "r"}, {Key: mine.Public(), KeyID: "x"}}})
	}))
	defer h.Close()
	a := jwtAccess(t, JWTIssuer{})
	for _, header := range []jose.HeaderKey{"jku", "x5u"} {
		for kid, want := range map[string]error{"r": errJWTBad, "x": errJWTKey} {
			token := signed(t, jose.RS256, mine, kid, good(nil), (&jose.SignerOptions{}).WithHeader(header, h.URL))
			if id, err := a.bearer(t.Context(), token); err != want {
				t.Errorf("%s, key %s: %+v, %v; want %v", header, kid, id, err, want)
			}
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the client's server was asked %d times", n)
	}
}

// The examples of RFC 7515, A.2 and A.3: signatures by others. They have expired in 2011.
func TestJWTExamples(t *testing.T) {
	const claimsA = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
	const keys = `{"keys":[
		{"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"},
		{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}`
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, []byte(keys), 0o600); err != nil {
		t.Fatal(err)
	}
	is := must(openIssuers([]JWTIssuer{{Issuer: "joe", Audiences: []string{"x"}, Keys: path}}, slog.Default(), nil))
	for _, token := range []string{
		"eyJhbGciOiJSUzI1NiJ9." + claimsA + ".cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw",
		"eyJhbGciOiJFUzI1NiJ9." + claimsA + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
	} {
		_, err := openJWT(t.Context(), is, token, time.Unix(1300819379, 0))
		if err != errJWTAudience { // they have none: the signature was right
			t.Error(err)
		}
	}
}

// Two issuers, each with names, keys and algorithms of its own.
func TestJWTIssuers(t *testing.T) {
	file := keysFile(t, map[string]any{"k": ecKey().Public()})
	a := access(t, Options{JWTs: []JWTIssuer{
		{Issuer: "one", Audiences: []string{"a"}, Keys: threeKeys(t), Prefix: "one/", Algorithms: []string{"EdDSA"}, Name: "email", Roles: []string{"g"}},
		{Issuer: "two", Audiences: []string{"a"}, Keys: file, Prefix: "two/", Skew: -1},
	}, Rules: rules(t, "one/a@b:read=x", "role:one/adm*:write=x", "role:*:manage=x", "role:x:read=*")})
	ed := func(c claims) string { return signed(t, jose.EdDSA, edKey(), "d", c, nil) }
	one := good(claims{"iss": "one", "aud": "a", "email": "a@b", "g": "admin"})
	id, err := a.bearer(t.Context(), ed(one))
	if err != nil || id.Name != "one/a@b" || !slices.Equal(id.Roles, []string{"one/admin"}) {
		t.Fatal(id, err)
	}
	for _, q := range []struct {
		id      Identity
		p       Permission
		dataset string
		want    bool
	}{
		{id, PermitRead, "x", true},
		{id, PermitRead, "y", false},
		{id, PermitWrite, "x", true},
		{id, PermitManage, "x", true},
		{Identity{Name: "role:one/admin"}, PermitWrite, "x", false}, // a name is no role
		{Identity{Name: "one/admin"}, PermitWrite, "x", false},
		{Identity{Name: "z"}, PermitManage, "x", false},
		{Identity{Roles: []string{"one/a@b"}}, PermitRead, "x", false}, // nor a role a name
	} {
		if err := a.Authorize(q.id, q.p, q.dataset); (err == nil) != q.want {
			t.Errorf("%+v: %v", q, err)
		}
	}
	for name, q := range map[string]struct {
		token string
		want  error
	}{
		"an algorithm of the other's": {signed(t, jose.ES256, ecKey(), "e", one, nil), errNoJWT},
		"a key of the other's":        {signed(t, jose.ES256, ecKey(), "k", one, nil), errNoJWT},
		"no skew":                     {signed(t, jose.ES256, ecKey(), "k", good(claims{"iss": "two", "aud": "a", "exp": time.Now().Unix() - 1}), nil), errJWTExpired},
		"two":                         {signed(t, jose.ES256, ecKey(), "k", good(claims{"iss": "two", "aud": "a"}), nil), nil},
	} {
		if _, err := a.bearer(t.Context(), q.token); err != q.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	ok := JWTIssuer{Issuer: "one", Audiences: []string{"a"}, Keys: file}
	for name, bad := range map[string][]JWTIssuer{
		"no issuer":      {{Audiences: []string{"a"}, Keys: file}},
		"no audience":    {{Issuer: "x", Keys: file}},
		"empty audience": {{Issuer: "x", Audiences: []string{""}, Keys: file}},
		"HS256":          {{Issuer: "x", Audiences: []string{"a"}, Keys: file, Algorithms: []string{"HS256"}}},
		"none":           {{Issuer: "x", Audiences: []string{"a"}, Keys: file, Algorithms: []string{"none"}}},
		"skew":           {{Issuer: "x", Audiences: []string{"a"}, Keys: file, Skew: time.Hour}},
		"no file":        {{Issuer: "x", Audiences: []string{"a"}, Keys: file + "x"}},
		"http":           {{Issuer: "x", Audiences: []string{"a"}, Keys: "http://example.com/keys"}},
		"http issuer":    {{Issuer: "http://example.com", Audiences: []string{"a"}}},
		"no URL":         {{Issuer: "x", Audiences: []string{"a"}}},
		"password":       {{Issuer: "x", Audiences: []string{"a"}, Keys: "https://u:p@example.com/"}},
		"twice":          {ok, ok},
		"no prefix":      {ok, {Issuer: "two", Audiences: []string{"a"}, Keys: file, Prefix: "two"}},
		"prefix within":  {{Issuer: "x", Audiences: []string{"a"}, Keys: file, Prefix: "t"}, {Issuer: "two", Audiences: []string{"a"}, Keys: file, Prefix: "two"}},
	} {
		if _, err := New(Options{JWTs: bad}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// A JWT stands in the place of a password, with the name that it has, and is what the client goes on with.
func TestJWTAsPassword(t *testing.T) {
	path, _ := tokenFileOf(t)
	line := must(NewPassword("bob", "a.b.c", time.Time{}))
	if err := AddToken(path, line); err != nil {
		t.Fatal(err)
	}
	a := access(t, Options{Tokens: path, JWTs: []JWTIssuer{{Issuer: testIssuer, Audiences: []string{"arrowio"}, Keys: threeKeys(t)}}})
	token := signed(t, jose.EdDSA, edKey(), "d", good(nil), nil)
	if id, next, err := a.login(t.Context(), nil, "alice", token); err != nil || id.Name != "alice" || next != token {
		t.Error(id, next, err)
	}
	if id, _, err := a.login(t.Context(), nil, "bob", token); err == nil {
		t.Error(id)
	}
	if id, _, err := a.login(t.Context(), nil, "bob", "a.b.c"); err != nil || id.Name != "bob" {
		t.Error("a password with dots:", id, err)
	}
}

func FuzzJWT(f *testing.F) {
	a := jwtAccess(f, JWTIssuer{Roles: []string{"groups"}})
	f.Add(signed(f, jose.EdDSA, edKey(), "d", good(claims{"groups": []string{"x"}}), nil))
	f.Add(byHand(`{"alg":"none"}`, text(good(nil)), func(string) []byte { return nil }))
	valid := signed(f, jose.EdDSA, edKey(), "d", good(nil), nil)
	f.Add(valid)
	f.Fuzz(func(t *testing.T, s string) {
		id, err := openJWT(context.Background(), a.issuers, s, time.Unix(1, 0))
		if err == nil && id.Name != "alice" {
			t.Errorf("%q is %+v", s, id)
		}
	})
}
