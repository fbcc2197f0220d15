package cfilewire_test

import (
	"bytes"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

type keyPart struct {
	t    cfilewire.DataType
	cell string // hex, little-endian or bytes
}

// Rows of a table of eleven key columns, and their entries in the key index that Kudu 1.17.1 wrote.
var compositeKeys = []struct {
	key   string
	parts []keyPart
}{
	{"0000 00000000 0000 1fb8cf83bb6e1c94 80000049c9541e5d 6b67686e727879780000 d0 ad92 7ffffffa2594e0ee254e62da4a0d8687 80060fb6 00000126", []keyPart{
		{cfilewire.String, ""},
		{cfilewire.Int32, "00000080"},
		{cfilewire.Binary, ""},
		{cfilewire.UnixtimeMicros, "941c6ebb83cfb89f"},
		{cfilewire.Decimal64, "5d1e54c949000000"},
		{cfilewire.Varchar, "6b67686e72787978"},
		{cfilewire.Int8, "50"},
		{cfilewire.Int16, "922d"},
		{cfilewire.Decimal128, "87860d4ada624e25eee09425faffffff"},
		{cfilewire.Date, "b60f0600"},
		{cfilewire.Binary, "00000126"},
	}},
	{"0000 00000000 00010000 e628dceccbdeeed4 7fffff96c2f132ce 72686f630000 f5 c0f9 8000000b85270a8fe9dd281436983a9f 80161123 00000103", []keyPart{
		{cfilewire.String, ""},
		{cfilewire.Int32, "00000080"},
		{cfilewire.Binary, "00"},
		{cfilewire.UnixtimeMicros, "d4eedecbecdc2866"},
		{cfilewire.Decimal64, "ce32f1c296ffffff"},
		{cfilewire.Varchar, "72686f63"},
		{cfilewire.Int8, "75"},
		{cfilewire.Int16, "f940"},
		{cfilewire.Decimal128, "9f3a98361428dde98f0a27850b000000"},
		{cfilewire.Date, "23111600"},
		{cfilewire.Binary, "00000103"},
	}},
	{"c3bf0000 ffffffff ff0000 bcf29046d57f7877 7fffffa91b7f9a3f 66697264656b61620000 cb d859 80000004 6be0ec39abf76f303d5a7e15 7ffad93c 00000028", []keyPart{
		{cfilewire.String, "c3bf"},
		{cfilewire.Int32, "ffffff7f"},
		{cfilewire.Binary, "ff"},
		{cfilewire.UnixtimeMicros, "77787fd54690f23c"},
		{cfilewire.Decimal64, "3f9a7f1ba9ffffff"},
		{cfilewire.Varchar, "66697264656b6162"},
		{cfilewire.Int8, "4b"},
		{cfilewire.Int16, "5958"},
		{cfilewire.Decimal128, "157e5a3d306ff7ab39ece06b04000000"},
		{cfilewire.Date, "3cd9faff"},
		{cfilewire.Binary, "00000028"},
	}},
}

func TestKeys(t *testing.T) {
	for i, c := range compositeKeys {
		want := fromHex(t, c.key)
		var key []byte
		for j, p := range c.parts {
			var err error
			if key, err = cfilewire.AppendKey(key, p.t, fromHex(t, p.cell), j == len(c.parts)-1); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(key, want) {
			t.Errorf("row %d: %x, want %x", i, key, want)
		}
		rest := want
		for j, p := range c.parts {
			cell, after, err := cfilewire.DecodeKeyPart(rest, p.t, j == len(c.parts)-1)
			if err != nil || !bytes.Equal(cell, fromHex(t, p.cell)) {
				t.Errorf("row %d, part %d: %x, %v", i, j, cell, err)
			}
			rest = after
		}
		if len(rest) > 0 {
			t.Errorf("row %d: %x is left", i, rest)
		}
	}
}

// A cut key stands for the least key that begins so.
func TestKeyPrefix(t *testing.T) {
	for _, c := range []struct {
		key, cell, rest string
		t               cfilewire.DataType
		last, whole     bool
	}{
		{"80", "00000000", "", cfilewire.Int32, true, false},
		{"", "00000080", "", cfilewire.Int32, true, false},
		{"7f", "000000ff", "", cfilewire.Int32, true, false},
		{"80000046", "46000000", "", cfilewire.Int32, true, true},
		{"8000004601", "46000000", "01", cfilewire.Int32, false, true},
		{"01", "00000001", "", cfilewire.UInt32, true, false},
		{"", "00", "", cfilewire.UInt8, true, false},
		{"80", "00000000000000000000000000000000", "", cfilewire.Decimal128, true, false},
		{"0061", "0061", "", cfilewire.String, true, true},
		{"", "", "", cfilewire.String, true, true},
		{"610000", "61", "", cfilewire.String, false, true},
		{"61000062", "61", "62", cfilewire.String, false, true},
		{"6100", "61", "", cfilewire.String, false, false},
		{"61", "61", "", cfilewire.Binary, false, false},
		{"", "", "", cfilewire.Binary, false, false},
		{"0001", "00", "", cfilewire.Binary, false, false},
		{"0001000100", "0000", "", cfilewire.Varchar, false, false},
		{"61000100016200007a", "61000062", "7a", cfilewire.Varchar, false, true},
		{"0000", "", "", cfilewire.Varchar, false, true},
	} {
		cell, rest, whole, err := cfilewire.DecodeKeyPrefix(fromHex(t, c.key), c.t, c.last)
		if err != nil || !bytes.Equal(cell, fromHex(t, c.cell)) || !bytes.Equal(rest, fromHex(t, c.rest)) || whole != c.whole {
			t.Errorf("%s of %s: %x, %x, %t, %v", c.t, c.key, cell, rest, whole, err)
		}
		if !c.whole {
			_, _, err := cfilewire.DecodeKeyPart(fromHex(t, c.key), c.t, c.last)
			wantKind(t, c.key, err, errs.ErrCorrupt)
		}
	}
	_, _, _, err := cfilewire.DecodeKeyPrefix([]byte{0, 2}, cfilewire.String, false)
	wantKind(t, "00 02", err, errs.ErrCorrupt)
}

func TestKeyTypes(t *testing.T) {
	for _, typ := range []cfilewire.DataType{cfilewire.Bool, cfilewire.Float, cfilewire.Double, cfilewire.IsDeleted, cfilewire.Nested, 22} {
		_, err := cfilewire.AppendKey(nil, typ, make([]byte, typ.Width()), true)
		wantKind(t, typ.String(), err, errs.ErrSchema)
		_, _, err = cfilewire.DecodeKeyPart(make([]byte, 16), typ, true)
		wantKind(t, typ.String(), err, errs.ErrSchema)
	}
	_, err := cfilewire.AppendKey(nil, cfilewire.Int32, make([]byte, 5), true)
	wantKind(t, "wrong width", err, errs.ErrSchema)
}

// Keys compare as their values do, and no beginning of one is read as more than it.
func TestKeyOrder(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	texts := make([]string, 300)
	for i := range texts {
		b := make([]byte, r.Intn(5))
		for j := range b {
			b[j] = byte(r.Intn(3))
		}
		texts[i] = string(b)
	}
	slices.Sort(texts)
	var last []byte
	for i, s := range texts {
		key, err := cfilewire.AppendKey(nil, cfilewire.String, []byte(s), false)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && (s == texts[i-1]) != bytes.Equal(last, key) || bytes.Compare(last, key) > 0 {
			t.Errorf("%x before %x", last, key)
		}
		last = key
		for n := range key {
			cell, _, _, err := cfilewire.DecodeKeyPrefix(key[:n], cfilewire.String, false)
			if err != nil || string(cell) > s {
				t.Errorf("%x of %q reads %q, %v", key[:n], s, cell, err)
			}
		}
	}
}
