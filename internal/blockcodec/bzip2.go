package blockcodec

import (
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"io"
)

// The standard library's reader has two habits that do not fit here. It goes on with the next stream where Java stops
// after the first, and it allocates four bytes for each byte of the largest block that the header's level allows,
// 3.6 MB for nearly every stream there is, however short. Both are cured by what it is given to read:
//
//	"BZh" level | block … block | 17 72 45 38 50 90 | CRC, 32 bits | 0 to 7 bits | whatever follows
//
// It asks for single bytes and never for one that it does not need, so when the bits just handed out are the end mark
// and a CRC, and it asks for more, the stream is over (or holds these 48 bits by chance, once in 2^45 bytes; the reader
// then says that the stream is cut short). And the level may be lowered to what the expected output can need.
type bzip2Source struct {
	src   []byte
	pos   int
	level byte
}

const bzip2EndMark = 0x177245385090

var errBzip2Header = errors.New("bzip2 header is not legal")

// ReadByte hands out the first stream only, with the level replaced.
func (s *bzip2Source) ReadByte() (byte, error) {
	if s.pos == len(s.src) || s.pos >= 14 && s.ended() {
		return 0, io.EOF
	}
	b := s.src[s.pos]
	if s.pos == 3 {
		b = s.level
	}
	s.pos++
	return b, nil
}

// ended reports whether the bits before pos are the end mark, a CRC and at most seven bits of padding.
func (s *bzip2Source) ended() bool {
	w := binary.BigEndian.Uint64(s.src[s.pos-11:])
	for pad := range 8 {
		if w>>(8+pad)&(1<<48-1) == bzip2EndMark {
			return true
		}
	}
	return false
}

// Read makes the source an io.Reader for bzip2.NewReader, which then uses ReadByte alone.
func (s *bzip2Source) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := s.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = b
	return 1, nil
}

func (d *Decoder) bzip2Stream(dst, src []byte, size int) (int, error) {
	if len(src) < 14 {
		return 0, errTruncated
	}
	if string(src[:3]) != "BZh" || src[3] < '1' || src[3] > '9' {
		return 0, errBzip2Header
	}
	// Run lengths may take a fifth byte for four of the output, so no block of ours is larger than 5/4 of it.
	need := (int64(size)*5/4)/100_000 + 1
	d.bzip2 = bzip2Source{src: src, level: byte(min(int64(src[3]), '0'+need))}
	n, err := readAll(bzip2.NewReader(&d.bzip2), dst, size)
	d.trailing = len(src) - d.bzip2.pos
	d.bzip2.src = nil
	return n, err
}
