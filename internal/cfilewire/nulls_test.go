package cfilewire_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// A block of a nullable INT8 column with RLE, as Kudu 1.17 wrote it: 120 rows, 89 of them 127, the others null.
const nullableBlock = "78 12 11bdf8fef7f7e2eaef 1001 0db6a77f3d1faf 5900000000000000 b201 7f"

func TestParseNullsVector(t *testing.T) {
	b := fromHex(t, nullableBlock)
	rows, bitmap, rest, err := cfilewire.ParseNulls(b)
	if err != nil || rows != 120 || len(bitmap) != 18 || !bytes.Equal(rest, b[20:]) {
		t.Fatalf("%d rows, %x, %x, %v", rows, bitmap, rest, err)
	}
	var valid cfilewire.RLEBits
	valid.OpenStream(bitmap, int(rows))
	if set, err := valid.Skip(120); set != 89 || err != nil {
		t.Errorf("%d are set, %v", set, err)
	}
	valid.OpenStream(bitmap, int(rows))
	got := make([]byte, 15)
	if err := valid.Next(got, 0, 120); err != nil {
		t.Fatal(err)
	}
	if want := fromHex(t, "bdf8fef7f7e2eaef ff b6a77f3d1faf"); !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	var values cfilewire.RLE[int8]
	h, err := values.Open(rest)
	if err != nil || h != (cfilewire.Head{Count: 89}) {
		t.Fatalf("%v, %v", h, err)
	}
	v := make([]int8, 89)
	if err := values.Next(v); err != nil || v[0] != 127 || v[88] != 127 {
		t.Errorf("%v, %v", v, err)
	}
}

func TestParseNullsCut(t *testing.T) {
	b := fromHex(t, nullableBlock)
	for n := range 20 {
		if _, _, _, err := cfilewire.ParseNulls(exact(b[:n])); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for _, s := range []string{"ffffffffff1f 00", "ffffffffffffffffffff01 00", "01 ffffffff0f", "01 ffffffff1f", "01 02 00"} {
		if _, _, _, err := cfilewire.ParseNulls(fromHex(t, s)); !errors.Is(err, errs.ErrCorrupt) {
			t.Errorf("%s: %v", s, err)
		}
	}
	rows, bitmap, rest, err := cfilewire.ParseNulls(fromHex(t, "ffffffff0f 00"))
	if err != nil || rows != 1<<32-1 || len(bitmap)+len(rest) != 0 {
		t.Errorf("%d rows, %x, %x, %v", rows, bitmap, rest, err)
	}
}
