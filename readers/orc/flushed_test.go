package orc

import (
	"os"
	"path/filepath"
	"testing"
)

// A side file vouches for as much as its last whole number says.
func TestFlushedLength(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bucket_00000")
	if _, ok, err := FlushedLength(path); ok || err != nil {
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
		n, ok, err := FlushedLength(path)
		if n != x.n || ok != x.ok || err != nil {
			t.Errorf("%v: %d, %v, %v", x.side, n, ok, err)
		}
	}
}
