package icebergcatalog_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/arrowio/arrowio/internal/icebergcatalog"
)

// TestSlow asks servers that do not answer, or send a byte now and then: asking ends with its context.
func TestSlow(t *testing.T) {
	for _, drip := range []string{"", " "} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, drip); err != nil {
					return
				}
				if drip != "" {
					_ = http.NewResponseController(w).Flush()
				}
				time.Sleep(10 * time.Millisecond)
			}
		}))
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		start := time.Now()
		at, err := icebergcatalog.Properties{"uri": s.URL}.Table(ctx, "db.t", 1<<20, nil)
		if took := time.Since(start); err == nil || !strings.Contains(err.Error(), "no whole answer") || strings.Contains(err.Error(), "2m0s") || took > 20*time.Second {
			t.Errorf("%q: %s, %v after %s", drip, at, err, took)
		}
		cancel()
		s.Close()
	}
}
