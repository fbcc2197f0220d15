package annotate

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/annotate/golden"
)

func TestGolden(t *testing.T) {
	file := []byte("Trv\x02\x03\x00\x00\x00\x00\x00\x00\x00\x02id")
	for i := range 40 {
		file = append(file, byte(i))
	}
	var out bytes.Buffer
	a := New(&out, bytes.NewReader(file), int64(len(file)))
	a.Section("header")
	a.Range(0, 4, "magic: Trv, version %d", 2)
	a.Range(4, 8, "rows: 3")
	a.Section("names")
	a.Range(12, 1, "length")
	a.Range(13, 2, "%q", "id")
	a.Range(15, 0, "nothing")
	a.End()
	a.End()
	a.Section("column %d", 0)
	a.Note("16 bytes are shown whole, 17 are not, 100%% of them")
	a.Range(15, 16, "values")
	a.Range(31, 2, "not explained")
	a.Range(33, 17, "more")
	a.Range(49, 3, "read twice")
	a.Range(54, 100, "beyond the end")
	a.Range(1000, 2, "far beyond")
	a.Range(-5, 3, "before the start")
	a.Range(53, -1, "backwards")
	a.Range(math.MaxInt64, math.MaxInt64, "over the top")
	a.Note("text from the file: %s", "a\x1b[2J\r\n\xff\u202eé")
	a.End()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/all.txt", out.Bytes())
}

func TestEmptyFile(t *testing.T) {
	var out strings.Builder
	a := New(&out, strings.NewReader(""), 0)
	a.Range(0, 4, "magic")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if want := "0-4: x  # magic ! the file ends at 0\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// failing fails every read, or every write.
type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }
func (f failing) Write([]byte) (int, error)         { return 0, f.err }

func TestErrorsStay(t *testing.T) {
	disk := errors.New("disk on fire")
	a := New(io.Discard, failing{disk}, 10)
	a.Range(0, 4, "magic")
	if !errors.Is(a.err, disk) {
		t.Errorf("after a failed read: %v", a.err)
	}
	a.Range(4, 4, "more")
	if err := a.Close(); !errors.Is(err, disk) {
		t.Errorf("a failed read: %v", err)
	}
	a = New(failing{disk}, strings.NewReader("0123456789"), 10)
	a.Range(0, 4, "magic")
	if err := a.Close(); !errors.Is(err, disk) {
		t.Errorf("a failed write: %v", err)
	}
	a = New(io.Discard, strings.NewReader("01"), 10) // a source that lies about its size
	a.Range(0, 10, "magic")
	if err := a.Close(); !errors.Is(err, io.EOF) {
		t.Errorf("a short source: %v", err)
	}
}

func TestNesting(t *testing.T) {
	a := New(io.Discard, strings.NewReader(""), 0)
	a.End()
	if err := a.Close(); !errors.Is(err, errs.ErrInternal) {
		t.Errorf("End without Section: %v", err)
	}
	a = New(io.Discard, strings.NewReader(""), 0)
	a.Section("open")
	if err := a.Close(); !errors.Is(err, errs.ErrInternal) {
		t.Errorf("Section without End: %v", err)
	}
}

// cover agrees with a slice of bools.
func TestCover(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		const size = 60
		var plain [size]bool
		var c cover
		for range r.IntN(15) {
			from := r.Int64N(size)
			to := from + r.Int64N(min(12, size-from)+1)
			want := false
			for i := from; i < to; i++ {
				want = want || plain[i]
				plain[i] = true
			}
			if got := c.add(from, to); got != want {
				t.Fatalf("add(%d, %d) to %v overlaps: %t, want %t", from, to, c, got, want)
			}
		}
		for from, to := range c.gaps(size) {
			for i := from; i < to; i++ {
				if plain[i] {
					t.Fatalf("%v: byte %d is in a gap", c, i)
				}
				plain[i] = true
			}
		}
		for i, there := range plain {
			if !there {
				t.Fatalf("%v: byte %d is neither covered nor in a gap", c, i)
			}
		}
		for i := 1; i < len(c); i++ {
			if c[i-1].to >= c[i].from {
				t.Fatalf("%v: spans touch", c)
			}
		}
	}
}

func BenchmarkRange(b *testing.B) {
	file := bytes.NewReader(make([]byte, 1<<20))
	a := New(io.Discard, file, 1<<20)
	b.ReportAllocs()
	off := int64(0)
	for b.Loop() {
		a.Range(off&(1<<20-1), 8, "value")
		off += 8
	}
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
}
