package orcwire

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/pb"
)

// Magic stands at the head of a file and, except in files of Hive 0.11.0, at the end of the postscript.
const Magic = "ORC"

// CompressionKind is how the chunks of streams, footers and indexes are compressed.
type CompressionKind uint8

// Kinds of compression (specification, "Postscript"; Brotli: orc_proto.proto).
const (
	CompressionNone CompressionKind = iota
	CompressionZlib
	CompressionSnappy
	CompressionLZO
	CompressionLZ4
	CompressionZstd
	CompressionBrotli
)

var compressionKinds = [...]struct {
	name  string
	codec blockcodec.Codec
}{
	CompressionNone:   {"none", blockcodec.None},
	CompressionZlib:   {"zlib", blockcodec.Deflate}, // without zlib's own header, in spite of the name
	CompressionSnappy: {"snappy", blockcodec.Snappy},
	CompressionLZO:    {"lzo", blockcodec.LZO},
	CompressionLZ4:    {"lz4", blockcodec.LZ4},
	CompressionZstd:   {"zstd", blockcodec.Zstd},
	CompressionBrotli: {"brotli", blockcodec.Brotli},
}

// String returns the kind's name in lower case.
func (k CompressionKind) String() string {
	if int(k) < len(compressionKinds) {
		return compressionKinds[k].name
	}
	return "compression " + strconv.Itoa(int(k))
}

// Codec returns the codec of a chunk's bytes. A kind that is not known is errs.ErrUnsupported.
func (k CompressionKind) Codec() (blockcodec.Codec, error) {
	if int(k) < len(compressionKinds) {
		return compressionKinds[k].codec, nil
	}
	return 0, errs.Errorf(errs.ErrUnsupported, "compression kind %d is not known", k)
}

// DefaultBlockSize is the block size of files whose postscript does not tell it.
const DefaultBlockSize = 256 << 10

// maxTailPart bounds the lengths of a tail's parts: no file is as long, and sums of a few stay in range.
const maxTailPart = 1 << 60

// PostScript is the part of the tail that is never compressed (specification, "Postscript").
type PostScript struct {
	FooterLength      uint64 // stored bytes
	MetadataLength    uint64 // stored bytes; 0 = no stripe statistics
	StripeStatsLength uint64 // stored bytes of encrypted columns' stripe statistics
	Compression       CompressionKind
	BlockSize         uint64   // the most that a chunk decompresses to; DefaultBlockSize where absent
	Version           []uint32 // of the file: [0 11] or [0 12]; nil in the oldest files, which are 0.11
	WriterVersion     uint32   // see Quirks
	Magic             string   // "" in files of Hive 0.11.0; then the file's head must have it
}

var postScriptTable = pb.NewTable(
	tailPart(1, "footerLength", func(p *PostScript) *uint64 { return &p.FooterLength }),
	enum(2, "compression", "compression kind", len(compressionKinds), func(p *PostScript) *CompressionKind { return &p.Compression }).
		Words("NONE", "ZLIB", "SNAPPY", "LZO", "LZ4", "ZSTD", "BROTLI"),
	pb.Uint(3, "compressionBlockSize", func(p *PostScript) *uint64 { return &p.BlockSize }).
		If(func(p *PostScript) bool { return p.Compression != CompressionNone }),
	pb.Varints(4, "version", func(p *PostScript) *[]uint32 { return &p.Version }),
	tailPart(5, "metadataLength", func(p *PostScript) *uint64 { return &p.MetadataLength }),
	pb.Uint(6, "writerVersion", func(p *PostScript) *uint32 { return &p.WriterVersion }),
	tailPart(7, "stripeStatisticsLength", func(p *PostScript) *uint64 { return &p.StripeStatsLength }).OmitZero(),
	pb.Text(8000, "magic", func(p *PostScript) *string { return &p.Magic }).OmitZero(),
).Start(func(p *PostScript) {
	p.BlockSize = DefaultBlockSize
}).Check(func(p *PostScript) error {
	if p.BlockSize == 0 && p.Compression != CompressionNone {
		return errs.Errorf(errs.ErrCorrupt, "compression in blocks of 0 bytes")
	}
	return nil
})

// DWRF reports whether the postscript is of DWRF, an older relative of ORC: it has no magic, and the version of its writer
// where ORC has the two numbers of the format's.
func (p *PostScript) DWRF() bool { return p.Magic == "" && len(p.Version) == 1 }

// tailPart is a field with the length of a part of the tail.
func tailPart(num protowire.Number, name string, at func(p *PostScript) *uint64) pb.Entry[PostScript] {
	return pb.Uint(num, name, at).Reading(func(m *pb.Message, p *PostScript) {
		v := m.Uint64()
		if v >= maxTailPart {
			m.Fail("protobuf field %d is a length of %d", m.Num, v)
		}
		*at(p) = v
	})
}

// enum is a field of one of n values. What is not known is errs.ErrUnsupported.
func enum[T any, V ~uint8](num protowire.Number, name, what string, n int, at func(v *T) *V) pb.Entry[T] {
	return pb.Uint(num, name, at).Reading(func(m *pb.Message, v *T) {
		u := m.Uint64()
		if m.Err == nil && u >= uint64(n) {
			m.Err = errs.Errorf(errs.ErrUnsupported, "%s %d is not known", what, u)
			return
		}
		*at(v) = V(u)
	})
}

// ParsePostScript reads a postscript. It does not judge the magic, nor versions that are newer than known. Each length
// is below 1<<60, so that sums of them do not overflow; the caller compares them with the file.
func ParsePostScript(b []byte) (*PostScript, error) {
	p := &PostScript{}
	if err := postScriptTable.Parse(b, p); err != nil {
		return nil, err
	}
	return p, nil
}

// AppendPostScript appends a postscript, the reverse of ParsePostScript. It is never compressed, and a byte with its
// length follows it.
func AppendPostScript(dst []byte, p *PostScript) []byte { return postScriptTable.Append(dst, p) }

// FileVersion returns the version of the file format: 0, 11 where the postscript says none.
func (p *PostScript) FileVersion() (major, minor uint32) {
	switch len(p.Version) {
	case 0:
		return 0, 11
	case 1:
		return p.Version[0], 0
	}
	return p.Version[0], p.Version[1]
}
