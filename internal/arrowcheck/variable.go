package arrowcheck

import (
	"encoding/binary"
	"unicode/utf8"
	"unsafe"

	"github.com/arrowio/arrowio/internal/bitpack"
)

// load reads little-endian value i: buffers that come from elsewhere need not be aligned.
func load[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](b []byte, i int) T {
	var z T
	switch unsafe.Sizeof(z) {
	case 1:
		return T(b[i])
	case 2:
		return T(binary.LittleEndian.Uint16(b[2*i:]))
	case 4:
		return T(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return T(binary.LittleEndian.Uint64(b[8*i:]))
}

// offsets checks the n+1 offsets of buffer 1: never negative, never decreasing, never past limit. It returns the
// first and the last.
func offsets[O int32 | int64](a *slots, limit int) (b []byte, first, last int, err error) {
	b = a.buffer(1)
	var z O
	if have := len(b) / int(unsafe.Sizeof(z)); a.n > 0 && have <= a.end {
		return nil, 0, 0, corrupt("%d offsets for %d slots", have, a.end)
	}
	if a.n == 0 {
		return nil, 0, 0, nil
	}
	prev := load[O](b, a.off)
	first = int(prev)
	if prev < 0 {
		return nil, 0, 0, corrupt("offset %d is %d", a.off, prev)
	}
	falls := O(0) // negative where an offset is, or is less than the one before it: differences of others do not overflow
	for i := a.off + 1; i <= a.end; i++ {
		o := load[O](b, i)
		falls |= o | (o - prev)
		prev = o
	}
	if falls < 0 {
		return nil, 0, 0, falling[O](a, b)
	}
	if int64(prev) > int64(limit) {
		return nil, 0, 0, corrupt("offset %d is %d, of %d", a.end, prev, limit)
	}
	return b, first, int(prev), nil
}

// falling is the error of the first offset that is less than the one before it.
func falling[O int32 | int64](a *slots, b []byte) error {
	i := a.off + 1
	for load[O](b, i) >= load[O](b, i-1) {
		i++
	}
	return corrupt("offset %d is %d, the one before it %d", i, load[O](b, i), load[O](b, i-1))
}

// variable checks strings and binaries.
func variable[O int32 | int64](a *slots, text bool) error {
	if err := a.buffers(3); err != nil {
		return err
	}
	data := a.buffer(2)
	offs, first, last, err := offsets[O](a, len(data))
	if err != nil || !text || a.n == 0 {
		return err
	}
	// One pass over all bytes is several times faster than one a value. It suffices where all of it is UTF-8 and no
	// value starts inside a rune; null slots may hold anything, so what fails it is looked at value by value.
	if all := data[first:last]; bitpack.ASCII(all) || bitpack.UTF8(all) && startsRunes[O](a, offs, data[:last]) {
		return nil
	}
	for i := a.off; i < a.end; i++ {
		if v := data[load[O](offs, i):load[O](offs, i+1)]; a.isValid(i) && !utf8.Valid(v) {
			return notText(i-a.off, v)
		}
	}
	return nil
}

func startsRunes[O int32 | int64](a *slots, offs, data []byte) bool {
	for i := a.off; i < a.end; i++ {
		if o := int(load[O](offs, i)); o < len(data) && !utf8.RuneStart(data[o]) {
			return false
		}
	}
	return true
}

func notText(row int, v []byte) error {
	return corrupt("value %d is not UTF-8: %.40q", row, v)
}

// views checks string and binary views: 16 bytes a value, short values inside, long ones by buffer and offset.
//
//	0     length
//	4     12 bytes of value, or: 4 bytes of prefix, buffer number, offset
func (a *slots) views(text bool) error {
	if len(a.d.Buffers()) < 2 {
		return corrupt("%d buffers, not 2 or more", len(a.d.Buffers()))
	}
	if err := a.validity(); err != nil {
		return err
	}
	b := a.buffer(1)
	if have := len(b) / 16; a.n > 0 && have < a.end {
		return corrupt("%d views for %d slots", have, a.end)
	}
	for i := a.off; i < a.end; i++ {
		if !a.isValid(i) {
			continue
		}
		v := b[16*i : 16*i+16]
		n := int32(binary.LittleEndian.Uint32(v))
		var value []byte
		switch {
		case n < 0:
			return corrupt("value %d has length %d", i-a.off, n)
		case n <= 12:
			value = v[4 : 4+n]
		default:
			number, at := int32(binary.LittleEndian.Uint32(v[8:])), int32(binary.LittleEndian.Uint32(v[12:]))
			if number < 0 || int(number) > len(a.d.Buffers())-3 {
				return corrupt("value %d is in buffer %d of %d", i-a.off, number, len(a.d.Buffers())-2)
			}
			data := bufferBytes(a.d.Buffers()[2+number])
			if at < 0 || int64(at)+int64(n) > int64(len(data)) {
				return corrupt("value %d has %d bytes at %d of %d", i-a.off, n, at, len(data))
			}
			value = data[at : at+n]
			if string(value[:4]) != string(v[4:8]) {
				return corrupt("value %d does not start with its prefix", i-a.off)
			}
		}
		if text && !utf8.Valid(value) {
			return notText(i-a.off, value)
		}
	}
	return nil
}
