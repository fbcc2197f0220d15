package writers_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

// What convert says of files before and after it writes them is the same, and all that reading back shows otherwise.
func TestPlansOfFiles(t *testing.T) {
	files := lossFiles(t)
	for _, f := range writers.All() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			n := 0
			for _, name := range files {
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				c := lossCheck{t: t, mem: mem, format: f, name: name}
				if c.convert(name) == compared {
					n++
				}
				mem.AssertSize(t, 0)
			}
			t.Logf("%d of %d files", n, len(files))
			if n == 0 && f.Name != "kudu" { // which wants a key
				t.Error("no file was converted")
			}
		})
	}
}

// lossFiles returns the files that readers find by themselves, small ones alone where lossFileBytes says so.
func lossFiles(t *testing.T) (files []string) {
	t.Helper()
	for _, root := range lossRoots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && path == root {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			switch filepath.Ext(path) {
			case ".orc", ".trv", ".cfile", ".arrow", ".arrows", ".parquet", ".avro", ".csv", ".jsonl":
			default:
				return nil
			}
			if info, err := d.Info(); err == nil && info.Size() <= lossFileBytes {
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(files)
	var some []string
	for i := 0; i < len(files); i += lossFileStep {
		some = append(some, files[i])
	}
	return some
}

// convert writes a file as the format, and compares. Files that cannot be read as they are do not count.
func (c *lossCheck) convert(name string) outcome {
	ctx := context.Background()
	s, recs, err := readAll(name, nil, c.mem)
	if err != nil {
		return refused
	}
	defer releaseAll(recs)
	open := func() *dataset.Dataset {
		ds, err := readers.OpenDataset(ctx, []string{name}, readers.Options{})
		if err != nil {
			c.t.Fatal(err)
		}
		return ds
	}
	run := func(st arrowio.Store, dry bool) (*convert.Report, error) {
		ds := open()
		defer ds.Close()
		return convert.Convert(ctx, ds, c.format, st, convert.Options{DryRun: dry, Write: c.o, Scan: arrowio.ScanOptions{Allocator: c.mem, Parallelism: 1}})
	}
	dry, err := run(nil, true)
	if err != nil {
		return refused
	}
	path := filepath.Join(c.t.TempDir(), "out"+c.format.Extensions[0])
	st, err := local.NewFileStore(path, local.FileStoreOptions{Directory: c.format.Directory})
	if err != nil {
		c.t.Fatal(err)
	}
	done, err := run(st, false)
	if err != nil {
		if !errors.Is(err, errs.ErrSchema) || rowsOf(recs) == 0 {
			c.errorf("what the dry run accepts is not written: %v", err)
		}
		return unfit
	}
	if !slices.Equal(dry.Losses(), done.Losses()) {
		c.errorf("the dry run says %v, the other %v", dry.Losses(), done.Losses())
	}
	back, got, err := readAll(path, nil, c.mem)
	if err != nil && strings.Contains(err.Error(), "--timestamp-unit") && slices.ContainsFunc(done.Losses(), func(l arrowio.Loss) bool { return strings.Contains(l.Text, "--timestamp-unit") }) {
		return unfit // as the plan says
	}
	if err != nil {
		c.errorf("what was written is not read: %v", err)
		return compared
	}
	defer releaseAll(got)
	c.compare(done.Plan, s, back, recs, got)
	if err := os.RemoveAll(path); err != nil {
		c.t.Fatal(err)
	}
	return compared
}
