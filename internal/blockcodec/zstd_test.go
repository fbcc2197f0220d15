package blockcodec

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// Klauspost's decoder, which machines without kernels use, gives the same.
func TestZstdLibrary(t *testing.T) {
	raw, blocks := vectors(t)
	var d zstdDecoder
	for name, b := range blocks {
		if !strings.HasPrefix(name, "zstd-") {
			continue
		}
		dst := make([]byte, len(raw)+Slack)
		if n, err := d.byStock(dst, b, len(raw)); err != nil || !bytes.Equal(dst[:n], raw) {
			t.Errorf("%s: %d of %d bytes, %v", name, n, len(raw), err)
		}
		if _, err := d.byStock(dst, b, len(raw)-1); !errors.Is(err, errOverflow) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := d.byStock(dst, b[:len(b)-5], len(raw)); err == nil {
			t.Errorf("%s, cut: no error", name)
		}
	}
}
