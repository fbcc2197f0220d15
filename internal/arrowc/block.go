package arrowc

// #include <stdlib.h>
// #include "arrowc.h"
import "C"

import (
	"unsafe"
)

const pointerSize = int(unsafe.Sizeof(uintptr(0)))

// block is C memory that is handed out piece by piece, from one calloc.
type block struct {
	base unsafe.Pointer
	next int
	size int
}

// newBlock returns a block whose first piece is the arrowc_shared.
func newBlock(size int) (block, *C.struct_arrowc_shared) {
	size += int(unsafe.Sizeof(C.struct_arrowc_shared{}))
	b := block{base: C.calloc(1, C.size_t(size)), size: size}
	if b.base == nil {
		panic(ErrNoMemory)
	}
	return b, (*C.struct_arrowc_shared)(b.take(int(unsafe.Sizeof(C.struct_arrowc_shared{}))))
}

// take returns the next n bytes, which are zero.
func (b *block) take(n int) unsafe.Pointer {
	if n > b.size-b.next {
		panic("arrowc: a block was counted too small")
	}
	p := unsafe.Add(b.base, b.next)
	b.next += n
	return p
}

// text stores s with a zero behind it.
func (b *block) text(s string) *C.char {
	p := b.take(len(s) + 1)
	copy(unsafe.Slice((*byte)(p), len(s)), s)
	return (*C.char)(p)
}
