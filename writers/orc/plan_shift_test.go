package orc_test

import (
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	writer "github.com/arrowio/arrowio/writers/orc"
)

// TestPlanSaysWhatShiftChanges: with --orc-last-second=shift some values come back changed, and the plan says which.
func TestPlanSaysWhatShiftChanges(t *testing.T) {
	const shifted = "times in the last second before 1970 are stored one second later"
	shift := arrowio.WriteOptions{Options: map[string]string{"orc-last-second": "shift"}}
	for _, c := range []struct {
		t       arrow.DataType
		o       arrowio.WriteOptions
		loss    string
		refused bool
	}{
		{&arrow.TimestampType{Unit: arrow.Nanosecond}, arrowio.WriteOptions{}, "", true},
		{&arrow.TimestampType{Unit: arrow.Nanosecond}, shift, shifted, false},
		{arrow.PrimitiveTypes.Int32, shift, "", false},
	} {
		p, err := writer.Plan(schemaOf(optional("x", c.t)), c.o)
		if err != nil {
			t.Errorf("%s: %v", c.t, err)
			continue
		}
		if got := p.Columns[0]; got.Loss != c.loss || (got.Refused != "") != c.refused {
			t.Errorf("%s: %q, %q", c.t, got.Loss, got.Refused)
		}
	}
}

// TestPlanNullability: fields are read back as nullable, but unions, which are never null in Arrow.
func TestPlanNullability(t *testing.T) {
	u := arrow.DenseUnionOf([]arrow.Field{optional("0", arrow.PrimitiveTypes.Int32), optional("1", arrow.BinaryTypes.String)}, []arrow.UnionTypeCode{0, 1})
	p, err := writer.Plan(schemaOf(field("x", arrow.PrimitiveTypes.Int32), optional("u", u), field("v", u), optional("s", arrow.StructOf(optional("u", u)))), arrowio.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, k := range p.Metadata {
		got = append(got, k.Loss)
	}
	want := []string{"fields that are never null come back as nullable: x", "fields that may be null come back as never null: u, s.u"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
