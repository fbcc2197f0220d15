package cfilewire

// Arrays are the parts of a block of arrays (docs/formats/cfile.md §4.9). All are parts of the block. None is compared with
// another: the counts are hints until the streams have been read.
type Arrays struct {
	Elements, Count uint32 // how many elements, and arrays, there are, nulls included

	ElementValid []byte // RLE of one bit for each element, 1 = not null (RLEBits.OpenStream)
	Lengths      []byte // RLE of 16 bits for each array: how many elements it has (RLE[uint16].OpenStream)
	ArrayValid   []byte // RLE of one bit for each array, 1 = not null
	Values       []byte // the block of the elements that are not null, in the column's encoding
}

// ParseArrays cuts a block of arrays into its parts:
//
//	varint elements | varint arrays
//	varint bytes | validity of the elements
//	varint bytes | lengths of the arrays
//	varint bytes | validity of the arrays
//	the block of the elements that are not null
func ParseArrays(b []byte) (a Arrays, err error) {
	var ok bool
	if a.Elements, b, ok = varint32(b); !ok {
		return Arrays{}, errArrays
	}
	if a.Count, b, ok = varint32(b); !ok {
		return Arrays{}, errArrays
	}
	for _, part := range []*[]byte{&a.ElementValid, &a.Lengths, &a.ArrayValid} {
		n, rest, ok := varint32(b)
		if !ok || uint64(n) > uint64(len(rest)) {
			return Arrays{}, errArrays
		}
		*part, b = rest[:n], rest[n:]
	}
	a.Values = b
	return a, nil
}
