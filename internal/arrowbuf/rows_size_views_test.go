package arrowbuf_test

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// viewsOf makes n list views of from, each of k elements at the places that at tells.
func viewsOf(from arrow.ArrayData, n int, at func(i int) int32, k int32) arrow.ArrayData {
	offsets, sizes := make([]int32, n), make([]int32, n)
	for i := range n {
		offsets[i], sizes[i] = at(i), k
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(sizes))}
	return array.NewData(arrow.ListViewOf(from.DataType()), n, buffers, []arrow.ArrayData{from}, 0, 0)
}

// Views of any type count what they show, slice by slice: to the byte, and views of views too.
func TestSizeOfViews(t *testing.T) {
	mem := memory.NewGoAllocator()
	g := &conformance.Generator{Rand: rand.New(rand.NewSource(8)), Mem: mem, Nulls: 0.3}
	for _, dt := range conformance.Types() {
		arr := g.Array(dt, 60)
		if holdsDictionary(arr.Data()) || strings.Contains(dt.String(), "dense_union") {
			continue // a dictionary is counted once; of a union what is used
		}
		at := func(i int) int32 { return int32(i*7) % 50 }
		views := viewsOf(arr.Data(), 30, at, 9)
		inner := func(i int) (size int64) {
			s := array.NewSlice(arr, int64(at(i)), int64(at(i))+9)
			defer s.Release()
			return arrowbuf.Size(s)
		}
		want := int64(30 * 8)
		for i := range 30 {
			want += inner(i)
		}
		if got := arrowbuf.Size(array.MakeFromData(views)); got != want {
			t.Errorf("views of %s: %d, want %d", dt, got, want)
		}
		of := func(i int) int32 { return int32(i) }
		want = 20 * 8
		for i := range 20 {
			for k := range 5 {
				want += 8 + inner(i+k)
			}
		}
		if got := arrowbuf.Size(array.MakeFromData(viewsOf(views, 20, of, 5))); got != want {
			t.Errorf("views of views of %s: %d, want %d", dt, got, want)
		}
	}
}

// Views that each show all of what is below, in many layers, dictionaries between them or not: far more than there is, and
// told at once.
func TestSizeOfViewsBomb(t *testing.T) {
	const n, layers = 1000, 40
	numbers := make([]int32, n)
	for i := range numbers {
		numbers[i] = int32(i)
	}
	index := array.NewData(arrow.PrimitiveTypes.Int32, n, []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(numbers))}, nil, 0, 0)
	var flat arrow.ArrayData = index
	all := func(int) int32 { return 0 }
	bomb := flat
	for range layers {
		bomb = viewsOf(bomb, n, all, n)
	}
	if got := arrowbuf.Size(array.MakeFromData(bomb)); got != 1<<50 {
		t.Errorf("%d", got)
	}
	// Each layer is a dictionary of views, each of one entry of the next: nothing to look at, but there are many.
	words := flat
	for range layers {
		dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: words.DataType()}
		keys := array.NewDataWithDictionary(dt, n, index.Buffers(), 0, 0, words.(*array.Data))
		words = viewsOf(keys, n, func(i int) int32 { return int32(i) }, 1)
	}
	want := int64(layers*n*(8+4) + n*4)
	if got := arrowbuf.Size(array.MakeFromData(words)); got != want {
		t.Errorf("%d bytes, want %d: every dictionary once", got, want)
	}
}
