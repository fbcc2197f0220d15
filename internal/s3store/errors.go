package s3store

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/arrowio/arrowio/internal/remote"
)

// refusal is what a store answers that does not do what it was asked.
type refusal struct{ minio.ErrorResponse }

func (r refusal) Error() string {
	msg := strings.TrimSuffix(r.ErrorResponse.Error(), ".")
	if strings.Contains(msg, r.Code) {
		return fmt.Sprintf("the store answers %d: %s", r.StatusCode, msg)
	}
	return fmt.Sprintf("the store answers %d %s: %s", r.StatusCode, r.Code, msg)
}

// classify tells what an error of minio-go is, and whether the same request may be answered better another time.
func (s *session) classify(err error) (f *remote.Failure, again bool) {
	f = &remote.Failure{Off: -1, Err: err}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return f, false
	}
	if errors.Is(err, remote.ErrChanged) || errors.Is(err, errRange) {
		f.Is, f.Err = err, nil
		return f, false
	}
	r, ok := asResponse(err)
	if !ok {
		again = isTransient(err)
		if again {
			f.Is = remote.ErrUnavailable
		}
		return f, again
	}
	f.Err = refusal{r}
	switch {
	case r.Code == minio.NoSuchBucket:
		f.Is, f.Err = fs.ErrNotExist, fmt.Errorf("there is no bucket %s", r.BucketName)
	case r.StatusCode == http.StatusNotFound:
		f.Is, f.Err = fs.ErrNotExist, nil
	case r.StatusCode == http.StatusForbidden, r.StatusCode == http.StatusUnauthorized:
		f.Is = fs.ErrPermission
		if s.creds.anonymous {
			f.Err = fmt.Errorf("%w; no credentials were found (%s)", f.Err, s.creds.tried)
		}
	case r.StatusCode == http.StatusPreconditionFailed:
		f.Is, f.Err = remote.ErrChanged, nil
	case r.StatusCode >= 500 && r.StatusCode != http.StatusNotImplemented, r.StatusCode == http.StatusRequestTimeout,
		r.StatusCode == http.StatusTooManyRequests, r.StatusCode == 499, r.Code == "RequestTimeout", r.Code == "SlowDown":
		f.Is, again = remote.ErrUnavailable, true
	}
	return f, again
}

func asResponse(err error) (minio.ErrorResponse, bool) {
	var r minio.ErrorResponse
	ok := errors.As(err, &r)
	return r, ok && r.StatusCode > 0
}

// isTransient tells trouble with the network, which passes, from what another attempt will not change.
func isTransient(err error) bool {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var dns *net.DNSError
	switch {
	case errors.As(err, &unknown), errors.As(err, &name), errors.As(err, &invalid), errors.As(err, &record):
		return false
	case errors.Is(err, http.ErrSchemeMismatch):
		return false
	case errors.As(err, &dns):
		return !dns.IsNotFound
	}
	var own minio.ErrorResponse // an argument that minio-go does not take
	return !errors.As(err, &own)
}

// fail makes an error of what a request came to.
func (s *session) fail(op, url string, err error) error {
	f, _ := s.classify(err)
	return remote.Wrap(op, url, f)
}
