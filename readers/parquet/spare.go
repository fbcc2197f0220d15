package parquet

import "sync"

// spares are buffers of bytes of columns that are released, for those that are opened next: each row group opens its columns anew.
var spares sync.Pool // *[]byte

// Buffers of other sizes are not worth to be kept, or too large to.
const (
	leastSpare = 32 << 10
	mostSpare  = 4 << 20
)

// newBytes returns a buffer of n bytes, with what a buffer has that was used before.
func newBytes(n int) []byte {
	if n >= leastSpare && n <= mostSpare {
		if b, _ := spares.Get().(*[]byte); b != nil && cap(*b) >= n {
			return (*b)[:n]
		}
	}
	return make([]byte, n)
}

// spare takes a buffer that nothing refers to any more.
func spare(b *[]byte) {
	if n := cap(*b); n >= leastSpare && n <= mostSpare {
		s := (*b)[:0]
		spares.Put(&s)
	}
	*b = nil
}
