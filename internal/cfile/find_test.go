package cfile

import (
	"bytes"
	"context"
	"errors"
	"math/rand"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// newFinder opens a file that build has made.
func newFinder(t testing.TB, b []byte, lim arrowio.Limits) (*Finder, error) {
	t.Helper()
	f, err := OpenReader(context.Background(), local.NewBytesSource(b), lim)
	if err != nil {
		t.Fatal(err)
	}
	return f.NewFinder(context.Background())
}

// checkFind looks for all keys, in order and at random, and for others.
func checkFind(t *testing.T, r *rand.Rand, name string, d *Finder, keys [][]byte, other func() []byte) {
	t.Helper()
	for i, k := range keys {
		if row, ok, err := d.Find(k); row != int64(i) || !ok || err != nil {
			t.Fatalf("%s: %x is row %d, %t, %v; want %d", name, k, row, ok, err, i)
		}
	}
	for range 300 {
		k := other()
		i, want := slices.BinarySearchFunc(keys, k, bytes.Compare)
		if row, ok, err := d.Find(k); ok != want || ok && row != int64(i) || err != nil {
			t.Fatalf("%s: %x is row %d, %t, %v; want %d, %t", name, k, row, ok, err, i, want)
		}
	}
}

// Keys of every type are found in every encoding, and others are not.
func TestFind(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	n := 0
	for _, x := range columnTypes {
		if !x.typ.IsKey() {
			continue
		}
		for _, e := range x.encodings {
			for i, perBlock := range []int{1, 7, 50, 1000} {
				f := ways[n%len(ways)]
				n++
				if sampled > 1 && (int(x.typ)+int(e)+i)%2 > 0 {
					continue
				}
				f.typ, f.encoding, f.keyed, f.perBlock, f.rows = x.typ, e, true, perBlock, ascending(r, x.typ, 300)
				f.dictMost = n % 2 * 40
				d, err := newFinder(t, f.build(t), arrowio.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				var keys [][]byte
				for _, c := range f.rows {
					keys = append(keys, encodeKey(x.typ, c, true))
				}
				checkFind(t, r, f.String(), d, keys, func() []byte {
					k := encodeKey(x.typ, randomKey(r, x.typ), true)
					switch r.Intn(4) {
					case 0:
						k = keys[r.Intn(len(keys))]
					case 1:
						k = append(slices.Clone(k), 0)
					case 2:
						k = k[:r.Intn(len(k)+1)]
					}
					return k
				})
			}
		}
	}
	// Composite keys.
	for i := range 20 {
		k := newKeyTable(t, r, []cfilewire.DataType{cfilewire.String, cfilewire.Int16, cfilewire.Binary}, 300)
		k.f.encoding = []cfilewire.Encoding{cfilewire.EncodingPrefix, cfilewire.EncodingDict, cfilewire.EncodingPlain}[i%3]
		d, err := newFinder(t, k.f.build(t), arrowio.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		checkFind(t, r, "composite", d, k.keys, func() []byte {
			b := slices.Clone(k.keys[r.Intn(len(k.keys))])
			if len(b) > 0 {
				b[r.Intn(len(b))]++
			}
			return b
		})
	}
}

// A key costs one block, and the next one in it nothing.
func TestFindReads(t *testing.T) {
	f := numbered(10_000)
	file, src := openFile(t, f, arrowio.Limits{})
	d, err := file.NewFinder(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range []int64{5, 6, 99, 0, 100, 9999} {
		before := src.Bytes()
		if row, ok, err := d.Find(encodeKey(f.typ, cellFrom(f.typ, k), true)); row != k || !ok || err != nil {
			t.Errorf("%d: %d, %t, %v", k, row, ok, err)
		}
		want := int64(f.data[0].Size)
		if i > 0 && i < 4 {
			want = 0
		}
		if n := src.Bytes() - before; n != want {
			t.Errorf("%d: %d bytes", k, n)
		}
	}
}

// Files that have no keys say so; damaged blocks, and those that are not what an index says, are no answer.
func TestFindDamaged(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	rows := ascending(r, cfilewire.Int32, 100)
	for name, f := range map[string]*built{
		"no value index": {typ: cfilewire.Int32, encoding: cfilewire.EncodingPlain, rows: rows},
		"nullable":       {typ: cfilewire.Int32, encoding: cfilewire.EncodingPlain, rows: rows, keyed: true, nullable: true},
	} {
		if _, err := newFinder(t, f.build(t), arrowio.Limits{}); err == nil {
			t.Errorf("%s: keys are found", name)
		}
	}
	if d, err := newFinder(t, (&built{
		typ: cfilewire.Bool, encoding: cfilewire.EncodingRLE, rows: [][]byte{{0}, {1}}, keyed: true,
		keys: func(row int) []byte { return []byte{byte(row)} },
	}).build(t), arrowio.Limits{}); err == nil {
		if _, ok, err := d.Find([]byte{0}); ok || err == nil {
			t.Error("a key of a type that has none")
		}
	}
	for name, x := range map[string]struct {
		typ      cfilewire.DataType
		encoding cfilewire.Encoding
		change   func(f *built)
		lim      arrowio.Limits
	}{
		"a count":        {typ: cfilewire.Int32, encoding: cfilewire.EncodingPlain, change: func(f *built) { patchBlock(f, 0, 99) }},
		"another row":    {typ: cfilewire.Int32, encoding: cfilewire.EncodingPlain, change: func(f *built) { patchBlock(f, 4, 10) }},
		"fewer rows":     {typ: cfilewire.Int32, encoding: cfilewire.EncodingRLE, change: func(f *built) { patchBlock(f, 0, 10) }},
		"too many rows":  {typ: cfilewire.Int32, encoding: cfilewire.EncodingRLE, change: func(f *built) { patchBlock(f, 0, 1<<30) }},
		"too much":       {typ: cfilewire.Int64, encoding: cfilewire.EncodingBitShuffle, change: func(f *built) { f.rows = slices.Repeat([][]byte{make([]byte, 8)}, 3000); f.perBlock = 3000 }, lim: arrowio.Limits{BlockBytes: 20_000}},
		"too many words": {typ: cfilewire.String, encoding: cfilewire.EncodingDict, change: func(f *built) { f.rows = slices.Repeat([][]byte{{}}, 20_000); f.perBlock = 20_000 }, lim: arrowio.Limits{BlockBytes: 30_000}},
		"no such word": {typ: cfilewire.String, encoding: cfilewire.EncodingDict, change: func(f *built) {
			f.onBlock = func(int, []byte) []byte { return append(le32(nil, 1), shuffled8([]byte{200}, 1, 0)...) }
		}},
		"no such mode": {typ: cfilewire.String, encoding: cfilewire.EncodingDict, change: func(f *built) { patchBlock(f, 0, 7) }},
	} {
		f := &built{typ: x.typ, encoding: x.encoding, rows: ascending(r, x.typ, 100), keyed: true}
		x.change(f)
		d, err := newFinder(t, f.build(t), x.lim)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for range 2 {
			if _, ok, err := d.Find(encodeKey(x.typ, f.rows[0], true)); ok || err == nil {
				t.Errorf("%s: found", name)
			} else {
				checkError(t, err)
			}
		}
	}
}

// patchBlock makes blocks have another number of 32 bits at an offset.
func patchBlock(f *built, at int, v uint32) {
	f.onBlock = func(_ int, raw []byte) []byte {
		copy(raw[at:], le32(nil, v))
		return raw
	}
}

// bloomFile makes filters of so many keys each, with bits as the hash says.
func bloomFile(keys [][]byte, perBlock int) *built {
	f := &built{typ: cfilewire.Binary, encoding: cfilewire.EncodingPlain, rows: keys, keyed: true, noRows: true, perBlock: perBlock}
	f.keys = func(row int) []byte { return keys[row] }
	f.onBlock = func(k int, _ []byte) []byte {
		bits := make([]byte, 256)
		for _, key := range keys[k*perBlock : min(len(keys), (k+1)*perBlock)] {
			h := cfilewire.HashKey(key)
			for i := range uint32(5) {
				bit := (uint32(h) + i*uint32(h>>32)) % 2048
				bits[bit/8] |= 1 << (bit % 8)
			}
		}
		head := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 5)
		return append(append(le32(nil, uint32(len(head))), head...), bits...)
	}
	f.onFooter = func(fields *[]builtField) { (*fields)[2].value = 0 }
	return f
}

// Filters know the keys that they were made of, and most others they do not.
func TestMayContainKey(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	ctx := context.Background()
	keys := ascending(r, cfilewire.Binary, 500)
	f, err := OpenReader(ctx, local.NewBytesSource(bloomFile(keys, 70).build(t)), arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Kind() != cfilewire.BloomFile {
		t.Fatal(f.Kind())
	}
	for _, k := range keys {
		if ok, err := f.MayContainKey(ctx, k); !ok || err != nil {
			t.Errorf("%x: %t, %v", k, ok, err)
		}
	}
	found := 0
	for range 1000 {
		k := make([]byte, 20)
		r.Read(k)
		ok, err := f.MayContainKey(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		found += boolInt(ok)
	}
	if found > 20 {
		t.Errorf("%d of 1000 other keys may be there", found)
	}
	if ok, err := f.MayContainKey(ctx, nil); ok != (len(keys[0]) == 0) || err != nil {
		t.Errorf("no key: %t, %v", ok, err)
	}
	// No other file knows better than: perhaps.
	file := openBuilt(t, numbered(10), Options{})
	if ok, err := file.MayContainKey(ctx, []byte{1}); !ok || err != nil {
		t.Errorf("%t, %v", ok, err)
	}
	// Damage is an error, not an answer.
	b := bloomFile(keys, 500)
	bytes := b.build(t)
	bytes[b.data[0].Off+20] ^= 1
	f, err = OpenReader(ctx, local.NewBytesSource(bytes), arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.MayContainKey(ctx, keys[100]); !errors.Is(err, errs.ErrCorrupt) {
		t.Error(err)
	}
}

// Kudu's own filter knows Kudu's own keys: those of the column beside it, which begin at one.
func TestBloomFixture(t *testing.T) {
	ctx := context.Background()
	b := fixtures.Read(t, byKudu+"bloom.cfile")
	f, err := OpenReader(ctx, local.NewBytesSource(b), arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	lone, err := Open(ctx, local.NewBytesSource(b), arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := textOf(lone, nil, 10, 10); !errors.Is(err, errs.ErrUnsupported) {
		t.Errorf("rows of filters: %v", err)
	}
	keys, err := OpenReader(ctx, local.NewBytesSource(fixtures.Read(t, byKudu+"key-int64.cfile")), arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := keys.values(ctx)
	if err != nil {
		t.Fatal(err)
	}
	filters, err := f.values(ctx)
	if err != nil || len(filters) == 0 || len(blocks) == 0 {
		t.Fatalf("%d filters, %d blocks: %v", len(filters), len(blocks), err)
	}
	for _, name := range []string{"min_key", "max_key"} {
		k, ok := keys.Footer().Lookup(name)
		if !ok {
			t.Fatalf("no %s", name)
		}
		if ok, err := f.MayContainKey(ctx, k); !ok || err != nil {
			t.Errorf("%s %x: %t, %v", name, k, ok, err)
		}
		d, err := keys.NewFinder(ctx)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(0)
		if name == "max_key" {
			want = keys.Rows() - 1
		}
		if row, ok, err := d.Find(k); row != want || !ok || err != nil {
			t.Errorf("%s %x: row %d, %t, %v", name, k, row, ok, err)
		}
	}
}
