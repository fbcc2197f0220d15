package extsort

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// dictionary is all values that a dictionary column has had: the entries of the first batch's dictionary, then those of
// later ones that are new. While rows are sorted they have codes into it.
//
// On the way out a batch gets all of it where the index type reaches so far, and otherwise the entries that it uses.
type dictionary struct {
	t      *arrow.DictionaryType
	most   int // entries that indices reach
	mem    memory.Allocator
	build  *arrowbuf.Appender // all values
	values arrow.Array        // the same, once somebody asked for them
	n      int
	known  map[string]uint32 // code by value; nil while there was only one dictionary
	first  arrow.ArrayData
	last   arrow.ArrayData // where it is not first
	moved  []uint32        // codes of last's entries
	bytes  int64           // about what all this takes
	key    []byte
	local  []uint32 // scratch of leave: code to entry of the batch, +1
}

// entryBytes is about what an entry takes beside itself, in the map.
const entryBytes = 64

func newDictionary(t *arrow.DictionaryType, mem memory.Allocator) *dictionary {
	d := &dictionary{t: t, mem: mem, build: arrowbuf.NewAppender(t.ValueType, mem), most: math.MaxInt32}
	switch t.IndexType.ID() {
	case arrow.INT8:
		d.most = 1 << 7
	case arrow.UINT8:
		d.most = 1 << 8
	case arrow.INT16:
		d.most = 1 << 15
	case arrow.UINT16:
		d.most = 1 << 16
	}
	return d
}

func (d *dictionary) release() {
	d.build.Release()
	for _, x := range []*arrow.ArrayData{&d.first, &d.last} {
		if *x != nil {
			(*x).Release()
			*x = nil
		}
	}
	if d.values != nil {
		d.values.Release()
		d.values = nil
	}
	d.known, d.moved = nil, nil
}

// enter returns codes for the indices of data.
func (d *dictionary) enter(data arrow.ArrayData) (arrow.ArrayData, error) {
	dict := data.Dictionary()
	if err := d.use(dict); err != nil {
		return nil, err
	}
	n := data.Len()
	buf := memory.NewResizableBuffer(d.mem)
	defer buf.Release()
	buf.Resize(4 * n)
	codes := arrow.GetData[uint32](buf.Bytes())
	entries := dict.Len()
	bad := false
	if n > 0 {
		index, valid := data.Buffers()[1].Bytes(), validityOf(data)
		switch d.t.IndexType.(arrow.FixedWidthDataType).Bytes() {
		case 1:
			bad = codesOf(codes, arrow.GetData[uint8](index)[data.Offset():], valid, data.Offset(), entries)
		case 2:
			bad = codesOf(codes, arrow.GetData[uint16](index)[data.Offset():], valid, data.Offset(), entries)
		case 4:
			bad = codesOf(codes, arrow.GetData[uint32](index)[data.Offset():], valid, data.Offset(), entries)
		default:
			bad = codesOf(codes, arrow.GetData[uint64](index)[data.Offset():], valid, data.Offset(), entries)
		}
	}
	if bad {
		return nil, errs.Errorf(errs.ErrCorrupt, "an index beyond the dictionary's %d entries", entries)
	}
	if d.last != nil && entries > 0 { // of nulls only, the codes are 0
		for i, c := range codes {
			codes[i] = d.moved[c]
		}
	}
	bitmap := copyValidity(data, d.mem)
	out := array.NewData(arrow.PrimitiveTypes.Uint32, n, []*memory.Buffer{bitmap, buf}, nil, data.NullN(), 0)
	if bitmap != nil {
		bitmap.Release()
	}
	return out, nil
}

// codesOf widens indices; those of nulls become 0.
func codesOf[I uint8 | uint16 | uint32 | uint64](codes []uint32, index []I, valid []byte, off, entries int) (bad bool) {
	index = index[:len(codes)]
	for i, x := range index {
		switch {
		case len(valid) > 0 && valid[(off+i)>>3]>>((off+i)&7)&1 == 0:
			codes[i] = 0
		case uint64(x) >= uint64(entries):
			return true
		default:
			codes[i] = uint32(x)
		}
	}
	return false
}

// copyValidity returns the bitmap of d at offset 0, or nil where it has no nulls.
func copyValidity(d arrow.ArrayData, mem memory.Allocator) *memory.Buffer {
	src := validityOf(d)
	if len(src) == 0 {
		return nil
	}
	b := memory.NewResizableBuffer(mem)
	b.Resize((d.Len() + 7) / 8)
	clear(b.Buf())
	bitpack.CopyBits(b.Bytes(), 0, src, d.Offset(), d.Len())
	return b
}

// use makes dict the one that indices refer to.
func (d *dictionary) use(dict arrow.ArrayData) error {
	switch {
	case dict == d.first:
		d.forget()
		return nil
	case dict == d.last && d.last != nil:
		return nil
	}
	entries := array.MakeFromData(dict)
	defer entries.Release()
	if d.first == nil {
		dict.Retain()
		d.first = dict
		d.n = dict.Len()
		d.bytes += arrowbuf.Size(entries)
		return d.build.Append(entries, 0, d.n)
	}
	if d.known == nil {
		d.known = make(map[string]uint32, d.n)
		for i := range d.n {
			d.key = arrowbuf.AppendKey(d.key[:0], d.first, i)
			if _, twice := d.known[string(d.key)]; !twice {
				d.known[string(d.key)] = uint32(i)
				d.bytes += int64(len(d.key)) + entryBytes
			}
		}
	}
	d.forget()
	dict.Retain()
	d.last = dict
	return d.move(entries)
}

// move finds the entries of last among all values and adds those that are new.
func (d *dictionary) move(entries arrow.Array) error {
	d.moved = resize(d.moved, entries.Len())
	var added [][2]int64
	for i := range d.moved {
		d.key = arrowbuf.AppendKey(d.key[:0], d.last, i)
		code, ok := d.known[string(d.key)]
		if !ok {
			if d.n == math.MaxInt32 {
				return errs.Errorf(errs.ErrLimit, "the dictionaries have more than %d entries together", d.n)
			}
			code = uint32(d.n)
			d.known[string(d.key)] = code
			d.n++
			d.bytes += 2*int64(len(d.key)) + entryBytes
			if k := len(added); k > 0 && added[k-1][1] == int64(i) {
				added[k-1][1]++
			} else {
				added = append(added, [2]int64{int64(i), int64(i) + 1})
			}
		}
		d.moved[i] = code
	}
	if len(added) == 0 {
		return nil
	}
	return d.build.AppendRuns(entries, added)
}

func (d *dictionary) forget() {
	if d.last != nil {
		d.last.Release()
	}
	d.last = nil
}

// leave returns a dictionary array of type dt for codes. Where they have more different values than indices
// reach, the error is arrowbuf.ErrOverflow.
func (d *dictionary) leave(codes arrow.ArrayData, dt arrow.DataType) (arrow.ArrayData, error) {
	if d.values == nil {
		d.values = d.build.Take()
	}
	n := codes.Len()
	dict := d.values
	dict.Retain()
	defer func() { dict.Release() }()
	var src []uint32
	if n > 0 {
		src = arrow.GetValues[uint32](codes, 1)
	}
	if d.n > d.most {
		var err error
		dict.Release()
		if src, dict, err = d.used(codes, src); err != nil {
			dict = d.values
			dict.Retain()
			return nil, err
		}
	}
	index := memory.NewResizableBuffer(d.mem)
	defer index.Release()
	w := d.t.IndexType.(arrow.FixedWidthDataType).Bytes()
	index.Resize(n * w)
	clear(index.Buf()[n*w:])
	switch w {
	case 1:
		narrow(arrow.GetData[uint8](index.Bytes()), src)
	case 2:
		narrow(arrow.GetData[uint16](index.Bytes()), src)
	case 4:
		narrow(arrow.GetData[uint32](index.Bytes()), src)
	default:
		narrow(arrow.GetData[uint64](index.Bytes()), src)
	}
	valid := codes.Buffers()[0]
	if codes.Offset() != 0 {
		if valid = copyValidity(codes, d.mem); valid != nil {
			defer valid.Release()
		}
	}
	return array.NewDataWithDictionary(dt, n, []*memory.Buffer{valid, index}, codes.NullN(), 0, dict.Data().(*array.Data)), nil
}

func narrow[I uint8 | uint16 | uint32 | uint64](dst []I, codes []uint32) {
	for i, c := range codes[:len(dst)] {
		dst[i] = I(c)
	}
}

// used returns a dictionary of the entries that codes use, and the codes moved to it.
func (d *dictionary) used(codes arrow.ArrayData, src []uint32) ([]uint32, arrow.Array, error) {
	if len(d.local) < d.n {
		d.local = make([]uint32, d.n)
	}
	moved := make([]uint32, len(src))
	valid := validityOf(codes)
	var runs [][2]int64
	entries := 0
	for i, c := range src {
		if at := codes.Offset() + i; len(valid) > 0 && valid[at>>3]>>(at&7)&1 == 0 {
			continue
		}
		if d.local[c] == 0 {
			entries++
			d.local[c] = uint32(entries)
			runs = append(runs, [2]int64{int64(c), int64(c) + 1})
		}
		moved[i] = d.local[c] - 1
	}
	for _, r := range runs {
		d.local[r[0]] = 0
	}
	if entries > d.most {
		return nil, nil, arrowbuf.ErrOverflow
	}
	a := arrowbuf.NewAppender(d.t.ValueType, d.mem)
	defer a.Release()
	if err := a.AppendRuns(d.values, runs); err != nil {
		return nil, nil, err
	}
	return moved, a.Take(), nil
}
