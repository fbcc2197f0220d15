package salvage

import (
	"errors"
	"fmt"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Hint adds to an error about damage that the option reads what is intact. Other errors are returned as they are.
func Hint(err error) error {
	e, ok := err.(*errs.Error) //nolint:errorlint // what wraps an Error is not reworded
	if !ok || e.Err == nil || !errors.Is(err, errs.ErrCorrupt) || len(errs.OptionsOf(err)) > 0 {
		return err
	}
	c := *e
	c.Err = fmt.Errorf("%w; %w reads what is intact and reports the rest", e.Err, errs.Opt(Option, "rows"))
	return &c
}
