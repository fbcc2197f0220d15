package trevniwire

import (
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

func words(ws ...int32) (b []byte) {
	for _, w := range ws {
		b = binary.LittleEndian.AppendUint32(b, uint32(w))
	}
	return b
}

func TestDescriptors(t *testing.T) {
	b := words(3, 10, 100, 40, 0, 5, 7, 20, 200, 60)
	col := &Column{Codec: blockcodec.Deflate, Checksum: CRC32, Start: 1000}
	blocks, err := ParseDescriptors(b, col, 30, 2000, limits)
	if err != nil {
		t.Fatal(err)
	}
	want := []Block{
		{Start: 0, Rows: 10, Off: 1040, Raw: 100, Packed: 40, Descriptor: 1004},
		{Start: 10, Rows: 20, Off: 1040 + 44 + 11, Raw: 200, Packed: 60, Descriptor: 1028}, // behind one of no rows
	}
	same := func(a, b Block) bool {
		return a.Start == b.Start && a.Rows == b.Rows && a.Off == b.Off && a.Raw == b.Raw && a.Packed == b.Packed && a.Descriptor == b.Descriptor && string(a.First) == string(b.First)
	}
	if !slices.EqualFunc(blocks, want, same) {
		t.Errorf("%+v", blocks)
	}
	if all, err := AllDescriptors(b, col, 30, 2000, limits); err != nil || len(all) != 3 || all[1].Rows != 0 || all[1].Raw != 5 {
		t.Errorf("%+v, %v", all, err)
	}
	if blocks, err := ParseDescriptors(words(0), col, 0, 2000, limits); err != nil || blocks == nil || len(blocks) != 0 {
		t.Errorf("no blocks: %v, %v", blocks, err)
	}
}

// First values stand in the column's encoding; booleans begin on a byte of their own in each descriptor.
func TestFirstValues(t *testing.T) {
	for _, x := range []struct {
		typ           Type
		stored, first string
		err           error
	}{
		{Null, "", "", nil},
		{Boolean, "\x01", "\x01", nil},
		{Int, "\xff\xff\xff\xff\x0f", "\xff\xff\xff\xff\x0f", nil},
		{Int, "\x82\x80\x00", "\x82\x80\x00", nil}, // padded
		{Int, "\x80\x80\x80\x80\x80\x00", "", errs.ErrCorrupt},
		{Long, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", nil},
		{Long, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", "", errs.ErrCorrupt},
		{Fixed32, "\x01\x02\x03\x04", "\x01\x02\x03\x04", nil},
		{Fixed64, "12345678", "12345678", nil},
		{Float, "1234", "1234", nil},
		{Double, "12345678", "12345678", nil},
		{String, "\x06abc", "abc", nil},
		{Bytes, "\x00", "", nil},
		{Bytes, "\x01", "", errs.ErrCorrupt},                     // -1 bytes
		{String, "\xfe\xff\xff\xff\x0fabc", "", errs.ErrCorrupt}, // 2^31-1
	} {
		var b []byte
		b = append(b, words(2, 1, 20, 20)...)
		b = append(b, x.stored...)
		b = append(b, words(1, 20, 20)...)
		b = append(b, x.stored...)
		head := int64(len(b))
		b = append(b, make([]byte, 40)...)
		col := &Column{Type: x.typ, Values: true}
		blocks, err := ParseDescriptors(b, col, 2, int64(len(b)), limits)
		if !errors.Is(err, x.err) {
			t.Errorf("%v %q: %v", x.typ, x.stored, err)
		}
		if err != nil {
			continue
		}
		if string(blocks[0].First) != x.first || string(blocks[1].First) != x.first || blocks[0].Off != head || blocks[1].Off != head+20 {
			t.Errorf("%v %q: %+v", x.typ, x.stored, blocks)
		}
		for n := range head {
			if _, err := ParseDescriptors(b[:n:n], col, 2, int64(len(b)), limits); !errors.Is(err, ErrShort) {
				t.Errorf("%v, the first %d bytes: %v", x.typ, n, err)
			}
			if _, err := ParseDescriptors(b[:n:n], col, 2, n, limits); n >= 4 && !errors.Is(err, errs.ErrCorrupt) {
				t.Errorf("%v, a file of %d bytes: %v", x.typ, n, err)
			}
		}
	}
}

func TestDescriptorsRefused(t *testing.T) {
	deflate := &Column{Codec: blockcodec.Deflate}
	small := limits
	small.ValueBytes, small.MetadataBytes = 1000, 100
	for _, x := range []struct {
		name string
		b    []byte
		col  *Column
		lim  errs.Limits
		kind errs.Kind
	}{
		{"count", words(-1), deflate, limits, errs.ErrCorrupt},
		{"more blocks than bytes", words(100, 10, 10, 10), deflate, limits, errs.ErrCorrupt},
		{"rows", words(1, -10, 10, 10), deflate, limits, errs.ErrCorrupt},
		{"too many rows", words(1, 11, 10, 10), deflate, limits, errs.ErrCorrupt},
		{"too few rows", words(1, 9, 10, 10), deflate, limits, errs.ErrCorrupt},
		{"rows that wrap", words(2, 2147483647, 1, 1, -2147483637, 1, 1), deflate, limits, errs.ErrCorrupt},
		{"raw", words(1, 10, -1, 10), deflate, limits, errs.ErrCorrupt},
		{"packed", words(1, 10, 10, -1), deflate, limits, errs.ErrCorrupt},
		{"packed beyond the file", words(1, 10, 10, 1000), deflate, limits, errs.ErrCorrupt},
		{"blocks beyond the file", words(2, 5, 400, 400, 5, 400, 400), deflate, limits, errs.ErrCorrupt},
		{"sizes without a codec", words(1, 10, 10, 11), &Column{}, limits, errs.ErrCorrupt},
		{"bomb", words(1, 10, 1_000_000, 10), deflate, limits, errs.ErrCorrupt},
		{"nothing unpacks to something", words(1, 10, 1, 0), deflate, limits, errs.ErrCorrupt},
		{"large", words(1, 10, 1001, 10), deflate, small, errs.ErrLimit},
		{"many", append(words(9), make([]byte, 200)...), deflate, small, errs.ErrLimit},
	} {
		b := slices.Grow(x.b, 500)[:max(500, len(x.b))]
		if _, err := ParseDescriptors(b, x.col, 10, 500, x.lim); !errors.Is(err, x.kind) {
			t.Errorf("%s: %v, want %v", x.name, err, x.kind)
		}
	}
	// first values beyond the limit, in a file that has them
	b := append(words(1, 10, 10, 10), binary.AppendVarint(nil, 5000)...)
	b = append(b, make([]byte, 6000)...)
	if _, err := ParseDescriptors(b[:small.MetadataBytes], &Column{Values: true, Type: String}, 10, int64(len(b)), small); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("a first value of 5000 bytes: %v", err)
	}
}

// CRC-32 of "123456789" is cbf43926.
func TestCheckSum(t *testing.T) {
	raw := []byte("123456789")
	plain, packed := &Column{Checksum: CRC32}, &Column{Checksum: CRC32, Codec: blockcodec.Snappy}
	for _, x := range []struct {
		col    *Column
		stored string
		want   Verdict
	}{
		{&Column{}, "", Unchecked},
		{plain, "\xcb\xf4\x39\x26", SumOK},
		{packed, "\xcb\xf4\x39\x26", SumOK},
		{plain, "\x26\x39\xf4\xcb", SumLittle},
		{packed, "\x26\x39\xf4\xcb", SumLittle},
		{plain, "\x00\x00\x00\x00", SumAbsent},
		{packed, "\x00\x00\x00\x00", SumWrong},
		{plain, "\xcb\xf4\x39\x27", SumWrong},
	} {
		if got := CheckSum(x.col, raw, []byte(x.stored)); got != x.want {
			t.Errorf("%q: %v, want %v", x.stored, got, x.want)
		}
	}
	if got := CheckSum(plain, nil, make([]byte, 4)); got != SumOK { // of nothing
		t.Errorf("of nothing: %v", got)
	}
	if got := string(AppendSum(nil, CRC32, raw)); got != "\xcb\xf4\x39\x26" {
		t.Errorf("written %q", got)
	}
	if got := AppendSum(nil, NoChecksum, raw); got != nil {
		t.Errorf("written %q", got)
	}
}

// The writer's descriptors are those the reader sees.
func TestAppendDescriptor(t *testing.T) {
	b := words(2)
	b = AppendDescriptor(b, 10, 30, 30, []byte("\x06abc"))
	b = AppendDescriptor(b, 5, 20, 20, []byte("\x06abd"))
	head := int64(len(b))
	b = append(b, make([]byte, 50)...)
	blocks, err := ParseDescriptors(b, &Column{Type: String, Values: true}, 15, int64(len(b)), limits)
	if err != nil || len(blocks) != 2 || string(blocks[1].First) != "abd" || blocks[1].Off != head+30 || blocks[1].Start != 10 {
		t.Errorf("%+v, %v", blocks, err)
	}
}

// Columns of all fixtures lie in the file, one block behind the other.
func TestFixtureBlocks(t *testing.T) {
	for _, path := range files(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		h, err := ParseHeader(b, int64(len(b)), limits)
		if err != nil {
			t.Fatal(err)
		}
		for i := range h.Columns {
			c := &h.Columns[i]
			blocks, err := AllDescriptors(b[c.Start:], c, h.Rows, int64(len(b)), limits)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			for k := range blocks {
				if k > 0 && blocks[k].Off != blocks[k-1].Off+blocks[k-1].Packed+c.Checksum.Size() {
					t.Errorf("%s: column %s: block %d at %d", path, c.Name, k, blocks[k].Off)
				}
			}
		}
	}
}
