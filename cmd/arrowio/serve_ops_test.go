package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

const opsFile = "../../testdata/orc/java-2.3.1/wide.orc"

// said runs the program with these arguments, and returns what it said.
func said(t *testing.T, in string, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e output
	code = run(t.Context(), args, strings.NewReader(in), &o, &e)
	return code, o.String(), e.String()
}

func TestTokenCommands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	code, secret, errs := said(t, "", "token", "add", "--file", file, "alice")
	if code != 0 || !strings.HasPrefix(secret, "arrowio_") {
		t.Fatal(code, secret, errs)
	}
	if code, out, errs := said(t, "open sesame\n", "token", "add", "--file", file, "--password", "--expires", "1h", "bob"); code != 0 || out != "" {
		t.Error(code, out, errs)
	}
	b, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(b), strings.TrimSpace(secret)) || strings.Contains(string(b), "sesame") {
		t.Errorf("%s, %v", b, err)
	}
	if code, out, _ := said(t, "", "token", "list", "--file", file); code != 0 || !regexp.MustCompile(`(?m)\Aalice +token +-$\nbob +password +20`).MatchString(out) {
		t.Error(code, out)
	}
	if code, _, errs := said(t, "", "token", "remove", "--file", file, "alice"); code != 0 {
		t.Error(errs)
	}
	for _, args := range [][]string{
		{"remove", "--file", file, "alice"},
		{"add", "--file", file},
		{"add", "alice"},
		{"list", "--file", file, "x"},
		{"add", "--file", file, "a b"},
		{"add", "--file", file, "--expires", "-1h", "x"},
		{"add", "--file", file, "--password", "x"},
		{"add", "--file", opsFile, "x"},
		{},
		{"x"},
	} {
		if code, _, errs := said(t, "", append([]string{"token"}, args...)...); code != exitUsage {
			t.Errorf("%v: %d, %s", args, code, errs)
		}
	}
}

// Whoever could come from outside must be known, and the line must not be heard.
func TestServeNeedsSecurity(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	if code, _, errs := said(t, "", "token", "add", "--file", file, "alice"); code != 0 {
		t.Fatal(errs)
	}
	any := "--listen=grpc://0.0.0.0:0"
	for _, q := range []struct {
		args []string
		want string
	}{
		{[]string{any}, "or --insecure"},
		{[]string{any, "--tokens", file}, "unencrypted"},
		{[]string{"--listen=grpc://127.0.0.1:0", "--metrics-listen=0.0.0.0:0"}, "or --insecure"},
		{[]string{"--listen=grpc+tls://127.0.0.1:0"}, "--tls-cert"},
		{[]string{"--tls-cert", "x"}, "together"},
		{[]string{"--tls-client-ca", "x"}, "needs --tls-cert"},
		{[]string{"--tls-cert", "x", "--tls-key", "x", "--tls-client-optional"}, "needs --tls-client-ca"},
		{[]string{"--permit", "alice"}, "CLIENT:PERMISSION=DATASETS"},
		{[]string{"--max-memory", "20MiB"}, "the streams of one client may have 10 MiB of memory (--max-client-memory, or else half of --max-memory), but one needs 16 MiB"},
		{[]string{"--stall-timeout=-1s"}, "--stall-timeout is -1s; it may be 0, for any time, or more"},
		{[]string{"--check-config", "--memory", "1"}, "serve: --memory is 1 B; the least is 4.0 MiB"},
		{[]string{"--check-config", "--max-memory", "1MiB"}, "serve: --max-memory is 1.0 MiB; the least is 4.0 MiB"},
		{[]string{"--check-config", "--max-client-memory", "1"}, "the least is 4.0 MiB"},
		{[]string{"--check-config", "--max-sent-bytes", "1"}, "the least is 2.0 MiB"},
		{[]string{"--check-config", "--max-client-sent-bytes", "1"}, "the least is 2.0 MiB"},
		{[]string{"--check-config", "--sql-memory", "1KB"}, "serve: --sql-memory is 1000 B; the least is 1.0 MiB: DuckDB answers nothing with less"},
		{[]string{"--check-config", "--sql-session-memory", "1MB"}, "serve: --sql-session-memory is 977 KiB; the least is 1.0 MiB"},
		{[]string{"--check-config", "--max-client-streams", "5000"}, "--max-client-streams is 5000, which is more than all clients together may have: 1000 (--max-streams)"},
		{[]string{"--check-config", "--max-client-sent-bytes", "8GiB"}, "--max-client-sent-bytes is 8.0 GiB"},
		{[]string{"--check-config", "--max-client-memory", "2GiB"}, "--max-client-memory is 2.0 GiB"},
		{[]string{"--check-config", "--max-message", "1KiB"}, "the least is 1.0 MiB"},
		{[]string{"--tokens", opsFile}, "line 1"},
	} {
		code, _, errs := said(t, "", append(append([]string{"serve", "--log=none"}, q.args...), "e="+opsFile)...)
		if code != exitUsage || !strings.Contains(errs, q.want) {
			t.Errorf("%v: %d, %s", q.args, code, errs)
		}
	}
	if code, out, errs := said(t, "", "serve", "--log=none", "--check-config", "--insecure", any, "e="+opsFile); code != 0 || out != "ok\n" {
		t.Error(code, out, errs)
	}
}

// A config file is flags and datasets; the command line counts more.
func TestServeConfig(t *testing.T) {
	dir := t.TempDir()
	tokens, config := filepath.Join(dir, "tokens"), filepath.Join(dir, "config.toml")
	code, secret, errs := said(t, "", "token", "add", "--file", tokens, "alice")
	if code != 0 {
		t.Fatal(errs)
	}
	text := fmt.Sprintf(`
listen = ["grpc://127.0.0.1:0"]
tokens = %q
permit = ["alice:read=a"]
max-streams = 10
metrics-listen = "127.0.0.1:0"
log = "none"
json = true

[datasets]
a = %q
b = [%q]
`, tokens, opsFile, "/does/not/exist.orc")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, errOut, stop := serving(t, "--config", config, "--log=text", "b="+opsFile)
	addr := regexp.MustCompile(`grpc://([0-9.:]+)`).FindStringSubmatch(out.String())
	monitor := regexp.MustCompile(`http://[0-9.:]+`).FindString(errOut.String())
	if addr == nil || monitor == "" {
		t.Fatal(out, errOut)
	}
	c, err := flight.NewClientWithMiddleware(addr[1], nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	alice := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+strings.TrimSpace(secret))
	for _, q := range []struct {
		ctx  context.Context
		name string
		want codes.Code
	}{{alice, "a", codes.OK}, {alice, "b", codes.PermissionDenied}, {t.Context(), "a", codes.Unauthenticated}} {
		_, err := c.GetFlightInfo(q.ctx, &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{q.name}})
		if status.Code(err) != q.want {
			t.Errorf("%s: %v", q.name, err)
		}
	}
	resp, err := http.Get(monitor + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(b), "arrowio_flight_streams_limit 10\n") || !strings.Contains(string(b), "arrowio_flight_datasets 2\n") {
		t.Errorf("%v\n%s", err, b)
	}
	if code := stop(); code != 0 {
		t.Error(code, errOut)
	}
	if strings.Contains(errOut.String(), strings.TrimSpace(secret)) {
		t.Error("the token is in the log")
	}
}

func TestServeConfigRefuses(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config.toml")
	for _, q := range [][2]string{
		{"max-stream = 3", "max-stream"},
		{"config = 'x'", "config"},
		{"json-errors = true", "json-errors"},
		{"from = 'loud'", "from"},
		{"max-streams = 'many'", "max-streams"},
		{"max-streams = [1, 2]", "one value"},
		{"listen = [['x']]", "list"},
		{"[listen]\nx = 1", "table"},
		{"a = = 1", "line 1, column 5"},
		{"a = 1\na = 2", "a"},
		{"[datasets]\ne = 3", "datasets"},
		{"[datasets]\ne = []", "datasets"},
		{"[datasets]\n'e/f' = 'x'", "e/f"},
		{"datasets = 3", "datasets"},
		{"drain-delay = 2026-01-01", "time"},
	} {
		if err := os.WriteFile(config, []byte(q[0]), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, errs := said(t, "", "serve", "--log=none", "--check-config", "--listen=grpc://127.0.0.1:0", "--config", config, "x="+opsFile)
		if code != exitUsage || !strings.Contains(errs, q[1]) {
			t.Errorf("%q: %d, %s", q[0], code, errs)
		}
	}
	if code, _, _ := said(t, "", "serve", "--config", config+".none"); code != exitSystem {
		t.Error(code)
	}
	if err := os.WriteFile(config, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := said(t, "", "serve", "--config", config); code != exitUsage || !strings.Contains(errs, "datasets are missing") {
		t.Error(code, errs)
	}
}

// A configuration can be checked beside the server that runs under it, and an address that must not be served is refused
// though it is in use.
func TestCheckConfigInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	everywhere, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer everywhere.Close()
	at, open := l.Addr().String(), fmt.Sprintf("0.0.0.0:%d", everywhere.Addr().(*net.TCPAddr).Port)
	socket := filepath.Join(t.TempDir(), "s")
	u, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	for _, args := range [][]string{
		{"--listen=grpc://" + at}, {"--listen=unix://" + socket}, {"--listen=grpc://127.0.0.1:0", "--metrics-listen=" + at, "--http=" + at},
	} {
		args = append([]string{"serve", "--log=none", "e=" + opsFile}, args...)
		if code, out, errs := said(t, "", append(args, "--check-config")...); code != 0 || out != "ok\n" {
			t.Error(args, code, out, errs)
		}
		if code, _, errs := said(t, "", args...); code == 0 || !strings.Contains(errs, "in use") {
			t.Error(args, code, errs)
		}
	}
	if _, err := os.Stat(socket); err != nil {
		t.Error("the socket of another server: ", err)
	}
	for _, flag := range []string{"--listen=grpc://" + open, "--http=" + open, "--metrics-listen=" + open} {
		if code, _, errs := said(t, "", "serve", "--log=none", "--check-config", flag, "e="+opsFile); code != 2 || !strings.Contains(errs, "from outside") {
			t.Error(flag, code, errs)
		}
	}
}

// Clients are sent to places that they can read at.
func TestAdvertise(t *testing.T) {
	check := func(uri string) int {
		code, _, _ := said(t, "", "serve", "--log=none", "--check-config", "--listen=grpc://127.0.0.1:0", "--advertise="+uri, "e="+opsFile)
		return code
	}
	for _, uri := range []string{"grpc://a:1", "grpc+tls://a.example:8815", "grpc+tcp://[::1]:5", "grpc+unix:///run/a.sock", "arrow-flight-reuse-connection://?"} {
		if code := check(uri); code != 0 {
			t.Error(uri, code)
		}
	}
	for _, uri := range []string{"nonsense", "a:1", "grpc://", "grpc://a", "grpc+unix://", "ftp://a:1", "%"} {
		if code := check(uri); code != 2 {
			t.Error(uri, code)
		}
	}
}
