package auth

import (
	"bytes"
	"crypto/x509"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/arrowio/arrowio/flight/internal/certtest"
)

// overwrite replaces the content of a file, which keeps its time.
func overwrite(t *testing.T, path string, b []byte) {
	t.Helper()
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, fi.ModTime()); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Reload reads a token file whose size and time are those of the old one, too. A broken file changes nothing and is logged.
func TestReloadTokens(t *testing.T) {
	path, secrets := tokenFileOf(t, "alice")
	other, more := tokenFileOf(t, "carol")
	var log bytes.Buffer
	var r Reloader
	a, err := New(Options{Tokens: path, Logger: slog.New(slog.NewTextHandler(&log, nil)), Reloader: &r})
	if err != nil {
		t.Fatal(err)
	}
	check := func(alice, carol bool) {
		t.Helper()
		a.tokens.checked = time.Time{} // as if a second had passed
		for secret, want := range map[string]bool{secrets["alice"]: alice, more["carol"]: carol} {
			if got := a.tokens.bearer(secret, time.Now()) != nil; got != want {
				t.Errorf("a token is known: %t, want %t", got, want)
			}
		}
	}
	check(true, false)
	overwrite(t, path, content(t, other))
	check(true, false) // the file looks as before
	r.Reload()
	check(false, true)
	overwrite(t, path, []byte("nonsense\n"))
	r.Reload()
	check(false, true)
	if !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "line 1") {
		t.Errorf("the log does not tell of the broken file: %s", &log)
	}
}

// So it is with certificates, of all servers that share a Reloader.
func TestReloadCertificates(t *testing.T) {
	ca := certtest.New(t, "ca")
	cert, key := ca.Issue(t, "first", nil)
	cert2, key2 := ca.Issue(t, "other", nil)
	var log bytes.Buffer
	var r Reloader
	f := TLSFiles{Cert: cert, Key: key, Logger: slog.New(slog.NewTextHandler(&log, nil)), Reloader: &r}
	var names []func() string
	for range 2 {
		config, err := TLSConfig(f)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, func() string {
			c, err := config.GetConfigForClient(nil)
			if err != nil {
				t.Fatal(err)
			}
			x, err := x509.ParseCertificate(c.Certificates[0].Certificate[0])
			if err != nil {
				t.Fatal(err)
			}
			return x.Subject.CommonName
		})
	}
	expect := func(want string) {
		t.Helper()
		r.Reload()
		for _, name := range names {
			if got := name(); got != want {
				t.Errorf("the certificate is of %s, not %s", got, want)
			}
		}
	}
	expect("first")
	overwrite(t, cert, content(t, cert2))
	overwrite(t, key, content(t, key2))
	expect("other")
	overwrite(t, cert, []byte("nonsense\n"))
	expect("other")
	if !strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("the log does not tell of the broken file: %s", &log)
	}
}
