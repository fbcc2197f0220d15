package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	flightserver "github.com/arrowio/arrowio/flight"
)

// SIGHUP makes a server look for new files. It ends neither the server nor a stream.
func TestServeHangup(t *testing.T) {
	dir := t.TempDir()
	peopleFile(t, dir, "0.arrow", 0, 400_000)
	cmd := program(t, "serve", "--listen", "grpc://127.0.0.1:0", "d="+dir)
	var errs output
	cmd.Stderr = &errs
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	heard := make(chan os.Signal, 1) // where nohup runs the tests, the program would ignore the signal as they do
	signal.Notify(heard, syscall.SIGHUP)
	defer signal.Stop(heard)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(5*time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	defer func() { _ = cmd.Process.Kill() }()
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err, errs.String())
	}
	c, err := flight.NewClientWithMiddleware(strings.TrimPrefix(strings.TrimSpace(address), "grpc://"), nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	st, err := c.DoGet(t.Context(), &flight.Ticket{Ticket: []byte(`{"dataset":"d"}`)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := flight.NewRecordReader(st)
	if err != nil || !r.Next() {
		t.Fatal(err)
	}
	defer r.Release()
	rows := r.Record().NumRows()

	for i := 1; i <= 2; i++ {
		peopleFile(t, dir, fmt.Sprintf("%d.arrow", i), 0, 1000)
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
			info, err := ask(t, c, `{"dataset":"d"}`)
			if err != nil {
				t.Fatal(err, errs.String())
			}
			if info.TotalRecords == 400_000+1000*int64(i) {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("%d rows after SIGHUP %d: %s", info.TotalRecords, i, errs.String())
			}
		}
	}
	for r.Next() {
		rows += r.Record().NumRows()
	}
	if rows != 400_000 || r.Err() != nil {
		t.Errorf("%d rows of the stream, %v", rows, r.Err())
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(errs.String(), "SIGHUP") {
		t.Errorf("%v: %s", err, errs.String())
	}
}

// What stays ignored for any command stays ignored for a server: nohup does that.
func TestServeIgnoredHangup(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	peopleFile(t, dir, "0.arrow", 0, 10)
	script := `trap '' HUP; "$0" serve --listen grpc://127.0.0.1:0 d="$1" > "$2" & until test -s "$2"; do sleep 0.02; done; kill -HUP $!; kill -TERM $!; wait $!`
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script, exe, dir, filepath.Join(t.TempDir(), "out"))
	cmd.Env = append(os.Environ(), asProgram+"=1")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil || strings.Contains(errs.String(), "SIGHUP") {
		t.Errorf("%v: %s", err, &errs)
	}
}

// SIGHUP reads the files of tokens again, whether they look changed or not.
func TestHangupReadsTokens(t *testing.T) {
	tokens := filepath.Join(t.TempDir(), "tokens")
	if code, _, errs := said(t, "", "token", "add", "--file", tokens, "alice"); code != 0 {
		t.Fatal(errs)
	}
	var log output
	var r flightserver.Reloader
	logger := slog.New(slog.NewTextHandler(&log, nil))
	if _, err := flightserver.NewAccess(flightserver.AccessOptions{Tokens: tokens, Logger: logger, Reloader: &r}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	hangups, ended := make(chan os.Signal), make(chan struct{})
	go func() {
		defer close(ended)
		refreshOnHangup(ctx, hangups, &r, flightserver.NewCatalog(flightserver.CatalogOptions{Logger: logger}), &auditFile{}, &configFile{}, logger)
	}()
	hangups <- syscall.SIGHUP
	hangups <- syscall.SIGHUP // is taken when the first is done
	cancel()
	<-ended
	if n := strings.Count(log.String(), "loaded again"); n != 2 {
		t.Errorf("tokens were loaded %d times: %s", n, log.String())
	}
}

// The config file is not read again, and SIGHUP says so where it has changed.
func TestHangupConfigChanged(t *testing.T) {
	dir := t.TempDir()
	path, text := filepath.Join(dir, "serve.toml"), "permit = ['*:read=*']\n[datasets]\nd = '"+peopleFile(t, dir, "0.arrow", 0, 10)+"'\n"
	writeText(t, path, text)
	f := &serveFlags{}
	if _, err := f.ops.configure((&app{}).serveCommand(), &f.sql, nil); err != nil || f.ops.read.path != "" {
		t.Fatal(err)
	}
	f.ops.config = path
	if _, err := f.ops.configure((&app{}).serveCommand(), &f.sql, nil); err != nil {
		t.Fatal(err)
	}
	warned := func() string {
		var log output
		f.ops.read.warnChanged(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
		return log.String()
	}
	if got := warned(); got != "" {
		t.Error(got)
	}
	writeText(t, path, strings.Replace(text, "*:read=*", "bob:read=*", 1))
	if got := warned(); !strings.Contains(got, "level=WARN") || !strings.Contains(got, "restart the server") {
		t.Error(got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := warned(); !strings.Contains(got, "cannot be read") {
		t.Error(got)
	}
}
