package dataset_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/recordfile"
)

// halved is a cast of numbers to text, and of text marked as short to its first character.
func halved(from, to arrow.Field) view.Casting {
	texts := func(value func(a arrow.Array, i int) (string, error)) view.Casting {
		return func(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
			a := array.MakeFromData(d)
			defer a.Release()
			b := array.NewStringBuilder(mem)
			defer b.Release()
			for i := range a.Len() {
				if a.IsNull(i) {
					b.AppendNull()
					continue
				}
				s, err := value(a, i)
				if err != nil {
					return nil, err
				}
				b.Append(s)
			}
			out := b.NewArray()
			defer out.Release()
			out.Data().Retain()
			return out.Data(), nil
		}
	}
	short, _ := to.Metadata.GetValue("short")
	switch {
	case from.Type.ID() == arrow.INT32 && to.Type.ID() == arrow.STRING:
		return texts(func(a arrow.Array, i int) (string, error) {
			v := a.(*array.Int32).Value(i)
			if v == 13 {
				return "", errs.Errorf(errs.ErrSchema, "13 has no text")
			}
			return strconv.Itoa(int(v)), nil
		})
	case from.Type.ID() == arrow.STRING && short != "":
		return texts(func(a arrow.Array, i int) (string, error) { return a.(*array.String).Value(i)[:1], nil })
	}
	return nil
}

// A cast is asked at every depth, also where types are equal, and filters on what it makes prune nothing.
func TestCast(t *testing.T) {
	from := columnsOf("n", tI32, "w", tI16, "l", arrow.ListOf(tI32), "s", arrow.StructOf(opt("x", tI32), opt("y", tStr)), "same", tStr, "kept", arrow.StructOf(opt("z", tStr)))
	rec := fromJSON(t, from, `[{"n": 1, "w": 2, "l": [3, null, 4], "s": {"x": 5, "y": "six"}, "same": "seven", "kept": {"z": "eight"}}, {"n": null, "w": null, "l": null, "s": null, "same": "nine", "kept": null}]`)
	defer rec.Release()
	marked := opt("same", tStr)
	marked.Metadata = arrow.NewMetadata([]string{"short"}, []string{"yes"})
	inner := opt("z", tStr)
	inner.Metadata = marked.Metadata
	to := schemaOf(opt("n", tStr), opt("w", tI64), opt("l", arrow.ListOf(tStr)), opt("s", arrow.StructOf(opt("y", tStr), opt("x", tStr))), marked, opt("kept", arrow.StructOf(inner)))
	show := func(cast view.Cast) (*dataset.Dataset, error) {
		f, err := view.Show(recordfile.File{Record: rec}, to, view.Options{Cast: cast})
		if err != nil {
			return nil, err
		}
		return dataset.FromFile("", f), nil
	}
	if _, err := show(nil); !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "column n") {
		t.Error(err)
	}
	d, err := show(halved)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := scanOf(t, d, arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{
		{"n": "1", "w": 2.0, "l": []any{"3", nil, "4"}, "s": map[string]any{"y": "six", "x": "5"}, "same": "s", "kept": map[string]any{"z": "e"}},
		{"n": nil, "w": nil, "l": nil, "s": nil, "same": "n", "kept": nil},
	}
	for i, w := range want {
		if !sameJSON(rows[i], w) {
			t.Errorf("row %d is %v, want %v", i, rows[i], w)
		}
	}
	for filter, n := range map[string]int{"n = '1'": 1, "same = 's'": 1, "same = 'seven'": 0, "s.x = '5' AND w = 2": 1, "kept.z = 'e'": 1, "n IS NULL": 1} {
		rows, err := scanOf(t, d, arrowio.ScanOptions{Filter: parseFilter(t, filter)})
		if err != nil || len(rows) != n {
			t.Errorf("%s: %v, %v", filter, rows, err)
		}
	}
	// Only some columns, and an error that names its column.
	if rows, err := scanOf(t, d, arrowio.ScanOptions{Columns: []string{"s.x"}}); err != nil || !sameJSON(rows[0], map[string]any{"s": map[string]any{"x": "5"}}) {
		t.Errorf("%v, %v", rows, err)
	}
	bad := fromJSON(t, columnsOf("n", tI32), `[{"n": 13}]`)
	defer bad.Release()
	f, err := view.Show(recordfile.File{Record: bad}, columnsOf("n", tStr), view.Options{Cast: halved})
	if err != nil {
		t.Fatal(err)
	}
	var e *errs.Error
	if _, err := scanOf(t, dataset.FromFile("", f), arrowio.ScanOptions{}); !errors.As(err, &e) || e.Column != "n" || e.Kind != errs.ErrSchema {
		t.Error(err)
	}
}
