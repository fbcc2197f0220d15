package arrowbuf

import (
	"math/bits"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Fixed lists the element types of fixed-width Arrow buffers.
type Fixed interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64 | ~[16]byte | ~[32]byte | ~[2]uint64 | ~[4]uint64
}

// Arena is where the buffers of the batch being built get their memory. The zero value with an Allocator is ready; it is not copied once
// it is used.
type Arena struct {
	memory.Allocator
	// Ahead is how many times as much as a buffer is first asked for the batch is likely to need: the first part of a
	// batch tells. 0 is 1. It saves growing, which copies.
	Ahead float64
	// Alone says that one goroutine at a time uses the arena. Then what describes its buffers and arrays is allocated several at a time.
	Alone bool

	slabs slabs
}

// aheadBytes bounds what is taken because of Arena.Ahead: it is a guess from one part of the data.
const aheadBytes = 2 << 20

// Vec is a growing Arrow buffer of fixed-width values. It owns its memory until Take or Release.
type Vec[T Fixed] struct {
	mem *Arena
	buf *memory.Buffer
	all []T // the whole buffer; the slack is its capacity
	n   int

	last int // values handed over last: the next buffer starts with room for about as many
}

// NewVec returns an empty vector with memory from mem.
func NewVec[T Fixed](mem *Arena) Vec[T] { return Vec[T]{mem: mem} }

// Len returns the number of values.
func (v *Vec[T]) Len() int { return v.n }

// Values returns the values so far; valid until the next Grow.
func (v *Vec[T]) Values() []T { return v.all[:v.n] }

// Grow appends k values of arbitrary content and returns them. At least Slack bytes behind them may be written.
func (v *Vec[T]) Grow(k int) []T {
	if k > len(v.all)-v.n {
		v.reserve(v.n + k)
	}
	v.n += k
	return v.all[v.n-k : v.n]
}

// Shrink gives the last k values back.
func (v *Vec[T]) Shrink(k int) { v.n -= k }

// Keep keeps of the last n values those that stay, and moves them together.
func (v *Vec[T]) Keep(n int, kept *Kept) {
	Keep(v.all[v.n-n:v.n], kept)
	v.n += kept.N - n
}

// shortRun is how many values are copied at once where a run has that many or fewer: a branch on their number would often be
// predicted wrongly, and a call of memmove costs more.
const shortRun = 4

// Tail returns room for at least k more values without appending them; Extend appends.
func (v *Vec[T]) Tail(k int) []T {
	if k > len(v.all)-v.n {
		v.reserve(v.n + k)
	}
	return v.all[v.n:]
}

// Room returns the whole buffer: the values so far and what else there is room for.
func (v *Vec[T]) Room() []T { return v.all }

// Extend appends k values that were written to Tail or Room.
func (v *Vec[T]) Extend(k int) { v.n += k }

func (v *Vec[T]) reserve(n int) {
	var z T
	w := int(unsafe.Sizeof(z))
	n = max(n, 2*len(v.all))
	if v.buf == nil {
		n = max(n, aheadOf(v.last*w)/w, int(min(float64(n)*(v.mem.Ahead+1), float64(aheadBytes/w))))
		v.buf = v.mem.buffer()
	}
	v.buf.ResizeNoShrink(n*w + Slack)
	b := v.buf.Buf()
	v.all = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/w)[:(len(b)-Slack)/w]
}

// aheadOf returns the bytes that a buffer starts with after one of n bytes: a little more, but not so little more that a
// Pool takes a block twice the size for it. Most buffers are as large as the one before, and where rows are held the rest
// of their blocks is held too.
func aheadOf(n int) int {
	if more := n + n/32; n > 0 && bits.Len(uint(more-1)) == bits.Len(uint(n-1)) {
		return more
	}
	return n
}

// Take hands over the buffer, its length set and its padding cleared; nil when there never was a value.
func (v *Vec[T]) Take() *memory.Buffer {
	b := v.buf
	if b != nil {
		var z T
		n := v.n * int(unsafe.Sizeof(z))
		b.ResizeNoShrink(n)
		clear(b.Buf()[n:min(len(b.Buf()), (n+63)&^63)])
	}
	v.buf, v.all, v.n, v.last = nil, nil, 0, v.n
	return b
}

// Release frees the memory and empties v.
func (v *Vec[T]) Release() {
	if v.buf != nil {
		v.buf.Release()
	}
	v.buf, v.all, v.n = nil, nil, 0
}

// AsBytes views fixed-width values as the bytes they are stored in.
func AsBytes[T Fixed](v []T) []byte {
	var z T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(z)))
}

// Words views decimals of 128 bits as their words, low and high.
func Words(v [][2]uint64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(v))), 2*len(v))
}
