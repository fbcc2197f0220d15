package conformance

import (
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// offsets checks an offsets buffer over a child or data buffer of limit elements.
func offsets[O int32 | int64](v validator, d arrow.ArrayData, width int, limit int64) error {
	b := raw(d, 1)
	if d.Len() == 0 && len(b) == 0 {
		return nil
	}
	if need := (int64(end(d)) + 1) * int64(width); int64(len(b)) < need {
		return v.errorf("offsets of %d bytes, %d rows need %d", len(b), end(d), need)
	}
	o := arrow.GetData[O](b)
	if o[0] != 0 {
		return v.errorf("offsets start at %d", o[0])
	}
	o = o[:end(d)+1]
	for i := 1; i < len(o); i++ {
		if o[i] < o[i-1] {
			return v.errorf("offset %d is %d after %d", i, o[i], o[i-1])
		}
	}
	if last := int64(o[len(o)-1]); last > limit {
		return v.errorf("offsets end at %d of %d", last, limit)
	}
	return nil
}

func (v validator) binary32(d arrow.ArrayData, text bool) error {
	if err := offsets[int32](v, d, 4, int64(len(raw(d, 2)))); err != nil || !text || d.Len() == 0 {
		return err
	}
	return texts(v, d, int32s(d, 1)[:d.Len()+1])
}

func (v validator) binary64(d arrow.ArrayData, text bool) error {
	if err := offsets[int64](v, d, 8, int64(len(raw(d, 2)))); err != nil || !text || d.Len() == 0 {
		return err
	}
	return texts(v, d, int64s(d, 1)[:d.Len()+1])
}

// texts checks that strings are UTF-8, null slots excepted.
func texts[O int32 | int64](v validator, d arrow.ArrayData, o []O) error {
	data := raw(d, 2)
	for i := range d.Len() {
		if !isNull(d, i) {
			if err := v.text(i, data[o[i]:o[i+1]]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v validator) text(i int, b []byte) error {
	if !utf8.Valid(b) {
		return v.errorf("row %d is not UTF-8: %.60q", i, b)
	}
	return nil
}

// list checks lists, large lists and maps, and their elements.
func (v validator) list(d arrow.ArrayData) error {
	child := d.Children()[0]
	limit := int64(child.Len())
	var err error
	if arrowtype.Storage(d.DataType()).ID() == arrow.LARGE_LIST {
		err = offsets[int64](v, d, 8, limit)
	} else {
		err = offsets[int32](v, d, 4, limit)
	}
	if err != nil {
		return err
	}
	if arrowtype.Storage(d.DataType()).ID() == arrow.MAP {
		for i := range child.Len() {
			if isNull(child, i) {
				return v.errorf("entry %d is null", i)
			}
			if isNull(child.Children()[0], child.Offset()+i) {
				return v.errorf("key %d is null", i)
			}
		}
	}
	return v.children(d)
}

// listView checks that every view lies inside the child.
func (v validator) listView(d arrow.ArrayData) error {
	width := int64(4)
	if arrowtype.Storage(d.DataType()).ID() == arrow.LARGE_LIST_VIEW {
		width = 8
	}
	for b := 1; b <= 2; b++ {
		if err := v.size(d, b, width*int64(end(d))); err != nil {
			return err
		}
	}
	limit := d.Children()[0].Len()
	for i := range d.Len() {
		if s, e := listValue(d, i); s < 0 || e < s || e > limit {
			return v.errorf("row %d: elements [%d, %d) of %d", i, s, e, limit)
		}
	}
	return v.children(d)
}
