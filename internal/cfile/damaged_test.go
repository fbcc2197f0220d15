package cfile

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/fixtures"
)

const deltaKind = cfilewire.DeltaFile

// damaged is one entry of testdata/corrupt/cfile/manifest.json. Expect is error, rows (those in Lines), or either: a reader
// may refuse the file, or show rows, those in Lines where there are any.
type damaged struct {
	File, Damage, Expect string
	Lines                []string
}

func damagedFiles(t testing.TB) []damaged {
	t.Helper()
	var m struct{ Files []damaged }
	fixtures.ReadJSON(t, damage+"manifest.json", &m)
	return m.Files
}

// someRows bounds what is read of files that claim to have many.
const someRows = 1 << 20

var errEnough = errors.New("enough rows")

// What a damaged file may cost.
const (
	damagedTime   = 10 * time.Second
	damagedMemory = 256 << 20
)

// readDamaged opens and reads a file, and returns its rows as text and what is wrong with it.
func readDamaged(b []byte, o Options, mem memory.Allocator, batch int) ([]string, error) {
	f, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, o)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := textOf(f, mem, batch, someRows)
	if errors.Is(err, errEnough) {
		err = nil
	}
	return text, err
}

// checkError tests that an error says what is wrong and where.
func checkError(t testing.TB, err error) {
	t.Helper()
	var e *errs.Error
	if !errors.As(err, &e) {
		t.Errorf("no *errs.Error: %v", err)
		return
	}
	if e.Format != Name {
		t.Errorf("no format: %v", err)
	}
	if e.Off < 0 && e.Split < 0 {
		t.Errorf("no place: %v", err)
	}
	switch e.Kind {
	case errs.ErrCorrupt, errs.ErrLimit, errs.ErrUnsupported:
	case errs.ErrSchema: // a value that Arrow's type does not hold
	default:
		t.Errorf("kind %v: %v", e.Kind, err)
	}
}

// allocated returns the bytes allocated so far, freed ones included.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// within calls do, which may take so much time and memory.
func within(t *testing.T, do func()) {
	t.Helper()
	before, start := allocated(), fixtures.CPUTime()
	do()
	if d, n := fixtures.CPUTime()-start, allocated()-before; d > damagedTime || n > damagedMemory {
		t.Errorf("%v and %d MiB", d, n>>20)
	}
}

func TestDamaged(t *testing.T) {
	for _, x := range damagedFiles(t) {
		b := fixtures.Read(t, damage+x.File)
		t.Run(x.File, func(t *testing.T) {
			for _, batch := range []int{1 << 16, 3} {
				if batch < 10 && len(b) > 10<<10 {
					continue
				}
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				var text []string
				var err error
				within(t, func() { text, err = readDamaged(b, Options{}, mem, batch) })
				mem.AssertSize(t, 0)
				switch {
				case err != nil:
					checkError(t, err)
					if x.Expect == "rows" {
						t.Errorf("%s: refused: %v", x.Damage, err)
					}
				case x.Expect == "error":
					t.Errorf("%s: nobody notices: %d rows", x.Damage, len(text))
				case x.Lines != nil:
					compareText(t, text, x.Lines)
				case x.Expect != "either" && x.Expect != "rows":
					t.Errorf("expect %q is not known", x.Expect)
				}
			}
		})
	}
}
