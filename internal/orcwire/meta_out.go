package orcwire

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// What is written has its fields in ascending order of their numbers, and lists packed or not, as Java's writer has
// them: where a structure says all that Java says, the bytes are Java's too.

// mostChunk is the longest chunk: its header has 23 bits for the length.
const mostChunk = 1<<23 - 1

// AppendChunks appends a message or the content of a stream as files store it (specification, "Compression"): in chunks
// of blockSize bytes, 1<<23-1 at most, each compressed, or as it is where that is no longer. compress appends what raw
// becomes to dst; one that appends nothing leaves the chunk as it is. Where compress is nil the file's compression is
// NONE, and raw is appended without chunks. No bytes have no chunk.
func AppendChunks(dst, raw []byte, blockSize int, compress func(dst, raw []byte) []byte) []byte {
	if compress == nil {
		return append(dst, raw...)
	}
	blockSize = min(max(blockSize, 1), mostChunk)
	for len(raw) > 0 {
		chunk := raw[:min(blockSize, len(raw))]
		raw = raw[len(chunk):]
		head := len(dst)
		dst = compress(append(dst, 0, 0, 0), chunk)
		n := len(dst) - head - chunkHeader
		h := n << 1
		if n <= 0 || n >= len(chunk) {
			dst = append(dst[:head+chunkHeader], chunk...)
			h = len(chunk)<<1 | 1
		}
		dst[head], dst[head+1], dst[head+2] = byte(h), byte(h>>8), byte(h>>16)
	}
	return dst
}

// AppendTail appends the end of a file (specification, "File Tail"): the stripe statistics of encrypted columns, metadata
// and footer, each as it is stored, and the postscript with its length. The lengths of parts in ps need not be set; the
// rest of it is written as it is. Parts or a postscript that are too long to be told are errs.ErrInternal.
func AppendTail(dst, stripeStats, metadata, footer []byte, ps *PostScript) ([]byte, error) {
	p := *ps
	p.StripeStatsLength, p.MetadataLength, p.FooterLength = uint64(len(stripeStats)), uint64(len(metadata)), uint64(len(footer))
	at := len(dst)
	dst = append(append(append(dst, stripeStats...), metadata...), footer...)
	start := len(dst)
	dst = AppendPostScript(dst, &p)
	n := len(dst) - start
	if n > math.MaxUint8 {
		return dst[:at], errs.Errorf(errs.ErrInternal, "a postscript of %d bytes", n)
	}
	return append(dst, byte(n)), nil
}

// AppendPostScript appends a postscript, the reverse of ParsePostScript. It is never compressed, and a byte with its
// length follows it.
func AppendPostScript(dst []byte, p *PostScript) []byte {
	dst = appendUint(dst, 1, p.FooterLength)
	dst = appendUint(dst, 2, uint64(p.Compression))
	if p.Compression != CompressionNone {
		dst = appendUint(dst, 3, p.BlockSize)
	}
	if len(p.Version) > 0 {
		dst = appendPacked(dst, 4, p.Version)
	}
	dst = appendUint(dst, 5, p.MetadataLength)
	dst = appendUint(dst, 6, uint64(p.WriterVersion))
	if p.StripeStatsLength > 0 {
		dst = appendUint(dst, 7, p.StripeStatsLength)
	}
	if p.Magic != "" {
		dst = appendBytes(dst, 8000, p.Magic)
	}
	return dst
}

// appendUint appends a varint: a uint32, uint64, bool or enum.
func appendUint(dst []byte, num protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(dst, num, protowire.VarintType), v)
}

// appendSint appends a sint32 or sint64.
func appendSint(dst []byte, num protowire.Number, v int64) []byte {
	return appendUint(dst, num, protowire.EncodeZigZag(v))
}

func appendVarint(dst []byte, v uint64) []byte { return protowire.AppendVarint(dst, v) }

func appendDouble(dst []byte, num protowire.Number, v float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(dst, num, protowire.Fixed64Type), math.Float64bits(v))
}

// appendBytes appends a string, bytes or a message.
func appendBytes[B []byte | string](dst []byte, num protowire.Number, b B) []byte {
	dst = protowire.AppendVarint(protowire.AppendTag(dst, num, protowire.BytesType), uint64(len(b)))
	return append(dst, b...)
}

// appendPacked appends a packed list of varints.
func appendPacked[T uint32 | uint64 | int](dst []byte, num protowire.Number, vs []T) []byte {
	dst, at := openMessage(dst, num)
	for _, v := range vs {
		dst = protowire.AppendVarint(dst, uint64(v))
	}
	return closeMessage(dst, at)
}

// openMessage begins a field with a length. What is appended until closeMessage, which takes at, is its content.
func openMessage(dst []byte, num protowire.Number) (_ []byte, at int) {
	dst = append(protowire.AppendTag(dst, num, protowire.BytesType), 0) // most are shorter than 128
	return dst, len(dst)
}

func closeMessage(dst []byte, at int) []byte {
	n := len(dst) - at
	if n < 0x80 {
		dst[at-1] = byte(n)
		return dst
	}
	size := protowire.SizeVarint(uint64(n))
	for range size - 1 {
		dst = append(dst, 0)
	}
	copy(dst[at+size-1:], dst[at:at+n])
	protowire.AppendVarint(dst[:at-1], uint64(n))
	return dst
}
