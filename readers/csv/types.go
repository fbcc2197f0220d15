package csv

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/inferred"
	"github.com/arrowio/arrowio/internal/textvalues"
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
func (f *file) AsText() error {
	return fmt.Errorf("%w reads all columns as text, %w reads them as the types that it says", errs.Opt("csv-types", "utf8"), errs.Opt("schema", ""))
}

// teller is what says the type of a column.
type teller uint8

const (
	inference teller = iota
	allFiles         // the values of all files that are read together
	schema           // what the user asks for
)

// ReadAs implements inferred.File. Every column can be text. One without values is null where text does not become what is
// asked for.
func (f *file) ReadAs(asked []arrow.DataType) arrowio.File {
	return f.readAs(asked, false)
}

// ReadUnder implements inferred.File.
func (f *file) ReadUnder(told []arrow.DataType) arrowio.File {
	return f.readAs(told, true)
}

func (f *file) readAs(asked []arrow.DataType, bySchema bool) arrowio.File {
	g := *f
	g.kinds, g.told = slices.Clone(f.kinds), make([]teller, len(f.kinds))
	fields := slices.Clone(f.Fields.Fields())
	for i, t := range asked {
		switch {
		case t == nil:
			continue
		case bySchema && textvalues.For(t) != nil:
			g.told[i], fields[i].Type = schema, t
			continue
		case arrow.TypeEqual(t, fields[i].Type):
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
		g.kinds[i], g.told[i], fields[i].Type = k, allFiles, types[k]
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
