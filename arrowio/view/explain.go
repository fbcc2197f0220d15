package view

import (
	"errors"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Field says how one field is shown if a file is shown under another schema: see Explain.
type Field struct {
	Path   string `json:"path"`             // path in the requested schema; "" = not in it
	Type   string `json:"type,omitempty"`   // type in the requested schema
	From   string `json:"from,omitempty"`   // path in the file; "" = the file does not have it
	Stored string `json:"stored,omitempty"` // type in the file
	How    string `json:"how"`              // a ShownAs…
	Why    string `json:"why,omitempty"`    // an explanation in words

	// Files is the number of files of a Composed for which this holds, and FilesTotal the number of its files; 0 = it holds for
	// all.
	Files      int `json:"files,omitempty"`
	FilesTotal int `json:"files_total,omitempty"`
}

// Values of Field.How: how a field is shown.
const (
	ShownAsItIs     = "as it is"
	ShownWidened    = "widened"  // every value is one of the wider type
	ShownCast       = "cast"     // values are converted by Options.Cast
	ShownDefault    = "default"  // the file does not have it; the schema has a default value
	ShownNull       = "null"     // the file does not have it; all rows are null
	ShownPartly     = "inside"   // the fields in it differ; they are listed after it
	ShownNot        = "left out" // the schema does not have it
	ShownImpossible = "refused"  // Show refuses the file because of it; Why has the text of the error
)

// Explain returns how Show would show each field of a file: first the fields of the requested schema in its order, structs before
// their children, then the columns of the file that the schema does not have. ok reports whether Show accepts the file. The error
// is about one of the schemas itself, for example that two columns have one name.
func Explain(file, to *arrow.Schema, o Options) (fields []Field, ok bool, err error) {
	r, columns, err := matched(file, to, o)
	if err != nil {
		return nil, false, err
	}
	x := explanation{rules: r, ok: true}
	x.fields(file.Fields(), to.Fields(), columns, "", "")
	return x.out, x.ok, nil
}

// explanation grows field by field.
type explanation struct {
	rules
	out []Field
	ok  bool
}

// fields tells of each field in two lists; at is the one of `from` for each of `to`, -1 = none.
func (x *explanation) fields(from, to []arrow.Field, at []int, fromPath, toPath string) {
	used := make([]bool, len(from))
	for i, f := range to {
		path := toPath + f.Name
		if at[i] < 0 {
			x.missing(f, path)
			continue
		}
		used[at[i]] = true
		x.field(from[at[i]], f, fromPath+from[at[i]].Name, path)
	}
	for i, f := range from {
		if !used[i] {
			x.out = append(x.out, Field{From: fromPath + f.Name, Stored: f.Type.String(), How: ShownNot, Why: "the schema does not have it"})
		}
	}
}

func (x *explanation) missing(f arrow.Field, path string) {
	s := Field{Path: path, Type: f.Type.String(), How: ShownNull, Why: "the file does not have it"}
	if text, ok := defaultOf(f); ok {
		s.How, s.Why = ShownDefault, text
	}
	x.judge(&s, missing(f, path))
	x.out = append(x.out, s)
}

// judge notes a refusal.
func (x *explanation) judge(s *Field, err error) {
	if err == nil {
		return
	}
	x.ok = false
	s.How, s.Why = ShownImpossible, err.Error()
	if e := (*errs.Error)(nil); errors.As(err, &e) {
		s.Why = e.Err.Error()
		if e.Column != s.Path {
			s.Why = e.Column + ": " + s.Why
		}
	}
}

func (x *explanation) field(from, to arrow.Field, fromPath, toPath string) {
	s := Field{Path: toPath, Type: to.Type.String(), From: fromPath, Stored: from.Type.String(), How: ShownWidened}
	c, err := x.conversionOf(from, to, toPath)
	a, isStruct := from.Type.(*arrow.StructType)
	b, toStruct := to.Type.(*arrow.StructType)
	switch {
	case isStruct && toStruct && !(from.Nullable && !to.Nullable) && !twoOfOneName(a) && !twoOfOneName(b) && (c != nil || err != nil):
		s.How = ShownPartly
		x.out = append(x.out, s)
		at := make([]int, b.NumFields())
		for i, f := range b.Fields() {
			at[i] = x.find(a.Fields(), f.Name)
		}
		x.fields(a.Fields(), b.Fields(), at, fromPath+".", toPath+".")
		return
	case err == nil && c == nil:
		s.How = ShownAsItIs
	case nestedType(from.Type):
		s.How = ShownPartly
	case x.cast.of(from, to) != nil:
		s.How = ShownCast
		if to.Nullable {
			s.Why = "what does not fit is null"
		}
		if arrow.TypeEqual(from.Type, to.Type) {
			s.Why = "their metadata differ"
		}
	}
	if from.Name != to.Name && s.How != ShownImpossible && s.Why == "" {
		s.Why = "named " + strconv.Quote(from.Name) + " in the file"
	}
	x.judge(&s, err)
	x.out = append(x.out, s)
}
