package trevni

import (
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/salvage/salvagetest"
)

// FuzzSalvage salvages any bytes.
func FuzzSalvage(f *testing.F) {
	for _, p := range fixtures.Small(f, 3<<10, data+"*/*.trv", corrupt+"*.trv") {
		b := fixtures.Read(f, p)
		f.Add(b)
		f.Add(b[:len(b)*3/4])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<14 {
			return
		}
		file := salvagetest.Bytes{Format: Format(), Data: b, Open: arrowio.OpenOptions{Limits: fuzzLimits}, MaxRows: fuzzRows, Limits: []error{errs.ErrLimit}}
		salvagetest.Check(t, file, "rows")
		salvagetest.Check(t, file, "columns")
	})
}
