package writers_test

import (
	"errors"
	"strings"
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

// So does it of fields of structs, at any depth.
func TestPlansTellOfEqualNamesInStructs(t *testing.T) {
	i64 := arrow.PrimitiveTypes.Int64
	twice := arrow.StructOf(arrow.Field{Name: "a", Type: i64, Nullable: true}, arrow.Field{Name: "b", Type: i64, Nullable: true}, arrow.Field{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true})
	s := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: i64},
		{Name: "s", Type: twice, Nullable: true},
		{Name: "l", Type: arrow.ListOf(twice), Nullable: true},
		{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.StructOf(arrow.Field{Name: "d.e", Type: twice, Nullable: true})), Nullable: true},
	}, nil)
	taken := 0
	for _, f := range writers.All() {
		p, err := f.Plan(s, lossOptions(f.Name))
		if err != nil {
			if !errors.Is(err, errs.ErrSchema) {
				t.Errorf("%s: %v", f.Name, err)
			}
			continue
		}
		taken++
		for top, path := range map[string]string{"s": "s.a", "l": "l.item.a", "m": `m.value."d.e".a`} {
			told := false
			for _, l := range p.Losses() {
				told = told || l.Path == path && l.Text == "2 columns have this name: it cannot be chosen by name" ||
					f.Name == "csv" && l.Path == top && strings.Contains(l.Text, "its JSON has 2 members "+path+", of which many programs keep one")
			}
			if !told {
				t.Errorf("%s: the plan does not tell of %s: %v", f.Name, path, p.Losses())
			}
		}
		for _, l := range p.Losses() {
			if strings.HasSuffix(l.Path, ".b") {
				t.Errorf("%s: %v", f.Name, l)
			}
		}
	}
	if taken != 7 { // JSON lines refuse it, and so do CFile and Kudu, which have no structs
		t.Errorf("%d formats take such a schema", taken)
	}
}
