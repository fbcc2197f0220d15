package cfilewire_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand"
	"os"
	"reflect"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// keysOf are the encoded keys of a file that has them.
func keysOf(tb testing.TB, b []byte) (keys [][]byte) {
	k := takeApart(tb, b)
	for i := range k.blocks {
		values, offsets, data := k.blocks[i].spread(k.footer.Type.Width())
		for r := range k.blocks[i].rows {
			var cell []byte
			if offsets != nil {
				cell = data[offsets[r]:offsets[r+1]]
			} else {
				w := k.footer.Type.Width()
				cell = values[r*w : (r+1)*w]
			}
			key, err := cfilewire.AppendKey(nil, k.footer.Type, cell, true)
			must(tb, err)
			keys = append(keys, key)
		}
	}
	return keys
}

// blooms writes a bloom file.
func blooms(tb testing.TB, keys [][]byte) []byte {
	var out []byte
	var w cfilewire.BloomFileOut
	must(tb, w.Open(0, 0, func(b []byte) error { out = append(out, b...); return nil }))
	for _, k := range keys {
		must(tb, w.Put(k))
	}
	_, err := w.Finish()
	must(tb, err)
	return out
}

// The bloom file that Kudu made of these keys.
func TestBloomFileOut(t *testing.T) {
	const dir = "../../testdata/cfile/kudu-1.17.1/"
	want, err := os.ReadFile(dir + "bloom.cfile")
	must(t, err)
	b, err := os.ReadFile(dir + "key-int64.cfile")
	must(t, err)
	if got := blooms(t, keysOf(t, b)); !bytes.Equal(got, want) {
		t.Errorf("%d bytes, want %d, differ from %d on", len(got), len(want), firstDiff(got, want))
	}
}

// What a filter is for, in Kudu's numbers, and any other.
func TestBloomOut(t *testing.T) {
	var w cfilewire.BloomOut
	for _, c := range []struct {
		size         int
		rate         float64
		hashes, keys int
	}{{0, 0, 13, 1710}, {1000, 0.01, 6, 835}, {1, 0.5, 0, 0}} {
		w.Open(c.size, c.rate)
		var hashes []uint64
		r := rand.New(rand.NewSource(1))
		for !w.Full() {
			hashes = append(hashes, r.Uint64())
			w.Put(hashes[len(hashes)-1])
		}
		b, err := cfilewire.ParseBloom(w.Finish(nil))
		must(t, err)
		if c.hashes > 0 && (b.Hashes != c.hashes || len(hashes) != c.keys) {
			t.Errorf("%v: %d hashes of %d keys", c, b.Hashes, len(hashes))
		}
		for _, h := range hashes {
			if !b.MayContain(h) {
				t.Fatal("a key is not found")
			}
		}
		if empty, err := cfilewire.ParseBloom(w.Finish(nil)); err != nil || bytes.Count(empty.Bits, []byte{0}) != len(b.Bits) {
			t.Errorf("%v: the next one is not empty: %v", c, err)
		}
	}
}

func TestSeal(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var s cfilewire.Sealer
	var d blockcodec.Decoder
	for _, version := range []int{1, 2} {
		for _, codec := range []blockcodec.Codec{blockcodec.None, blockcodec.Snappy, blockcodec.LZ4, blockcodec.Zlib} {
			for _, sums := range []bool{false, true} {
				fr := cfilewire.Frame{Version: version, Codec: codec, Checksums: sums, Limit: 1 << 20}
				for _, raw := range [][]byte{nil, {1}, []byte("hello, hello"), make([]byte, 70000), randomStringsBytes(r, 3000), randomStringsBytes(r, 70000)} {
					stored, err := s.Seal(fr, []byte("before"), raw)
					must(t, err)
					got, _, err := fr.Open(stored[len("before"):], nil, &d)
					if err != nil || !bytes.Equal(got, raw) {
						t.Fatalf("%v: %d bytes: %v", fr, len(raw), err)
					}
				}
			}
		}
	}
	// docs/formats/cfile.md
	raw := fromHex(t, "78000000 00000000 f001 00000000")
	fr := cfilewire.Frame{Version: 2, Codec: blockcodec.LZ4, Checksums: true}
	stored, err := s.Seal(fr, nil, raw)
	if want := fromHex(t, "0e000000 22780001 0060f001 00000000 e2bac359"); err != nil || !bytes.Equal(stored, want) {
		t.Errorf("%x, %v", stored, err)
	}
	for _, c := range []struct {
		codec blockcodec.Codec
		size  int
		ok    bool
	}{
		{blockcodec.LZ4, cfilewire.MaxRaw, true},
		{blockcodec.LZ4, cfilewire.MaxRaw + 1, false},
		{blockcodec.None, cfilewire.MaxRaw + 1, true},
	} {
		fr.Codec = c.codec
		if _, err := s.Seal(fr, nil, make([]byte, c.size)); (err == nil) != c.ok || err != nil && !errors.Is(err, errs.ErrLimit) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

func randomStringsBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Intn(1 + i%200))
	}
	return b
}

// A block is stored as it is where a tenth is not won. Version 1 says what could be won: it stores nothing.
func TestSealStores(t *testing.T) {
	var s cfilewire.Sealer
	seen := map[bool]bool{}
	for n := range 400 {
		raw := append(randomStringsBytes(rand.New(rand.NewSource(int64(n))), 300), make([]byte, n)...)
		packed, err := s.Seal(cfilewire.Frame{Version: 1, Codec: blockcodec.LZ4}, nil, raw)
		must(t, err)
		stored, err := s.Seal(cfilewire.Frame{Version: 2, Codec: blockcodec.LZ4}, nil, raw)
		must(t, err)
		want := len(packed) - 8
		asItIs := 10*want > 9*len(raw)
		if asItIs {
			want = len(raw)
		}
		if len(stored) != 4+want {
			t.Errorf("%d bytes are stored in %d, not %d", len(raw), len(stored)-4, want)
		}
		seen[asItIs] = true
	}
	if len(seen) != 2 {
		t.Error("not both ways")
	}
}

// memory is a file whose blocks are not wrapped.
type memory struct {
	b      []byte
	blocks []cfilewire.BlockPointer
}

func (m *memory) write(raw []byte) (cfilewire.BlockPointer, error) {
	p := cfilewire.BlockPointer{Off: int64(len(m.b)), Size: int32(len(raw))}
	m.b = append(m.b, raw...)
	m.blocks = append(m.blocks, p)
	return p, nil
}

// depth walks an index and returns how deep it is, with the ordinals that it leads to.
func (m *memory) depth(t *testing.T, p cfilewire.BlockPointer, ordinals *[]int64) int {
	x, err := cfilewire.ParseIndex(m.b[p.Off:p.End()])
	must(t, err)
	deep := 0
	for i := range x.Len() {
		key, child := x.Entry(i)
		if x.Leaf {
			*ordinals = append(*ordinals, child.Off)
			continue
		}
		if child.Off >= p.Off {
			t.Errorf("block at %d is before its child at %d", p.Off, child.Off)
		}
		y, err := cfilewire.ParseIndex(m.b[child.Off:child.End()])
		must(t, err)
		if first, _ := y.Entry(0); !bytes.Equal(first, key) {
			t.Errorf("key %x over %x", key, first)
		}
		deep = max(deep, m.depth(t, child, ordinals))
	}
	return deep + 1
}

func TestIndexOut(t *testing.T) {
	var x cfilewire.IndexOut
	for _, c := range []struct{ size, entries, deep int }{
		{0, 0, 1}, {0, 1, 1}, {0, 2000, 1}, {0, 3000, 2}, {1, 2, 2}, {1, 3, 3}, {1, 4, 3}, {1, 1000, 11}, {100, 5000, 7},
	} {
		var m memory
		x.Open(c.size, m.write)
		for i := range c.entries {
			must(t, x.AddOrdinal(uint32(i*100), cfilewire.BlockPointer{Off: int64(i), Size: int32(i)}))
		}
		root, err := x.Finish()
		must(t, err)
		if root != m.blocks[len(m.blocks)-1] {
			t.Errorf("%v: the root is not the last", c)
		}
		var got []int64
		deep := m.depth(t, root, &got)
		if c.size != 100 && deep != c.deep {
			t.Errorf("%v: %d levels", c, deep)
		}
		if len(got) != c.entries {
			t.Errorf("%v: %d entries", c, len(got))
		}
		for i, v := range got {
			if v != int64(i) {
				t.Fatalf("%v: entry %d leads to %d", c, i, v)
			}
		}
	}
	// A key that is larger than a block: two entries all the same.
	var m memory
	x.Open(0, m.write)
	for i := range 4 {
		must(t, x.Add(append([]byte{byte(i)}, make([]byte, 50000)...), cfilewire.BlockPointer{Off: int64(i), Size: 1}))
	}
	root, err := x.Finish()
	must(t, err)
	var got []int64
	if deep := m.depth(t, root, &got); deep != 3 || len(m.blocks) != 4 {
		t.Errorf("%d levels, %d blocks", deep, len(m.blocks))
	}
	// docs/formats/cfile.md
	m = memory{}
	x.Open(0, m.write)
	must(t, x.AddOrdinal(0, cfilewire.BlockPointer{Off: 16, Size: 26}))
	_, err = x.Finish()
	must(t, err)
	if want := fromHex(t, "04 00000000 10 1a 00000000 0801 1000 04000000"); !bytes.Equal(m.b, want) {
		t.Errorf("%x", m.b)
	}
	fail := errors.New("full")
	x.Open(1, func([]byte) (cfilewire.BlockPointer, error) { return cfilewire.BlockPointer{}, fail })
	must(t, x.Add(nil, cfilewire.BlockPointer{}))
	if err := x.Add(nil, cfilewire.BlockPointer{}); !errors.Is(err, fail) {
		t.Error(err)
	}
}

func TestSeparator(t *testing.T) {
	for _, c := range [][3]string{
		{"", "", ""},
		{"", "abc", "a"},
		{"abc", "abd", "abd"},
		{"abcdefgh", "abcdefghij", "abcdefghi"},
		{"ab", "ab", "ab"},
		{"0123456789abcdef", "0123456789abxxxx", "0123456789abx"},
	} {
		if got := cfilewire.Separator([]byte(c[0]), []byte(c[1])); string(got) != c[2] {
			t.Errorf("%q, %q: %q", c[0], c[1], got)
		}
	}
}

// What is written of a footer is read again.
func TestAppendFooter(t *testing.T) {
	for _, version := range []int{1, 2} {
		for _, sums := range []bool{false, true} {
			b, err := cfilewire.AppendHeader(nil, version, []cfilewire.Pair{{Key: "who", Value: []byte("me")}}, sums)
			must(t, err)
			head := len(b)
			b = append(b, make([]byte, 100)...)
			want := &cfilewire.Footer{
				Type: cfilewire.String, Encoding: cfilewire.EncodingDict, Values: 1 << 32, Compression: cfilewire.LZ4,
				Pos: &cfilewire.BlockPointer{Off: int64(head), Size: 30}, Val: &cfilewire.BlockPointer{Off: int64(head) + 30, Size: 30},
				Dict: &cfilewire.BlockPointer{Off: int64(head) + 60, Size: 40}, Nullable: true, Compatible: 5, Array: true,
				Meta:    []cfilewire.Pair{{Key: "a", Value: []byte("1")}, {Key: "", Value: []byte{0}}},
				Version: version, Checksums: sums, FooterOff: int64(len(b)), HeaderSize: int64(head),
				HeaderMeta: []cfilewire.Pair{{Key: "who", Value: []byte("me")}}, Incompatible: cfilewire.FeatureArrays,
			}
			if sums {
				want.Incompatible |= cfilewire.FeatureChecksums
			} else {
				want.FooterOff = int64(len(b))
			}
			b, err = cfilewire.AppendFooter(b, want)
			must(t, err)
			got, err := cfilewire.ParseFooter(b, int64(len(b)))
			must(t, err)
			must(t, cfilewire.ParseHeader(b, got))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%+v\nwant %+v", got, want)
			}
		}
	}
	long := []cfilewire.Pair{{Key: "k", Value: make([]byte, cfilewire.MaxMetaBytes)}}
	_, err := cfilewire.AppendFooter(nil, &cfilewire.Footer{Meta: long})
	wantKind(t, "footer", err, errs.ErrLimit)
	_, err = cfilewire.AppendHeader(nil, 2, long, true)
	wantKind(t, "header", err, errs.ErrLimit)
	b, err := cfilewire.AppendHeader(nil, 0, nil, true)
	if want := fromHex(t, "6b756475 63666c32 00000000 02943ad3"); err != nil || !bytes.Equal(b, want) {
		t.Errorf("%x, %v", b, err)
	}
}

func TestAppendDelta(t *testing.T) {
	want := cfilewire.DeltaStats{
		Deletes: 3, Reinserts: 1 << 40, MinTime: 5, MaxTime: math.MaxUint64,
		Updates: []cfilewire.ColumnUpdates{{ID: 2, Count: 7}, {ID: math.MaxInt32, Count: 1}},
	}
	got, err := cfilewire.ParseDeltaStats(cfilewire.AppendDeltaStats(nil, want))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	// docs/formats/cfile.md
	b := cfilewire.AppendDeltaKey(nil, cfilewire.DeltaKey{Row: 7, Time: 7353133166281408512})
	b = cfilewire.AppendCell(cfilewire.AppendChange(b[:1], cfilewire.Reinsert), 1, fromHex(t, "4fbfcf5dbbf48db8"))
	b = cfilewire.AppendNull(cfilewire.AppendCell(b, 2, []byte("v9")), 3)
	if want := fromHex(t, "07 03 01 09 4fbfcf5dbbf48db8 02 03 7639 03 00"); !bytes.Equal(b, want) {
		t.Errorf("%x", b)
	}
}
