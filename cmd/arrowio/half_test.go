package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Half floats below the least normal one keep their values, also where a format stores them as float32. The values are those of
// IEEE 754, in multiples of 2⁻²⁴.
func TestSmallHalfFloats(t *testing.T) {
	dir := t.TempDir()
	s := arrow.NewSchema([]arrow.Field{{Name: "h", Type: arrow.FixedWidthTypes.Float16}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for _, bits := range []uint16{0x0001, 0x8002, 0x03ff, 0x0400} {
		b.Field(0).(*array.Float16Builder).Append(float16.FromBits(bits))
	}
	rec := b.NewRecord()
	defer rec.Release()
	in := writeIPC(t, filepath.Join(dir, "in.arrow"), s, rec)

	const want = "h\n5.9604645e-08\n-1.1920929e-07\n6.097555e-05\n6.1035156e-05\n"
	paths := []string{in}
	for _, name := range []string{"o.parquet", "o.orc", "o.trv", "o.cfile", "o.csv", "o.jsonl"} {
		out := filepath.Join(dir, name)
		if o := do(t, "convert", in, out); o.code != 0 {
			t.Fatalf("%s: %s", name, o.err)
		}
		paths = append(paths, out)
	}
	for _, path := range paths {
		if o := do(t, "cat", "--format", "csv", path); o.code != 0 || o.out != want {
			t.Errorf("%s: got %+v, want\n%s", path, o, want)
		}
	}
	if got := ok(t, "inspect", filepath.Join(dir, "o.parquet")); !strings.Contains(got, "-1.1920929e-07 │ 6.1035156e-05") {
		t.Errorf("inspect: %s", got)
	}
	if got := ok(t, "cat", "--format", "csv", "--schema", "struct<h:double>", in); got != "h\n5.960464477539063e-08\n-1.1920928955078125e-07\n6.097555160522461e-05\n6.103515625e-05\n" {
		t.Errorf("as double: %s", got)
	}
}
