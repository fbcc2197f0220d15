package inferred

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// File is a file whose types were inferred.
type File interface {
	arrowio.File
	// Inferred is Schema with marks.
	Inferred() *arrow.Schema
	// ReadAs returns the file as one of other types: each column has the type that is asked for, if that holds the values
	// seen, else its own. nil asks for nothing. The result reads from the same source.
	ReadAs(types []arrow.DataType) arrowio.File
	// ReadUnder returns the file as one whose types are told: each column has the type that is asked for, if the reader makes it of
	// text, whatever the values seen; reading a value that is not one is an error. All else is as in ReadAs.
	ReadUnder(types []arrow.DataType) arrowio.File
	// AsText says which options read the columns as text, as a part of an error.
	AsText() error
}

// within returns the File that f wraps, if it is one and is shown as it is.
func within(f arrowio.File) (File, bool) {
	x, ok := arrowio.As[File](f)
	return x, ok && x.Schema() == f.Schema()
}

// SchemaOf returns the schema of a file, with marks if its types were inferred.
func SchemaOf(f arrowio.File) *arrow.Schema {
	if x, ok := within(f); ok {
		return x.Inferred()
	}
	return f.Schema()
}

// AsText says which options read the columns of a file as text, as a part of an error; nil = its types were not inferred.
func AsText(f arrowio.File) error {
	if x, ok := within(f); ok {
		return x.AsText()
	}
	return nil
}

// Key tells schemas apart by the marks of their columns.
func Key(s *arrow.Schema) string {
	var b strings.Builder
	for i := range s.NumFields() {
		if t, ok := marks(s.Field(i)); ok {
			b.WriteByte(byte(t))
			b.WriteByte(byte(t >> 8))
		}
	}
	return b.String()
}

// ReadAs returns f with columns of other types, as far as its types were inferred and these hold the values seen: see
// File.ReadAs. Closing the result closes f.
func ReadAs(f arrowio.File, types []arrow.DataType) arrowio.File {
	if x, ok := within(f); ok {
		return &other{File: f, text: x.ReadAs(types)}
	}
	return f
}

// ReadUnder is ReadAs for types that a schema tells: see File.ReadUnder.
func ReadUnder(f arrowio.File, types []arrow.DataType) arrowio.File {
	if x, ok := within(f); ok {
		return &other{File: f, text: x.ReadUnder(types)}
	}
	return f
}

// other is a File whose rows are read as other types.
type other struct {
	arrowio.File
	text arrowio.File // File below all that wraps it, under these types
}

func (o *other) Unwrap() arrowio.File  { return o.File }
func (o *other) Schema() *arrow.Schema { return o.text.Schema() }

func (o *other) Info(ctx context.Context, in arrowio.InfoOptions) (*arrowio.Info, error) {
	return o.text.Info(ctx, in)
}

func (o *other) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	return o.text.Prune(ctx, s, pred)
}

func (o *other) Read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	return o.text.Read(ctx, s, rows, p, mem)
}

// TypeFor returns the type that a field is read as if `to` is asked for: `to`, where that holds the values seen and the
// reader can make it, else the field's own. Lists and structs have, inside, what is asked for inside.
func TypeFor(f arrow.Field, to arrow.DataType, can func(arrow.DataType) bool) arrow.DataType {
	if t, ok := marks(f); ok {
		if (t == Any || t&Of(to) != 0) && can(to) {
			return to
		}
		return f.Type
	}
	return nested(f.Type, to, func(f arrow.Field, to arrow.DataType) arrow.DataType { return TypeFor(f, to, can) })
}

// TypeUnder returns the type that a field is read as if a schema says `to`: `to`, if the reader makes it of text or of an object,
// whatever the values seen, as parses reports, else what TypeFor returns. Lists and structs have, inside, what the schema says inside.
func TypeUnder(f arrow.Field, to arrow.DataType, can, parses func(arrow.DataType) bool) arrow.DataType {
	if parses(to) {
		return to
	}
	if _, ok := marks(f); ok {
		return TypeFor(f, to, can)
	}
	return nested(f.Type, to, func(f arrow.Field, to arrow.DataType) arrow.DataType { return TypeUnder(f, to, can, parses) })
}

// nested returns a list or struct with what `of` says of the fields in it that have one of the same place in `to`; other types as
// they are.
func nested(from, to arrow.DataType, of func(f arrow.Field, to arrow.DataType) arrow.DataType) arrow.DataType {
	switch from := from.(type) {
	case *arrow.ListType:
		if l, ok := to.(*arrow.ListType); ok {
			elem := from.ElemField()
			elem.Type = of(elem, l.Elem())
			return arrow.ListOfField(elem)
		}
	case *arrow.StructType:
		s, ok := to.(*arrow.StructType)
		if !ok {
			break
		}
		fields := make([]arrow.Field, from.NumFields())
		for i, c := range from.Fields() {
			if k, ok := s.FieldIdx(c.Name); ok {
				c.Type = of(c, s.Field(k).Type)
			}
			fields[i] = c
		}
		return arrow.StructOf(fields...)
	}
	return from
}

// Note tells users how many rows the types were inferred from.
func Note(rows int64) string {
	if rows == 1 {
		return "types inferred from 1 row"
	}
	return fmt.Sprintf("types inferred from %d rows", rows)
}
