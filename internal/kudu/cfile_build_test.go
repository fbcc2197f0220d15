package kudu

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/arrowio/arrowio/internal/cfilewire"
)

// madeFile is a CFile of a test: blocks of PLAIN values, as the words of docs/formats/cfile.md have them.
type madeFile struct {
	typ       cfilewire.DataType
	nullable  bool
	values    [][]byte // cells, nil = null; or what a bloom file has in its blocks
	perBlock  int      // values; 0 = 20
	unordered bool     // no positional index: of deltas, keys and filters
	keys      [][]byte // of the values, of which there is an index; nil = none
	cut       bool     // the index has no more of a key than tells it from the one before
	meta      []cfilewire.Pair
	count     int64 // of values that the footer tells; 0 = as many as there are
	uncounted bool  // none: bloom filters
	unsummed  bool  // no checksums
}

func little32(b []byte, values ...int) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

func (f *madeFile) build() []byte {
	at := 0
	put := func(b, raw []byte) []byte {
		at = len(b)
		if b = append(b, raw...); !f.unsummed {
			b = binary.LittleEndian.AppendUint32(b, sum32(b[at:]))
		}
		return b
	}
	head := little32([]byte(cfilewire.MagicV2), 0)
	b := put(nil, head)
	pointer := func(to int, b []byte) protoMsg { return protoMsg{}.num(1, int64(to)).num(2, int64(len(b)-to)) }
	step := max(1, f.perBlock)
	if f.perBlock == 0 {
		step = 20
	}
	var pos, val madeIndex
	for from := 0; from < len(f.values); from += step {
		to := min(len(f.values), from+step)
		b = put(b, f.block(from, f.values[from:to]))
		pos.add(binary.BigEndian.AppendUint32(nil, uint32(from)), at, len(b))
		if f.keys != nil {
			key := f.keys[from]
			if f.cut {
				before := []byte(nil)
				if from > 0 {
					before = f.keys[from-1]
				}
				key = key[:min(len(key), commonPrefix(before, key)+1)]
			}
			val.add(key, at, len(b))
		}
	}
	m := protoMsg{}.num(1, int64(f.typ)).num(2, int64(cfilewire.EncodingPlain))
	switch {
	case f.uncounted:
		m = m.num(3, 0)
	case f.count > 0:
		m = m.num(3, f.count)
	default:
		m = m.num(3, int64(len(f.values)))
	}
	if !f.unordered {
		b = put(b, pos.build())
		m = m.sub(4, protoMsg{}.sub(1, pointer(at, b)))
	}
	if f.keys != nil || f.unordered {
		b = put(b, val.build())
		m = m.sub(5, protoMsg{}.sub(1, pointer(at, b)))
	}
	for _, kv := range f.meta {
		m = m.sub(7, protoMsg{}.str(1, kv.Key).str(2, string(kv.Value)))
	}
	if f.nullable {
		m = m.num(8, 1)
	}
	if !f.unsummed {
		m = m.num(10, 1)
	}
	tail := little32(append(slices.Clone([]byte(m)), cfilewire.MagicV2...), len(m))
	if !f.unsummed {
		b = binary.LittleEndian.AppendUint32(b, sum32(tail))
	}
	return append(b, tail...)
}

func commonPrefix(a, b []byte) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// block encodes values.
func (f *madeFile) block(ordinal int, values [][]byte) []byte {
	var b []byte
	if f.nullable {
		var bitmap []byte
		for part := range slices.Chunk(values, 63*8) {
			bitmap = append(bitmap, byte(len(part)+7)/8<<1|1)
			for i, v := range part {
				if i%8 == 0 {
					bitmap = append(bitmap, 0)
				}
				if v != nil {
					bitmap[len(bitmap)-1] |= 1 << (i % 8)
				}
			}
		}
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(len(values))), uint64(len(bitmap)))
		b = append(b, bitmap...)
		values = slices.DeleteFunc(slices.Clone(values), func(v []byte) bool { return v == nil })
	}
	switch {
	case f.uncounted:
		return values[0]
	case f.typ.Binary():
		return append(b, plainText(ordinal, values)...)
	case f.typ == cfilewire.Bool:
		b = little32(b, len(values), ordinal)
		for i, v := range values {
			if i%8 == 0 {
				b = append(b, 0)
			}
			b[len(b)-1] |= v[0] & 1 << (i % 8)
		}
		return b
	}
	return append(little32(b, len(values), ordinal), bytes.Join(values, nil)...)
}

// plainText encodes strings: all bytes, then in groups of four how far from the block's first byte each begins.
func plainText(ordinal int, values [][]byte) []byte {
	text := bytes.Join(values, nil)
	b := append(little32(nil, ordinal, len(values), 12+len(text)), text...)
	at := 12
	for group := range slices.Chunk(values, 4) {
		b = append(b, 0xff) // four numbers of four bytes
		for i := range 4 {
			if i < len(group) {
				b = little32(b, at)
				at += len(group[i])
			} else {
				b = little32(b, 0)
			}
		}
	}
	return b
}

// madeIndex is the one block of an index.
type madeIndex struct{ entries, offsets []byte }

func (x *madeIndex) add(key []byte, from, to int) {
	x.offsets = little32(x.offsets, len(x.entries))
	x.entries = append(binary.AppendUvarint(x.entries, uint64(len(key))), key...)
	x.entries = binary.AppendUvarint(binary.AppendUvarint(x.entries, uint64(from)), uint64(to-from))
}

func (x *madeIndex) build() []byte {
	trailer := protoMsg{}.num(1, int64(len(x.offsets)/4)).num(2, 0)
	return little32(slices.Concat(x.entries, x.offsets, trailer), len(trailer))
}

// keyIndex is the file of the encoded keys of a composite primary key, in order.
func keyIndex(keys [][]byte) *madeFile {
	f := &madeFile{typ: cfilewire.Binary, values: keys, unordered: true, keys: keys, cut: true, perBlock: 7}
	f.ends(keys)
	return f
}

// ends puts the least and the greatest key into the footer.
func (f *madeFile) ends(keys [][]byte) {
	if len(keys) > 0 {
		f.meta = append(f.meta, cfilewire.Pair{Key: cfilewire.MetaMinKey, Value: keys[0]}, cfilewire.Pair{Key: cfilewire.MetaMaxKey, Value: keys[len(keys)-1]})
	}
}

// bloomFilters is the file of filters of so many keys each.
func bloomFilters(keys [][]byte, each int) *madeFile {
	f := &madeFile{typ: cfilewire.Binary, unordered: true, uncounted: true, perBlock: 1, cut: false}
	const hashes, size = 8, 512
	for part := range slices.Chunk(keys, each) {
		bits := make([]byte, size)
		for _, k := range part {
			h := cfilewire.HashKey(k)
			at, step := uint32(h), uint32(h>>32)
			for range hashes {
				bit := at % (size * 8)
				bits[bit/8] |= 1 << (bit % 8)
				at += step
			}
		}
		head := protoMsg{}.num(1, hashes)
		f.values = append(f.values, slices.Concat(little32(nil, len(head)), head, bits))
		f.keys = append(f.keys, part[0])
	}
	return f
}

// madeDelta is a change to a row of a rowset.
type madeDelta struct {
	row    int64
	time   uint64
	change []byte
}

// changeOf writes a change: an op and cells, nil = null. Columns are in order of their ids.
func changeOf(op cfilewire.Op, cells map[int32][]byte) []byte {
	b := []byte{byte(op)}
	for _, id := range inOrder(cells) {
		b = binary.AppendUvarint(b, uint64(id))
		if v := cells[id]; v == nil {
			b = append(b, 0)
		} else {
			b = append(binary.AppendUvarint(b, uint64(len(v))+1), v...)
		}
	}
	return b
}

// deltaFileOf writes changes in the order given, and counts them.
func deltaFileOf(deltas []madeDelta) *madeFile {
	f := &madeFile{typ: cfilewire.Binary, unordered: true, perBlock: 9}
	var deletes, reinserts int64
	least, greatest := ^uint64(0), uint64(0)
	updates := map[int32]int64{}
	for _, d := range deltas {
		key := cfilewire.AppendDeltaKey(nil, cfilewire.DeltaKey{Row: d.row, Time: d.time})
		f.keys = append(f.keys, key)
		f.values = append(f.values, append(slices.Clone(key), d.change...))
		least, greatest = min(least, d.time), max(greatest, d.time)
		op, c, err := cfilewire.ParseChange(d.change)
		switch {
		case err != nil: // made to be wrong
		case op == cfilewire.Delete:
			deletes++
		case op == cfilewire.Reinsert:
			reinserts++
		}
		for c.Next() {
			updates[c.Column]++
		}
	}
	st := protoMsg{}.num(1, deletes).fixed64(3, least).fixed64(4, greatest)
	for _, id := range inOrder(updates) {
		st = st.sub(5, protoMsg{}.num(1, int64(id)).num(2, updates[id]))
	}
	f.meta = []cfilewire.Pair{{Key: cfilewire.MetaDeltaStats, Value: []byte(st.num(6, reinserts))}}
	return f
}

func inOrder[V any](m map[int32]V) (ids []int32) {
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}
