package main

import (
	"context"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fetch gets a page, with a name and a password where there is one.
func fetch(t *testing.T, url, name, password string) (code int, body string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if name != "" {
		r.SetBasicAuth(name, password)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func pageOf(t *testing.T, out *output) string {
	t.Helper()
	var ready served
	if err := json.Unmarshal([]byte(out.String()), &ready); err != nil || !strings.HasPrefix(ready.Page, "http://127.0.0.1:") {
		t.Fatalf("%v: %s", err, out)
	}
	return ready.Page
}

func TestServePage(t *testing.T) {
	dir := t.TempDir()
	file := peopleFile(t, dir, "a.arrow", 0, 10)
	out, errs, stop := serving(t, "--json", "--listen", "grpc://127.0.0.1:0", "--http", "127.0.0.1:0", "people="+file)
	page := pageOf(t, out)
	if code, body := fetch(t, page, "", ""); code != 200 || !strings.Contains(body, "people") || !strings.Contains(body, "grpc://127.0.0.1:") {
		t.Errorf("%d: %s", code, body)
	}
	if code, body := fetch(t, page+"datasets/people/rows", "", ""); code != 200 || !strings.Contains(body, "Rows 0 to 9 of 10") || strings.Contains(body, dir) {
		t.Errorf("%d: %s", code, body)
	}
	if code := stop(); code != 0 {
		t.Errorf("exit %d: %s", code, errs)
	}
	if !strings.Contains(errs.String(), "method=VisitRead") {
		t.Errorf("the log does not tell of what was read:\n%s", errs)
	}
}

func TestServePageAccess(t *testing.T) {
	dir := t.TempDir()
	file, tokens := peopleFile(t, dir, "a.arrow", 0, 10), filepath.Join(dir, "tokens")
	code, secret, errText := said(t, "", "token", "add", "--file", tokens, "alice")
	if code != 0 {
		t.Fatal(errText)
	}
	out, log, _ := serving(t, "--json", "--listen", "grpc://127.0.0.1:0", "--http", "127.0.0.1:0", "--tokens", tokens, "people="+file)
	page := pageOf(t, out)
	if code, _ := fetch(t, page, "", ""); code != 401 {
		t.Errorf("without a token: %d", code)
	}
	if code, body := fetch(t, page, "alice", strings.TrimSpace(secret)); code != 200 || !strings.Contains(body, "alice") {
		t.Errorf("with it: %d %s", code, body)
	}
	_, body := fetch(t, page+"datasets/people", "alice", strings.TrimSpace(secret))
	for _, want := range []string{
		"headers=[client.authenticate_basic_token(\"alice\", getpass.getpass(\"Token or password: \"))])",
		"get_flight_info(flight.FlightDescriptor.for_path(\"people\"), options)", "do_get(e.ticket, options)",
		"{\"username\": \"alice\",", "db_kwargs=who,",
	} {
		if !strings.Contains(html.UnescapeString(body), want) {
			t.Errorf("the lines of Python do not say who asks: %s\n%s", want, body)
		}
	}
	if said := log.String(); !strings.Contains(said, "TLS is not configured") || strings.Contains(said, "no security is configured") {
		t.Errorf("the log: %s", said)
	}
	fails(t, do(t, "serve", "--log", "none", "--listen", "grpc://127.0.0.1:0", "--http", "0.0.0.0:0", "--tokens", tokens, "a="+file), 2, "would cross the network unencrypted")
	fails(t, do(t, "serve", "--log", "none", "--listen", "grpc://127.0.0.1:0", "--http", "nowhere", "a="+file), 2, "nowhere")
}
