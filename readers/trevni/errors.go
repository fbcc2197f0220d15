package trevni

import (
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func isKind(err error) bool {
	var e *errs.Error
	return errors.As(err, &e)
}

func errEnum(v int32, symbols int) error {
	return errs.Errorf(errs.ErrCorrupt, "enum value %d of %d symbols", v, symbols)
}

// symbolArray makes the dictionary of an enum. It lives on Go's heap, as long as the file.
func symbolArray(symbols []string) arrow.Array {
	b := array.NewStringBuilder(memory.NewGoAllocator())
	defer b.Release()
	b.AppendValues(symbols, nil)
	return b.NewArray()
}

// selectField returns a schema of one field of s.
func selectField(s *arrow.Schema, i int) *arrow.Schema {
	md := s.Metadata()
	return arrow.NewSchema([]arrow.Field{s.Field(i)}, &md)
}

// errPrecision says that a decimal is more than its type can hold.
func errPrecision(p int) error {
	return errs.Errorf(errs.ErrSchema, "a decimal does not fit its precision %d; %w shows the bytes", p, errs.Opt("trevni-decimals", "bytes"))
}
