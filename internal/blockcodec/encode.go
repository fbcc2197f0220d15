package blockcodec

import (
	"encoding/binary"
	"hash/adler32"
	"slices"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Encoder compresses blocks. The zero value is ready. It keeps the state of each codec and level that it has met, so
// that further blocks allocate nothing but what dst lacks. One goroutine at a time may use it.
type Encoder struct {
	sink   sink
	flate  [10]*flate.Writer
	codes  *flate.Writer // Huffman codes alone
	brotli [12]*brotli.Writer
	zstd   [zstd.SpeedBestCompression + 1]*zstd.Encoder
	huff   huff0.Scratch
	lz4    *lz4.Compressor
	lz4hc  *lz4.CompressorHC
}

// Encode appends the block that src makes to dst and returns the longer slice. It keeps neither. dst and src must not
// overlap.
//
// Every codec takes every src, the empty one too, and the result may be longer than src: whether it is then stored
// plain is for the container to say. The same src and level always give the same bytes.
//
// level is DefaultLevel or one of those that ParseCodec lists, else the error is errs.ErrOption. A codec that is
// only read (LZO, Bzip2) is errs.ErrUnsupported. On an error dst is returned as it was.
//
// The defaults: deflate and zlib 6, which is Java's; snappy 1, s2.EncodeSnappy, about twice as fast as what the
// package snappy calls Encode, which is level 2 and denser; lz4 the fast method; zstd 3; brotli 6. Zstd has four
// speeds, each standing for a range of levels.
func (e *Encoder) Encode(c Codec, level int, dst, src []byte) ([]byte, error) {
	if int(c) >= len(codecs) || c == LZO || c == Bzip2 {
		return dst, errs.Errorf(errs.ErrUnsupported, "%s is read, not written", c)
	}
	if err := checkLevel(c, level); err != nil {
		return dst, err
	}
	switch c {
	case Deflate:
		return e.deflate(level, dst, src)
	case Zlib:
		out, err := e.deflate(level, append(dst, zlibHeader(level)...), src)
		if err != nil {
			return dst, err
		}
		return binary.BigEndian.AppendUint32(out, adler32.Checksum(src)), nil
	case Snappy:
		return e.snappy(level, dst, src)
	case LZ4:
		return e.lz4Block(level, dst, src)
	case Zstd:
		return e.zstdFrame(level, dst, src)
	case Brotli:
		return e.brotliStream(level, dst, src)
	}
	return append(dst, src...), nil
}

// sink is the io.Writer that streaming encoders get: it appends.
type sink struct{ b []byte }

// Write appends p.
func (s *sink) Write(p []byte) (int, error) {
	s.b = append(s.b, p...)
	return len(p), nil
}

// take hands over what was written.
func (s *sink) take() []byte {
	b := s.b
	s.b = nil
	return b
}

// writer is what flate and brotli have in common.
type writer interface {
	Write(p []byte) (int, error)
	Close() error
}

// run sends src through w, which writes to e.sink.
func (e *Encoder) run(w writer, dst, src []byte) ([]byte, error) {
	e.sink.b = dst
	_, err := w.Write(src)
	if err == nil {
		err = w.Close()
	}
	out := e.sink.take()
	if err != nil { // the sink has none to give
		return dst, errs.Errorf(errs.ErrInternal, "encoder: %w", err)
	}
	return out, nil
}

func (e *Encoder) deflate(level int, dst, src []byte) ([]byte, error) {
	if level == DefaultLevel {
		level = 6
	}
	out, err := e.flateBlock(&e.flate[level], level, dst, src)
	if err != nil || level == 0 || level > 6 || len(out)-len(dst) < len(src) {
		return out, err
	}
	// Where they find no match at all, the fast levels store the bytes, and leave undone what codes alone can do: a
	// third of ascending varints, a tenth of floats.
	return e.flateBlock(&e.codes, flateCodes, out[:len(dst)], src)
}

// flateCodes is the level of codes of bytes alone.
const flateCodes = flate.HuffmanOnly

// flateBlock compresses with *w, which it makes when it is first needed.
func (e *Encoder) flateBlock(w **flate.Writer, level int, dst, src []byte) ([]byte, error) {
	if *w == nil {
		f, err := flate.NewWriter(&e.sink, level)
		if err != nil {
			return dst, errs.Errorf(errs.ErrInternal, "deflate: %w", err)
		}
		*w = f
	} else {
		(*w).Reset(&e.sink)
	}
	return e.run(*w, dst, src)
}

// zlibHeader says deflate, window 32 KiB, and what kind of level.
func zlibHeader(level int) []byte {
	switch {
	case level == DefaultLevel || level == 6:
		return []byte{0x78, 0x9c}
	case level < 2:
		return []byte{0x78, 0x01}
	case level < 6:
		return []byte{0x78, 0x5e}
	}
	return []byte{0x78, 0xda}
}

func (e *Encoder) brotliStream(level int, dst, src []byte) ([]byte, error) {
	if level == DefaultLevel {
		level = 6
	}
	if e.brotli[level] == nil {
		e.brotli[level] = brotli.NewWriterLevel(&e.sink, level)
	} else {
		e.brotli[level].Reset(&e.sink)
	}
	return e.run(e.brotli[level], dst, src)
}

func (e *Encoder) snappy(level int, dst, src []byte) ([]byte, error) {
	bound := s2.MaxEncodedLen(len(src))
	if bound < 0 {
		return dst, errs.Errorf(errs.ErrLimit, "snappy: block of %d bytes", len(src))
	}
	dst = slices.Grow(dst, bound)
	out := dst[len(dst):cap(dst)]
	switch level {
	case 2:
		out = s2.EncodeSnappyBetter(out, src)
	case 3:
		out = s2.EncodeSnappyBest(out, src)
	default:
		out = s2.EncodeSnappy(out, src)
	}
	return dst[:len(dst)+len(out)], nil
}

// lz4Block gives the encoder the room that the worst case takes: with less it may call src incompressible and stop.
func (e *Encoder) lz4Block(level int, dst, src []byte) ([]byte, error) {
	if len(src) == 0 {
		return append(dst, 0), nil // one token: no literals, no match; the encoder would write nothing
	}
	dst = slices.Grow(dst, lz4.CompressBlockBound(len(src)))
	out := dst[len(dst):cap(dst)]
	var n int
	var err error
	if level == DefaultLevel {
		if e.lz4 == nil {
			e.lz4 = new(lz4.Compressor)
		}
		n, err = e.lz4.CompressBlock(src, out)
	} else {
		if e.lz4hc == nil {
			e.lz4hc = new(lz4.CompressorHC)
		}
		e.lz4hc.Level = lz4.CompressionLevel(1 << (8 + level))
		n, err = e.lz4hc.CompressBlock(src, out)
	}
	if n == 0 {
		return dst, errs.Errorf(errs.ErrInternal, "lz4: block of %d bytes: %v", len(src), err)
	}
	return dst[:len(dst)+n], nil
}

// Faster returns levels of c that are faster than level and that may make a block shorter nevertheless, the fastest last. With Zstd a search for
// short matches alone does so of some text, and none at all of some numbers.
func Faster(c Codec, level int) []int {
	if c == Zstd && level == DefaultLevel {
		return []int{1, NoMatches}
	}
	return nil
}

// zstdFrame writes one frame with its content size and a checksum: ORC, where it goes, has none of its own. What no matches make
// shorter gets codes of bytes, which the library leaves out then.
func (e *Encoder) zstdFrame(level int, dst, src []byte) ([]byte, error) {
	if level == NoMatches && len(src) >= leastLiterals {
		return e.zstdLiterals(dst, src)
	}
	speed := zstd.SpeedDefault
	if level != DefaultLevel {
		speed = zstd.EncoderLevelFromZstd(level)
	}
	if e.zstd[speed] == nil {
		w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(speed), zstd.WithZeroFrames(true), zstd.WithAllLitEntropyCompression(true))
		if err != nil {
			return dst, errs.Errorf(errs.ErrInternal, "zstd: %w", err)
		}
		e.zstd[speed] = w
	}
	out := e.zstd[speed].EncodeAll(src, dst)
	if len(src) >= leastLiterals && len(out)-len(dst) >= len(src) {
		return e.zstdLiterals(dst, src)
	}
	return out, nil
}

// leastLiterals is of how many bytes codes may make up for their table.
const leastLiterals = 1 << 10
