package trevni

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowdense"
)

// presence are the values of an array that are no nulls, without gaps, and where they stood.
type presence struct {
	arr  arrow.Array // the caller releases it
	offs []int32     // prefix sums: slot i has offs[i+1]-offs[i] values, 0 or 1; nil = all slots have one
}

// missing returns the first slot without a value; there is one.
func (p presence) missing() int {
	for i := 1; i < len(p.offs); i++ {
		if p.offs[i] == p.offs[i-1] {
			return i - 1
		}
	}
	return -1
}

// present returns the values of arr that are there. The offsets are valid until the next call.
func (f *field) present(arr arrow.Array) (presence, error) {
	v, err := f.find.Values(arr)
	if err != nil || v.Valid == nil {
		return presence{arr: v.Array}, err
	}
	f.there.offs = v.Sums(f.there.offs)
	return presence{v.Array, f.there.offs}, nil
}

// lengths returns the prefix sums of p, those of all ones where nothing is missing.
func (f *field) lengths(p presence) []int32 {
	if p.offs == nil {
		f.there.offs = arrowdense.Values{N: p.arr.Len()}.Sums(f.there.offs)
		return f.there.offs
	}
	return p.offs
}
