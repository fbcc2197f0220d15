package bitpack_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// words makes a dictionary of n entries of at most longest bytes, the first of them that long. slack bytes follow them.
func words(r *rand.Rand, n, longest, slack int) (offsets []int32, data []byte) {
	offsets = []int32{3}
	data = noise(r, 3)
	for i := range n {
		k := r.Intn(longest + 1)
		if i == 0 {
			k = longest
		}
		data = append(data, noise(r, k)...)
		offsets = append(offsets, int32(len(data)))
	}
	return offsets, append(data, noise(r, slack)...)
}

func randomIDs(r *rand.Rand, n, entries int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(r.Intn(entries))
	}
	return ids
}

// checkGather gathers ids to data of the given slack behind them.
func checkGather(t *testing.T, d *bitpack.Dictionary, words [][]byte, ids []int32, start, slack int) {
	t.Helper()
	want, ends := []byte(nil), []int32{int32(start)}
	for _, id := range ids {
		want = append(want, words[id]...)
		ends = append(ends, int32(start+len(want)))
	}
	if n, err := d.Size(ids); n != int64(len(want)) || err != nil {
		t.Fatalf("size %d, %v; want %d", n, err, len(want))
	}
	buf := fixtures.AtEdge(t, bytes.Repeat([]byte{'#'}, start+len(want)+slack), 0)
	got := make([]int32, len(ids)+1)
	got[0] = int32(start)
	if err := d.Gather(got, buf, ids); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, ends) || !bytes.Equal(buf[start:start+len(want)], want) {
		t.Fatalf("%d ids of %d entries up to %d bytes: offsets or bytes differ", len(ids), d.Len(), d.Longest())
	}
	if !bytes.Equal(buf[:start], bytes.Repeat([]byte{'#'}, start)) {
		t.Fatal("wrote before the first entry")
	}
	if len(want) > 0 {
		if err := d.Gather(got, buf[:start+len(want)-1], ids); !errors.Is(err, bitpack.ErrRoom) {
			t.Fatalf("a byte too few: %v", err)
		}
	}
}

func TestDictionary(t *testing.T) {
	kernels(func(string) { testDictionary(t) })
}

func testDictionary(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var d bitpack.Dictionary // used again and again
	for _, longest := range []int{0, 1, 2, 15, 16, 17, 31, 32, 33, 47, 48, 64, 65, 96, 97, 128, 129, 300} {
		for _, entries := range []int{1, 2, 7, 1000} {
			for _, slack := range []int{0, bitpack.SrcSlack} {
				offsets, data := words(r, entries, longest, slack)
				data = fixtures.AtEdge(t, data, 0)
				d.Reset(offsets, data)
				if d.Len() != entries || d.Longest() != longest {
					t.Fatalf("%d entries up to %d bytes: %d, %d", entries, longest, d.Len(), d.Longest())
				}
				list := make([][]byte, entries)
				for i := range list {
					list[i] = data[offsets[i]:offsets[i+1]]
					if !bytes.Equal(d.At(i), list[i]) {
						t.Fatalf("entry %d differs", i)
					}
				}
				for _, n := range []int{0, 1, 3, 4, 5, 100, 333} {
					ids := randomIDs(r, n, entries)
					for _, room := range []int{0, 1, 15, 31, bitpack.DstSlack} {
						checkGather(t, &d, list, ids, r.Intn(9), room)
					}
					for _, bad := range []int32{int32(entries), -1, math.MinInt32, math.MaxInt32} {
						with := append(slices.Clone(ids), 0)
						with[r.Intn(n+1)] = bad
						out := []byte("#")
						if _, err := d.Size(with); !errors.Is(err, bitpack.ErrID) {
							t.Fatalf("size of id %d of %d: %v", bad, entries, err)
						}
						if err := d.Gather(make([]int32, n+2), out, with); !errors.Is(err, bitpack.ErrID) || out[0] != '#' {
							t.Fatalf("id %d of %d: %v", bad, entries, err)
						}
					}
				}
			}
		}
	}
}

// Without entries no id is good, and nothing is gathered.
func TestEmptyDictionary(t *testing.T) {
	for _, d := range []*bitpack.Dictionary{{}, bitpack.NewDictionary(nil, nil), bitpack.NewDictionary([]int32{0}, nil)} {
		offsets := []int32{7}
		if err := d.Gather(offsets, nil, nil); err != nil || offsets[0] != 7 || d.Len() != 0 || d.Longest() != 0 {
			t.Error(err, offsets, d.Len(), d.Longest())
		}
		if err := d.Gather([]int32{0, 0}, nil, []int32{0}); !errors.Is(err, bitpack.ErrID) {
			t.Error(err)
		}
	}
}

// Entries too many for cells go by their offsets.
func TestDictionaryWithoutCells(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const n = 400_000
	offsets := make([]int32, n+1)
	data := noise(r, n+40)
	for i := range n {
		offsets[i+1] = int32(i + 1)
	}
	offsets[n] = n + 20 // the last is 21 bytes long, all others one
	d := bitpack.NewDictionary(offsets, data)
	list := make([][]byte, n)
	for i := range list {
		list[i] = data[offsets[i]:offsets[i+1]]
	}
	checkGather(t, d, list, append(randomIDs(r, 1000, n), n-1, 0, n-1), 5, 0)
	checkGather(t, d, list, append(randomIDs(r, 1000, n), n-1, 0, n-1), 0, bitpack.DstSlack)
}

func TestBadDictionary(t *testing.T) {
	for _, k := range [][]int32{{0, 2, 1}, {-1, 2}, {0, 6}, {2, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v of 5 bytes: no panic", k)
				}
			}()
			bitpack.NewDictionary(k, make([]byte, 5, 10)[:5:5])
		}()
	}
}

func FuzzDictionary(f *testing.F) {
	f.Add([]byte("abcdefghij"), []byte{0, 3, 3, 9}, []byte{0, 1, 2, 1, 0}, uint8(0))
	f.Add(bytes.Repeat([]byte("0123456789"), 20), []byte{0, 40, 80, 199, 200}, []byte{3, 0, 2, 1, 0}, uint8(64))
	f.Add(bytes.Repeat([]byte("0123456789"), 20), []byte{0, 100, 101, 110, 200}, bytes.Repeat([]byte{3, 0, 2, 1}, 20), uint8(100))
	f.Add([]byte("abc"), []byte{0, 1, 2, 2, 3}, bytes.Repeat([]byte{3, 0, 2, 1}, 20), uint8(0))
	f.Fuzz(func(t *testing.T, data, cuts, ids []byte, slack uint8) {
		offsets := make([]int32, 0, len(cuts))
		for _, c := range cuts {
			offsets = append(offsets, int32(min(int(c), len(data))))
		}
		slices.Sort(offsets)
		d := bitpack.NewDictionary(offsets, data)
		list := make([][]byte, d.Len())
		for i := range list {
			list[i] = data[offsets[i]:offsets[i+1]]
		}
		wide, bad := make([]int32, len(ids)), false
		for i, id := range ids {
			wide[i] = int32(int8(id))
			bad = bad || wide[i] < 0 || int(wide[i]) >= d.Len()
		}
		kernels(func(string) {
			if bad {
				if _, err := d.Size(wide); !errors.Is(err, bitpack.ErrID) {
					t.Fatal(err)
				}
				return
			}
			checkGather(t, d, list, wide, 2, int(slack))
		})
	})
}

func BenchmarkDictionary(b *testing.B) {
	const n = 1 << 16
	r := rand.New(rand.NewSource(1))
	for _, k := range []struct{ entries, longest int }{{3, 1}, {7, 8}, {1000, 13}, {1000, 16}, {1000, 30}, {20000, 16}, {200, 45}, {20000, 40}, {300000, 16}, {20000, 100}} {
		offsets, data := words(r, k.entries, k.longest, bitpack.SrcSlack)
		d := bitpack.NewDictionary(offsets, data)
		ids := randomIDs(r, n, k.entries)
		out := make([]byte, n*k.longest+bitpack.DstSlack)
		ends := make([]int32, n+1)
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%dx0-%d/%s", k.entries, k.longest, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mids/s")
			})
		}
		run("gather", func() { d.Gather(ends, out, ids) })
		run("size", func() { d.Size(ids) })
		run("prepare", func() { d.Reset(offsets, data) })
	}
}
