package orc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
)

var keysOption = errs.Opt("orc-keys", "")

// NoBytes returns the warning about a file of 0 bytes.
func NoBytes() arrowio.Warning {
	return arrowio.Warnf(arrowio.WarnDoubt, "the file has no bytes and is read as one without rows: Hive writes such files, but a write or a copy that was cut off leaves them, too")
}

// Warnings implements arrowio.Warner: encrypted columns whose keys are not here show the values that the writer put in
// their place, a file of no bytes may have had rows, and times before 1900 that were read may not be what C++ wrote.
func (f *File) Warnings() []arrowio.Warning {
	if f.src.Size() == 0 {
		return []arrowio.Warning{NoBytes()}
	}
	return slices.Concat(f.rescued, f.masked(), f.twoClocks())
}

// masked is the warning about encrypted columns.
func (f *File) masked() []arrowio.Warning {
	e := f.footer.Encryption
	if e == nil || len(f.first) == 0 || f.first[len(f.first)-1] == 0 {
		return nil
	}
	var columns, keys []string
	for _, v := range e.Variants {
		root := f.footer.Types[v.Root]
		if _, open := f.secrets.variant(root.ID); open {
			continue
		}
		if name := e.Keys[v.Key].Name; !slices.Contains(keys, name) {
			keys = append(keys, name)
		}
		for i, t := range f.top[:f.schema.NumFields()] {
			if path := fieldPath(t, f.schema.Field(i), root); path != "" && !slices.Contains(columns, path) {
				columns = append(columns, path)
			}
		}
	}
	if len(columns) == 0 {
		return nil
	}
	return []arrowio.Warning{{
		Kind: arrowio.WarnMasked, Columns: columns, Rows: f.first[len(f.first)-1],
		Text:    fmt.Sprintf("encrypted columns are shown masked because the keys %s are missing (%v)", strings.Join(keys, ", "), keysOption),
		Options: []errs.Option{keysOption},
	}}
}

// Doubts returns what makes the rows doubtful: see arrowio.Warner.
func (f *File) Doubts() []error {
	doubts := f.footer.BadNames.Errors(errs.At{Format: Name, Op: "footer", Off: errs.N(f.tail.footer.Off)})
	if f.joined != nil {
		doubts = append(doubts, errs.Locate(f.joined, errs.At{Format: Name}))
	}
	return doubts
}

// fieldPath returns the dotted path of what of a field is within the subtree of root, or holds it; "" = nothing is.
// Children of lists, maps and unions have no path of their own.
func fieldPath(t *orcwire.Type, field arrow.Field, root *orcwire.Type) string {
	switch {
	case t.ID >= root.ID && t.ID <= root.Last:
		return field.Name
	case root.ID < t.ID || root.ID > t.Last:
		return ""
	}
	if s, ok := field.Type.(*arrow.StructType); ok && t.Kind == orcwire.Struct {
		for i, c := range t.Children {
			if path := fieldPath(c, s.Field(i), root); path != "" {
				return field.Name + "." + path
			}
		}
	}
	return field.Name
}
