package view

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Unsaid returns what a file says and the schema that it is shown under does not: extension types and metadata of columns that are
// shown, and metadata of the schema, but for keys that describe one file alone. A file that is shown as it is says all.
func Unsaid(f arrowio.File) []arrowio.Loss {
	if s, ok := arrowio.As[interface{ unsaid() []arrowio.Loss }](f); ok {
		return s.unsaid()
	}
	return nil
}

func (a *adapted) unsaid() []arrowio.Loss {
	return a.rules.unsaid(a.File.Schema(), a.schema, a.columns)
}

func (s *shownFiles) unsaid() (all []arrowio.Loss) {
	for _, m := range s.match {
		for _, l := range s.rules.unsaid(m.Schema, s.Schema(), m.Columns) {
			if !slices.Contains(all, l) {
				all = append(all, l)
			}
		}
	}
	return all
}

// unsaid returns what one schema says and another does not, whose columns are those of the first at some places; -1 = none.
func (c rules) unsaid(file, to *arrow.Schema, at []int) []arrowio.Loss {
	x := unsaying{rules: c}
	x.fields(file.Fields(), to.Fields(), at, nil)
	md := file.Metadata()
	for _, k := range schemadiff.Keys(md, to.Metadata()) {
		if v, _ := md.GetValue(k); !describesFile(k, v) {
			x.found = append(x.found, arrowio.Loss{Of: arrowio.LossOfMetadata, Key: k, Text: "is not in the schema asked for and is left out"})
		}
	}
	return x.found
}

// unsaying grows field by field.
type unsaying struct {
	rules
	found []arrowio.Loss
}

func (x *unsaying) fields(from, to []arrow.Field, at []int, above []string) {
	for i, f := range to {
		if at[i] >= 0 {
			x.field(from[at[i]], f, append(slices.Clone(above), f.Name))
		}
	}
}

func (x *unsaying) field(from, to arrow.Field, path []string) {
	quoted := expr.Quote(path...)
	if e := extensionOf(from); e.name != "" && !e.same(extensionOf(to)) {
		x.found = append(x.found, arrowio.Loss{Of: arrowio.LossOfColumn, Path: quoted, Text: fmt.Sprintf("the extension type %s is not in the schema asked for and is left out", e.name)})
	}
	for _, k := range schemadiff.Keys(from.Metadata, to.Metadata) {
		if !isStorage(k) {
			x.found = append(x.found, arrowio.Loss{Of: arrowio.LossOfColumn, Path: quoted, Key: k, Text: fmt.Sprintf("metadata %s is not in the schema asked for and is left out", k)})
		}
	}
	a, b := arrowtype.Value(from.Type), arrowtype.Value(to.Type)
	in, out := fieldsIn(a), fieldsIn(b)
	s, ok := a.(*arrow.StructType)
	t, both := b.(*arrow.StructType)
	at := make([]int, len(out))
	for i := range out {
		switch at[i] = i; {
		case ok && both:
			at[i] = x.find(s.Fields(), t.Field(i).Name)
		case ok || both || i >= len(in):
			at[i] = -1
		}
	}
	x.fields(in, out, at, path)
}
