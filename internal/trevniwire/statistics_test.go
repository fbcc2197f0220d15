package trevniwire

import (
	"bytes"
	"testing"

	"github.com/arrowio/arrowio/internal/blockcodec"
)

// A vector by hand: two blocks of an int column, 1 to 3 without nulls, and nulls alone. The sum was computed with Python's
// zlib.crc32(struct.pack("<6I", 3, 3, 3, 2, 0, 0) + bytes.fromhex("030002040004")).
func TestStatisticsBytes(t *testing.T) {
	blocks := []Block{{Rows: 3, Raw: 3, Packed: 3}, {Start: 3, Rows: 2}}
	var b []byte
	b = AppendBounds(b, Int, &Bounds{Min: true, Max: true, MinInt: 1, MaxInt: 3})
	b = AppendBounds(b, Int, &Bounds{Nulls: 2})
	if want := []byte{3, 0, 2, 4, 0, 4}; !bytes.Equal(b, want) {
		t.Fatalf("bounds %x, want %x", b, want)
	}
	v := AppendStatistics(nil, blocks, b)
	if want := append([]byte{1, 0xa6, 0xa7, 0xe6, 0x76}, b...); !bytes.Equal(v, want) {
		t.Fatalf("statistics %x, want %x", v, want)
	}
	got, err := ParseStatistics(v, &Column{Type: Int}, blocks)
	if err != nil || len(got) != 2 || got[0].MinInt != 1 || got[0].MaxInt != 3 || got[1].Nulls != 2 || got[1].Min {
		t.Fatal(got, err)
	}
}

// FuzzStatistics: whatever the bytes, there is an answer or an error, and no more memory than the blocks ask for.
func FuzzStatistics(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0, 3, 0, 2, 4}, uint8(Int), uint8(1))
	f.Add([]byte{1, 0, 0, 0, 0, 3, 0, 0x80, 1}, uint8(String), uint8(2))
	f.Fuzz(func(t *testing.T, v []byte, typ, n uint8) {
		blocks := make([]Block, n)
		for i := range blocks {
			blocks[i] = Block{Rows: int64(i), Raw: 1, Packed: 1}
		}
		col := &Column{Type: Type(typ % 10), Codec: blockcodec.None}
		if len(v) > StatisticsSize { // or only the checksum would be looked at
			v = AppendStatistics(nil, blocks, v[StatisticsSize:])
		}
		bounds, err := ParseStatistics(v, col, blocks)
		if err != nil {
			return
		}
		var again []byte
		for i := range bounds {
			again = AppendBounds(again, col.Type, &bounds[i])
		}
		if _, err := ParseStatistics(AppendStatistics(nil, blocks, again), col, blocks); err != nil {
			t.Fatalf("%x, written again as %x: %v", v, again, err)
		}
	})
}
