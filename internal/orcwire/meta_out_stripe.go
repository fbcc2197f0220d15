package orcwire

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// AppendStripeFooter appends the directory of a stripe, the reverse of ParseStripeFooter. Offsets of streams are not
// told: each follows the one before.
func AppendStripeFooter(dst []byte, f *StripeFooter) []byte {
	dst = appendStreams(dst, 1, f.Streams)
	dst = appendEncodings(dst, f.Encodings)
	if f.Timezone != "" {
		dst = appendBytes(dst, 3, f.Timezone)
	}
	for i := range f.Encryption {
		v := &f.Encryption[i]
		var at int
		dst, at = openMessage(dst, 4)
		dst = appendStreams(dst, 1, v.Streams)
		dst = appendEncodings(dst, v.Encodings)
		dst = closeMessage(dst, at)
	}
	return dst
}

func appendStreams(dst []byte, num protowire.Number, streams []Stream) []byte {
	for _, s := range streams {
		var at int
		dst, at = openMessage(dst, num)
		dst = appendUint(dst, 1, uint64(s.Kind))
		if s.Column != 0 || s.Kind != EncryptedIndex && s.Kind != EncryptedData { // those are of no column
			dst = appendUint(dst, 2, uint64(s.Column))
		}
		dst = appendUint(dst, 3, uint64(s.Length))
		dst = closeMessage(dst, at)
	}
	return dst
}

func appendEncodings(dst []byte, encodings []Encoding) []byte {
	for _, e := range encodings {
		var at int
		dst, at = openMessage(dst, 2)
		dst = appendUint(dst, 1, uint64(e.Kind))
		if e.Kind.IsDictionary() {
			dst = appendUint(dst, 2, uint64(e.DictionarySize))
		}
		if e.Bloom != 0 {
			dst = appendUint(dst, 3, uint64(e.Bloom))
		}
		dst = closeMessage(dst, at)
	}
	return dst
}

// AppendRowIndex appends a ROW_INDEX stream, the reverse of ParseRowIndex.
func AppendRowIndex(dst []byte, entries []RowIndexEntry) []byte {
	for i := range entries {
		e := &entries[i]
		var at int
		dst, at = openMessage(dst, 1)
		if len(e.Positions) > 0 {
			dst = appendPacked(dst, 1, e.Positions)
		}
		dst = closeMessage(appendBytesOf(dst, 2, e.Stats), at)
	}
	return dst
}

// AppendBloomIndex appends a BLOOM_FILTER_UTF8 stream, the reverse of ParseBloomIndex.
func AppendBloomIndex(dst []byte, filters []BloomFilter) []byte {
	for i := range filters {
		f := &filters[i]
		var at, bits int
		dst, at = openMessage(dst, 1)
		dst = appendUint(dst, 1, uint64(f.Hashes))
		dst, bits = openMessage(dst, 3)
		for _, w := range f.Bits {
			dst = binary.LittleEndian.AppendUint64(dst, w)
		}
		dst = closeMessage(closeMessage(dst, bits), at)
	}
	return dst
}
