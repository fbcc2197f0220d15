package orc

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/salvage/salvagetest"
)

// FuzzSalvage salvages any bytes.
func FuzzSalvage(f *testing.F) {
	seeds(f, 2<<10, func(b []byte) {
		f.Add(b)
		f.Add(b[:len(b)*3/4])
		f.Add(append([]byte("ORC....."), b...))
	})
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<14 {
			return
		}
		file := salvagetest.Bytes{
			Format: Format(), Data: b, Open: arrowio.OpenOptions{Limits: fuzzLimits}, MaxRows: fuzzRows,
			Limits: []error{errs.ErrLimit, errs.ErrBeyondNanoseconds, errs.Opt("orc-null-keys", "list")},
		}
		salvagetest.Check(t, file, "rows")
		file.Open.Schema = schema
		salvagetest.Check(t, file, "columns")
	})
}
