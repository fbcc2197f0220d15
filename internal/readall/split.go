package readall

import (
	"context"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// batchBytes is about how much of a split is decoded at a time.
const batchBytes = 64 << 20

// Split decodes the rows of s, whose number is known, for p in batches of up to so many rows. It returns the first error
// as it is.
func Split(ctx context.Context, f arrowio.File, s arrowio.Split, p arrowio.Projection, batch int64) error {
	if err := arrowtype.CheckMaps(p.Schema); err != nil {
		return err
	}
	r, err := f.Read(ctx, s, arrowio.RowSet{s.Rows}, p, arrowbuf.Shared())
	if err != nil {
		return err
	}
	defer r.Close()
	for left := s.Rows.Len(); left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := int(min(left, batch))
		if z, ok := r.(arrowio.Sizer); ok {
			n = z.Fit(n, batchBytes)
		}
		if _, err := r.Read(n); err != nil {
			return err
		}
		rec, err := r.Take()
		if err != nil {
			return err
		}
		rec.Release()
		left -= int64(n)
	}
	return nil
}
