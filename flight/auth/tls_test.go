package auth

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/arrowio/arrowio/flight/internal/certtest"
)

// New files are used for new connections; files that are no use are not.
func TestCertificatesChange(t *testing.T) {
	ca := certtest.New(t, "ca")
	cert, key := ca.Issue(t, "first", nil)
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
	cert2, key2 := ca.Issue(t, "second", nil)
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
	ca := certtest.New(t, "ca")
	cert, key := ca.Issue(t, "server", nil)
	_, other := ca.Issue(t, "other", nil)
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
