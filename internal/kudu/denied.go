package kudu

import (
	"errors"
	"fmt"
	"io/fs"
)

// isDenied reports whether an error is want of permission, which is no damage: nothing is lost, and a salvage ends with it, too.
func isDenied(err error) bool { return errors.Is(err, fs.ErrPermission) }

// hintDenied adds to want of permission who has it.
func hintDenied(err error) error {
	if !isDenied(err) {
		return err
	}
	return fmt.Errorf("%w; read it as the user that the server runs as, mostly kudu, or as root", err)
}
