package recordsplit

import (
	"bufio"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// gzipFile reads the members of a gzip file (RFC 1952) one after another. Zeros behind them are padding, as of tapes; anything else
// there is an error that says so.
type gzipFile struct {
	in *bufio.Reader
	z  *gzip.Reader
}

func openGzip(r io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(r, fetchBytes) // r itself, if it is one of that size
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &gzipFile{in, z}, nil
}

func (f *gzipFile) Read(p []byte) (int, error) {
	for {
		n, err := f.z.Read(p)
		if n > 0 && err == io.EOF {
			return n, nil
		}
		if err != io.EOF {
			return n, err
		}
		if err := f.next(); err != nil {
			return 0, err
		}
	}
}

// next goes on with the next member; io.EOF = there is none.
func (f *gzipFile) next() error {
	for {
		b, err := f.in.ReadByte()
		if err != nil {
			return err
		}
		if b != 0 {
			break
		}
	}
	if err := f.in.UnreadByte(); err != nil {
		return err
	}
	if b, _ := f.in.Peek(2); string(b) != "\x1f\x8b" {
		return errors.New("bytes follow behind its end that are no gzip: cut them off")
	}
	if err := f.z.Reset(f.in); err != nil {
		return err
	}
	f.z.Multistream(false)
	return nil
}
