package kudu

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/pb"
)

// stray is a tablet that has files, but no superblock: nothing tells which table it belongs to or which blocks it has.
type stray struct {
	id    string
	in    []string // the folders with files of it
	named string   // the file that has its superblock under another name; "" = none
	table string   // the name of its table, where named says it
}

func (s *stray) String() string {
	if s.named != "" {
		return fmt.Sprintf("tablet %s has no superblock (%s/%s), but %s has it, of table %s: it is read in a copy of the directory where that file is renamed to %s", s.id, tabletMetaName, s.id, s.named, s.table, s.id)
	}
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
	return d.straysBut(ids)
}

// straysToRebuild is strays where the directory of superblocks may be lost as a whole.
func (d *Dirs) straysToRebuild() ([]*stray, error) {
	if d.Metadata == "" {
		return d.straysBut(nil)
	}
	return d.strays()
}

// straysBut lists the tablets that have a log or consensus metadata, and are not among those with superblocks.
func (d *Dirs) straysBut(ids []string) ([]*stray, error) {
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
	return d.renamed(known, out)
}

// renamed looks for superblocks among files of other names beside the superblocks, such as copies, and adds the tablets that have no
// other. Nothing tells how old a copy is, so none is read.
func (d *Dirs) renamed(known map[string]*stray, out []*stray) ([]*stray, error) {
	if d.Metadata == "" {
		return out, nil
	}
	entries, err := os.ReadDir(filepath.Join(d.Metadata, tabletMetaName))
	if err != nil { // of which Tablets tells
		return out, nil
	}
	for _, e := range entries {
		if isTabletID(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		path := filepath.Join(d.Metadata, tabletMetaName, e.Name())
		b, err := d.readSmall(path, d.lim.MetadataBytes, nil)
		if err != nil {
			continue // nothing says that it is a superblock
		}
		sb, err := kuduwire.ParseSuperBlock(b, d.lim)
		if err != nil || !isTabletID(sb.TabletID) {
			continue
		}
		s, seen := known[sb.TabletID]
		switch {
		case seen && s == nil: // which has its superblock
			continue
		case s == nil:
			s = &stray{id: sb.TabletID}
			known[s.id], out = s, append(out, s)
		}
		s.named, s.table = path, sb.TableName // the last of several, as numbers behind names are times
	}
	return out, nil
}

// strayColumns says which columns a tablet has by its log; "" = not known.
func (d *Dirs) strayColumns(tablet string) string {
	schema := d.logSchema(tablet)
	if schema == nil {
		return ""
	}
	columns := make([]string, len(schema.Columns))
	for i := range columns {
		columns[i] = schema.Columns[i].Name
	}
	return "; its log has the columns " + strings.Join(columns, ", ")
}

// logSchema returns the schema of a tablet by the first segment of its log whose header can be read and names it; nil = not
// known.
func (d *Dirs) logSchema(tablet string) *kuduwire.Schema {
	dir := d.LogDir(tablet)
	if dir == "" {
		return nil
	}
	dir, err := findLog(dir, &logReport{})
	if err != nil {
		return nil
	}
	names, _ := d.logFolder(dir).names()
	for _, name := range names {
		if !isSegment(name) {
			continue
		}
		s, err := openSegment(d.logFolder(dir), name)
		if err != nil || s.head.TabletID != tablet {
			continue
		}
		schema, err := kuduwire.ParseSchema(pb.New(s.head.Schema), d.lim)
		if err == nil {
			return schema
		}
	}
	return nil
}

// tellStrays returns the tablets without superblock, and warns of them; Verify reports them. o names the one that is
// read, if it is one.
func (f *findings) tellStrays(d *Dirs, o *Options) ([]*stray, error) {
	list := d.strays
	if o.Rebuild != "" {
		list = d.straysToRebuild
	}
	strays, err := list()
	if err != nil {
		return nil, err
	}
	strays = slices.DeleteFunc(strays, func(s *stray) bool { return o.Tablet != "" && s.id != o.Tablet })
	for _, s := range strays {
		f.fault(errs.Locate(errs.Errorf(errs.ErrCorrupt, "%v", s), errs.At{Format: Name}))
		if !f.verify {
			w := at("tablet "+s.id, arrowio.UnknownRows)
			w.Kind = arrowio.WarnMissing
			switch {
			case o.Rebuild != "" && slices.Contains(s.in, walsName):
				f.lose(nil, w, "%v: its log is not replayed, so that what only the log has is missing, and so are its rows where they are not rebuilt%s", s, d.strayColumns(s.id))
				continue
			case o.Rebuild != "":
				f.warn(w, "%v: its rows are missing where they are not rebuilt", s)
				continue
			}
			if s.named != "" {
				f.loseBlocks(w, "%v; its rows are missing", s)
				continue
			}
			f.loseBlocks(w, "%v: its rows are missing, and nothing tells which table they belong to%s", s, d.strayColumns(s.id))
		}
	}
	return strays, nil
}
