package inspect

import (
	"math/big"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/cfilewire"
)

func TestCellText(t *testing.T) {
	for _, x := range []struct {
		typ   cfilewire.DataType
		scale int32
		cell  []byte
		want  string
	}{
		{cfilewire.Int8, 0, []byte{0xfe}, "-2"},
		{cfilewire.UInt8, 0, []byte{0xfe}, "254"},
		{cfilewire.UInt64, 0, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "18446744073709551615"},
		{cfilewire.Bool, 0, []byte{1}, "true"},
		{cfilewire.Float, 0, []byte{0, 0, 0x80, 0x3f}, "1"},
		{cfilewire.Double, 0, []byte{0, 0, 0, 0, 0, 0, 0xf8, 0xff}, "NaN"},
		{cfilewire.Date, 0, []byte{0xff, 0xff, 0xff, 0xff}, "1969-12-31"},
		{cfilewire.UnixtimeMicros, 0, []byte{1, 0, 0, 0, 0, 0, 0, 0}, "1970-01-01T00:00:00.000001Z"},
		{cfilewire.Decimal32, 2, []byte{0xfb, 0xff, 0xff, 0xff}, "-0.05"},
		{cfilewire.Decimal64, 0, []byte{5, 0, 0, 0, 0, 0, 0, 0}, "5"},
		{cfilewire.Decimal128, 3, append([]byte{0xd2, 4}, make([]byte, 14)...), "1.234"},
		{cfilewire.Int128, 0, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "-1"},
		{cfilewire.Int32, 0, []byte{1}, "x01"},
		{cfilewire.String, 0, []byte("a\n"), `"a\n"`},
		{cfilewire.String, 0, []byte{0xff}, "xff"},
		{cfilewire.String, 0, []byte(strings.Repeat("ä", 40)), `"` + strings.Repeat("ä", 32) + `"… (80 bytes)`},
		{cfilewire.String, 0, []byte("x" + strings.Repeat("ä", 40)), `"x` + strings.Repeat("ä", 31) + `"… (81 bytes)`},
		{cfilewire.Binary, 0, []byte("a"), "x61"},
	} {
		if got := CellText(x.typ, x.scale, x.cell); got != x.want {
			t.Errorf("%v %x: %s, want %s", x.typ, x.cell, got, x.want)
		}
	}
	if s := cfilewire.TimeText(7353453208694063104 + 5); s != "2026-11-21T15:57:42.278824Z+5 (7353453208694063109)" {
		t.Error(s)
	}
	if s := cfilewire.TimeText(1000); s != "1000" {
		t.Error(s)
	}
	if s := decimalText(big.NewInt(-12345), 5); s != "-0.12345" {
		t.Error(s)
	}
}
