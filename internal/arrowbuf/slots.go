package arrowbuf

import "github.com/arrowio/arrowio/internal/bitpack"

// Slots says which of the next N slots of an array have a value that is stored; the others are null.
type Slots struct {
	N, Count int    // slots, and how many of them have a value
	Present  []byte // a bit for each slot, in Arrow's order; nil = all have a value
	Off      int    // position of the first bit
}

// AllSlots returns n slots that all have a value.
func AllSlots(n int) Slots { return Slots{N: n, Count: n} }

// Spread moves the last s.Count values of dst, which has s.N, to the slots that they belong to. The other slots become
// zero.
func Spread[T Fixed](dst []T, s Slots) {
	if s.Present != nil {
		bitpack.Spread(dst, s.Present, s.Off)
	}
}
