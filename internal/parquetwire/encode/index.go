package encode

import "encoding/binary"

// Order is how the bounds of the pages of a column index follow one another.
type Order int32

// Orders.
const (
	Unordered  Order = 0
	Ascending  Order = 1
	Descending Order = 2
)

// ColumnIndex has the bounds of pages.
type ColumnIndex struct {
	NullPages []bool // no value of the page is there; its bounds are empty
	Min, Max  [][]byte
	Order     Order
	Nulls     []int64
}

// AppendColumnIndex appends a column index.
func AppendColumnIndex(dst []byte, x *ColumnIndex) []byte {
	t := thrift{b: dst}
	t.list(1, tTrue, len(x.NullPages))
	for _, b := range x.NullPages {
		if b {
			t.b = append(t.b, tTrue)
		} else {
			t.b = append(t.b, tFalse)
		}
	}
	for id, bounds := range [][][]byte{2: x.Min, 3: x.Max} {
		if id < 2 {
			continue
		}
		t.list(id, tBinary, len(bounds))
		for _, v := range bounds {
			t.b = append(binary.AppendUvarint(t.b, uint64(len(v))), v...)
		}
	}
	t.i32(4, int32(x.Order))
	t.list(5, tI64, len(x.Nulls))
	for _, n := range x.Nulls {
		t.b = binary.AppendVarint(t.b, n)
	}
	t.end()
	return t.b
}

// Location is where a data page is.
type Location struct {
	Offset   int64 // of its header
	Bytes    int   // with its header
	FirstRow int64 // of its row group
}

// AppendOffsetIndex appends an offset index of pages whose offsets are from base on.
func AppendOffsetIndex(dst []byte, base int64, pages []Location) []byte {
	t := thrift{b: dst}
	t.list(1, tStruct, len(pages))
	for _, p := range pages {
		t.element()
		t.i64(1, base+p.Offset)
		t.i32(2, int32(p.Bytes))
		t.i64(3, p.FirstRow)
		t.end()
	}
	t.end()
	return t.b
}
