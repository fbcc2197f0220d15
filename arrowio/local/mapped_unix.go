//go:build unix

package local

import (
	"errors"
	"io/fs"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// MappedSource is a file mapped into memory.
type MappedSource struct {
	BytesSource
	name string
	mem  []byte // nil once closed, and for an empty file
}

// MapFile maps the regular file at path into memory. Ranges that are read from it are views of the mapping and must not be used
// after Close. If another process shortens the file while it is mapped, this process is killed by SIGBUS. Map only files that
// nobody shortens; use OpenFile for others.
func MapFile(path string) (*MappedSource, error) {
	f, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // the mapping outlives the descriptor
	m := &MappedSource{name: path}
	if size == 0 {
		return m, nil
	}
	if size > math.MaxInt {
		return nil, &fs.PathError{Op: "mmap", Path: path, Err: unix.EFBIG}
	}
	m.mem, err = unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap "+path, err)
	}
	m.b = m.mem
	return m, nil
}

// Name returns the path the file was opened by.
func (m *MappedSource) Name() string { return m.name }

// Close unmaps the file. It may be called twice.
func (m *MappedSource) Close() error {
	if m.mem == nil {
		return nil
	}
	mem := m.mem
	m.mem, m.b = nil, nil
	return os.NewSyscallError("munmap "+m.name, unix.Munmap(mem))
}

// syncDir makes the names in a directory durable. File systems that cannot do it say EINVAL or ENOTSUP: their loss is
// not ours to report.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}
