package view

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowcheck"
)

// Text and bytes become views, of a slice and in lists and dictionaries, too.
func TestTextAsViews(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	var rows []string
	for n := range 20 { // up to 12 bytes stand in the view
		rows = append(rows, fmt.Sprintf("%q", strings.Repeat("é", n/2)+strings.Repeat("x", n%2)), "null")
	}
	one := func(t arrow.DataType) arrow.DataType { return t }
	list := func(t arrow.DataType) arrow.DataType { return arrow.ListOf(t) }
	for _, c := range []struct {
		from, to arrow.DataType
		json     string
		show     func(t arrow.DataType) arrow.DataType
	}{
		{tStr, arrow.BinaryTypes.StringView, "[" + strings.Join(rows, ",") + "]", one},
		{tBin, arrow.BinaryTypes.BinaryView, `["", null, "YWJjZGVmZ2hpamtsbW5vcHFyc3Q=", "YWJj"]`, one},
		{&arrow.DictionaryType{IndexType: tI8, ValueType: tStr}, arrow.BinaryTypes.StringView, "[" + strings.Join(rows, ",") + "]", one},
		{tStr, arrow.BinaryTypes.StringView, `[["a", "some text that is longer"], null, [], [null, "other text that is longer"]]`, list},
	} {
		arr, _, err := array.FromJSON(memory.NewGoAllocator(), c.show(c.from), strings.NewReader(c.json))
		if err != nil {
			t.Fatal(err)
		}
		convert, err := (rules{}).conversionOfType(arrow.Field{Type: c.show(c.from)}, arrow.Field{Type: c.show(c.to)}, "x")
		if err != nil {
			t.Fatal(err)
		}
		for from := range min(3, arr.Len()) {
			part := array.NewSlice(arr, int64(from), int64(arr.Len()))
			d, err := convert(part.Data(), nil, mem)
			if err != nil {
				t.Fatal(err)
			}
			if err := arrowcheck.Data(d); err != nil {
				t.Errorf("%s as %s: %v", c.from, c.to, err)
			}
			got := array.MakeFromData(d)
			for i := range part.Len() {
				if got.ValueStr(i) != part.ValueStr(i) || got.IsNull(i) != part.IsNull(i) {
					t.Errorf("%s as %s: row %d is %s, want %s", c.from, c.to, i, got.ValueStr(i), part.ValueStr(i))
				}
			}
			got.Release()
			d.Release()
			part.Release()
		}
	}
}

// What does not fit is refused in a sentence that says which type to name.
func TestTypesThatHoldLess(t *testing.T) {
	for _, c := range []struct {
		from, to arrow.DataType
		says     string
	}{
		{arrow.BinaryTypes.StringView, tStr, "it is string_view in the file, and utf8 cannot hold every string_view; large_utf8 can"},
		{arrow.BinaryTypes.BinaryView, tBin, "it is binary_view in the file, and binary cannot hold every binary_view; large_binary can"},
		{arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView, "it is large_utf8 in the file, and string_view cannot hold every large_utf8; large_utf8 can"},
		{arrow.ListOf(tI64), arrow.ListViewOf(tI64), "which is not read as list_view<item: int64, nullable>: name the kind of list that the file has"},
	} {
		_, err := (rules{}).conversionOfType(arrow.Field{Type: c.from}, arrow.Field{Type: c.to}, "x")
		if err == nil || !strings.HasSuffix(err.Error(), c.says) {
			t.Errorf("%s as %s: %v", c.from, c.to, err)
		}
		if _, err := (rules{}).conversionOfType(arrow.Field{Type: c.from}, arrow.Field{Type: arrow.BinaryTypes.LargeString}, "x"); bytesKind(c.from) == 's' && err != nil {
			t.Errorf("%s as large_utf8: %v", c.from, err)
		}
	}
}

// Views that share bytes ask for more memory than there is.
func TestViewsOfTheSameBytes(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	all := make([]byte, 1<<20)
	views := make([]arrow.ViewHeader, 1<<16)
	for i := range views {
		views[i].SetBytes(all)
		views[i].SetIndexOffset(0, 0)
	}
	d := array.NewData(arrow.BinaryTypes.BinaryView, len(views), []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(views)), memory.NewBufferBytes(all)}, nil, 0, 0)
	convert, err := (rules{}).conversionOfType(arrow.Field{Type: d.DataType()}, arrow.Field{Type: arrow.BinaryTypes.LargeBinary}, "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := convert(d, nil, mem); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("%v", err)
	}
}

func BenchmarkViews(b *testing.B) {
	for _, c := range []struct {
		name        string
		short, long int
	}{{"short", 3, 12}, {"mixed", 4, 24}, {"long", 100, 300}} {
		b.Run(c.name, func(b *testing.B) {
			build := array.NewStringBuilder(memory.DefaultAllocator)
			for i := range 10_000 {
				build.Append(strings.Repeat("x", c.short+i*7919%(c.long-c.short)))
			}
			d := build.NewArray().Data()
			convert := viewConversion(arrow.BinaryTypes.StringView)
			b.SetBytes(int64(d.Len() * arrow.ViewHeaderSizeBytes))
			b.ReportAllocs()
			for b.Loop() {
				out, err := convert(d, nil, memory.DefaultAllocator)
				if err != nil {
					b.Fatal(err)
				}
				out.Release()
			}
		})
	}
}
