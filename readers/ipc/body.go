package ipc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowipc"
)

// body is the part of a message's body that was read: segments, each a piece of Arrow memory.
type body struct {
	segs []segment
	left int64 // bytes that may still be decompressed
	mem  memory.Allocator
	zstd *zstd.Decoder
	lz4  *lz4.Reader
}

type segment struct {
	off int64 // in the body
	buf *memory.Buffer
}

func (b *body) release() {
	for _, s := range b.segs {
		s.buf.Release()
	}
	b.segs = nil
	if b.zstd != nil {
		b.zstd.Close()
		b.zstd = nil
	}
}

// view returns n bytes at off of the body as a buffer of its own, which keeps the segment alive. The caller releases it.
func (b *body) view(off, n int64) (*memory.Buffer, error) {
	for _, s := range b.segs {
		if off >= s.off && off+n <= s.off+int64(s.buf.Len()) {
			if at := off - s.off; off%8 == 0 {
				return memory.SliceBuffer(s.buf, int(at), int(n)), nil
			}
			// Not where the format puts buffers: copied, so that values are aligned in memory.
			c := memory.NewResizableBuffer(b.mem)
			c.Resize(int(n))
			copy(c.Bytes(), s.buf.Bytes()[off-s.off:])
			return c, nil
		}
	}
	return nil, errs.Errorf(errs.ErrInternal, "bytes [%d, %d) of a body were not read", off, off+n)
}

// rawPrefix is the size that stands in front of a buffer that is stored as it is within a compressed body.
const rawPrefix = -1

// inflate returns a compressed buffer decompressed: int64 size, then one lz4 frame or zstd frame of that size. The
// caller releases it.
func (b *body) inflate(off, n int64, codec int8) (*memory.Buffer, error) {
	if n < 8 {
		return nil, corrupt("a compressed buffer of %d bytes", n)
	}
	src, err := b.view(off, n)
	if err != nil {
		return nil, err
	}
	size := int64(binary.LittleEndian.Uint64(src.Bytes()))
	if size == rawPrefix {
		defer src.Release()
		return memory.SliceBuffer(src, 8, int(n)-8), nil
	}
	defer src.Release()
	packed := src.Bytes()[8:]
	if err := b.admit(size, int64(len(packed)), codec); err != nil {
		return nil, err
	}
	dst := memory.NewResizableBuffer(b.mem)
	dst.Resize(int(size))
	if err := b.decompress(dst.Bytes(), packed, codec); err != nil {
		dst.Release()
		return nil, err
	}
	return dst, nil
}

// admit checks a declared size before anything is allocated for it: what so many packed bytes can become at best (lz4
// repeats 255 bytes a byte; a zstd block of 128 KiB takes 4), and what is left of the limit of a batch.
func (b *body) admit(size, packed int64, codec int8) error {
	most := 255*packed + 64
	if codec == arrowipc.ZSTD {
		most = (packed/4 + 1) << 17
	}
	if size < 0 || size > most {
		return corrupt("%d compressed bytes said to hold %d", packed, size)
	}
	if size > b.left {
		return errs.Errorf(errs.ErrLimit, "a batch that decompresses to more than Limits.BatchBytes")
	}
	b.left -= size
	return nil
}

// decompress fills dst exactly.
func (b *body) decompress(dst, packed []byte, codec int8) error {
	if len(dst) == 0 {
		return nil
	}
	var err error
	if codec == arrowipc.ZSTD {
		err = b.unzstd(dst, packed)
	} else {
		err = b.unlz4(dst, packed)
	}
	if err != nil {
		return corrupt("%d compressed bytes: %w", len(packed), err)
	}
	return nil
}

var errLength = errors.New("another length than declared")

func (b *body) unzstd(dst, packed []byte) error {
	if b.zstd == nil {
		var err error
		b.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<31), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return err
		}
	}
	out, err := b.zstd.DecodeAll(packed, dst[:0:len(dst)])
	if err == nil && len(out) != len(dst) {
		err = errLength
	}
	return err
}

func (b *body) unlz4(dst, packed []byte) error {
	src := bytes.NewReader(packed)
	if b.lz4 == nil {
		b.lz4 = lz4.NewReader(src)
	} else {
		b.lz4.Reset(src)
	}
	if _, err := io.ReadFull(b.lz4, dst); err != nil {
		return err
	}
	var more [1]byte
	switch n, err := b.lz4.Read(more[:]); {
	case n > 0:
		return errLength
	case err != nil && err != io.EOF:
		return err
	}
	return nil
}
