package writers_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

// Text is written and read packed where the name of the file says so, by gzip and zstd as others have them.
func TestPackedText(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(`[{"n":1},{"n":22}]`))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, want := range map[string]string{
		"a.csv.gz": "n\n1\n22\n", "a.csv.zst": "n\n1\n22\n", "a.jsonl.gz": "{\"n\":1}\n{\"n\":22}\n", "a.ndjson.zst": "{\"n\":1}\n{\"n\":22}\n", "a.json.gz": "{\"n\":1}\n{\"n\":22}\n", "a.json": "{\"n\":1}\n{\"n\":22}\n",
	} {
		path := filepath.Join(dir, name)
		w, err := writers.Create(t.Context(), path, s, writers.Options{})
		if err == nil {
			err = errors.Join(w.Write(rec), w.Close())
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".gz") {
			r, err := gzip.NewReader(bytes.NewReader(b)) // the standard library's
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(r); err != nil || string(text) != want {
				t.Errorf("%s: %q, %v", name, text, err)
			}
		} else if packed := strings.HasSuffix(name, ".zst"); packed != bytes.HasPrefix(b, []byte("\x28\xb5\x2f\xfd")) || !packed && string(b) != want {
			t.Errorf("%s: %q", name, b)
		}
		f, err := readers.OpenFile(t.Context(), path, readers.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rows, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !rows.Next() {
			t.Errorf("%s: no rows: %v", name, rows.Err())
		} else if err := conformance.Equal(rec, rows.Record()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		rows.Release()
		_ = f.Close()
	}
	if _, err := writers.Create(t.Context(), filepath.Join(dir, "b.csv.gz"), s, writers.Options{Write: arrowio.WriteOptions{Compression: "zstd"}}); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
	for _, c := range []string{"gzip:0", "gzip:10", "zstd:23", "gzip:", "none:1", "snappy"} {
		if _, err := must(writers.Lookup("csv")).Plan(s, arrowio.WriteOptions{Compression: c}); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %v", c, err)
		}
	}
}

// Files of the programs gzip and bzip2, also several put together, are read; damaged ones are errors with a place, and those that unpack
// to far more than they are end.
func TestPackedTextOfOthers(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pack := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write([]byte(text))
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	count := func(path string) (n int64, err error) {
		f, err := readers.OpenFile(t.Context(), path, readers.Options{})
		if err != nil {
			return 0, err
		}
		defer f.Close()
		rows, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{})
		if err != nil {
			return 0, err
		}
		defer rows.Release()
		for rows.Next() {
			n += rows.Record().NumRows()
		}
		return n, rows.Err()
	}
	if n, err := count(put("two.csv.gz", append(pack("n\n1\n"), pack("2\n3\n")...))); n != 3 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	if n, err := count(put("named.csv", pack("n\n1\n"))); n != 1 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	if out, err := exec.Command("sh", "-c", "printf 'n\\n1\\n2\\n' | bzip2").Output(); err == nil { // not every machine has it
		if n, err := count(put("x.csv.bz2", out)); n != 2 || err != nil {
			t.Errorf("%d rows, %v", n, err)
		}
	}
	whole := pack("n\n" + strings.Repeat("12345\n", 10000))
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] ^= 0x55
	for name, b := range map[string][]byte{"cut.csv.gz": whole[:len(whole)/2], "damaged.jsonl.gz": damaged, "sum.csv.gz": append(whole[:len(whole)-8:len(whole)-8], 0, 0, 0, 0, 0, 0, 0, 0), "head.csv.zst": []byte("\x28\xb5\x2f\xfd\xff\xff\xff\xff")} {
		_, err := count(put(name, b))
		a, _ := errs.Where(err)
		if !errors.Is(err, errs.ErrCorrupt) && !errors.Is(err, errs.ErrLimit) || a.Format == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
