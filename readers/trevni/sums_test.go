package trevni

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/fixtures"
)

const (
	trueSums = "../../testdata/trevni/foreign/null-codec-true-crc.trv"
	javaSums = "../../testdata/trevni/java-1.12.1/prim-null-crc32.trv"
)

// faultsOf returns what Verify reports.
func faultsOf(t *testing.T, f *File) (faults []error) {
	t.Helper()
	if err := f.Verify(context.Background(), func(err error) { faults = append(faults, err) }); err != nil {
		t.Fatal(err)
	}
	return faults
}

// TestZeroedSums zeroes the end of each block with its checksum, one block after another.
func TestZeroedSums(t *testing.T) {
	sound := fixtures.Read(t, trueSums)
	f := openFile(t, trueSums, Options{})
	checked := 0
	for i := range f.header.Columns {
		blocks, err := f.columnBlocks(context.Background(), i)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range blocks {
			if k.Packed < 16 {
				continue
			}
			b := bytes.Clone(sound)
			clear(b[k.Off+k.Packed-16:][:20])
			if bytes.Equal(b[k.Off:][:k.Packed], sound[k.Off:][:k.Packed]) {
				continue // it was zeros before
			}
			checked++
			g, err := openBytes(t, b, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := everythingOf(g); !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "checksum") {
				t.Errorf("column %s, block at %d: %v", f.header.Columns[i].Name, k.Off, err)
			}
			if len(faultsOf(t, g)) == 0 {
				t.Errorf("column %s, block at %d: no faults", f.header.Columns[i].Name, k.Off)
			}
		}
	}
	if checked == 0 {
		t.Error("no block is large enough")
	}
	for path, note := range map[string]string{trueSums: "without a codec have checksums", javaSums: "have no checksums"} {
		g := openFile(t, path, Options{})
		if n := strings.Join(info(t, g, arrowio.InfoOptions{}).Notes, "\n"); !strings.Contains(n, note) {
			t.Errorf("%s: notes %q", path, n)
		}
		if faults := faultsOf(t, g); len(faults) > 0 {
			t.Errorf("%s: %v", path, faults)
		}
	}
}

// TestZeroedColumnCount zeroes the number of columns.
func TestZeroedColumnCount(t *testing.T) {
	b := bytes.Clone(fixtures.Read(t, trueSums))
	clear(b[12:16])
	_, err := openBytes(t, b, Options{})
	var e *errs.Error
	if !errors.Is(err, errs.ErrCorrupt) || !errors.As(err, &e) || e.Off != 12 {
		t.Errorf("got %v", err)
	}
}

// TestRowsOfNothing changes the number of rows where no value, or no value that is asked for, confirms it.
func TestRowsOfNothing(t *testing.T) {
	const dir = "../../testdata/trevni/java-1.12.1/"
	for _, name := range []string{"columns0-rows5.trv", "avro-only-empty-record.trv", "nulls.trv"} {
		sound := fixtures.Read(t, dir+name)
		for bit := range 64 {
			b := bytes.Clone(sound)
			b[4+bit/8] ^= 1 << (bit % 8)
			start := fixtures.CPUTime()
			f, err := openBytes(t, b, Options{})
			if err == nil {
				err = everythingOf(f)
			}
			if d := fixtures.CPUTime() - start; d > 5*time.Second {
				t.Errorf("%s, bit %d: %v", name, bit, d)
			}
			if rows := binary.LittleEndian.Uint64(b[4:]); err == nil && rows > 128<<20 || name == "nulls.trv" && err == nil {
				t.Errorf("%s: %d rows are accepted", name, rows)
			} else if err != nil {
				checkError(t, err)
			}
		}
	}
	b := build(5, "", builtColumn{name: "i", typ: "fixed32", blocks: []builtBlock{block(5, make([]byte, 20)...)}})
	b[4] = 6
	f, err := openBytes(t, b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Read(context.Background(), f.Splits()[0], arrowio.RowSet{f.Splits()[0].Rows}, project(t, f, []string{}), memory.DefaultAllocator)
	if err == nil {
		r.Close()
		t.Error("rows that no column confirms are counted")
	}
}

// TestSchemaThatDoesNotFit expects a warning where records become stored columns for no wish of the caller's.
func TestSchemaThatDoesNotFit(t *testing.T) {
	sound := fixtures.Read(t, "../../testdata/trevni/java-1.12.1/avro-optional.trv")
	at := bytes.Index(sound, []byte(`"fields"`))
	if at < 0 {
		t.Fatal("no fields in avro.schema")
	}
	b := bytes.Clone(sound)
	b[at+1] ^= 1
	for _, x := range []struct {
		b    []byte
		view string
		want int
	}{{sound, "", 0}, {b, "", 1}, {b, "columns", 0}} {
		f, err := openBytes(t, x.b, Options{View: x.view})
		if err != nil {
			t.Fatal(err)
		}
		if w := arrowio.File(f).(arrowio.Warner).Warnings(); len(w) != x.want {
			t.Errorf("view %q: warnings %q, want %d", x.view, w, x.want)
		}
	}
}
