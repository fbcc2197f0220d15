package kuduwire

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/pb"
)

// A segment of a write-ahead log (docs/formats/kudu.md, "The write-ahead log"):
//
//	+----------+-------+------------------------+---------+-----+------------------------+----------+-------+
//	| kudulogf | u32 n | LogSegmentHeaderPB (n) | batches | ... | LogSegmentFooterPB (m) | closedls | u32 m |
//	+----------+-------+------------------------+---------+-----+------------------------+----------+-------+
//
// The footer is there only where the segment was closed.
const (
	segmentMagic    = "kudulogf"
	segmentEndMagic = "closedls"

	// SegmentHeadSize is the size of a segment's magic and of the length of its header.
	SegmentHeadSize = 12
	// SegmentTailSize is the size of a closed segment's end: the magic and the length of the footer before it.
	SegmentTailSize = 12
	// MaxEntryHead is the size of the longer of the two forms of a batch's head.
	MaxEntryHead = 16

	oldEntryHead    = 12
	maxSegmentProto = 8 << 20
)

// Causes of a segment without a header. Kudu passes over one that starts with zeros, and refuses one that is too short.
var (
	ErrUninitialized = errors.New("it begins with zeros, as if it was never written to, or after an unclean shutdown")
	ErrSegmentShort  = errors.New("the file is too short for a segment")
)

// ParseSegmentHead returns the length of the LogSegmentHeaderPB that follows the first SegmentHeadSize bytes of a
// segment. The error wraps ErrSegmentShort where b is shorter, and ErrUninitialized where it is all zeros.
func ParseSegmentHead(b []byte) (int, error) {
	const op = "segment header"
	if len(b) < SegmentHeadSize {
		return 0, walError(op, 0, "%w: %d bytes", ErrSegmentShort, len(b))
	}
	b = b[:SegmentHeadSize]
	if zeros(b) {
		return 0, walError(op, 0, "%w", ErrUninitialized)
	}
	if string(b[:len(encryptedMagic)]) == encryptedMagic {
		return 0, encrypted()
	}
	if string(b[:8]) != segmentMagic {
		return 0, walError(op, 0, "magic is %q, not %q", b[:8], segmentMagic)
	}
	n := binary.LittleEndian.Uint32(b[8:])
	if n > maxSegmentProto {
		return 0, walError(op, 8, "%d bytes", n)
	}
	return int(n), nil
}

// SegmentHeader is what LogSegmentHeaderPB says. It has no checksum.
type SegmentHeader struct {
	TabletID      string
	Sequence      uint64
	Schema        []byte // a SchemaPB with column ids, part of the bytes given; see ParseSchema
	SchemaVersion uint32
	Codec         blockcodec.Codec
	Old           bool // the form of Kudu 1.2 and before: shorter heads of batches, never compressed
}

// ParseSegmentHeader reads the LogSegmentHeaderPB that b is.
func ParseSegmentHeader(b []byte) (*SegmentHeader, error) {
	h := &SegmentHeader{}
	var tablet, sequence, schema bool
	m := pb.New(b)
	for m.Next() {
		switch m.Num {
		case 1:
			h.Old = true
		case 5:
			h.TabletID, tablet = m.String(), true
		case 6:
			h.Sequence, sequence = m.Uint64(), true
		case 7:
			h.Schema, schema = m.Bytes(), true
		case 8:
			h.SchemaVersion = m.Uint32()
		case 9:
			h.Codec = segmentCodec(&m)
		case 10:
			if m.Err == nil {
				return nil, place(errs.Errorf(errs.ErrUnsupported, "the segment needs a feature (field 10) that is not known"), "segment header", SegmentHeadSize)
			}
		}
	}
	if m.Err == nil && !(tablet && sequence && schema) {
		m.Fail("tablet id, sequence number or schema is missing")
	}
	if m.Err != nil {
		return nil, place(m.Err, "segment header", SegmentHeadSize)
	}
	if h.Old {
		h.Codec = blockcodec.None
	}
	return h, nil
}

// segmentCodec reads a CompressionType; what Kudu does not know reads as if it were absent.
func segmentCodec(m *pb.Message) blockcodec.Codec {
	switch m.Uint64() {
	case 2:
		return blockcodec.Snappy
	case 3:
		return blockcodec.LZ4
	case 4:
		return blockcodec.Zlib
	}
	return blockcodec.None
}

// SegmentFooter is what LogSegmentFooterPB says.
type SegmentFooter struct {
	Entries            int64 // LogEntryPBs, not batches
	MinIndex, MaxIndex int64 // of the REPLICATEs; -1 = not said
	CloseMicros        int64 // since 1970; 0 = not said
}

// ParseSegmentTail looks for a footer in the last SegmentTailSize bytes of a segment. It returns the footer's length, or
// 0 where there is none: the segment was not closed. room is how many bytes lie between the header and b.
func ParseSegmentTail(b []byte, room int64) (int, error) {
	if len(b) < SegmentTailSize || string(b[:8]) != segmentEndMagic {
		return 0, nil
	}
	n := binary.LittleEndian.Uint32(b[8:])
	if n == 0 || n > maxSegmentProto || int64(n) > room {
		return 0, walError("segment footer", -1, "it is %d bytes long, with %d before it", n, room)
	}
	return int(n), nil
}

// ParseSegmentFooter reads the LogSegmentFooterPB that b is.
func ParseSegmentFooter(b []byte) (SegmentFooter, error) {
	f := SegmentFooter{MinIndex: -1, MaxIndex: -1}
	entries := false
	m := pb.New(b)
	for m.Next() {
		switch m.Num {
		case 1:
			f.Entries, entries = m.Size(), true
		case 2:
			f.MinIndex = m.Int64()
		case 3:
			f.MaxIndex = m.Int64()
		case 4:
			f.CloseMicros = m.Int64()
		}
	}
	if m.Err == nil && !entries {
		m.Fail("the number of entries is missing")
	}
	return f, place(m.Err, "segment footer", -1)
}

// EntryHead stands before each batch of entries:
//
//	u32 stored size   u32 unpacked size   u32 CRC-32C of the body   u32 CRC-32C of the twelve bytes before
//
// In old segments the unpacked size is not there.
type EntryHead struct {
	Stored, Unpacked uint32
	sum              uint32
}

// EntryHeadSize returns how many bytes a batch's head takes in the segment.
func (h *SegmentHeader) EntryHeadSize() int {
	if h.Old {
		return oldEntryHead
	}
	return MaxEntryHead
}

// ParseEntryHead reads the head of a batch from the first EntryHeadSize bytes of b, which must be there. It is false
// where the head's own checksum does not fit.
func (h *SegmentHeader) ParseEntryHead(b []byte) (EntryHead, bool) {
	if h.Old {
		b = b[:oldEntryHead]
		n := binary.LittleEndian.Uint32(b)
		e := EntryHead{n, n, binary.LittleEndian.Uint32(b[4:])}
		return e, crc32.Checksum(b[:8], castagnoli) == binary.LittleEndian.Uint32(b[8:])
	}
	b = b[:MaxEntryHead]
	e := EntryHead{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])}
	return e, crc32.Checksum(b[:12], castagnoli) == binary.LittleEndian.Uint32(b[12:])
}

// FindEntryHead returns the first offset in b at which EntryHeadSize bytes are a head whose checksum fits, or -1. What
// it passes over may hold the beginning of a head only in its last EntryHeadSize-1 bytes.
func (h *SegmentHeader) FindEntryHead(b []byte) int {
	n := h.EntryHeadSize()
	for i := 0; i+n <= len(b); i++ {
		if b[i] == 0 { // preallocated space is zeros, by the megabyte; a head may start with zeros, but is not all zeros
			z := zeroRun(b[i:])
			if i+z == len(b) {
				return -1
			}
			i += max(0, z-n+1)
			if i+n > len(b) {
				return -1
			}
		}
		if _, ok := h.ParseEntryHead(b[i:]); ok {
			return i
		}
	}
	return -1
}

// zeroRun returns how many zero bytes b starts with.
func zeroRun(b []byte) int {
	i := 0
	for ; i+8 <= len(b) && binary.LittleEndian.Uint64(b[i:]) == 0; i += 8 {
	}
	for ; i < len(b) && b[i] == 0; i++ {
	}
	return i
}

// CheckEntryHead tells whether a body may follow the head e: room is how many bytes of entries do. A body of more than
// limit bytes, unpacked, is ErrLimit.
func (h *SegmentHeader) CheckEntryHead(e EntryHead, room, limit int64) error {
	const op = "batch"
	most := blockcodec.MaxRaw(h.Codec, int64(e.Stored))
	switch {
	case e.Unpacked == 0:
		return walError(op, -1, "it is empty")
	case int64(e.Stored) > room:
		return walError(op, -1, "the entry says that it has %d bytes, and only %d are left", e.Stored, room)
	case int64(e.Unpacked) > most:
		return walError(op, -1, "%d bytes of %s cannot become %d", e.Stored, h.Codec, e.Unpacked)
	case int64(e.Unpacked) > min(limit, math.MaxInt-blockcodec.Slack), int64(e.Stored)/2 > limit:
		return place(errs.Errorf(errs.ErrLimit, "a batch of %d bytes, stored as %d, is larger than the limit BlockBytes, %d",
			e.Unpacked, e.Stored, limit), op, -1)
	}
	return nil
}

// OpenBatch checks the body of a batch, exactly e.Stored bytes, and returns the LogEntryBatchPB that it holds, in dst or
// in a larger slice: never a part of body. CheckEntryHead must have passed e.
func (h *SegmentHeader) OpenBatch(e EntryHead, body, dst []byte, d *blockcodec.Decoder) ([]byte, error) {
	const op = "batch"
	if uint64(len(body)) != uint64(e.Stored) {
		return nil, walError(op, -1, "%d bytes of %d", len(body), e.Stored)
	}
	if crc32.Checksum(body, castagnoli) != e.sum {
		return nil, walError(op, -1, "checksum of the body does not fit")
	}
	b, err := d.Decode(h.Codec, dst, body, int(e.Unpacked), true)
	return b, place(err, op, -1)
}

func walError(op string, off int64, format string, args ...any) error {
	return place(errs.Errorf(errs.ErrCorrupt, format, args...), op, off)
}
