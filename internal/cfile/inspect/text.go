package inspect

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/cfilewire"
)

// CellText renders a cell, little-endian at the type's width or bytes, for people. scale is that of a decimal.
func CellText(t cfilewire.DataType, scale int32, cell []byte) string {
	if t.Binary() {
		return bytesText(cell, t != cfilewire.Binary)
	}
	if len(cell) != t.Width() || len(cell) == 0 {
		return "x" + hex.EncodeToString(Brief(cell))
	}
	if len(cell) == 16 {
		return decimalText(wideInt(cell), scale)
	}
	v := int64(0) // sign-extended
	for _, b := range slices.Backward(cell) {
		v = v<<8 | int64(b)
	}
	if shift := 64 - 8*len(cell); t.Signed() {
		v = v << shift >> shift
	}
	switch {
	case t == cfilewire.Bool:
		return strconv.FormatBool(v != 0)
	case t == cfilewire.Float:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	case t == cfilewire.Double:
		return strconv.FormatFloat(math.Float64frombits(uint64(v)), 'g', -1, 64)
	case t == cfilewire.Date:
		return time.Unix(v*86400, 0).UTC().Format("2006-01-02")
	case t == cfilewire.UnixtimeMicros:
		return microsText(v)
	case t.Decimal() > 0:
		return decimalText(big.NewInt(v), scale)
	case t.Signed():
		return strconv.FormatInt(v, 10)
	}
	return strconv.FormatUint(uint64(v), 10)
}

func microsText(v int64) string { return time.UnixMicro(v).UTC().Format("2006-01-02T15:04:05.000000Z") }

// wideInt returns a number of 16 bytes, two's complement, little-endian.
func wideInt(cell []byte) *big.Int {
	v := new(big.Int).SetInt64(int64(binary.LittleEndian.Uint64(cell[8:])))
	v.Lsh(v, 64)
	return v.Or(v, new(big.Int).SetUint64(binary.LittleEndian.Uint64(cell)))
}

// decimalText renders an unscaled value.
func decimalText(v *big.Int, scale int32) string {
	if scale <= 0 {
		return v.String()
	}
	digits := new(big.Int).Abs(v).String()
	if missing := int(scale) + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - int(scale)
	sign := ""
	if v.Sign() < 0 {
		sign = "-"
	}
	return sign + digits[:point] + "." + digits[point:]
}

// shownText is how many bytes of a value are shown.
const shownText = 64

// bytesText quotes text, and shows what is none by its bytes.
func bytesText(b []byte, text bool) string {
	cut := b[:min(len(b), shownText)]
	more := ""
	if len(cut) < len(b) {
		more = fmt.Sprintf("… (%d bytes)", len(b))
		for n := 1; n < utf8.UTFMax && len(cut) > n && text && !utf8.Valid(cut); n++ { // a character may be cut
			if short := cut[:len(cut)-n]; utf8.Valid(short) {
				cut = short
			}
		}
	}
	if text && utf8.Valid(cut) {
		return strconv.Quote(string(cut)) + more
	}
	return "x" + hex.EncodeToString(cut) + more
}

// keyText renders an encoded key, or the beginning of one, of a column of type t; of a key of several parts, which the
// file itself cannot tell apart, the bytes.
func (f *File) keyText(scale int32, key []byte) string {
	switch f.Kind {
	case cfilewire.DeltaFile:
		if k, _, err := cfilewire.ParseDeltaKey(key); err == nil {
			return fmt.Sprintf("row %d at %s", k.Row, cfilewire.TimeText(k.Time))
		}
	case cfilewire.ColumnFile:
		if cell, rest, _, err := cfilewire.DecodeKeyPrefix(key, f.Footer.Type, true); err == nil && len(rest) == 0 {
			return CellText(f.Footer.Type, scale, cell)
		}
	}
	return bytesText(key, false)
}

// scaleOf returns the scale of a decimal field, or of a list of them; 0 for others.
func scaleOf(t arrow.DataType) int32 {
	switch t := t.(type) {
	case *arrow.Decimal128Type:
		return t.Scale
	case *arrow.ListType:
		return scaleOf(t.Elem())
	}
	return 0
}
