package kudu

import (
	"fmt"
	"strconv"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// refuse is the error of what the data do not allow, though nothing is wrong with them.
func refuse(format string, args ...any) error {
	return errs.Errorf(errs.ErrSchema, format, args...)
}

func corrupt(format string, args ...any) error {
	return errs.Errorf(errs.ErrCorrupt, format, args...)
}

func unsupported(format string, args ...any) error {
	return errs.Errorf(errs.ErrUnsupported, format, args...)
}

func badOption(format string, args ...any) error {
	return errs.Errorf(errs.ErrOption, format, args...)
}

func internal(format string, args ...any) error {
	return errs.Errorf(errs.ErrInternal, format, args...)
}

func sentence(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// count is a number and what it counts.
func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.FormatInt(n, 10) + " " + what + "s"
}
