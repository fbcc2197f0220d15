package auth

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
)

func keySetOf(keys map[string]any) keySet {
	var s keySet
	for kid, k := range keys {
		s = append(s, jose.JSONWebKey{Key: k, KeyID: kid})
	}
	return s
}

// Keys are fetched when they are needed, not more often than they may be, and those that are known do not wait.
func TestKeysRotate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fetches atomic.Int32
		type server struct {
			takes time.Duration
			keys  map[string]any
			fails error
		}
		var at atomic.Pointer[server]
		at.Store(&server{time.Second, map[string]any{"1": ecKey().Public()}, nil})
		k := &fetchedKeys{logger: slog.New(slog.DiscardHandler), fetch: func(context.Context) (keySet, error) {
			fetches.Add(1)
			s := at.Load()
			time.Sleep(s.takes)
			return keySetOf(s.keys), s.fails
		}}
		find := func(kid string) error { _, err := k.find(t.Context(), kid, jose.ES256); return err }
		is := func(what string, err, want error, n int32) {
			t.Helper()
			synctest.Wait()
			if got := fetches.Load(); !errors.Is(err, want) || got != n {
				t.Errorf("%s: %v after %d fetches; want %v after %d", what, err, got, want, n)
			}
		}
		is("first", find("1"), nil, 1)
		is("known", find("1"), nil, 1)
		is("unknown, just now", find("2"), errJWTKey, 1)
		time.Sleep(retryKeys)
		two := map[string]any{"2": ecKey().Public()}
		at.Store(&server{time.Second, two, nil})
		is("new", find("2"), nil, 2)
		is("withdrawn", find("1"), errJWTKey, 2)
		for range 1000 {
			_ = find("3")
		}
		is("guessed", find("3"), errJWTKey, 2)
		// While a fetch takes its time, whatever is known is answered at once.
		time.Sleep(refreshKeys)
		at.Store(&server{8 * time.Second, two, nil})
		begun := time.Now()
		is("old", find("2"), nil, 3)
		if time.Since(begun) != 0 {
			t.Error("a known key waits")
		}
		ended := make(chan error)
		for range 3 {
			go func() { ended <- find("4") }()
		}
		for range 3 {
			is("unknown meanwhile", <-ended, errJWTKey, 3)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		time.Sleep(retryKeys)
		go func() { _ = find("5") }()
		synctest.Wait()
		if _, err := k.find(ctx, "5", jose.ES256); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a client that does not wait: %v", err)
		}
		// Where nothing can be fetched, what there was is good for a day, and then nothing is.
		at.Store(&server{0, nil, errors.New("gone")})
		time.Sleep(forgetKeys - time.Minute)
		is("23 hours", find("2"), nil, 5)
		time.Sleep(2 * time.Minute)
		is("24 hours", find("2"), errNoKeys, 6)
		if err := k.check(t.Context()); err == nil {
			t.Error("no error of the latest fetch")
		}
		at.Store(&server{0, two, nil})
		time.Sleep(retryKeys)
		is("back", find("2"), nil, 7)
	})
}

func TestParseKeySet(t *testing.T) {
	good := string(must(json.Marshal(jose.JSONWebKey{Key: ecKey().Public(), KeyID: "e"})))
	secret := string(must(json.Marshal(jose.JSONWebKey{Key: ecKey(), KeyID: "e"})))
	with := func(field string) string { return strings.TrimSuffix(good, "}") + "," + field + "}" }
	for name, q := range map[string]struct {
		text string
		keys int // 0 = an error
	}{
		"one":         {`{"keys":[` + good + `]}`, 1},
		"for signing": {`{"keys":[` + with(`"use":"sig","alg":"ES256"`) + `]}`, 1},
		"others too":  {`{"keys":[{"kty":"oct","k":"AAAA"},{"kty":"new"},{"kty":"RSA","n":"AQAB","e":"AQAB"},` + secret + `,7,` + good + `]}`, 1},
		"secret":      {`{"keys":[{"kty":"oct","k":"AAAA","kid":"e"}]}`, 0},
		"private":     {`{"keys":[` + secret + `]}`, 0},
		"encryption":  {`{"keys":[` + with(`"use":"enc"`) + `]}`, 0},
		"weak":        {`{"keys":[{"kty":"RSA","e":"AQAB","n":"` + strings.Repeat("_", 170) + `"}]}`, 0},
		"huge":        {`{"keys":[{"kty":"RSA","e":"AQAB","n":"` + strings.Repeat("_", 100_000) + `"}]}`, 0},
		"off curve":   {`{"keys":[{"kty":"EC","crv":"P-256","x":"` + strings.Repeat("A", 43) + `","y":"` + strings.Repeat("A", 43) + `"}]}`, 0},
		"none":        {`{"keys":[]}`, 0},
		"no set":      {`[]`, 0},
		"no keys":     {`{}`, 0},
		"too many":    {`{"keys":[` + strings.Repeat(good+",", maxKeys) + good + `]}`, 0},
		"deep":        {strings.Repeat("[", 100_000), 0},
	} {
		s, err := parseKeySet([]byte(q.text))
		if len(s) != q.keys || (err == nil) != (q.keys > 0) {
			t.Errorf("%s: %d keys, %v", name, len(s), err)
		}
	}
	two := keySetOf(map[string]any{"a": rsaKey().Public(), "b": rsaKey().Public(), "c": ecKey().Public()})
	for _, q := range []struct {
		kid  string
		alg  jose.SignatureAlgorithm
		want int
	}{{"a", jose.RS256, 1}, {"a", jose.PS256, 1}, {"", jose.RS256, 0}, {"", jose.ES256, 1}, {"c", jose.ES384, 0}, {"c", jose.RS256, 0}, {"d", jose.RS256, 0}} {
		if got := two.fitting(q.kid, q.alg); len(got) != q.want {
			t.Errorf("%+v: %d", q, len(got))
		}
	}
}

// Servers of keys that are slow, that say too much, and that are not what they should be.
func TestKeyURL(t *testing.T) {
	good := must(json.Marshal(jose.JSONWebKeySet{Keys: keySetOf(map[string]any{"e": ecKey().Public()})}))
	var h *httptest.Server
	var elsewhere atomic.Int32
	done := make(chan struct{})
	mux := http.NewServeMux()
	handle := func(path string, f http.HandlerFunc) { mux.HandleFunc(path, f) }
	handle("/good", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(good) })
	handle("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, h.URL, h.URL+"/good")
	})
	handle("/other/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, h.URL, h.URL+"/good")
	})
	handle("/plain/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":"http://example.com/keys"}`, h.URL+"/plain")
	})
	handle("/file/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":"file:///etc/passwd"}`, h.URL+"/file")
	})
	handle("/redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) })
	handle("/elsewhere", func(w http.ResponseWriter, _ *http.Request) { elsewhere.Add(1); _, _ = w.Write(good) })
	handle("/huge", func(w http.ResponseWriter, _ *http.Request) {
		for range 2 * maxKeySet / len(good) {
			_, _ = w.Write(good)
		}
	})
	handle("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		zeros := make([]byte, 1<<20)
		for range 64 {
			_, _ = z.Write(zeros)
		}
		_ = z.Close()
	})
	handle("/slow", func(w http.ResponseWriter, _ *http.Request) { <-done })
	handle("/drip", func(w http.ResponseWriter, _ *http.Request) {
		for _, b := range good {
			_, _ = w.Write([]byte{b})
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(50 * time.Millisecond):
			case <-done:
				return
			}
		}
	})
	handle("/headers", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X", strings.Repeat("x", 1<<20))
		_, _ = w.Write(good)
	})
	handle("/error", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write(good)
	})
	handle("/html", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") })
	h = httptest.NewServer(mux)
	defer h.Close()
	defer close(done)
	fetch := func(j JWTIssuer) error {
		u, err := newKeyURL(&j)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err = u.fetch(ctx)
		return err
	}
	for _, j := range []JWTIssuer{{Issuer: "x", Keys: h.URL + "/good"}, {Issuer: h.URL}} {
		if err := fetch(j); err != nil {
			t.Errorf("%+v: %v", j, err)
		}
	}
	for _, path := range []string{"/other", "/plain", "/file"} {
		if err := fetch(JWTIssuer{Issuer: h.URL + path}); err == nil {
			t.Errorf("the configuration of %s is taken", path)
		}
	}
	for _, path := range []string{"/redirect", "/huge", "/bomb", "/slow", "/drip", "/headers", "/error", "/html", "/nowhere"} {
		if err := fetch(JWTIssuer{Issuer: "x", Keys: h.URL + path}); err == nil {
			t.Errorf("%s is taken", path)
		}
	}
	if elsewhere.Load() > 0 {
		t.Error("a redirection was followed")
	}
}

// A server's certificate is checked, by authorities of one's own where they are given.
func TestKeyURLAuthority(t *testing.T) {
	good := must(json.Marshal(jose.JSONWebKeySet{Keys: keySetOf(map[string]any{"e": ecKey().Public()})}))
	h := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(good) }))
	h.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	h.StartTLS()
	defer h.Close()
	ca := filepath.Join(t.TempDir(), "ca")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, q := range []struct {
		ca string
		ok bool
	}{{ca, true}, {"", false}} {
		u, err := newKeyURL(&JWTIssuer{Issuer: "x", Keys: h.URL, CA: q.ca})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := u.fetch(t.Context()); (err == nil) != q.ok {
			t.Errorf("authorities %q: %v", q.ca, err)
		}
	}
}
