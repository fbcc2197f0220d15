package s3store

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// An endpoint without TLS answers no better the next time.
func TestSchemeMismatchIsNotTransient(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	r, err := http.Get(strings.Replace(s.URL, "http://", "https://", 1))
	if err == nil {
		_ = r.Body.Close() // only the error of the request counts
		t.Fatal("a server without TLS answered a request with TLS")
	}
	if isTransient(err) {
		t.Errorf("%v is taken for a fault that passes", err)
	}
}
