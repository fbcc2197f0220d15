package view

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowmeta"
)

// tableID is a key of fields with which the tests mark files that are of an Iceberg table and can be read by id.
const tableID = "test.id"

func sourceOf(k int, s *arrow.Schema) Source {
	out := Source{Name: string(rune('0' + k))}
	if s.NumFields() > 0 && s.Field(0).Metadata.FindKey(tableID) >= 0 {
		out.Iceberg, out.ByID = true, fmt.Errorf("%w reads by id", errs.Opt("by-id", ""))
	}
	return out
}

// Names that differ in case, and ids that differ, are doubts where the schemas do not agree, and nothing else is.
func TestDoubts(t *testing.T) {
	id := func(f arrow.Field, id string, kv ...string) arrow.Field {
		m := map[string]string{arrowmeta.FieldID: id}
		for _, k := range kv {
			m[k] = id
		}
		f.Metadata = arrow.MetadataFrom(m)
		return f
	}
	in := func(f ...arrow.Field) arrow.Field { return opt("s", arrow.ListOf(arrow.StructOf(f...))) }
	const orc = tableID
	for _, c := range []struct {
		name    string
		by      Match
		schemas []*arrow.Schema
		columns []string
		want    []string
	}{
		{"other columns", ByName, []*arrow.Schema{schemaOf(opt("a", tI8)), schemaOf(opt("a", tI16), opt("b", tI8))}, nil, nil},
		{"both in one", ByName, []*arrow.Schema{schemaOf(opt("a", tI8), opt("A", tI8)), schemaOf(opt("a", tI8))}, nil, nil},
		{"by position", ByPosition, []*arrow.Schema{schemaOf(opt("a", tI8)), schemaOf(opt("A", tI8))}, nil, nil},
		{"without names", ByName, []*arrow.Schema{schemaOf(opt("_col0", tI8)), schemaOf(opt("A", tI8))}, nil, nil},
		{
			"case", ByName,
			[]*arrow.Schema{schemaOf(opt("id", tI8), opt("Name", tI8), opt("c", tI8)), schemaOf(opt("ID", tI8), opt("name", tI8), opt("c", tI8)), schemaOf(opt("Id", tI8))},
			nil,
			[]string{"id (0) and ID (1) differ only in case and are two columns; the same holds of Name and name", "id (0) and Id (2) differ only in case and are two columns"},
		},
		{
			"of columns that are read", ByName,
			[]*arrow.Schema{schemaOf(opt("id", tI8), opt("Name", tI8)), schemaOf(opt("ID", tI8), opt("name", tI8))},
			[]string{"name"},
			[]string{"Name (0) and name (1) differ only in case and are two columns"},
		},
		{"of no columns", ByName, []*arrow.Schema{schemaOf(opt("id", tI8)), schemaOf(opt("ID", tI8))}, []string{}, nil},
		{
			"spaces", ByName,
			[]*arrow.Schema{schemaOf(opt("a", tI8)), schemaOf(opt(" a", tI8)), schemaOf(opt("A ", tI8))},
			nil,
			[]string{`a (0) and " a" (1) differ only in spaces at the ends and are two columns`, `a (0) and "A " (2) differ only in case and in spaces at the ends and are two columns`},
		},
		{
			"below", ByPosition,
			[]*arrow.Schema{schemaOf(in(opt("p", tI8))), schemaOf(in(opt("P", tI8)))},
			nil,
			[]string{"s.item.p (0) and s.item.P (1) differ only in case and are two columns"},
		},
		{"equal ids", ByName, []*arrow.Schema{schemaOf(id(opt("a", tI8), "1")), schemaOf(opt("a", tI8)), schemaOf(id(opt("a", tI16), "1"))}, nil, nil},
		{
			"ids", ByName,
			[]*arrow.Schema{schemaOf(id(opt("a", tI8), "1")), schemaOf(id(opt("a", tI8), "2"))},
			nil,
			[]string{"a is field 1 in 0 and field 2 in 1: if the files are of an Iceberg table, its columns were renamed"},
		},
		{
			"ids of ORC", ByName,
			[]*arrow.Schema{schemaOf(id(opt("a", tI8), "1", orc), id(opt("b", tI8), "2", orc)), schemaOf(id(opt("a", tI8), "2", orc), id(opt("b", tI8), "1", orc)), schemaOf(id(opt("a", tI8), "3", orc))},
			nil,
			[]string{"a is field 1 in 0 and field 2 in 1: the files are of an Iceberg table whose columns were renamed; --by-id reads by id; the same holds of b"},
		},
		{
			"renamed", ByName,
			[]*arrow.Schema{
				schemaOf(id(opt("id", tI8), "1", orc), id(opt("city", tStr), "2", orc), id(in(id(opt("x", tI8), "5")), "4")),
				schemaOf(id(opt("id", tI8), "1", orc), id(opt("town", tStr), "2", orc), id(in(id(opt("y", tI16), "5")), "4")),
			},
			nil,
			[]string{"field 2 is city in 0 and town in 1, and is read as two columns: the files are of an Iceberg table whose columns were renamed; --by-id reads by id; the same holds of s.item.x and s.item.y"},
		},
		{
			"renamed, of columns that are read", ByName,
			[]*arrow.Schema{schemaOf(id(opt("a", tI8), "1"), id(opt("b", tI8), "2")), schemaOf(id(opt("a", tI8), "1"), id(opt("c", tI8), "2"))},
			[]string{"a"},
			nil,
		},
		{
			"one id, other types", ByName,
			[]*arrow.Schema{schemaOf(id(opt("a", tI8), "1")), schemaOf(id(opt("b", tStr), "1"))},
			nil, nil,
		},
		{
			"one id, both names in one", ByName,
			[]*arrow.Schema{schemaOf(id(opt("a", tI8), "1"), opt("b", tI8)), schemaOf(id(opt("b", tI8), "1"))},
			nil, nil,
		},
		{
			"a name used again", ByName,
			[]*arrow.Schema{schemaOf(id(opt("city", tStr), "2")), schemaOf(id(opt("town", tStr), "2"), id(opt("city", tStr), "3"))},
			nil,
			[]string{"city is field 2 in 0 and field 3 in 1: if the files are of an Iceberg table, its columns were renamed"},
		},
	} {
		u, err := Join(c.schemas, func(k int) Source { return sourceOf(k, c.schemas[k]) }, c.by)
		if err != nil {
			t.Fatal(c.name, err)
		}
		var got []string
		for _, w := range u.Doubts(c.columns) {
			got = append(got, w.String())
			if byID := strings.Contains(w.Text, "--by-id"); byID != (len(w.Options) == 1) {
				t.Errorf("%s: the options %v of %s", c.name, w.Options, w.Text)
			}
			if w.Kind != "doubt" || w.File != "0" || len(w.Columns) == 0 {
				t.Errorf("%s: %+v", c.name, w)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// The error about types names the option that reads by id, if the files have ids for it.
func TestClashReadByID(t *testing.T) {
	with := func(f arrow.Field, id string) *arrow.Schema {
		f.Metadata = arrow.MetadataFrom(map[string]string{tableID: id})
		return schemaOf(f)
	}
	schemas := []*arrow.Schema{with(opt("a", tI8), "1"), with(opt("a", tStr), "2"), schemaOf(opt("a", tStr))}
	source := func(k int) Source { return sourceOf(k, schemas[k]) }
	for n, want := range map[int]bool{1: true, 2: false} {
		u, err := Join([]*arrow.Schema{schemas[0], schemas[n]}, func(k int) Source { return source(k * n) }, ByName)
		if err != nil {
			t.Fatal(err)
		}
		if err := u.Clash(0); err == nil || strings.Contains(err.Error(), "--by-id") != want {
			t.Error(n, err)
		}
	}
}
