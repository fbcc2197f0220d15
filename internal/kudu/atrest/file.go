package atrest

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

const (
	magic = "kuduenc"
	word  = "kudu" // begins what is encrypted

	// HeaderSize is how many bytes the header of an encrypted file has.
	HeaderSize = 64
	maxWidth   = 32
)

// widths are the sizes of keys of files in bytes.
var widths = [...]int{16, 24, 32}

// Is reports whether a file that begins with head is encrypted.
func Is(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }

// Header returns the header of a file, nil if the file is not encrypted.
func Header(f io.ReaderAt, size int64) ([]byte, error) {
	if size < int64(len(magic)) {
		return nil, nil
	}
	b := make([]byte, min(size, HeaderSize))
	if n, err := f.ReadAt(b, 0); n < len(b) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if !Is(b) {
		return nil, nil
	}
	if len(b) < HeaderSize {
		return nil, errs.Errorf(errs.ErrCorrupt, "an encrypted file of %d bytes: its header has %d", len(b), HeaderSize)
	}
	return b, nil
}

// File is the content of an encrypted file, or a part of it. Methods may be called concurrently.
type File struct {
	raw       arrowio.Source
	closer    io.Closer
	key       cipher.Block
	off, size int64 // of the content in the file
}

// Fit says how well a key fits a file.
type Fit uint8

// How well a key fits.
const (
	Misfit  Fit = iota // what the key decrypts is not what a server writes
	Unknown            // there is nothing to tell by
	Proven
)

// Open returns the content of a file under a key. It begins at the offset from, so offsets in it are those of the file where from is
// 0. Fit is by what begins at the offset at of the file: if it is there and not zeros, it begins with "kudu". The File closes raw
// with closer.
func Open(raw arrowio.Source, closer io.Closer, header []byte, k *Key, from, at int64) (*File, Fit, error) {
	block, err := k.unwrap(header)
	if err != nil {
		return nil, Misfit, err
	}
	f := &File{raw: raw, closer: closer, key: block, off: from, size: raw.Size() - from}
	b := make([]byte, len(word))
	if at > raw.Size()-int64(len(b)) {
		return f, Unknown, nil
	}
	if n, err := f.ReadAt(b, at-from); n < len(b) {
		return nil, Misfit, err
	}
	switch string(b) {
	case word:
		return f, Proven, nil
	case "\x00\x00\x00\x00":
		return f, Unknown, nil
	}
	return f, Misfit, nil
}

// Name returns the path of the file, "" if it has none.
func (f *File) Name() string {
	if n, ok := f.raw.(interface{ Name() string }); ok {
		return n.Name()
	}
	return ""
}

// Size returns the number of bytes of the content.
func (f *File) Size() int64 { return f.size }

// Near reports whether the file is on this machine: see arrowio.Near.
func (f *File) Near() bool { return arrowio.Near(f.raw) }

// Close closes the file. A part has nothing to close.
func (f *File) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// Section returns a part of the content, which needs the file to stay open. The error is of kind errs.ErrCorrupt if r is not inside
// the content.
func (f *File) Section(r arrowio.ByteRange) (*File, error) {
	if err := r.Check(f.size); err != nil {
		return nil, err
	}
	return &File{raw: f.raw, key: f.key, off: f.off + r.Off, size: r.Len}, nil
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.readRaw(p, off)
	if n == 0 {
		return 0, err
	}
	if e := f.decrypt(p[:n], f.off+off); e != nil {
		return 0, e
	}
	return n, err
}

// readRaw reads bytes as they are on disk.
func (f *File) readRaw(p []byte, off int64) (int, error) {
	switch {
	case off < 0:
		return 0, &fs.PathError{Op: "read", Path: f.Name(), Err: fs.ErrInvalid}
	case off >= f.size && len(p) == 0:
		return 0, nil
	case off >= f.size:
		return 0, io.EOF
	}
	want := p[:min(int64(len(p)), f.size-off)]
	n, err := f.raw.ReadAt(want, f.off+off)
	switch {
	case n < len(want) && (err == nil || err == io.EOF):
		return n, fmt.Errorf("read %s at %d: %w", f.Name(), f.off+off+int64(n), io.ErrUnexpectedEOF)
	case n < len(want):
		return n, err
	case n < len(p):
		return n, io.EOF
	}
	return n, nil
}

// decrypt decrypts bytes that begin at an offset of the file. Blocks of zeros stay.
func (f *File) decrypt(p []byte, off int64) error {
	for len(p) > 0 {
		n, blank, err := f.run(p, off)
		if err != nil {
			return err
		}
		if !blank {
			f.stream(p[:n], off)
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}

// run returns how many bytes of p, which begin at an offset of the file, are of blocks of zeros, or are of none.
func (f *File) run(p []byte, off int64) (n int, blank bool, err error) {
	for n < len(p) {
		size := min(aes.BlockSize-int((off+int64(n))%aes.BlockSize), len(p)-n)
		b, is := p[n:n+size], false
		switch {
		case size == aes.BlockSize:
			is = binary.LittleEndian.Uint64(b)|binary.LittleEndian.Uint64(b[8:]) == 0
		case zeros(b):
			if is, err = f.blank((off + int64(n)) / aes.BlockSize); err != nil {
				return 0, false, err
			}
		}
		if n > 0 && is != blank {
			return n, blank, nil
		}
		blank, n = is, n+size
	}
	return n, blank, nil
}

// blank reports whether a whole block of the file is zeros.
func (f *File) blank(block int64) (bool, error) {
	var b [aes.BlockSize]byte
	n, err := f.raw.ReadAt(b[:], block*aes.BlockSize)
	if n < len(b) && err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return n == len(b) && zeros(b[:]), nil
}

// stream decrypts bytes that begin at an offset of the file.
func (f *File) stream(p []byte, off int64) {
	var iv, skipped [aes.BlockSize]byte
	binary.BigEndian.PutUint64(iv[8:], uint64(off/aes.BlockSize))
	s := cipher.NewCTR(f.key, iv[:])
	if n := off % aes.BlockSize; n > 0 {
		s.XORKeyStream(skipped[:n], skipped[:n])
	}
	s.XORKeyStream(p, p)
}

// Unwritten reports whether the bytes of the content from off to end are zeros on disk: nothing was written there.
func (f *File) Unwritten(off, end int64) (bool, error) {
	b := make([]byte, min(64<<10, max(0, end-off)))
	for off < end {
		n, err := f.readRaw(b[:min(int64(len(b)), end-off)], off)
		switch {
		case err != nil && err != io.EOF:
			return false, err
		case !zeros(b[:n]):
			return false, nil
		case n == 0:
			return true, nil
		}
		off += int64(n)
	}
	return true, nil
}

func zeros(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
