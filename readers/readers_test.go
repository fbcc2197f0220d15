package readers

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
)

const testdata = "../testdata/"

var samples = map[string]string{
	"ipc/pyarrow-26.0.1/types.arrow":        "ipc",
	"ipc/pyarrow-26.0.1/types.arrows":       "ipc-stream",
	"parquet/pyarrow-26.0.1/groups.parquet": "parquet",
	"csv/pyarrow-26.0.1/types.csv":          "csv",
	"jsonl/pyarrow-26.0.1/rows.jsonl":       "jsonl",
}

func TestOpenFile(t *testing.T) {
	ctx := context.Background()
	for name, format := range samples {
		f, err := OpenFile(ctx, testdata+name, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		info, err := f.Info(ctx, arrowio.InfoOptions{})
		if err != nil || info.Format != format {
			t.Errorf("%s is %v, %v", name, info, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The content decides, whatever the name says.
func TestContentWins(t *testing.T) {
	for name, format := range samples {
		b, err := os.ReadFile(testdata + name)
		if err != nil {
			t.Fatal(err)
		}
		n := min(len(b), 64)
		for _, path := range []string{"x", "x.csv", "x.parquet", "x.trv"} {
			f, err := Sniff(b[:n], b[len(b)-n:], path)
			switch {
			case format == "csv" || format == "jsonl":
				if path == "x.csv" && (err != nil || f.Name != "csv") || path == "x" && err == nil {
					t.Errorf("%s named %s: %s, %v", name, path, f.Name, err)
				}
			case err != nil || f.Name != format:
				t.Errorf("%s named %s: %s, %v", name, path, f.Name, err)
			}
		}
	}
}

func TestUnknown(t *testing.T) {
	_, err := Open(context.Background(), local.NewBytesSource([]byte("what is this")), "x.bin", Options{})
	if !errors.Is(err, errs.ErrUnsupported) {
		t.Fatal(err)
	}
	for _, s := range []string{"--from", "trevni", "ipc", "parquet", ".csv", ".jsonl"} {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%q does not say %q", err, s)
		}
	}
	_, err = Open(context.Background(), local.NewBytesSource(nil), "", Options{Format: "x"})
	if !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "trevni") {
		t.Errorf("got %v", err)
	}
}

func TestFormatIsSaid(t *testing.T) {
	f, err := Open(context.Background(), local.NewBytesSource([]byte("a\n1\n")), "x.bin", Options{Format: "csv", Options: map[string]string{"csv-header": "false"}})
	if err != nil || f.Schema().Field(0).Name != "f0" {
		t.Errorf("%v, %v", f, err)
	}
}

func TestEmptyFile(t *testing.T) {
	if _, err := Open(context.Background(), local.NewBytesSource(nil), "x", Options{}); !errors.Is(err, errs.ErrUnsupported) {
		t.Error(err)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestNamesAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All() {
		if seen[f.Name] || f.Open == nil && f.OpenPath == nil {
			t.Errorf("%s", f.Name)
		}
		seen[f.Name] = true
		for _, e := range f.Extensions {
			if seen[e] || !strings.HasPrefix(e, ".") {
				t.Errorf("%s: %s", f.Name, e)
			}
			seen[e] = true
		}
		for _, o := range f.Options {
			shared := o.Name == "timestamp-unit" || o.Name == "dictionary" || o.Name == "salvage" || // means the same whatever the format
				f.Name == "iceberg" && strings.HasPrefix(o.Name, "hive-") // of the catalog that may name the table
			if !shared && !strings.HasPrefix(o.Name, f.Name+"-") || o.Usage == "" {
				t.Errorf("option %+v", o)
			}
		}
	}
}

// versioned is a source that says itself which version it is.
type versioned struct {
	*local.BytesSource
	version string
}

func (v *versioned) Identity(context.Context) (string, error) { return v.version, nil }

// What a source can do besides is not hidden from the file that is opened over it, and the source stays its owner's.
func TestOpenKeepsWhatSourcesCan(t *testing.T) {
	src := &versioned{local.NewBytesSource([]byte("x\n1\n")), "one"}
	f, err := Open(t.Context(), src, "x.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before, err := arrowio.Identity(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	src.version = "two"
	if after, err := arrowio.Identity(t.Context(), f); err != nil || after == before {
		t.Errorf("%s, %s, %v", before, after, err)
	}
}
