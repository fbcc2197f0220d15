package avro

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/trevnitext"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

const (
	fastavro = "../../testdata/avro/fastavro-1.13.1/"
	java     = "../../testdata/avro/java-1.12.1/"
)

func openBytes(t testing.TB, b []byte, o arrowio.OpenOptions) (arrowio.File, error) {
	t.Helper()
	return Format().Open(context.Background(), local.NewBytesSource(b), o)
}

func mustOpen(t testing.TB, path string, o arrowio.OpenOptions) arrowio.File {
	t.Helper()
	f, err := openBytes(t, fixtures.Read(t, path), o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The rows are those that Java reads.
func TestFixtures(t *testing.T) {
	for _, pattern := range []string{fastavro + "*.avro", java + "*.avro"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal(err, len(paths))
		}
		for _, path := range paths {
			name := filepath.Base(path)
			text := path
			switch name {
			case "recursive.avro", "types-xz.avro", "beyond-later.avro":
				continue // refused: TestRefused
			case "types-zstandard.avro": // by a codec that this Java does not read
				text = filepath.Join(filepath.Dir(path), "types-deflate.avro")
			}
			want := fixtures.Lines(t, text+".txt.gz")[1:]
			f := mustOpen(t, path, arrowio.OpenOptions{})
			if n := f.(*file).rows(); n != int64(len(want)) {
				t.Errorf("%s: %d rows, want %d", name, n, len(want))
			}
			for _, batch := range []int{3, 1000} {
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				rec, err := conformance.Collect(t, f, mem, batch)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if rec != nil {
					compareText(t, name, f.(*file).avro, rec, want)
					rec.Release()
				}
				mem.AssertSize(t, 0)
			}
		}
	}
}

func compareText(t *testing.T, name string, s *trevniwire.Avro, rec arrow.Record, want []string) {
	t.Helper()
	got := trevnitext.Avro(s, rec)
	if len(got) != len(want) {
		t.Errorf("%s: %d lines, want %d", name, len(got), len(want))
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s: row %d\n got %s\nwant %s", name, i, got[i], want[i])
			return
		}
	}
}

// What is not read is refused by name.
func TestRefused(t *testing.T) {
	for path, want := range map[string]string{
		fastavro + "recursive.avro": "recursive avro schema: Node contains itself",
	} {
		_, err := openBytes(t, fixtures.Read(t, path), arrowio.OpenOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// Decimals beyond their precision: a column whose first rows have some is bytes, later ones are an error that names the option.
func TestDecimalsBeyondTheirPrecision(t *testing.T) {
	f := mustOpen(t, fastavro+"beyond.avro", arrowio.OpenOptions{})
	if got := f.Schema().Field(0).Type; got.ID() != arrow.BINARY {
		t.Errorf("shown as %s", got)
	}
	info, err := f.Info(context.Background(), arrowio.InfoOptions{})
	if err != nil || len(info.Notes) != 1 {
		t.Errorf("%v, %v", info.Notes, err)
	}
	later := mustOpen(t, fastavro+"beyond-later.avro", arrowio.OpenOptions{})
	if got := later.Schema().Field(0).Type; got.ID() != arrow.DECIMAL128 {
		t.Errorf("shown as %s", got)
	}
	_, err = conformance.Collect(t, later, memory.DefaultAllocator, 10000)
	if err == nil || !strings.Contains(err.Error(), "avro-decimals") {
		t.Error(err)
	}
	asBytes := mustOpen(t, fastavro+"beyond-later.avro", arrowio.OpenOptions{Options: map[string]string{"avro-decimals": "bytes"}})
	rec, err := conformance.Collect(t, asBytes, memory.DefaultAllocator, 10000)
	if err != nil || rec.NumRows() != 5001 {
		t.Error(err)
	}
}
