package csv

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/inferred"
)

// Inferred implements inferred.File.
func (f *file) Inferred() *arrow.Schema {
	fields := slices.Clone(f.Fields.Fields())
	for i := range fields {
		fields[i] = inferred.Mark(fields[i], f.possible[i])
	}
	return arrow.NewSchema(fields, nil)
}

// AsText implements inferred.File.
func (f *file) AsText() string {
	return "--csv-types=utf8 reads all columns as text, --schema reads them as the types that it says"
}

// ReadAs implements inferred.File. Every column can be text. One without values is null where text does not become what is
// asked for.
func (f *file) ReadAs(asked []arrow.DataType) arrowio.File {
	g := *f
	g.kinds, g.asked = slices.Clone(f.kinds), make([]bool, len(f.kinds))
	fields := slices.Clone(f.Fields.Fields())
	for i, t := range asked {
		if t == nil || arrow.TypeEqual(t, fields[i].Type) {
			continue
		}
		k, ok := kindOf(t)
		switch {
		case ok && (f.possible[i]|inferred.Text)&inferred.Of(t) != 0:
		case f.possible[i] == inferred.Any:
			k = kindNull
		default:
			continue
		}
		g.kinds[i], g.asked[i], fields[i].Type = k, true, types[k]
	}
	g.Fields = arrow.NewSchema(fields, nil)
	return &g
}

// kindOf returns the kind whose Arrow type is t.
func kindOf(t arrow.DataType) (kind, bool) {
	for k, x := range types {
		if arrow.TypeEqual(x, t) {
			return kind(k), true
		}
	}
	return 0, false
}
