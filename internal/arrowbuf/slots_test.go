package arrowbuf_test

import (
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

func TestSpread(t *testing.T) {
	dst := []int32{9, 9, 1, 2, 3}
	arrowbuf.Spread(dst, arrowbuf.Slots{N: 5, Count: 3, Present: []byte{0b0110_1000}, Off: 2}) // slots 1, 3 and 4
	if want := []int32{0, 1, 0, 2, 3}; !slices.Equal(dst, want) {
		t.Errorf("%v, want %v", dst, want)
	}
	arrowbuf.Spread(dst, arrowbuf.AllSlots(5))
	if want := []int32{0, 1, 0, 2, 3}; !slices.Equal(dst, want) {
		t.Errorf("all present: %v, want %v", dst, want)
	}
}
