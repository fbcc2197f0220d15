package icebergcatalog_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/icebergcatalog"
)

// configured makes the user's directories, and writes configurations into them.
func configured(t *testing.T, ours, pyiceberg string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	t.Setenv("PYICEBERG_HOME", filepath.Join(dir, "py"))
	t.Setenv("HOME", dir)
	t.Chdir(dir)
	for name, text := range map[string]string{"config/arrowio/catalogs.yaml": ours, "py/.pyiceberg.yaml": pyiceberg} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if text != "" {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestFind(t *testing.T) {
	configured(t, "catalog:\n  a:\n    uri: http://ours\n", "catalog:\n  a:\n    uri: http://py\n  b:\n    type: hive\n    uri: thrift://h:9083\n    s3:\n      region: x\n    n: 5\n")
	t.Setenv("PYICEBERG_CATALOG__B__OAUTH2_SERVER_URI", "o")
	t.Setenv("PYICEBERG_CATALOG__C__URI", "http://c")
	for name, want := range map[string]string{
		"a": "map[uri:http://ours]",
		"b": "map[n:5 oauth2-server-uri:o s3.region:x scope:6 type:hive uri:thrift://h:9083]",
		"c": "map[uri:http://c]",
	} {
		var given icebergcatalog.Properties
		if name == "b" {
			given = icebergcatalog.Properties{"scope": "6"}
		}
		p, err := icebergcatalog.Find(name, given)
		if p["catalog-name"] != name {
			t.Errorf("%s is called %q", name, p["catalog-name"])
		}
		delete(p, "catalog-name")
		if got := fmt.Sprint(map[string]string(p)); err != nil || got != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if _, err := icebergcatalog.Find("none", nil); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "catalogs.yaml") || !strings.Contains(err.Error(), ".pyiceberg.yaml") {
		t.Error(err)
	}
	if _, err := icebergcatalog.Find("c", icebergcatalog.Properties{"tokn": "x"}); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), `"tokn"`) {
		t.Error(err)
	}
	if p, err := icebergcatalog.Find("a", icebergcatalog.Properties{"header.X-Tenant": "t"}); err != nil || p["header.X-Tenant"] != "t" {
		t.Errorf("%v, %v", p, err)
	}
	configured(t, "catalog: [", "")
	if _, err := icebergcatalog.Find("a", nil); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "YAML") {
		t.Error(err)
	}
}

// server answers as the specification of Iceberg's REST protocol says.
func server(t *testing.T) *httptest.Server {
	t.Helper()
	answer := func(w http.ResponseWriter, status int, text string) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text)) // a client that is gone has its own error
	}
	m := http.NewServeMux()
	m.HandleFunc("POST /v1/oauth/tokens", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("grant_type") != "client_credentials" || r.FormValue("client_id") != "me" || r.FormValue("client_secret") != "s:x" || r.FormValue("scope") != "catalog" {
			answer(w, 400, `{"error": "invalid_client"}`)
			return
		}
		answer(w, 200, `{"access_token": "abc", "token_type": "bearer", "expires_in": 3600}`)
	})
	checked := func(f http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer abc" {
				answer(w, 401, `{"error": {"message": "who are you?", "type": "NotAuthorizedException", "code": 401}}`)
				return
			}
			f(w, r)
		}
	}
	m.HandleFunc("GET /v1/config", checked(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("warehouse") == "w/1" {
			answer(w, 200, `{"defaults": {"prefix": "no"}, "overrides": {"prefix": "pre/fix"}}`)
			return
		}
		answer(w, 200, `{"defaults": {}, "overrides": {}}`)
	}))
	m.HandleFunc("GET /v1/{rest...}", checked(func(w http.ResponseWriter, r *http.Request) {
		switch at := r.URL.EscapedPath(); at {
		case "/v1/namespaces/db/tables/t", "/v1/pre/fix/namespaces/a%1Fb/tables/t":
			answer(w, 200, `{"metadata-location": "s3://b/t/metadata/`+fmt.Sprint(len(at))+`.metadata.json", "metadata": {"format-version": 2}}`)
		case "/v1/namespaces/db/tables/long":
			answer(w, 200, `{"metadata-location": "`+strings.Repeat("x", 5000)+`"}`)
		case "/v1/namespaces/db/tables/nowhere":
			answer(w, 200, `{}`)
		case "/v1/namespaces/db/tables/away":
			http.Redirect(w, r, "http://localhost:1/x", http.StatusTemporaryRedirect)
		case "/v1/namespaces/db/tables/page":
			answer(w, 200, `<html>`)
		case "/v1/namespaces/db/tables/broken":
			answer(w, 503, ``)
		case "/v1/namespaces/db/tables/busy":
			answer(w, 429, ``)
		case "/v1/namespaces/db/tables/cut":
			w.Header().Set("Content-Length", "9")
			answer(w, 200, `{`)
		default:
			answer(w, 404, `{"error": {"message": "Table does not exist", "type": "NoSuchTableException", "code": 404}}`)
		}
	}))
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	return s
}

func TestTable(t *testing.T) {
	s := server(t)
	rest := func(more ...string) icebergcatalog.Properties {
		p := icebergcatalog.Properties{"uri": s.URL + "/", "token": "abc"}
		for _, kv := range more {
			k, v, _ := strings.Cut(kv, "=")
			p[k] = v
		}
		return p
	}
	const system = errs.Kind(99) // an error without a kind
	for _, c := range []struct {
		p    icebergcatalog.Properties
		name string
		want string
		kind errs.Kind
	}{
		{rest(), "db.t", "s3://b/t/metadata/26.metadata.json", 0},
		{rest("token=", "credential=me:s:x"), "db.t", "s3://b/t/metadata/26.metadata.json", 0},
		{rest("token=", "header.Authorization=Bearer abc"), "db.t", "s3://b/t/metadata/26.metadata.json", 0},
		{rest("warehouse=w/1"), "a.b.t", "s3://b/t/metadata/37.metadata.json", 0},
		{rest("token=wrong"), "db.t", "who are you?", errs.ErrOption},
		{rest("token=", "credential=me:wrong"), "db.t", "400", errs.ErrUnsupported},
		{rest(), "db.none", "Table does not exist", errs.ErrOption},
		{rest(), "db.long", "1000 bytes", errs.ErrLimit},
		{rest(), "db.nowhere", "metadata-location", errs.ErrUnsupported},
		{rest(), "db.page", "JSON", errs.ErrCorrupt},
		{rest(), "db.away", "redirects to http://localhost:1/x", errs.ErrUnsupported},
		{rest(), "db.broken", "503", system},
		{rest(), "db.busy", "429", system},
		{rest(), "db.cut", "cut off", system},
		{rest(), "t", "NAMESPACE.TABLE", errs.ErrOption},
		{rest(), "db..t", "NAMESPACE.TABLE", errs.ErrOption},
		{icebergcatalog.Properties{"uri": "127.0.0.1:1"}, "db.t", "does not begin with http://", errs.ErrOption},
		{rest("uri=http://127.0.0.1:1"), "db.t", "does not answer", system},
		{rest("uri=http://127.0.0.1:99999"), "db.t", "port", errs.ErrOption},
		{rest("uri=http://u:secret@h"), "db.t", "uri", errs.ErrOption},
		{rest("rest.sigv4-enabled=true"), "db.t", "sigv4", errs.ErrUnsupported},
		{icebergcatalog.Properties{"uri": "thrift://h:9083"}, "db.t", "hive://h:9083/db.t", 0},
		{icebergcatalog.Properties{"uri": "thrift://h:9083"}, "a.b.t", "hive://h:9083/a.b.t", 0},
		{icebergcatalog.Properties{"uri": "thrift://h:9083"}, "a.b.c.t", "DATABASE.TABLE", errs.ErrOption},
		{icebergcatalog.Properties{"type": "hive", "uri": "h"}, "db.t", "thrift://", errs.ErrOption},
		{icebergcatalog.Properties{"uri": "postgresql://h/x"}, "db.t", "postgresql", errs.ErrUnsupported},
		{icebergcatalog.Properties{"type": "glue"}, "db.t", "glue", errs.ErrUnsupported},
	} {
		got, err := c.p.Table(t.Context(), c.name, 1000, nil)
		kind := system
		errors.As(err, &kind)
		if c.kind == 0 && (err != nil || got != c.want) || c.kind != 0 && (err == nil || kind != c.kind || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v %s: %s, %v", c.p, c.name, got, err)
		}
		if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "me:")) {
			t.Errorf("%v has a secret", err)
		}
	}
}
