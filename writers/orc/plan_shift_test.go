package orc_test

import (
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
