package view

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// Cast returns the function that converts values of one field to the type of another: see Options.Cast. nil = it does not convert
// these; they are then widened, or refused, as without a Cast. It is called for pairs of fields that are not structs, lists, maps
// or unions, also if their types are equal, since their metadata may differ. Its result must depend only on its arguments.
// Filters on a column that is cast prune nothing.
type Cast func(from, to arrow.Field) Casting

// Casting converts the rows of d to another type, with memory from mem. The caller releases the result, and still owns d, which
// may be a slice. Nulls stay null. Values may become null only if the field that they are shown as is nullable.
type Casting func(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error)

// WiderError says that values of one type do not all have a place in another. A Cast may convert them nevertheless.
type WiderError struct{ From, To arrow.Field }

func (e *WiderError) Error() string {
	from, to := arrowtype.Value(e.From.Type), arrowtype.Value(e.To.Type)
	_, list := from.(arrow.ListLikeType)
	if _, both := to.(arrow.ListLikeType); list && both && from.ID() != arrow.MAP && to.ID() != arrow.MAP {
		return fmt.Sprintf("it is %s in the file, which is not read as %s: name the kind of list that the file has", e.From.Type, e.To.Type)
	}
	text := fmt.Sprintf("it is %s in the file, and %s cannot hold every %[1]s", e.From.Type, e.To.Type)
	if k := bytesKind(to); k != 0 && k == bytesKind(from) {
		text += fmt.Sprintf("; %s can", joinBytes([]kind{k}))
	}
	return text
}

// of asks about two fields.
func (c Cast) of(from, to arrow.Field) Casting {
	if c == nil || nestedType(from.Type) || nestedType(to.Type) {
		return nil
	}
	return c(from, to)
}

// within reports whether anything is cast in two fields whose types are equal.
func (c Cast) within(from, to arrow.Field) bool {
	if c == nil {
		return false
	}
	a, ok := from.Type.(arrow.NestedType)
	b, ok2 := to.Type.(arrow.NestedType)
	if !ok || !ok2 || !nestedType(from.Type) {
		return c.of(from, to) != nil
	}
	for i, f := range a.Fields() {
		if c.within(f, b.Fields()[i]) {
			return true
		}
	}
	return false
}

// nestedType reports whether a type is made of others: dictionaries and runs are other ways to store one.
func nestedType(t arrow.DataType) bool {
	switch t.(type) {
	case *arrow.StructType, *arrow.MapType, arrow.ListLikeType, arrow.UnionType:
		return true
	}
	return false
}
