package expr_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/expr"
)

func boolArray(mem memory.Allocator, s string) *array.Boolean {
	b := array.NewBooleanBuilder(mem)
	defer b.Release()
	for _, c := range s {
		switch c {
		case '-':
			b.AppendNull()
		default:
			b.Append(c == 't')
		}
	}
	return b.NewBooleanArray()
}

func TestRuns(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		n := rnd.IntN(300)
		s := make([]byte, n)
		long := 1 + rnd.IntN(100)
		for i := range s {
			if i > 0 && rnd.IntN(long) != 0 {
				s[i] = s[i-1]
			} else {
				s[i] = "tf-"[rnd.IntN(3)]
			}
		}
		whole := boolArray(mem, string(s))
		lo := 0
		if round%2 == 1 && n > 0 {
			lo = rnd.IntN(n)
		}
		hi := lo + rnd.IntN(n-lo+1)
		m := array.NewSlice(whole, int64(lo), int64(hi)).(*array.Boolean)
		got := make([]byte, hi-lo)
		for i := range got {
			got[i] = '.'
		}
		last, rows := int64(-1), int64(0)
		listed := [][2]int64{{-2, -1}}
		for start, end := range expr.Runs(m) {
			if start <= last || end <= start {
				t.Fatalf("run [%d, %d) after %d", start, end, last)
			}
			last = end
			rows += end - start
			listed = append(listed, [2]int64{start, end})
			for i := start; i < end; i++ {
				got[i] = 't'
			}
		}
		for i := range got {
			if (got[i] == 't') != (s[lo+i] == 't') {
				t.Fatalf("%s: runs say %s", s[lo:hi], got)
			}
		}
		if appended := expr.AppendRuns(listed[:1:1], m); !slices.Equal(appended, listed) {
			t.Fatalf("%s: %v appended, want %v", s[lo:hi], appended, listed)
		}
		for range expr.Runs(m) { // stopping early is allowed
			break
		}
		m.Release()
		whole.Release()
	}
}

func BenchmarkRuns(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name string
		of   func(i int) bool
	}{
		{"all", func(int) bool { return true }},
		{"runs=100", func(i int) bool { return i/100%2 == 0 }},
		{"single", func(i int) bool { return i%2 == 0 }},
		{"half", func(int) bool { return rnd.IntN(2) == 0 }},
	} {
		bld := array.NewBooleanBuilder(memory.DefaultAllocator)
		for i := range 65536 {
			bld.Append(c.of(i))
		}
		m := bld.NewBooleanArray()
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(65536 / 8)
			b.ReportAllocs()
			for b.Loop() {
				rows := int64(0)
				for start, end := range expr.Runs(m) {
					rows += end - start
				}
			}
		})
		b.Run(c.name+"/append", func(b *testing.B) {
			b.SetBytes(65536 / 8)
			b.ReportAllocs()
			var runs [][2]int64
			for b.Loop() {
				runs = expr.AppendRuns(runs[:0], m)
			}
		})
	}
}
