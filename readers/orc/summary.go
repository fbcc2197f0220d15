package orc

import (
	"context"
	"math/big"

	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// Summary tells what is exact of a column by the statistics of the file. Nothing is known of times, whose bounds are cut to milliseconds,
// nor of files with encrypted columns.
func (f *File) Summary(ctx context.Context, path string) (expr.Summary, error) {
	out := expr.Summary{Nulls: -1}
	c := f.subject(path)
	if c == nil || f.footer.Encryption != nil || f.first[len(f.first)-1] != f.footer.Rows {
		return out, nil
	}
	if f.quirks.MayPose(f.footer) {
		var err error
		if c.posed, err = f.posed(ctx); err != nil || c.posed {
			return out, err
		}
	}
	s, err := f.footer.Stats.At(c.typ.ID)
	if err != nil {
		return out, located(err, "footer", f.tail.footer.Off)
	}
	st := c.stats(&s, place{rows: f.footer.Rows, merged: true})
	out.Nulls = st.Nulls
	if st.Nulls < 0 || s.Values == 0 || st.Min == nil || st.Max == nil || f.doubt(c.typ, &s) != "" {
		return out, nil
	}
	out.Min, out.Max = c.exact(&s, st.Min, st.Max)
	switch c.typ.Kind {
	case orcwire.Byte, orcwire.Short, orcwire.Int, orcwire.Long:
		if s.Int.Sum != nil {
			out.Sum = plausibleSum(*s.Int.Sum, *s.Int.Min, *s.Int.Max, s.Values)
		}
	}
	return out, nil
}

// exact returns bounds as values of the column; nil where they may be none.
func (c *subject) exact(s *orcwire.ColumnStats, lo, hi scalar.Scalar) (least, greatest scalar.Scalar) {
	switch c.typ.Kind {
	case orcwire.Boolean, orcwire.Byte, orcwire.Short, orcwire.Int, orcwire.Long, orcwire.Date, orcwire.Double:
		return lo, hi
	case orcwire.Float: // some writers bound the doubles that they were given
		x, y := float32(*s.Double.Min), float32(*s.Double.Max)
		if float64(x) == *s.Double.Min && float64(y) == *s.Double.Max {
			return scalar.NewFloat32Scalar(x), scalar.NewFloat32Scalar(y)
		}
	case orcwire.String, orcwire.Varchar: // others may cut bounds without saying so
		w := c.file.quirks.Writer
		known := w == orcwire.WriterJava || w == orcwire.WriterCPP || c.file.footer.SoftwareVersion == "arrowio"
		if known && s.String.Min != nil && s.String.Max != nil {
			return lo, hi
		}
	case orcwire.Decimal:
		if c.typ.Precision == 0 {
			return nil, nil // of Hive 0.11: any number of digits
		}
		if up := c.decimal(s.Decimal.Min, true); up != nil && scalar.Equals(lo, up) {
			if down := c.decimal(s.Decimal.Max, false); down != nil && scalar.Equals(hi, down) {
				return lo, hi
			}
		}
	}
	return nil, nil
}

// plausibleSum returns the sum of n values between bounds; nil where it cannot be that, as after an overflow.
func plausibleSum(sum, low, high, n int64) *big.Int {
	out, of := big.NewInt(sum), big.NewInt(n)
	if out.Cmp(new(big.Int).Mul(big.NewInt(low), of)) < 0 || out.Cmp(new(big.Int).Mul(big.NewInt(high), of)) > 0 {
		return nil
	}
	return out
}
