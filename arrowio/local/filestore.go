package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"unicode/utf8"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// FileStoreOptions says how NewFileStore makes its output.
type FileStoreOptions struct {
	Force     bool // replace what is at the path: a file by a file, a directory by a directory
	Directory bool // the output is a directory even if it holds one object
}

// ErrOtherKind says that a file is where an output that is a directory should be, or a directory where one that is a file should be. It
// is fs.ErrExist, too.
var ErrOtherKind = errors.New("the output is of another kind than what exists")

// otherKind is an ErrOtherKind that tells what exists.
type otherKind string

const (
	isDirectory otherKind = "is a directory, and the output is a file: name a file in it, or end the name in / for a directory of files"
	isFile      otherKind = "is a file, and the output is a directory: remove the file, or choose another name"
)

func (k otherKind) Error() string { return string(k) }

// Is makes it also the error that systems have for the case.
func (k otherKind) Is(target error) bool {
	return target == ErrOtherKind || target == fs.ErrExist || k == isDirectory && target == syscall.EISDIR || k == isFile && target == syscall.ENOTDIR
}

// CheckExisting returns the error of an output of this kind where something exists at path; nil = it is to be replaced.
func (o FileStoreOptions) CheckExisting(path string, directory bool) error {
	var err error
	switch {
	case directory && !o.Directory:
		err = isDirectory
	case !directory && o.Directory:
		err = isFile
	case !o.Force:
		err = fs.ErrExist
	default:
		return nil
	}
	return &fs.PathError{Op: "create", Path: path, Err: err}
}

// fileStore is a transaction on a path of the file system.
//
//	/data/out.trv                      the output; untouched until Commit
//	/data/.out.trv.k3f9a2.tmp/         work: the objects under their names, until Commit renames one of them, or all of
//	  part-00000.trv                   it, to /data/out.trv
//	/data/.out.trv.81xq0d.tmp          scratch files; without a name where the system allows it
//	/data/.out.trv.p07b1c.old          what Force replaces, for the moment between two renames
type fileStore struct {
	shown string // as the caller wrote it, for messages
	path  string // the same with symbolic links followed
	o     FileStoreOptions

	mu    sync.Mutex
	work  string     // "" until the first Create
	locks []*os.File // of work and of what Commit replaces, so that others see that they are in use; none where there are no locks
	sinks []*fileSink
	old   []string // what Commit replaced, to be removed in this order
	done  bool
}

// NewFileStore opens a transaction. Commit puts one object at path; several objects, or any number of them with o.Directory, it
// puts into a new directory at path. Nothing appears at path before Commit. Until then the data is in hidden files beside path,
// named .NAME.*.tmp, which Abort removes. If the process is killed, they stay; the next output at path and RemoveLeftovers
// remove them.
//
// If path exists, NewFileStore and Commit return fs.ErrExist unless o.Force is set. With Force a file replaces a file atomically, and a
// directory a directory, if everything in that looks like an output of this module (see OutputNames); otherwise the error is
// of kind errs.ErrOption and names what else is there. A file never replaces a directory, nor a directory a file: the error is
// ErrOtherKind, at the latest when a second object is created. The new output has the permissions of the old one. If path is a symbolic
// link, what it points to is replaced. Devices, pipes and sockets are never replaced.
//
// Create, Commit and Abort may be called concurrently; a sink must be used by one goroutine at a time.
func NewFileStore(path string, o FileStoreOptions) (arrowio.Store, error) {
	if path == "" {
		return nil, errs.Errorf(errs.ErrOption, "the output has no name")
	}
	s := &fileStore{shown: path, path: filepath.Clean(path), o: o}
	if fi, err := os.Lstat(s.path); err == nil && fi.Mode()&fs.ModeSymlink != 0 {
		real, err := filepath.EvalSymlinks(s.path)
		if fi, serr := os.Stat(s.path); serr == nil && !fi.IsDir() && !fi.Mode().IsRegular() { // such as /dev/stdout, a pipe without a name
			return nil, &fs.PathError{Op: "create", Path: path, Err: errDevice}
		}
		if err != nil {
			return nil, fmt.Errorf("%s is a symbolic link that leads nowhere: %w", path, err)
		}
		s.path = real
	}
	if _, err := s.present(o); err != nil {
		return nil, err
	}
	switch fi, err := os.Stat(s.dir()); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &fs.PathError{Op: "create", Path: path, Err: missingDirectory(filepath.Dir(filepath.Clean(path)))}
	case err != nil:
		return nil, err
	case !fi.IsDir():
		return nil, &fs.PathError{Op: "create", Path: path, Err: errors.New("its parent is not a directory")}
	}
	return s, nil
}

var errEnding = errors.New("the process ends")

var errDevice = errors.New("is a device, pipe or socket; the name - is standard output")

// missingDirectory is the path of a directory that an output should be in. It is fs.ErrNotExist.
type missingDirectory string

func (m missingDirectory) Error() string {
	return fmt.Sprintf("the directory %s does not exist; make it first", string(m))
}
func (m missingDirectory) Is(target error) bool { return target == fs.ErrNotExist }

func (s *fileStore) dir() string { return filepath.Dir(s.path) }

// present returns what is at the path now (nil = nothing), or why that must stay.
func (s *fileStore) present(o FileStoreOptions) (fs.FileInfo, error) {
	fi, err := os.Lstat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !fi.IsDir() && !fi.Mode().IsRegular():
		return nil, &fs.PathError{Op: "create", Path: s.shown, Err: errDevice}
	}
	if err := o.CheckExisting(s.shown, fi.IsDir()); err != nil {
		return nil, err
	}
	if fi.IsDir() {
		if _, err := s.listOutput(s.path); err != nil {
			return nil, err
		}
	}
	return fi, nil
}

// listOutput returns the names of all that is below a directory that holds nothing but output of ours, those in a directory
// before its own, and an error for any other.
func (s *fileStore) listOutput(dir string) ([]string, error) {
	names, err := OutputNames(entries(dir), false)
	return names, errs.Locate(err, errs.At{File: s.shown})
}

// hidden returns a new name beside the output.
func (s *fileStore) hidden(suffix string) string {
	base := filepath.Base(s.path)
	const longest = 200 // of the 255 bytes that a name may have
	for len(base) > longest {
		_, n := utf8.DecodeLastRuneInString(base)
		base = base[:len(base)-n]
	}
	return filepath.Join(s.dir(), fmt.Sprintf(".%s.%010x.%s", base, rand.Uint64()>>24, suffix))
}

// mkdirHidden makes a new directory beside the output.
func (s *fileStore) mkdirHidden() (string, error) {
	for try := 0; ; try++ {
		name := s.hidden("tmp")
		err := os.Mkdir(name, s.workMode())
		if err == nil && !s.lock(name) {
			err = fs.ErrExist // RemoveLeftovers was there first
		}
		if err == nil && !remember(name) {
			return "", errors.Join(errEnding, os.Remove(name))
		}
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, fs.ErrExist) || try == 100 {
			return "", s.rename(err)
		}
	}
}

// lock shows others that a directory is in use, until unlock. It reports whether the directory is there and nobody else has
// its lock; where there are no locks that is taken for granted.
func (s *fileStore) lock(dir string) bool {
	f, err := lockDir(dir)
	if errors.Is(err, errLocked) || errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	s.locks = append(s.locks, f)
	is, err := os.Lstat(dir)
	if err != nil {
		return false
	}
	was, err := f.Stat()
	return err == nil && os.SameFile(is, was)
}

func (s *fileStore) unlock() {
	for _, f := range s.locks {
		_ = f.Close() // of a directory that was only opened
	}
	s.locks = nil
}

// rename puts the output's own path into an error that names a hidden one.
func (s *fileStore) rename(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return &fs.PathError{Op: pe.Op, Path: s.shown, Err: pe.Err}
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return &fs.PathError{Op: le.Op, Path: s.shown, Err: le.Err}
	}
	return err
}

func (s *fileStore) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	if err := checkObject(ctx, name); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return nil, errStoreDone
	}
	if s.work == "" {
		work, err := s.mkdirHidden()
		if err != nil {
			return nil, err
		}
		s.work = work
	}
	if len(s.sinks) == 1 && !s.o.Directory { // it will be a directory
		if _, err := s.present(FileStoreOptions{Force: s.o.Force, Directory: true}); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(s.work, filepath.FromSlash(name))
	if strings.Contains(name, "/") {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, s.rename(err)
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, s.rename(err)
	}
	k := &fileSink{st: s, name: name, f: f}
	s.sinks = append(s.sinks, k)
	return k, nil
}

func (s *fileStore) Scratch() (arrowio.ScratchFile, error) {
	for try := 0; ; try++ {
		f, err := openScratch(s.hidden("tmp"))
		if err == nil || !errors.Is(err, fs.ErrExist) || try == 100 {
			return f, s.rename(err)
		}
	}
}

func (s *fileStore) Commit() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return errStoreDone
	}
	for _, k := range s.sinks {
		if k.err != nil {
			return k.err
		}
		if k.f != nil {
			return errs.Errorf(errs.ErrInternal, "commit before %s is closed", k.name)
		}
	}
	if len(s.sinks) == 0 && !s.o.Directory {
		return errs.Errorf(errs.ErrInternal, "commit of an output with no object")
	}
	err := s.publish()
	if !s.done {
		err = s.rename(err)
	}
	return err
}

// publish moves the finished objects to the path. Where it fails with s.done unset, nothing has changed; with s.done
// set, the output is there, and the error tells what is wrong beside it.
func (s *fileStore) publish() error {
	if s.work == "" { // an empty directory
		var err error
		if s.work, err = s.mkdirHidden(); err != nil {
			return err
		}
	}
	if !forget(s.work) {
		return errEnding
	}
	defer func() {
		if !s.done {
			remember(s.work)
		}
	}()
	single := len(s.sinks) == 1 && !s.o.Directory
	from := s.work
	if single {
		from = filepath.Join(s.work, filepath.FromSlash(s.sinks[0].name))
	} else if err := s.syncTree(); err != nil {
		return err
	}
	old, err := s.present(FileStoreOptions{Force: s.o.Force, Directory: !single})
	if err != nil {
		return err
	}
	if old != nil {
		if err := s.keepMode(from, old); err != nil {
			return err
		}
	}
	switch {
	case old == nil && single:
		err = renameNew(from, s.path)
	case old == nil, single:
		err = os.Rename(from, s.path)
	default:
		err = s.exchange(from)
	}
	if err != nil {
		return err
	}
	s.done = true
	if single {
		os.RemoveAll(s.work) // what is left are empty directories; the output is complete whether they go or not
	}
	err = errors.Join(s.removeOld(), syncDir(s.dir()))
	s.unlock()
	base := filepath.Base(s.path)
	_, _ = RemoveLeftovers(s.dir(), func(name string) bool { return name == base }) // of no more use; hidden, if they stay
	return err
}

// syncTree makes the names of the objects durable before the directory gets its own.
func (s *fileStore) syncTree() error {
	return filepath.WalkDir(s.work, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return syncDir(p)
	})
}

// exchange replaces a directory, which a single rename cannot: it moves the old one aside and the new one to its place.
func (s *fileStore) exchange(from string) error {
	aside := s.hidden("old")
	s.lock(s.path) // as which it is put aside
	if err := os.Rename(s.path, aside); err != nil {
		return err
	}
	names, err := s.listOutput(aside) // once more, now that it has another name
	if err == nil {
		err = os.Rename(from, s.path)
	}
	if err != nil {
		return errors.Join(err, os.Rename(aside, s.path))
	}
	for i, n := range names {
		names[i] = filepath.Join(aside, filepath.FromSlash(n))
	}
	s.old = append(names, aside)
	return nil
}

// removeOld removes what exchange put aside, and nothing that it did not see there.
func (s *fileStore) removeOld() error {
	for _, p := range s.old {
		if err := os.Remove(p); err != nil {
			return fmt.Errorf("%s is complete, but a part of what it replaced is left: %w", s.shown, err)
		}
	}
	return nil
}

func (s *fileStore) Abort() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return nil
	}
	s.done = true
	defer s.unlock()
	var all []error
	for _, k := range s.sinks {
		if k.f != nil {
			all = append(all, k.f.Close())
			k.f, k.err = nil, errStoreDone
		}
	}
	if s.work != "" {
		all = append(all, os.RemoveAll(s.work))
		forget(s.work)
	}
	return errors.Join(all...)
}

// fileSink writes one object. Errors are sticky: after the first, every call returns it, and so does Commit.
type fileSink struct {
	st   *fileStore
	name string
	f    *os.File // nil once closed
	w    *bufio.Writer
	err  error

	size    int64 // of what was written
	storing int64 // what of it the system stores already
}

// writeback is how many bytes a sink writes before the system is to begin to store them: so Close, which waits for that, has little to wait
// for.
const writeback = 8 << 20

func (k *fileSink) Write(p []byte) (int, error) {
	if k.err != nil {
		return 0, k.err
	}
	if k.f == nil {
		return 0, fs.ErrClosed
	}
	if k.w == nil {
		k.w = bufio.NewWriterSize(k.f, sinkBuffer)
	}
	n, err := k.w.Write(p)
	k.fail(err)
	k.size += int64(n)
	if have := k.size - int64(k.w.Buffered()); err == nil && have-k.storing >= writeback {
		beginWriteback(k.f, k.storing, have-k.storing)
		k.storing = have
	}
	return n, k.err
}

func (k *fileSink) fail(err error) {
	if err != nil && k.err == nil {
		k.err = k.st.rename(err)
	}
}

func (k *fileSink) Close() error {
	if k.f == nil {
		return k.err
	}
	if k.w != nil && k.err == nil {
		k.fail(k.w.Flush())
	}
	if k.err == nil {
		k.fail(k.f.Sync())
	}
	k.fail(k.f.Close())
	k.f, k.w = nil, nil
	return k.err
}

// scratchFile is a file whose name is gone, or goes with it.
type scratchFile struct {
	*os.File
	gone bool
}

// NewScratch makes a temporary file in dir, "" = the system's place for such files. It is the caller's to close, and is then gone.
func NewScratch(dir string) (arrowio.ScratchFile, error) { return newScratch(dir, "arrowio-scratch-*") }

// newScratch makes one in dir; "" is the system's place for temporary files.
func newScratch(dir, pattern string) (arrowio.ScratchFile, error) {
	f, gone, err := createPrivate(dir, pattern)
	if err != nil {
		return nil, err
	}
	return &scratchFile{f, gone}, nil
}

// openScratch makes one at a path.
func openScratch(path string) (arrowio.ScratchFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &scratchFile{f, os.Remove(path) == nil}, nil
}

func (f *scratchFile) Close() error {
	err := f.File.Close()
	if !f.gone {
		f.gone = true
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// renameNew moves a file to a path where nothing may be. A hard link fails if something is; where there are no hard
// links, the moment between looking and renaming stays.
func renameNew(from, to string) error {
	err := os.Link(from, to)
	switch {
	case err == nil:
		os.Remove(from) // goes with the work directory at the latest
		return nil
	case errors.Is(err, fs.ErrExist):
		return &fs.PathError{Op: "create", Path: to, Err: fs.ErrExist}
	}
	if _, err := os.Lstat(to); err == nil {
		return &fs.PathError{Op: "create", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}
