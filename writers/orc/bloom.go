package orc

import (
	"math"
	"math/bits"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// bloom is the bloom filter of the open row group of a column (docs/formats/orc.md, "Bloom filters"): the same bits that
// Java's writer sets for the same values.
type bloom struct {
	words  []uint64
	hashes uint32
	size   uint64 // in bits
	recip  uint64 // 2^64/size, rounded up: gives rests of 32-bit numbers without a division
	text   []byte // of a decimal
}

// newBloom returns a filter for stride values of which a search for others finds a share of fpp, from above 0 to below 1.
func newBloom(stride int, fpp float64) *bloom {
	size, hashes := bloomSize(stride, fpp)
	return &bloom{words: make([]uint64, size/64), hashes: hashes, size: size, recip: math.MaxUint64/size + 1}
}

// bloomSize returns how many bits and hashes Java gives to a filter of stride values. It holds back from more than 2^31
// bits, which Java cannot have.
func bloomSize(stride int, fpp float64) (size uint64, hashes uint32) {
	ln2 := float64(math.Ln2)
	n := float64(max(stride, 1))
	b := min(-n*math.Log(fpp)/(ln2*ln2), math.MaxInt32-64)
	size = uint64(b)
	size += 64 - size%64
	return size, uint32(max(1, math.Floor(float64(size)/n*ln2+0.5)))
}

// take hands over the filter of the row group and begins the next.
func (b *bloom) take() orcwire.BloomFilter {
	f := orcwire.BloomFilter{Hashes: b.hashes, Bits: b.words}
	b.words = make([]uint64, len(b.words))
	return f
}

// addHash adds a value by its hash.
func (b *bloom) addHash(h uint64) {
	words := b.words
	c, step := uint32(h), uint32(h>>32)
	for range b.hashes {
		c += step
		x := int32(c)
		bit, _ := bits.Mul64(b.recip*uint64(x^x>>31), b.size)
		words[bit/64] |= 1 << (bit % 64)
	}
}

// addBloomInts adds integers, dates as days since 1970-01-01, lengths of lists and maps, or tags of unions.
func addBloomInts[T integer](b *bloom, v []T) {
	for _, x := range v {
		b.addHash(orcwire.HashLong(int64(x)))
	}
}

// addBools adds booleans, the bits from off on, as the C++ writer does: as 0 and 1. Java adds none, and does not look for
// any.
func (b *bloom) addBools(bitmap []byte, off, n int) {
	trues := bitutil.CountSetBits(bitmap, off, n)
	if trues > 0 {
		b.addHash(orcwire.HashLong(1))
	}
	if trues < n {
		b.addHash(orcwire.HashLong(0))
	}
}

// addBloomFloats adds floats.
func addBloomFloats[T float32 | float64](b *bloom, v []T) {
	for _, x := range v {
		b.addHash(orcwire.HashDouble(float64(x)))
	}
}

// addBloomStrings adds strings or binary values: offsets[i] to offsets[i+1] of data is value i. Values of char must have
// their padding.
func addBloomStrings(b *bloom, offsets []int32, data []byte) {
	if len(offsets) == 0 {
		return
	}
	from := offsets[0]
	for _, to := range offsets[1:] {
		b.addHash(orcwire.HashBytes(data[from:to]))
		from = to
	}
}

// addBloomIDs adds strings that are words of a dictionary, by number. It is enough to add each once: see
// stringStats.addIDs.
func addBloomIDs(b *bloom, ids, offsets []int32, data []byte) {
	for _, id := range ids {
		b.addHash(orcwire.HashBytes(data[offsets[id]:offsets[id+1]]))
	}
}

// addBloomTimestamps adds timestamps as milliseconds: see timestampStats.add.
func addBloomTimestamps(b *bloom, values []int64, unit arrow.TimeUnit) {
	second := perSecond(unit)
	for _, v := range values {
		b.addHash(orcwire.HashLong(momentOf(storedTime(v, second), second).ms))
	}
}

// addBloomDecimals adds decimals of a type, two words each, the low one first.
func addBloomDecimals(b *bloom, words [][2]uint64, t *orcwire.Type) {
	_, scale := t.DecimalType()
	for i := range words {
		b.text = appendDecimal(b.text[:0], words[i][0], words[i][1], int(scale))
		b.addHash(orcwire.HashBytes(b.text))
	}
}

// appendDecimal is orcwire.AppendDecimal, faster where 64 bits hold the number.
func appendDecimal(dst []byte, low, high uint64, scale int) []byte {
	if high != uint64(int64(low)>>63) || scale < 0 {
		return orcwire.AppendDecimal(dst, low, high, scale)
	}
	v := magnitude(int64(low))
	for scale > 0 && v%10 == 0 {
		v, scale = v/10, scale-1
		if v == 0 {
			scale = 0
		}
	}
	if int64(low) < 0 {
		dst = append(dst, '-')
	}
	var digits [20]byte
	text := strconv.AppendUint(digits[:0], v, 10)
	if scale == 0 {
		return append(dst, text...)
	}
	if len(text) > scale {
		dst = append(dst, text[:len(text)-scale]...)
		text = text[len(text)-scale:]
	} else {
		dst = append(dst, '0')
	}
	dst = append(dst, '.')
	for n := scale - len(text); n > 0; n-- {
		dst = append(dst, '0')
	}
	return append(dst, text...)
}
