package orc

import (
	"context"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/pb"
)

// stripeScan looks for stripes. A stripe ends with its footer, which lists the lengths of the streams before it, and so says where the
// stripe begins: no earlier than where the one before it ends. In a compressed file it is a chunk:
//
//	stream | stream | … | length*2 + original, 3 bytes | footer | next stripe
//
// The scan goes from chunk to chunk. Where that leads nowhere, and in a file without compression, it tries every byte.
type stripeScan struct {
	f     *File
	ctx   context.Context
	types []*orcwire.Type // nil = not known

	begin       int64 // behind the magic
	known       bool  // compression was found out
	compression orcwire.CompressionKind
	columns     int // types, as the stripes count them
	found       []foundStripe

	window  []byte
	at      int64 // where the window lies
	decoder blockcodec.Decoder
	buf     []byte
}

// foundStripe is a stripe, how many rows its row groups have, and its footer.
type foundStripe struct {
	info   orcwire.StripeInfo
	groups []int64
	footer *orcwire.StripeFooter
}

// Bounds of a scan.
const (
	scanWindow  = 8 << 20
	leastFooter = 4       // bytes: a stream and an encoding
	mostFooter  = 1 << 20 // stored bytes of a stripe footer
	sureFooter  = 1 << 17 // of one that is looked for at every byte: most that looks like the length of a chunk is none
	mostChunk   = 8 << 20 // bytes that a chunk has when it is decompressed
	mostEntries = 1 << 20 // row groups of a stripe
)

// kinds of compression, in the order in which they are tried.
var scanKinds = []orcwire.CompressionKind{
	orcwire.CompressionZlib, orcwire.CompressionSnappy, orcwire.CompressionZstd, orcwire.CompressionLZ4, orcwire.CompressionLZO, orcwire.CompressionBrotli,
}

// run finds the stripes.
func (s *stripeScan) run() error {
	head, err := s.bytes(0, 3)
	if err != nil {
		return err
	}
	if string(head) == orcwire.Magic {
		s.begin = 3
	}
	return s.from(s.begin)
}

// from finds the stripes from start on.
func (s *stripeScan) from(start int64) error {
	size := s.f.src.Size()
	for start < size {
		end, err := s.next(start)
		if err != nil || end < 0 {
			return err
		}
		start = end
	}
	return nil
}

// next finds the next stripe from start on, and returns where it ends; -1 = there is none.
func (s *stripeScan) next(start int64) (int64, error) {
	size := s.f.src.Size()
	if !s.known || s.compression != orcwire.CompressionNone {
		for at := start; at < size; {
			n, ok, err := s.chunk(at)
			if err != nil {
				return 0, err
			}
			if !ok {
				break
			}
			if end, err := s.try(start, at, mostFooter); err != nil || end > 0 {
				return end, err
			}
			at += 3 + n
		}
	}
	for at := start; at < size; at++ {
		if at&0xffff == 0 && s.ctx.Err() != nil {
			return 0, s.ctx.Err()
		}
		if end, err := s.try(start, at, sureFooter); err != nil || end > 0 {
			return end, err
		}
	}
	return -1, nil
}

// bytes returns up to n bytes at off, good until the next call.
func (s *stripeScan) bytes(off, n int64) ([]byte, error) {
	n = min(n, s.f.src.Size()-off)
	if at := off - s.at; at >= 0 && at+n <= int64(len(s.window)) {
		return s.window[at : at+n], nil
	}
	var err error
	s.at = off
	if s.window, err = s.f.fetchBytes(s.ctx, off, min(max(n, scanWindow), s.f.src.Size()-off)); err != nil {
		return nil, err
	}
	return s.window[:n], nil
}

// chunk returns the length of the chunk at an offset; false = none can be there.
func (s *stripeScan) chunk(at int64) (n int64, ok bool, err error) {
	b, err := s.bytes(at, 3)
	if err != nil || len(b) < 3 {
		return 0, false, err
	}
	n = int64(b[0])>>1 | int64(b[1])<<7 | int64(b[2])<<15
	return n, n > 0 && n <= s.f.src.Size()-at-3, nil
}

// try looks for a stripe footer at an offset, of a stripe that begins at start or later. It returns where that stripe ends; 0 = there
// is none of up to most stored bytes.
func (s *stripeScan) try(start, at, most int64) (int64, error) {
	if !s.known || s.compression == orcwire.CompressionNone {
		if end, err := s.tryPlain(start, at); err != nil || end > 0 {
			return end, err
		}
	}
	if s.known && s.compression == orcwire.CompressionNone {
		return 0, nil
	}
	n, ok, err := s.chunk(at)
	if err != nil || !ok || n < leastFooter || n > most {
		return 0, err
	}
	b, err := s.bytes(at, 3+n)
	if err != nil {
		return 0, err
	}
	end := at + 3 + n
	if b[0]&1 == 1 {
		if s.known {
			return s.take(start, at, end, b[3:], s.compression)
		}
		for _, k := range scanKinds { // what the streams are compressed with tells
			if end, err := s.take(start, at, end, b[3:], k); err != nil || end > 0 {
				return end, err
			}
			if b, err = s.bytes(at, 3+n); err != nil {
				return 0, err
			}
		}
		return 0, nil
	}
	for _, k := range scanKinds {
		if s.known && k != s.compression || !beginsFooter(k, b[3:]) {
			continue
		}
		raw, err := s.unpack(k, b[3:])
		if err != nil {
			continue
		}
		if end, err := s.take(start, at, end, raw, k); err != nil || end > 0 {
			return end, err
		}
		if b, err = s.bytes(at, 3+n); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// beginsFooter reports whether what a chunk of at least leastFooter bytes decompresses to can begin as a stripe footer does, with a stream,
// as far as that is seen without decompressing it: nearly all that is not one is told so.
func beginsFooter(k orcwire.CompressionKind, b []byte) bool {
	const stream = 0x0a
	switch k {
	case orcwire.CompressionZlib:
		return b[0]&6 != 6 // the kind of block that there is none of
	case orcwire.CompressionSnappy: // the length, then the length of the first literal
		at := 1
		for at < 4 && b[at-1] >= 0x80 {
			at++
		}
		return at+1 < len(b) && b[at]&3 == 0 && (b[at] >= 60<<2 || b[at+1] == stream)
	case orcwire.CompressionZstd:
		return b[0] == 0x28 && b[1] == 0xb5 && b[2] == 0x2f && b[3] == 0xfd
	case orcwire.CompressionLZ4: // the length of the first literal
		return b[0] >= 0xf0 || b[0] >= 0x10 && b[1] == stream
	case orcwire.CompressionLZO: // likewise, and 17 more
		return b[0] <= 17 || b[1] == stream
	}
	return true
}

// unpack decompresses a chunk that is not stored as it is.
func (s *stripeScan) unpack(k orcwire.CompressionKind, b []byte) ([]byte, error) {
	codec, err := k.Codec()
	if err != nil {
		return nil, err
	}
	most := int(min(mostChunk, blockcodec.MaxRaw(codec, int64(len(b)))))
	if need := most + blockcodec.Slack; cap(s.buf) < need {
		s.buf = make([]byte, 0, need)
	}
	return s.decoder.Decode(codec, s.buf[:0], b, most, false)
}

// tryPlain looks for a stripe footer that is not compressed: streams, an encoding for each type, and the time zone. Nothing tells where
// it ends but that the next stripe, or the tail, begins with another field.
func (s *stripeScan) tryPlain(start, at int64) (int64, error) {
	b, err := s.bytes(at, 2)
	if err != nil || len(b) < 2 || b[0] != 0x0a || b[1] < 4 || b[1] > 16 { // a stream: kind, column, length
		return 0, err
	}
	if b, err = s.bytes(at, mostFooter); err != nil {
		return 0, err
	}
	field, encodings, p := byte(1), 0, 0
	for p+2 <= len(b) {
		tag, n := b[p], int(b[p+1])
		switch {
		case tag == 0x0a && field == 1 && n >= 4 && n <= 16:
		case tag == 0x12 && field <= 2 && n <= 32 && (s.types == nil || encodings < len(s.types)):
			field = 2
			encodings++
		case tag == 0x1a && field == 2 && n > 0 && n < 0x80:
			field = 3
		default:
			n = -1
		}
		if n < 0 || p+2+n > len(b) {
			break
		}
		p += 2 + n
	}
	if field < 2 || s.types != nil && encodings != len(s.types) {
		return 0, nil
	}
	return s.take(start, at, at+int64(p), b[:p], orcwire.CompressionNone)
}

// take takes bytes as a stripe footer if they are one: the streams that it lists lie between start and it, and the row index among them
// says how many rows there are.
func (s *stripeScan) take(start, at, end int64, raw []byte, k orcwire.CompressionKind) (int64, error) {
	if len(raw) < leastFooter || raw[0] != 0x0a {
		return 0, nil
	}
	encodings := 0
	m := pb.New(raw)
	for m.Next() {
		if m.Num == 2 {
			encodings++
		}
		if m.Num < 1 || m.Num > 4 {
			return 0, nil
		}
	}
	if m.Err != nil || encodings == 0 || s.columns > 0 && encodings != s.columns {
		return 0, nil
	}
	footer, err := orcwire.ParseStripeFooter(raw, encodings, at-start)
	if err != nil || len(footer.Streams) == 0 || len(footer.Encryption) > 0 {
		return 0, nil //nolint:nilerr // it is no footer
	}
	info := orcwire.StripeInfo{FooterLength: end - at}
	for _, x := range footer.Streams {
		if x.Kind.Index() {
			info.IndexLength += x.Length
		} else {
			info.DataLength += x.Length
		}
	}
	if info.IndexLength+info.DataLength == 0 {
		return 0, nil
	}
	info.Offset = at - info.IndexLength - info.DataLength
	groups, err := s.groups(footer, info.Offset, k)
	if err != nil || groups == nil {
		return 0, err
	}
	for _, n := range groups {
		info.Rows += n
	}
	if !s.known {
		s.known, s.compression, s.columns = true, k, encodings
	}
	s.found = append(s.found, foundStripe{info, groups, footer})
	if len(s.found) > s.f.limits.Splits {
		return 0, errs.Errorf(errs.ErrLimit, "more stripes than the limit Splits = %d", s.f.limits.Splits)
	}
	return end, nil
}

// groups returns the numbers of rows of the row groups, as the row index of the root says, or of a column without nulls; nil = nothing
// says so.
func (s *stripeScan) groups(footer *orcwire.StripeFooter, offset int64, k orcwire.CompressionKind) ([]int64, error) {
	nulls := map[int]bool{}
	for _, x := range footer.Streams {
		nulls[x.Column] = nulls[x.Column] || x.Kind == orcwire.Present && x.Length > 0
	}
	for _, x := range footer.Streams {
		if x.Kind != orcwire.RowIndex || x.Length == 0 || x.Length > s.f.limits.MetadataBytes || nulls[x.Column] || x.Column > 0 && !s.atTop(x.Column) {
			continue
		}
		b, err := s.f.fetchBytes(s.ctx, offset+x.Offset, x.Length)
		if err != nil {
			return nil, err
		}
		if groups := s.counts(b, k); groups != nil {
			return groups, nil
		}
	}
	return nil, nil
}

// atTop reports whether a type is known to be a column of the top level, which has a value or null for each row.
func (s *stripeScan) atTop(column int) bool {
	return column < len(s.types) && s.types[column].Parent == s.types[0] && s.types[0].Kind == orcwire.Struct
}

// counts reads a row index for the numbers of values.
func (s *stripeScan) counts(b []byte, k orcwire.CompressionKind) []int64 {
	entries, err := s.entries(b, k)
	if err != nil {
		return nil
	}
	var out []int64
	for i := range entries {
		st, err := entries[i].ColumnStats()
		if err != nil || !st.HasValues || st.Values <= 0 || st.Values > 1<<40 || i > 0 && (st.Values > out[0] || i+1 < len(entries) && st.Values != out[0]) {
			return nil
		}
		out = append(out, st.Values)
	}
	return out
}

// entries unpacks and parses a row index.
func (s *stripeScan) entries(b []byte, k orcwire.CompressionKind) ([]orcwire.RowIndexEntry, error) {
	if k != orcwire.CompressionNone {
		codec, err := k.Codec()
		if err != nil {
			return nil, err
		}
		in := File{limits: s.f.limits, packing: orcwire.Packing{Chunked: true, Codec: codec, BlockSize: mostChunk}}
		if b, err = in.unpack(b); err != nil {
			return nil, err
		}
	}
	return orcwire.ParseRowIndex(b, mostEntries)
}

// blockSize returns what chunks are decompressed to at most: at least the usual size, and what the first chunks of the streams of the
// first stripe have.
func (s *stripeScan) blockSize() int {
	most := orcwire.DefaultBlockSize
	if s.compression == orcwire.CompressionNone {
		return most
	}
	info := s.found[0].info
	end := info.Offset + info.IndexLength + info.DataLength
	for at, k := info.Offset, 0; at < end && k < 1000; k++ {
		n, ok, err := s.chunk(at)
		if err != nil || !ok {
			break
		}
		if b, err := s.bytes(at, 3+n); err == nil && b[0]&1 == 0 {
			if raw, err := s.unpack(s.compression, b[3:]); err == nil {
				most = max(most, len(raw))
			}
		} else {
			most = max(most, int(n))
		}
		at += 3 + n
	}
	return min(most, mostChunk)
}
