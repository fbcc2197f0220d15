package orcwire

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/internal/pb"
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
	m := pb.New(b)
	for m.Next() {
		if m.Num == 1 && n < maxEntries {
			n++
			m.Bytes()
		}
	}
	if m.Err != nil {
		return nil, m.Err
	}
	out := make([]BloomFilter, 0, n)
	for m = pb.New(b); m.Next(); {
		if m.Num != 1 || len(out) == n {
			continue
		}
		f, err := parseBloomFilter(m.Message())
		if err != nil {
			return nil, within(err, "row group", len(out))
		}
		out = append(out, f)
	}
	return out, nil
}

func parseBloomFilter(m pb.Message) (BloomFilter, error) {
	var f BloomFilter
	words := 0
	for count := m; count.Next(); {
		if count.Num == 2 {
			words += max(1, len(count.Data)/8)
		}
	}
	if words > 0 {
		f.Bits = make([]uint64, 0, words)
	}
	for m.Next() {
		switch m.Num {
		case 1:
			f.Hashes = m.Uint32()
		case 2: // fixed64, packed or one
			if m.Type == protowire.BytesType {
				f.Bits = appendWords(&m, f.Bits)
			} else if m.Is(protowire.Fixed64Type) {
				f.Bits = append(f.Bits, m.Val)
			}
		case 3:
			if b := m.Bytes(); words == 0 {
				f.Bits = appendWords(&m, make([]uint64, 0, len(b)/8))
			}
		}
	}
	if m.Err == nil && len(f.Bits) == 0 {
		m.Fail("bloom filter without bits")
	}
	if m.Err == nil && (f.Hashes == 0 || f.Hashes > maxBloomHashes) {
		m.Fail("bloom filter with %d hash functions", f.Hashes)
	}
	return f, m.Err
}

// appendWords appends the field's bytes as little-endian words.
func appendWords(m *pb.Message, dst []uint64) []uint64 {
	b := m.Data
	if len(b)%8 != 0 {
		m.Fail("bloom filter of %d bytes is not whole words", len(b))
		return dst
	}
	for ; len(b) > 0; b = b[8:] {
		dst = append(dst, binary.LittleEndian.Uint64(b))
	}
	return dst
}
