package trevni_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/trevnitext"
	"github.com/arrowio/arrowio/internal/trevniwire"
	reader "github.com/arrowio/arrowio/readers/trevni"
	writer "github.com/arrowio/arrowio/writers/trevni"
)

// scan reads all batches of a file's bytes.
func scan(t testing.TB, b []byte, view string, mem memory.Allocator, batch int) (*arrow.Schema, []arrow.Record) {
	t.Helper()
	ctx := context.Background()
	f, err := reader.Open(ctx, local.NewBytesSource(b), arrowio.Limits{}, reader.Options{View: view})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rr, err := arrowio.Scan(ctx, f, arrowio.ScanOptions{BatchRows: batch, Parallelism: 1, Allocator: mem})
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	var recs []arrow.Record
	for rr.Next() {
		r := rr.Record()
		r.Retain()
		recs = append(recs, r)
	}
	if err := rr.Err(); err != nil {
		t.Fatal(err)
	}
	return f.Schema(), recs
}

// write puts batches through the writer and returns the objects that it made.
func write(t testing.TB, s *arrow.Schema, recs []arrow.Record, o arrowio.WriteOptions) map[string][]byte {
	t.Helper()
	p, err := writer.Plan(s, o)
	if err != nil {
		t.Fatal(err)
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(context.Background(), writer.Format(), st, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recs {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return st.Objects()
}

func release(recs []arrow.Record) {
	for _, r := range recs {
		r.Release()
	}
}

// TestRoundTrip reads what Java wrote, writes it, and compares what comes back with what Java reads of the original:
// rows, types, names and metadata.
func TestRoundTrip(t *testing.T) {
	testRoundTrip(t, "../../testdata/trevni/*/*.trv", "")
}

func testRoundTrip(t *testing.T, files, expects string) {
	paths, err := filepath.Glob(files)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for i, p := range paths {
		name := strings.TrimSuffix(filepath.Base(p), ".trv")
		dir := filepath.Dir(p)
		if expects != "" {
			dir = expects
		}
		codec := []string{"none", "snappy", "deflate", ""}[i%4]
		sum := []string{"crc32", "null"}[i/3%2]
		o := arrowio.WriteOptions{Compression: codec, Options: map[string]string{"trevni-checksum": sum}, Parallelism: 1 + i%2}
		for _, view := range []string{"columns", "records"} {
			text := filepath.Join(dir, name+map[string]string{"columns": ".raw.jsonl.gz", "records": ".avro.jsonl.gz"}[view])
			if _, err := os.Stat(text); err != nil {
				continue
			}
			t.Run(name+"/"+view, func(t *testing.T) { roundTrip(t, p, text, view, o) })
		}
	}
}

// withoutCodecs leaves out what a schema says of the codecs of its columns.
func withoutCodecs(s *arrow.Schema) *arrow.Schema {
	var fields []arrow.Field
	for _, f := range s.Fields() {
		var keys, values []string
		for i, k := range f.Metadata.Keys() {
			if k != trevniwire.MetaCodec {
				keys, values = append(keys, k), append(values, f.Metadata.Values()[i])
			}
		}
		f.Metadata = arrow.NewMetadata(keys, values)
		fields = append(fields, f)
	}
	md := s.Metadata()
	return arrow.NewSchema(fields, &md)
}

func roundTrip(t *testing.T, path, text, view string, o arrowio.WriteOptions) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	o.Allocator = mem
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	schema, recs := scan(t, b, view, mem, 100)
	objects := write(t, schema, recs, o)
	release(recs)
	if len(objects) != 1 {
		t.Fatalf("%d objects", len(objects))
	}
	for _, out := range objects {
		back, recs := scan(t, out, view, mem, 1000)
		defer release(recs)
		if o.Compression != "" || strings.HasSuffix(path, "overrides.trv") { // else columns keep their codecs, but bzip2 is not written
			back, schema = withoutCodecs(back), withoutCodecs(schema)
		}
		if !back.Equal(schema) || !sameMetadata(back, schema) {
			t.Errorf("schema\n%s\nwas\n%s", back, schema)
		}
		want := fixtures.Lines(t, text)
		compareText(t, out, view, want, recs)
	}
}

func sameMetadata(a, b *arrow.Schema) bool {
	x, y := a.Metadata(), b.Metadata()
	return slices.Equal(sorted(x), sorted(y))
}

func sorted(m arrow.Metadata) []string {
	var out []string
	for i, k := range m.Keys() {
		out = append(out, k+"="+m.Values()[i])
	}
	slices.Sort(out)
	return out
}

func compareText(t *testing.T, file []byte, view string, want []string, recs []arrow.Record) {
	t.Helper()
	lim := arrowio.Limits{}.WithDefaults()
	var got []string
	if view == "columns" {
		h, err := trevniwire.ParseHeader(file, int64(len(file)), lim)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := trevniwire.ColumnsView(h, lim)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range recs {
			got = append(got, trevnitext.Raw(tree, len(h.Columns), r)...)
		}
	} else {
		var head struct{ Avro struct{ Schema string } }
		if err := json.Unmarshal([]byte(want[0]), &head); err != nil {
			t.Fatal(err)
		}
		s, err := trevniwire.ParseAvro([]byte(head.Avro.Schema), lim)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range recs {
			got = append(got, trevnitext.Avro(s, r)...)
		}
	}
	want = want[1:]
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("row %d: %.300s\nwant %.300s", i, got[i], want[i])
		}
	}
}
