package trevnitext

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// appendStored prints one value of a flat array as the integer, bits, text or bytes that stand in the file.
func appendStored(b []byte, a arrow.Array, i int) []byte {
	if a.IsNull(i) {
		return append(b, "null"...)
	}
	switch a := a.(type) {
	case *array.Null:
		return append(b, "null"...)
	case *array.Boolean:
		return strconv.AppendBool(b, a.Value(i))
	case *array.Int32:
		return strconv.AppendInt(b, int64(a.Value(i)), 10)
	case *array.Int64:
		return strconv.AppendInt(b, a.Value(i), 10)
	case *array.Date32:
		return strconv.AppendInt(b, int64(a.Value(i)), 10)
	case *array.Time32:
		return strconv.AppendInt(b, int64(a.Value(i)), 10)
	case *array.Time64:
		return strconv.AppendInt(b, int64(a.Value(i)), 10)
	case *array.Timestamp:
		return strconv.AppendInt(b, int64(a.Value(i)), 10)
	case *array.Float32:
		return fmt.Appendf(b, `"%08x"`, math.Float32bits(a.Value(i)))
	case *array.Float64:
		return fmt.Appendf(b, `"%016x"`, math.Float64bits(a.Value(i)))
	case *array.String:
		return appendString(b, a.Value(i))
	case *array.Binary:
		return appendHex(b, a.Value(i))
	case *array.FixedSizeBinary:
		return appendHex(b, a.Value(i))
	case *array.Decimal128:
		return appendHex(b, twosComplement(a.Value(i).BigInt()))
	case *array.Decimal256:
		return appendHex(b, twosComplement(a.Value(i).BigInt()))
	case *array.Dictionary:
		return appendStored(b, a.Dictionary(), a.GetValueIndex(i))
	}
	panic("trevnitext: no text for " + a.DataType().String())
}

func appendHex(b, v []byte) []byte {
	b = append(b, '"')
	b = hex.AppendEncode(b, v)
	return append(b, '"')
}

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// twosComplement returns the shortest big-endian two's complement of v, as BigInteger.toByteArray does.
func twosComplement(v *big.Int) []byte {
	if v.Sign() >= 0 {
		m := v.Bytes()
		if len(m) == 0 || m[0] >= 0x80 {
			m = append([]byte{0}, m...)
		}
		return m
	}
	bits := new(big.Int).Not(v).BitLen()
	n := bits/8 + 1
	m := new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	return m.FillBytes(make([]byte, n))
}
