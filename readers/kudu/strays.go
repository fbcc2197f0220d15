package kudu

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// stray is a tablet that has files, but no superblock: nothing tells which table it belongs to or which blocks it has.
type stray struct {
	id string
	in []string // the folders with files of it
}

func (s *stray) String() string {
	return fmt.Sprintf("tablet %s has no superblock (%s/%s), although there is something of it in %s", s.id, tabletMetaName, s.id, strings.Join(s.in, " and "))
}

// strays lists the tablets that have a log or consensus metadata, but no superblock. Kudu deletes the superblock last.
func (d *Dirs) strays() ([]*stray, error) {
	if d.Metadata == "" {
		return nil, nil
	}
	ids, err := d.Tablets()
	if err != nil {
		return nil, err
	}
	known := make(map[string]*stray, len(ids))
	for _, id := range ids {
		known[id] = nil
	}
	var out []*stray
	for _, folder := range []struct{ root, name string }{{d.Wal, walsName}, {d.Metadata, consensusName}} {
		if folder.root == "" {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(folder.root, folder.name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			if err = d.orNote(err); err != nil {
				return nil, err
			}
		}
		for _, e := range entries {
			id := e.Name()
			s, seen := known[id]
			switch {
			case !isTabletID(id) || seen && s == nil:
				continue
			case s == nil:
				s = &stray{id: id}
				known[id], out = s, append(out, s)
			}
			s.in = append(s.in, folder.name)
		}
	}
	return out, nil
}

// tellStrays warns of tablets without superblock, which Verify reports; tablet is the one that is read, "" = all.
func (f *findings) tellStrays(d *Dirs, tablet string) error {
	strays, err := d.strays()
	if err != nil {
		return err
	}
	for _, s := range strays {
		if tablet != "" && s.id != tablet {
			continue
		}
		f.fault(errs.Locate(errs.Errorf(errs.ErrCorrupt, "%v", s), errs.At{Format: Name}))
		if !f.verify {
			w := at("tablet "+s.id, arrowio.UnknownRows)
			w.Kind = arrowio.WarnMissing
			f.warn(w, "%v: its rows are missing, and nothing tells which table they belong to", s)
		}
	}
	return nil
}
