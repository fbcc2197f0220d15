package icebergtable_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/orctext"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers/icebergtable"
	"github.com/arrowio/arrowio/writers/orc"
	"github.com/arrowio/arrowio/writers/parquet"
)

// open opens a table to write to.
func open(ctx context.Context, name string, options map[string]string) (*icebergtable.Table, error) {
	return icebergtable.Open(ctx, name, changing(options))
}

// changing are the options of changes that read the table.
func changing(options map[string]string) icebergtable.Options {
	o := icebergtable.Options{Files: []arrowio.OutputFormat{orc.Format(), parquet.Format()}, Options: options}
	for _, f := range readers.All() {
		if f.Name == icebergtable.Name {
			o.Reader = f
		}
	}
	return o
}

// where parses a filter.
func where(t testing.TB, text string) expr.Expr {
	t.Helper()
	e, err := expr.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// deleteWhere deletes rows of a table.
func deleteWhere(t testing.TB, name, filter string) *icebergtable.Outcome {
	t.Helper()
	out, err := icebergtable.Delete(context.Background(), name, changing(nil), where(t, filter))
	if err != nil {
		t.Fatalf("%s: %s: %v", name, filter, err)
	}
	return out
}

// write writes batches of a schema to a table.
func write(ctx context.Context, name string, options map[string]string, s *arrow.Schema, recs ...arrow.Record) error {
	return writeTo(ctx, name, changing(options), s, recs...)
}

func writeTo(ctx context.Context, name string, o icebergtable.Options, s *arrow.Schema, recs ...arrow.Record) error {
	t, err := icebergtable.Open(ctx, name, o)
	if err != nil {
		return err
	}
	f := t.Format()
	p, err := f.Plan(s, arrowio.WriteOptions{})
	if err != nil {
		return err
	}
	w, err := arrowio.NewWriter(ctx, f, t, p)
	if err != nil {
		return err
	}
	for _, r := range recs {
		if err := w.Write(r); err != nil {
			return err
		}
	}
	return w.Close()
}

// rows returns the rows of a table as sorted text, and its schema.
func rows(t testing.TB, name string) ([]string, *arrow.Schema) {
	t.Helper()
	d, err := readers.OpenDataset(context.Background(), []string{name}, readers.Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer d.Close()
	rr, err := d.Scan(context.Background(), arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Release()
	var out []string
	for rr.Next() {
		out = append(out, orctext.Rows(rr.Record())...)
	}
	if err := rr.Err(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	slices.Sort(out)
	return out, d.Schema
}

// faults returns what a verification of a table finds.
func faults(t testing.TB, name string) (out []string) {
	t.Helper()
	ctx := context.Background()
	d, err := readers.OpenDataset(ctx, []string{name}, readers.Options{For: arrowio.ForVerify})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for i := range d.Fragments {
		f, err := d.Fragments[i].Open(ctx)
		if err != nil {
			return append(out, err.Error())
		}
		if v, ok := arrowio.As[arrowio.Verifier](f); ok {
			if err := v.Verify(ctx, func(err error) { out = append(out, d.Fragments[i].Name+": "+err.Error()) }); err != nil {
				out = append(out, err.Error())
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	return out
}

// tree lists the files below a directory.
func tree(t testing.TB, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, strings.TrimPrefix(filepath.ToSlash(p), filepath.ToSlash(dir)+"/"))
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return out
}
