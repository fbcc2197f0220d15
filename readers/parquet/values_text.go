package parquet

import (
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// textPages gives the values of pages of strings, whatever their encoding.
type textPages struct {
	utf8    bool
	limit   int64 // Limits.BatchBytes
	coding  decode.Encoding
	src     []byte // PLAIN: what is left
	left    int    // values that may be left
	indices decode.Hybrid
	deltas  decode.DeltaStrings
	dict    bitpack.Dictionary
	ids     []int32
	offsets []int32 // of the dictionary
	entries []byte
}

func (p *textPages) dictionary(raw []byte, n int) error {
	size, stored, err := decode.PlainSize(raw, n)
	if err != nil {
		return err
	}
	p.offsets = grown(p.offsets, n+1)
	p.entries = grown(p.entries, size+bitpack.SrcSlack)
	p.offsets[0] = 0
	if _, err := decode.PlainStrings(p.offsets, p.entries, raw[:stored]); err != nil {
		return err
	}
	if err := p.check(p.offsets, p.entries); err != nil {
		return err
	}
	p.dict.Reset(p.offsets, p.entries[:size:cap(p.entries)])
	return nil
}

func (p *textPages) check(offsets []int32, data []byte) error {
	if !p.utf8 {
		return nil
	}
	if i := bitpack.FirstNotUTF8(offsets, data); i >= 0 {
		v := data[offsets[i]:offsets[i+1]]
		return corrupt("text that is not UTF-8: %q", v[:min(len(v), 40)])
	}
	return nil
}

// indexed reports whether the page holds indices of the dictionary.
func (p *textPages) indexed() bool {
	return p.coding == decode.PlainDictionary || p.coding == decode.RLEDictionary
}

func (p *textPages) page(e decode.Encoding, raw []byte, n int) error {
	p.coding, p.src, p.left = e, raw, n
	switch e {
	case decode.Plain:
		return nil
	case decode.PlainDictionary, decode.RLEDictionary:
		return p.indices.ResetIndices(raw)
	case decode.DeltaLengthByteArray, decode.DeltaByteArray:
		return p.deltas.Reset(raw, n, e == decode.DeltaByteArray)
	}
	return errs.Errorf(errs.ErrUnsupported, "encoding %s of BYTE_ARRAY", e)
}

// spareBytes is how much more than needed may be reserved for values instead of adding up their lengths first.
const spareBytes = 1 << 20

// size returns what to reserve for the next n values.
func (p *textPages) size(n int) (int64, error) {
	switch {
	case p.coding != decode.Plain:
		return p.deltas.Size(n)
	case n == 0:
		return 0, nil
	case n == p.left || len(p.src) < spareBytes:
		return int64(len(p.src)), nil
	}
	size, _, err := decode.PlainSize(p.src, n)
	return int64(size), err
}

// read decodes values to data, from ends[0] on.
func (p *textPages) read(ends []int32, data []byte) error {
	n := len(ends) - 1
	p.left -= n
	if p.coding != decode.Plain {
		return p.deltas.Read(ends, data)
	}
	used, err := decode.PlainStrings(ends, data, p.src)
	if err == nil {
		p.src = p.src[used:]
	}
	return err
}

func (p *textPages) skip(n int) error {
	p.left -= n
	switch {
	case p.indexed():
		return p.indices.Skip(n)
	case p.coding == decode.Plain:
		_, used, err := decode.PlainSize(p.src, n)
		if err == nil {
			p.src = p.src[used:]
		}
		return err
	}
	size, err := p.deltas.Size(n)
	if err != nil {
		return err
	}
	if size > p.limit {
		return errs.Errorf(errs.ErrLimit, "%d values of %d bytes (Limits.BatchBytes)", n, size)
	}
	ends := make([]int32, n+1)
	return p.deltas.Read(ends, make([]byte, size))
}

// nextIDs decodes n indices.
func (p *textPages) nextIDs(n int) ([]int32, error) {
	p.left -= n
	p.ids = grown(p.ids, n)
	return p.ids, p.indices.Indices(p.ids)
}

// textValues are strings and bytes.
type textValues struct {
	textPages
	strings arrowbuf.Strings
	mem     *arrowbuf.Arena
	read0   int64 // bytes so far
}

func newTextPages(t arrow.DataType, limits arrowio.Limits) textPages {
	id := t.ID()
	return textPages{utf8: id == arrow.STRING || id == arrow.LARGE_STRING || id == arrow.STRING_VIEW, limit: limits.BatchBytes}
}

func newTextValues(t arrow.DataType, mem *arrowbuf.Arena, limits arrowio.Limits) *textValues {
	return &textValues{textPages: newTextPages(t, limits), strings: arrowbuf.NewStrings(mem), mem: mem}
}

func (v *textValues) bytes() int64 { return v.read0 }
func (v *textValues) release()     { v.strings.Release() }

func (v *textValues) read(slots, stored int, valid []byte, off int) error {
	all, ends := v.strings.Grow(slots, stored)
	from := int64(ends[0])
	if v.indexed() {
		ids, err := v.nextIDs(stored)
		if err != nil {
			return err
		}
		size := int64(v.dict.Longest()) * int64(stored)
		if size > spareBytes {
			if size, err = v.dict.Size(ids); err != nil {
				return decode.ErrIndex
			}
		}
		data, err := v.room(from, size)
		if err != nil {
			return err
		}
		if err := v.dict.Gather(ends, data, ids); err != nil {
			return decode.ErrIndex
		}
	} else {
		size, err := v.size(stored)
		if err != nil {
			return err
		}
		data, err := v.room(from, size)
		if err != nil {
			return err
		}
		if err := v.textPages.read(ends, data); err != nil {
			return err
		}
		if err := v.check(ends, data); err != nil {
			return err
		}
	}
	v.read0 = int64(ends[len(ends)-1])
	if stored == slots {
		valid = nil
	}
	v.strings.Fill(all, ends, valid, off)
	return nil
}

func (v *textValues) room(from, size int64) ([]byte, error) {
	if from+size > v.limit {
		return nil, errs.Errorf(errs.ErrLimit, "values of more than %d bytes in one batch (Limits.BatchBytes)", v.limit)
	}
	data, ok := v.strings.Room(size)
	if !ok {
		return nil, errs.Errorf(errs.ErrLimit, "values of more than 2 GiB in one batch")
	}
	return data, nil
}

func (v *textValues) take(t arrow.DataType, slots, nulls int, valid *memory.Buffer) (*array.Data, error) {
	v.read0 = 0
	bufs := v.strings.Take()
	switch t.ID() {
	case arrow.STRING, arrow.BINARY:
	case arrow.LARGE_STRING, arrow.LARGE_BINARY:
		long := longOffsets(bufs[0], slots, v.mem)
		bufs[0].Release()
		bufs[0] = long
	default:
		views := viewsOf(bufs[0], bufs[1], slots, v.mem)
		bufs[0].Release()
		bufs[0] = views
	}
	return finish(t, slots, nulls, valid, bufs[0], bufs[1]), nil
}

// longOffsets returns offsets of 64 bits. The caller releases them.
func longOffsets(offsets *memory.Buffer, slots int, mem *arrowbuf.Arena) *memory.Buffer {
	vec := arrowbuf.NewVec[int64](mem)
	dst := vec.Grow(slots + 1)
	for i, o := range arrow.Int32Traits.CastFromBytes(offsets.Bytes())[:slots+1] {
		dst[i] = int64(o)
	}
	return vec.Take()
}

// viewsOf returns the headers of views of the values of a single buffer:
//
//	up to 12 bytes  length, the bytes
//	longer          length, the first 4 bytes, number of the buffer, offset
func viewsOf(offsets, data *memory.Buffer, slots int, mem *arrowbuf.Arena) *memory.Buffer {
	vec := arrowbuf.NewVec[[16]byte](mem)
	dst := vec.Grow(slots)
	ends := arrow.Int32Traits.CastFromBytes(offsets.Bytes())[:slots+1]
	var b []byte
	if data != nil {
		b = data.Bytes()
	}
	for i := range dst {
		v := b[ends[i]:ends[i+1]]
		var h [16]byte
		binary.LittleEndian.PutUint32(h[:], uint32(len(v)))
		if len(v) <= 12 {
			copy(h[4:], v)
		} else {
			copy(h[4:8], v)
			binary.LittleEndian.PutUint32(h[12:], uint32(ends[i]))
		}
		dst[i] = h
	}
	return vec.Take()
}

// indexValues are strings and bytes as indices of a dictionary. It grows where pages have values that are not in the
// dictionary of the column chunk.
type indexValues struct {
	textPages
	vec   arrowbuf.Vec[int32]
	mem   *arrowbuf.Arena
	made  arrow.ArrayData // the dictionary as an array; nil = it is to be made
	found map[string]int32
	typ   *arrow.DictionaryType
}

func newIndexValues(t *arrow.DictionaryType, mem *arrowbuf.Arena, limits arrowio.Limits) *indexValues {
	return &indexValues{textPages: newTextPages(t.ValueType, limits), vec: arrowbuf.NewVec[int32](mem), mem: mem, typ: t}
}

func (v *indexValues) bytes() int64 { return 4 * int64(v.vec.Len()) }

func (v *indexValues) release() {
	v.vec.Release()
	v.drop()
}

func (v *indexValues) drop() {
	if v.made != nil {
		v.made.Release()
		v.made = nil
	}
}

func (v *indexValues) dictionary(raw []byte, n int) error {
	v.drop()
	v.found = nil
	if err := v.textPages.dictionary(raw, n); err != nil {
		return err
	}
	v.entries = v.entries[:v.offsets[n]]
	return nil
}

func (v *indexValues) read(slots, stored int, valid []byte, off int) error {
	dst := v.vec.Grow(slots)
	d := dst[slots-stored:]
	if v.indexed() {
		v.left -= stored
		if err := v.indices.Indices(d); err != nil {
			return err
		}
		n := uint32(max(len(v.offsets)-1, 0))
		bad := uint32(0)
		for _, id := range d {
			bad = max(bad, uint32(id))
		}
		if stored > 0 && bad >= n {
			return decode.ErrIndex
		}
	} else if err := v.add(d); err != nil {
		return err
	}
	if stored < slots {
		bitpack.Spread(dst, valid, off)
	}
	return nil
}

// add gives the next values of a page without indices their places in the dictionary.
func (v *indexValues) add(ids []int32) error {
	if v.found == nil {
		v.found = map[string]int32{}
		if len(v.offsets) == 0 {
			v.offsets = append(v.offsets, 0)
		}
		for i := range len(v.offsets) - 1 {
			v.found[string(v.entries[v.offsets[i]:v.offsets[i+1]])] = int32(i)
		}
	}
	size, err := v.size(len(ids))
	if err != nil {
		return err
	}
	if size > v.limit {
		return errs.Errorf(errs.ErrLimit, "values of more than %d bytes in one batch (Limits.BatchBytes)", v.limit)
	}
	ends := make([]int32, len(ids)+1)
	data := make([]byte, size)
	if err := v.textPages.read(ends, data); err != nil {
		return err
	}
	if err := v.check(ends, data); err != nil {
		return err
	}
	for i := range ids {
		e := data[ends[i]:ends[i+1]]
		id, ok := v.found[string(e)]
		if !ok {
			if int64(len(v.entries)+len(e)) > v.limit {
				return errs.Errorf(errs.ErrLimit, "a dictionary of more than %d bytes (Limits.BatchBytes)", v.limit)
			}
			id = int32(len(v.offsets) - 1)
			v.entries = append(v.entries, e...)
			v.offsets = append(v.offsets, int32(len(v.entries)))
			v.found[string(e)] = id
			v.drop()
		}
		ids[i] = id
	}
	return nil
}

func (v *indexValues) take(t arrow.DataType, slots, nulls int, valid *memory.Buffer) (*array.Data, error) {
	if v.made == nil {
		strings := arrowbuf.NewStrings(v.mem)
		n := max(len(v.offsets)-1, 0)
		_, ends := strings.Grow(n, n)
		if n > 0 {
			copy(ends, v.offsets)
		}
		data, ok := strings.Room(int64(ends[n]))
		if !ok {
			return nil, errs.Errorf(errs.ErrLimit, "a dictionary of more than 2 GiB")
		}
		copy(data, v.entries[:ends[n]])
		strings.Fill(ends, ends, nil, 0)
		bufs := strings.Take()
		v.made = finish(v.typ.ValueType, n, 0, nil, bufs[0], bufs[1])
	}
	index := v.vec.Take()
	bufs := []*memory.Buffer{valid, index}
	d := array.NewDataWithDictionary(t, slots, bufs, nulls, 0, v.made.(*array.Data))
	for _, b := range bufs {
		if b != nil {
			b.Release()
		}
	}
	return d, nil
}
