package recordsplit

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// packers are what files of text are compressed with, by the first bytes of the file: no UTF-8 text begins so.
var packers = []struct {
	name  string
	magic string
	open  func(r io.Reader) (io.Reader, error)
}{
	{"gzip", "\x1f\x8b\x08", openGzip},
	{"zstd", "\x28\xb5\x2f\xfd", openZstd},
	{"bzip2", "BZh", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }},
}

// bzip2Block is behind the first four bytes of a file of bzip2: without it, BZh is text.
const bzip2Block = "1AY&SY"

// windowBytes bounds the memory that a file of zstd may ask for.
const windowBytes = 64 << 20

// openZstd returns a reader that needs no Close: it starts no goroutines.
func openZstd(r io.Reader) (io.Reader, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(windowBytes), zstd.WithDecoderLowmem(true))
}

// fetchBytes is how much of a packed file is read at once: it may be far away.
const fetchBytes = 1 << 20

// OpenText returns a TextFile without a schema, which reads src.
func OpenText(src arrowio.Source) (TextFile, error) {
	var head [10]byte
	size := int(min(int64(len(head)), src.Size()))
	n, err := src.ReadAt(head[:size], 0)
	if err != nil && (err != io.EOF || n < size) {
		return TextFile{}, err
	}
	for i, p := range packers {
		if bytes.HasPrefix(head[:n], []byte(p.magic)) && (p.name != "bzip2" || bytes.HasPrefix(head[4:], []byte(bzip2Block))) {
			return TextFile{Src: src, packer: i + 1}, nil
		}
	}
	return TextFile{Src: src}, nil
}

// Reader returns the text of the file, from its beginning, unpacked if it is compressed. It needs no Close.
func (f *TextFile) Reader() io.Reader {
	stored := io.NewSectionReader(f.Src, 0, f.Src.Size())
	if f.packer == 0 {
		return stored
	}
	p := &packers[f.packer-1]
	u := &unpacker{name: p.name, stored: &storedBytes{r: stored}}
	var err error
	if u.r, err = p.open(bufio.NewReaderSize(u.stored, fetchBytes)); err != nil {
		return failing{u.failed(err)}
	}
	return u
}

// failing is a reader that cannot read.
type failing struct{ err error }

func (r failing) Read([]byte) (int, error) { return 0, r.err }

// storedBytes counts what is read, and keeps the error that reading ended with.
type storedBytes struct {
	r   io.Reader
	n   int64
	err error
}

func (c *storedBytes) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != nil && err != io.EOF {
		c.err = err
	}
	return n, err
}

// A file may not unpack to more than this: gzip reaches 1032 times its size, text of rows far less.
const (
	freeBytes = 256 << 20
	mostTimes = 2000
)

// unpacker bounds what comes out of a file, and says of errors what they are about.
type unpacker struct {
	name   string
	r      io.Reader
	stored *storedBytes
	n      int64 // bytes unpacked
}

func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	u.n += int64(n)
	if u.n > freeBytes && (u.n-freeBytes)/mostTimes > u.stored.n {
		return 0, errs.Locate(errs.Errorf(errs.ErrLimit, "%d bytes of %s unpack to more than %d times as many", u.stored.n, u.name, mostTimes), errs.At{Off: errs.N(u.stored.n)})
	}
	if err != nil && err != io.EOF {
		err = u.failed(err)
	}
	return n, err
}

// failed returns an error of unpacking as one about the file, unless reading the file failed.
func (u *unpacker) failed(err error) error {
	if u.stored.err != nil {
		return u.stored.err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		err = errors.New("the file ends too early")
	}
	kind := errs.ErrCorrupt
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		kind = errs.ErrLimit
	}
	return errs.Locate(errs.Errorf(kind, "%s: %w", u.name, err), errs.At{Op: "compressed data", Off: errs.N(u.stored.n)})
}
