package cfilewire_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

type indexEntry struct {
	key string // hex
	p   cfilewire.BlockPointer
}

func checkIndex(t *testing.T, x cfilewire.IndexBlock, leaf bool, want ...indexEntry) {
	t.Helper()
	if x.Leaf != leaf || x.Len() != len(want) {
		t.Fatalf("leaf %t, %d entries", x.Leaf, x.Len())
	}
	for i, w := range want {
		if key, p := x.Entry(i); !bytes.Equal(key, fromHex(t, w.key)) || p != w.p {
			t.Errorf("entry %d: %x %v, want %v", i, key, p, w)
		}
	}
}

func TestIndex(t *testing.T) {
	f, b := mustOpen(t, fileInts)
	data := cfilewire.BlockPointer{Off: 16, Size: 88}
	checkIndex(t, openIndex(t, f, b, *f.Pos), true, indexEntry{"00000000", data})
	checkIndex(t, openIndex(t, f, b, *f.Val), true, indexEntry{"80", data}) // the first byte of the first key
	f, b = mustOpen(t, fileUndo)
	checkIndex(t, openIndex(t, f, b, *f.Val), true, indexEntry{"1dff660ba0e1a8082000", cfilewire.BlockPointer{Off: 16, Size: 98}})

	x, err := cfilewire.ParseIndex(fromHex(t, rootPos))
	if err != nil {
		t.Fatal(err)
	}
	checkIndex(t, x, false, indexEntry{"00000000", cfilewire.BlockPointer{Off: 96945, Size: 13043}}, indexEntry{"000009fa", cfilewire.BlockPointer{Off: 127080, Size: 2346}})
}

func TestOrdinalKey(t *testing.T) {
	if o, err := cfilewire.OrdinalKey([]byte{0xff, 0, 1, 2}); err != nil || o != 0xff000102 {
		t.Error(o, err)
	}
	for _, n := range []int{0, 3, 5} {
		_, err := cfilewire.OrdinalKey(make([]byte, n))
		wantKind(t, "ordinal", err, errs.ErrCorrupt)
	}
}

// index writes an index block.
func index(leaf bool, entries ...[]byte) []byte {
	var b, offsets []byte
	for _, e := range entries {
		offsets = le32(offsets, uint32(len(b)))
		b = append(b, e...)
	}
	typ := uint64(1)
	if leaf {
		typ = 0
	}
	trailer := appendNumber(appendNumber(nil, 1, uint64(len(entries))), 2, typ)
	return le32(append(append(b, offsets...), trailer...), uint32(len(trailer)))
}

func entry(key string, off, size uint64) []byte {
	b := append(binary.AppendUvarint(nil, uint64(len(key))), key...)
	return binary.AppendUvarint(binary.AppendUvarint(b, off), size)
}

func TestIndexEntries(t *testing.T) {
	long := string(bytes.Repeat([]byte("k"), 300))
	x, err := cfilewire.ParseIndex(index(false, entry("", 0, 0), entry(long, math.MaxInt64, math.MaxInt32)))
	if err != nil {
		t.Fatal(err)
	}
	if key, p := x.Entry(1); string(key) != long || p != (cfilewire.BlockPointer{Off: math.MaxInt64, Size: math.MaxInt32}) || cap(key) != len(key) {
		t.Error(key, p)
	}
	if key, p := x.Entry(0); len(key) != 0 || p != (cfilewire.BlockPointer{}) {
		t.Error(key, p)
	}
	if x, err = cfilewire.ParseIndex(index(true)); err != nil || x.Len() != 0 || !x.Leaf {
		t.Error(x, err)
	}
}

func TestIndexDamage(t *testing.T) {
	good := index(true, entry("a", 16, 20), entry("b", 36, 20))
	trailer := func(n, typ uint64) []byte { return appendNumber(appendNumber(nil, 1, n), 2, typ) }
	withTrailer := func(tr []byte) []byte { return le32(append(bytes.Clone(good[:len(good)-8]), tr...), uint32(len(tr))) }
	with := func(i int, v byte) []byte {
		b := bytes.Clone(good)
		b[i] = v
		return b
	}
	for name, b := range map[string][]byte{
		"length of the trailer":    le32(bytes.Clone(good[:len(good)-4]), math.MaxUint32),
		"trailer before the block": le32(bytes.Clone(good[:len(good)-4]), uint32(len(good)-3)),
		"no trailer":               le32(bytes.Clone(good[:len(good)-8]), 0),
		"one entry less":           withTrailer(trailer(1, 0)),
		"one entry more":           withTrailer(trailer(3, 0)),
		"entries 1<<31 - 1":        withTrailer(trailer(math.MaxInt32, 0)),
		"entries 1<<62":            withTrailer(trailer(1<<62, 0)),
		"entries -1":               withTrailer(trailer(math.MaxUint64, 0)),
		"neither leaf nor inner":   withTrailer(trailer(2, 2)),
		"no number of entries":     withTrailer(appendNumber(nil, 2, 0)),
		"no type":                  withTrailer(appendNumber(nil, 1, 2)),
		"length of a key":          with(0, 0x7f),
		"first offset":             with(8, 1),
		"second offset":            with(12, 0),
		"second offset, far":       with(15, 0xff),
		"offset of 65 bits":        index(true, append(append([]byte{0}, bytes.Repeat([]byte{0xff}, 9)...), 2, 20)),
		"negative offset":          index(true, entry("", math.MaxInt64+1, 20)),
		"size over 31 bits":        index(true, entry("", 16, math.MaxInt32+1)),
		"a gap":                    index(true, append(entry("a", 16, 20), 0)),
	} {
		_, err := cfilewire.ParseIndex(b)
		wantKind(t, name, err, errs.ErrCorrupt)
	}
	for i := range good {
		if _, err := cfilewire.ParseIndex(good[:i]); err == nil {
			t.Errorf("no error for %d bytes", i)
		}
	}
}
