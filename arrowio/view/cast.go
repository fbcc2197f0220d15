package view

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Cast makes values of one type into another where no wider type holds them both: Options.Cast. It is asked about
// the types at the bottom of two schemas, where structs, lists, maps and unions end, also about those that are the same,
// since metadata may tell them apart; nil = it has nothing to do with these two, which are widened, or refused, as ever.
// Filters on a column that is cast prune nothing. It must not depend on anything but what it is given.
type Cast func(from, to arrow.Field) Casting

// Casting makes of the rows of d those of another type, with memory from mem. The caller releases the result and keeps d,
// which may be a slice. Nulls stay nulls, and values become nulls only where the field that they are shown as has them.
type Casting func(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error)

// WiderError says that values of one type do not all have a place in another. A Cast may convert them nevertheless.
type WiderError struct{ From, To arrow.Field }

func (e *WiderError) Error() string {
	return fmt.Sprintf("it is %s in the file, and %s cannot hold every %[1]s", e.From.Type, e.To.Type)
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
