package writers

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/readers"
)

// deepRecord has a column that is nested so deep, with a value, a null and the value again.
func deepRecord(t *testing.T, depth int, inside func(arrow.DataType) arrow.DataType) arrow.Record {
	t.Helper()
	typ := arrow.PrimitiveTypes.Int32
	for range depth - 1 {
		typ = inside(typ)
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "x", Type: typ, Nullable: true}}, nil))
	defer b.Release()
	var add func(b array.Builder)
	add = func(b array.Builder) {
		switch b := b.(type) {
		case *array.ListBuilder:
			b.Append(true)
			add(b.ValueBuilder())
		case *array.StructBuilder:
			b.Append(true)
			add(b.FieldBuilder(0))
		case *array.Int32Builder:
			b.Append(7)
		}
	}
	add(b.Field(0))
	b.Field(0).AppendNull()
	add(b.Field(0))
	return b.NewRecord()
}

// writeTo writes a record as a file of a format, and returns its path.
func writeTo(t *testing.T, name string, rec arrow.Record) string {
	t.Helper()
	f, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "out"+f.Extensions[0])
	p, err := f.Plan(rec.Schema(), arrowio.WriteOptions{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	st, err := local.NewFileStore(path, local.FileStoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := arrowio.NewWriter(context.Background(), f, st, p)
	if err == nil && rec.NumRows() > 0 {
		err = w.Write(rec)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return path
}

// TestDeep writes and reads columns as deep as Limits.Depth allows, in every format that nests.
func TestDeep(t *testing.T) {
	for kind, inside := range map[string]func(arrow.DataType) arrow.DataType{
		"lists": func(t arrow.DataType) arrow.DataType { return arrow.ListOf(t) },
		"structs": func(t arrow.DataType) arrow.DataType {
			return arrow.StructOf(arrow.Field{Name: "a", Type: t, Nullable: true})
		},
	} {
		rec := deepRecord(t, 128, inside)
		defer rec.Release()
		for _, name := range []string{"orc", "parquet", "ipc", "trevni", "jsonl"} {
			f, err := readers.OpenFile(context.Background(), writeTo(t, name, rec), readers.Options{Format: name})
			if err != nil {
				t.Errorf("%s of %s: %v", name, kind, err)
				continue
			}
			s, err := arrowio.Scan(context.Background(), f, arrowio.ScanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			rows := 0
			for s.Next() {
				col := s.Record().Column(0)
				for i := range col.Len() {
					want := rec.Column(0).ValueStr(rows)
					if got := col.ValueStr(i); name != "jsonl" && got != want {
						t.Errorf("%s of %s: row %d is %s, want %s", name, kind, rows, got, want)
					}
					rows++
				}
			}
			if s.Err() != nil || rows != 3 {
				t.Errorf("%s of %s: %d rows, %v", name, kind, rows, s.Err())
			}
			s.Release()
			_ = f.Close()
		}
	}
}

// noRows is a record without rows, and without the arrays that Arrow would make for it.
type noRows struct {
	arrow.Record
	schema *arrow.Schema
}

func (r noRows) Schema() *arrow.Schema { return r.schema }
func (r noRows) NumRows() int64        { return 0 }

// TestMapsWithinMaps: Arrow makes the arrays of maps within maps 2^n times, so that a small file could take all memory.
func TestMapsWithinMaps(t *testing.T) {
	typ := arrow.PrimitiveTypes.Int32
	for range 40 {
		m := arrow.MapOf(arrow.PrimitiveTypes.Int32, typ)
		m.SetItemNullable(true)
		typ = m
	}
	rec := noRows{schema: arrow.NewSchema([]arrow.Field{{Name: "x", Type: typ, Nullable: true}}, nil)}
	for _, name := range []string{"orc", "parquet"} {
		path := writeTo(t, name, rec)
		start := time.Now()
		r, err := readers.OpenFile(context.Background(), path, readers.Options{Format: name})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := arrowio.Scan(context.Background(), r, arrowio.ScanOptions{}); !errors.Is(err, errs.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
		_ = r.Close()
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s: %v", name, d)
		}
	}
}
