package jsonl

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// A name that JSON cannot have is refused before anything is written, and the error says that it is a name.
func TestNameNotUTF8(t *testing.T) {
	bad := arrow.Field{Name: "\xf6", Type: arrow.PrimitiveTypes.Int64}
	for _, f := range []arrow.Field{bad, {Name: "s", Type: arrow.StructOf(bad)}, {Name: "l", Type: arrow.ListOf(arrow.StructOf(bad))}} {
		_, err := Format().Plan(arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, f}, nil), arrowio.WriteOptions{})
		if !errors.Is(err, errs.ErrSchema) || !strings.Contains(err.Error(), "names must be UTF-8") {
			t.Errorf("%v: %v", f, err)
		}
	}
}
