package arrowio

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Warner is implemented by files that can be read, or checked, although something about them is doubtful or lost. Warnings
// returns what cannot be seen from the rows; losses come first. It returns at most a few thousand warnings; the last one then
// counts those left out. Verify may add more. It may be called at any time before Close. Facts that a user should be told only on
// request are in Info.Notes instead.
//
// A file may also have a method Doubts() []error. It returns what was found that makes the rows doubtful but can be passed over, such
// as bytes that belong to nothing and names that are not UTF-8: an error with a place for each finding, at most a few hundred. Some
// are found only while the file is read. WarningsOf returns them as warnings of the kind WarnDoubt. To a verification they are
// faults: Verify of a file that is a Verifier reports them.
type Warner interface {
	Warnings() []Warning
}

// WarningKind says what a Warning is about.
type WarningKind string

// Kinds of warnings.
const (
	WarnDoubt   WarningKind = "doubt"           // rows may be missing or wrong
	WarnLost    WarningKind = "lost"            // values or rows that could not be read are null or left out
	WarnMasked  WarningKind = "masked"          // encrypted columns are shown as their writer masked them
	WarnHistory WarningKind = "history"         // the snapshot is older than the history that the files keep
	WarnMissing WarningKind = "missing-file"    // a file that other files refer to does not exist
	WarnCoarse  WarningKind = "coarse"          // timestamps are read in a coarser unit than the others
	WarnColumn  WarningKind = "missing-column"  // no file has a column of the requested schema
	WarnLeftOut WarningKind = "left-out-column" // the requested schema does not have a column of the files
	WarnNames   WarningKind = "same-name"       // several columns have one name
	WarnKeys    WarningKind = "metadata"        // metadata that differs between files, or is not in the schema asked for, is left out
	WarnExtType WarningKind = "extension-type"  // an extension type or a dictionary that differs between files, or is not in the schema asked for, is left out
)

// Warning is one thing that a reader should know before trusting the rows.
type Warning struct {
	Kind    WarningKind
	File    string    // the path or URL; a File leaves it empty, and the code that opened the file sets it
	Place   string    // where in the file, as the format names it: "tablet 1f…, rowset 3"; "" = the whole file
	Columns []string  // dotted paths of the columns concerned; nil = all
	Rows    int64     // at most so many rows are concerned; UnknownRows = not known
	Range   RowRange  // of a loss, the rows of the file as it is stored, if they are one range; the zero value = not known
	Bytes   ByteRange // of a loss, where in the file the damaged part is; Len 0 = not known
	Text    string    // one line, without the name of the file; see String

	Options []errs.Option // that the text names; see errs.Respell
}

// Warnf returns a warning about a whole file, or about an unknown part of it. Rows is UnknownRows.
func Warnf(kind WarningKind, text string) Warning {
	return Warning{Kind: kind, Rows: UnknownRows, Text: text}
}

// maxNamed is how many columns String names.
const maxNamed = 20

// listed are the kinds of warnings whose texts do not name the columns.
var listed = []WarningKind{WarnMasked, WarnColumn, WarnLeftOut, WarnCoarse, WarnKeys}

// String returns the text and, if the text does not name them, the columns. Masked and missing columns, those that are left out, and those whose metadata
// differ, come after the text. Columns of a coarser unit come before it: "a, b: read in microseconds".
func (w Warning) String() string {
	if len(w.Columns) == 0 || !slices.Contains(listed, w.Kind) {
		return w.Text
	}
	names := strings.Join(w.Columns[:min(len(w.Columns), maxNamed)], ", ")
	if more := len(w.Columns) - maxNamed; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	switch {
	case w.Kind != WarnCoarse:
		return w.Text + ": " + names
	case len(w.Columns) == 1:
		return "column " + names + " is " + w.Text
	}
	return "columns " + names + " are " + w.Text
}

// MarshalJSON writes an object with the members kind, file, place, columns, rows and message. place and columns are left out if
// they are empty. rows is null if the number is not known.
// row_range and byte_range are {"start", "end"}, and are left out if they are not known.
func (w Warning) MarshalJSON() ([]byte, error) {
	type span struct {
		Start int64 `json:"start"`
		End   int64 `json:"end"`
	}
	doc := struct {
		Kind    WarningKind `json:"kind"`
		File    string      `json:"file"`
		Place   string      `json:"place,omitempty"`
		Columns []string    `json:"columns,omitempty"`
		Rows    *int64      `json:"rows"`
		Range   *span       `json:"row_range,omitempty"`
		Bytes   *span       `json:"byte_range,omitempty"`
		Text    string      `json:"message"`
	}{Kind: w.Kind, File: w.File, Place: w.Place, Columns: w.Columns, Text: w.String()}
	if w.Rows >= 0 {
		doc.Rows = &w.Rows
	}
	if w.Range.Len() > 0 {
		doc.Range = &span{w.Range.Start, w.Range.End}
	}
	if w.Bytes.Len > 0 {
		doc.Bytes = &span{w.Bytes.Off, w.Bytes.Off + w.Bytes.Len}
	}
	return json.Marshal(doc)
}

// barePath is a path without quotes and capitals, which do not tell columns apart here.
func barePath(path string) string {
	return strings.ToLower(strings.NewReplacer(`"`, "", "`", "").Replace(path))
}

// For returns the part of w that concerns a scan of the given columns, and false if none does. columns are dotted paths; nil =
// all columns.
func (w Warning) For(columns []string) (Warning, bool) {
	if columns == nil || w.Columns == nil {
		return w, true
	}
	var own []string
	for _, c := range w.Columns {
		a := barePath(c)
		if slices.ContainsFunc(columns, func(b string) bool {
			b = barePath(b)
			return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
		}) {
			own = append(own, c)
		}
	}
	w.Columns = own
	return w, len(own) > 0
}

// doubter is implemented by files in which something was found that makes the rows doubtful but can be passed over: see Warner.
type doubter interface{ Doubts() []error }

// WarningsOf returns the warnings of a file, and its doubts as warnings of the kind WarnDoubt; nil if there are none.
func WarningsOf(f File) (out []Warning) {
	for f != nil {
		w, warns := f.(Warner)
		if warns {
			out = append(out, w.Warnings()...)
		}
		d, doubts := f.(doubter)
		if doubts {
			for _, err := range d.Doubts() {
				out = append(out, doubtful(err))
			}
		}
		u, wraps := f.(interface{ Unwrap() File })
		if warns || doubts || !wraps { // a Warner has the warnings of the file that it wraps
			break
		}
		f = u.Unwrap()
	}
	return out
}

func doubtful(err error) Warning {
	w := Warnf(WarnDoubt, err.Error())
	if at, _ := errs.Where(err); at.Column != "" {
		w.Columns = []string{at.Column}
	}
	return w
}
