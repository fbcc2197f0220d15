package trevnitext

import (
	"slices"
	"unicode/utf16"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// lessUTF16 orders strings as Java does, by UTF-16 code units.
func lessUTF16(a, b string) bool {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) < 0
}

func decimalBytes(a arrow.Array, i int) []byte {
	if d, ok := a.(*array.Decimal128); ok {
		return twosComplement(d.Value(i).BigInt())
	}
	return twosComplement(a.(*array.Decimal256).Value(i).BigInt())
}

// signExtend widens a big-endian two's complement number to n bytes.
func signExtend(v []byte, n int) []byte {
	fill := byte(0)
	if v[0] >= 0x80 {
		fill = 0xff
	}
	for len(v) < n {
		v = append([]byte{fill}, v...)
	}
	return v
}
