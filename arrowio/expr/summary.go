package expr

import (
	"math/big"

	"github.com/apache/arrow/go/v15/arrow/scalar"
)

// Summary is what a file says of the values of a column that lies in structs alone, as far as a scan of all rows would find exactly
// that. A file that can tell has a method Summary(ctx, path), which decodes no rows. What the writer of the file is known to get wrong
// is not known.
type Summary struct {
	Nulls    int64         // rows in which the column, or a struct above it, is null; -1 = not known
	Min, Max scalar.Scalar // the least and the greatest value besides null and NaN, in full; nil = there is none, or it is not known
	Sum      *big.Int      // of whole numbers; nil = not known
}
