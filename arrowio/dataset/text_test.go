package dataset

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/readers/csv"
)

// textFiles writes files of text of one format and opens them as one.
func textFiles(t *testing.T, format string, o Options, files ...string) (*Dataset, error) {
	t.Helper()
	dir := t.TempDir()
	for i, text := range files {
		if text != "" {
			put(t, filepath.Join(dir, fmt.Sprintf("%d.%s", i, format)), text)
		}
	}
	o.Formats = formats()
	return OpenAll(context.Background(), []string{dir}, o)
}

// Files of text have the types that one file of all their rows has.
func TestTypesOfTextFiles(t *testing.T) {
	for _, c := range []struct {
		name, format string
		files        []string
		want         string // the types
		rows         string
	}{
		{"a header alone", "csv", []string{"a,t\n1,2020-01-01\n", "a,t\n"}, "int64 date32", "1 2020-01-01\n"},
		{"a header alone, first", "csv", []string{"a,t\n", "a,t\n1,2020-01-01\n"}, "int64 date32", "1 2020-01-01\n"},
		{"a clash behind a column without values", "csv", []string{"a,b\n,1\n", "a,b\n1.5,\n", "a,b\n,x\n"}, "", "b"},
		{"a column without values", "csv", []string{"a,b\n,1\n", "a,b\n1.5,\n"}, "float64 int64", "(null) 1\n1.5 (null)\n"},
		{"no values in any file", "csv", []string{"a\n", "a,b\n,1\n"}, "utf8 int64", "(null) 1\n"},
		{"one file", "csv", []string{"a\n"}, "utf8", ""},
		{"two empty files", "csv", []string{"a\n", "a\n"}, "utf8", ""},
		{"integers and fractions", "csv", []string{"a\n1\n", "a\n1.5\n"}, "float64", "1\n1.5\n"},
		{"fractions and integers", "csv", []string{"a\n1.5\n", "a\n1\n", "a\n\n"}, "float64", "1.5\n1\n(null)\n"},
		{"large integers and fractions", "csv", []string{"a\n9007199254740993\n", "a\n1.5\n"}, "", "a"},
		{"large integers, small ones, fractions", "csv", []string{"a\n9007199254740993\n", "a\n1\n", "a\n1.5\n"}, "", "a"},
		{"integers and text", "csv", []string{"a\n1\n", "a\nx\n"}, "", "a"},
		{"dates and times", "csv", []string{"a\n2020-01-01\n", "a\n2020-01-01T00:00:00\n"}, "", "a"},
		{"times of nanoseconds", "csv", []string{"a\n2020-01-01T00:00:00\n", "a\n2020-01-01T00:00:00.123456789\n"}, "timestamp[ns]", "2020-01-01 00:00:00Z\n2020-01-01 00:00:00.123456789Z\n"},

		{"null", "jsonl", []string{`{"a":null}`, `{"a":[{"x":1}]}`}, "list<item: struct<x: int64, nullable>, nullable>", "(null)\n[{\"x\":1}]\n"},
		{"null in all", "jsonl", []string{`{"a":null}`, `{"a":null}`}, "null", "(null)\n(null)\n"},
		{"integers and fractions", "jsonl", []string{`{"a":1}`, `{"a":1.5}`}, "float64", "1\n1.5\n"},
		{"2^60 is a float", "jsonl", []string{`{"a":1152921504606846976}`, `{"a":1.5}`}, "float64", "1.152921504606847e+18\n1.5\n"},
		{"2^60+1 is none", "jsonl", []string{`{"a":1152921504606846977}`, `{"a":1.5}`}, "", "a"},
		{"unsigned", "jsonl", []string{`{"a":1}`, `{"a":18446744073709551615}`}, "uint64", "1\n18446744073709551615\n"},
		{"negative and unsigned", "jsonl", []string{`{"a":-1}`, `{"a":18446744073709551615}`}, "", "a"},
		{"inside", "jsonl", []string{`{"a":[{"x":1,"y":[]}]}`, `{"a":[{"y":[2],"x":1.5}]}`}, "list<item: struct<x: float64, y: list<item: int64, nullable>>, nullable>", "[{\"x\":1,\"y\":[]}]\n[{\"x\":1.5,\"y\":[2]}]\n"},
		{"clash inside", "jsonl", []string{`{"a":[{"x":1}]}`, `{"a":[{"x":"1"}]}`}, "", "a.item.x"},
		{"words and numbers", "jsonl", []string{`{"a":"NaN"}`, `{"a":1}`}, "float64", "NaN\n1\n"},
		{"words and text", "jsonl", []string{`{"a":"NaN"}`, `{"a":"nan"}`}, "utf8", "NaN\nnan\n"},
	} {
		t.Run(c.format+" "+c.name, func(t *testing.T) {
			d, err := textFiles(t, c.format, Options{}, c.files...)
			if c.want == "" {
				var e *errs.Error
				if !errors.As(err, &e) || e.Kind != errs.ErrSchema || e.Column != c.rows {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var types []string
			for _, f := range d.Schema.Fields() {
				if f.HasMetadata() && f.Metadata.Len() > 0 {
					t.Errorf("%s: %v", f.Name, f.Metadata)
				}
				types = append(types, strings.ReplaceAll(f.Type.String(), ", nullable", ""))
			}
			if got, want := strings.Join(types, " "), strings.ReplaceAll(c.want, ", nullable", ""); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if got := rowsOf(t, d); got != c.rows {
				t.Errorf("got\n%swant\n%s", got, c.rows)
			}
		})
	}
}

// Values behind the rows that types are inferred from are read as the types of all files, too.
func TestValuesOfTextFiles(t *testing.T) {
	sample := func(format, rows string) Options {
		return Options{Options: map[string]string{format + "-sample": rows}}
	}
	for _, c := range []struct {
		name, format string
		files        []string
		want         string // rows, or part of the error
		err          bool
	}{
		{"csv", "csv", []string{"a,b\n,x\n7,y\n", "a,b\n8,\n"}, "7 y\n", false},
		{"csv, a fraction", "csv", []string{"a\n1\n2.5\n", "a\n8.5\n"}, "1\n2.5\n8.5\n", false},
		{"csv, text", "csv", []string{"a,b\n,x\nz,y\n", "a,b\n8,\n"}, `1.csv: csv: column a: line 3: "z" is not int64, as which the column is read in all files; --csv-types=utf8 reads the columns as text`, true},
		{"csv, large", "csv", []string{"a\n1\n9007199254740993\n", "a\n8.5\n"}, `"9007199254740993" is not float64`, true},
		{"jsonl", "jsonl", []string{"{\"a\":null}\n{\"a\":[7]}", "{\"a\":[8]}"}, "(null)\n[7]\n[8]\n", false},
		{"jsonl, a fraction", "jsonl", []string{"{\"a\":1}\n{\"a\":2.5}", "{\"a\":8.5}"}, "1\n2.5\n8.5\n", false},
		{"jsonl, text", "jsonl", []string{"{\"a\":null}\n{\"a\":\"z\"}", "{\"a\":8}"}, "line 2: a string is not int64, as which it is read in all files; --jsonl-types=text reads columns as text", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := textFiles(t, c.format, sample(c.format, "1"), c.files...)
			if err != nil {
				t.Fatal(err)
			}
			s, err := d.Scan(context.Background(), arrowio.ScanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Release()
			for s.Next() {
				continue
			}
			if err := s.Err(); c.err != (err != nil) || c.err && !strings.Contains(err.Error(), strings.TrimPrefix(c.want, "1.csv: ")) {
				t.Fatalf("got %v", err)
			}
			if !c.err {
				if got := rowsOf(t, d); !strings.Contains(got, c.want) {
					t.Errorf("got\n%swant\n%s", got, c.want)
				}
			}
		})
	}
}

// What was inferred goes with types that are stored as they are, and a schema says what text is read as.
func TestTextAmongOtherFiles(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "1.csv"), "a,b,c\n,1,\n")
	put(t, filepath.Join(dir, "2.jsonl"), `{"a":[1],"b":2.5,"c":"x"}`)
	d, err := OpenAll(ctx, []string{dir}, Options{Formats: formats()})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rowsOf(t, d), "(null) 1 (null)\n[1] 2.5 x\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	put(t, filepath.Join(dir, "3.csv"), "a,b,c\n,1,y\n")
	if d, err = OpenAll(ctx, []string{dir}, Options{Formats: formats(), Match: view.ByPosition}); err != nil {
		t.Fatal(err)
	}
	if got, want := rowsOf(t, d), "(null) 1 (null)\n[1] 2.5 x\n(null) 1 y\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	const clash = "it is int64 here and utf8 in 1.csv, and these are not read as one type; --csv-types=utf8 reads all columns as text, --schema reads them as the types that it says, and --exclude leaves the column out"
	files := []string{"", "a\nx\n", "a\n1\n"}
	if _, err := textFiles(t, "csv", Options{}, files...); err == nil || !strings.HasSuffix(strings.ReplaceAll(err.Error(), filepath.Dir(errFile(err))+"/", ""), clash) {
		t.Errorf("got %v", err)
	}
	for _, c := range []struct {
		t    arrow.DataType
		want string
	}{{arrow.BinaryTypes.String, "x\n1\n"}, {arrow.PrimitiveTypes.Float64, ""}} {
		s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: c.t, Nullable: true}}, nil)
		d, err := textFiles(t, "csv", Options{Schema: s}, files...)
		if err != nil {
			t.Fatal(err)
		}
		if c.want == "" {
			s, err := d.Scan(ctx, arrowio.ScanOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for s.Next() {
				continue
			}
			if err := s.Err(); !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), `line 2: "x" is not float64`) {
				t.Errorf("got %v", err)
			}
			s.Release()
			continue
		}
		if got := rowsOf(t, d); got != c.want {
			t.Errorf("got\n%swant\n%s", got, c.want)
		}
	}
}

// Timestamps in another unit change nothing of the other columns.
func TestTextInUnit(t *testing.T) {
	for _, c := range []struct {
		unit  arrow.TimeUnit
		files []string
		want  string
	}{
		{arrow.Second, []string{"a,t\n1,2020-01-01T00:00:01.5\n", "a,t\n1.5,\n,2020-01-01T00:00:02.5\n"}, "1 2020-01-01 00:00:01Z\n1.5 (null)\n(null) 2020-01-01 00:00:02Z\n"},
		{arrow.Nanosecond, []string{"a,t\n1,2020-01-01T00:00:01.5\n", "a,t\n1.5,\n,2020-01-01T00:00:02.123456789\n"}, "1 2020-01-01 00:00:01.5Z\n1.5 (null)\n(null) 2020-01-01 00:00:02.123456789Z\n"},
	} {
		format := csv.Format()
		open := format.Open
		format.Open = func(ctx context.Context, src arrowio.Source, o arrowio.OpenOptions) (arrowio.File, error) {
			f, err := open(ctx, src, o)
			if err != nil {
				return nil, err
			}
			return view.InUnit(f, c.unit)
		}
		dir := t.TempDir()
		for i, text := range c.files {
			put(t, filepath.Join(dir, fmt.Sprint(i)+".csv"), text)
		}
		for _, sample := range []string{"1", "all"} {
			d, err := OpenAll(context.Background(), []string{dir}, Options{Formats: []arrowio.Format{format}, Options: map[string]string{"csv-sample": sample}})
			if err != nil {
				t.Fatal(err)
			}
			if got := rowsOf(t, d); got != c.want {
				t.Errorf("%s, %s: got\n%swant\n%s", c.unit, sample, got, c.want)
			}
		}
	}
}

// errFile returns the file that an error is about.
func errFile(err error) string {
	var e *errs.Error
	errors.As(err, &e)
	return e.File
}
