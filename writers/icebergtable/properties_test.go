package icebergtable_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/writers/icebergtable"
)

// dataFile makes a table and returns its one data file.
func dataFile(t *testing.T, format string, properties []string, given map[string]string, o arrowio.WriteOptions) ([]byte, error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "table")
	s, rec := numbered(t, 0, 60_000)
	defer rec.Release()
	c := changing(mode("create", "iceberg-data-format", format, "iceberg-property", strings.Join(properties, "\n")))
	c.FileOptions = map[string]map[string]string{format: given}
	table, err := icebergtable.Open(context.Background(), dir, c)
	if err != nil {
		return nil, err
	}
	f := table.Format()
	p, err := f.Plan(s, o)
	if err != nil {
		return nil, err
	}
	w, err := arrowio.NewWriter(context.Background(), f, table, p)
	if err != nil {
		return nil, err
	}
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "data", "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return b, nil
}

// TestProperties makes data files as the properties of tables have them, which other engines set: each is what an option makes, and not what is
// made without.
func TestProperties(t *testing.T) {
	type options = map[string]string
	for _, c := range []struct {
		format     string
		properties []string
		given      options
		o          arrowio.WriteOptions
	}{
		{"orc", []string{"write.orc.compression-codec=ZSTD"}, nil, arrowio.WriteOptions{Compression: "zstd"}},
		{"orc", []string{"write.orc.compression-codec=none"}, nil, arrowio.WriteOptions{Compression: "none"}},
		{"orc", []string{"write.orc.compression-strategy=compression"}, nil, arrowio.WriteOptions{Compression: "zlib:6"}},
		{"orc", []string{"write.orc.stripe-size-bytes=70000"}, nil, arrowio.WriteOptions{RowGroupBytes: 70_000}},
		{"orc", []string{"write.orc.bloom.filter.columns=id, none"}, options{"orc-bloom": "id", "orc-bloom-fpp": "0.05"}, arrowio.WriteOptions{}},
		{"orc", []string{"write.orc.bloom.filter.columns=id,word", "write.orc.bloom.filter.fpp=0.2"}, options{"orc-bloom": "id,word", "orc-bloom-fpp": "0.2"}, arrowio.WriteOptions{}},
		{"parquet", []string{"write.parquet.compression-codec=gzip", "write.parquet.compression-level=1"}, nil, arrowio.WriteOptions{Compression: "gzip:1"}},
		{"parquet", []string{"write.parquet.compression-codec=uncompressed", "write.parquet.compression-level=null"}, nil, arrowio.WriteOptions{Compression: "none"}},
		{"parquet", []string{"write.parquet.compression-codec=brotli"}, nil, arrowio.WriteOptions{Compression: "brotli"}},
		{"parquet", []string{"write.parquet.row-group-size-bytes=200000"}, nil, arrowio.WriteOptions{RowGroupBytes: 200_000}},
		{"parquet", []string{"write.parquet.page-row-limit=1000"}, options{"parquet-page-rows": "1000"}, arrowio.WriteOptions{}},
		{"parquet", []string{"write.parquet.page-size-bytes=5000"}, options{"parquet-page-bytes": "5000"}, arrowio.WriteOptions{}},
		{"parquet", []string{"write.parquet.bloom-filter-enabled.column.id=true", "write.parquet.bloom-filter-enabled.column.none=true", "write.parquet.bloom-filter-enabled.column.word=false"}, options{"parquet-bloom": "id"}, arrowio.WriteOptions{}},
		{"parquet", []string{"write.parquet.bloom-filter-enabled.column.id=true", "write.parquet.bloom-filter-fpp.column.id=0.3"}, options{"parquet-bloom": "id:0.3"}, arrowio.WriteOptions{}},
	} {
		name := strings.Join(c.properties, " ")
		got, err := dataFile(t, c.format, c.properties, nil, arrowio.WriteOptions{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want, err := dataFile(t, c.format, nil, c.given, c.o)
		if err != nil {
			t.Fatal(err)
		}
		without, err := dataFile(t, c.format, nil, nil, arrowio.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, not %d, as options make them", name, len(got), len(want))
		}
		if bytes.Equal(got, without) {
			t.Errorf("%s has no effect", name)
		}
		// What is given counts before what the table says.
		if c.o.Compression != "" {
			got, err = dataFile(t, c.format, c.properties, nil, arrowio.WriteOptions{Compression: "lz4"})
			if want, werr := dataFile(t, c.format, nil, nil, arrowio.WriteOptions{Compression: "lz4"}); err != nil || werr != nil || !bytes.Equal(got, want) {
				t.Errorf("%s with a given codec: %d bytes, not %d: %v %v", name, len(got), len(want), err, werr)
			}
		}
	}
	for property, want := range map[string]string{
		"write.orc.compression-codec=lzo":           "is not written",
		"write.orc.compression-codec=gzip":          "is not written",
		"write.orc.bloom.filter.fpp=2":              "not between 0 and 1",
		"write.orc.stripe-size-bytes=64MB":          "no number",
		"write.target-file-size-bytes=-1":           "no number",
		"write.orc.compression-strategy=best":       "neither speed nor compression",
		"write.metadata.metrics.default=everything": "not known",
	} {
		key, _, _ := strings.Cut(property, "=")
		if _, err := dataFile(t, "orc", []string{property}, nil, arrowio.WriteOptions{}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v, want %q", property, err, want)
		}
	}
	if _, err := dataFile(t, "parquet", []string{"write.parquet.compression-codec=lzo"}, nil, arrowio.WriteOptions{}); err == nil || !strings.Contains(err.Error(), "compression") {
		t.Error(err)
	}
}
