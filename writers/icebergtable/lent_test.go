package icebergtable_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/internal/s3fake"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers/icebergtable"
)

// lender is a REST catalog that vends keys for S3, each for a while, and a store that takes no others.
type lender struct {
	t       *testing.T
	catalog http.Handler
	say     func(key, secret, token, expires string, answer map[string]any) // puts keys into an answer
	lasts   time.Duration

	mu   sync.Mutex
	keys map[string]time.Time // until when they are taken
}

func (l *lender) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked := r.Header.Get("X-Iceberg-Access-Delegation") == "vended-credentials"
	answer := httptest.NewRecorder()
	l.catalog.ServeHTTP(answer, r)
	var body map[string]any
	d := json.NewDecoder(answer.Body)
	d.UseNumber()
	if err := d.Decode(&body); err != nil {
		l.t.Error(err)
	}
	if body["metadata"] != nil && asked {
		l.mu.Lock()
		key := fmt.Sprintf("VENDED%d", len(l.keys))
		until := time.Now().Add(l.lasts)
		l.keys[key] = until
		l.mu.Unlock()
		l.say(key, "hidden", "token-of-"+key, fmt.Sprint(until.UnixMilli()), body)
	}
	w.WriteHeader(answer.Code)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		l.t.Error(err)
	}
}

// guard has a store take the keys that were vended alone.
func (l *lender) guard(w http.ResponseWriter, r *http.Request, next http.Handler) {
	_, key, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=")
	key, _, _ = strings.Cut(key, "/")
	l.mu.Lock()
	until, ok := l.keys[key]
	l.mu.Unlock()
	if !ok || time.Now().After(until) || r.Header.Get("X-Amz-Security-Token") != "token-of-"+key {
		s3fake.Refuse(w, http.StatusForbidden, "AccessDenied")
		return
	}
	next.ServeHTTP(w, r)
}

// TestVendedCredentials writes and reads tables in a store that takes only keys that the REST catalog vends: in the answer's config, or by
// prefix. The program's own keys are wrong. Keys that expire are asked for anew, also by a table that is open.
func TestVendedCredentials(t *testing.T) {
	settings := func(key, secret, token, expires string) map[string]any {
		return map[string]any{"s3.access-key-id": key, "s3.secret-access-key": secret, "s3.session-token": token, "s3.session-token-expires-at-ms": expires}
	}
	for what, say := range map[string]func(endpoint, key, secret, token, expires string, answer map[string]any){
		"config": func(endpoint, key, secret, token, expires string, answer map[string]any) {
			c := settings(key, secret, token, expires)
			c["s3.endpoint"], c["s3.path-style-access"], c["client.region"] = endpoint, "true", "us-east-1"
			answer["config"] = c
		},
		"storage-credentials": func(endpoint, key, secret, token, expires string, answer map[string]any) {
			answer["config"] = map[string]any{"s3.endpoint": endpoint, "s3.access-key-id": "wrong", "s3.secret-access-key": "wrong"}
			answer["storage-credentials"] = []any{
				map[string]any{"prefix": "s3://bucket/", "config": settings("shorter", secret, token, expires)},
				map[string]any{"prefix": "s3://bucket/rest/", "config": settings(key, secret, token, expires)},
				map[string]any{"prefix": "s3://bucket/rest/t2/and/longer", "config": settings("other", secret, token, expires)},
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			s := s3fake.New(t)
			t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1") // what the catalog says counts
			l := &lender{t: t, keys: map[string]time.Time{}, lasts: time.Hour, say: func(key, secret, token, expires string, answer map[string]any) {
				say(s.URL, key, secret, token, expires, answer)
			}}
			l.catalog = &fakeCatalog{t: t, dir: "s3://bucket/rest/t", prefix: "p", put: func(name string, text []byte) error {
				s.Put(t, strings.TrimPrefix(name, "s3://bucket/"), text)
				return nil
			}}
			s.Fault(l.guard)
			server := httptest.NewServer(l)
			defer server.Close()
			catalog := "uri=" + server.URL
			const name = "iceberg://any/db.t"
			schema, rec := numbered(t, 0, 10)
			if err := writeTo(t.Context(), name, inStore(t, mode("create", "iceberg-catalog", catalog)), schema, rec); err != nil {
				t.Fatal(err)
			}
			_, rec = numbered(t, 10, 10)
			o := inStore(t, mode("append", "iceberg-catalog", catalog))
			if err := writeTo(t.Context(), name, o, schema, rec); err != nil {
				t.Fatal(err)
			}
			read := map[string]string{"iceberg-catalog": catalog}
			if got, want := remoteRows(t, name, inStore(t, nil), read), wholly(t, 0, 20); !slices.Equal(got, want) {
				t.Errorf("%d rows, not %d", len(got), len(want))
			}
			if out, err := icebergtable.Delete(t.Context(), name, inStore(t, read), where(t, "id < 5")); err != nil || out.Rows != 5 {
				t.Errorf("%+v, %v", out, err)
			}
			// Keys that expire while the table is open.
			l.lasts = time.Second
			d, err := readers.OpenDataset(t.Context(), []string{name}, readers.Options{Stores: inStore(t, nil).Stores, Options: read})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			time.Sleep(1200 * time.Millisecond)
			rr, err := d.Scan(t.Context(), arrowio.ScanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer rr.Release()
			var got []string
			for rr.Next() {
				got = append(got, orctext.Rows(rr.Record())...)
			}
			slices.Sort(got)
			if want := wholly(t, 5, 15); rr.Err() != nil || !slices.Equal(got, want) {
				t.Errorf("%d rows, not %d: %v", len(got), len(want), rr.Err())
			}
			// A store that refuses, and keys that are not whole: the error has no secret.
			s.Fault(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
				s3fake.Refuse(w, http.StatusForbidden, "AccessDenied")
			})
			_, err = readers.OpenDataset(t.Context(), []string{name}, readers.Options{Stores: inStore(t, nil).Stores, Options: read})
			if err == nil || !strings.Contains(err.Error(), "AccessDenied") || strings.Contains(err.Error(), "hidden") || strings.Contains(err.Error(), "token-of") {
				t.Error(err)
			}
			for config, why := range map[[2]string]string{
				{"s3.access-key-id", "hidden"}:         "s3.secret-access-key",
				{"s3.remote-signing-enabled", "true"}:  "s3.remote-signing-enabled",
				{"s3.endpoint", "http://u:hidden@h/x"}: "the S3 endpoint",
				{"s3.session-token", "hidden"}:         "s3.access-key-id",
			} {
				l.say = func(_, _, _, _ string, answer map[string]any) {
					answer["config"] = map[string]any{config[0]: config[1]}
				}
				_, err := readers.OpenDataset(t.Context(), []string{name}, readers.Options{Stores: inStore(t, nil).Stores, Options: read})
				if err == nil || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "hidden") {
					t.Errorf("%v: %v", config, err)
				}
			}
		})
	}
}
