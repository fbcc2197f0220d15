package cfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// built describes a file, and build writes it, from the words of docs/formats/cfile.md. The zero value of a field is what
// Kudu would do, or nothing at all.
type built struct {
	typ         cfilewire.DataType
	encoding    cfilewire.Encoding
	compression cfilewire.Compression // 0 = none
	version     int                   // of the frame; 0 = 2
	plainSums   bool                  // no checksums
	stored      bool                  // blocks are larger than what they hold, which version 2 then stores as it is
	nullable    bool

	rows     [][]byte   // cells: little-endian, or bytes; nil = null
	arrays   [][][]byte // instead of rows: elements; a nil array is null, and so is a nil element
	perBlock int        // rows; 0 = 100
	dictMost int        // entries of the dictionary, behind which blocks hold strings; 0 = any number

	keyed  bool // there is a value index: rows ascend
	noRows bool // there is no positional index
	keys   func(row int) []byte
	whole  bool // keys are not cut where they differ
	fanout int  // entries of an index block; 0 = any number
	deep   int  // levels of the indexes above what is needed
	meta   []cfilewire.Pair

	// What makes files that are not as they should be.
	blank    bool // blocks are not encoded: onBlock has them
	onBlock  func(k int, raw []byte) []byte
	onStored func(what string, stored []byte) []byte // before the checksum
	onEntry  func(what string, e *builtEntry)
	onIndex  func(what string, raw []byte) []byte
	onFooter func(fields *[]builtField)

	// Where build put things.
	data, pos, val, dict []cfilewire.BlockPointer
	footer               int64 // of its checksum
}

// builtEntry is one of an index: a key, and where it leads.
type builtEntry struct {
	key []byte
	ptr cfilewire.BlockPointer
}

// builtField is a field of the footer: a number or bytes.
type builtField struct {
	num   protowire.Number
	value uint64
	bytes []byte // nil = it is a number
}

var builtSums = crc32.MakeTable(crc32.Castagnoli)

func le32(b []byte, values ...uint32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// file is one that is being written.
type file struct {
	*built
	tb    testing.TB
	b     []byte
	words map[string]uint32 // the dictionary
	list  [][]byte
	codec blockcodec.Encoder
}

func (f *built) build(tb testing.TB) []byte {
	tb.Helper()
	f.data, f.pos, f.val, f.dict = nil, nil, nil, nil
	w := &file{built: f, tb: tb, words: map[string]uint32{}}
	magic := cfilewire.MagicV2
	if f.version == 1 {
		magic = cfilewire.MagicV1
	}
	w.b = w.sum(le32([]byte(magic), 0))
	var pos, val []builtEntry
	last := []byte(nil)
	for k, from := 0, 0; from < w.len(); k++ {
		to := min(w.len(), from+w.step())
		var raw []byte
		if !f.blank {
			raw = w.block(from, to)
		}
		if f.onBlock != nil {
			raw = f.onBlock(k, raw)
		}
		p := w.put("data", raw)
		f.data = append(f.data, p)
		pos = append(pos, builtEntry{binary.BigEndian.AppendUint32(nil, uint32(from)), p})
		if f.keyed {
			first := w.key(from)
			if !f.whole {
				first = separator(last, first, k)
			}
			val = append(val, builtEntry{first, p})
			last = w.key(to - 1)
		}
		from = to
	}
	var fields []builtField
	number := func(num protowire.Number, v uint64) { fields = append(fields, builtField{num: num, value: v}) }
	message := func(num protowire.Number, b []byte) { fields = append(fields, builtField{num: num, bytes: b}) }
	number(1, uint64(f.typ))
	number(2, uint64(f.encoding))
	number(3, uint64(w.len()))
	if !f.noRows {
		message(4, root(w.index("pos", pos, &f.pos)))
	}
	if f.keyed {
		message(5, root(w.index("val", val, &f.val)))
	}
	if f.compression != 0 {
		number(6, uint64(f.compression))
	}
	meta := f.meta
	if f.keyed && w.len() > 0 && f.keys == nil {
		meta = append(slices.Clone(meta), cfilewire.Pair{Key: "min_key", Value: w.key(0)}, cfilewire.Pair{Key: "max_key", Value: w.key(w.len() - 1)})
	}
	for _, kv := range meta {
		b := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), kv.Key)
		message(7, protowire.AppendBytes(protowire.AppendTag(b, 2, protowire.BytesType), kv.Value))
	}
	number(8, boolBit(f.nullable))
	if f.encoding == cfilewire.EncodingDict {
		p := w.put("dict", plainStrings(0, w.list))
		f.dict = append(f.dict, p)
		message(9, pointer(p))
	}
	number(10, 1-boolBit(f.plainSums)+2*boolBit(f.arrays != nil))
	if f.arrays != nil {
		number(12, 1)
	}
	if f.onFooter != nil {
		f.onFooter(&fields)
	}
	w.end(magic, footerMessage(fields))
	return w.b
}

// end writes a footer.
func (w *file) end(magic string, message []byte) {
	w.footer = int64(len(w.b))
	tail := le32(append(slices.Clone(message), magic...), uint32(len(message)))
	if !w.plainSums {
		w.b = le32(w.b, crc32.Checksum(tail, builtSums))
	}
	w.b = append(w.b, tail...)
}

func footerMessage(fields []builtField) (b []byte) {
	for _, f := range fields {
		if f.bytes != nil {
			b = protowire.AppendBytes(protowire.AppendTag(b, f.num, protowire.BytesType), f.bytes)
		} else {
			b = protowire.AppendVarint(protowire.AppendTag(b, f.num, protowire.VarintType), f.value)
		}
	}
	return b
}

// refooter puts a footer of other fields on a file that build has made.
func (f *built) refooter(b []byte, message []byte) []byte {
	w := &file{built: f, b: slices.Clone(b[:f.footer])}
	at := f.footer
	w.end(string(b[len(b)-12:len(b)-4]), message)
	f.footer = at
	return w.b
}

func pointer(p cfilewire.BlockPointer) []byte {
	b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(p.Off))
	return protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), uint64(p.Size))
}

func root(p cfilewire.BlockPointer) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), pointer(p))
}

func boolBit(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

func (w *file) len() int  { return max(len(w.rows), len(w.arrays)) }
func (w *file) step() int { return w.perBlockOr(100) }

func (f *built) perBlockOr(n int) int {
	if f.perBlock > 0 {
		return f.perBlock
	}
	return n
}

// sum appends the checksum of b.
func (w *file) sum(b []byte) []byte {
	if w.plainSums {
		return b
	}
	return le32(b, crc32.Checksum(b, builtSums))
}

// put frames a block and writes it.
func (w *file) put(what string, raw []byte) cfilewire.BlockPointer {
	stored := raw
	if w.compression > cfilewire.NoCompression {
		packed, err := w.codec.Encode(w.compression.Codec(), blockcodec.DefaultLevel, nil, raw)
		if err != nil {
			w.tb.Fatal(err)
		}
		switch {
		case w.version == 1:
			stored = append(le32(nil, uint32(len(packed)), uint32(len(raw))), packed...)
		case w.stored || len(packed) >= len(raw):
			stored = append(le32(nil, uint32(len(raw))), raw...)
		default:
			stored = append(le32(nil, uint32(len(raw))), packed...)
		}
	}
	if w.onStored != nil {
		stored = w.onStored(what, stored)
	}
	p := cfilewire.BlockPointer{Off: int64(len(w.b))}
	w.b = append(w.b, w.sum(slices.Clone(stored))...)
	p.Size = int32(int64(len(w.b)) - p.Off)
	return p
}

// index writes an index and returns its root.
func (w *file) index(what string, entries []builtEntry, at *[]cfilewire.BlockPointer) cfilewire.BlockPointer {
	for level := 0; ; level++ {
		size := max(2, w.fanout)
		if w.fanout == 0 {
			size = max(1, len(entries))
		}
		var above []builtEntry
		for part := range slices.Chunk(entries, size) {
			above = append(above, builtEntry{part[0].key, w.indexBlock(what, level == 0, part, at)})
		}
		if len(entries) == 0 {
			above = []builtEntry{{nil, w.indexBlock(what, true, nil, at)}}
		}
		if len(above) == 1 && level >= w.deep {
			return above[0].ptr
		}
		entries = above
	}
}

func (w *file) indexBlock(what string, leaf bool, entries []builtEntry, at *[]cfilewire.BlockPointer) cfilewire.BlockPointer {
	var b, offsets []byte
	for _, e := range entries {
		if w.onEntry != nil {
			w.onEntry(what, &e)
		}
		offsets = le32(offsets, uint32(len(b)))
		b = append(binary.AppendUvarint(b, uint64(len(e.key))), e.key...)
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(e.ptr.Off)), uint64(uint32(e.ptr.Size)))
	}
	trailer := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(len(entries)))
	trailer = protowire.AppendVarint(protowire.AppendTag(trailer, 2, protowire.VarintType), 1-boolBit(leaf))
	b = le32(append(append(b, offsets...), trailer...), uint32(len(trailer)))
	if w.onIndex != nil {
		b = w.onIndex(what, b)
	}
	p := w.put(what, b)
	*at = append(*at, p)
	return p
}

// separator returns what the value index says of a block: its first key, cut where it differs from the key before.
func separator(before, first []byte, k int) []byte {
	n := 0
	for k > 0 && n < len(before) && n < len(first) && before[n] == first[n] {
		n++
	}
	return first[:min(len(first), n+1)]
}

// key returns the encoded key of a row.
func (w *file) key(row int) []byte {
	if w.keys != nil {
		return w.keys(row)
	}
	return encodeKey(w.typ, w.rows[row], true)
}

// encodeKey encodes a cell as a part of a key.
func encodeKey(t cfilewire.DataType, cell []byte, last bool) []byte {
	switch {
	case t.Binary() && last:
		return cell
	case t.Binary():
		return append(bytes.ReplaceAll(cell, []byte{0}, []byte{0, 1}), 0, 0)
	}
	b := slices.Clone(cell)
	slices.Reverse(b)
	switch t {
	case cfilewire.UInt8, cfilewire.UInt16, cfilewire.UInt32, cfilewire.UInt64:
	default:
		b[0] ^= 0x80
	}
	return b
}

// block encodes rows.
func (w *file) block(from, to int) (b []byte) {
	ordinal := uint32(from)
	if w.arrays != nil {
		return w.arrayBlock(ordinal, w.arrays[from:to])
	}
	rows := w.rows[from:to]
	if !w.nullable {
		return w.encode(ordinal, rows)
	}
	bitmap := runs(present(rows), 1)
	b = binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(rows))), uint64(len(bitmap)))
	return append(append(b, bitmap...), w.encode(ordinal, dense(rows))...)
}

func present(rows [][]byte) (bits []uint64) {
	for _, v := range rows {
		bits = append(bits, boolBit(v != nil))
	}
	return bits
}

func dense(rows [][]byte) (out [][]byte) {
	for _, v := range rows {
		if v != nil {
			out = append(out, v)
		}
	}
	return out
}

func (w *file) arrayBlock(ordinal uint32, arrays [][][]byte) []byte {
	var elements [][]byte
	var lengths, valid []uint64
	for _, a := range arrays {
		elements = append(elements, a...)
		lengths = append(lengths, uint64(len(a)))
		valid = append(valid, boolBit(a != nil))
	}
	b := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(len(elements))), uint64(len(arrays)))
	for _, s := range [][]byte{runs(present(elements), 1), runs(lengths, 16), runs(valid, 1)} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return append(b, w.encode(ordinal, dense(elements))...)
}

// encode encodes values, none of which is null.
func (w *file) encode(ordinal uint32, values [][]byte) []byte {
	head := le32(nil, uint32(len(values)), ordinal)
	switch w.encoding {
	case cfilewire.EncodingPlain:
		switch {
		case w.typ.Binary():
			return plainStrings(ordinal, values)
		case w.typ == cfilewire.Bool:
			return packed(head, numbers(values), 1)
		}
		return append(head, bytes.Join(values, nil)...)
	case cfilewire.EncodingRLE:
		bits := 8 * w.typ.Width()
		if w.typ == cfilewire.Bool {
			bits = 1
		}
		return append(head, runs(numbers(values), bits)...)
	case cfilewire.EncodingBitShuffle:
		return shuffled8(bytes.Join(values, nil), w.typ.Width(), ordinal)
	case cfilewire.EncodingGroupVarint:
		return frameOfReference(ordinal, numbers(values))
	case cfilewire.EncodingPrefix:
		return prefixes(ordinal, values, 16)
	case cfilewire.EncodingDict:
		return w.codes(ordinal, values)
	}
	w.tb.Fatalf("no encoder for %v", w.encoding)
	return nil
}

// codes writes a block of code words, or of strings once the dictionary is full.
func (w *file) codes(ordinal uint32, values [][]byte) []byte {
	codes := make([]uint32, len(values))
	for i, v := range values {
		c, ok := w.words[string(v)]
		if !ok {
			if w.dictMost > 0 && len(w.list) >= w.dictMost {
				return append(le32(nil, 2), plainStrings(ordinal, values)...)
			}
			c = uint32(len(w.list))
			w.words[string(v)] = c
			w.list = append(w.list, v)
		}
		codes[i] = c
	}
	width, b := 1, []byte(nil)
	if most := slices.Max(append(codes, 0)); most > 0xffff {
		width = 4
	} else if most > 0xff {
		width = 2
	}
	for _, c := range codes {
		b = append(b, le32(nil, c)[:width]...)
	}
	return append(le32(nil, 1), shuffled8(b, width, ordinal)...)
}

func numbers(values [][]byte) (out []uint64) {
	for _, v := range values {
		out = append(out, binary.LittleEndian.Uint64(append(slices.Clone(v), make([]byte, 8)...)))
	}
	return out
}

// runs writes values of so many bits as Kudu does: from eight equal ones on, at the start of a group, a run; up to 63 groups
// of others behind one indicator; bytes of the last group only as far as its values go.
func runs(values []uint64, bits int) (b []byte) {
	for i := 0; i < len(values); {
		if n := equal(values[i:]); n >= 8 {
			b = packed(binary.AppendUvarint(b, uint64(n)<<1), values[i:i+1], bits)
			i += n
			continue
		}
		from := i
		for i < len(values) && equal(values[i:]) < 8 && i-from < 8*63 {
			i = min(i+8, len(values))
		}
		b = packed(binary.AppendUvarint(b, uint64(i-from+7)/8<<1|1), values[from:i], bits)
	}
	return b
}

// equal returns how many of values, from the first on, are equal.
func equal(values []uint64) (n int) {
	for n < len(values) && values[n] == values[0] {
		n++
	}
	return n
}

// packed appends values, the lowest bits first.
func packed(b []byte, values []uint64, bits int) []byte {
	for i, v := range values {
		if bits == 1 {
			if i%8 == 0 {
				b = append(b, 0)
			}
			b[len(b)-1] |= byte(v&1) << (i % 8)
			continue
		}
		for k := 0; k < bits; k += 8 {
			b = append(b, byte(v>>k))
		}
	}
	return b
}

// groups appends integers in group varint coding.
func groups(b []byte, values ...uint32) []byte {
	for i := 0; i < len(values); i += 4 {
		at := len(b)
		b = append(b, 0)
		for k := range 4 {
			v, width := uint32(0), 1
			if i+k < len(values) {
				v = values[i+k]
			}
			for width < 4 && v>>(8*width) != 0 {
				width++
			}
			b[at] |= byte(width-1) << (6 - 2*k)
			b = append(b, le32(nil, v)[:width]...)
		}
	}
	return b
}

func frameOfReference(ordinal uint32, values []uint64) []byte {
	least := uint64(0)
	if len(values) > 0 {
		least = slices.Min(values)
	}
	rest := make([]uint32, len(values))
	for i, v := range values {
		rest[i] = uint32(v - least)
	}
	return groups(groups(nil, uint32(len(values)), uint32(least), ordinal, 0), rest...)
}

func plainStrings(ordinal uint32, values [][]byte) []byte {
	b := le32(nil, ordinal, uint32(len(values)), 0)
	var offsets []uint32
	for _, v := range values {
		offsets = append(offsets, uint32(len(b)))
		b = append(b, v...)
	}
	binary.LittleEndian.PutUint32(b[8:], uint32(len(b)))
	return groups(b, offsets...)
}

func prefixes(ordinal uint32, values [][]byte, interval int) []byte {
	b := groups(nil, uint32(len(values)), ordinal, uint32(interval), 0)
	var restarts []uint32
	for i, v := range values {
		shared := 0
		if i%interval != 0 {
			before := values[i-1]
			for shared < min(len(v), len(before)) && v[shared] == before[shared] {
				shared++
			}
		} else if i > 0 {
			restarts = append(restarts, uint32(len(b)))
		}
		b = binary.AppendUvarint(b, uint64(shared))
		b = append(binary.AppendUvarint(b, uint64(len(v)-shared)), v[shared:]...)
	}
	return le32(le32(b, restarts...), uint32(len(restarts)))
}

// shuffled8 writes a BIT_SHUFFLE block: chunks of 8 KiB, bits transposed.
func shuffled8(elements []byte, width int, ordinal uint32) []byte {
	count := len(elements) / width
	elements = append(bytes.Clone(elements), make([]byte, (-count&7)*width)...)
	b := make([]byte, 20)
	var enc blockcodec.Encoder
	for chunk := range slices.Chunk(elements, 8<<10) {
		packed, err := enc.Encode(blockcodec.LZ4, blockcodec.DefaultLevel, nil, transposed(chunk, width))
		if err != nil {
			panic(err)
		}
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(packed))), packed...)
	}
	copy(b, le32(nil, ordinal, uint32(count), uint32(len(b)), uint32(len(elements)/width), uint32(width)))
	return b
}

// transposed takes the bits of elements apart, one by one.
func transposed(src []byte, width int) []byte {
	dst := make([]byte, len(src))
	n := len(src) / width
	for e := range n {
		for p := range 8 * width {
			dst[p*(n/8)+e/8] |= src[e*width+p/8] >> (p % 8) & 1 << (e % 8)
		}
	}
	return dst
}

// String names a file by what it is made of.
func (f *built) String() string {
	s := fmt.Sprintf("%v/%v", f.typ, f.encoding)
	if f.arrays != nil {
		s = "array-" + s
	}
	if f.nullable {
		s += "/nullable"
	}
	return s
}

// reseal makes the checksum of a block right again.
func reseal(b []byte, p cfilewire.BlockPointer) {
	end := p.End() - 4
	copy(b[end:], le32(nil, crc32.Checksum(b[p.Off:end], builtSums)))
}

// resealFooter does so for the footer.
func (f *built) resealFooter(b []byte) {
	copy(b[f.footer:], le32(nil, crc32.Checksum(b[f.footer+4:], builtSums)))
}
