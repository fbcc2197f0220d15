package flight

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/flight/internal/certtest"
)

// A visitor over HTTP is who its certificate says, over HTTP/1.1 and HTTP/2, and is refused without one.
func TestVisitCertificate(t *testing.T) {
	ca := certtest.New(t, "ca")
	cert, key := ca.Issue(t, "server", nil)
	config, err := TLSConfig(TLSFiles{Cert: cert, Key: key, ClientCA: ca.File, Logger: slog.New(slog.DiscardHandler)}, "h2", "http/1.1")
	if err != nil {
		t.Fatal(err)
	}
	access, err := NewAccess(AccessOptions{Certificates: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Catalog: NewCatalog(CatalogOptions{}), Authorizer: access, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		addr := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(r.RemoteAddr))
		err := s.Visit(r.Context(), Visitor{Addr: addr, TLS: r.TLS}, func(_ context.Context, v *Visit) error {
			_, err := io.WriteString(w, v.Call().Client.Name+" "+r.Proto)
			return err
		})
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
		}
	}))
	h.TLS, h.EnableHTTP2 = config, true
	h.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	h.StartTLS()
	defer h.Close()
	pem, err := os.ReadFile(ca.File)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	own := func(name string) tls.Certificate {
		c, k := ca.Issue(t, name, nil)
		pair, err := tls.LoadX509KeyPair(c, k)
		if err != nil {
			t.Fatal(err)
		}
		return pair
	}
	for _, c := range []struct {
		certs []tls.Certificate
		http2 bool
		want  string
	}{
		{[]tls.Certificate{own("alice")}, false, "alice HTTP/1.1"},
		{[]tls.Certificate{own("bob")}, true, "bob HTTP/2.0"},
		{nil, true, ""},
	} {
		tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: c.certs}, ForceAttemptHTTP2: c.http2}
		resp, err := (&http.Client{Transport: tr}).Get(h.URL)
		if c.want == "" {
			if err == nil {
				t.Errorf("no certificate: %s", resp.Status)
				_ = resp.Body.Close()
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		tr.CloseIdleConnections()
		if string(body) != c.want {
			t.Errorf("%s, want %s", body, c.want)
		}
	}
}

// What a visit reads counts as a stream, and its memory comes from where that of streams does.
func TestVisitLimits(t *testing.T) {
	dir := t.TempDir()
	_, recs := table(memory.DefaultAllocator, 100, 100, 1)
	write(t, filepath.Join(dir, "a.orc"), recs, nil)
	limits, err := NewLimits(LimitOptions{Streams: 2, ClientStreams: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, Options{Limiter: limits}, map[string]Spec{"d": {Paths: []string{dir}}})
	me := Visitor{Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, Reads: true, RequestID: "mine"}
	err = s.Visit(t.Context(), me, func(ctx context.Context, v *Visit) error {
		if u := limits.Usage(); u.Streams != 1 || v.Call().ID != "mine" {
			t.Errorf("%+v %s", u, v.Call().ID)
		}
		if n := v.Streams(ctx); len(n) != 0 {
			t.Errorf("%d streams: visits are none", len(n))
		}
		if err := v.Cancel(ctx, "mine"); status.Code(s.status(v.call, err)) != codes.NotFound {
			t.Errorf("a visit was cancelled: %v", err)
		}
		again := s.Visit(ctx, me, func(context.Context, *Visit) error { return nil })
		if status.Code(again) != codes.ResourceExhausted {
			t.Errorf("one more than there may be: %v", again)
		}
		me.Reads = false
		if err := s.Visit(ctx, me, func(context.Context, *Visit) error { return nil }); err != nil {
			t.Errorf("one that reads nothing: %v", err)
		}
		e, err := v.Open(ctx, "d")
		if err != nil {
			return err
		}
		scan, err := v.Scan(ctx, e, arrowio.ScanOptions{Rows: arrowio.RowRange{Start: 10, End: 15}})
		if err != nil {
			return err
		}
		defer scan.Release()
		if u := limits.Usage(); u.Memory == 0 {
			t.Errorf("%+v", u)
		}
		n := int64(0)
		for scan.Next() {
			n += scan.Record().NumRows()
		}
		if n != 5 {
			t.Errorf("%d rows", n)
		}
		return scan.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	if u := limits.Usage(); u.Streams != 0 || u.Memory != 0 {
		t.Errorf("%+v is left", u)
	}
	err = s.Visit(t.Context(), me, func(context.Context, *Visit) error { panic("inside") })
	if status.Code(err) != codes.Internal || strings.Contains(err.Error(), "inside") {
		t.Error(err)
	}
}
