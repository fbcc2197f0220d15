package orc_test

import (
	"encoding/binary"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/conformance"
)

// byteSource is a source of random numbers that the fuzzer chooses; behind the bytes it goes on by itself.
type byteSource struct {
	b    []byte
	rest rand.Source
}

func (s *byteSource) Int63() int64 {
	if len(s.b) == 0 {
		return s.rest.Int63()
	}
	var x [8]byte
	// One byte decides little choices: it goes to the highest bits, which rand.Intn looks at, and to the lowest.
	x[7], x[0], x[4] = s.b[0]&0x7f, s.b[0], s.b[0]
	s.b = s.b[1:]
	return int64(binary.LittleEndian.Uint64(x[:]))
}

func (s *byteSource) Seed(int64) {}

// FuzzWrite writes data of a schema with options, all made of the fuzzer's bytes, and reads it back: the rows are the
// same, and nothing is wrong with the file.
func FuzzWrite(f *testing.F) {
	for seed := range byte(8) {
		f.Add([]byte{}, int64(seed))
		f.Add([]byte{seed, 200, 3 * seed, 17, 99, 250, 4, seed}, int64(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte, seed int64) {
		rnd := rand.New(&byteSource{b, rand.NewSource(seed)})
		r := &randomizer{Rand: rnd, gen: conformance.Generator{Rand: rnd, Mem: memory.NewGoAllocator()}}
		s := r.sample(60)
		defer s.release()
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		defer mem.AssertSize(t, 0)
		s.options.Allocator = mem
		for _, w := range writeSample(t, s) {
			readBack(t, s, w)
		}
	})
}
