package main

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/metadata"
)

// A server that was told to end ends in the time that it has, with the exit code of one that did.
func TestServeDrainLimit(t *testing.T) {
	t.Parallel()
	c, errs, stop := serveClient(t, "--drain-timeout", "1s", "people="+peopleFile(t, t.TempDir(), "a.arrow", 0, 200_000))
	st, err := c.DoGet(t.Context(), &flight.Ticket{Ticket: []byte(`{"dataset":"people"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Recv(); err != nil { // and no more
		t.Fatal(err)
	}
	begun := time.Now()
	if code := stop(); code != exitOK || time.Since(begun) > 2500*time.Millisecond {
		t.Errorf("exit code %d after %s: %s", code, time.Since(begun), errs)
	}
	if !strings.Contains(errs.String(), "calls were cut off") {
		t.Error(errs)
	}
}

// Metrics that others can reach do not name datasets but to those who may manage the server.
func TestServeMetricsBeyondLoopback(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	token := func(name string) string {
		return strings.TrimSpace(ok(t, "token", "add", "--file", tokens, name))
	}
	alice, bob := token("alice"), token("bob")
	args := []string{"--insecure", "--tokens", tokens, "--permit", "*:read=*", "--permit", "alice:manage=*", "hidden-name=" + peopleFile(t, dir, "a.arrow", 0, 10)}
	for address, named := range map[string]bool{"0.0.0.0:0": false, "127.0.0.1:0": true} {
		c, errs, stop := serveClient(t, append(args, "--metrics-listen", address)...)
		if _, err := c.GetFlightInfo(authorized(t, alice), &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"hidden-name"}}); err != nil {
			t.Fatal(err)
		}
		monitor := regexp.MustCompile(`address=http://\S+:(\d+)`).FindStringSubmatch(errs.String())[1]
		for auth, want := range map[string]bool{"": named, "Bearer " + alice: true, "Bearer " + bob: named, "Bearer x": named} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+monitor+"/metrics", nil)
			if err != nil {
				t.Fatal(err)
			}
			if auth != "" {
				r.Header.Set("Authorization", auth)
			}
			body := bodyOf(t, r)
			if strings.Contains(body, "hidden-name") != want || !strings.Contains(body, "arrowio_flight_rows_total") {
				t.Errorf("%s, %q: %s", address, auth, regexp.MustCompile(`(?m)^arrowio_flight_rows.*`).FindString(body))
			}
		}
		if code := stop(); code != exitOK {
			t.Error(code)
		}
	}
}

func authorized(t *testing.T, token string) context.Context {
	t.Helper()
	return metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token)
}

func bodyOf(t *testing.T, r *http.Request) string {
	t.Helper()
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
