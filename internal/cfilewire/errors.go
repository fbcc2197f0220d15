package cfilewire

import (
	"errors"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// Kinded gives the errors of kernels a kind.
func Kinded(err error) error {
	var e *errs.Error
	if errors.As(err, &e) || !isKernel(err) {
		return err
	}
	return errs.Errorf(errs.ErrCorrupt, "%w", err)
}

func isKernel(err error) bool {
	for _, k := range []error{bitpack.ErrShort, bitpack.ErrVarint, bitpack.ErrNegative, bitpack.ErrOverflow, bitpack.ErrRoom, bitpack.ErrID, bitpack.ErrWidth} {
		if errors.Is(err, k) {
			return true
		}
	}
	return false
}
