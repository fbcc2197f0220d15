package arrowc

// #include "arrowc.h"
import "C"

import (
	"math"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// maxLength bounds lengths and offsets, so that sizes of buffers do not overflow.
const maxLength = math.MaxInt64 / 128

// checkArray compares the shape of an array with its type before v15 follows its pointers: counts of buffers and
// children, lengths, and buffers that are missing. Buffers of no bytes may be NULL, which v15 does not take for offsets:
// they are replaced.
func checkArray(a *C.struct_ArrowArray, t arrow.DataType, depth int) error {
	bad := func(text string) error { return errs.Errorf(errs.ErrSchema, "an array of %s %s", t, text) }
	if a == nil || a.release == nil {
		return bad("is missing or was released")
	}
	if depth > maxDepth || a.length < 0 || a.offset < 0 || a.length > maxLength || a.offset > maxLength || a.null_count < -1 || a.null_count > a.length {
		return bad("has lengths that cannot be")
	}
	want, validity, views := bufferCount(t)
	got := int(a.n_buffers)
	legacy := !validity && t.ID() != arrow.RUN_END_ENCODED && got == want+1 // old producers have a place for the validity of unions and nulls
	if !legacy && (got != want && !views || views && (got < want || a.n_buffers > 1<<20)) || got > 0 && a.buffers == nil {
		return bad("has not as many buffers as its type")
	}
	if got > 0 {
		if err := checkBuffers(a, t, validity, views); err != "" {
			return bad(err)
		}
	}
	children := childTypes(t)
	if int(a.n_children) != len(children) || len(children) > 0 && a.children == nil {
		return bad("has not as many children as its type")
	}
	if len(children) > 0 {
		for i, c := range unsafe.Slice(a.children, len(children)) {
			if err := checkArray(c, children[i], depth+1); err != nil {
				return err
			}
		}
	}
	d, ok := t.(*arrow.DictionaryType)
	if ok != (a.dictionary != nil) {
		return bad("has a dictionary where it should not, or none where it should")
	}
	if ok {
		return checkArray(a.dictionary, d.ValueType, depth+1)
	}
	return nil
}

// checkBuffers says what is wrong with the pointers of a; "" = nothing.
func checkBuffers(a *C.struct_ArrowArray, t arrow.DataType, validity, views bool) string {
	pointers := unsafe.Slice(a.buffers, a.n_buffers)
	for i, p := range pointers {
		if p != nil {
			continue
		}
		switch {
		case t.ID() == arrow.NULL:
		case i == 0 && validity:
			if a.null_count > 0 {
				return "has nulls and no validity"
			}
		case views && i > 1: // data buffers of no bytes, and their sizes where there are none
			if i == len(pointers)-1 && len(pointers) > 3 {
				return "has views without the sizes of their buffers"
			}
		case i == 1 && a.length+a.offset == 0 && hasOffsets(t):
			pointers[i] = unsafe.Pointer(&C.arrowc_zeroes)
		case i == 2 && hasOffsets(t): // the bytes of strings that are all empty
		case i == 0 && legacyPlace(a, t): // the place of a validity that is never there
		case a.length+a.offset > 0 && !(t.ID() == arrow.FIXED_SIZE_BINARY && t.(*arrow.FixedSizeBinaryType).ByteWidth == 0):
			return "has a buffer that is missing"
		}
	}
	return ""
}

// legacyPlace tells whether a is a union of an old producer, whose first buffer would be its validity.
func legacyPlace(a *C.struct_ArrowArray, t arrow.DataType) bool {
	return t.ID() == arrow.SPARSE_UNION && a.n_buffers == 2 || t.ID() == arrow.DENSE_UNION && a.n_buffers == 3
}

func hasOffsets(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.LIST, arrow.LARGE_LIST, arrow.MAP:
		return true
	}
	return false
}

// bufferCount returns how many buffers an array of a type has, at least where they are views, and whether the first is
// its validity.
func bufferCount(t arrow.DataType) (n int, validity, views bool) {
	switch t.ID() {
	case arrow.NULL, arrow.RUN_END_ENCODED:
		return 0, false, false
	case arrow.STRUCT, arrow.FIXED_SIZE_LIST:
		return 1, true, false
	case arrow.SPARSE_UNION:
		return 1, false, false
	case arrow.DENSE_UNION:
		return 2, false, false
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW:
		return 3, true, false
	case arrow.STRING_VIEW, arrow.BINARY_VIEW:
		return 3, true, true
	}
	return 2, true, false
}

// childTypes returns the types of the children that an array of a type has.
func childTypes(t arrow.DataType) []arrow.DataType {
	switch t := t.(type) {
	case *arrow.MapType:
		return []arrow.DataType{t.Elem()}
	case *arrow.RunEndEncodedType:
		return []arrow.DataType{t.RunEnds(), t.Encoded()}
	case arrow.NestedType:
		var out []arrow.DataType
		for _, f := range t.Fields() {
			out = append(out, f.Type)
		}
		return out
	}
	return nil
}
