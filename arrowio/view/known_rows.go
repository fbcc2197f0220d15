package view

import (
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// KnownRows are the values of columns that have one value in all rows of a file, such as those of partitions: a row for each file, or
// for all files of a partition. It must not be copied. The zero value has no rows.
type KnownRows struct {
	Record arrow.Record
	last   atomic.Pointer[lastFilter]
}

// lastFilter is the filter that was asked about last.
type lastFilter struct {
	filter *expr.Bound
	may    Possible
}

// Possible says for each of the rows whether a file with its values may have rows of a filter.
type Possible struct{ mask *array.Boolean } // null = no

// Has reports whether a file with the values of row i may have rows of the filter.
func (p Possible) Has(i int) bool { return p.mask.IsValid(i) && p.mask.Value(i) }

// May finds out which files may have rows of a filter. An error says what is wrong with a comparison.
func (k *KnownRows) May(filter expr.Expr) (Possible, error) {
	known, err := expr.Bind(Known(filter, k.Record.Schema()), k.Record.Schema())
	if err != nil {
		return Possible{}, err
	}
	m, err := known.Mask(k.Record)
	return Possible{m}, err
}

// Never reports whether no file with the values of row i has rows of a filter. A filter that cannot be asked about these columns
// excludes nothing. It may be called concurrently; scans call it for each file.
func (k *KnownRows) Never(filter *expr.Bound, i int) bool {
	last := k.last.Load()
	if last == nil || last.filter != filter {
		may, err := k.May(filter.Expr())
		if err != nil {
			return false
		}
		last = &lastFilter{filter, may}
		k.last.Store(last)
	}
	return !last.may.Has(i)
}
