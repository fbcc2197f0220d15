package plans

import (
	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowipc"
)

// NarrowDecimals returns the columns that a schema has as decimals of 32 or 64 bits, which come back as decimals of 128 bits.
func NarrowDecimals(s *arrowipc.Schema) (out []arrowio.Loss) {
	for _, d := range s.NarrowDecimals() {
		out = append(out, arrowio.Loss{Of: arrowio.LossOfColumn, Path: expr.Quote(d.Path...), Text: d.Stored + " is read as " + d.Read})
	}
	return out
}
