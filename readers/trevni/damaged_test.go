package trevni

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// damaged is one entry of testdata/corrupt/trevni/manifest.json. Expect is error, or either: a reader may make
// something of the file or refuse it.
type damaged struct {
	File, Damage, Expect string
}

func damagedFiles(t testing.TB) []damaged {
	t.Helper()
	var m struct{ Files []damaged }
	fixtures.ReadJSON(t, corrupt+"manifest.json", &m)
	return m.Files
}

// boundless files are sound, but hold more rows or elements than a test can wait for: they are read up to some row.
var boundless = []string{"run-bomb.trv"}

const someRows = 1 << 17

var errEnough = errors.New("enough rows")

// readDamaged opens and reads a file, and returns what is wrong with it.
func readDamaged(b []byte, o Options, mem memory.Allocator, batch int) error {
	f, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, o)
	if err != nil {
		return err
	}
	defer f.Close()
	rows := int64(0)
	err = conformance.Everything(f, mem, batch, func(r arrow.Record) error {
		if err := conformance.ValidateRecord(r); err != nil {
			return err
		}
		if rows += r.NumRows(); rows >= someRows {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
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
	if e.Kind == errs.ErrInternal || e.Kind == errs.ErrOption {
		t.Errorf("kind %v: %v", e.Kind, err)
	}
	if e.Kind == errs.ErrCorrupt && e.Off < 0 {
		t.Errorf("no offset: %v", err)
	}
}

// What each damaged file may cost: the larger ones hold a legal array of 64 Mi nulls and the like.
const (
	damagedTime   = 10 * time.Second
	damagedMemory = 640 << 20
)

func TestDamaged(t *testing.T) {
	for _, x := range damagedFiles(t) {
		b := fixtures.Read(t, corrupt+x.File)
		t.Run(x.File, func(t *testing.T) {
			refused := 0
			for _, o := range []Options{{View: "columns"}, {Decimals: "decimal"}, {}} {
				for _, batch := range batches {
					mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
					before, start := allocated(), fixtures.CPUTime()
					err := readDamaged(b, o, mem, batch)
					if d, n := fixtures.CPUTime()-start, allocated()-before; d > damagedTime || n > damagedMemory && batch > 7 {
						t.Errorf("%v, batches of %d: %v and %d MiB: %v", o, batch, d, n>>20, err)
					}
					mem.AssertSize(t, 0)
					if err != nil {
						refused++
						if batch > 7 {
							t.Log(err)
						}
						checkError(t, err)
						if e := (*errs.Error)(nil); errors.As(err, &e) && e.Split >= 0 && e.Column == "" {
							t.Errorf("no column: %v", err)
						}
					}
				}
			}
			switch {
			case x.Expect == "error" && refused == 0:
				t.Errorf("%s: nobody notices", x.Damage)
			case x.Expect != "error" && x.Expect != "either":
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

// Verify finds nothing in sound files.
func TestVerifySound(t *testing.T) {
	for _, path := range sound(t) {
		for _, view := range []string{"columns", ""} {
			f := openFile(t, path, Options{View: view})
			if err := f.Verify(context.Background(), func(err error) { t.Errorf("%s: %v", path, err) }); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

// Verify reports an avro.schema that cannot be used: what is read is not what was written.
func TestVerifyAvroSchema(t *testing.T) {
	for _, name := range []string{"schema-not-json.trv", "schema-other.trv"} {
		f, err := openBytes(t, fixtures.Read(t, corrupt+name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		var faults []error
		if err := f.Verify(context.Background(), func(err error) { faults = append(faults, err) }); err != nil {
			t.Fatal(err)
		}
		if len(faults) != 1 || !errors.Is(faults[0], errs.ErrCorrupt) || !strings.Contains(faults[0].Error(), "avro.schema") {
			t.Errorf("%s: %v", name, faults)
		}
	}
}

// Verify finds something in every file that a reader must refuse, and goes on to its end.
func TestVerifyDamaged(t *testing.T) {
	for _, x := range damagedFiles(t) {
		if slices.Contains(boundless, x.File) {
			continue
		}
		f, err := openBytes(t, fixtures.Read(t, corrupt+x.File), Options{Decimals: "decimal"})
		if err != nil {
			checkError(t, err)
			continue
		}
		faults := 0
		err = f.Verify(context.Background(), func(err error) {
			faults++
			checkError(t, err)
		})
		if err != nil {
			t.Errorf("%s: %v", x.File, err)
		}
		if faults == 0 && x.Expect == "error" {
			t.Errorf("%s: no faults: %s", x.File, x.Damage)
		}
	}
}

// A second file behind the first one, also with other bytes between, is told on reading, and is a fault.
func TestJoined(t *testing.T) {
	for _, name := range []string{"prim-absent-absent", "avro-nested"} {
		for _, between := range []string{"", "\x00\x00\x00\x00\x00\x00\x00\x00", "Trv Trv\xffTr", strings.Repeat("tail", 100_000)} {
			joined(t, "../../testdata/trevni/java-1.12.1/"+name+".trv", between)
		}
	}
}

func joined(t *testing.T, path, between string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := openBytes(t, slices.Concat(b, []byte(between), b), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if w := arrowio.WarningsOf(f); len(w) != 1 || w[0].Kind != arrowio.WarnDoubt {
		t.Errorf("warnings %v", w)
	}
	var faults []error
	if err := f.Verify(t.Context(), func(err error) { faults = append(faults, err) }); err != nil {
		t.Fatal(err)
	}
	if len(faults) != 1 || !errors.Is(faults[0], errs.ErrCorrupt) {
		t.Errorf("faults %v", faults)
	}
}
