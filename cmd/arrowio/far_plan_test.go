package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Plans of ORC say which unit brings back times that microseconds cannot hold; with it they come back, and without it they do not.
func TestPlanOfFarTimes(t *testing.T) {
	for _, c := range []struct {
		unit arrow.TimeUnit
		v    arrow.Timestamp
	}{{arrow.Millisecond, math.MinInt64}, {arrow.Millisecond, math.MaxInt64}, {arrow.Second, 1 << 60}} {
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in.arrow"), filepath.Join(dir, "out.orc")
		s := arrow.NewSchema([]arrow.Field{{Name: "x", Type: &arrow.TimestampType{Unit: c.unit}, Nullable: true}}, nil)
		b := array.NewRecordBuilder(memory.DefaultAllocator, s)
		b.Field(0).(*array.TimestampBuilder).Append(c.v)
		rec := b.NewRecord()
		b.Release()
		f, err := os.Create(in)
		if err != nil {
			t.Fatal(err)
		}
		w, err := ipc.NewFileWriter(f, ipc.WithSchema(s))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		rec.Release()
		flag := "--timestamp-unit=" + c.unit.String()
		if o := do(t, "convert", "--dry-run", in, out); !strings.Contains(o.out, "times beyond the years -290308 to 294247 need "+flag) {
			t.Errorf("%s: the plan is %s%s", c.unit, o.out, o.err)
		}
		ok(t, "convert", in, out)
		if o := do(t, "cat", out); o.code == 0 {
			t.Errorf("%s: without the option: %s", c.unit, o.out)
		}
		ok(t, "diff", flag, in, out)
	}
}
