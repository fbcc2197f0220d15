package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

var errDisk = errors.New("the disk is full")

func testBytes(n int) []byte {
	b := make([]byte, n)
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func writeTemp(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.bin")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

type closableSource interface {
	arrowio.Source
	io.Closer
}

// sources returns every kind of source over b.
func sources(t testing.TB, b []byte) map[string]arrowio.Source {
	t.Helper()
	path := writeTemp(t, b)
	out := map[string]arrowio.Source{"bytes": NewBytesSource(b), "counting bytes": arrowio.NewCountingSource(NewBytesSource(b)), "far": farSource{NewBytesSource(b)}}
	add := func(name string, s closableSource, err error) {
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		out[name] = s
		out["counting "+name] = arrowio.NewCountingSource(s)
	}
	f, err := OpenFile(path)
	add("file", f, err)
	m, err := MapFile(path)
	add("map", m, err)
	s, err := SpoolSource(bytes.NewReader(b), 1<<30, "")
	add("spool in memory", s, err)
	s, err = SpoolSource(bytes.NewReader(b), 10, t.TempDir())
	add("spool in a file", s, err)
	return out
}

// farSource hides what a BytesSource can do.
type farSource struct{ arrowio.Source }

func TestSourcesReadAt(t *testing.T) {
	for _, n := range []int{0, 1, 1000} {
		b := testBytes(n)
		for name, s := range sources(t, b) {
			if s.Size() != int64(n) {
				t.Fatalf("%s: size %d, want %d", name, s.Size(), n)
			}
			got, err := io.ReadAll(io.NewSectionReader(s, 0, s.Size()))
			if err != nil || !bytes.Equal(got, b) {
				t.Fatalf("%s: wrong bytes, error %v", name, err)
			}
			p := make([]byte, 10)
			if k, err := s.ReadAt(p, int64(n)); k != 0 || err != io.EOF {
				t.Errorf("%s: read at the end: %d, %v", name, k, err)
			}
			if k, err := s.ReadAt(p[:0], int64(n)+5); k != 0 || err != nil {
				t.Errorf("%s: read of nothing: %d, %v", name, k, err)
			}
			if k, err := s.ReadAt(p, -1); k != 0 || err == nil || err == io.EOF {
				t.Errorf("%s: read before the start: %d, %v", name, k, err)
			}
			if n > 10 {
				if k, err := s.ReadAt(p, int64(n)-4); k != 4 || err != io.EOF || !bytes.Equal(p[:4], b[n-4:]) {
					t.Errorf("%s: read across the end: %d, %v", name, k, err)
				}
			}
		}
	}
}

func TestReadRanges(t *testing.T) {
	const n = 3 << 20
	b := testBytes(n)
	cases := map[string][]arrowio.ByteRange{
		"none":        {},
		"one":         {{Off: 5, Len: 10}},
		"all":         {{Off: 0, Len: n}},
		"empty":       {{Off: 0, Len: 0}, {Off: n, Len: 0}, {Off: 7, Len: 0}},
		"neighbours":  {{Off: 0, Len: 10}, {Off: 10, Len: 10}, {Off: 20, Len: 10}},
		"backwards":   {{Off: 2 << 20, Len: 100}, {Off: 1 << 20, Len: 100}, {Off: 0, Len: 100}},
		"gaps":        {{Off: 0, Len: 10}, {Off: 40 << 10, Len: 10}, {Off: 1 << 20, Len: 10}, {Off: n - 10, Len: 10}},
		"overlapping": {{Off: 100, Len: 1000}, {Off: 0, Len: 500}, {Off: 0, Len: 500}, {Off: 200, Len: 50}, {Off: 1099, Len: 2}},
		"the tail":    {{Off: n - 1, Len: 1}, {Off: n - 100, Len: 100}, {Off: n - 64, Len: 1}},
	}
	for name, s := range sources(t, b) {
		for what, rs := range cases {
			for _, slack := range []int{0, 1, 72, 4096} {
				var buf []byte
				for range 2 { // the second time with the buffer of the first
					pieces, kept, err := arrowio.ReadRangesInto(context.Background(), s, rs, buf, slack)
					if err != nil {
						t.Fatalf("%s %s: %v", name, what, err)
					}
					if len(buf) > 0 && &buf[0] != &kept[0] {
						t.Errorf("%s %s: the buffer was not used again", name, what)
					}
					buf = kept
					if len(pieces) != len(rs) {
						t.Fatalf("%s %s: %d pieces of %d", name, what, len(pieces), len(rs))
					}
					for i, p := range pieces {
						r := rs[i]
						if !bytes.Equal(p, b[r.Off:r.Off+r.Len]) {
							t.Fatalf("%s %s slack %d: piece %d is wrong", name, what, slack, i)
						}
						if cap(p) < len(p)+slack {
							t.Fatalf("%s %s: piece %d has %d bytes of slack, want %d", name, what, i, cap(p)-len(p), slack)
						}
						_ = p[:len(p)+slack][max(0, len(p)+slack-1):]
					}
				}
			}
			pieces, err := arrowio.ReadRanges(context.Background(), s, rs)
			if err != nil || len(pieces) != len(rs) {
				t.Fatalf("%s %s: %v", name, what, err)
			}
		}
	}
}

func TestReadRangesRefusesWhatIsNotThere(t *testing.T) {
	for name, s := range sources(t, testBytes(1000)) {
		for _, r := range []arrowio.ByteRange{
			{Off: -1, Len: 5},
			{Off: 5, Len: -1},
			{Off: 0, Len: 1001},
			{Off: 1000, Len: 1},
			{Off: 1001, Len: 0},
			{Off: 999, Len: 2},
			{Off: 1, Len: math.MaxInt64},
			{Off: math.MaxInt64, Len: 1},
			{Off: math.MaxInt64, Len: math.MaxInt64},
			{Off: math.MinInt64, Len: math.MaxInt64},
			{Off: math.MaxInt64 - 5, Len: 10},
		} {
			pieces, err := arrowio.ReadRanges(context.Background(), s, []arrowio.ByteRange{{Off: 0, Len: 1}, r})
			var e *errs.Error
			if !errors.Is(err, errs.ErrCorrupt) || !errors.Is(err, io.ErrUnexpectedEOF) || !errors.As(err, &e) || e.Off != r.Off || pieces != nil {
				t.Errorf("%s %v: %v", name, r, err)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := arrowio.ReadRanges(ctx, s, []arrowio.ByteRange{{Off: 0, Len: 1}}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: a cancelled context gives %v", name, err)
		}
	}
}

// Many ranges that all name the whole file take the memory of one.
func TestReadRangesOverlapsOnce(t *testing.T) {
	const n = 1 << 20
	b := testBytes(n)
	rs := make([]arrowio.ByteRange, 5000)
	for i := range rs {
		rs[i] = arrowio.ByteRange{Off: int64(i % 7), Len: n - int64(i%7)}
	}
	for name, s := range sources(t, b) {
		if name == "ranges" { // answers each for itself
			continue
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		pieces, _, err := arrowio.ReadRangesInto(context.Background(), s, rs, nil, 72)
		runtime.ReadMemStats(&after)
		if err != nil || !bytes.Equal(pieces[4999], b[4999%7:]) {
			t.Fatalf("%s: %v", name, err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 3*n {
			t.Errorf("%s: %d bytes allocated for a file of %d", name, got, n)
		}
	}
}

// readLog notes the reads of a source.
type readLog struct {
	arrowio.Source
	reads []arrowio.ByteRange
	fail  error
}

func (s *readLog) ReadAt(p []byte, off int64) (int, error) {
	s.reads = append(s.reads, arrowio.ByteRange{Off: off, Len: int64(len(p))})
	if s.fail != nil {
		return 0, s.fail
	}
	return s.Source.ReadAt(p, off)
}

func TestReadRangesCoalesces(t *testing.T) {
	b := make([]byte, 40<<20)
	for i := 0; i < len(b); i += 1000 {
		b[i] = byte(i >> 10)
	}
	for _, c := range []struct {
		rs   []arrowio.ByteRange
		want []arrowio.ByteRange
	}{
		{[]arrowio.ByteRange{{Off: 0, Len: 10}, {Off: 100, Len: 10}}, []arrowio.ByteRange{{Off: 0, Len: 110}}},
		{[]arrowio.ByteRange{{Off: 0, Len: 10}, {Off: 10 + 1<<20, Len: 10}}, []arrowio.ByteRange{{Off: 0, Len: 20 + 1<<20}}},
		{[]arrowio.ByteRange{{Off: 0, Len: 10}, {Off: 11 + 1<<20, Len: 10}}, []arrowio.ByteRange{{Off: 0, Len: 10}, {Off: 11 + 1<<20, Len: 10}}},
		{[]arrowio.ByteRange{{Off: 0, Len: 15 << 20}, {Off: 15 << 20, Len: 2 << 20}}, []arrowio.ByteRange{{Off: 0, Len: 15 << 20}, {Off: 15 << 20, Len: 2 << 20}}},
		{[]arrowio.ByteRange{{Off: 0, Len: 36 << 20}}, []arrowio.ByteRange{{Off: 0, Len: 16 << 20}, {Off: 16 << 20, Len: 16 << 20}, {Off: 32 << 20, Len: 4 << 20}}},
		{[]arrowio.ByteRange{{Off: 0, Len: 12 << 20}, {Off: 8 << 20, Len: 12 << 20}}, []arrowio.ByteRange{{Off: 0, Len: 16 << 20}, {Off: 16 << 20, Len: 4 << 20}}},
	} {
		s := &readLog{Source: NewBytesSource(b)}
		pieces, err := arrowio.ReadRanges(context.Background(), s, c.rs)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range pieces {
			if !bytes.Equal(p, b[c.rs[i].Off:c.rs[i].Off+c.rs[i].Len]) {
				t.Errorf("%v: piece %d is wrong", c.rs, i)
			}
		}
		if fmt.Sprint(s.reads) != fmt.Sprint(c.want) {
			t.Errorf("%v: reads %v, want %v", c.rs, s.reads, c.want)
		}
	}
}

func TestReadRangesErrors(t *testing.T) {
	b := testBytes(100)
	rs := []arrowio.ByteRange{{Off: 0, Len: 10}}
	if _, err := arrowio.ReadRanges(context.Background(), &readLog{Source: NewBytesSource(b), fail: errDisk}, rs); !errors.Is(err, errDisk) {
		t.Errorf("error %v", err)
	}
	if _, err := arrowio.ReadRanges(context.Background(), &readLog{Source: NewBytesSource(b), fail: io.EOF}, rs); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
}

func TestClamp(t *testing.T) {
	for _, c := range []struct{ in, want arrowio.ByteRange }{
		{arrowio.ByteRange{Off: 0, Len: 10}, arrowio.ByteRange{Off: 0, Len: 10}},
		{arrowio.ByteRange{Off: 95, Len: 10}, arrowio.ByteRange{Off: 95, Len: 5}},
		{arrowio.ByteRange{Off: 100, Len: 10}, arrowio.ByteRange{Off: 100, Len: 0}},
		{arrowio.ByteRange{Off: 200, Len: 10}, arrowio.ByteRange{Off: 100, Len: 0}},
		{arrowio.ByteRange{Off: -5, Len: 10}, arrowio.ByteRange{Off: 0, Len: 5}},
		{arrowio.ByteRange{Off: -50, Len: 10}, arrowio.ByteRange{Off: 0, Len: 0}},
		{arrowio.ByteRange{Off: 5, Len: -1}, arrowio.ByteRange{Off: 5, Len: 0}},
		{arrowio.ByteRange{Off: 50, Len: math.MaxInt64}, arrowio.ByteRange{Off: 50, Len: 50}},
		{arrowio.ByteRange{Off: math.MaxInt64, Len: math.MaxInt64}, arrowio.ByteRange{Off: 100, Len: 0}},
		{arrowio.ByteRange{Off: math.MinInt64, Len: math.MaxInt64}, arrowio.ByteRange{Off: 0, Len: 0}},
	} {
		if got := c.in.Clamp(100); got != c.want {
			t.Errorf("%v clamped to 100 is %v, want %v", c.in, got, c.want)
		}
	}
}

func TestCountingSource(t *testing.T) {
	path := writeTemp(t, testBytes(1000))
	f, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, c := range map[string]struct {
		src   arrowio.Source
		calls int64
	}{"file": {f, 1}, "bytes": {NewBytesSource(testBytes(1000)), 2}} {
		s := arrowio.NewCountingSource(c.src)
		if _, err := arrowio.ReadRanges(context.Background(), s, []arrowio.ByteRange{{Off: 0, Len: 10}, {Off: 10, Len: 20}}); err != nil {
			t.Fatal(err)
		}
		if s.Bytes() != 30 || s.Calls() != c.calls {
			t.Errorf("%s: %d bytes in %d calls, want 30 in %d", name, s.Bytes(), s.Calls(), c.calls)
		}
	}
}

func TestOpenFileErrors(t *testing.T) {
	dir := t.TempDir()
	for _, open := range []func(string) (closableSource, error){
		func(p string) (closableSource, error) { return OpenFile(p) },
		func(p string) (closableSource, error) { return MapFile(p) },
	} {
		if _, err := open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("missing file: %v", err)
		}
		if _, err := open(dir); err == nil || !strings.Contains(err.Error(), "directory") {
			t.Errorf("directory: %v", err)
		}
		if runtime.GOOS != "windows" {
			if _, err := open(os.DevNull); err == nil || !strings.Contains(err.Error(), "not a regular file") {
				t.Errorf("device: %v", err)
			}
		}
	}
}

func TestFileThatShrinks(t *testing.T) {
	path := writeTemp(t, testBytes(1000))
	s, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.Truncate(path, 500); err != nil {
		t.Fatal(err)
	}
	n, err := s.ReadAt(make([]byte, 200), 400)
	if n != 100 || !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), path) {
		t.Errorf("%d bytes, error %v", n, err)
	}
	if _, err := arrowio.ReadRanges(context.Background(), s, []arrowio.ByteRange{{Off: 400, Len: 200}}); !errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("ranges: %v", err)
	}
}

func TestFileThatGrows(t *testing.T) {
	path := writeTemp(t, testBytes(10))
	s, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.WriteFile(path, testBytes(100), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := s.ReadAt(make([]byte, 50), 0); n != 10 || err != io.EOF {
		t.Errorf("%d bytes, error %v: what was not there at open is read", n, err)
	}
}

func TestSpool(t *testing.T) {
	for _, n := range []int{0, 1, 99, 100, 101, 9 << 10} {
		b := testBytes(n)
		for _, memory := range []int64{-1, 0, 100, 1 << 40} {
			dir := t.TempDir()
			s, err := SpoolSource(iotest.OneByteReader(iotest.DataErrReader(bytes.NewReader(b))), memory, dir)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(io.NewSectionReader(s, 0, s.Size()))
			if err != nil || !bytes.Equal(got, b) {
				t.Errorf("%d bytes, %d in memory: %v", n, memory, err)
			}
			for range 2 {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
			empty(t, dir)
		}
	}
	for _, memory := range []int64{0, 1000} {
		dir := t.TempDir()
		_, err := SpoolSource(io.MultiReader(bytes.NewReader(testBytes(100)), iotest.ErrReader(errDisk)), memory, dir)
		if !errors.Is(err, errDisk) {
			t.Errorf("error %v", err)
		}
		empty(t, dir)
	}
	if _, err := SpoolSource(strings.NewReader("xx"), 1, filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// empty fails if anything is in dir.
func empty(t testing.TB, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("%s is left in %s", e.Name(), dir)
	}
}

func BenchmarkReadRangesInto(b *testing.B) {
	data := testBytes(8 << 20)
	path := writeTemp(b, data)
	f, err := OpenFile(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	m, err := MapFile(path)
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	var rs []arrowio.ByteRange
	for off := int64(0); off < int64(len(data)); off += 64 << 10 {
		rs = append(rs, arrowio.ByteRange{Off: off, Len: 64<<10 - 20})
	}
	for name, s := range map[string]arrowio.Source{"file": f, "map": m, "bytes": NewBytesSource(data)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				if _, buf, err = arrowio.ReadRangesInto(context.Background(), s, rs, buf, 72); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
