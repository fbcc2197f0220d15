package flight

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
	file string // its certificate
	n    int64
}

func newAuthority(t testing.TB, name string) *authority {
	t.Helper()
	a := &authority{n: 1}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.pool = x509.NewCertPool()
	a.pool.AddCert(a.cert)
	a.file = filepath.Join(t.TempDir(), "ca.pem")
	writePEM(t, a.file, "CERTIFICATE", der)
	return a
}

func writePEM(t testing.TB, path, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// issue makes a certificate of a name, in files.
func (a *authority) issue(t testing.TB, name string, change func(*x509.Certificate)) (cert, key string) {
	t.Helper()
	a.n++
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(a.n), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if change != nil {
		change(tmpl)
	}
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, a.cert, &k.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	kder, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writePEM(t, cert, "CERTIFICATE", der)
	writePEM(t, key, "PRIVATE KEY", kder)
	return cert, key
}

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
	dir := events(t, 100)
	ca, stranger := newAuthority(t, "ca"), newAuthority(t, "ca")
	cert, key := ca.issue(t, "server", nil)
	path, secrets := tokenFileOf(t, "bob")
	for _, optional := range []bool{false, true} {
		creds, err := TLSCredentials(TLSFiles{Cert: cert, Key: key, ClientCA: ca.file, ClientOptional: optional})
		if err != nil {
			t.Fatal(err)
		}
		o := AccessOptions{Certificates: true, Rules: rules(t, "alice:read=events", "bob:read=events", "dns.example:read=events", "spiffe://org/app:read=events")}
		if optional {
			o.Tokens = path
		}
		r := start(t, Options{Credentials: creds, Authorizer: access(t, o), Secure: true}, map[string]Spec{"events": {Paths: []string{dir}}})
		asked := func(c *tls.Config) codes.Code {
			c.RootCAs = ca.pool
			_, err := secureClient(t, r.addr.String(), c).GetFlightInfo(t.Context(), pathOf("events"))
			return code(err)
		}
		of := func(a *authority, name string, change func(*x509.Certificate)) *tls.Config {
			cert, key := a.issue(t, name, change)
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
			c := secureClient(t, r.addr.String(), &tls.Config{RootCAs: ca.pool})
			if _, err := c.GetFlightInfo(with(t.Context(), "authorization", "Bearer "+secrets["bob"]), pathOf("events")); err != nil {
				t.Errorf("a token instead: %v", err)
			}
		}
		// The client, too, knows whom it talks to.
		c := secureClient(t, r.addr.String(), &tls.Config{RootCAs: stranger.pool})
		if _, err := c.GetFlightInfo(t.Context(), pathOf("events")); code(err) != codes.Unavailable {
			t.Errorf("a server of another authority: %v", err)
		}
	}
}

// New files are used for new connections; files that are no use are not.
func TestCertificatesChange(t *testing.T) {
	ca := newAuthority(t, "ca")
	cert, key := ca.issue(t, "first", nil)
	f := TLSFiles{Cert: cert, Key: key, Logger: slog.New(slog.DiscardHandler)}
	w := &watched[*tls.Config]{paths: []string{cert, key}, load: f.config, logger: f.Logger}
	if err := w.reload(); err != nil {
		t.Fatal(err)
	}
	name := func() string {
		w.checked = time.Time{} // a second later
		c, err := x509.ParseCertificate(w.get().Certificates[0].Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		return c.Subject.CommonName
	}
	move := func(from, to string) {
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to+".new", b, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(to+".new", to); err != nil {
			t.Fatal(err)
		}
	}
	cert2, key2 := ca.issue(t, "second", nil)
	move(cert2, cert)
	if n := name(); n != "first" {
		t.Errorf("a certificate without its key is used: %s", n)
	}
	move(key2, key)
	if n := name(); n != "second" {
		t.Errorf("the new one is not used, but %s", n)
	}
	if err := os.Remove(cert); err != nil {
		t.Fatal(err)
	}
	if n := name(); n != "second" {
		t.Error(n)
	}
}

func TestTLSFiles(t *testing.T) {
	ca := newAuthority(t, "ca")
	cert, key := ca.issue(t, "server", nil)
	_, other := ca.issue(t, "other", nil)
	log := &bytes.Buffer{}
	for _, f := range []TLSFiles{
		{},
		{Cert: cert},
		{Key: key},
		{Cert: cert, Key: other},
		{Cert: cert, Key: cert},
		{Cert: cert, Key: key, ClientCA: key},
		{Cert: cert, Key: key, ClientCA: filepath.Join(t.TempDir(), "none")},
	} {
		f.Logger = slog.New(slog.NewTextHandler(log, nil))
		if _, err := TLSCredentials(f); err == nil || strings.Contains(err.Error(), "PRIVATE") {
			t.Errorf("%+v: %v", f, err)
		}
	}
}
