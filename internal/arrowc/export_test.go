//go:build cgo

package arrowc

import (
	"testing"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/cdata"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// cleanMemory is Memory as arrow's own builders need it.
func cleanMemory() memory.Allocator { return arrowbuf.Clean(pool) }

// cArray is a struct ArrowArray: files of tests have no C.
type cArray struct {
	length, nulls, offset, buffers, children int64
	bufferList                               unsafe.Pointer
	childList                                **cArray
	dictionary                               *cArray
	release, private                         uintptr
}

// moveChildren exports rec, whose reference it takes, moves a child away, releases the rest, and reads the child.
func moveChildren(t *testing.T, rec arrow.Record) {
	t.Helper()
	var root, child cArray
	exportRecord(rec, unsafe.Pointer(&root))
	first := *root.childList
	child = *first
	first.release = 0
	cdata.ReleaseCArrowArray((*cdata.CArrowArray)(unsafe.Pointer(&root)))
	rec.Release()
	a, err := cdata.ImportCArrayWithType((*cdata.CArrowArray)(unsafe.Pointer(&child)), rec.Schema().Field(0).Type)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Release()
	if got := a.(*array.Int64).Value(8); got != 8 {
		t.Errorf("%d", got)
	}
}
