package plans

import (
	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// NoRowGroups refuses a size of row groups for a format that has nothing of the kind.
func NoRowGroups(o arrowio.WriteOptions) error {
	if o.RowGroupBytes <= 0 {
		return nil
	}
	return errs.Errorf(errs.ErrOption, "%w: the format has no row groups", errs.Opt("row-group-bytes", ""))
}
