package s3store

import (
	"crypto/x509"
	"errors"
	"testing"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// The system's roots win where it has any.
func TestRootsWithout(t *testing.T) {
	some := x509.NewCertPool()
	for root := range bundle.Roots() {
		cert, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			t.Fatal(err)
		}
		some.AddCert(cert)
		break
	}
	for _, c := range []struct {
		name   string
		system *x509.CertPool
		err    error
		linked bool
	}{
		{"some", some, nil, false},
		{"none", x509.NewCertPool(), nil, true},
		{"not to be read", nil, errors.New("no roots"), true},
	} {
		roots, err := rootsWithout(c.system, c.err)
		if err != nil {
			t.Fatal(err)
		}
		if linked := roots != nil && !roots.Equal(x509.NewCertPool()); linked != c.linked {
			t.Errorf("%s: linked roots: %v, want %v", c.name, linked, c.linked)
		}
	}
}
