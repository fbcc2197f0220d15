//go:build !unix

package kudu

import (
	"errors"
	"os"
)

// tryLock fails: there are no servers here.
func tryLock(*os.File, bool) (busy bool, pid int, err error) {
	return false, 0, errors.ErrUnsupported
}
