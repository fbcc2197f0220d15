package kudu

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// operations are what an import does to the file system. Files that it makes have the owner of the directory that they go
// into, and its mode without the right to run: an import runs as root, and the server must be able to read and to delete
// them.
type operations struct {
	// hook, if it is set, is called before each operation that changes something; what it returns, if not nil, happens
	// instead. For tests.
	hook  func(op, path string) error
	disk  func(dir string) (free int64, disk uint64, err error) // nil = the real one
	quick bool                                                  // do not wait for disks
	ways  int                                                   // instead of mergeWays
}

func (o *operations) before(op, path string) error {
	if o.hook == nil {
		return nil
	}
	return o.hook(op, path)
}

func (*operations) micros() uint64 { return uint64(time.Now().UnixMicro()) }

// free returns how many bytes Kudu would still write to a directory, and which file system it is on.
func (o *operations) free(dir string) (bytes int64, disk uint64, err error) {
	if o.disk != nil {
		return o.disk(dir)
	}
	return freeBytes(dir)
}

// randomName returns n bytes of chance as hex digits.
func (*operations) randomName(n int) (string, error) {
	b := make([]byte, n)
	if _, err := rand.Read(b); err != nil {
		return "", err
	}
	return hex.EncodeToString(b), nil
}

// owner is who may do what with a file.
type owner struct {
	uid, gid int // -1 = not known
	mode     fs.FileMode
}

// ownerOf returns the owner of a file or directory.
func ownerOf(path string) (owner, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return owner{}, err
	}
	uid, gid := ids(fi)
	return owner{uid: uid, gid: gid, mode: fi.Mode().Perm()}, nil
}

// create makes a file that must not be there.
func (o *operations) create(path string, who owner) (*os.File, error) {
	if err := o.before("create", path); err != nil {
		return nil, err
	}
	mode := who.mode & 0o666
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	if err := o.give(path, who, mode); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return f, nil
}

// give makes who the owner of a new file or directory.
func (o *operations) give(path string, who owner, mode fs.FileMode) error {
	if err := o.before("chown", path); err != nil {
		return err
	}
	is, err := ownerOf(path)
	if err == nil && who.uid >= 0 && (is.uid != who.uid || is.gid != who.gid) {
		err = os.Chown(path, who.uid, who.gid)
	}
	if err == nil && is.mode != mode { // a umask took something away
		err = os.Chmod(path, mode)
	}
	return err
}

// mkdir makes a directory that must not be there.
func (o *operations) mkdir(path string, who owner) error {
	if err := o.before("mkdir", path); err != nil {
		return err
	}
	if err := os.Mkdir(path, who.mode); err != nil {
		return err
	}
	if err := o.give(path, who, who.mode); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// write writes all of b. A test may have it write half.
func (o *operations) write(f *os.File, b []byte) error {
	if err := o.before("write", f.Name()); err != nil {
		_, _ = f.Write(b[:len(b)/2])
		return err
	}
	_, err := f.Write(b)
	return err
}

// finish makes a file durable and closes it.
func (o *operations) finish(f *os.File) error {
	err := o.before("sync", f.Name())
	if err == nil && !o.quick {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// rename gives a file another name in its directory, which may be that of another one.
func (o *operations) rename(from, to string) error {
	if err := o.before("rename", to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// remove removes a file or an empty directory.
func (o *operations) remove(path string) error {
	if err := o.before("remove", path); err != nil {
		return err
	}
	return os.Remove(path)
}

// truncate cuts a file, and makes that durable.
func (o *operations) truncate(path string, size int64) error {
	if err := o.before("truncate", path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(size), f.Sync(), f.Close())
}

// syncDir makes the names in a directory durable.
func (o *operations) syncDir(path string) error {
	if err := o.before("syncdir", path); err != nil || o.quick {
		return err
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// put makes a file with some bytes, durable, under a name that a starting server deletes.
func (o *operations) put(name string, b []byte, who owner) (temporary string, err error) {
	if temporary, err = o.temporary(name); err != nil {
		return "", err
	}
	f, err := o.create(temporary, who)
	if err != nil {
		return "", err
	}
	err = o.write(f, b)
	if err = errors.Join(err, o.finish(f)); err != nil {
		return "", errors.Join(err, o.remove(temporary))
	}
	return temporary, nil
}

// temporaryInfix is in the names of files that a starting server deletes, in data directories and in those of superblocks.
const temporaryInfix = ".kudutmp."

// temporary returns a name for what will be called name.
func (o *operations) temporary(name string) (string, error) {
	random, err := o.randomName(4)
	return name + temporaryInfix + random, err
}

// checkOwner finds out early whether new files can be given to the server.
func (im *importer) checkOwner() error {
	dirs := []string{filepath.Dir(im.dirs.SuperBlockPath(im.Tablet))}
	for _, b := range im.plan.blocks {
		if len(dirs) == 1 || dirs[len(dirs)-1] != b.dir.Path {
			dirs = append(dirs, b.dir.Path)
		}
	}
	for _, dir := range dirs {
		who, err := ownerOf(dir)
		if err != nil {
			return err
		}
		if euid := os.Geteuid(); euid > 0 && who.uid >= 0 && who.uid != euid {
			err := &fs.PathError{Op: "write to", Path: dir, Err: fmt.Errorf("%w: only root, or the user whose directory it is, can import", fs.ErrPermission)}
			if !im.DryRun {
				return err
			}
			im.note("%v", err)
		}
	}
	return nil
}
