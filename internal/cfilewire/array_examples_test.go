package cfilewire_test

import (
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// TestArrayExamples: the examples of the design document ("Examples of Array Data Block Layout").
func TestArrayExamples(t *testing.T) {
	none := []int(nil)
	for name, c := range map[string]struct {
		elements []byte // 1 = not null
		lengths  []uint16
		arrays   []byte
		values   []uint32
		want     [][]int // -1 = null
	}{
		"A": {
			[]byte{1, 1, 1, 1, 1, 1, 1, 1, 0, 1},
			[]uint16{2, 0, 0, 2, 4, 1, 1},
			[]byte{1, 1, 0, 1, 1, 1, 1},
			[]uint32{1, 2, 3, 4, 5, 6, 7, 8, 9},
			[][]int{{1, 2}, {}, none, {3, 4}, {5, 6, 7, 8}, {-1}, {9}},
		},
		"B": {[]byte{0, 1, 1}, []uint16{1, 0, 0, 2}, []byte{1, 0, 1, 1}, []uint32{4, 2}, [][]int{{-1}, none, {}, {4, 2}}},
		"C": {
			[]byte{1, 1, 0, 1, 1, 1, 1, 1, 0, 1},
			[]uint16{10},
			[]byte{1},
			[]uint32{2, 3, 6, 8, 5, 3, 1, 0},
			[][]int{{2, 3, -1, 6, 8, 5, 3, 1, -1, 0}},
		},
	} {
		arrays := make([][]*uint32, len(c.want))
		for i, a := range c.want {
			if a != nil {
				arrays[i] = []*uint32{}
			}
			for _, v := range a {
				x := uint32(v)
				if arrays[i] = append(arrays[i], &x); v < 0 {
					arrays[i][len(arrays[i])-1] = nil
				}
			}
		}
		a, err := cfilewire.ParseArrays(encodeArrays(0, arrays))
		if err != nil || int(a.Elements) != len(c.elements) || int(a.Count) != len(c.lengths) {
			t.Fatalf("%s: %+v, %v", name, a, err)
		}
		bits := func(stream []byte, want []byte) {
			var in cfilewire.RLEBits
			got := make([]byte, 2)
			in.OpenStream(stream, len(want))
			if err := in.Next(got, 0, len(want)); err != nil {
				t.Fatal(name, err)
			}
			for i, w := range want {
				if bitpack.CountBits(got, i, 1) != int(w) {
					t.Errorf("%s: bits %08b, want %v", name, got, want)
				}
			}
		}
		bits(a.ElementValid, c.elements)
		bits(a.ArrayValid, c.arrays)
		var lengths cfilewire.RLE[uint16]
		lengths.OpenStream(a.Lengths, len(c.lengths))
		n := make([]uint16, len(c.lengths))
		if err := lengths.Next(n); err != nil || !slices.Equal(n, c.lengths) {
			t.Errorf("%s: numbers of elements %v, want %v; %v", name, n, c.lengths, err)
		}
		var values cfilewire.PlainFixed
		raw := make([]byte, 4*len(c.values))
		if h, err := values.Open(a.Values, 4); err != nil || int(h.Count) != len(c.values) || values.Next(raw) != nil || !slices.Equal(raw, le32(nil, c.values...)) {
			t.Errorf("%s: values % x, want %v; %v", name, raw, c.values, err)
		}
	}
}
