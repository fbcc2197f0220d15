package kudu

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/arrowio/arrowio/arrowio"
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

// deny notes the superblock of a tablet, which may not be read.
func (v *Overview) deny(tablet string, err error) {
	v.denied, v.hidden = append(v.denied, err), true
	v.damaged = append(v.damaged, arrowio.MemberInfo{Kind: kindTablet, ID: tablet, State: "superblock: permission denied", Rows: arrowio.UnknownRows, Bytes: unknownBytes})
	v.doubt("tablet "+tablet, "%s", deniedText(tablet, err))
}

// deniedText warns of a superblock that may not be read.
func deniedText(tablet string, err error) string {
	return fmt.Sprintf("tablet %s: its superblock may not be read, so nothing tells its table. Its rows are left out, which is no loss (%v)", tablet, err)
}

// Denied returns an error about the superblocks that may not be read; nil = there are none. See Options.PassDenied.
func (v *Overview) Denied() error {
	switch n := len(v.denied); n {
	case 0:
		return nil
	case 1:
		return v.denied[0]
	default:
		return fmt.Errorf("%d superblocks may not be read; the first: %w", n, v.denied[0])
	}
}
