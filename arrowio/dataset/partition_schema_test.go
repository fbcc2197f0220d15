package dataset

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// The columns of directories have the types and places that a schema says, and only files that have such columns are warned of.
func TestPartitionsUnderSchema(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "year=2020", "s.csv"), "a\n1\n")
	put(t, filepath.Join(root, "year=2021", "s.csv"), "a,year\n2,1999\n")
	opt := func(name string, t arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: t, Nullable: true}
	}
	i16, i32, i64, str := arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String
	types := func(t arrow.DataType) Partitions {
		return Partitions{Types: map[string]arrow.DataType{"year": t}}
	}
	for _, c := range []struct {
		name          string
		fields        []arrow.Field
		partitions    Partitions
		columns, rows string // or a part of the error
		err           error
	}{
		{"own", []arrow.Field{opt("a", i64), opt("year", i64)}, Partitions{}, "a:int64 year:int64", "1 2020\n2 2021\n", nil},
		{"int32, first", []arrow.Field{opt("year", i32), opt("a", i64)}, Partitions{}, "year:int32 a:int64", "2020 1\n2021 2\n", nil},
		{"text", []arrow.Field{opt("a", i64), opt("year", str)}, Partitions{}, "a:int64 year:utf8", "1 2020\n2 2021\n", nil},
		{"decimal", []arrow.Field{opt("year", &arrow.Decimal128Type{Precision: 6, Scale: 1})}, Partitions{}, "year:decimal(6, 1)", "2020\n2021\n", nil},
		{"not named", []arrow.Field{opt("a", i16)}, Partitions{}, "a:int16 year:int64", "1 2020\n2 2021\n", nil},
		{"never null", []arrow.Field{opt("a", i64), {Name: "year", Type: i16}}, Partitions{}, "a:int64 year:int16", "1 2020\n2 2021\n", nil},
		{"too large", []arrow.Field{opt("year", arrow.PrimitiveTypes.Int8)}, Partitions{}, "the directory year=2020: the value is no int8", "", errs.ErrSchema},
		{"a list", []arrow.Field{opt("year", arrow.ListOf(i16))}, Partitions{}, "year", "", errs.ErrSchema},
		{"types agree", []arrow.Field{opt("year", i32)}, types(i32), "year:int32", "2020\n2021\n", nil},
		{"types differ", []arrow.Field{opt("year", i32)}, types(i64), "year", "", errs.ErrOption},
		{"off", []arrow.Field{opt("a", i64), opt("year", i64)}, Partitions{Off: true}, "a:int64 year:int64", "1 (null)\n2 1999\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told []arrowio.Warning
			o := Options{Formats: formats(), Schema: arrow.NewSchema(c.fields, nil), Partitions: c.partitions}
			o.Warn = func(w arrowio.Warning) { told = append(told, w) }
			d, err := OpenAll(t.Context(), []string{root}, o)
			if c.err != nil {
				if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.columns) {
					t.Fatal(err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := columnsOf(d.Schema); got != c.columns {
				t.Errorf("got %s, want %s", got, c.columns)
			}
			if got := rowsOf(t, d); got != c.rows {
				t.Errorf("got\n%swant\n%s", got, c.rows)
			}
			named := strings.Contains(c.columns, "year") && !c.partitions.Off && c.name != "not named"
			switch {
			case !named && len(told) > 0, named && len(told) != 1:
				t.Errorf("warnings: %v", told)
			case named && (filepath.Base(filepath.Dir(told[0].File)) != "year=2021" || !strings.Contains(told[0].Text, "column year of the file is left out")):
				t.Error(told[0])
			}
		})
	}
}

// A null of a directory is refused where the schema says that there is none.
func TestPartitionNeverNull(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "year="+nullPartition, "s.csv"), "a\n1\n")
	o := Options{Formats: formats(), Schema: arrow.NewSchema([]arrow.Field{{Name: "year", Type: arrow.PrimitiveTypes.Int64}}, nil)}
	if _, err := OpenAll(t.Context(), []string{root}, o); !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "year") {
		t.Error(err)
	}
}
