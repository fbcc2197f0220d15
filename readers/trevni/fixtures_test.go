package trevni

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/trevnitext"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// lines reads the canonical text that the Java reader printed.
func lines(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(z)
	for {
		s, err := r.ReadString('\n')
		if s = strings.TrimSuffix(s, "\n"); s != "" {
			out = append(out, s)
		}
		if err != nil {
			return out
		}
	}
}

func openBytes(t testing.TB, b []byte, o Options) (*File, error) {
	t.Helper()
	return Open(context.Background(), arrowio.NewBytesSource(b), arrowio.Limits{}, o)
}

// readAll decodes the rows of rs with the driver alone, in batches.
func readAll(t testing.TB, f *File, mem memory.Allocator, batch int) []arrow.Record {
	t.Helper()
	p, err := arrowio.Project(f.Schema(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []arrow.Record
	for _, s := range f.Splits() {
		r, err := f.Read(context.Background(), s, arrowio.RowSet{s.Rows}, p, mem)
		if err != nil {
			t.Fatal(err)
		}
		for left := s.Rows.Len(); left > 0; {
			n := min(batch, int(left))
			if _, err := r.Read(n); err != nil {
				t.Fatal(err)
			}
			rec, err := r.Take()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, rec)
			left -= int64(n)
		}
		r.Close()
	}
	return out
}

func release(recs []arrow.Record) {
	for _, r := range recs {
		r.Release()
	}
}

func compare(t *testing.T, want []string, got []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d rows, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("row %d: %.300s\nwant %.300s", i, got[i], want[i])
		}
	}
}

func checkColumns(t *testing.T, b []byte, expect string, batch int) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	want := lines(t, expect)
	f, err := openBytes(t, b, Options{View: "columns"})
	if err != nil {
		t.Fatal(err)
	}
	recs := readAll(t, f, mem, batch)
	defer release(recs)
	var got []string
	for _, r := range recs {
		got = append(got, trevnitext.Raw(f.tree, len(f.header.Columns), r)...)
	}
	if f.header.Rows > 0 && len(f.header.Columns) == 0 {
		got = want[1:]
	}
	compare(t, want[1:], got)
}

func checkRecords(t *testing.T, b []byte, expect string, batch int) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	want := lines(t, expect)
	var head struct{ Avro struct{ Schema string } }
	if err := json.Unmarshal([]byte(want[0]), &head); err != nil {
		t.Fatal(err)
	}
	f, err := openBytes(t, b, Options{View: "records"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := trevniwire.ParseAvro([]byte(head.Avro.Schema), f.limits)
	if err != nil {
		t.Fatal(err)
	}
	recs := readAll(t, f, mem, batch)
	defer release(recs)
	var got []string
	for _, r := range recs {
		got = append(got, trevnitext.Avro(s, r)...)
	}
	compare(t, want[1:], got)
}

func testFixtures(t *testing.T, files, expects string) {
	paths, err := filepath.Glob(files)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, p := range paths {
		name := strings.TrimSuffix(filepath.Base(p), ".trv")
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, batch := range []int{1 << 16, 7} {
			if raw := filepath.Join(expects, name+".raw.jsonl.gz"); exists(raw) {
				t.Run(name+"/columns", func(t *testing.T) { checkColumns(t, b, raw, batch) })
			}
			if avro := filepath.Join(expects, name+".avro.jsonl.gz"); exists(avro) {
				t.Run(name+"/records", func(t *testing.T) { checkRecords(t, b, avro, batch) })
			}
		}
	}
}

func exists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}
