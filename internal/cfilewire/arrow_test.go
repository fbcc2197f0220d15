package cfilewire_test

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

func TestArrowTypes(t *testing.T) {
	for _, c := range []struct {
		t          cfilewire.DataType
		o          cfilewire.ArrowOptions
		arrow, own string
	}{
		{t: cfilewire.Bool, arrow: "bool"},
		{t: cfilewire.Int8, arrow: "int8"},
		{t: cfilewire.Int16, arrow: "int16"},
		{t: cfilewire.Int32, arrow: "int32"},
		{t: cfilewire.Int64, arrow: "int64"},
		{t: cfilewire.UInt8, arrow: "uint8"},
		{t: cfilewire.UInt16, arrow: "uint16"},
		{t: cfilewire.UInt32, arrow: "uint32"},
		{t: cfilewire.UInt64, arrow: "uint64"},
		{t: cfilewire.Float, arrow: "float32"},
		{t: cfilewire.Double, arrow: "float64"},
		{t: cfilewire.String, arrow: "utf8"},
		{t: cfilewire.Varchar, arrow: "utf8", own: "varchar"},
		{t: cfilewire.Varchar, o: cfilewire.ArrowOptions{Length: 7}, arrow: "utf8", own: "varchar(7)"},
		{t: cfilewire.String, o: cfilewire.ArrowOptions{StringsBinary: true}, arrow: "binary", own: "string"},
		{t: cfilewire.Varchar, o: cfilewire.ArrowOptions{StringsBinary: true, Length: 7}, arrow: "binary", own: "varchar(7)"},
		{t: cfilewire.Binary, arrow: "binary"},
		{t: cfilewire.UnixtimeMicros, arrow: "timestamp[us, tz=UTC]"},
		{t: cfilewire.Date, arrow: "date32"},
		{t: cfilewire.Decimal32, arrow: "decimal(9, 0)"},
		{t: cfilewire.Decimal64, arrow: "decimal(18, 0)"},
		{t: cfilewire.Decimal128, arrow: "decimal(38, 0)"},
		{t: cfilewire.Decimal32, o: cfilewire.ArrowOptions{Precision: 5, Scale: 5}, arrow: "decimal(5, 5)"},
		{t: cfilewire.Decimal64, o: cfilewire.ArrowOptions{Precision: 12, Scale: 3}, arrow: "decimal(12, 3)"},
		{t: cfilewire.Decimal64, o: cfilewire.ArrowOptions{Precision: 9}, arrow: "decimal(9, 0)", own: "decimal64"},
		{t: cfilewire.Decimal128, o: cfilewire.ArrowOptions{Precision: 18, Scale: 1}, arrow: "decimal(18, 1)", own: "decimal128"},
		{t: cfilewire.Int128, arrow: "decimal(38, 0)", own: "int128"},
		{t: cfilewire.Int128, o: cfilewire.ArrowOptions{Int128Binary: true}, arrow: "fixed_size_binary[16]", own: "int128"},
	} {
		for _, nullable := range []bool{false, true} {
			f, err := cfilewire.ArrowField(&cfilewire.Footer{Type: c.t, Nullable: nullable}, c.o)
			own, _ := f.Metadata.GetValue(cfilewire.MetaType)
			if err != nil || f.Name != "value" || f.Type.String() != c.arrow || own != c.own || f.Nullable != nullable {
				t.Errorf("%s %+v: %v %v", c.t, c.o, f, err)
			}
		}
		f, err := cfilewire.ArrowField(&cfilewire.Footer{Type: c.t, Array: true}, c.o)
		if l, ok := f.Type.(*arrow.ListType); err != nil || !ok || l.Elem().String() != c.arrow || !l.ElemField().Nullable || f.Nullable {
			t.Errorf("array of %s: %v, %v", c.t, f, err)
		}
	}
	for _, typ := range []cfilewire.DataType{cfilewire.IsDeleted, cfilewire.Nested, 22, 999} {
		_, _, err := cfilewire.ArrowType(typ, cfilewire.ArrowOptions{})
		wantKind(t, typ.String(), err, errs.ErrUnsupported)
	}
	for _, o := range []cfilewire.ArrowOptions{{Precision: 10}, {Precision: -1}, {Precision: 5, Scale: 6}, {Precision: 5, Scale: -1}, {Scale: 1}} {
		_, _, err := cfilewire.ArrowType(cfilewire.Decimal32, o)
		wantKind(t, "decimal32", err, errs.ErrOption)
	}
}

func TestSchema(t *testing.T) {
	f, _ := mustOpen(t, fileInts)
	s, err := cfilewire.Schema(f, cfilewire.ArrowOptions{})
	if err != nil {
		t.Fatal(err)
	}
	md := s.Metadata()
	if v, ok := md.GetValue("cfile.max_key"); s.NumFields() != 1 || !ok || v != "\x80\x00\x00\x63" || md.Len() != 2 {
		t.Errorf("%v", s)
	}
	f, _ = mustOpen(t, fileRedo)
	if s, err = cfilewire.Schema(f, cfilewire.ArrowOptions{}); err != nil || s.NumFields() != 4 {
		t.Fatal(s, err)
	}
	for i, want := range []string{"int64", "uint64", "utf8", "list<item: struct<column_id: int32, value: binary>>"} {
		if got := s.Field(i).Type.String(); s.Field(i).Nullable || got != want {
			t.Errorf("field %d is %s, want %s", i, got, want)
		}
	}
	_, err = cfilewire.Schema(&cfilewire.Footer{Type: cfilewire.Binary, Encoding: cfilewire.EncodingPlain}, cfilewire.ArrowOptions{})
	wantKind(t, "bloom file", err, errs.ErrUnsupported)
}
