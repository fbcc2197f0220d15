package parquet

import (
	"bytes"
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
)

// TestVerifySchema changes the footer of a file: the Parquet schema and the Arrow schema in the metadata must agree.
func TestVerifySchema(t *testing.T) {
	rec := table(10)
	file := written(t, []arrow.Record{rec}, "none", nil)
	rec.Release()
	swap := func(from, to string) []byte {
		footer := len(file) - 8 - int(binary.LittleEndian.Uint32(file[len(file)-8:]))
		at := footer + bytes.Index(file[footer:], []byte(from))
		if at < footer || len(from) != len(to) {
			t.Fatalf("%q is not in the file", from)
		}
		c := bytes.Clone(file)
		copy(c[at:], to)
		return c
	}
	key := bytes.LastIndex(file, []byte(arrowSchemaKey)) + len(arrowSchemaKey)
	for _, c := range []struct {
		name  string
		file  []byte
		fault string // "" = none
	}{
		{"sound", file, ""},
		{"another name", swap("\x18\x02id", "\x18\x02iq"), `it has a field "id" where the Parquet schema has "iq"`},
		{"a name that is not UTF-8", swap("\x18\x02id", "\x18\x02i\xf6"), "the name is not UTF-8"},
		{"a name in a struct", swap("\x18\x01a", "\x18\x01b"), `it has a field "a" where the Parquet schema has "s.b"`},
		{"no base64", func() []byte {
			c := bytes.Clone(file)
			c[key+40] = '?'
			return c
		}(), "it is not in base64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := openBytes(c.file, arrowio.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			var faults []string
			if err := f.(arrowio.Verifier).Verify(context.Background(), func(err error) { faults = append(faults, err.Error()) }); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(faults, "\n"); (c.fault == "") != (got == "") || !strings.Contains(got, c.fault) {
				t.Errorf("%q, want %q", got, c.fault)
			}
		})
	}
}

// TestVerifySchemaTypes compares Arrow schemas with those of columns.
func TestVerifySchemaTypes(t *testing.T) {
	rec := table(1)
	defer rec.Release()
	f, err := openBytes(written(t, []arrow.Record{rec}, "none", nil), arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p := f.(*parquetFile)
	for _, c := range []struct {
		typ   arrow.DataType // of the column id, which is an int64
		fault bool
	}{
		{arrow.PrimitiveTypes.Int64, false},
		{arrow.FixedWidthTypes.Duration_s, false},
		{arrow.FixedWidthTypes.Timestamp_ns, false},
		{&arrow.Decimal128Type{Precision: 18}, false},
		{arrow.Null, false},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Uint64}, false},
		{arrow.BinaryTypes.String, true},
		{arrow.PrimitiveTypes.Float64, true},
		{arrow.ListOf(arrow.PrimitiveTypes.Int64), true},
		{arrow.StructOf(arrow.Field{Name: "id", Type: arrow.PrimitiveTypes.Int64}), true},
	} {
		p.schemaFaults = nil
		fields := p.schema.Fields()
		fields[0].Type = c.typ
		p.compareSchema(arrow.NewSchema(fields, nil))
		if (len(p.schemaFaults) > 0) != c.fault {
			t.Errorf("%v: %v", c.typ, p.schemaFaults)
		}
	}
	p.schemaFaults = nil
	if p.compareSchema(arrow.NewSchema(p.schema.Fields()[1:], nil)); len(p.schemaFaults) != 1 {
		t.Errorf("a column less: %v", p.schemaFaults)
	}
}
