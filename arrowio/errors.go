package arrowio

import "github.com/arrowio/arrowio/arrowio/errs"

// Limits bounds what a file may make a reader do. The zero value of each field means its default. Errors are those of package
// errs.
type Limits = errs.Limits
