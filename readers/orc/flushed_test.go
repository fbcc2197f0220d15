package orc

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
)

// A side file vouches for as much as its last whole number says.
func TestFinished(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bucket_00000")
	opened := 0
	open := func(_ context.Context, name string) (arrowio.OpenSource, error) {
		opened++
		return local.OpenFile(strings.TrimPrefix(name, "hdfs://"))
	}
	if _, ok, err := Finished(t.Context(), path, open); ok || err != nil {
		t.Fatalf("without a side file: %v, %v", ok, err)
	}
	for _, x := range []struct {
		side []byte
		n    int64
		ok   bool
	}{
		{nil, 0, false},
		{[]byte{0, 0, 0}, 0, false},
		{[]byte{0, 0, 0, 0, 0, 0, 1, 2}, 258, true},
		{[]byte{0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 3, 4}, 772, true},
		{[]byte{0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0}, 258, true},
		{[]byte{255, 255, 255, 255, 255, 255, 255, 255}, 1 << 62, true},
	} {
		if err := os.WriteFile(path+flushSuffix, x.side, 0o600); err != nil {
			t.Fatal(err)
		}
		n, ok, err := Finished(t.Context(), path, open)
		if n != x.n || ok != x.ok || err != nil {
			t.Errorf("%v: %d, %v, %v", x.side, n, ok, err)
		}
	}
	if n, ok, err := Finished(t.Context(), "hdfs://"+path, open); n != 1<<62 || !ok || err != nil {
		t.Errorf("in HDFS: %d, %v, %v", n, ok, err)
	}
	opened = 0
	for _, name := range []string{"s3://" + path, "hdfs:///x/000000_0"} {
		if _, ok, err := Finished(t.Context(), name, open); ok || err != nil || opened > 0 {
			t.Errorf("%s: %v, %v, %d opened", name, ok, err, opened)
		}
	}
}
