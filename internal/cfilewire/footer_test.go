package cfilewire_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/cursor"
)

// open reads footer and header of a whole file.
func open(b []byte) (*cfilewire.Footer, error) {
	f, err := cfilewire.ParseFooter(b, int64(len(b)))
	if err == nil {
		err = cfilewire.ParseHeader(b, f)
	}
	return f, err
}

func mustOpen(tb testing.TB, hex string) (*cfilewire.Footer, []byte) {
	tb.Helper()
	b := fromHex(tb, hex)
	f, err := open(b)
	if err != nil {
		tb.Fatal(err)
	}
	return f, b
}

// wantKind fails unless err is an errs.Error of the kind.
func wantKind(tb testing.TB, what string, err error, kind errs.Kind) {
	tb.Helper()
	var e *errs.Error
	if !errors.As(err, &e) || e.Kind != kind {
		tb.Errorf("%s: error %v, not of kind %v", what, err, kind)
	}
}

func TestFooter(t *testing.T) {
	f, b := mustOpen(t, fileInts)
	want := cfilewire.Footer{
		Type: cfilewire.Int32, Encoding: cfilewire.EncodingBitShuffle, Values: 100, Compression: cfilewire.NoCompression,
		Incompatible: cfilewire.FeatureChecksums, Checksums: true, FooterOff: 147, Version: 2, HeaderSize: 16,
	}
	if p := (cfilewire.BlockPointer{Off: 104, Size: 23}); f.Pos == nil || *f.Pos != p {
		t.Errorf("positional index at %v", f.Pos)
	}
	if p := (cfilewire.BlockPointer{Off: 127, Size: 20}); f.Val == nil || *f.Val != p || p.End() != 147 {
		t.Errorf("value index at %v", f.Val)
	}
	for key, hex := range map[string]string{cfilewire.MetaMinKey: "80000000", cfilewire.MetaMaxKey: "80000063"} {
		if v, ok := f.Lookup(key); !ok || !bytes.Equal(v, fromHex(t, hex)) {
			t.Errorf("%s is %x", key, v)
		}
	}
	if _, ok := f.Lookup("other"); ok || len(f.Meta) != 2 {
		t.Errorf("metadata %v", f.Meta)
	}
	got := *f
	got.Pos, got.Val, got.Meta = nil, nil, nil
	if got.Dict != nil || got.HeaderMeta != nil || !equalFooters(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if !cfilewire.Match(b, nil) || !cfilewire.Match(nil, b) || cfilewire.Match(b[1:], b[:20]) || cfilewire.Match(nil, nil) {
		t.Error("Match")
	}
}

// equalFooters compares what is not a pointer or slice.
func equalFooters(a, b cfilewire.Footer) bool {
	return a.Type == b.Type && a.Encoding == b.Encoding && a.Values == b.Values && a.Compression == b.Compression &&
		a.Nullable == b.Nullable && a.Array == b.Array && a.Incompatible == b.Incompatible && a.Compatible == b.Compatible &&
		a.Checksums == b.Checksums && a.FooterOff == b.FooterOff && a.Version == b.Version && a.HeaderSize == b.HeaderSize
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		hex    string
		kind   cfilewire.Kind
		enc    cfilewire.Encoding
		comp   cfilewire.Compression
		values int64
	}{
		{fileInts, cfilewire.ColumnFile, cfilewire.EncodingBitShuffle, cfilewire.NoCompression, 100},
		{fileZlib, cfilewire.ColumnFile, cfilewire.EncodingPlain, cfilewire.Zlib, 120},
		{fileLZ4, cfilewire.ColumnFile, cfilewire.EncodingPlain, cfilewire.LZ4, 120},
		{fileSnappy, cfilewire.ColumnFile, cfilewire.EncodingPlain, cfilewire.Snappy, 120},
		{fileDict, cfilewire.ColumnFile, cfilewire.EncodingDict, cfilewire.NoCompression, 120},
		{fileUndo, cfilewire.DeltaFile, cfilewire.EncodingPlain, cfilewire.LZ4, 7},
		{fileRedo, cfilewire.DeltaFile, cfilewire.EncodingPlain, cfilewire.LZ4, 13},
	} {
		f, _ := mustOpen(t, c.hex)
		if f.Kind() != c.kind || f.Encoding != c.enc || f.Compression != c.comp || f.Values != c.values {
			t.Errorf("%s: %+v is of kind %s", c.comp, f, f.Kind())
		}
		if err := cfilewire.CheckEncoding(f); err != nil {
			t.Error(err)
		}
		if (f.Dict != nil) != (c.enc == cfilewire.EncodingDict) {
			t.Errorf("dictionary at %v", f.Dict)
		}
	}
	root := &cfilewire.BlockPointer{Off: 16, Size: 8}
	bloom := cfilewire.Footer{Type: cfilewire.Binary, Encoding: cfilewire.EncodingPlain, Val: root}
	keys := cfilewire.Footer{Type: cfilewire.Binary, Encoding: cfilewire.EncodingPrefix, Val: root, Values: 3}
	if bloom.Kind() != cfilewire.BloomFile || keys.Kind() != cfilewire.KeyIndexFile {
		t.Error(bloom.Kind(), keys.Kind())
	}
}

// A fileMaker writes files of one block and an index, with any footer.
type fileMaker struct {
	header, footer []byte
	magic          string
	checksums      bool
}

// footerMessage is a good footer of a file of fileMaker.
func footerMessage() []byte {
	var b []byte
	for _, f := range []struct{ num, v uint64 }{{1, 5}, {2, 1}, {3, 4}, {6, 1}, {8, 0}, {10, 1}} {
		b = protowire.AppendVarint(protowire.AppendTag(b, protowire.Number(f.num), protowire.VarintType), f.v)
	}
	return appendField(b, 4, appendField(nil, 1, pointer(16, 8)))
}

func appendField(b []byte, num protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), v)
}

func appendNumber(b []byte, num protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), v)
}

func pointer(off, size uint64) []byte {
	return appendNumber(appendNumber(nil, 1, off), 2, size)
}

func (m fileMaker) bytes() []byte {
	sum := func(b []byte) []byte {
		return le32(nil, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	}
	b := append([]byte(m.magic), le32(nil, uint32(len(m.header)))...)
	b = append(b, m.header...)
	tail := append(append(bytes.Clone(m.footer), m.magic...), le32(nil, uint32(len(m.footer)))...)
	if m.checksums {
		b = append(b, sum(b)...)
	}
	b = append(b, make([]byte, 64)...)
	if m.checksums {
		b = append(b, sum(tail)...)
	}
	return append(b, tail...)
}

func TestFooterFields(t *testing.T) {
	good := footerMessage()
	num := func(n protowire.Number, v uint64) []byte { return appendNumber(bytes.Clone(good), n, v) }
	root := func(n protowire.Number, off, size uint64) []byte {
		return appendField(bytes.Clone(good), n, appendField(nil, 1, pointer(off, size)))
	}
	negative := func(v int64) uint64 { return uint64(v) }
	for _, c := range []struct {
		name   string
		footer []byte
		kind   errs.Kind // 0: good
	}{
		{"as it is", good, 0},
		{"unknown fields", appendField(num(99, 7), 98, []byte("x")), 0},
		{"no field at all", nil, errs.ErrCorrupt},
		{"no type", good[2:], errs.ErrCorrupt},
		{"not protobuf", bytes.Repeat([]byte{0xff}, 40), errs.ErrCorrupt},
		{"type 22", num(1, 22), errs.ErrUnsupported},
		{"type beyond 32 bits", num(1, 1<<32|5), errs.ErrUnsupported},
		{"encoding 7", num(2, 7), errs.ErrUnsupported},
		{"encoding auto", num(2, 0), 0},
		{"compression 99, which is none", num(6, 99), 0},
		{"compression left to a default", num(6, 0), errs.ErrUnsupported},
		{"values -1", num(3, negative(-1)), errs.ErrCorrupt},
		{"values 1<<32", num(3, 1<<32), 0},
		{"values 1<<32 + 1", num(3, 1<<32+1), errs.ErrCorrupt},
		{"values 1<<63 - 1", num(3, math.MaxInt64), errs.ErrCorrupt},
		{"feature 4", num(10, 1|4), errs.ErrUnsupported},
		{"array blocks, no array type", num(10, 1|2), errs.ErrCorrupt},
		{"array type, no array blocks", num(12, 1), errs.ErrCorrupt},
		{"arrays", appendNumber(num(12, 1), 10, 3), 0},
		{"compatible features", num(11, math.MaxUint32), 0},
		{"root before the header's end", root(4, 15, 8), errs.ErrCorrupt},
		{"root within the footer", root(4, 77, 8), errs.ErrCorrupt},
		{"root at the last byte", root(4, 72, 8), 0},
		{"root of a checksum alone", root(4, 16, 4), errs.ErrCorrupt},
		{"root of size 0", root(5, 16, 0), errs.ErrCorrupt},
		{"root of size -1", root(5, 16, negative(-1)), errs.ErrCorrupt},
		{"root of size 1<<31", root(5, 16, 1<<31), errs.ErrCorrupt},
		{"root at -1", root(5, negative(-1), 8), errs.ErrCorrupt},
		{"root at 1<<63 - 1", root(5, math.MaxInt64, math.MaxInt32), errs.ErrCorrupt},
		{"index without a root", appendField(bytes.Clone(good), 5, nil), errs.ErrCorrupt},
		{"root without a size", appendField(bytes.Clone(good), 5, appendField(nil, 1, appendNumber(nil, 1, 16))), errs.ErrCorrupt},
		{"dict without a dictionary", appendNumber(num(1, 8), 2, 5), errs.ErrCorrupt},
		{"dict with one", appendField(appendNumber(num(1, 8), 2, 5), 9, pointer(24, 12)), 0},
		{"pair without a value", appendField(bytes.Clone(good), 7, appendField(nil, 1, []byte("k"))), errs.ErrCorrupt},
		{"pair", appendField(bytes.Clone(good), 7, appendField(appendField(nil, 1, []byte("k")), 2, nil)), 0},
		{"too long", appendField(bytes.Clone(good), 77, make([]byte, cfilewire.MaxMetaBytes)), errs.ErrCorrupt},
	} {
		b := fileMaker{footer: c.footer, magic: cfilewire.MagicV2, checksums: true}.bytes()
		f, err := open(b)
		switch {
		case c.kind != 0:
			wantKind(t, c.name, err, c.kind)
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case f.Encoding == cfilewire.EncodingAuto || f.Compression != cfilewire.NoCompression:
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// Files without checksums have nothing where they would be; their features say so.
func TestNoChecksums(t *testing.T) {
	footer := appendNumber(footerMessage(), 10, 0)
	b := fileMaker{footer: footer, magic: cfilewire.MagicV1}.bytes()
	f, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	if f.Version != 1 || f.Checksums || f.HeaderSize != 12 || f.FooterOff != 12+64 {
		t.Errorf("%+v", f)
	}
}

func TestHeader(t *testing.T) {
	pair := appendField(appendField(nil, 1, []byte("k")), 2, []byte("v"))
	header := appendField(appendNumber(nil, 1, 1), 3, pair)
	m := fileMaker{header: header, footer: appendField(footerMessage(), 4, appendField(nil, 1, pointer(29, 8))), magic: cfilewire.MagicV2, checksums: true}
	b := m.bytes()
	f, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	if int(f.HeaderSize) != 16+len(header) || len(f.HeaderMeta) != 1 || f.HeaderMeta[0].Key != "k" || string(f.HeaderMeta[0].Value) != "v" {
		t.Errorf("%+v", f)
	}
	for n := range int(f.HeaderSize) {
		f := *f
		if err := cfilewire.ParseHeader(b[:n], &f); !errors.Is(err, cursor.ErrShort) {
			t.Fatalf("%d bytes of a header: %v", n, err)
		}
		bad := bytes.Clone(b)
		bad[n] ^= 1
		wantKind(t, "flipped bit", cfilewire.ParseHeader(bad, &f), errs.ErrCorrupt)
	}
	m.footer = footerMessage() // its index lies in this header
	_, err = open(m.bytes())
	wantKind(t, "root in the header", err, errs.ErrCorrupt)
	binary.LittleEndian.PutUint32(b[8:], math.MaxUint32)
	_, err = open(b)
	wantKind(t, "length of the header", err, errs.ErrCorrupt)
	binary.LittleEndian.PutUint32(b[8:], uint32(len(b)))
	_, err = open(b)
	wantKind(t, "header as long as the file", err, errs.ErrCorrupt)
}

// Every shorter end of a file is one that wants more, and every changed bit of a footer is found, but for those that
// take the checksums away.
func TestFooterDamage(t *testing.T) {
	_, b := mustOpen(t, fileInts)
	size := int64(len(b))
	n, err := cfilewire.ParseTailLength(b)
	if err != nil || n != 4+62 {
		t.Fatal(n, err)
	}
	n += cfilewire.TailSize
	for i := range n {
		if _, err := cfilewire.ParseFooter(b[len(b)-i:], size); !errors.Is(err, cursor.ErrShort) {
			t.Fatalf("%d bytes of %d: %v", i, n, err)
		}
	}
	if _, err := cfilewire.ParseFooter(b[len(b)-n:], size); err != nil {
		t.Fatal(err)
	}
	features := len(b) - cfilewire.TailSize - 2 // the field that says that there is a checksum
	for i := len(b) - n; i < len(b); i++ {
		for bit := range 8 {
			bad := bytes.Clone(b)
			bad[i] ^= 1 << bit
			if _, err := open(bad); err == nil && i != features && i != features+1 {
				t.Errorf("bit %d of byte %d changed, and no error", bit, i)
			}
		}
	}
	for i := range b {
		if _, err := open(b[:i]); err == nil {
			t.Errorf("no error for the first %d bytes", i)
		}
		if _, err := open(b[i+1:]); err == nil {
			t.Errorf("no error without the first %d bytes", i+1)
		}
	}
}

func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		types     []cfilewire.DataType
		encodings string
		auto      cfilewire.Encoding
	}{
		{[]cfilewire.DataType{
			cfilewire.Int8, cfilewire.Int16, cfilewire.Int32, cfilewire.Int64, cfilewire.UInt8, cfilewire.UInt16, cfilewire.UInt64,
			cfilewire.Decimal32, cfilewire.Decimal64, cfilewire.Date, cfilewire.UnixtimeMicros,
		}, "plain rle bitshuffle ", cfilewire.EncodingBitShuffle},
		{[]cfilewire.DataType{cfilewire.UInt32}, "plain group_varint rle bitshuffle ", cfilewire.EncodingBitShuffle},
		{[]cfilewire.DataType{cfilewire.Int128, cfilewire.Decimal128, cfilewire.Float, cfilewire.Double}, "plain bitshuffle ", cfilewire.EncodingBitShuffle},
		{[]cfilewire.DataType{cfilewire.Bool}, "plain rle ", cfilewire.EncodingRLE},
		{[]cfilewire.DataType{cfilewire.String, cfilewire.Binary, cfilewire.Varchar}, "plain prefix dict ", cfilewire.EncodingDict},
		{[]cfilewire.DataType{cfilewire.IsDeleted, cfilewire.Nested, 22, 999, math.MaxUint32}, "", cfilewire.EncodingAuto},
	} {
		for _, typ := range c.types {
			got := ""
			for e := range cfilewire.Encoding(40) {
				err := cfilewire.CheckEncoding(&cfilewire.Footer{Type: typ, Encoding: e})
				if err == nil {
					got += e.String() + " "
				} else {
					wantKind(t, typ.String(), err, errs.ErrUnsupported)
				}
			}
			if got != c.encodings {
				t.Errorf("encodings of %s are %q", typ, got)
			}
			if a := cfilewire.EncodingAuto.Resolve(typ); a != c.auto || cfilewire.EncodingPlain.Resolve(typ) != cfilewire.EncodingPlain {
				t.Errorf("auto of %s is %s", typ, a)
			}
		}
	}
}
