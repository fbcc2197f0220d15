package kudu

import (
	"errors"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// errForeign is wrapped by the error of a superblock that is not of the server in whose directories it was looked for. The ids of
// blocks in it mean nothing here: blocks of the server may have them, too.
var errForeign = errors.New("it is of another server, or of data directories that were taken out of this one")

// checkOwner returns an error if none of the data directories that a superblock names is one of the server's.
func (d *Dirs) checkOwner(s *kuduwire.SuperBlock) error {
	var own []string
	for i := range d.Data {
		if d.Data[i].UUID != "" {
			own = append(append(own, d.Data[i].UUID), d.Data[i].AllUUIDs...)
		}
	}
	if len(own) == 0 || len(s.DataDirs) == 0 || slices.ContainsFunc(s.DataDirs, func(uuid string) bool { return slices.Contains(own, uuid) }) {
		return nil // or nothing tells
	}
	slices.Sort(own)
	return errs.Errorf(errs.ErrCorrupt, "it names the data directories %s, and the server has %s: %w. Its blocks are not read; %w finds blocks without it, and %w takes the names of columns from it",
		strings.Join(s.DataDirs, ", "), strings.Join(slices.Compact(own), ", "), errForeign, errs.Opt("kudu-rebuild", ""), errs.Opt("kudu-schema", ""))
}

// unreadable says why a superblock is of no use, for a message that names its tablet.
func unreadable(err error) string {
	if errors.Is(err, errForeign) {
		return "its superblock is of another server"
	}
	return "its superblock cannot be read"
}
