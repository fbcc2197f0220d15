package s3store

import (
	"crypto/x509"
	"fmt"
	"sync"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// linkedRoots are the roots of certificates that are linked in.
var linkedRoots = sync.OnceValues(func() (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	for root := range bundle.Roots() {
		cert, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			return nil, fmt.Errorf("roots of certificates: %w", err)
		}
		if root.Constraint == nil {
			pool.AddCert(cert)
		} else {
			pool.AddCertWithConstraint(cert, root.Constraint)
		}
	}
	return pool, nil
})

// rootsWithout returns the roots to trust where the system's are missing, as in an image without files; nil = the system's, found with err.
func rootsWithout(system *x509.CertPool, err error) (*x509.CertPool, error) {
	if err == nil && !system.Equal(x509.NewCertPool()) {
		return nil, nil
	}
	return linkedRoots()
}
