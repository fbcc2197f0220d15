package orctable

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers/orc"
)

// at says which file or directory of the table an error is about, unless it says so itself. The name is put in front of what
// was being read, and stays there when the number of a split is added later.
func at(name string, err error) error {
	var e *errs.Error
	switch {
	case err == nil:
		return nil
	case name == "":
		return errs.Locate(err, errs.At{Format: orc.Name})
	case !errors.As(err, &e):
		var p *fs.PathError
		if errors.As(err, &p) && strings.HasSuffix(p.Path, name) {
			return err
		}
		return errs.Locate(err, errs.At{Op: name})
	}
	c := *e
	c.Format = orc.Name
	switch {
	case c.Op == "":
		c.Op = name
	case !strings.HasPrefix(c.Op, name):
		c.Op = name + ", " + c.Op
	}
	return &c
}
