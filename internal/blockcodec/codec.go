package blockcodec

import (
	"math"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Codec is a compression of blocks. The zero value is None.
type Codec uint8

// Codecs.
const (
	None Codec = iota
	Deflate
	Zlib
	Snappy
	LZ4
	LZO
	Zstd
	Brotli
	Bzip2
)

// DefaultLevel asks for a codec's own default.
const DefaultLevel = -1

// NoMatches is a level of Zstd at which Encode looks for no matches in blocks of 1 KiB and more: they are codes of bytes. No option names it.
const NoMatches = -2

// codecs says by Codec what people call it, which levels its encoder takes (none if max < min), and how many bytes
// one stored byte can become at the very most.
var codecs = [...]struct {
	name     string
	min, max int
	growth   int64
}{
	None:    {"none", 1, 0, 1},
	Deflate: {"deflate", 0, 9, 1032},     // 258 bytes from a length and a distance of one bit each
	Zlib:    {"zlib", 0, 9, 1032},        //
	Snappy:  {"snappy", 1, 3, 22},        // 64 bytes from a copy of three
	LZ4:     {"lz4", 1, 9, 255},          // a length byte of 255
	LZO:     {"lzo", 1, 0, 255},          // a zero byte adds 255
	Zstd:    {"zstd", 1, 22, 32768},      // an RLE block: 128 KiB from four bytes
	Brotli:  {"brotli", 0, 11, 16 << 20}, // meta-blocks of 16 MiB, each of more than one byte
	Bzip2:   {"bzip2", 1, 0, 2_335_000},  // a block is at most 900 000 bytes × 259/5 and takes at least 20
}

// String returns the name that ParseCodec takes.
func (c Codec) String() string {
	if int(c) < len(codecs) {
		return codecs[c].name
	}
	return "codec " + strconv.Itoa(int(c))
}

// MaxRaw returns the most bytes that a block of packed bytes can decompress to, math.MaxInt64 if that is beyond
// counting. A declared size above it is a lie that needs no memory to find.
func MaxRaw(c Codec, packed int64) int64 {
	if int(c) >= len(codecs) || packed <= 0 {
		return 0
	}
	if g := codecs[c].growth; packed <= math.MaxInt64/g {
		return packed * g
	}
	return math.MaxInt64
}

// ParseCodec reads NAME or NAME:LEVEL, as in "zstd:3", where NAME is one of allowed. Without a level it returns
// DefaultLevel. Anything else is errs.ErrOption with the words that are possible.
//
// Levels: deflate and zlib 0 (store) to 9, default 6; snappy 1 (fast, default) to 3; lz4 1 to 9 search deeper, without
// a level the fast method; zstd 1 to 22, default 3; brotli 0 to 11, default 6.
func ParseCodec(s string, allowed ...Codec) (Codec, int, error) {
	return ParseAlias(s, nil, allowed...)
}

// ParseAlias is ParseCodec of words some of which are other names of codecs. Errors have the word that was given.
func ParseAlias(s string, aliases map[string]Codec, allowed ...Codec) (Codec, int, error) {
	name, lv, leveled := strings.Cut(s, ":")
	for _, c := range allowed {
		if a, ok := aliases[name]; c.String() != name && (!ok || a != c) {
			continue
		}
		if !leveled {
			return c, DefaultLevel, nil
		}
		k := codecs[c]
		if k.max < k.min {
			return 0, 0, errs.Errorf(errs.ErrOption, "compression %q: %s takes no level", s, name)
		}
		level, err := strconv.Atoi(lv)
		if err != nil || level < k.min || level > k.max {
			return 0, 0, errs.Errorf(errs.ErrOption, "compression %q: the levels of %s are %d to %d", s, name, k.min, k.max)
		}
		return c, level, nil
	}
	names := make([]string, len(allowed))
	for i, c := range allowed {
		names[i] = c.String()
	}
	return 0, 0, errs.Errorf(errs.ErrOption, "compression %q is not one of %s", s, strings.Join(names, ", "))
}

func checkLevel(c Codec, level int) error {
	if k := codecs[c]; level != DefaultLevel && (level != NoMatches || c != Zstd) && (level < k.min || level > k.max) {
		return errs.Errorf(errs.ErrOption, "%s has no level %d", c, level)
	}
	return nil
}
