package unzstd_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/unzstd"
)

// field is a number of so many bits.
type field struct {
	v uint64
	n uint
}

// backwards returns the stream from which these numbers are read, in this order.
func backwards(fields ...field) []byte {
	all := big.NewInt(1)
	for _, f := range fields {
		all.Lsh(all, f.n)
		all.Or(all, new(big.Int).SetUint64(f.v))
	}
	b := all.Bytes()
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return b
}

func cat(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = append(b, byte(p))
		case string:
			b = append(b, p...)
		case []byte:
			b = append(b, p...)
		}
	}
	return b
}

// frame makes a frame without a content size, of a window of 1 KiB << window.
func frame(window int, blocks ...[]byte) []byte {
	b := cat(0x28, 0xb5, 0x2f, 0xfd, 0, window<<3)
	for i, block := range blocks {
		block = bytes.Clone(block)
		if i == len(blocks)-1 {
			block[0] |= 1
		}
		b = append(b, block...)
	}
	return b
}

func block(kind, size int, body ...any) []byte {
	h := size<<3 | kind<<1
	return append(cat(h, h>>8, h>>16), cat(body...)...)
}

// packed makes a compressed block.
func packed(parts ...any) []byte {
	b := cat(parts...)
	return block(2, len(b), b)
}

// raw is the section of literals that are not packed.
func raw(s string) []byte { return cat(len(s)<<3, s) }

// sequence has the codes of a literal length, an offset and a match length, and the extra bits of each.
type sequence struct {
	litCode, litExtra, offCode, offExtra, matchCode, matchExtra int
}

// same is the section of sequences that have the same codes, each in a table of one symbol; litBits and matchBits are how many extra
// bits those of lengths have.
func same(litBits, matchBits uint, seqs ...sequence) []byte {
	var f []field
	for _, s := range seqs {
		f = append(f, field{uint64(s.offExtra), uint(s.offCode)}, field{uint64(s.matchExtra), matchBits}, field{uint64(s.litExtra), litBits})
	}
	return cat(len(seqs), 0x54, seqs[0].litCode, seqs[0].offCode, seqs[0].matchCode, backwards(f...))
}

func TestFrames(t *testing.T) {
	le32 := func(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }
	head := cat(0x28, 0xb5, 0x2f, 0xfd)
	abc := block(0, 3, "abc")
	last := block(0, 0)
	last[0] |= 1
	for _, k := range []struct {
		name string
		src  []byte
		want string
		err  error
	}{
		{"nothing", nil, "", nil},
		{"a byte", cat(0x28), "", unzstd.ErrTruncated},
		{"another magic number", cat("PK\x03\x04abcdefgh"), "", unzstd.ErrCorrupt},
		{"raw block", frame(0, abc), "abc", nil},
		{"raw blocks", frame(0, abc, abc), "abcabc", nil},
		{"two frames", append(frame(0, abc), frame(0, abc)...), "abcabc", nil},
		{"a frame and a byte", append(frame(0, abc), 0), "abc", unzstd.ErrTruncated},
		{"a frame and rubbish", append(frame(0, abc), 1, 2, 3, 4), "abc", unzstd.ErrCorrupt},
		{"skippable frames", cat(0x50, 0x2a, 0x4d, 0x18, le32(2), "xy", frame(0, abc), 0x5f, 0x2a, 0x4d, 0x18, le32(0)), "abc", nil},
		{"skippable frame, cut", cat(0x50, 0x2a, 0x4d, 0x18, le32(3), "xy"), "", unzstd.ErrTruncated},
		{"skippable frame of 4 GiB", cat(0x50, 0x2a, 0x4d, 0x18, le32(1<<32-1), "xy"), "", unzstd.ErrTruncated},
		{"reserved bit of the frame", cat(head, 8, 0, last), "", unzstd.ErrCorrupt},
		{"unused bit of the frame", cat(head, 16, 0, last), "", nil},
		{"dictionary", cat(head, 1, 0, 7, last), "", unzstd.ErrDictionary},
		{"dictionary 0", cat(head, 1, 0, 0, last), "", nil},
		{"dictionary of 4 bytes", cat(head, 3, 0, 0, 0, 0, 1, last), "", unzstd.ErrDictionary},
		{"window of 512 MiB", cat(head, 0, 19<<3, last), "", nil},
		{"window of 576 MiB", cat(head, 0, 19<<3|1, last), "", unzstd.ErrWindow},
		{"content size of a byte", cat(head, 0x20, 3, block(0, 3, "abc"), last), "abc", nil},
		{"content size too small", cat(head, 0x20, 2, block(0, 3, "abc"), last), "", unzstd.ErrCorrupt},
		{"content size too large", cat(head, 0x20, 4, block(0, 3, "abc"), last), "", unzstd.ErrCorrupt},
		{"content size of two bytes", cat(head, 0x60, 0, 0, block(1, 256, "a"), last), strings.Repeat("a", 256), nil},
		{"content size of four bytes", cat(head, 0xa0, le32(3), block(0, 3, "abc"), last), "abc", nil},
		{"content size of eight bytes", cat(head, 0xe0, le32(3), le32(0), block(0, 3, "abc"), last), "abc", nil},
		{"content size above the limit", cat(head, 0xe0, le32(3), le32(1<<30), last), "", unzstd.ErrTooLarge},
		{"same byte", frame(0, block(1, 5, "a")), "aaaaa", nil},
		{"same byte, window exceeded", frame(0, block(1, 1025, "a")), "", unzstd.ErrCorrupt},
		{"same byte, 128 KiB exceeded", frame(10, block(1, 128<<10+1, "a")), "", unzstd.ErrCorrupt},
		{"block of kind 3", frame(0, block(3, 0)), "", unzstd.ErrCorrupt},
		{"no last block", frame(0, abc)[:9], "", unzstd.ErrTruncated},

		{"literals", frame(0, packed(raw("hello"), 0)), "hello", nil},
		{"literals, a byte too many", frame(0, packed(raw("hello"), 0, 0)), "", unzstd.ErrCorrupt},
		{"literals, too long", frame(0, packed(cat(6<<3, "hello"))), "", unzstd.ErrCorrupt},
		{"no count of sequences", frame(0, packed(raw("hello"))), "", unzstd.ErrCorrupt},
		{"literals in 2 bytes", frame(0, packed(5<<4|4, 0, "hello", 0)), "hello", nil},
		{"literals in 3 bytes", frame(0, packed(5<<4|12, 0, 0, "hello", 0)), "hello", nil},
		{"same literal", frame(0, packed(5<<3|1, "a", 0)), "aaaaa", nil},
		{"same literal, window exceeded", frame(0, packed(1<<4|5, 1025>>4, "a", 0)), "", unzstd.ErrCorrupt},
		{"empty literals", frame(0, packed(0, 0)), "", nil},
		{"code of an earlier block that there is not", frame(0, packed(3, 5<<6, 1, "abcde", 0)), "", unzstd.ErrCorrupt},

		// Literal lengths 0 to 15 and match lengths 3 to 34 are codes without extra bits. An offset o is the number o+3,
		// whose code is the place of its highest bit.
		{"match", frame(0, packed(raw("abc"), same(0, 0, sequence{3, 0, 2, 2, 0, 0}))), "abcabc", nil},
		{"match and literals", frame(0, packed(raw("abcd"), same(0, 0, sequence{3, 0, 2, 2, 0, 0}))), "abcabcd", nil},
		{"overlapping match", frame(0, packed(raw("ab"), same(0, 0, sequence{2, 0, 2, 1, 31, 0}))), strings.Repeat("ab", 18), nil},
		{"offset too far", frame(0, packed(raw("abc"), same(0, 0, sequence{3, 0, 2, 3, 0, 0}))), "", unzstd.ErrCorrupt},
		{"too few literals", frame(0, packed(raw("abc"), same(0, 0, sequence{4, 0, 2, 2, 0, 0}))), "", unzstd.ErrCorrupt},
		{"the last offset, as at the start", frame(0, packed(raw("ab"), same(0, 0, sequence{2, 0, 0, 0, 0, 0}))), "abbbb", nil},
		{"offset 4, as at the start", frame(0, packed(raw("abcd"), same(0, 0, sequence{4, 0, 1, 0, 0, 0}))), "abcdabc", nil},
		{"offset 8, as at the start", frame(0, packed(raw("abcdefgh"), same(0, 0, sequence{8, 0, 1, 1, 0, 0}))), "abcdefghabc", nil},
		{"without literals, the last but one", frame(0, abc, packed(raw(""), same(0, 0, sequence{0, 0, 0, 0, 0, 0}))), "", unzstd.ErrCorrupt},
		{"without literals, 4", frame(0, block(0, 4, "abcd"), packed(raw(""), same(0, 0, sequence{0, 0, 0, 0, 0, 0}))), "abcdabc", nil},
		{"without literals, 8", frame(0, block(0, 8, "abcdefgh"), packed(raw(""), same(0, 0, sequence{0, 0, 1, 0, 0, 0}))), "abcdefghabc", nil},
		{"without literals, one less than 1", frame(0, abc, packed(raw(""), same(0, 0, sequence{0, 0, 1, 1, 0, 0}))), "", unzstd.ErrCorrupt},
		// 8 back, the third one; then one less than the last, twice: 7 and 6 back.
		{
			"without literals, one less than the last", frame(0, block(0, 8, "abcdefgh"), packed(raw(""), same(0, 0,
				sequence{0, 0, 1, 0, 0, 0}, sequence{0, 0, 1, 1, 0, 0}, sequence{0, 0, 1, 1, 0, 0}))), "abcdefghabcefgabc", nil,
		},
		// 4 back, then the last but one: 1 back.
		{
			"the last but one", frame(0, packed(raw("abcdefgh"), same(0, 0, sequence{4, 0, 1, 0, 0, 0}, sequence{4, 0, 1, 0, 0, 0}))), "abcdabcefghhhh", nil,
		},
		{"a bit too few", frame(0, packed(raw("abc"), 1, 0x54, 3, 2, 0, backwards(field{1, 1}))), "", unzstd.ErrCorrupt},
		{"a bit too many", frame(0, packed(raw("abc"), 1, 0x54, 3, 2, 0, backwards(field{2, 2}, field{0, 1}))), "", unzstd.ErrCorrupt},
		{"a stream of zeros", frame(0, packed(raw("abc"), 1, 0x54, 3, 2, 0, 0)), "", unzstd.ErrCorrupt},
		{"no stream", frame(0, packed(raw("abc"), 1, 0x54, 3, 2, 0)), "", unzstd.ErrCorrupt},
		{"reserved bits of modes", frame(0, packed(raw("abc"), 1, 0x55, 3, 2, 0, backwards(field{2, 2}))), "", unzstd.ErrCorrupt},
		{"literal length 36", frame(0, packed(raw("abc"), 1, 0x54, 36, 2, 0, backwards(field{2, 2}))), "", unzstd.ErrCorrupt},
		{"offset code 31", frame(0, packed(raw("abc"), 1, 0x54, 3, 31, 0, backwards(field{2, 31}))), "", unzstd.ErrCorrupt},
		{"match length 53", frame(0, packed(raw("abc"), 1, 0x54, 3, 2, 53, backwards(field{2, 2}))), "", unzstd.ErrCorrupt},
		{"a table of before that there is not", frame(0, packed(raw("abc"), 1, 0xd4, 2, 0, backwards(field{2, 2}))), "", unzstd.ErrCorrupt},
		{
			"a table of before", frame(0, packed(raw("abc"), same(0, 0, sequence{3, 0, 2, 2, 0, 0})), packed(raw("xyz"), 1, 0xfc, backwards(field{2, 2}))),
			"abcabcxyzxyz", nil,
		},
		{
			"a table of another frame", append(frame(0, packed(raw("abc"), same(0, 0, sequence{3, 0, 2, 2, 0, 0}))), frame(0, packed(raw("xyz"), 1, 0xfc, backwards(field{2, 2})))...),
			"abcabc", unzstd.ErrCorrupt,
		},
		{"offset of another frame", append(frame(0, abc), frame(0, packed(raw("abc"), same(0, 0, sequence{3, 0, 2, 3, 0, 0})))...), "abc", unzstd.ErrCorrupt},
		// Code 43 are match lengths from 131 on, of 7 more bits; code 25 literal lengths from 64 on, of 6 more.
		{"long match", frame(0, packed(raw("abc"), same(0, 7, sequence{3, 0, 2, 2, 43, 127}))), strings.Repeat("abc", 87), nil},
		{"long literals", frame(0, packed(0xf5, 7, "a", same(6, 0, sequence{25, 63, 6, 37, 0, 0}))), strings.Repeat("a", 130), nil},
		{"block of more than its window", frame(0, block(1, 1024, "a"), packed(raw("abc"), same(0, 10, sequence{3, 0, 2, 2, 46, 0}))), "", unzstd.ErrCorrupt},
		{"offset of more than the window", frame(0, block(1, 1024, "a"), packed(raw("abc"), same(0, 0, sequence{3, 0, 10, 4, 0, 0}))), "", unzstd.ErrCorrupt},
		{"offset of the window", frame(0, block(1, 1024, "a"), packed(raw("abc"), same(0, 0, sequence{3, 0, 10, 3, 0, 0}))), strings.Repeat("a", 1024) + "abcaaa", nil},
	} {
		unzstd.Kernels(func(kernel string) {
			for _, slack := range []int{0, unzstd.Slack} {
				var d unzstd.Decoder
				dst := make([]byte, 5000+slack)
				n, err := d.Decode(dst, k.src, 5000)
				if !errors.Is(err, k.err) || string(dst[:n]) != k.want {
					t.Errorf("%s: %s: %q, %v; want %q, %v", kernel, k.name, dst[:n], err, k.want, k.err)
				}
			}
		})
		if k.err != unzstd.ErrTooLarge {
			newJudge(t, 5000).agree(t, k.src)
		}
	}
}
