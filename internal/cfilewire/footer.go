package cfilewire

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cursor"
	"github.com/arrowio/arrowio/internal/pb"
)

// Magics of the two versions; each stands at the head and before the file's last four bytes.
const (
	MagicV1 = "kuducfil" // up to Kudu 1.2
	MagicV2 = "kuducfl2"
)

// Sizes of the frame around the blocks.
const (
	TailSize     = 12       // magic and length at the end, and as many at the head
	MaxMetaBytes = 64 << 10 // of a header or footer message, as in Kudu

	checksumSize = 4
)

// Features that a reader must know (Footer.Incompatible).
const (
	FeatureChecksums = 1 << 0 // header, footer and every block have a CRC-32C
	FeatureArrays    = 1 << 1 // data blocks hold arrays; since Kudu 1.19
)

// Names of footer metadata that Kudu gives a meaning.
const (
	MetaMinKey     = "min_key"        // the encoded key of the first row
	MetaMaxKey     = "max_key"        // and of the last
	MetaDeltaStats = "deltafilestats" // see ParseDeltaStats
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// BlockPointer says where a block lies. Size includes the checksum.
type BlockPointer struct {
	Off  int64
	Size int32
}

// End returns the offset behind the block.
func (p BlockPointer) End() int64 { return p.Off + int64(p.Size) }

// Pair is an entry of a header's or footer's metadata.
type Pair struct {
	Key   string
	Value []byte
}

// Footer describes a file: what the footer message says, and what its frame shows.
type Footer struct {
	Type        DataType
	Encoding    Encoding      // never EncodingAuto
	Values      int64         // rows, nulls too; deltas of a delta file; 0 in a bloom file
	Pos         *BlockPointer // root of the positional index; nil = none
	Val         *BlockPointer // root of the value index; nil = none
	Dict        *BlockPointer // dictionary; nil = none
	Compression Compression   // never DefaultCompression
	Meta        []Pair
	Nullable    bool
	Array       bool // values are arrays of Type

	Incompatible uint32 // features that a reader must know, all of them known
	Compatible   uint32 // features that it need not know

	Checksums bool  // header, footer and blocks have a CRC-32C
	FooterOff int64 // offset of the footer with its checksum: blocks end here

	// Set by ParseHeader.
	Version    int    // 1 or 2
	HeaderSize int64  // bytes of the header with its checksum: the first block's offset
	HeaderMeta []Pair // Kudu writes none
}

// Kind is what a file is for. Nothing in it says so outright.
type Kind uint8

// Kinds of files.
const (
	ColumnFile   Kind = iota // a column of a rowset
	KeyIndexFile             // the encoded keys of a rowset whose primary key has several columns
	DeltaFile                // changes to a rowset
	BloomFile                // bloom filters of a rowset's keys
)

var kindNames = [...]string{"column", "key index", "delta", "bloom"}

// String returns the kind in lower case.
func (k Kind) String() string { return kindNames[k] }

// Kind tells files apart by what Kudu writes into each kind: only columns have a positional index, only delta files
// their statistics, and bloom files alone count no values though they have an index.
func (f *Footer) Kind() Kind {
	if f.Pos != nil || f.Type != Binary || f.Nullable || f.Array {
		return ColumnFile
	}
	if _, ok := f.Lookup(MetaDeltaStats); ok {
		return DeltaFile
	}
	if f.Encoding == EncodingPlain && f.Values == 0 {
		return BloomFile
	}
	return KeyIndexFile
}

// Lookup returns the first value of a metadata key.
func (f *Footer) Lookup(key string) ([]byte, bool) {
	for i := range f.Meta {
		if f.Meta[i].Key == key {
			return f.Meta[i].Value, true
		}
	}
	return nil, false
}

// CheckPointer returns nil if p can be a block of the file: behind the header, before the footer, and with room for a
// checksum where there is one. It does not overflow.
func (f *Footer) CheckPointer(p BlockPointer) error {
	first := max(f.HeaderSize, TailSize)
	least := int32(1)
	if f.Checksums {
		least += checksumSize
	}
	if p.Size < least || p.Off < first || p.Off > f.FooterOff || int64(p.Size) > f.FooterOff-p.Off {
		return errs.Errorf(errs.ErrCorrupt, "block of %d bytes at %d is not between %d and %d", p.Size, p.Off, first, f.FooterOff)
	}
	return nil
}

// Begins returns where the file begins by its own account: the root of an index, or the dictionary, is the last block before the
// footer. It is 0 unless the file lies behind others in what was taken for it.
func (f *Footer) Begins() int64 {
	end := int64(0)
	for _, p := range []*BlockPointer{f.Pos, f.Val, f.Dict} {
		if p != nil {
			end = max(end, p.End())
		}
	}
	return f.FooterOff - end
}

// Match reports whether head, the beginning of a file, or tail, its end, has the magic of a CFile.
func Match(head, tail []byte) bool {
	return version(head) != 0 || len(tail) >= TailSize && version(tail[len(tail)-TailSize:]) != 0
}

// version returns 1 or 2 by the magic that b starts with, or 0.
func version(b []byte) int {
	if len(b) < len(MagicV1) {
		return 0
	}
	switch string(b[:len(MagicV1)]) {
	case MagicV1:
		return 1
	case MagicV2:
		return 2
	}
	return 0
}

// ParseTailLength reads the end of a file, TailSize bytes or more, and returns how many bytes before them ParseFooter
// needs: the footer message and the place of its checksum. A file that has no magic here, or a longer message than
// MaxMetaBytes, is errs.ErrCorrupt.
func ParseTailLength(b []byte) (int, error) {
	if len(b) < TailSize {
		return 0, errs.Errorf(errs.ErrCorrupt, "%w: a file of %d bytes", cursor.ErrShort, len(b))
	}
	return messageSize(b[len(b)-TailSize:], "end")
}

// messageSize reads magic and length and returns the length with its checksum's.
func messageSize(b []byte, where string) (int, error) {
	if zeros := make([]byte, len(MagicV1)); version(b) == 0 && string(b[:len(zeros)]) == string(zeros) {
		return 0, errs.Errorf(errs.ErrCorrupt, "no CFile magic at the %s but zeros: the file is damaged, or was not written to its end, as after a full disk or an unclean shutdown", where)
	}
	if version(b) == 0 {
		return 0, errs.Errorf(errs.ErrCorrupt, "no CFile magic at the %s but % x: the file was cut off or is damaged, or is none", where, b[:len(MagicV1)])
	}
	n := binary.LittleEndian.Uint32(b[len(MagicV1):])
	if n > MaxMetaBytes {
		return 0, errs.Errorf(errs.ErrCorrupt, "message of %d bytes at the %s, over %d", n, where, MaxMetaBytes)
	}
	return int(n) + checksumSize, nil
}

// ParseFooter reads the footer of a file of size bytes, of which b is the end. What it returns refers to b.
//
//	crc(u32)  CFileFooterPB  magic(8)  length of CFileFooterPB(u32)
//	          |<------------ the crc is of these ----------------->|
//
// There is a crc where the message says so. It is compared before the message is parsed. If b is too short, but the file is not, the error wraps cursor.ErrShort. An
// unknown feature, type or encoding is errs.ErrUnsupported; an unknown compression is none, as it is for Kudu, which
// takes it for a field that is not there. There is a positional index or a value index, and all pointers lie before the
// footer; ParseHeader checks them against the header. Values is at most 1<<32, as ordinals are of 32 bits.
func ParseFooter(b []byte, size int64) (*Footer, error) {
	n, err := ParseTailLength(b)
	if err != nil {
		return nil, err
	}
	if int64(n)+2*TailSize > size {
		return nil, errs.Errorf(errs.ErrCorrupt, "footer of %d bytes in a file of %d", n-checksumSize, size)
	}
	if n+TailSize > len(b) {
		return nil, errs.Errorf(errs.ErrCorrupt, "%w: footer of %d bytes", cursor.ErrShort, n+TailSize)
	}
	b = b[len(b)-n-TailSize:]
	start := size - int64(len(b))
	sum := verify(b[checksumSize:], b) // first: a message that cannot be read is then a wrong checksum
	f := &Footer{}
	switch err := footerTable.Parse(b[checksumSize:n:n], f); {
	case err != nil && sum != nil:
		return nil, located(errs.Errorf(errs.ErrCorrupt, "%w, and the message cannot be read: %w", sum, err), "footer", start)
	case err != nil:
		return nil, located(err, "footer", start)
	}
	f.FooterOff = start
	if f.Checksums = f.Incompatible&FeatureChecksums != 0; !f.Checksums {
		f.FooterOff += checksumSize
	} else if sum != nil {
		return nil, located(sum, "footer", start)
	}
	if err := f.check(); err != nil {
		return nil, located(err, "footer", f.FooterOff)
	}
	return f, nil
}

// located returns err with the structure and its offset, where it had none.
func located(err error, op string, off int64) error {
	return errs.Locate(err, errs.At{Op: op, Off: errs.N(off)})
}

// verify compares the CRC-32C of b with the one that sum starts with.
func verify(b, sum []byte) error {
	if got, want := crc32.Checksum(b, castagnoli), binary.LittleEndian.Uint32(sum); got != want {
		return errs.Errorf(errs.ErrCorrupt, "checksum is %08x, not %08x", got, want)
	}
	return nil
}

var pointerTable = pb.NewTable(
	pb.Int(1, "offset", func(p *BlockPointer) *int64 { return &p.Off }).Required(),
	pb.Int(2, "size", func(p *BlockPointer) *int32 { return &p.Size }).Required(),
)

// treeTable is BTreeInfoPB.
var treeTable = pb.NewTable(
	pb.Part(1, "root_block", pointerTable, func(p *BlockPointer) *BlockPointer { return p }).Required(),
)

var pairTable = pb.NewTable(
	pb.Text(1, "key", func(p *Pair) *string { return &p.Key }).Required(),
	pb.Bytes(2, "value", func(p *Pair) *[]byte { return &p.Value }).Required().Always(),
)

var headerTable = pb.NewTable(
	pb.Only[[]Pair](1, "major_version", pb.FormInt),
	pb.Only[[]Pair](2, "minor_version", pb.FormInt),
	pb.Parts(3, "metadata", "metadata pair", pairTable, func(meta *[]Pair) *[]Pair { return meta }),
)

var footerTable = pb.NewTable(
	pb.Uint(1, "data_type", func(f *Footer) *DataType { return &f.Type }).Required().
		Word(func(v uint64) string { return DataType(v).String() }).
		Reading(func(m *pb.Message, f *Footer) { f.Type = DataType(min(m.Uint64(), math.MaxUint32)) }),
	pb.Uint(2, "encoding", func(f *Footer) *Encoding { return &f.Encoding }).Required().
		Word(func(v uint64) string { return Encoding(v).String() }).
		Reading(func(m *pb.Message, f *Footer) { f.Encoding = Encoding(min(m.Uint64(), math.MaxUint32)) }),
	pb.Int(3, "num_values", func(f *Footer) *int64 { return &f.Values }).Required(),
	pb.PartOf(4, "posidx_info", treeTable, func(f *Footer) **BlockPointer { return &f.Pos }),
	pb.PartOf(5, "validx_info", treeTable, func(f *Footer) **BlockPointer { return &f.Val }),
	pb.Uint(6, "compression", func(f *Footer) *Compression { return &f.Compression }).
		Word(func(v uint64) string { return Compression(v).String() }).
		Reading(func(m *pb.Message, f *Footer) {
			if f.Compression = NoCompression; m.Uint64() < uint64(len(compressions)) {
				f.Compression = Compression(m.Val)
			}
		}),
	pb.Parts(7, "metadata", "metadata pair", pairTable, func(f *Footer) *[]Pair { return &f.Meta }),
	pb.Bool(8, "is_type_nullable", func(f *Footer) *bool { return &f.Nullable }),
	pb.PartOf(9, "dict_block_ptr", pointerTable, func(f *Footer) **BlockPointer { return &f.Dict }),
	pb.Uint(10, "incompatible_features", func(f *Footer) *uint32 { return &f.Incompatible }).Word(featuresText),
	pb.Uint(11, "compatible_features", func(f *Footer) *uint32 { return &f.Compatible }).OmitZero(),
	pb.Bool(12, "is_type_array", func(f *Footer) *bool { return &f.Array }).OmitZero(),
).Start(func(f *Footer) {
	f.Compression = NoCompression
}).Check(func(f *Footer) error {
	f.Encoding = f.Encoding.Resolve(f.Type)
	return nil
})

// Shapes of messages, for showing them.
var (
	ShapeHeader       = &headerTable.Shape
	ShapeFooter       = &footerTable.Shape
	ShapeIndexTrailer = &indexTrailerTable.Shape
	ShapeBloomHeader  = &bloomHeaderTable.Shape
	ShapeDeltaStats   = &deltaStatsTable.Shape
)

func featuresText(v uint64) string {
	var parts []string
	for _, x := range []struct {
		bit  uint64
		name string
	}{{FeatureChecksums, "checksums"}, {FeatureArrays, "arrays"}} {
		if v&x.bit != 0 {
			parts = append(parts, x.name)
			v &^= x.bit
		}
	}
	if v != 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("%#x", v))
	}
	return strings.Join(parts, " ")
}

// check holds what the message says against the rest of the file.
func (f *Footer) check() error {
	if unknown := f.Incompatible &^ (FeatureChecksums | FeatureArrays); unknown != 0 {
		return errs.Errorf(errs.ErrUnsupported, "the file needs features that are not known: bits %#x", unknown)
	}
	if !f.Type.Known() {
		return errs.Errorf(errs.ErrUnsupported, "%s is not known", f.Type)
	}
	if int(f.Encoding) >= len(encodingNames) {
		return errs.Errorf(errs.ErrUnsupported, "%s is not known", f.Encoding)
	}
	if f.Array != (f.Incompatible&FeatureArrays != 0) {
		return errs.Errorf(errs.ErrCorrupt, "array blocks: %t in the features, %t in the type", !f.Array, f.Array)
	}
	if f.Compression == DefaultCompression {
		return errs.Errorf(errs.ErrUnsupported, "the footer does not say which compression the default was")
	}
	if f.Values < 0 || f.Values > math.MaxUint32+1 {
		return errs.Errorf(errs.ErrCorrupt, "%d values", f.Values)
	}
	if f.Pos == nil && f.Val == nil {
		return errs.Errorf(errs.ErrCorrupt, "no positional and no value index")
	}
	if f.Encoding == EncodingDict && f.Dict == nil {
		return errs.Errorf(errs.ErrCorrupt, "dict encoding without a dictionary")
	}
	return f.checkPointers()
}

func (f *Footer) checkPointers() error {
	for _, p := range []*BlockPointer{f.Pos, f.Val, f.Dict} {
		if p == nil {
			continue
		}
		if err := f.CheckPointer(*p); err != nil {
			return err
		}
	}
	return nil
}

// ParseHeader reads the beginning of the file and completes f with it.
//
//	magic(8)  length of CFileHeaderPB(u32)  CFileHeaderPB  [crc(u32) of all that]
//
// If b is too short, but the file is not, the error wraps cursor.ErrShort; 2*TailSize bytes do for all files that Kudu
// wrote, TailSize+MaxMetaBytes+4 for any. What it returns refers to b.
func ParseHeader(b []byte, f *Footer) error {
	if err := parseHeader(b, f); err != nil {
		return located(err, "header", 0)
	}
	if err := f.checkPointers(); err != nil {
		return located(err, "footer", f.FooterOff)
	}
	return nil
}

func parseHeader(b []byte, f *Footer) error {
	if len(b) < TailSize {
		return errs.Errorf(errs.ErrCorrupt, "%w: header", cursor.ErrShort)
	}
	n, err := messageSize(b, "beginning")
	if err != nil {
		return err
	}
	end := TailSize + n
	if !f.Checksums {
		end -= checksumSize
	}
	if int64(end) > f.FooterOff {
		return errs.Errorf(errs.ErrCorrupt, "header of %d bytes before a footer at %d", end, f.FooterOff)
	}
	if end > len(b) {
		return errs.Errorf(errs.ErrCorrupt, "%w: header of %d bytes", cursor.ErrShort, end)
	}
	msg := TailSize + n - checksumSize
	if f.Checksums {
		if err := verify(b[:msg], b[msg:end]); err != nil {
			return err
		}
	} else if len(b) >= msg+checksumSize && verify(b[:msg], b[msg:]) == nil {
		return errs.Errorf(errs.ErrCorrupt, "the header has a checksum, but the footer says that the file has none")
	}
	var meta []Pair
	if err := headerTable.Parse(b[TailSize:msg:msg], &meta); err != nil {
		return err
	}
	f.Version, f.HeaderSize, f.HeaderMeta = version(b), int64(end), meta
	return nil
}
