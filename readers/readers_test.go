package readers

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
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
	_, err := Open(context.Background(), arrowio.NewBytesSource([]byte("what is this")), "x.bin", Options{})
	if !errors.Is(err, errs.ErrUnsupported) {
		t.Fatal(err)
	}
	for _, s := range []string{"--from", "trevni", "ipc", "parquet", ".csv", ".jsonl"} {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%q does not say %q", err, s)
		}
	}
	_, err = Open(context.Background(), arrowio.NewBytesSource(nil), "", Options{Format: "x"})
	if !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), "trevni") {
		t.Errorf("got %v", err)
	}
}

func TestFormatIsSaid(t *testing.T) {
	f, err := Open(context.Background(), arrowio.NewBytesSource([]byte("a\n1\n")), "x.bin", Options{Format: "csv", Options: map[string]string{"csv-header": "false"}})
	if err != nil || f.Schema().Field(0).Name != "f0" {
		t.Errorf("%v, %v", f, err)
	}
}

func TestEmptyFile(t *testing.T) {
	if _, err := Open(context.Background(), arrowio.NewBytesSource(nil), "x", Options{}); !errors.Is(err, errs.ErrUnsupported) {
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

func tree(t *testing.T) string {
	dir := t.TempDir()
	for _, n := range []string{"b.csv", "a.csv", "sub/c.csv", ".hidden.csv", "_SUCCESS", "_tmp/d.csv", ".git/e.csv", "notes.txt"} {
		put(t, filepath.Join(dir, n), "x,y\n1,"+n+"\n")
	}
	b, err := os.ReadFile(testdata + "ipc/pyarrow-26.0.1/empty.arrow")
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "unnamed"), string(b))
	return dir
}

// expand returns the paths of what List finds.
func expand(ctx context.Context, paths []string, o Options) (out []string, err error) {
	for _, p := range paths {
		inputs, err := dataset.List(ctx, p, Defaults(o))
		if err != nil {
			return nil, err
		}
		for _, in := range inputs {
			out = append(out, in.Path)
		}
	}
	return out, nil
}

func TestExpand(t *testing.T) {
	dir := tree(t)
	rel := func(names ...string) []string {
		for i := range names {
			names[i] = filepath.Join(dir, filepath.FromSlash(names[i]))
		}
		return names
	}
	for _, c := range []struct{ args, want []string }{
		{rel(""), rel("a.csv", "b.csv", "sub/c.csv", "unnamed")},
		{rel("*.csv"), rel("a.csv", "b.csv")},
		{rel(".h*"), rel(".hidden.csv")},
		{rel("s*"), rel("sub/c.csv")},
		{rel("notes.txt", "sub"), rel("notes.txt", "sub/c.csv")},
	} {
		got, err := expand(t.Context(), c.args, Options{})
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %v, %v", c.args, got, err)
		}
	}
	for _, missing := range []string{"nothing", "nothing*", "no/thing.csv", "?SUCCESS"} {
		if _, err := expand(t.Context(), rel(missing), Options{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", missing, err)
		}
	}
	if _, err := expand(t.Context(), rel("["), Options{}); err == nil {
		t.Error("a broken pattern stands for something")
	}
	if _, err := expand(t.Context(), []string{t.TempDir()}, Options{}); !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("an empty directory: %v", err)
	}
	odd := filepath.Join(dir, "odd[1].csv")
	put(t, odd, "x\n")
	if got, err := expand(t.Context(), []string{odd}, Options{}); err != nil || len(got) != 1 {
		t.Errorf("a file whose name is a pattern: %v, %v", got, err)
	}
}

func TestDataset(t *testing.T) {
	ctx := context.Background()
	dir := tree(t)
	d, err := OpenDataset(ctx, []string{filepath.Join(dir, "*.csv"), filepath.Join(dir, "sub")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rr, err := d.Scan(ctx, arrowio.ScanOptions{Columns: []string{"y"}})
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	var got []string
	for rr.Next() {
		for i := 0; i < int(rr.Record().NumRows()); i++ {
			got = append(got, strings.Clone(rr.Record().Column(0).ValueStr(i)))
		}
	}
	if err := rr.Err(); err != nil || strings.Join(got, " ") != "a.csv b.csv sub/c.csv" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := OpenDataset(ctx, nil, Options{}); !errors.Is(err, errs.ErrOption) {
		t.Errorf("no files: %v", err)
	}
	if _, err := OpenDataset(ctx, []string{filepath.Join(dir, "notes.txt")}, Options{}); err == nil || !strings.Contains(err.Error(), "notes.txt") {
		t.Errorf("got %v", err)
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
			shared := o.Name == "timestamp-unit" || o.Name == "dictionary" // means the same whatever the format
			if !shared && !strings.HasPrefix(o.Name, f.Name+"-") || o.Usage == "" {
				t.Errorf("option %+v", o)
			}
		}
	}
}
