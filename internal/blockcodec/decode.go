package blockcodec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/adler32"
	"io"
	"sync"

	lzo "github.com/anchore/go-lzo"
	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/s2"
	"github.com/pierrec/lz4/v4"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/inflate"
	"github.com/arrowio/arrowio/internal/unzstd"
)

// Slack is how far behind the declared size a Decoder may scribble: wide copies need no tail code that way.
const Slack = max(inflate.Slack, unzstd.Slack, 64)

// Decoder decompresses blocks. The zero value is ready. It keeps the state of the codecs that it has met, so that
// further blocks allocate nothing. The exceptions: Bzip2 allocates for each block, in proportion to size; Brotli now and
// then a table, and keeps a window of up to 16 MiB. One goroutine at a time may use it.
type Decoder struct {
	inflater *inflate.Decoder // large tables: made when they are first needed
	zstd     zstdDecoder
	brotli   *brotli.Reader
	bytes    bytes.Reader // what brotli reads
	bzip2    bzip2Source
	trailing int
}

// Trailing returns how many bytes of the last block lay behind the end of its stream (Deflate, Zlib, Bzip2).
func (d *Decoder) Trailing() int { return d.trailing }

// Decode decompresses all of src and returns the result, which starts where dst starts; the length of dst does not
// matter. It never returns, nor needs, more than size bytes: a block that holds more is corrupt, and so is one that
// holds fewer if exact is set.
//
// Bytes of dst between the result and size+Slack are undefined afterwards; bytes behind that are never touched. If
// cap(dst) is less than size+Slack, a new slice is allocated, so size must have been checked: against a limit, and
// against MaxRaw. dst and src must not overlap. None copies.
//
// Errors are errs.ErrCorrupt, without a place. The result is nil then.
func (d *Decoder) Decode(c Codec, dst, src []byte, size int, exact bool) ([]byte, error) {
	if size < 0 {
		return nil, errs.Errorf(errs.ErrInternal, "%s: size %d", c, size)
	}
	d.trailing = 0
	if len(src) == 0 && c != None {
		return nil, errs.Errorf(errs.ErrCorrupt, "%s: %w", c, errTruncated)
	}
	if c == Snappy { // the one codec that declares a size that its decoder allocates
		if err := checkSnappy(src, size); err != nil {
			return nil, err
		}
	}
	if cap(dst) < size+Slack {
		dst = make([]byte, size+Slack)
	}
	dst = dst[: size+Slack : size+Slack]

	var n int
	var err error
	switch c {
	case None:
		n = copy(dst[:size], src)
		if len(src) > size {
			err = errOverflow
		}
	case Deflate:
		n, err = d.inflate(dst, src, size)
	case Zlib:
		n, err = d.zlib(dst, src, size)
	case Snappy:
		var b []byte
		b, err = s2.Decode(dst, src)
		n = len(b)
	case LZ4:
		n, err = lz4.UncompressBlock(src, dst[:size])
	case LZO:
		n, err = lzoBlock(dst[:size:size], src)
	case Zstd:
		n, err = d.zstd.decode(dst, src, size)
	case Brotli:
		n, err = d.brotliStream(dst, src, size)
	case Bzip2:
		n, err = d.bzip2Stream(dst, src, size)
	default:
		return nil, errs.Errorf(errs.ErrUnsupported, "%s is not known", c)
	}
	switch {
	case errors.Is(err, errOverflow) || errors.Is(err, inflate.ErrTooLarge) || errors.Is(err, unzstd.ErrTooLarge):
		return nil, errs.Errorf(errs.ErrCorrupt, "%s: block of %d bytes holds more than the %d it may", c, len(src), size)
	case err != nil:
		return nil, errs.Errorf(errs.ErrCorrupt, "%s: block of %d bytes: %w", c, len(src), err)
	case exact && n != size:
		return nil, errs.Errorf(errs.ErrCorrupt, "%s: block of %d bytes holds %d, not %d", c, len(src), n, size)
	}
	return dst[:n], nil
}

var (
	errOverflow   = errors.New("output is larger than its declared size")
	errTruncated  = errors.New("stream is cut short")
	errZlibHeader = errors.New("zlib header is not legal")
	errZlibDict   = errors.New("zlib preset dictionary")
	errLZOLong    = errors.New("lzo block of 8 MiB or more")
	errZlibSum    = errors.New("adler-32 mismatch")
)

// inflaters are what released decoders have left.
var inflaters sync.Pool

// Release leaves what the decoder keeps of its codecs to other decoders: call it where many are used one after another, for a moment
// each, as for the files of a dataset. The decoder can be used again.
func (d *Decoder) Release() {
	if d.inflater != nil {
		inflaters.Put(d.inflater)
		d.inflater = nil
	}
	d.zstd.release()
}

func (d *Decoder) deflated() *inflate.Decoder {
	if d.inflater == nil {
		if d.inflater, _ = inflaters.Get().(*inflate.Decoder); d.inflater == nil {
			d.inflater = new(inflate.Decoder)
		}
	}
	return d.inflater
}

// inflate decodes raw deflate. Java's Inflater, like zlib, stops at the end of the final block and leaves the rest.
func (d *Decoder) inflate(dst, src []byte, size int) (int, error) {
	n, used, err := d.deflated().Decode(dst, src, size)
	d.trailing = len(src) - used
	return n, err
}

// zlib decodes RFC 1950:
//
//	CM=8 | CINFO<<4   FLG: FCHECK, FDICT, FLEVEL   deflate …   Adler-32, big-endian
func (d *Decoder) zlib(dst, src []byte, size int) (int, error) {
	if len(src) < 2 {
		return 0, errTruncated
	}
	h := binary.BigEndian.Uint16(src)
	switch {
	case h>>8&0x0f != 8 || h>>12 > 7 || h%31 != 0:
		return 0, errZlibHeader
	case h&0x20 != 0:
		return 0, errZlibDict
	}
	n, used, err := d.deflated().Decode(dst, src[2:], size)
	if err != nil {
		return 0, err
	}
	sum := src[2+used:]
	if len(sum) < 4 {
		return 0, errTruncated
	}
	if adler32.Checksum(dst[:n]) != binary.BigEndian.Uint32(sum) {
		return 0, errZlibSum
	}
	d.trailing = len(sum) - 4
	return n, nil
}

// checkSnappy holds the declared size against what the caller expects and against what src can hold at all. The latter
// also refuses what only S2, which s2.Decode reads as well, could have written.
func checkSnappy(src []byte, size int) error {
	n, err := s2.DecodedLen(src)
	switch {
	case err != nil:
		return errs.Errorf(errs.ErrCorrupt, "snappy: block of %d bytes: %w", len(src), err)
	case n > size:
		return errs.Errorf(errs.ErrCorrupt, "snappy: block declares %d bytes, more than the %d it may", n, size)
	case int64(n) > MaxRaw(Snappy, int64(len(src))):
		return errs.Errorf(errs.ErrCorrupt, "snappy: block of %d bytes declares %d", len(src), n)
	}
	return nil
}

// lzoBlock decodes LZO1X. The library counts in int: blocks below ORC's limit of 8 MiB cannot overflow one of 32 bits.
func lzoBlock(dst, src []byte) (int, error) {
	if len(src) >= 1<<23 {
		return 0, errLZOLong
	}
	return lzo.Decompress(src, dst)
}

func (d *Decoder) brotliStream(dst, src []byte, size int) (int, error) {
	d.bytes.Reset(src)
	defer d.bytes.Reset(nil)
	if d.brotli == nil {
		d.brotli = brotli.NewReader(&d.bytes)
	} else if err := d.brotli.Reset(&d.bytes); err != nil {
		return 0, err
	}
	return readAll(d.brotli, dst, size)
}

// readAll reads r to its end. One byte behind size, inside the slack, tells a stream that goes on from one that ends.
func readAll(r io.Reader, dst []byte, size int) (int, error) {
	for n := 0; ; {
		m, err := r.Read(dst[n : size+1])
		n += m
		switch {
		case n > size:
			return 0, errOverflow
		case err == io.EOF:
			return n, nil
		case err != nil:
			return 0, err
		}
	}
}
