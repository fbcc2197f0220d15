//go:build interop

package parquet

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/readers/ipc"
)

// number returns what an environment variable says, else other.
func number(t *testing.T, name string, other int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return other
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Random tables that pyarrow wrote are read as pyarrow reads them, value for value.
func TestRandomTables(t *testing.T) {
	python := os.Getenv("ARROWIO_PYTHON")
	if python == "" {
		t.Fatal("ARROWIO_PYTHON is not set: make interop does")
	}
	count, first := number(t, "ARROWIO_PARQUET_SAMPLES", 40), number(t, "ARROWIO_PARQUET_SEED", 0)
	dir := t.TempDir()
	cmd := exec.Command(python, "../../testdata/interop/parquet_random.py", dir, strconv.Itoa(first), strconv.Itoa(count))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for seed := first; seed < first+count; seed++ {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			name := filepath.Join(dir, strconv.Itoa(seed))
			mem := checked(t)
			want := collect(t, ipc.Format(), name+".arrow", mem, 1<<20)
			defer want.Release()
			for _, batch := range []int{1 << 20, 7 + seed%90} {
				got := collect(t, Format(), name+".parquet", mem, batch)
				if err := conformance.ValidateRecord(got); err != nil {
					t.Errorf("batches of %d: %v", batch, err)
				}
				if err := same(want, got); err != nil {
					t.Errorf("batches of %d: %v\n%v", batch, err, got.Schema())
				}
				got.Release()
			}
			verifies(t, name+".parquet")
		})
	}
}

// same compares records, apart from metadata and the names of list items: where no Arrow schema is stored pyarrow has the
// names of the file for these.
func same(want, got arrow.Record) error {
	if want.NumCols() != got.NumCols() || want.NumRows() != got.NumRows() {
		return fmt.Errorf("%d columns and %d rows, want %d and %d", got.NumCols(), got.NumRows(), want.NumCols(), want.NumRows())
	}
	for i := range int(want.NumCols()) {
		w, g := want.Schema().Field(i), got.Schema().Field(i)
		if w.Name != g.Name || w.Nullable != g.Nullable {
			return fmt.Errorf("column %v, want %v", g, w)
		}
		a, b := unnamed(want.Column(i)), unnamed(got.Column(i))
		defer a.Release()
		defer b.Release()
		if err := conformance.EqualArrays(a, b); err != nil {
			return fmt.Errorf("column %s: %w", w.Name, err)
		}
	}
	return nil
}

func unnamed(a arrow.Array) arrow.Array {
	d := as(a.Data(), unnamedType(a.DataType()))
	defer d.Release()
	return array.MakeFromData(d)
}

// unnamedType returns a type with the same name for all list items.
func unnamedType(t arrow.DataType) arrow.DataType {
	item := func(f arrow.Field) arrow.Field {
		f.Name, f.Type = "item", unnamedType(f.Type)
		return f
	}
	switch t := t.(type) {
	case *arrow.StructType:
		fields := t.Fields()
		for i := range fields {
			fields[i].Type = unnamedType(fields[i].Type)
		}
		return arrow.StructOf(fields...)
	case *arrow.ListType:
		return arrow.ListOfField(item(t.ElemField()))
	case *arrow.LargeListType:
		return arrow.LargeListOfField(item(t.ElemField()))
	case *arrow.FixedSizeListType:
		return arrow.FixedSizeListOfField(t.Len(), item(t.ElemField()))
	case *arrow.MapType:
		m := arrow.MapOf(unnamedType(t.KeyType()), unnamedType(t.ItemType()))
		m.SetItemNullable(t.ItemField().Nullable)
		return m
	}
	return t
}

func collect(t *testing.T, format arrowio.Format, name string, mem memory.Allocator, batch int) arrow.Record {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := format.Open(context.Background(), local.NewBytesSource(b), arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rec, err := conformance.Collect(t, f, mem, batch)
	if err != nil {
		t.Fatal(err)
	}
	if rec == nil { // a file without rows
		b := array.NewRecordBuilder(mem, f.Schema())
		defer b.Release()
		return b.NewRecord()
	}
	return rec
}

// verifies wants Verify to find nothing, and Info to describe the file.
func verifies(t *testing.T, name string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Format().Open(context.Background(), local.NewBytesSource(b), arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Info(context.Background(), arrowio.InfoOptions{Blocks: true, Checksums: true}); err != nil {
		t.Errorf("info: %v", err)
	}
	if err := f.(arrowio.Verifier).Verify(context.Background(), func(err error) { t.Errorf("verify: %v", err) }); err != nil {
		t.Error(err)
	}
}

// Decimals of 32 and 64 bits of pyarrow are told, since they come back as those of 128 bits.
func TestNarrowDecimalsOfPyarrow(t *testing.T) {
	python := os.Getenv("ARROWIO_PYTHON")
	if python == "" {
		t.Fatal("ARROWIO_PYTHON is not set: make interop does")
	}
	path := filepath.Join(t.TempDir(), "narrow.parquet")
	const script = `
import sys, pyarrow as pa, pyarrow.parquet as pq
from decimal import Decimal
t = pa.table({"a": pa.array([Decimal("1.25"), None], pa.decimal32(7, 2)), "s": pa.array([{"b": Decimal("2.5")}, None], pa.struct([("b", pa.decimal64(17, 1))])), "w": pa.array([Decimal(1), Decimal(2)], pa.decimal128(7, 0))})
pq.write_table(t, sys.argv[1])
assert pq.read_table(sys.argv[1]).schema.field("a").type == pa.decimal32(7, 2)
`
	if out, err := exec.Command(python, "-c", script, path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Format().Open(t.Context(), local.NewBytesSource(b), arrowio.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := []arrowio.Loss{
		{Of: arrowio.LossOfColumn, Path: "a", Text: "decimal32(7, 2) is read as decimal128(7, 2)"},
		{Of: arrowio.LossOfColumn, Path: "s.b", Text: "decimal64(17, 1) is read as decimal128(17, 1)"},
	}
	if got := f.(*parquetFile).TypesLost(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
