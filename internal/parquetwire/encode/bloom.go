package encode

import (
	"encoding/binary"
	"math"
)

// MaxBloomBytes is how large a bloom filter becomes at most.
const MaxBloomBytes = 32 << 20

// BloomBytes returns the size of a split-block filter that has n different values and says yes wrongly in a share fpp
// of all questions: a power of two.
func BloomBytes(n int, fpp float64) int {
	bits := -8 * float64(n) / math.Log(1-math.Pow(fpp, 1./8))
	size := 32
	for float64(size)*8 < bits && size < MaxBloomBytes {
		size *= 2
	}
	return size
}

var bloomSalt = [8]uint32{0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31}

// AppendBloom appends a bloom filter, header and bits, of so many bytes that has the values with these xxHash-64s.
func AppendBloom(dst []byte, size int, hashes []uint64) []byte {
	t := thrift{b: dst}
	t.i32(1, int32(size))
	for id := 2; id <= 4; id++ { // algorithm: blocks; hash: xxHash; compression: none
		t.open(id)
		t.empty(1)
		t.end()
	}
	t.end()
	dst = t.b
	at := len(dst)
	dst = append(dst, make([]byte, size)...)
	bits := dst[at:]
	blocks := uint64(size / 32)
	for _, h := range hashes {
		block := bits[(h>>32)*blocks>>32*32:][:32]
		for i, s := range bloomSalt {
			word := block[4*i:]
			binary.LittleEndian.PutUint32(word, binary.LittleEndian.Uint32(word)|1<<(uint32(h)*s>>27))
		}
	}
	return dst
}
