package orc_test

import (
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/writertest"
)

// FuzzWrite writes data of a schema with options, all made of the fuzzer's bytes, and reads it back: the rows are the
// same, and nothing is wrong with the file.
func FuzzWrite(f *testing.F) {
	for seed := range byte(8) {
		f.Add([]byte{}, int64(seed))
		f.Add([]byte{seed, 200, 3 * seed, 17, 99, 250, 4, seed}, int64(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte, seed int64) {
		r := newRandomizerOf(&writertest.FuzzSource{Bytes: b, Rest: rand.NewSource(seed)}, memory.NewGoAllocator())
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
