package writers_test

import (
	"errors"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/writers"
)

// The plan of every format that has columns of one name tells of each that its name does not choose it.
func TestPlansTellOfEqualNames(t *testing.T) {
	field := func(name string, t arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: true}
	}
	i64 := arrow.PrimitiveTypes.Int64
	const told = "2 columns have this name: it cannot be chosen by name"
	s := arrow.NewSchema([]arrow.Field{field("a", i64), field("b", i64), field("a", i64)}, nil)
	taken := 0
	for _, f := range writers.All() {
		p, err := f.Plan(s, arrowio.WriteOptions{})
		if err != nil {
			if !errors.Is(err, errs.ErrSchema) && !errors.Is(err, errs.ErrOption) {
				t.Errorf("%s: %v", f.Name, err)
			}
			continue
		}
		taken++
		for _, c := range p.Columns {
			if want := map[string]string{"a": told}[c.Path]; c.Loss != want {
				t.Errorf("%s: column %s: %q, want %q", f.Name, c.Path, c.Loss, want)
			}
		}
	}
	if taken != 7 {
		t.Errorf("%d formats take such a schema", taken)
	}
	// A CSV file without a header has no names.
	f, err := writers.Lookup("csv")
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Plan(s, arrowio.WriteOptions{Options: map[string]string{"csv-header": "false"}})
	if err != nil || p.Columns[0].Loss != "comes back with the name f0" {
		t.Errorf("%+v, %v", p, err)
	}
}
