package arrowbuf

import (
	"bytes"
	"math/rand"
	"slices"
	"testing"
)

// texts makes texts of lengths up to most, their offsets from 0, and runs of them.
func texts(rng *rand.Rand, n, most, run, gap int) (values []byte, offsets []int32, runs [][2]int, left int) {
	offsets = []int32{0}
	for range n {
		for range rng.Intn(most + 1) {
			values = append(values, byte(rng.Int()))
		}
		offsets = append(offsets, int32(len(values)))
	}
	for i := rng.Intn(gap + 1); i < n; {
		end := min(n, i+1+rng.Intn(run))
		runs = append(runs, [2]int{i, end})
		left += end - i
		i = end + 1 + rng.Intn(gap)
	}
	return values, offsets, runs, left
}

func checkKeepStrings(t *testing.T, values []byte, offsets []int32, runs [][2]int, left int, start int32, listed bool) {
	t.Helper()
	want, wantEnds := []byte{}, []int32{start}
	for _, r := range runs {
		for i := r[0]; i < r[1]; i++ {
			want = append(want, values[offsets[i]:offsets[i+1]]...)
			wantEnds = append(wantEnds, start+int32(len(want)))
		}
	}
	// What lies behind both is not touched.
	room := append(slices.Clone(values), bytes.Repeat([]byte{0xA5}, 300)...)
	ends := make([]int32, 1+left+8)
	ends[0] = start
	for i := range 8 {
		ends[1+left+i] = -7
	}
	kept := Kept{Runs: runs, N: left, Count: len(runs)}
	if listed {
		kept, _ = KeptRuns(runs, left, nil)
	}
	n := KeepStrings(ends[:1+left], room[:len(values)], offsets, &kept)
	if !bytes.Equal(room[:n], want) || !slices.Equal(ends[:1+left], wantEnds) {
		t.Fatalf("%d texts, runs %v: %q, ends %v, want %q, %v", len(offsets)-1, runs, room[:n], ends[:1+left], want, wantEnds)
	}
	if slices.ContainsFunc(ends[1+left:], func(x int32) bool { return x != -7 }) || !bytes.Equal(room[len(values):], bytes.Repeat([]byte{0xA5}, 300)) {
		t.Fatal("what lies behind was written to")
	}
}

// Texts of runs are those that one copy after another would keep, whatever the lengths of texts, runs and gaps.
func TestKeepStrings(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for range 3000 {
		values, offsets, runs, left := texts(rng, rng.Intn(200), []int{0, 3, 30, 70, 300}[rng.Intn(5)], 1+rng.Intn(9), 1+rng.Intn(9))
		checkKeepStrings(t, values, offsets, runs, left, rng.Int31n(1000), rng.Intn(2) == 0)
	}
}

func FuzzKeepStrings(f *testing.F) {
	f.Add(int64(1), uint16(100), uint16(40), uint8(3), uint8(3))
	f.Fuzz(func(t *testing.T, seed int64, n, most uint16, run, gap uint8) {
		rng := rand.New(rand.NewSource(seed))
		values, offsets, runs, left := texts(rng, int(n%500), int(most%600), 1+int(run), 1+int(gap))
		checkKeepStrings(t, values, offsets, runs, left, rng.Int31n(1<<20), seed%2 == 0)
	})
}

func BenchmarkKeepStrings(b *testing.B) {
	values, offsets, runs, left := texts(rand.New(rand.NewSource(3)), 8192, 45, 2, 2)
	ends, room := make([]int32, 1+left), make([]byte, len(values))
	kept, _ := KeptRuns(runs, left, nil)
	b.SetBytes(int64(len(values)))
	b.ReportAllocs()
	for b.Loop() {
		copy(room, values)
		KeepStrings(ends, room, offsets, &kept)
	}
}

func BenchmarkKeep(b *testing.B) {
	_, _, runs, left := texts(rand.New(rand.NewSource(3)), 8192, 0, 2, 2)
	room := make([]int64, 8192)
	kept, _ := KeptRuns(runs, left, nil)
	b.SetBytes(int64(8 * len(room)))
	b.ReportAllocs()
	for b.Loop() {
		Keep(room, &kept)
	}
}
