package cfilewire

import (
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Encoded keys compare byte by byte as the rows do. The parts of a composite key follow one another, each by its type:
//
//	integers, dates, times, decimals   big-endian at the type's width, the sign bit flipped if there is one
//	binary, the last part              the bytes
//	binary, not the last               the bytes with 00 as 00 01, then 00 00
//
// Indexes hold keys, and beginnings of keys: a separator between two blocks is cut short where it already differs.

// IsKey reports whether a column of type t can be a part of a primary key: all but bool, float and double.
func (t DataType) IsKey() bool {
	return t.Known() && types[t].encodings != 0 && t != Bool && t != Float && t != Double
}

// AppendKey appends the key of a cell, which is little-endian at the type's width, or bytes. last says that it is the
// last part of the key, or the only one. A type that is not a key's, and a cell of another width, are
// errs.ErrSchema.
func AppendKey(dst []byte, t DataType, cell []byte, last bool) ([]byte, error) {
	switch {
	case !t.IsKey():
		return dst, errs.Errorf(errs.ErrSchema, "%s is not in keys", t)
	case t.Binary() && last:
		return append(dst, cell...), nil
	case t.Binary():
		for _, c := range cell {
			if dst = append(dst, c); c == 0 {
				dst = append(dst, 1)
			}
		}
		return append(dst, 0, 0), nil
	case len(cell) != t.Width():
		return dst, errs.Errorf(errs.ErrSchema, "cell of %d bytes for %s", len(cell), t)
	}
	at := len(dst)
	dst = append(dst, cell...)
	slices.Reverse(dst[at:])
	if t.Signed() {
		dst[at] ^= 0x80
	}
	return dst, nil
}

// DecodeKeyPart reads the part of a key that is of type t, as a cell like AppendKey's, and returns what follows it. The
// cell may be a part of key.
func DecodeKeyPart(key []byte, t DataType, last bool) (cell, rest []byte, err error) {
	cell, rest, whole, err := DecodeKeyPrefix(key, t, last)
	if err == nil && !whole {
		err = errs.Errorf(errs.ErrCorrupt, "key ends within a part of type %s", t)
	}
	if err != nil {
		return nil, nil, err
	}
	return cell, rest, nil
}

// DecodeKeyPrefix is DecodeKeyPart for a key that may have been cut. Bytes that are missing are read as 00: the cell is
// the least of all whose keys begin so, which makes it a lower bound. whole reports that none was missing; nobody can
// tell that of the last part where it is binary, which is always whole.
func DecodeKeyPrefix(key []byte, t DataType, last bool) (cell, rest []byte, whole bool, err error) {
	switch {
	case !t.IsKey():
		return nil, nil, false, errs.Errorf(errs.ErrSchema, "%s is not in keys", t)
	case t.Binary() && last:
		return key, nil, true, nil
	case t.Binary():
		return decodeSeparated(key)
	}
	n := t.Width()
	cell = make([]byte, n)
	used := copy(cell, key)
	if t.Signed() {
		cell[0] ^= 0x80 // also where it is missing: the least number is meant
	}
	slices.Reverse(cell)
	return cell, key[used:], used == n, nil
}

// decodeSeparated reads a binary part that others follow.
func decodeSeparated(key []byte) (cell, rest []byte, whole bool, err error) {
	zeros := false
	for i := 0; i < len(key); i++ {
		if key[i] != 0 {
			continue
		}
		if i++; i == len(key) { // a lone 00: the least that it can be is the end
			key = key[:i-1]
			break
		}
		switch key[i] {
		case 0:
			cell, rest = key[:i-1:i-1], key[i+1:]
			if zeros {
				cell = restoreZeros(cell)
			}
			return cell, rest, true, nil
		case 1:
			zeros = true
		default:
			return nil, nil, false, errs.Errorf(errs.ErrCorrupt, "00 %02x in a key", key[i])
		}
	}
	if zeros {
		key = restoreZeros(key)
	}
	return key, nil, false, nil
}

// restoreZeros makes 00 of 00 01.
func restoreZeros(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if out = append(out, b[i]); b[i] == 0 {
			i++
		}
	}
	return out
}
