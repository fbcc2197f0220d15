package cfilewire

import (
	"strconv"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

// DataType is the logical type of a column, numbered as in Kudu's protobuf.
type DataType uint32

// Data types. IsDeleted exists only while Kudu scans; Nested is of array columns' schemas, never of their files.
const (
	UInt8 DataType = iota
	Int8
	UInt16
	Int16
	UInt32
	Int32
	UInt64
	Int64
	String
	Bool
	Float
	Double
	Binary
	UnixtimeMicros
	Int128
	Decimal32
	Decimal64
	Decimal128
	IsDeleted
	Varchar
	Date
	Nested
)

// encodings that a type may have, as bits by Encoding.
const (
	plainAnd   = 1 << EncodingPlain
	integers   = plainAnd | 1<<EncodingRLE | 1<<EncodingBitShuffle
	numbers    = plainAnd | 1<<EncodingBitShuffle
	booleans   = plainAnd | 1<<EncodingRLE
	byteArrays = plainAnd | 1<<EncodingPrefix | 1<<EncodingDict
)

// types says by DataType what Kudu calls it, how wide its cells are in memory, and what they may be encoded as.
var types = [...]struct {
	name      string
	width     int
	signed    bool // a number of two's complement
	encodings uint8
	auto      Encoding
}{
	UInt8:          {"uint8", 1, false, integers, EncodingBitShuffle},
	Int8:           {"int8", 1, true, integers, EncodingBitShuffle},
	UInt16:         {"uint16", 2, false, integers, EncodingBitShuffle},
	Int16:          {"int16", 2, true, integers, EncodingBitShuffle},
	UInt32:         {"uint32", 4, false, integers | 1<<EncodingGroupVarint, EncodingBitShuffle},
	Int32:          {"int32", 4, true, integers, EncodingBitShuffle},
	UInt64:         {"uint64", 8, false, integers, EncodingBitShuffle},
	Int64:          {"int64", 8, true, integers, EncodingBitShuffle},
	String:         {"string", 0, false, byteArrays, EncodingDict},
	Bool:           {"bool", 1, false, booleans, EncodingRLE},
	Float:          {"float", 4, false, numbers, EncodingBitShuffle},
	Double:         {"double", 8, false, numbers, EncodingBitShuffle},
	Binary:         {"binary", 0, false, byteArrays, EncodingDict},
	UnixtimeMicros: {"unixtime_micros", 8, true, integers, EncodingBitShuffle},
	Int128:         {"int128", 16, true, numbers, EncodingBitShuffle},
	Decimal32:      {"decimal32", 4, true, integers, EncodingBitShuffle},
	Decimal64:      {"decimal64", 8, true, integers, EncodingBitShuffle},
	Decimal128:     {"decimal128", 16, true, numbers, EncodingBitShuffle},
	IsDeleted:      {"is_deleted", 1, false, 0, EncodingAuto},
	Varchar:        {"varchar", 0, false, byteArrays, EncodingDict},
	Date:           {"date", 4, true, integers, EncodingBitShuffle},
	Nested:         {"nested", 0, false, 0, EncodingAuto},
}

// Known reports whether t is one of the constants above.
func (t DataType) Known() bool { return int(t) < len(types) }

// String returns Kudu's word in lower case, as in "unixtime_micros".
func (t DataType) String() string {
	if t.Known() {
		return types[t].name
	}
	return "type " + strconv.FormatUint(uint64(t), 10)
}

// Width returns the bytes of a cell in memory: 1 for bool, 0 for String, Binary, Varchar, and what is not known.
func (t DataType) Width() int {
	if t.Known() {
		return types[t].width
	}
	return 0
}

// Binary reports whether cells are bytes of any length: String, Binary and Varchar.
func (t DataType) Binary() bool { return t == String || t == Binary || t == Varchar }

// Signed reports whether cells are numbers of two's complement: signed integers, decimals, dates and timestamps.
func (t DataType) Signed() bool { return t.Known() && types[t].signed }

// Decimal returns the digits that any decimal of t has room for: 9, 18 or 38; 0 where t is no decimal.
func (t DataType) Decimal() int32 {
	switch t {
	case Decimal32:
		return 9
	case Decimal64:
		return 18
	case Decimal128:
		return 38
	}
	return 0
}

// Encoding is how the values of a block are laid out, numbered as in Kudu's protobuf.
type Encoding uint32

// Encodings.
const (
	EncodingAuto        Encoding = iota // the type's own; Kudu writes files with what it comes to
	EncodingPlain                       // values one after another
	EncodingPrefix                      // binary values without what they share with their predecessor
	EncodingGroupVarint                 // removed from Kudu before its first release
	EncodingRLE                         // runs and bit-packed literals
	EncodingDict                        // code words into a dictionary of the file
	EncodingBitShuffle                  // bits transposed, then LZ4
)

var encodingNames = [...]string{"auto", "plain", "prefix", "group_varint", "rle", "dict", "bitshuffle"}

// String returns Kudu's word in lower case.
func (e Encoding) String() string {
	if int(e) < len(encodingNames) {
		return encodingNames[e]
	}
	return "encoding " + strconv.FormatUint(uint64(e), 10)
}

// Resolve returns what EncodingAuto stands for in a column of type t, and any other encoding as it is.
func (e Encoding) Resolve(t DataType) Encoding {
	if e == EncodingAuto && t.Known() {
		return types[t].auto
	}
	return e
}

// CheckEncoding returns nil if blocks of f can be of its encoding, else errs.ErrUnsupported, as Kudu has it.
// EncodingGroupVarint is what the CFile design document describes for 32-bit unsigned integers; Kudu itself refuses it.
func CheckEncoding(f *Footer) error {
	switch {
	case !f.Type.Known() || types[f.Type].encodings == 0:
		return errs.Errorf(errs.ErrUnsupported, "columns of %s are not stored", f.Type)
	case f.Encoding >= 8 || types[f.Type].encodings>>f.Encoding&1 == 0:
		return errs.Errorf(errs.ErrUnsupported, "%s is no encoding of %s", f.Encoding, f.Type)
	}
	return nil
}

// Compression is how the blocks of a file are compressed, numbered as in Kudu's protobuf.
type Compression uint32

// Compressions.
const (
	DefaultCompression Compression = iota // the server's choice; Kudu writes files with what it comes to
	NoCompression
	Snappy
	LZ4
	Zlib
)

var compressions = [...]struct {
	name  string
	codec blockcodec.Codec
}{
	DefaultCompression: {"default", blockcodec.None},
	NoCompression:      {"none", blockcodec.None},
	Snappy:             {"snappy", blockcodec.Snappy},
	LZ4:                {"lz4", blockcodec.LZ4},
	Zlib:               {"zlib", blockcodec.Zlib},
}

// String returns the compression's name in lower case.
func (c Compression) String() string {
	if int(c) < len(compressions) {
		return compressions[c].name
	}
	return "compression " + strconv.FormatUint(uint64(c), 10)
}

// Codec returns the codec of the blocks' payload. What is not known is blockcodec.None, as in Kudu.
func (c Compression) Codec() blockcodec.Codec {
	if int(c) < len(compressions) {
		return compressions[c].codec
	}
	return blockcodec.None
}
