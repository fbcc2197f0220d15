package kudu

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/kudu/atrest"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// keyring are the keys that may be those of a server's encrypted files.
type keyring struct {
	keys     []*atrest.Key // empty = all files are read as they are
	given    bool          // by an option, not found in an instance file
	proven   bool          // each key fits a file
	instance string        // the instance file that says that files are encrypted; "" = none does
	versions []string      // of keys that the instance files have
}

// give sets the keys that an option names.
func (k *keyring) give(option string) (err error) {
	if option == "" {
		return nil
	}
	if k.keys, err = atrest.Given(option); err != nil {
		return fmt.Errorf("%w: %w", errs.Opt("kudu-encryption-key", ""), err)
	}
	k.given = true
	return nil
}

// add takes notice of an instance file.
func (k *keyring) add(i *kuduwire.Instance, path string) {
	if !i.Encrypted || k.instance != "" { // all instance files of a server have the same keys
		return
	}
	k.instance, k.versions = path, i.Versions
	if !k.given {
		k.keys = atrest.Unwrapped(i)
	}
}

// find sets the keys for a file by itself: those of an option, or of the instance file of the server in whose directory it lies.
func (k *keyring) find(ctx context.Context, option string, o arrowio.OpenOptions) error {
	if err := k.give(option); err != nil || k.given {
		return err
	}
	open := o.OpenSource
	if open == nil {
		open = func(_ context.Context, name string) (arrowio.OpenSource, error) { return local.OpenFile(name) }
	}
	dir := o.Name
	for range instanceDepth {
		i := strings.LastIndexAny(dir, `/`+string(filepath.Separator))
		path := instanceName
		if i >= 0 {
			path = dir[:i+1] + instanceName
		}
		src, err := open(ctx, path)
		if err == nil {
			b, err := readSource(src, path, o.Limits.WithDefaults().MetadataBytes, nil)
			if err = errors.Join(err, src.Close()); err != nil {
				return err
			}
			x, err := kuduwire.ParseInstance(b, o.Limits)
			if x == nil {
				return inFile(err, path)
			}
			k.add(x, path)
			break
		}
		if i < 0 {
			break
		}
		dir = dir[:i]
	}
	switch {
	case len(k.keys) > 0:
		return nil
	case k.instance != "":
		return k.missing(k.instance)
	}
	return errs.Errorf(errs.ErrUnsupported, "the file is encrypted (--encrypt_data_at_rest), and in no folder above it is the instance file that has the key: name the server's directory with %w, or a file of the key with %w",
		errs.Opt("from", "kudu"), errs.Opt("kudu-encryption-key", ""))
}

// instanceDepth is how many folders a server's files lie in below its instance file, at most: blocks of the file block manager.
const instanceDepth = 5

// missing is the error of having no key that fits. path is an encrypted file.
func (k *keyring) missing(path string) error {
	if k.given {
		return errs.Errorf(errs.ErrOption, "kudu: %s is encrypted, and no key of %w fits it", path, errs.Opt("kudu-encryption-key", ""))
	}
	of := ""
	if len(k.versions) > 0 {
		of = fmt.Sprintf(" (%s)", strings.Join(k.versions, ", "))
	}
	return errs.Errorf(errs.ErrUnsupported, "kudu: %s: the server's files are encrypted (--encrypt_data_at_rest), and their key%s is not here as Kudu's default key provider keeps it: "+
		"have the key service of the server unwrap it, and name a file of it with %w", path, of, errs.Opt("kudu-encryption-key", ""))
}

// open returns the content of a file, decrypted if it is encrypted and there are keys. It begins at the offset from of an encrypted
// file, and what is at the offset at of it tells which key fits: see atrest.Open.
func (k *keyring) open(src arrowio.Source, closer io.Closer, path string, from, at int64) (arrowio.Source, error) {
	if len(k.keys) == 0 {
		return src, nil
	}
	header, err := atrest.Header(src, src.Size())
	if err != nil || header == nil {
		return src, errs.Locate(err, errs.At{Format: Name, File: path})
	}
	var best *atrest.File
	found := atrest.Misfit
	for _, key := range k.keys {
		f, fit, err := atrest.Open(src, closer, header, key, from, at)
		if err != nil {
			return nil, errs.Locate(err, errs.At{Format: Name, File: path})
		}
		if best == nil || fit > found {
			best, found = f, fit
		}
	}
	if found == atrest.Misfit && !k.proven {
		return nil, k.missing(path)
	}
	return best, nil
}

// diskFile is a file of a server's directories, decrypted if it is encrypted.
type diskFile interface {
	arrowio.Source
	io.Closer
}

// openFile opens the file at path. The content of an encrypted file begins behind its header.
func (d *Dirs) openFile(path string) (diskFile, error) {
	return d.openEncrypted(path, atrest.HeaderSize, atrest.HeaderSize)
}

// openContainer opens the data file of a container. Offsets are those of the file, encrypted or not. A block begins at off.
func (d *Dirs) openContainer(path string, off int64) (diskFile, error) {
	return d.openEncrypted(path, 0, off)
}

func (d *Dirs) openEncrypted(path string, from, at int64) (diskFile, error) {
	raw, err := local.OpenFile(path)
	if err != nil {
		return nil, hintDenied(err)
	}
	src, err := d.keys.open(raw, raw, path, from, at)
	if err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	if f, ok := src.(*atrest.File); ok {
		return f, nil
	}
	return raw, nil
}

// section returns a part of a file.
func section(f diskFile, r arrowio.ByteRange) (src arrowio.Source, err error) {
	switch f := f.(type) {
	case *atrest.File:
		return f.Section(r)
	case *local.FileSource:
		return f.Section(r)
	}
	return nil, errs.Errorf(errs.ErrInternal, "a part of a %T", f)
}

// contentAt returns which bytes of a file of a block are the block's.
func (d *Dirs) contentAt(size int64) arrowio.ByteRange {
	if len(d.keys.keys) > 0 && size >= atrest.HeaderSize {
		return arrowio.ByteRange{Off: atrest.HeaderSize, Len: size - atrest.HeaderSize}
	}
	return arrowio.ByteRange{Len: size}
}

// proofs is how many encrypted files are looked at to find out which keys are the right ones.
const proofs = 16

// proveKeys keeps the keys that fit some files of the server. It is an error if there are encrypted files, and no key fits any.
func (d *Dirs) proveKeys() error {
	k := &d.keys
	if len(k.keys) == 0 {
		if k.instance != "" {
			return k.missing(k.instance)
		}
		return nil
	}
	var right []*atrest.Key
	first, seen := "", 0
	err := d.eachFile(func(path string) (bool, error) {
		ok, err := k.proves(path, &right)
		if ok {
			if seen++; first == "" {
				first = path
			}
		}
		return seen < proofs, err
	})
	switch {
	case err != nil:
		return err
	case seen > 0 && len(right) == 0 && k.given:
		return k.missing(first)
	case seen > 0 && len(right) == 0:
		return k.missing(k.instance)
	case len(right) > 0:
		k.keys, k.proven = right, true
	}
	return nil
}

// proves adds the keys that fit the file at path to right, and reports whether the file is an encrypted one that tells. A file
// that cannot be read tells nothing here: who needs it reports that.
func (k *keyring) proves(path string, right *[]*atrest.Key) (tells bool, err error) {
	f, err := local.OpenFile(path)
	if err != nil {
		return false, nil
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	header, err := atrest.Header(f, f.Size())
	if err != nil || header == nil {
		return false, nil
	}
	for _, key := range k.keys {
		_, fit, err := atrest.Open(f, nil, header, key, atrest.HeaderSize, atrest.HeaderSize)
		if err != nil {
			return false, nil
		}
		tells = tells || fit != atrest.Unknown
		if fit == atrest.Proven && !slices.Contains(*right, key) {
			*right = append(*right, key)
		}
	}
	return tells, nil
}

// eachFile calls f with files of the server that begin with a word of Kudu's, until it returns false.
func (d *Dirs) eachFile(f func(path string) (more bool, err error)) error {
	type folder struct {
		path   string
		wanted func(e fs.DirEntry) bool
		depth  int // of the folders in it
	}
	file := func(e fs.DirEntry) bool { return !e.IsDir() }
	folders := []folder{{filepath.Join(d.Metadata, tabletMetaName), file, 0}, {filepath.Join(d.Metadata, consensusName), file, 0}}
	if d.Metadata == "" {
		folders = nil
	}
	for i := range d.Data {
		if dir := &d.Data[i]; dir.Type == kuduwire.DirFile {
			folders = append(folders, folder{dir.Path, file, 3})
		} else {
			folders = append(folders, folder{dir.Path, func(e fs.DirEntry) bool { return strings.HasSuffix(e.Name(), metadataSuffix) }, 0})
		}
	}
	if d.Wal != "" {
		folders = append(folders, folder{filepath.Join(d.Wal, walsName), func(e fs.DirEntry) bool { return isSegment(e.Name()) }, 1})
	}
	var walk func(x folder) (bool, error)
	walk = func(x folder) (bool, error) {
		entries, _ := os.ReadDir(x.path) // what cannot be listed tells nothing
		for _, e := range entries {
			path := filepath.Join(x.path, e.Name())
			more, err := true, error(nil)
			switch {
			case x.depth > 0 && e.IsDir():
				more, err = walk(folder{path, x.wanted, x.depth - 1})
			case x.depth == 0 && x.wanted(e):
				more, err = f(path)
			}
			if err != nil || !more {
				return false, err
			}
		}
		return true, nil
	}
	for _, x := range folders {
		if more, err := walk(x); err != nil || !more {
			return err
		}
	}
	return nil
}
