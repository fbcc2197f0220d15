package cfilewire

import (
	"encoding/binary"
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb"
)

// maxHashes bounds the work of a look-up. Kudu takes 13 for its default of one false answer in 10 000; as many as here
// would be one in 10 to the 77th.
const maxHashes = 256

// Bloom is the filter of one block of a bloom file, made of the keys from the block's own in the value index up to the
// next block's.
type Bloom struct {
	Hashes int    // bits that a key sets
	Bits   []byte // lowest bit first
}

// bloomHeaderTable is BloomBlockHeaderPB: how many bits a key sets.
var bloomHeaderTable = pb.NewTable(
	pb.Int(1, "num_hash_functions", func(hashes *int32) *int32 { return hashes }),
)

// ParseBloom reads an opened block of a bloom file:
//
//	length of BloomBlockHeaderPB(u32)  BloomBlockHeaderPB  bits
//
// It refers to b.
func ParseBloom(b []byte) (Bloom, error) {
	if len(b) < 4 {
		return Bloom{}, errs.Errorf(errs.ErrCorrupt, "bloom block of %d bytes", len(b))
	}
	n := binary.LittleEndian.Uint32(b)
	b = b[4:]
	if int64(n) > int64(len(b)) {
		return Bloom{}, errs.Errorf(errs.ErrCorrupt, "bloom header of %d bytes before the last %d", n, len(b))
	}
	hashes := int32(0)
	if err := bloomHeaderTable.Parse(b[:n], &hashes); err != nil {
		return Bloom{}, err
	}
	if hashes < 1 || hashes > maxHashes {
		return Bloom{}, errs.Errorf(errs.ErrCorrupt, "bloom filter of %d hash functions", hashes)
	}
	b = b[n:]
	if len(b) == 0 || int64(len(b)) > math.MaxUint32/8 {
		return Bloom{}, errs.Errorf(errs.ErrCorrupt, "bloom filter of %d bytes", len(b))
	}
	return Bloom{Hashes: int(hashes), Bits: b}, nil
}

// MayContain reports whether the filter may hold the key with this hash (HashKey); false is certain. The zero Bloom,
// which ParseBloom never returns, answers true.
func (b Bloom) MayContain(hash uint64) bool {
	if len(b.Bits) == 0 {
		return true
	}
	n := uint32(len(b.Bits)) * 8
	at, step := uint32(hash), uint32(hash>>32)
	for range b.Hashes {
		bit := at % n
		if b.Bits[bit/8]>>(bit%8)&1 == 0 {
			return false
		}
		at += step
	}
	return true
}
