package flight

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// When a server is told to end, what runs is finished, and what is new is refused.
func TestDrain(t *testing.T) {
	t.Parallel()
	dir := events(t, 150_000)
	want := scanned(t, []string{dir}, arrowio.ScanOptions{}).rows()
	r := start(t, Options{DrainTimeout: -1}, map[string]Spec{"events": {Paths: []string{dir}}})
	c, other := r.client(t), r.client(t)
	if _, err := other.GetFlightInfo(t.Context(), pathOf("events")); err != nil {
		t.Fatal(err)
	}
	st := stalled(t.Context(), t, r, c, []byte(`{"dataset":"events","batch_bytes":262144}`))
	stopped := make(chan error, 1)
	go func() { stopped <- r.stop() }()
	settled(t, "the server does not drain", r.Draining)
	settled(t, "new calls are taken", func() bool {
		_, err := other.GetFlightInfo(t.Context(), pathOf("events"))
		return code(err) == codes.Unavailable
	})
	select {
	case err := <-stopped:
		t.Fatal("it ended before its stream did:", err)
	case <-time.After(50 * time.Millisecond):
	}
	n, err := int64(0), error(nil)
	for {
		var d *flight.FlightData
		if d, err = st.Recv(); err != nil {
			break
		}
		m, err := ParseBatchMeta(d.AppMetadata)
		if err != nil {
			t.Fatal(err)
		}
		n += m.Rows
	}
	if err != io.EOF || n < want*9/10 { // what was read before it stalled is missing
		t.Errorf("%d of %d rows, %v", n, want, err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// A call that does not end in the time that it has is told why.
func TestDrainTimeout(t *testing.T) {
	t.Parallel()
	dir := events(t, 150_000)
	r := start(t, Options{DrainTimeout: 5 * time.Second}, map[string]Spec{"events": {Paths: []string{dir}}})
	st := stalled(t.Context(), t, r, r.client(t), []byte(`{"dataset":"events","batch_bytes":262144}`))
	stopped := make(chan error, 1)
	go func() { stopped <- r.stop() }()
	settled(t, "the call goes on", func() bool { return len(r.Calls()) == 0 })
	var err error
	for err == nil {
		_, err = st.Recv()
	}
	if code(err) != codes.Unavailable || !strings.Contains(err.Error(), "shutting down") {
		t.Errorf("the client sees %v", err)
	}
	err = <-stopped
	if err == nil || !strings.Contains(err.Error(), "1 calls did not end") {
		t.Errorf("Serve: %v", err)
	}
	r.stop = func() error { return nil } // it has told
}

func TestListen(t *testing.T) {
	dir := t.TempDir()
	sock := filepath.Join(dir, "s")
	l, err := Listen("unix://" + sock)
	if err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(sock); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi, err)
	}
	if _, err := Listen("grpc+unix://" + sock); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "another server") {
		t.Errorf("a socket in use: %v", err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	_ = l.Close()
	if l, err = Listen("unix:" + sock); err != nil { // left behind by a server that died
		t.Fatal(err)
	}
	_ = l.Close()
	if _, err := os.Stat(sock); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket stays: %v", err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, uri := range []string{"unix://" + file, "unix://", "http://127.0.0.1:1", "grpc://127.0.0.1", "x", ""} {
		if l, err := Listen(uri); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%q: %v, %v", uri, l, err)
		}
	}
	l, err = Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if u := URI(l.Addr(), false); !strings.HasPrefix(u, "grpc://127.0.0.1:") {
		t.Error(u)
	}
}

// Without security nobody outside is served.
func TestLoopbackOnly(t *testing.T) {
	o := Options{Catalog: NewCatalog(CatalogOptions{}), Logger: slog.New(slog.DiscardHandler)}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Listen("grpc://0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(t.Context(), l); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "loopback") {
		t.Error(err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Error("the listener stays open:", err)
	}
	o.Secure = true
	if s, err = New(o); err != nil {
		t.Fatal(err)
	}
	if err := s.CheckAddress(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)}); err != nil {
		t.Error(err)
	}
	if _, err := New(Options{}); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
	if err := s.Serve(t.Context()); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
}

// Several listeners, one of them a Unix socket, are one server.
func TestUnixSocket(t *testing.T) {
	dir := events(t, 1000)
	catalog := NewCatalog(CatalogOptions{})
	if err := catalog.Add(t.Context(), "events", Spec{Paths: []string{dir}}); err != nil {
		t.Fatal(err)
	}
	log := &quiet{}
	s, err := New(Options{Catalog: catalog, Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	sock := filepath.Join(t.TempDir(), "s")
	unix, err := Listen("unix://" + sock)
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := Listen("grpc://127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, unix, tcp) }()
	for _, addr := range []string{"unix:" + sock, tcp.Addr().String()} {
		c := connect(t, addr)
		_, got := getAll(t.Context(), t, c, pathOf("events"))
		if got.rows() != 3000 {
			t.Errorf("%s: %d rows", addr, got.rows())
		}
		_ = c.Close()
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
	for _, want := range []string{"no security is configured", "grpc+unix://" + sock, "draining"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not tell %q", want)
		}
	}
}
