package arrowbuf

import (
	"bytes"
	"math/rand"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// What is kept of the last values moves together, and what came before stays.
func TestKeep(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	rng := rand.New(rand.NewSource(1))
	arena := &Arena{Allocator: mem}
	for round := range 400 {
		vec, bits, offsets, text := NewVec[int32](arena), NewBits(arena), NewOffsets(arena), NewVec[uint8](arena)
		var want []int32
		var wantBits []bool
		var wantText [][]byte
		for range 1 + rng.Intn(4) {
			n := rng.Intn(300)
			dst := vec.Grow(n)
			set, at := bits.Grow(n)
			var newBits []bool
			var newText [][]byte
			for i := range n {
				dst[i] = rng.Int31()
				newBits = append(newBits, rng.Intn(2) == 0)
				bitutil.SetBitTo(set, at+i, newBits[i])
				word := bytes.Repeat([]byte{byte(i)}, rng.Intn(4)*(round%3))
				newText = append(newText, word)
				copy(text.Grow(len(word)), word)
				offsets.Append(int32(text.Len()))
			}
			longest := []int{1, 5, 90}[rng.Intn(3)] // so that slots are listed or not
			var runs [][2]int
			for i := rng.Intn(3); i < n; {
				end := min(n, i+1+rng.Intn(longest))
				runs = append(runs, [2]int{i, end})
				i = end + 1 + rng.Intn(5)*rng.Intn(5)
			}
			values := slices.Clone(dst)
			left := 0
			for _, r := range runs {
				left += r[1] - r[0]
			}
			kept, _ := KeptRuns(runs, left, nil)
			vec.Keep(n, &kept)
			bits.Keep(n, &kept)
			offsets.Keep(n, &kept, &text)
			for _, r := range runs {
				want = append(want, values[r[0]:r[1]]...)
				wantBits = append(wantBits, newBits[r[0]:r[1]]...)
				wantText = append(wantText, newText[r[0]:r[1]]...)
			}
		}
		if !slices.Equal(vec.Values(), want) || vec.Len() != len(want) {
			t.Fatalf("round %d: values %v, want %v", round, vec.Values(), want)
		}
		if bits.Len() != len(wantBits) || offsets.Len() != len(wantText) || int(offsets.End()) != text.Len() {
			t.Fatalf("round %d: %d bits, %d texts, want %d", round, bits.Len(), offsets.Len(), len(want))
		}
		for i, b := range wantBits {
			if bitutil.BitIsSet(bits.Bytes(), i) != b {
				t.Fatalf("round %d: bit %d", round, i)
			}
		}
		o := offsets.Take()
		ends := arrow.Int32Traits.CastFromBytes(o.Bytes())
		for i, w := range wantText {
			if got := text.Values()[ends[i]:ends[i+1]]; !bytes.Equal(got, w) {
				t.Fatalf("round %d: text %d is %v, want %v", round, i, got, w)
			}
		}
		o.Release()
		vec.Release()
		bits.Release()
		text.Release()
	}
}
