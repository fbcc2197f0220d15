package kudu

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// findData looks for data directories where --fs_data_dirs is not told: Kudu's own default is the directory of the
// write-ahead log itself; many installations have `wal` and `data` side by side.
func (d *Dirs) findData(root string) error {
	roots := []string{filepath.Clean(root), filepath.Join(filepath.Dir(filepath.Clean(root)), dataName)}
	foreign := ""
	var denied error
	for _, path := range slices.Compact(roots) {
		fi, err := os.Stat(filepath.Join(path, dataName))
		if err != nil && isOfFile(err) {
			denied = err // nothing tells what is there
		}
		if err != nil || !fi.IsDir() {
			continue
		}
		if path != roots[0] && d.UUID != "" && d.foreign(path) {
			foreign = path
			d.note("%s is a directory of another server, and not read", path)
			continue
		}
		if err := d.addData(path); err != nil {
			return err
		}
	}
	if len(d.Data) > 0 {
		return nil
	}
	if d.noneErr = errs.Errorf(errs.ErrOption,
		"kudu: no data directory in %s or next to it; name those that --fs_data_dirs of the server names", root); foreign != "" {
		d.noneErr = errs.Errorf(errs.ErrOption,
			"kudu: no data directory of server %s, which %s is of: %s is of server %s; name those that --fs_data_dirs of the server names",
			d.UUID, d.first, foreign, d.serverOf(foreign))
	}
	if denied != nil {
		d.noneErr = fmt.Errorf("kudu: a data directory cannot be read: %w", hintDenied(denied))
	}
	switch {
	case d.noData:
		return d.orWithout(d.noneErr)
	case d.salvage && !isDenied(d.noneErr):
		d.doubt("%s", strings.TrimPrefix(innermost(d.noneErr), "kudu: "))
		d.gone = append(d.gone, d.doubts[len(d.doubts)-1])
		return nil
	case d.later:
		return nil
	}
	return d.noneErr
}

// NeedData returns an error if no data directory was found. The error names the places that were searched.
func (d *Dirs) NeedData() error {
	if len(d.Data) > 0 {
		return nil
	}
	return d.noneErr
}

// orWithout is orNote, for a data directory that is not there.
func (d *Dirs) orWithout(err error) error {
	if !d.noData {
		return d.orNote(err)
	}
	d.doubt("no sizes are known of what is in a data directory that is not here: %s", strings.TrimPrefix(innermost(err), "kudu: "))
	d.gone = append(d.gone, d.doubts[len(d.doubts)-1])
	return nil
}

// besideData returns the directory of logs of a server whose data directory root is.
func (d *Dirs) besideData(root string) (string, bool) {
	uuid := d.serverOf(root)
	if uuid == "" || !isDir(filepath.Join(root, dataName)) || isDir(filepath.Join(root, walsName)) || isDir(filepath.Join(root, tabletMetaName)) {
		return "", false
	}
	parent := filepath.Dir(filepath.Clean(root))
	for _, of := range []string{filepath.Join(parent, "wal"), parent} {
		if d.serverOf(of) == uuid && isDir(filepath.Join(of, tabletMetaName)) {
			return of, true
		}
	}
	return "", false
}

// serverOf returns the uuid of the server whose directory root is, "" = not known.
func (d *Dirs) serverOf(root string) string {
	b, err := readSmall(filepath.Join(root, instanceName), d.lim.MetadataBytes)
	if err != nil {
		return ""
	}
	if i, _ := kuduwire.ParseInstance(b, d.lim); i != nil {
		return i.UUID
	}
	return ""
}

// foreign reports whether the instance file at root is of another server; a file that cannot be read proves nothing.
func (d *Dirs) foreign(root string) bool {
	uuid := d.serverOf(root)
	return uuid != "" && uuid != d.UUID
}

// addData adds the data directory at path, which is what --fs_data_dirs names or the folder `data` in it.
func (d *Dirs) addData(path string) error {
	dir := DataDir{Root: path, Path: filepath.Join(path, dataName)}
	if _, err := os.Stat(filepath.Join(path, dirInstanceName)); err == nil {
		dir = DataDir{Root: filepath.Dir(filepath.Clean(path)), Path: path}
	}
	if _, err := os.ReadDir(dir.Root); err != nil { // a dead disk, or a name mistyped
		return d.orWithout(err)
	}
	if fi, err := os.Stat(dir.Path); err != nil {
		return d.orWithout(err)
	} else if !fi.IsDir() {
		return d.orNote(&fs.PathError{Op: "open", Path: dir.Path, Err: errors.New("is not a directory")})
	} else if d.have(fi) {
		d.note("%s was named twice", path)
		return nil
	}
	if err := d.claim(dir.Root); err != nil {
		return err
	}
	name := filepath.Join(dir.Path, dirInstanceName)
	b, err := readSmall(name, d.lim.MetadataBytes)
	var i *kuduwire.DirInstance
	if err == nil {
		i, err = kuduwire.ParseDirInstance(b, d.lim)
		err = d.pass(err, name)
	}
	switch {
	case err == nil:
		dir.UUID, dir.Type, dir.AllUUIDs, dir.BlockSize = i.UUID, i.Type, i.AllUUIDs, i.BlockSize
	case errors.Is(err, fs.ErrNotExist) || d.salvage && !errors.Is(err, errs.ErrUnsupported) && !isDenied(err):
		if dir.Type, err = guessType(dir.Path); err != nil {
			return d.orNote(err)
		}
		d.doubt("%s is not there or cannot be read: taken for a directory of the %s block manager, and nothing proves that it belongs to this server", name, dir.Type)
	default:
		return err
	}
	switch dir.Type {
	case kuduwire.DirFile, kuduwire.DirLog:
	case kuduwire.DirRocks:
		if d.forImport {
			return errs.Errorf(errs.ErrUnsupported, "kudu: %s: block manager %q keeps the records of blocks in RocksDB, which this program only reads: load the rows with a client of Kudu", name, dir.Type)
		}
	default:
		return errs.Errorf(errs.ErrUnsupported, "kudu: %s: block manager %q; this reader knows %q, %q and %q",
			name, dir.Type, kuduwire.DirFile, kuduwire.DirLog, kuduwire.DirRocks)
	}
	d.Data = append(d.Data, dir)
	return nil
}

func (d *Dirs) have(fi fs.FileInfo) bool {
	for i := range d.Data {
		if other, err := os.Stat(d.Data[i].Path); err == nil && os.SameFile(fi, other) {
			return true
		}
	}
	return false
}

// guessType tells the block manager by what it left: containers, or folders of two digits.
func guessType(path string) (string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.Name() == rocksName && e.IsDir() {
			return kuduwire.DirRocks, nil
		}
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), metadataSuffix) || strings.HasSuffix(e.Name(), dataSuffix) {
			return kuduwire.DirLog, nil
		}
	}
	return kuduwire.DirFile, nil
}

// compareData checks that the data directories are of one set, and finds out which are missing.
func (d *Dirs) compareData() error {
	known := map[string]bool{}
	for i := range d.Data {
		a := &d.Data[i]
		known[a.UUID] = true
		for j := range d.Data[:i] {
			b := &d.Data[j]
			if a.UUID == "" || b.UUID == "" {
				continue
			}
			if a.UUID == b.UUID {
				return errs.Errorf(errs.ErrOption, "kudu: %s and %s are copies of one data directory, %s: name one of them", b.Path, a.Path, a.UUID)
			}
			ab, ba := slices.Contains(a.AllUUIDs, b.UUID), slices.Contains(b.AllUUIDs, a.UUID)
			switch {
			case ab && ba:
			case ab || ba:
				older, newer := a, b
				if ab {
					older, newer = b, a
				}
				d.note("the data directory %s (%s) does not know of %s (%s), which was added later or taken out of the set",
					older.Path, older.UUID, newer.Path, newer.UUID)
			default:
				return errs.Errorf(errs.ErrOption, "kudu: %s (%s) and %s (%s) are data directories of different sets: neither knows of the other",
					b.Path, b.UUID, a.Path, a.UUID)
			}
		}
	}
	for i := range d.Data {
		for _, uuid := range d.Data[i].AllUUIDs {
			if !known[uuid] {
				known[uuid] = true
				d.Missing = append(d.Missing, uuid)
			}
		}
	}
	if n := len(d.Missing); n > d.unknown() { // else they may be those whose uuids cannot be read, of which there is a warning
		d.note("of the server's data directories %d of %d are not among those given (%s): tablets with blocks there are not complete",
			n, n+len(d.Data), strings.Join(d.Missing, ", "))
	}
	return nil
}
