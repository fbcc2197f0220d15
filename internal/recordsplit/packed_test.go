package recordsplit

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
)

// What unpacks to far more than it is ends with an error. Text that only begins like a packed file is text.
func TestBombsEnd(t *testing.T) {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	bomb := w.EncodeAll([]byte(strings.Repeat("1\n", 2<<20)), nil)
	f, err := OpenText(local.NewBytesSource(bomb))
	if err != nil {
		t.Fatal(err)
	}
	r := f.Reader().(*unpacker)
	if n, err := io.Copy(io.Discard, r); n != 4<<20 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	r = f.Reader().(*unpacker)
	r.n = freeBytes
	_, err = io.Copy(io.Discard, r)
	if a, _ := errs.Where(err); !errors.Is(err, errs.ErrLimit) || a.Off == 0 {
		t.Error(err)
	}
	for _, text := range []string{"BZh9,x\n1,2\n", "BZ", "", "\x1f\x8b"} {
		f, err := OpenText(local.NewBytesSource([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(f.Reader()); string(b) != text || err != nil {
			t.Errorf("%q: %q, %v", text, b, err)
		}
	}
}
