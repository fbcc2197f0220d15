package workers

import (
	"fmt"
	"runtime/debug"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Guard calls f and turns a panic into errs.ErrInternal with the stack, so that one file cannot end a server. Under the
// build tag arrowio_debug the panic goes on. A panic is a bug in any build: no code relies on Guard.
func Guard(f func() error) error {
	if Debug {
		return f()
	}
	return Catch(f)
}

// Catch is Guard in every build: for functions that C calls, through which a panic must not pass, for pages of a server, and for
// programs that look for panics.
func Catch(f func() error) error {
	return caught(f, func(cause error) error {
		return errs.Errorf(errs.ErrInternal, "panic: %w\n%s", cause, debug.Stack())
	})
}

// Foreign calls f, which calls a library that panics on input that it does not expect. Such a panic is no bug of this
// module: in every build it becomes an error of the kind, which says text and what the library says.
func Foreign(kind errs.Kind, text string, f func() error) error {
	return caught(f, func(cause error) error { return errs.Errorf(kind, "%s: %w", text, cause) })
}

// caught calls f, and returns what to makes of its panic.
func caught(f func() error, to func(cause error) error) (err error) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		cause, ok := v.(error)
		if !ok {
			cause = fmt.Errorf("%v", v)
		}
		err = to(cause)
	}()
	return f()
}
