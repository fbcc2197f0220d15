package orcwire

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
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
		out = append(out, BloomFilter{})
		if readBloomFilter(&m, &out[len(out)-1]); m.Err != nil {
			return nil, pb.Inside(m.Err, "row group %d", len(out)-1)
		}
	}
	return out, nil
}

// AppendBloomIndex appends a BLOOM_FILTER_UTF8 stream, the reverse of ParseBloomIndex.
func AppendBloomIndex(dst []byte, filters []BloomFilter) []byte {
	return bloomIndexTable.Append(dst, &filters)
}

var bloomIndexTable = pb.NewTable(
	pb.Parts(1, "bloomFilter", "row group", bloomFilterTable, func(x *[]BloomFilter) *[]BloomFilter { return x }).Each(pb.ListNumbered, shownGroups),
)

// bloomFilterTable has the bits twice: the newer form counts where the older is not there.
var bloomFilterTable = pb.NewTable(
	pb.Uint(1, "numHashFunctions", func(f *BloomFilter) *uint32 { return &f.Hashes }),
	pb.Custom(2, "bitset", pb.FormBits, func(m *pb.Message, f *BloomFilter) { // fixed64, packed or one
		if m.Type == protowire.BytesType {
			f.Bits = appendWords(m, f.Bits)
		} else if m.Is(protowire.Fixed64Type) {
			f.Bits = append(f.Bits, m.Val)
		}
	}, nil).Each(pb.ListPlain, 1),
	pb.Custom(3, "utf8bitset", pb.FormBits, func(m *pb.Message, f *BloomFilter) {
		if b := m.Bytes(); cap(f.Bits) == 0 {
			f.Bits = appendWords(m, make([]uint64, 0, len(b)/8))
		}
	}, func(b []byte, num protowire.Number, f *BloomFilter) []byte {
		b, at := pb.Open(b, num)
		for _, w := range f.Bits {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
		return pb.Close(b, at)
	}),
).Check(func(f *BloomFilter) error {
	switch {
	case len(f.Bits) == 0:
		return errs.Errorf(errs.ErrCorrupt, "bloom filter without bits")
	case f.Hashes == 0 || f.Hashes > maxBloomHashes:
		return errs.Errorf(errs.ErrCorrupt, "bloom filter with %d hash functions", f.Hashes)
	}
	return nil
})

func readBloomFilter(m *pb.Message, f *BloomFilter) {
	words := 0
	for c := m.Message(); c.Next(); {
		switch {
		case c.Num != 2:
		case c.Type == protowire.BytesType:
			words += max(1, len(c.Bytes())/8)
		default:
			words++
		}
	}
	if words > 0 {
		f.Bits = make([]uint64, 0, words)
	}
	bloomFilterTable.ReadField(m, f)
}

// appendWords appends the field's bytes as little-endian words.
func appendWords(m *pb.Message, dst []uint64) []uint64 {
	b := m.Bytes()
	if len(b)%8 != 0 {
		m.Fail("bloom filter of %d bytes is not whole words", len(b))
		return dst
	}
	for ; len(b) > 0; b = b[8:] {
		dst = append(dst, binary.LittleEndian.Uint64(b))
	}
	return dst
}
