package orcwire

import (
	"math"

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
