package trevni_test

import (
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/writertest"
)

// FuzzRoundTrip writes data of a schema, both made of the fuzzer's bytes, and reads it back: canonical text of both is
// the same.
func FuzzRoundTrip(f *testing.F) {
	for seed := range byte(8) {
		f.Add([]byte{}, int64(seed))
		f.Add([]byte{seed, 200, 3 * seed, 17, 99, 250, 4, seed}, int64(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte, seed int64) {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		defer mem.AssertSize(t, 0)
		s := newRandomizer(&writertest.FuzzSource{Bytes: b, Rest: rand.NewSource(seed)}, mem).sample(60)
		defer s.release()
		for _, w := range writeSample(t, s) {
			readBack(t, w, mem)
		}
	})
}
