package convert_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/readers"
)

func mergeInput(paths ...string) (in []convert.MergeInput) {
	for _, p := range paths {
		in = append(in, convert.MergeInput{Name: p, Open: func(ctx context.Context) (*dataset.File, error) {
			return dataset.Open(ctx, p, readers.Defaults(readers.Options{}))
		}})
	}
	return in
}

// rowsOf reads all rows.
func rowsOf(t *testing.T, path string) (recs []arrow.Record) {
	t.Helper()
	f, err := readers.OpenFile(t.Context(), path, readers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	for rows.Next() {
		rec := rows.Record()
		rec.Retain()
		recs = append(recs, rec)
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return recs
}

func sameRows(t *testing.T, path string, want []arrow.Record) {
	t.Helper()
	got := rowsOf(t, path)
	schema := want[0].Schema()
	a, b := array.NewTableFromRecords(schema, want), array.NewTableFromRecords(got[0].Schema(), got)
	defer a.Release()
	defer b.Release()
	if a.NumRows() != b.NumRows() {
		t.Fatalf("%d rows, want %d", b.NumRows(), a.NumRows())
	}
	for i := range schema.Fields() {
		if !array.ChunkedEqual(a.Column(i).Data(), b.Column(i).Data()) {
			t.Errorf("column %s is another", schema.Field(i).Name)
		}
	}
}

func verified(t *testing.T, path string) {
	t.Helper()
	f, err := readers.OpenFile(t.Context(), path, readers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, ok := arrowio.As[arrowio.Verifier](f)
	if !ok {
		t.Fatal("cannot be verified")
	}
	if err := v.Verify(t.Context(), func(err error) { t.Error(path, err) }); err != nil {
		t.Fatal(err)
	}
}

func merged(t *testing.T, o convert.MergeOptions, directory bool, paths ...string) (string, *convert.MergeReport) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out"+filepath.Ext(paths[0]))
	st, err := local.NewFileStore(out, local.FileStoreOptions{Directory: directory})
	if err != nil {
		t.Fatal(err)
	}
	o.Extension = filepath.Ext(paths[0])
	r, err := convert.Merge(t.Context(), mergeInput(paths...), st, o)
	if err != nil {
		t.Fatal(err)
	}
	return out, r
}

// A file that is merged with itself has its rows twice; split and merged again it is the same file.
func TestMerge(t *testing.T) {
	for _, path := range mergeFixtures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			rows := rowsOf(t, path)
			if len(rows) == 0 {
				return
			}
			out, r := merged(t, convert.MergeOptions{}, false, path, path)
			verified(t, out)
			sameRows(t, out, append(rows, rows...))
			if len(r.Files) != 1 || r.Inputs != 2 {
				t.Errorf("%+v", r)
			}
			dir, r := merged(t, convert.MergeOptions{MaxFileParts: 1}, true, out)
			if len(r.Files) != r.Parts {
				t.Errorf("%d files of %d parts", len(r.Files), r.Parts)
			}
			var pieces []string
			for _, f := range r.Files {
				pieces = append(pieces, filepath.Join(dir, f.Name))
			}
			verified(t, pieces[len(pieces)-1])
			again, _ := merged(t, convert.MergeOptions{}, false, pieces...)
			verified(t, again)
			sameRows(t, again, append(rows, rows...))
		})
	}
}

func mergeFixtures(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, name := range []string{
		"orc/java-2.3.1/all-zlib-v12", "orc/java-2.3.1/all-none-v11", "orc/java-2.3.1/bloom-utf8", "orc/java-2.3.1/nulls-stripe2-v12",
		"orc/java-2.3.1/decimals-v12", "orc/java-2.3.1/all-lzo-v12", "orc/java-2.3.1/dates-v12",
	} {
		out = append(out, filepath.Join("..", "testdata", filepath.FromSlash(name)+".orc"))
	}
	for _, name := range []string{"avro-blocks", "arrays-runs", "avro-nested", "first-values-boolean-2blocks", "first-values", "overrides"} {
		out = append(out, filepath.Join("..", "testdata", "trevni", "java-1.12.1", name+".trv"))
	}
	for _, name := range []string{"codec_zstd", "nested", "plain", "types"} {
		out = append(out, filepath.Join("..", "testdata", "parquet", "pyarrow-26.0.1", name+".parquet"))
	}
	return out
}

func TestMergeRefuses(t *testing.T) {
	orc := func(name string) string { return filepath.Join("..", "testdata", "orc", "java-2.3.1", name+".orc") }
	pq := func(name string) string {
		return filepath.Join("..", "testdata", "parquet", "pyarrow-26.0.1", name+".parquet")
	}
	trv := func(name string) string { return filepath.Join("..", "testdata", "trevni", "java-1.12.1", name+".trv") }
	for _, c := range []struct {
		name, a, b string
		kind       error
		words      string
	}{
		{"codec", orc("all-zlib-v12"), orc("all-zstd-v12"), errs.ErrSchema, "codec: zstd, but " + orc("all-zlib-v12") + " has zlib"},
		{"version", orc("all-zlib-v12"), orc("all-zlib-v11"), errs.ErrSchema, "version of the format"},
		{"types", orc("all-zlib-v12"), orc("decimals-v12"), errs.ErrSchema, "type of"},
		{"calendar", orc("calendar-hybrid"), orc("calendar-proleptic"), errs.ErrSchema, "calendar: proleptic"},
		{"encrypted", orc("encrypted-0-zlib"), orc("encrypted-0-zlib"), errs.ErrUnsupported, "encrypted"},
		{"columns", pq("plain"), pq("types"), errs.ErrSchema, "column"},
		{"columns of Trevni", trv("avro-blocks"), trv("avro-nested"), errs.ErrSchema, "column"},
		{"codec of Trevni", trv("prim-null-null"), trv("prim-snappy-null"), errs.ErrSchema, "codec of column"},
		{"checksum of Trevni", trv("prim-null-null"), trv("prim-null-crc32"), errs.ErrSchema, "checksum of column"},
		{"format", orc("all-zlib-v12"), filepath.Join("..", "testdata", "csv", "pyarrow-26.0.1", "quoted.csv"), errs.ErrUnsupported, "csv"},
	} {
		st := local.NewMemStore()
		_, err := convert.Merge(t.Context(), mergeInput(c.a, c.b), st, convert.MergeOptions{})
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, want %v with %q", c.name, err, c.kind, c.words)
		}
		if len(st.Objects()) > 0 {
			t.Errorf("%s: something was written", c.name)
		}
	}
}
