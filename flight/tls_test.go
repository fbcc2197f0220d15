package flight

import (
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"

	"github.com/arrowio/arrowio/flight/internal/certtest"
)

func secureClient(t testing.TB, addr string, c *tls.Config) flight.Client {
	t.Helper()
	client, err := flight.NewClientWithMiddleware(addr, nil, nil, grpc.WithTransportCredentials(credentials.NewTLS(c)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func pair(t testing.TB, cert, key string) []tls.Certificate {
	t.Helper()
	c, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	return []tls.Certificate{c}
}

// A client is who its certificate says; without a good one it is nobody.
func TestClientCertificates(t *testing.T) {
	t.Parallel()
	dir := events(t, 100)
	ca, stranger := certtest.New(t, "ca"), certtest.New(t, "ca")
	cert, key := ca.Issue(t, "server", nil)
	path, secrets := tokenFileOf(t, "bob")
	for _, optional := range []bool{false, true} {
		creds, err := TLSCredentials(TLSFiles{Cert: cert, Key: key, ClientCA: ca.File, ClientOptional: optional})
		if err != nil {
			t.Fatal(err)
		}
		o := AccessOptions{Certificates: true, Rules: rules(t, "alice:read=events", "bob:read=events", "dns.example:read=events", "spiffe://org/app:read=events")}
		if optional {
			o.Tokens = path
		}
		r := start(t, Options{Credentials: creds, Authorizer: access(t, o), Secure: true}, map[string]Spec{"events": {Paths: []string{dir}}})
		asked := func(c *tls.Config) codes.Code {
			c.RootCAs = ca.Pool
			_, err := secureClient(t, r.addr.String(), c).GetFlightInfo(t.Context(), pathOf("events"))
			return code(err)
		}
		of := func(a *certtest.Authority, name string, change func(*x509.Certificate)) *tls.Config {
			cert, key := a.Issue(t, name, change)
			return &tls.Config{Certificates: pair(t, cert, key)}
		}
		none := codes.Unavailable // there is no connection
		if optional {
			none = codes.Unauthenticated
		}
		for _, q := range []struct {
			what string
			c    *tls.Config
			want codes.Code
		}{
			{"alice", of(ca, "alice", nil), codes.OK},
			{"mallory", of(ca, "mallory", nil), codes.PermissionDenied},
			{"a DNS name", of(ca, "", func(c *x509.Certificate) { c.DNSNames = []string{"dns.example"} }), codes.OK},
			{"a URI", of(ca, "", func(c *x509.Certificate) {
				c.URIs, c.DNSNames = []*url.URL{{Scheme: "spiffe", Host: "org", Path: "/app"}}, []string{"x"}
			}), codes.OK},
			{"no name", of(ca, "", nil), codes.Unauthenticated},
			{"expired", of(ca, "alice", func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }), codes.Unavailable},
			{"for servers only", of(ca, "alice", func(c *x509.Certificate) { c.ExtKeyUsage = c.ExtKeyUsage[:1] }), codes.Unavailable},
			{"of another authority of the same name", of(stranger, "alice", nil), codes.Unavailable},
			{"none", &tls.Config{}, none},
			{"TLS 1.2", &tls.Config{MaxVersion: tls.VersionTLS12}, codes.Unavailable},
		} {
			if got := asked(q.c); got != q.want {
				t.Errorf("optional %t: %s: %s, want %s", optional, q.what, got, q.want)
			}
		}
		if _, err := r.client(t).GetFlightInfo(t.Context(), pathOf("events")); code(err) != codes.Unavailable {
			t.Errorf("plain text: %v", err)
		}
		if optional {
			c := secureClient(t, r.addr.String(), &tls.Config{RootCAs: ca.Pool})
			if _, err := c.GetFlightInfo(with(t.Context(), "authorization", "Bearer "+secrets["bob"]), pathOf("events")); err != nil {
				t.Errorf("a token instead: %v", err)
			}
		}
		// The client, too, knows whom it talks to.
		c := secureClient(t, r.addr.String(), &tls.Config{RootCAs: stranger.Pool})
		if _, err := c.GetFlightInfo(t.Context(), pathOf("events")); code(err) != codes.Unavailable {
			t.Errorf("a server of another authority: %v", err)
		}
	}
}
