package orcwire

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// BloomFilter is the bloom filter of one row group of a column (specification, "Bloom Filter Index").
type BloomFilter struct {
	Hashes uint32   // bits that a value sets; 1 to maxBloomHashes
	Bits   []uint64 // at least one word; bit i of the filter is bit i%64 of word i/64
}

// maxBloomHashes bounds the work that a filter can ask for. A filter with a false positive rate of 2^-n has about n
// hashes, and a rate below the least double of 2^-1074 cannot be asked for.
const maxBloomHashes = 1100

// ParseBloomIndex reads a BLOOM_FILTER or BLOOM_FILTER_UTF8 stream: filters by row group. Behind the first
// maxEntries it leaves out what there is. Both forms of the bits are understood, wherever they stand. A filter without
// bits is corrupt.
func ParseBloomIndex(b []byte, maxEntries int) ([]BloomFilter, error) {
	n := 0
	m := pbMessage{b: b}
	for m.next() {
		if m.num == 1 && n < maxEntries {
			n++
			m.bytes()
		}
	}
	if m.err != nil {
		return nil, m.err
	}
	out := make([]BloomFilter, 0, n)
	for m = (pbMessage{b: b}); m.next(); {
		if m.num != 1 || len(out) == n {
			continue
		}
		f, err := parseBloomFilter(m.message())
		if err != nil {
			return nil, within(err, "row group", len(out))
		}
		out = append(out, f)
	}
	return out, nil
}

func parseBloomFilter(m pbMessage) (BloomFilter, error) {
	var f BloomFilter
	words := 0
	for count := m; count.next(); {
		if count.num == 2 {
			words += max(1, len(count.data)/8)
		}
	}
	if words > 0 {
		f.Bits = make([]uint64, 0, words)
	}
	for m.next() {
		switch m.num {
		case 1:
			f.Hashes = m.uint32()
		case 2: // fixed64, packed or one
			if m.typ == protowire.BytesType {
				f.Bits = m.appendWords(f.Bits)
			} else if m.is(protowire.Fixed64Type) {
				f.Bits = append(f.Bits, m.val)
			}
		case 3:
			if b := m.bytes(); words == 0 {
				f.Bits = m.appendWords(make([]uint64, 0, len(b)/8))
			}
		}
	}
	if m.err == nil && len(f.Bits) == 0 {
		m.fail("bloom filter without bits")
	}
	if m.err == nil && (f.Hashes == 0 || f.Hashes > maxBloomHashes) {
		m.fail("bloom filter with %d hash functions", f.Hashes)
	}
	return f, m.err
}

// appendWords appends the field's bytes as little-endian words.
func (m *pbMessage) appendWords(dst []uint64) []uint64 {
	b := m.data
	if len(b)%8 != 0 {
		m.fail("bloom filter of %d bytes is not whole words", len(b))
		return dst
	}
	for ; len(b) > 0; b = b[8:] {
		dst = append(dst, binary.LittleEndian.Uint64(b))
	}
	return dst
}
