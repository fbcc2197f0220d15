package cfilewire_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// writeRows writes rows, step at a time.
func writeRows(tb testing.TB, s cfilewire.FileSettings, rows *kuduBlock, step int) []byte {
	tb.Helper()
	var out []byte
	var c cfilewire.ColumnOut
	must(tb, c.Open(s, func(b []byte) error { out = append(out, b...); return nil }))
	must(tb, rows.putInto(&c, &cfilewire.Footer{Type: s.Type}, step))
	f, err := c.Finish()
	must(tb, err)
	if c.Rows() != int64(rows.rows) || f.Values != int64(rows.rows) {
		tb.Fatalf("%d rows, %d in the footer, of %d", c.Rows(), f.Values, rows.rows)
	}
	return out
}

// same compares the rows of a file with those that were written, and sees that its blocks lie back to back.
func (k *kuduFile) same(tb testing.TB, want *kuduBlock) {
	tb.Helper()
	row, value := 0, 0
	at := k.footer.HeaderSize
	width := k.footer.Type.Width()
	for i := range k.blocks {
		b := &k.blocks[i]
		if int(b.ordinal) != row {
			tb.Fatalf("block %d is of row %d, not %d", i, b.ordinal, row)
		}
		if b.at.Off < at {
			tb.Fatalf("block %d overlaps what is before it", i)
		}
		at = b.at.End()
		count := 0
		for r := range b.rows {
			v := want.valid == nil || bitOf(want.valid, row+r) == 1
			if (b.valid == nil || bitOf(b.valid, r) == 1) != v {
				tb.Fatalf("row %d is null, or not", row+r)
			}
			if v {
				count++
			}
		}
		if count != b.count {
			tb.Fatalf("block %d: %d values of %d", i, b.count, count)
		}
		for v := range b.count {
			var got, exp []byte
			switch {
			case b.offsets != nil:
				got = b.data[b.offsets[v]:b.offsets[v+1]]
				exp = want.data[want.offsets[value+v]:want.offsets[value+v+1]]
			case k.footer.Type == cfilewire.Bool:
				got, exp = []byte{byte(bitOf(b.values, v))}, []byte{byte(bitOf(want.values, value+v))}
			default:
				got, exp = b.values[v*width:(v+1)*width], want.values[(value+v)*width:(value+v+1)*width]
			}
			if !bytes.Equal(got, exp) {
				tb.Fatalf("value %d is %x, not %x", value+v, got, exp)
			}
		}
		row, value = row+b.rows, value+b.count
	}
	if row != want.rows || value != want.count {
		tb.Fatalf("%d rows of %d, %d values of %d", row, want.rows, value, want.count)
	}
}

// randomRows makes rows of a type.
func randomRows(r *rand.Rand, t cfilewire.DataType, n int, nullable bool) *kuduBlock {
	k := &kuduBlock{rows: n, count: n}
	if nullable {
		k.valid = make([]byte, (n+7)/8)
		k.count = 0
		density := []int{0, 1, 50, 99, 100}[r.Intn(5)]
		for i := 0; i < n; {
			v := r.Intn(100) < density
			for run := r.Intn(1 + r.Intn(1+r.Intn(400))); run >= 0 && i < n; run-- {
				bitpack.FillBits(k.valid, i, 1, v)
				if v {
					k.count++
				}
				i++
			}
		}
	}
	width := t.Width()
	switch {
	case t.Binary():
		k.offsets = []int32{0}
		most, length := 1+r.Intn(1+r.Intn(3000)), 1+r.Intn(1+r.Intn(60))
		for range k.count {
			v := binary.BigEndian.AppendUint32(nil, uint32(r.Intn(most)))
			k.data = append(append(k.data, v...), bytes.Repeat(v[3:], int(v[3])%length)...)
			k.offsets = append(k.offsets, int32(len(k.data)))
		}
	case t == cfilewire.Bool:
		k.values = packed(nil, runsOfAllKinds(r, k.count, 1), 1)
	default:
		for _, v := range runsOfAllKinds(r, k.count, 8*min(width, 8)) {
			b := binary.LittleEndian.AppendUint64(nil, v)
			k.values = append(k.values, append(b, b...)[:width]...)
		}
	}
	return k
}

// Every type in every encoding that it may have, with nulls and without, with every codec, in blocks of all sizes; and it
// does not matter in what calls rows are put.
func TestColumnOut(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	columns := 0
	for typ := cfilewire.UInt8; typ <= cfilewire.Date; typ++ {
		for e := cfilewire.EncodingAuto; e <= cfilewire.EncodingBitShuffle; e++ {
			if e == cfilewire.EncodingGroupVarint ||
				e != cfilewire.EncodingAuto && cfilewire.CheckEncoding(&cfilewire.Footer{Type: typ, Encoding: e}) != nil || typ == cfilewire.IsDeleted {
				continue
			}
			for i := range 8 {
				c := cfilewire.Compression(i % 5)
				s := cfilewire.ColumnSettings(typ, e, c, i%2 == 1, i%2 == 0 && typ.IsKey())
				s.BlockSize = []int{1, 512, 1000, 4096, 0}[r.Intn(5)]
				s.IndexBlock = []int{0, 1, 100}[r.Intn(3)]
				s.Version = r.Intn(3)
				s.NoChecksums = r.Intn(4) == 0
				rows := randomRows(r, typ, r.Intn(1+r.Intn(8000)), s.Nullable)
				if s.Keyed && s.Key == nil {
					s.Key = func(dst, cell []byte) ([]byte, error) { return append(dst, cell[:min(len(cell), 4)]...), nil } // rows do not ascend
				}
				b := writeRows(t, s, rows, 1<<20)
				k := takeApart(t, b)
				k.same(t, rows)
				if !bytes.Equal(writeRows(t, s, rows, 1+r.Intn(700)), b) {
					t.Fatalf("%v %v: the file depends on the calls", typ, e)
				}
				if f := k.footer; f.Nullable != s.Nullable || f.Checksums == s.NoChecksums || (f.Val != nil) != s.Keyed || f.Kind() != cfilewire.ColumnFile {
					t.Fatalf("%+v", f)
				}
				columns++
			}
		}
	}
	if columns < 400 {
		t.Errorf("only %d columns", columns)
	}
}

// Blocks are of about the size that they should be of.
func TestColumnOutSizes(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, c := range []struct {
		t     cfilewire.DataType
		e     cfilewire.Encoding
		least int // bytes of a full block
		most  int
	}{
		{cfilewire.Int64, cfilewire.EncodingPlain, 4097, 4096 + 800},
		{cfilewire.Int64, cfilewire.EncodingRLE, 4097, 4096 + 1000},
		{cfilewire.Bool, cfilewire.EncodingPlain, 4097, 4096 + 13},
		{cfilewire.Bool, cfilewire.EncodingRLE, 4097, 4096 + 200},
		{cfilewire.Binary, cfilewire.EncodingPlain, 4097, 4096 + 300},
		{cfilewire.Binary, cfilewire.EncodingPrefix, 4097, 4096 + 700},
	} {
		rows := randomRows(r, c.t, 200_000, false)
		if c.t == cfilewire.Int64 {
			rows.values = randomStringsBytes(r, len(rows.values))
		}
		s := cfilewire.ColumnSettings(c.t, c.e, 0, false, false)
		s.BlockSize = 4096
		k := takeApart(t, writeRows(t, s, rows, 5000))
		for i, b := range k.blocks[:len(k.blocks)-1] {
			if len(b.raw) < c.least || len(b.raw) > c.most {
				t.Errorf("%v %v: block %d has %d bytes", c.t, c.e, i, len(b.raw))
				break
			}
		}
		if len(k.blocks) < 2 {
			t.Errorf("%v %v: one block", c.t, c.e)
		}
	}
	s := cfilewire.ColumnSettings(cfilewire.Int32, cfilewire.EncodingBitShuffle, 0, false, false)
	s.BlockSize = 1000
	for _, b := range takeApart(t, writeRows(t, s, randomRows(r, cfilewire.Int32, 1000, false), 77)).blocks {
		if b.rows != 250 {
			t.Errorf("bitshuffle: %d rows", b.rows)
		}
	}
}

// A dictionary that grows too large: codes, of one and two bytes, then strings.
func TestColumnOutDictionary(t *testing.T) {
	rows := &kuduBlock{offsets: []int32{0}}
	for i := range 3000 {
		rows.data = binary.BigEndian.AppendUint32(rows.data, uint32(i%700))
		rows.offsets = append(rows.offsets, int32(len(rows.data)))
	}
	rows.rows, rows.count = 3000, 3000
	s := cfilewire.ColumnSettings(cfilewire.String, cfilewire.EncodingDict, 0, false, false)
	s.BlockSize = 2000
	k := takeApart(t, writeRows(t, s, rows, 123))
	k.same(t, rows)
	var modes []cfilewire.DictMode
	for _, b := range k.blocks {
		if len(modes) == 0 || modes[len(modes)-1] != b.mode {
			modes = append(modes, b.mode)
		}
	}
	if len(modes) != 2 || modes[0] != cfilewire.DictCodes || len(k.dict) < 2000 || len(k.dict) > 2100 {
		t.Errorf("%v, dictionary of %d bytes", modes, len(k.dict))
	}
	s.BlockSize = 0
	if k := takeApart(t, writeRows(t, s, rows, 123)); len(k.blocks) != 1 || k.blocks[0].raw[4+16] != 2 {
		t.Errorf("%d blocks", len(k.blocks))
	}
}

func TestColumnOutRefuses(t *testing.T) {
	var c cfilewire.ColumnOut
	for name, s := range map[string]cfilewire.FileSettings{
		"encoding":       cfilewire.ColumnSettings(cfilewire.Int32, cfilewire.EncodingDict, 0, false, false),
		"type":           cfilewire.ColumnSettings(cfilewire.Nested, 0, 0, false, false),
		"unknown type":   cfilewire.ColumnSettings(99, 0, 0, false, false),
		"group varint":   cfilewire.ColumnSettings(cfilewire.UInt32, cfilewire.EncodingGroupVarint, 0, false, false),
		"compression":    cfilewire.ColumnSettings(cfilewire.Int32, 0, 9, false, false),
		"key of floats":  cfilewire.ColumnSettings(cfilewire.Float, 0, 0, false, true),
		"key with nulls": cfilewire.ColumnSettings(cfilewire.Int32, 0, 0, true, true),
		"version":        {Type: cfilewire.Int32, Positional: true, Version: 3},
		"no index":       {Type: cfilewire.Int32},
	} {
		wantKind(t, name, c.Open(s, discard), errs.ErrSchema)
	}
	must(t, c.Open(cfilewire.ColumnSettings(cfilewire.Int32, 0, 0, false, false), discard))
	wantKind(t, "null", c.PutFixed(make([]byte, 8), 2, []byte{1}, 0), errs.ErrSchema)
	wantKind(t, "bits", c.PutBits(nil, 0, 0, nil, 0), errs.ErrSchema)
	wantKind(t, "strings", c.PutStrings(nil, nil, nil, 0), errs.ErrSchema)
	must(t, c.Open(cfilewire.ColumnSettings(cfilewire.Binary, 0, cfilewire.LZ4, false, false), discard))
	wantKind(t, "numbers", c.PutFixed(nil, 0, nil, 0), errs.ErrSchema)
	must(t, c.Open(cfilewire.ColumnSettings(cfilewire.Binary, cfilewire.EncodingPlain, cfilewire.LZ4, false, false), discard))
	must(t, c.PutStrings([]int32{0, cfilewire.MaxRaw}, make([]byte, cfilewire.MaxRaw), nil, 0))
	_, err := c.Finish()
	wantKind(t, "long string", err, errs.ErrLimit)
	must(t, c.Open(cfilewire.DeltaSettings(), discard))
	must(t, c.PutStrings([]int32{0, 1}, []byte{0xff}, nil, 0))
	_, err = c.Finish()
	wantKind(t, "delta without key", err, errs.ErrCorrupt)
	full := errors.New("full")
	if err := c.Open(cfilewire.BloomSettings(), func([]byte) error { return full }); !errors.Is(err, full) {
		t.Error(err)
	}
}

// Rows are numbered with 32 bits.
func TestColumnOutRows(t *testing.T) {
	var c cfilewire.ColumnOut
	must(t, c.Open(cfilewire.ColumnSettings(cfilewire.Bool, cfilewire.EncodingRLE, 0, true, false), discard))
	none := make([]byte, 1<<24)
	for range 1 << 5 {
		must(t, c.PutBits(none, 0, 1<<27, none, 0))
	}
	wantKind(t, "one more", c.PutBits(none, 0, 1, nil, 0), errs.ErrLimit)
	f, err := c.Finish()
	if err != nil || f.Values != 1<<32 {
		t.Errorf("%v, %v", f, err)
	}
}

func TestColumnOutAllocations(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, s := range []cfilewire.FileSettings{
		cfilewire.ColumnSettings(cfilewire.Int64, 0, cfilewire.LZ4, true, false),
		cfilewire.ColumnSettings(cfilewire.Int64, cfilewire.EncodingRLE, 0, true, false),
		cfilewire.ColumnSettings(cfilewire.String, 0, 0, true, false),
		cfilewire.ColumnSettings(cfilewire.String, cfilewire.EncodingPrefix, 0, false, true),
	} {
		rows := randomRows(r, s.Type, 50_000, s.Nullable)
		if s.Keyed {
			s.Key = func(dst, cell []byte) ([]byte, error) { return append(dst, cell...), nil }
		}
		values, offsets, data := rows.spread(s.Type.Width())
		var c cfilewire.ColumnOut
		s.BlockSize = 4096
		if n := testing.AllocsPerRun(3, func() {
			must(t, c.Open(s, discard))
			if offsets != nil {
				must(t, c.PutStrings(offsets, data, rows.valid, 0))
			} else {
				must(t, c.PutFixed(values, rows.rows, rows.valid, 0))
			}
			_, err := c.Finish()
			must(t, err)
		}); n > 40 { // what a footer takes
			t.Errorf("%v %v: %v allocations", s.Type, s.Encoding, n)
		}
	}
}

func FuzzColumnOut(f *testing.F) {
	for i := range uint16(24) {
		f.Add(bytes.Repeat([]byte("fuzzing the writer\x00\x00\x00\x00\x00\x00\x00\x00\x00"), 60), []byte{0xff, 0x0f, 0x55, 0, 0}, i*173, i)
	}
	f.Fuzz(func(t *testing.T, src, valid []byte, kind, step uint16) {
		typ := cfilewire.DataType(kind % 21)
		e := cfilewire.Encoding(kind / 21 % 7)
		if typ == cfilewire.IsDeleted || e == cfilewire.EncodingGroupVarint ||
			cfilewire.CheckEncoding(&cfilewire.Footer{Type: typ, Encoding: e.Resolve(typ)}) != nil {
			return
		}
		s := cfilewire.ColumnSettings(typ, e, cfilewire.Compression(kind/147%5), len(valid) > 0, false)
		s.BlockSize, s.IndexBlock = 512, int(step%300)
		k := &kuduBlock{}
		switch width := typ.Width(); {
		case typ.Binary():
			k.offsets, k.data = []int32{0}, src
			for at := 0; at < len(src); {
				at += min(int(src[at])%20, len(src)-at)
				if k.offsets = append(k.offsets, int32(at)); len(k.offsets) > 5000 {
					break
				}
				if src[min(at, len(src)-1)]%20 == 0 {
					at++
					k.offsets[len(k.offsets)-1] = int32(min(at, len(src)))
				}
			}
			k.count = len(k.offsets) - 1
		case typ == cfilewire.Bool:
			k.values, k.count = src, 8*len(src)
		default:
			k.count = len(src) / width
			k.values = src[:k.count*width]
		}
		k.rows = k.count
		if s.Nullable { // as many rows as have those values, by a pattern
			most := k.count
			k.rows, k.count = 0, 0
			for k.count < most && k.rows < 4000 {
				v := bitOf(valid, k.rows%(8*len(valid))) == 1
				if k.rows%8 == 0 {
					k.valid = append(k.valid, 0)
				}
				bitpack.FillBits(k.valid, k.rows, 1, v)
				if k.rows++; v {
					k.count++
				}
			}
		}
		b := writeRows(t, s, k, 1<<20)
		takeApart(t, b).same(t, k)
		if !bytes.Equal(writeRows(t, s, k, 1+int(step)), b) {
			t.Fatal("the file depends on the calls")
		}
	})
}
