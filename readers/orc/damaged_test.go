package orc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/orctext"
)

// damaged is one entry of testdata/corrupt/orc/manifest.json. Expect is error, rows (those of the fixture that From
// names), or either: a reader may make something of the file or refuse it. Kind is the kind of the error, where it matters.
type damaged struct {
	File, From, Damage, Expect, Kind, SHA256 string
}

func damagedFiles(t testing.TB) []damaged {
	t.Helper()
	var m struct{ Files []damaged }
	fixtures.ReadJSON(t, damage+"manifest.json", &m)
	return m.Files
}

// someRows bounds what is read of a file that claims to have many.
const someRows = 1 << 17

var errEnough = errors.New("enough rows")

// readDamaged opens and reads a file, and returns its rows as text and what is wrong with it.
func readDamaged(b []byte, o Options, mem memory.Allocator, batch int) ([]string, error) {
	f, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, o)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text []string
	err = conformance.Everything(f, mem, batch, func(r arrow.Record) error {
		if err := conformance.ValidateRecord(r); err != nil {
			return err
		}
		if text = append(text, orctext.Rows(r)...); len(text) >= someRows {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return text, err
}

// checkError tests that an error says what is wrong and where.
func checkError(t *testing.T, err error) {
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

// What each damaged file may cost.
const (
	damagedTime   = 5 * time.Second
	damagedMemory = 256 << 20
)

var kinds = map[string]error{"corrupt": errs.ErrCorrupt, "limit": errs.ErrLimit, "unsupported": errs.ErrUnsupported, "schema": errs.ErrSchema}

func TestDamaged(t *testing.T) {
	keys := optionsOf(t, map[string]string{"orc-keys": keysFile, "timestamp-unit": "us"})
	dictionary := optionsOf(t, map[string]string{"dictionary": "true", "orc-null-keys": "list"})
	for _, x := range damagedFiles(t) {
		b := fixtures.ReadSum(t, damage+x.File, x.SHA256)
		t.Run(x.File, func(t *testing.T) {
			refused := 0
			for i, o := range []Options{{}, keys, dictionary} {
				for _, batch := range batches {
					mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
					before, start := allocated(), fixtures.CPUTime()
					text, err := readDamaged(b, o, mem, batch)
					if d, n := fixtures.CPUTime()-start, allocated()-before; d > damagedTime || n > damagedMemory {
						t.Errorf("options %d, batches of %d: %v and %d MiB: %v", i, batch, d, n>>20, err)
					}
					mem.AssertSize(t, 0)
					if err != nil {
						refused++
						checkError(t, err)
						if i == 0 && batch > 7 {
							t.Log(err)
						}
						if x.Kind != "" && !errors.Is(err, kinds[x.Kind]) {
							t.Errorf("%v is not of kind %s", err, x.Kind)
						}
					} else if x.Expect == "rows" && !slices.Equal(text, lines(t, byJava+x.From+".jsonl.gz")) {
						t.Errorf("options %d: not the rows of %s", i, x.From)
					}
				}
			}
			switch {
			case x.Expect == "error" && refused == 0:
				t.Errorf("%s: the damage is not noticed", x.Damage)
			case x.Expect == "rows" && refused > 0:
				t.Errorf("%s: refused", x.Damage)
			case x.Expect != "error" && x.Expect != "rows" && x.Expect != "either":
				t.Errorf("expect %q is not known", x.Expect)
			}
		})
	}
}

// allocated returns the bytes allocated so far, freed ones included.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// A file that is cut anywhere is an error.
func TestCut(t *testing.T) {
	for _, name := range []string{"tiny-none", "tiny-zlib", "small-zlib"} {
		b := fixtures.Read(t, byJava+name+".orc")
		for n := range len(b) {
			if _, err := readDamaged(b[:n], Options{}, memory.NewGoAllocator(), 100); err != nil {
				checkError(t, err)
			} else if n > 0 {
				t.Errorf("%s: the first %d bytes are a file", name, n)
			}
		}
	}
}

// Whatever byte of a file is another, it is an error or a reading in bounds.
func TestFlipped(t *testing.T) {
	flips := []byte{0xff, 1, 0x80, 0x10}
	for _, name := range []string{"tiny-none", "tiny-zlib", "small-none", "small-zlib"} {
		b := fixtures.Read(t, byJava+name+".orc")
		n, step := 2, 1
		if len(b) > 1000 && sampled > 1 {
			n, step = 1, 2*sampled-1 // they take turns
		}
		before := allocated()
		for i := 0; i < len(b); i += step {
			for k := range n {
				c := bytes.Clone(b)
				c[i] ^= flips[(i+k)%len(flips)]
				start := fixtures.CPUTime()
				_, err := readDamaged(c, Options{}, memory.NewGoAllocator(), 100)
				if d := fixtures.CPUTime() - start; d > damagedTime {
					t.Errorf("%s, byte %d is %#x: %v: %v", name, i, c[i], d, err)
				}
				if err != nil {
					checkError(t, err)
				}
			}
		}
		if n := (allocated() - before) / uint64(n*len(b)/step); n > 4<<20 {
			t.Errorf("%s: %d KiB a reading", name, n>>10)
		}
	}
}

// verified returns the faults of a file; an error if it does not open.
func verified(t *testing.T, b []byte, o Options) (list []error, err error) {
	t.Helper()
	ctx := context.Background()
	f, err := Open(ctx, local.NewBytesSource(b), arrowio.Limits{}, o)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Verify(ctx, func(err error) { list = append(list, err) }); err != nil {
		t.Errorf("verify: %v", err)
	}
	return list, nil
}

// Verify finds nothing in sound files, but in those that are made to lack something.
func TestVerifySound(t *testing.T) {
	t.Parallel()
	for _, x := range manifest(t) {
		keys := map[string]string{}
		if x.Masked.File != "" {
			keys["orc-keys"] = keysFile
		}
		list, err := verified(t, fixtures.Read(t, testdata+x.File), optionsOf(t, x.Options, keys))
		if err != nil {
			t.Errorf("%s: %v", x.File, err)
		}
		for _, fault := range list {
			t.Errorf("%s: %v", x.File, fault)
		}
	}
}

// Verify finds something in every file that a reader must refuse, and goes on to its end.
func TestVerifyDamaged(t *testing.T) {
	t.Parallel()
	for _, x := range damagedFiles(t) {
		list, err := verified(t, fixtures.Read(t, damage+x.File), Options{})
		if err != nil {
			checkError(t, err)
			continue
		}
		for _, fault := range list {
			checkError(t, fault)
		}
		if len(list) == 0 && x.Expect == "error" && x.Kind != "schema" { // that is Arrow's fault
			t.Errorf("%s: no faults: %s", x.File, x.Damage)
		}
	}
}

// Dump and Info come to an end on any file that opens.
func TestShowDamaged(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, x := range damagedFiles(t) {
		f, err := Open(ctx, local.NewBytesSource(fixtures.Read(t, damage+x.File)), arrowio.Limits{}, Options{})
		if err != nil {
			continue
		}
		var out limitedBuffer
		if err := f.Dump(ctx, &out); err != nil && !errors.Is(err, errEnough) {
			t.Errorf("%s: dump: %v", x.File, err)
		}
		if _, err := f.Info(ctx, arrowio.InfoOptions{Blocks: true, Checksums: true}); err != nil {
			checkError(t, err)
		}
		if err := f.Close(); err != nil {
			t.Errorf("%s: close: %v", x.File, err)
		}
	}
}

// limitedBuffer forgets what is written to it, and has enough after some megabytes.
type limitedBuffer struct{ n int }

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.n += len(p); b.n > 16<<20 {
		return 0, fmt.Errorf("%d bytes: %w", b.n, errEnough)
	}
	return len(p), nil
}
