package orcwire

import (
	"strconv"

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

// ParsePostScript reads a postscript. It does not judge the magic, nor versions that are newer than known. Each length
// is below 1<<60, so that sums of them do not overflow; the caller compares them with the file.
func ParsePostScript(b []byte) (*PostScript, error) {
	p := &PostScript{BlockSize: DefaultBlockSize}
	m := pb.New(b)
	length := func() uint64 {
		v := m.Uint64()
		if v >= maxTailPart {
			m.Fail("protobuf field %d is a length of %d", m.Num, v)
		}
		return v
	}
	for m.Next() {
		switch m.Num {
		case 1:
			p.FooterLength = length()
		case 2:
			v := m.Uint64()
			if m.Err == nil && v >= uint64(len(compressionKinds)) {
				return nil, errs.Errorf(errs.ErrUnsupported, "compression kind %d is not known", v)
			}
			p.Compression = CompressionKind(v)
		case 3:
			p.BlockSize = m.Uint64()
		case 4:
			for _, v := range m.AppendVarints(nil) {
				p.Version = append(p.Version, uint32(v))
			}
		case 5:
			p.MetadataLength = length()
		case 6:
			p.WriterVersion = m.Uint32()
		case 7:
			p.StripeStatsLength = length()
		case 8000:
			p.Magic = m.String()
		}
	}
	if m.Err != nil {
		return nil, m.Err
	}
	if p.BlockSize == 0 && p.Compression != CompressionNone {
		return nil, errs.Errorf(errs.ErrCorrupt, "compression in blocks of 0 bytes")
	}
	return p, nil
}

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
