package cfile

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// readWith opens a file through its format and returns its rows, and their type.
func readWith(t *testing.T, f *built, options map[string]string) (text []string, typ arrow.DataType, err error) {
	t.Helper()
	file, err := Format().Open(context.Background(), local.NewBytesSource(f.build(t)), arrowio.OpenOptions{Options: options})
	if err != nil {
		return nil, nil, err
	}
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	text, err = textOf(file.(*File), mem, 100, 1<<20)
	return text, file.Schema().Field(0).Type, err
}

// little returns a number as a cell of so many bytes.
func little(t testing.TB, s string, width int) []byte {
	t.Helper()
	v, ok := new(big.Int).SetString(s, 10)
	if !ok {
		t.Fatal(s)
	}
	if v.Sign() < 0 {
		v.Add(v, new(big.Int).Lsh(big.NewInt(1), uint(8*width)))
	}
	b := v.FillBytes(make([]byte, width))
	slices.Reverse(b)
	return b
}

// Decimals have as many digits as their type has room for, or as the caller knows; a value that has more is refused.
func TestDecimals(t *testing.T) {
	nines := func(n int) string { return strings.Repeat("9", n) }
	for _, x := range []struct {
		typ    cfilewire.DataType
		given  string
		values []string
		want   string // the rows; "" = refused
	}{
		{cfilewire.Decimal32, "", []string{"0", "-5", nines(9), "-" + nines(9)}, `["0"] ["-5"] ["999999999"] ["-999999999"]`},
		{cfilewire.Decimal32, "", []string{"1000000000"}, ""},
		{cfilewire.Decimal32, "", []string{"-1000000000"}, ""},
		{cfilewire.Decimal32, "", []string{"-2147483648"}, ""},
		{cfilewire.Decimal32, "4,2", []string{"1234", "-1", "9999"}, `["12.34"] ["-0.01"] ["99.99"]`},
		{cfilewire.Decimal32, "4,2", []string{"10000"}, ""},
		{cfilewire.Decimal32, "4,2", []string{"-10000"}, ""},
		{cfilewire.Decimal64, "", []string{nines(18), "-" + nines(18)}, `["999999999999999999"] ["-999999999999999999"]`},
		{cfilewire.Decimal64, "", []string{"1" + strings.Repeat("0", 18)}, ""},
		{cfilewire.Decimal64, "", []string{"-9223372036854775808"}, ""},
		{cfilewire.Decimal64, " 18 , 18 ", []string{"1"}, `["0.000000000000000001"]`},
		{cfilewire.Decimal64, "1", []string{"9", "-9"}, `["9"] ["-9"]`},
		{cfilewire.Decimal64, "1", []string{"10"}, ""},
		{cfilewire.Decimal128, "", []string{nines(38), "-" + nines(38)}, `["` + nines(38) + `"] ["-` + nines(38) + `"]`},
		{cfilewire.Decimal128, "", []string{"1" + strings.Repeat("0", 38)}, ""},
		{cfilewire.Decimal128, "", []string{"-1" + strings.Repeat("0", 38)}, ""},
		{cfilewire.Decimal128, "", []string{"-170141183460469231731687303715884105728"}, ""},
		{cfilewire.Decimal128, "20,2", []string{nines(20), "-" + nines(20)}, `["999999999999999999.99"] ["-999999999999999999.99"]`},
		{cfilewire.Decimal128, "20,2", []string{"1" + strings.Repeat("0", 20)}, ""},
		{cfilewire.Int128, "", []string{nines(38), "-7"}, `["` + nines(38) + `"] ["-7"]`},
		{cfilewire.Int128, "", []string{"170141183460469231731687303715884105727"}, ""},
	} {
		for _, encoding := range []cfilewire.Encoding{cfilewire.EncodingPlain, cfilewire.EncodingBitShuffle, cfilewire.EncodingRLE} {
			f := &built{typ: x.typ, encoding: encoding, nullable: true}
			if cfilewire.CheckEncoding(&cfilewire.Footer{Type: x.typ, Encoding: encoding}) != nil {
				continue
			}
			for _, v := range x.values {
				f.rows = append(f.rows, little(t, v, x.typ.Width()))
			}
			f.rows = append(f.rows, nil)
			options := map[string]string{}
			if x.given != "" {
				options["cfile-decimal"] = x.given
			}
			text, _, err := readWith(t, f, options)
			switch {
			case x.want == "" && !errors.Is(err, errs.ErrSchema):
				t.Errorf("%v %v as %q: %v", f, x.values, x.given, err)
			case x.want == "":
				checkError(t, err)
			case err != nil || strings.Join(text, " ") != x.want+" [null]":
				t.Errorf("%v %v as %q: %v, %v", f, x.values, x.given, text, err)
			}
		}
	}
}

// Integers of 128 bits that decimals have no room for can be shown as bytes.
func TestInt128(t *testing.T) {
	f := &built{typ: cfilewire.Int128, encoding: cfilewire.EncodingBitShuffle, rows: [][]byte{
		little(t, "170141183460469231731687303715884105727", 16), little(t, "-170141183460469231731687303715884105728", 16), little(t, "258", 16),
	}}
	text, typ, err := readWith(t, f, map[string]string{"cfile-int128": "binary"})
	if err != nil || !arrow.TypeEqual(typ, &arrow.FixedSizeBinaryType{ByteWidth: 16}) {
		t.Fatalf("%v, %v", typ, err)
	}
	want := []string{`["` + strings.Repeat("ff", 15) + `7f"]`, `["` + strings.Repeat("00", 15) + `80"]`, `["0201` + strings.Repeat("00", 14) + `"]`}
	compareText(t, text, want)
	_, _, err = readWith(t, f, nil)
	if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "cfile-int128=binary") {
		t.Error(err)
	}
}

// Strings must be UTF-8, or be shown as bytes: whether values or the dictionary have them.
func TestStrings(t *testing.T) {
	for _, typ := range []cfilewire.DataType{cfilewire.String, cfilewire.Varchar} {
		for _, encoding := range []cfilewire.Encoding{cfilewire.EncodingPlain, cfilewire.EncodingPrefix, cfilewire.EncodingDict} {
			f := &built{typ: typ, encoding: encoding, nullable: true, rows: [][]byte{[]byte("aé"), nil, []byte("\xff\xfe"), {}}}
			_, _, err := readWith(t, f, nil)
			if !errors.Is(err, errs.ErrCorrupt) || !strings.Contains(err.Error(), "--cfile-strings=binary") {
				t.Errorf("%v: %v", f, err)
			}
			checkError(t, err)
			text, dt, err := readWith(t, f, map[string]string{"cfile-strings": "binary"})
			if err != nil || dt.ID() != arrow.BINARY || strings.Join(text, " ") != `["61c3a9"] [null] ["fffe"] [""]` {
				t.Errorf("%v: %v, %v, %v", f, dt, text, err)
			}
			// A word that is no text does no harm where no row has it; half a character is none.
			f.rows = slices.Repeat([][]byte{[]byte("é"), []byte("\xc3")}, 60)
			f.perBlock = 1
			file := openBuilt(t, f, Options{})
			c, err := file.NewColumn(context.Background(), ColumnOptions{Field: file.Schema().Field(0), Rows: arrowio.RowSet{{End: 120}}, Mem: &arrowbuf.Arena{Allocator: memory.DefaultAllocator}})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Read(1); err != nil {
				t.Errorf("%v: a good row: %v", f, err)
			}
			if err := c.Read(1); err == nil || strings.Contains(err.Error(), "--") {
				t.Errorf("%v: a bad one: %v", f, err)
			}
			c.Release()
		}
	}
}

func TestOptions(t *testing.T) {
	f := &built{typ: cfilewire.Decimal32, encoding: cfilewire.EncodingPlain, rows: [][]byte{{1, 0, 0, 0}}}
	for _, x := range []map[string]string{
		{"cfile-decimal": "0"},
		{"cfile-decimal": "39"},
		{"cfile-decimal": "5,6"},
		{"cfile-decimal": "5,-1"},
		{"cfile-decimal": "x"},
		{"cfile-decimal": "5,"},
		{"cfile-decimal": "10"},
		{"cfile-int128": "text"},
		{"cfile-strings": "utf8"},
		{"cfile-no": "1"},
		{"orc-keys": "x"},
	} {
		if _, _, err := readWith(t, f, x); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%v: %v", x, err)
		}
	}
	if _, typ, err := readWith(t, f, map[string]string{"cfile-decimal": "9,9", "cfile-int128": "decimal", "cfile-strings": "text"}); err != nil || typ.String() != "decimal(9, 9)" {
		t.Errorf("%v, %v", typ, err)
	}
	// A column's own types say what it is where Arrow's do not.
	for _, x := range []struct {
		typ  cfilewire.DataType
		o    Options
		want string
	}{
		{cfilewire.Varchar, Options{}, "varchar"},
		{cfilewire.String, Options{}, ""},
		{cfilewire.String, Options{StringsBinary: true}, "string"},
		{cfilewire.Int128, Options{}, "int128"},
		{cfilewire.Decimal64, Options{Precision: 5}, "decimal64"},
		{cfilewire.Decimal64, Options{}, ""},
	} {
		encoding := cfilewire.EncodingPlain
		file := openBuilt(t, &built{typ: x.typ, encoding: encoding, meta: []cfilewire.Pair{{Key: "k", Value: []byte("v")}}}, x.o)
		got, _ := file.Schema().Field(0).Metadata.GetValue("kudu.type")
		if got != x.want {
			t.Errorf("%v: %q, want %q", x.typ, got, x.want)
		}
		md := file.Schema().Metadata()
		if v, ok := md.GetValue("cfile.k"); !ok || v != "v" {
			t.Errorf("metadata: %v", md)
		}
	}
}
