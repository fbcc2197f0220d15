package local

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

func TestSection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	data := []byte("0123456789abcdef")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, r := range []arrowio.ByteRange{{Off: 0, Len: 16}, {Off: 3, Len: 7}, {Off: 16, Len: 0}, {Off: 15, Len: 1}} {
		s, err := f.Section(r)
		if err != nil {
			t.Fatal(err)
		}
		if s.Size() != r.Len || !arrowio.Near(s) || !arrowio.Near(arrowio.NewCountingSource(s)) || s.Name() != path {
			t.Fatalf("%v: size %d, near %t, name %s", r, s.Size(), arrowio.Near(s), s.Name())
		}
		if err := iotest.TestReader(io.NewSectionReader(s, 0, s.Size()), data[r.Off:r.End()]); err != nil {
			t.Errorf("%v: %v", r, err)
		}
		// Bytes behind the section are the file's, not the section's.
		p := make([]byte, r.Len+1)
		if n, err := s.ReadAt(p, 0); int64(n) != r.Len || err != io.EOF {
			t.Errorf("%v: %d bytes, %v", r, n, err)
		}
		if _, err := s.ReadAt(p, -1); err == nil {
			t.Errorf("%v: read before the section", r)
		}
		if n, err := s.ReadAt(nil, math.MaxInt64); n != 0 || err != nil {
			t.Errorf("%v: nothing far away: %d, %v", r, n, err)
		}
		got, err := arrowio.ReadRanges(context.Background(), s, []arrowio.ByteRange{{Off: 0, Len: r.Len}})
		if err != nil || !bytes.Equal(got[0], data[r.Off:r.End()]) {
			t.Errorf("%v: %q, %v", r, got, err)
		}
		if _, err := arrowio.ReadRanges(context.Background(), s, []arrowio.ByteRange{{Off: 0, Len: r.Len + 1}}); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%v: a range beyond the section: %v", r, err)
		}
	}
	for _, r := range []arrowio.ByteRange{{Off: -1, Len: 2}, {Off: 0, Len: 17}, {Off: 17, Len: 0}, {Off: 4, Len: -1}, {Off: 8, Len: math.MaxInt64}, {Off: math.MaxInt64, Len: math.MaxInt64}} {
		if _, err := f.Section(r); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%v: %v", r, err)
		}
	}
}

func TestSectionOfShrunkFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := f.Section(arrowio.ByteRange{Off: 50, Len: 50})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 60); err != nil {
		t.Fatal(err)
	}
	if n, err := s.ReadAt(make([]byte, 50), 0); n != 10 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d bytes, %v", n, err)
	}
	if n, err := s.ReadAt(make([]byte, 60), 0); n != 10 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("beyond the end: %d bytes, %v", n, err)
	}
}
