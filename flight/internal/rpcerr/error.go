package rpcerr

import (
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Error is an error with a code. Its text is that of Err.
type Error struct {
	Code codes.Code
	Err  error
}

// Error implements error.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an Error with the text that fmt.Errorf makes.
func Errorf(c codes.Code, format string, args ...any) error {
	return &Error{c, fmt.Errorf(format, args...)}
}

// WithCode returns err with a code, unless it is nil or a gRPC status, which has a code already.
func WithCode(c codes.Code, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := status.FromError(err); ok {
		return err
	}
	return &Error{c, err}
}

// Stream returns the error of a stream that a client sends: what is wrong with its bytes is the client's fault.
func Stream(err error) error {
	if errors.Is(err, errs.ErrCorrupt) || errors.Is(err, errs.ErrUnsupported) {
		return &Error{codes.InvalidArgument, err}
	}
	return err
}
