package cfile

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// What is left of a damaged column: the blocks that cannot be decoded are found, and their rows are null, of columns
// without nulls too; all others are as they were.
func TestSalvage(t *testing.T) {
	n := 0
	variants(650, func(k int, name string, f *built) {
		if k%4 != 1 || f.plainSums {
			return
		}
		n++
		f.perBlock = 60 + n%50
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewSource(int64(k)))
			b := f.build(t)
			var want arrowio.RowSet
			for i, p := range f.data {
				if r.Intn(3) > 0 && i != k%3 {
					continue
				}
				b[p.Off+r.Int63n(int64(p.Size))] ^= 1 << r.Intn(8)
				from := int64(i * f.perBlock)
				want = want.Add(arrowio.RowRange{Start: from, End: min(from+int64(f.perBlock), 650)})
			}
			file, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, Options{Int128Binary: f.typ == cfilewire.Int128})
			if err != nil {
				t.Fatal(err)
			}
			field := file.Schema().Field(0)
			reported := 0
			got, err := file.Damage(context.Background(), field, func(r arrowio.RowRange, err error) {
				reported++
				checkError(t, err)
				if want.Clip(r).Len() != r.Len() {
					t.Errorf("rows %v are well: %v", r, err)
				}
			})
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) || reported == 0 {
				t.Fatalf("lost %v, want %v: %v", got, want, err)
			}
			for i := range want { // no row of a lost block is one of the file's any more
				for row := want[i].Start; row < want[i].End; row++ {
					if f.arrays != nil {
						f.arrays[row] = nil
					} else {
						f.rows[row] = nil
					}
				}
			}
			field.Nullable = true
			checkSalvaged(t, r, file, f, field, want)
		})
	})
}

// checkSalvaged reads a column of which rows are lost in steps of any size.
func checkSalvaged(t *testing.T, r *rand.Rand, file *File, f *built, field arrow.Field, lost arrowio.RowSet) {
	t.Helper()
	want := expected(t, field, f)
	defer want.Release()
	for range 4 {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		c, err := file.NewColumn(context.Background(), ColumnOptions{
			Field: field, Rows: arrowio.RowSet{{End: 650}}, Mem: &arrowbuf.Arena{Allocator: mem}, Lost: lost, Window: int64(r.Intn(2000)),
		})
		if err != nil {
			t.Fatal(err)
		}
		for row := 0; row < 650; {
			n := 1 + r.Intn(650-row)
			if r.Intn(2) == 0 {
				n = min(n, 1+r.Intn(40))
			}
			if r.Intn(4) == 0 {
				c.Skip(int64(n))
				row += n
				continue
			}
			first := 0
			if r.Intn(2) == 0 {
				if first = c.Fit(n, int64(r.Intn(500))); first < 1 || first > n {
					t.Fatalf("of %d rows %d fit", n, first)
				}
			}
			if err := errors.Join(c.Read(first), c.Read(n-first)); err != nil {
				t.Fatalf("rows from %d: %v", row, err)
			}
			d := c.Take()
			a := array.MakeFromData(d)
			d.Release()
			part := array.NewSlice(want.Column(0), int64(row), int64(row+n))
			if err := errors.Join(conformance.Validate(a), conformance.EqualArrays(part, a)); err != nil {
				t.Errorf("rows %d to %d: %v", row, row+n, err)
			}
			part.Release()
			a.Release()
			row += n
		}
		c.Release()
		mem.AssertSize(t, 0)
	}
}

// A file whose index cannot be read has no rows to save.
func TestSalvageNothing(t *testing.T) {
	f := &built{typ: cfilewire.Int32, encoding: cfilewire.EncodingPlain, rows: cellsOf(rand.New(rand.NewSource(1)), cfilewire.Int32, 300, nil)}
	b := f.build(t)
	b[f.pos[0].Off] ^= 1
	r, err := OpenReader(context.Background(), local.NewBytesSource(b), arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	field := arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32}
	_, err = r.Damage(context.Background(), field, func(arrowio.RowRange, error) { t.Error("a block is named") })
	if !errors.Is(err, errs.ErrCorrupt) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	sound, err := OpenReader(context.Background(), local.NewBytesSource(f.build(t)), arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = sound.Damage(ctx, field, func(arrowio.RowRange, error) {}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
