package arrowio

import (
	"fmt"
	"runtime/debug"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// guard calls f and turns a panic into errs.ErrInternal with the stack, so that one file cannot end a server. Under the
// build tag arrowio_debug the panic goes on: there it is a bug to be found. A panic is a bug in any build; no code
// relies on guard.
func guard(f func() error) (err error) {
	if !rePanic {
		defer func() {
			if r := recover(); r != nil {
				err = panicked(r)
			}
		}()
	}
	return f()
}

func panicked(r any) error {
	stack := debug.Stack()
	if e, ok := r.(error); ok {
		return errs.Errorf(errs.ErrInternal, "panic: %w\n%s", e, stack)
	}
	return errs.Errorf(errs.ErrInternal, "panic: %s\n%s", fmt.Sprint(r), stack)
}
