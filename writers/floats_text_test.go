package writers_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/internal/halffloat"
	"github.com/arrowio/arrowio/readers"
	"github.com/arrowio/arrowio/writers"
)

// The text of a float32 has the fewest digits that mean it among float32s. Without a schema it comes back as the float64 of these digits,
// which the plan says; with a schema that has float32 it comes back as it was.
func TestFloat32InText(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float32, Nullable: true}}, nil)
	values := []float32{0.1, 16777216, 3.4028235e38, 1e-45, 1.17549435e-38, 8388608.5, 0, float32(math.Copysign(0, -1)), float32(math.Inf(-1)), 4.2038954e-45}
	random := rand.New(rand.NewPCG(1, 2))
	for len(values) < 5000 {
		if v := math.Float32frombits(random.Uint32()); v == v {
			values = append(values, v)
		}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	b.Field(0).(*array.Float32Builder).AppendValues(values, nil)
	rec := b.NewRecord()
	defer rec.Release()
	for _, format := range []string{"csv", "jsonl"} {
		plan, err := must(writers.Lookup(format)).Plan(s, arrowio.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, said := range []string{"comes back as float64", "the digits", "0.1 as the float64 0.1", "schema"} {
			if !strings.Contains(plan.Columns[0].Loss, said) {
				t.Errorf("%s: the plan does not say %q: %s", format, said, plan.Columns[0].Loss)
			}
		}
		plain, typed := throughText(t, format, rec, readers.Options{}).(*array.Float64), throughText(t, format, rec, readers.Options{Schema: s}).(*array.Float32)
		for i, v := range values {
			digits, err := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
			if err != nil {
				t.Fatal(err)
			}
			if math.Float64bits(plain.Value(i)) != math.Float64bits(digits) {
				t.Errorf("%s: %v comes back as %v, want %v", format, v, plain.Value(i), digits)
			}
			if math.Float32bits(typed.Value(i)) != math.Float32bits(v) {
				t.Errorf("%s: %v comes back as %v under a schema", format, v, typed.Value(i))
			}
		}
		plain.Release()
		typed.Release()
	}
}

// throughText returns the column of a record that was written as text and read again.
func throughText(t *testing.T, format string, rec arrow.Record, o readers.Options) arrow.Array {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x."+format)
	w, err := writers.Create(t.Context(), path, rec.Schema(), writers.Options{})
	if err == nil {
		err = errors.Join(w.Write(rec), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	d, err := readers.OpenDataset(t.Context(), []string{path}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	rows, err := d.Scan(t.Context(), arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	if !rows.Next() || rows.Record().NumRows() != rec.NumRows() {
		t.Fatalf("%s: not all rows: %v", format, rows.Err())
	}
	c := rows.Record().Column(0)
	c.Retain()
	return c
}

// The number of a float16 comes back under a schema that has float32.
func TestFloat16InText(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.FixedWidthTypes.Float16, Nullable: true}}, nil)
	single := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float32, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for i := range 1 << 16 {
		if i&0x7c00 != 0x7c00 { // neither infinite nor a NaN
			b.Field(0).(*array.Float16Builder).Append(float16.FromBits(uint16(i)))
		}
	}
	rec := b.NewRecord()
	defer rec.Release()
	for _, format := range []string{"csv", "jsonl"} {
		back := throughText(t, format, rec, readers.Options{Schema: single}).(*array.Float32)
		for i, want := range rec.Column(0).(*array.Float16).Values() {
			if back.Value(i) != halffloat.Float32(want) {
				t.Errorf("%s: %v comes back as %v", format, want, back.Value(i))
			}
		}
		back.Release()
	}
}

// What is lost of the values of a dictionary or of runs is in the plan beside that the dictionary is.
func TestDictionariesInText(t *testing.T) {
	for _, format := range []string{"csv", "jsonl"} {
		for _, typ := range []arrow.DataType{
			&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.PrimitiveTypes.Float32},
			arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Float32),
			conformance.LabelOf(arrow.PrimitiveTypes.Float32),
		} {
			s := arrow.NewSchema([]arrow.Field{{Name: "x", Type: typ, Nullable: true}}, nil)
			plan, err := must(writers.Lookup(format)).Plan(s, arrowio.WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if l := plan.Columns[0].Loss; !strings.Contains(l, "without its ") || !strings.Contains(l, "comes back as float64") {
				t.Errorf("%s: %s: %q", format, typ, l)
			}
		}
	}
}
