package orcwire

import (
	"encoding/binary"
	"math"
)

// Parts of a stripe footer as writers write them, but for rare ones: field number and wire type, length, fields in order.
const (
	tagStream   = 1<<3 | 2
	tagEncoding = 2<<3 | 2
	tagTimezone = 3<<3 | 2
	tagFirst    = 1 << 3 // of a number
	tagSecond   = 2 << 3
	tagThird    = 3 << 3
)

// parsePlain reads a stripe footer whose parts are short and have their fields in order: those of nearly all files. false: it may be right or wrong,
// which the table tells.
func (f *StripeFooter) parsePlain(b []byte, types int) bool {
	streams, encodings := 0, 0
	for at := 0; at < len(b); at += 2 + int(b[at+1]) {
		if len(b)-at < 2 || b[at+1] >= 0x80 || int(b[at+1]) > len(b)-at-2 {
			return false
		}
		switch b[at] {
		case tagStream:
			streams++
		case tagEncoding:
			encodings++
		case tagTimezone:
		default:
			return false
		}
	}
	if encodings != types || streams > stripeElements*(types+1) {
		return false
	}
	f.Streams = make([]Stream, streams)
	f.Encodings = make([]Encoding, encodings)
	s, e := f.Streams, f.Encodings
	for len(b) > 0 {
		part := b[2 : 2+b[1]]
		switch b[0] {
		case tagStream:
			if !s[0].parsePlain(part) {
				return false
			}
			s = s[1:]
		case tagEncoding:
			if !e[0].parsePlain(part) {
				return false
			}
			e = e[1:]
		case tagTimezone:
			f.Timezone = string(part)
		}
		b = b[2+len(part):]
	}
	return true
}

func (s *Stream) parsePlain(b []byte) bool {
	if len(b) < 6 || b[0] != tagFirst || b[1] >= 0x80 || b[2] != tagSecond {
		return false
	}
	s.Kind = StreamKind(b[1])
	column, n := binary.Uvarint(b[3:])
	if n <= 0 || column > math.MaxUint32 {
		return false
	}
	s.Column = int(uint32(column))
	if b = b[3+n:]; len(b) < 2 || b[0] != tagThird {
		return false
	}
	length, n := binary.Uvarint(b[1:])
	s.Length = int64(length)
	return n == len(b)-1 && length <= math.MaxInt64
}

func (e *Encoding) parsePlain(b []byte) bool {
	if len(b) < 2 || b[0] != tagFirst || int(b[1]) >= len(encodingNames) {
		return false
	}
	e.Kind = EncodingKind(b[1])
	if b = b[2:]; len(b) == 0 {
		return true
	}
	size, n := binary.Uvarint(b[1:])
	e.DictionarySize = uint32(size)
	return b[0] == tagSecond && n == len(b)-1 && n > 0 && size <= math.MaxUint32
}
