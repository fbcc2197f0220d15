package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The audit log goes on in a new file after SIGHUP, which is how logs are rotated.
func TestAuditFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit")
	c, errs, stop := serveClient(t, "--audit-log", path, "--slow-query", "1ns", "people="+peopleFile(t, t.TempDir(), "a.arrow", 0, 10))
	answer(t, c, `{"dataset":"people","where":"id < 5"}`)
	if code := stop(); code != exitOK {
		t.Fatal(code, errs)
	}
	b, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(b), `"statement":"people where id < ?"`) || !strings.Contains(errs.String(), "msg=slow") {
		t.Errorf("%s, %v, %s", b, err, errs)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o600 {
		t.Error(fi.Mode(), err)
	}
	fails(t, do(t, "serve", "--audit-log", filepath.Join(path, "x"), "a="+path), exitSystem)
	fails(t, do(t, "serve", "--slow-query", "-1s", "a="+path), exitUsage, "slow-query")
}

// While datasets are being opened, the server is alive and not ready.
func TestReadyWaitsForCatalog(t *testing.T) {
	release := make(chan struct{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	store := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusNotFound)
	})}
	go func() { _ = store.Serve(l) }()
	defer store.Close()
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "x")
	ctx, cancel := context.WithCancelCause(t.Context())
	var out, errs output
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{
			"serve", "--listen", "grpc://127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--skip-broken", "--s3-endpoint", "http://" + l.Addr().String(),
			"far=s3://bucket/x.orc",
		}, strings.NewReader(""), &out, &errs)
	}()
	monitor := regexp.MustCompile(`address=(http://\S+)`)
	for end := time.Now().Add(time.Minute); !monitor.MatchString(errs.String()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(&errs)
		}
	}
	url := monitor.FindStringSubmatch(errs.String())[1]
	if body := get(t, url+"/readyz"); body != "starting\n" {
		t.Error(body)
	}
	if body := get(t, url+"/healthz"); body != "ok\n" {
		t.Error(body)
	}
	close(release)
	for end := time.Now().Add(time.Minute); !strings.HasPrefix(get(t, url+"/readyz"), "ready\n"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(&errs)
		}
	}
	cancel(errInterrupted)
	if code := <-ended; code != exitOK {
		t.Error(code, &errs)
	}
}
