package encode

import (
	"encoding/binary"
	"hash/crc32"
)

// Encoding is how the values of a page are stored.
type Encoding int32

// Encodings.
const (
	Plain         Encoding = 0
	RLE           Encoding = 3
	RLEDictionary Encoding = 8
)

// Codec is the compression of pages.
type Codec int32

// Codecs. Lz4Raw is LZ4 blocks; the older codec LZ4, whose framing is Hadoop's, is not written.
const (
	Uncompressed Codec = 0
	Snappy       Codec = 1
	Gzip         Codec = 2
	Brotli       Codec = 4
	Zstd         Codec = 6
	Lz4Raw       Codec = 7
)

// Page is what the header of a page says beside sizes.
type Page struct {
	Dictionary bool // a dictionary page
	V2         bool
	Values     int // of the levels, nulls among them; of a dictionary: entries
	Nulls      int // V2
	Rows       int // V2
	Encoding   Encoding
	RepBytes   int  // V2
	DefBytes   int  // V2
	Compressed bool // V2
}

// AppendPageHeader appends the header of a page whose body, as it is stored, is body, and was raw bytes before
// compression. The header has the CRC-32 of the body.
func AppendPageHeader(dst []byte, p Page, raw int, body []byte) []byte {
	t := thrift{b: dst}
	kind := int32(0)
	switch {
	case p.Dictionary:
		kind = 2
	case p.V2:
		kind = 3
	}
	t.i32(1, kind)
	t.i32(2, int32(raw))
	t.i32(3, int32(len(body)))
	t.i32(4, int32(crc32.ChecksumIEEE(body)))
	switch {
	case p.Dictionary:
		t.open(7)
		t.i32(1, int32(p.Values))
		t.i32(2, int32(p.Encoding))
		t.end()
	case p.V2:
		t.open(8)
		t.i32(1, int32(p.Values))
		t.i32(2, int32(p.Nulls))
		t.i32(3, int32(p.Rows))
		t.i32(4, int32(p.Encoding))
		t.i32(5, int32(p.DefBytes))
		t.i32(6, int32(p.RepBytes))
		t.bool(7, p.Compressed)
		t.end()
	default:
		t.open(5)
		t.i32(1, int32(p.Values))
		t.i32(2, int32(p.Encoding))
		t.i32(3, int32(RLE))
		t.i32(4, int32(RLE))
		t.end()
	}
	t.end()
	return t.b
}

// AppendGzip appends a gzip member around raw, which deflate has made of plain.
func AppendGzip(dst, raw, plain []byte) []byte {
	dst = append(dst, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff)
	dst = append(dst, raw...)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(plain))
	return binary.LittleEndian.AppendUint32(dst, uint32(len(plain)))
}
