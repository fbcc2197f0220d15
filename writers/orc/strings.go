package orc

import (
	"math"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// stringValues encodes strings and bytes: by a dictionary while that pays, which is looked at every so many strings and at
// the end of each stripe, or as they are.
type stringValues struct {
	leaf
	text    *stringStats // nil for binary and geometries
	bytes   *binaryStats // nil for text and geometries
	shapes  *shapeStats  // nil for others
	lengths orcwire.IntsOut[int32]
	runs    orcwire.IntsOut[int32] // ids
	scratch []int32
	at      []int32 // indices of an Arrow dictionary
	flat8   []byte  // converted values
	offs    []int32

	byDictionary bool // so far
	dict         dictionary
	ids          idList
	starts       []int // of row groups in ids
	given        translation
}

// translation leads from entries of an Arrow dictionary to ours.
type translation struct {
	of  arrow.ArrayData // it is kept as long as the stripe
	ids []int32
}

func (t *translation) forget() {
	if t.of != nil {
		t.of.Release()
		t.of = nil
	}
}

func newStrings(n *node) *stringValues {
	c := &stringValues{leaf: leaf{node: n}}
	c.text, _ = n.stats.(*stringStats)
	c.bytes, _ = n.stats.(*binaryStats)
	c.shapes, _ = n.stats.(*shapeStats)
	c.open(orcwire.Data, orcwire.Length, orcwire.DictionaryData)
	c.begin()
	return c
}

func (c *stringValues) begin() {
	c.byDictionary = c.text != nil && c.node.d.opt.Dictionary > 0
	if c.byDictionary {
		c.dict.reset()
	}
	openInts(c.node.d, &c.lengths, &c.outs[1], false)
	openInts(c.node.d, &c.runs, &c.outs[0], false)
}

func (c *stringValues) write(arr arrow.Array) error {
	if d, ok := arr.(*array.Dictionary); ok {
		return c.writeDictionary(d)
	}
	offsets, data, err := c.flatten(arr)
	if err != nil {
		return err
	}
	return c.writeFlat(offsets, data)
}

func (c *stringValues) writeFlat(offsets []int32, data []byte) error {
	offsets, data, err := c.fit(offsets, data)
	if err != nil || len(offsets) < 2 {
		return err
	}
	if c.text != nil && bitpack.FirstNotUTF8(offsets, data) >= 0 {
		return errNotText
	}
	for c.byDictionary && len(offsets) > 1 {
		room := c.ids.room()
		room = room[:min(len(room), len(offsets)-1)]
		n := c.dict.add(room, offsets, data)
		c.ids.fill(n)
		c.addWords(room[:n], int64(offsets[n])-int64(offsets[0]))
		offsets = offsets[n:] // those that got no number, or come behind
		c.sample(n == len(room))
	}
	if err := c.addTexts(offsets, data); err != nil {
		return err
	}
	c.putDirect(offsets, data)
	return nil
}

// addWords adds words of the dictionary, which have so many bytes together, to statistics and bloom filter.
func (c *stringValues) addWords(ids []int32, total int64) {
	for len(ids) > 0 {
		n := min(len(ids), statsBlock)
		fresh := c.text.addIDs(ids[:n], total, c.dict.offsets, c.dict.data)
		if b := c.node.bloom; b != nil {
			addBloomIDs(b, fresh, c.dict.offsets, c.dict.data)
		}
		ids, total = ids[n:], 0
	}
}

// addTexts adds strings to statistics and bloom filter.
func (c *stringValues) addTexts(offsets []int32, data []byte) error {
	if len(offsets) < 2 {
		return nil
	}
	switch {
	case c.text != nil:
		c.text.add(offsets, data)
	case c.bytes != nil:
		c.bytes.add(int64(offsets[len(offsets)-1]) - int64(offsets[0]))
	case c.shapes != nil:
		if err := c.shapes.add(offsets, data); err != nil {
			return err
		}
	}
	if b := c.node.bloom; b != nil {
		addBloomStrings(b, offsets, data)
	}
	return nil
}

// sampleEvery is how many strings of a stripe come between two looks at whether a dictionary pays. They are at the same
// strings however these come, and so are the bytes.
const sampleEvery = 10_000

// sample looks, if it is time to, or if the dictionary did not hold all strings.
func (c *stringValues) sample(held bool) {
	if n := c.ids.n; !held || n > 0 && n%sampleEvery == 0 && c.tooDistinct() {
		c.giveUp()
	}
}

// tooDistinct reports whether a dictionary of the strings so far does not pay.
func (c *stringValues) tooDistinct() bool {
	return float64(c.dict.len()) > c.node.d.opt.Dictionary*float64(c.ids.n)
}

// putDirect encodes strings as they are.
func (c *stringValues) putDirect(offsets []int32, data []byte) {
	if len(offsets) < 2 {
		return
	}
	c.scratch = grow(c.scratch, len(offsets)-1)
	for i := range c.scratch {
		c.scratch[i] = offsets[i+1] - offsets[i]
	}
	c.lengths.Put(c.scratch)
	c.outs[0].Write(data[offsets[0]:offsets[len(offsets)-1]])
}

// giveUp writes the strings of the stripe so far as they are.
func (c *stringValues) giveUp() {
	c.byDictionary = false
	c.flat, c.groups = c.flat[:0], 0
	at := 0
	for _, start := range c.starts {
		c.ids.each(at, start, c.putIDs)
		c.markDirect()
		at = start
	}
	c.ids.each(at, c.ids.n, c.putIDs)
	c.ids.reset()
	c.starts = c.starts[:0]
	c.given.forget()
	c.dict.reset()
}

// putIDs encodes strings of the dictionary as they are.
func (c *stringValues) putIDs(ids []int32) {
	d := &c.dict
	c.scratch = grow(c.scratch, len(ids))
	for i, id := range ids {
		from, to := d.offsets[id], d.offsets[id+1]
		c.scratch[i] = to - from
		c.outs[0].Write(d.data[from:to])
	}
	c.lengths.Put(c.scratch)
}

// writeDictionary takes the entries that an Arrow dictionary uses, each once.
func (c *stringValues) writeDictionary(arr *array.Dictionary) error {
	entries := arr.Dictionary()
	offsets, data, err := c.flatten(entries)
	if err != nil {
		return err
	}
	if !c.byDictionary || c.node.typ.Kind != orcwire.String {
		return c.decode(arrowdense.Indices(&c.at, arr), offsets, data)
	}
	if c.given.of != entries.Data() {
		c.given.forget()
		c.given.of, c.given.ids = entries.Data(), grow(c.given.ids, entries.Len())
		c.given.of.Retain()
		for i := range c.given.ids {
			c.given.ids[i] = -1
		}
	}
	indices := arrowdense.Indices(&c.at, arr)
	for c.byDictionary && len(indices) > 0 {
		room := c.ids.room()
		room = room[:min(len(room), len(indices))]
		if held, err := c.translate(room, indices, offsets, data); err != nil {
			return err
		} else if !held {
			c.giveUp()
			break
		}
		c.ids.fill(len(room))
		indices = indices[len(room):]
		c.addWords(room, lengthOf(room, c.dict.offsets))
		c.sample(true)
	}
	return c.decode(indices, offsets, data)
}

// translate sets ids to the numbers of as many indices; false: the dictionary does not hold all of them.
func (c *stringValues) translate(ids, indices, offsets []int32, data []byte) (held bool, err error) {
	given := c.given.ids
	for i := range ids {
		k := indices[i]
		id := given[k]
		if id < 0 {
			v := data[offsets[k]:offsets[k+1]]
			if !bitpack.UTF8(v) {
				return false, errNotText
			}
			if id, held = c.dict.addOne(v); !held {
				return false, nil
			}
			given[k] = id
		}
		ids[i] = id
	}
	return true, nil
}

// decodedAtOnce is about how many bytes of the values of a dictionary array are put together at a time.
const decodedAtOnce = 4 << 20

// decode writes the values that indices stand for as they are; offsets and data are the entries.
func (c *stringValues) decode(indices, offsets []int32, data []byte) error {
	for len(indices) > 0 {
		n, size := 0, 0
		for _, k := range indices {
			v := int(offsets[k+1]) - int(offsets[k])
			if size >= decodedAtOnce || size+v > math.MaxInt32 { // a huge value is on its own
				break
			}
			size += v
			n++
		}
		c.offs, c.flat8 = grow(c.offs, n+1), grow(c.flat8, size)
		c.offs[0] = 0
		at := 0
		for i, k := range indices[:n] {
			at += copy(c.flat8[at:], data[offsets[k]:offsets[k+1]])
			c.offs[i+1] = int32(at)
		}
		if err := c.writeFlat(c.offs, c.flat8); err != nil {
			return err
		}
		indices = indices[n:]
	}
	return nil
}

// flatten views an array as offsets into bytes, or converts it.
func (c *stringValues) flatten(arr arrow.Array) (offsets []int32, data []byte, err error) {
	if arr.Len() == 0 {
		return nil, nil, nil
	}
	bytesOf := func() []byte {
		if b := arr.Data().Buffers()[len(arr.Data().Buffers())-1]; b != nil {
			return b.Bytes()
		}
		return nil
	}
	switch a := arr.(type) {
	case *array.String:
		return a.ValueOffsets(), bytesOf(), nil
	case *array.Binary:
		return a.ValueOffsets(), bytesOf(), nil
	case *array.LargeString:
		return c.shorten(a.ValueOffsets(), bytesOf())
	case *array.LargeBinary:
		return c.shorten(a.ValueOffsets(), bytesOf())
	case *array.FixedSizeBinary:
		w := a.DataType().(*arrow.FixedSizeBinaryType).ByteWidth
		if int64(w)*int64(a.Len()) > math.MaxInt32 {
			return nil, nil, arrowdense.TooMuch()
		}
		c.offs = grow(c.offs, a.Len()+1)
		for i := range c.offs {
			c.offs[i] = int32(i * w)
		}
		return c.offs, bytesOf()[a.Data().Offset()*w:], nil
	case *array.StringView:
		return c.gather(a.Len(), func(i int) string { return a.Value(i) })
	case *array.BinaryView:
		return c.gather(a.Len(), func(i int) string { return a.ValueString(i) })
	}
	return nil, nil, mismatch(c.node, arr)
}

var errNotText = errs.Errorf(errs.ErrSchema, "a string is not UTF-8, which Arrow's type promises: cast the column to binary")

// shorten makes 32-bit offsets, counted from the first string.
func (c *stringValues) shorten(offsets []int64, data []byte) ([]int32, []byte, error) {
	first, last := offsets[0], offsets[len(offsets)-1]
	if last-first > math.MaxInt32 {
		return nil, nil, arrowdense.TooMuch()
	}
	c.offs = grow(c.offs, len(offsets))
	for i, o := range offsets {
		c.offs[i] = int32(o - first)
	}
	return c.offs, data[first:last], nil
}

// gather copies strings that do not lie one behind the other.
func (c *stringValues) gather(n int, at func(i int) string) ([]int32, []byte, error) {
	c.offs, c.flat8 = append(c.offs[:0], 0), c.flat8[:0]
	for i := range n {
		v := at(i)
		if len(c.flat8)+len(v) > math.MaxInt32 {
			return nil, nil, arrowdense.TooMuch()
		}
		c.flat8 = append(c.flat8, v...)
		c.offs = append(c.offs, int32(len(c.flat8)))
	}
	return c.offs, c.flat8, nil
}

// fit checks the length of varchar and char, and pads char with blanks, as ORC stores it.
func (c *stringValues) fit(offsets []int32, data []byte) ([]int32, []byte, error) {
	t := c.node.typ
	if t.Kind != orcwire.Varchar && t.Kind != orcwire.Char || len(offsets) < 2 {
		return offsets, data, nil
	}
	n := int(t.MaxLength)
	pad := t.Kind == orcwire.Char
	var out []byte
	var ends []int32
	if pad {
		out, ends = make([]byte, 0, len(data)), make([]int32, 1, len(offsets))
	}
	for i := range len(offsets) - 1 {
		v := data[offsets[i]:offsets[i+1]]
		k := utf8.RuneCount(v)
		if k > n {
			return nil, nil, errs.Errorf(errs.ErrSchema, "a string of %d characters for %s", k, t)
		}
		if pad {
			if k < n && len(v) > 0 && v[len(v)-1] == ' ' { // of k = n, readers may have kept the padding
				return nil, nil, errs.Errorf(errs.ErrSchema, "a string that ends in a space, which %s does not keep; without the metadata orc.type it is stored as it is", t)
			}
			out = append(out, v...)
			for ; k < n; k++ {
				out = append(out, ' ')
			}
			if len(out) > math.MaxInt32 {
				return nil, nil, arrowdense.TooMuch()
			}
			ends = append(ends, int32(len(out)))
		}
	}
	if pad {
		return ends, out, nil
	}
	return offsets, data, nil
}

func (c *stringValues) mark() {
	if c.byDictionary {
		c.starts = append(c.starts, c.ids.n)
		return
	}
	c.markDirect()
}

func (c *stringValues) markDirect() {
	c.flat = c.outs[0].Position(c.flat)
	c.flat = c.lengths.Position(c.flat)
	c.groups++
}

func (c *stringValues) finish() {
	if c.byDictionary && c.tooDistinct() {
		c.giveUp()
	}
	if c.byDictionary {
		c.finishDictionary()
	} else {
		c.lengths.Flush()
	}
	c.flush()
}

// finishDictionary writes the ids, and then the dictionary.
func (c *stringValues) finishDictionary() {
	d := &c.dict
	packing := c.node.d.packing
	packing.Numbers = true
	c.outs[0].Open(packing, nil)
	order := []int32(nil) // of the entries; nil = as they came
	if c.node.d.opt.Sorted {
		order = d.order()
		c.ids.rename(order)
	}
	c.flat, c.groups = c.flat[:0], 0
	at := 0
	for _, start := range c.starts {
		c.ids.each(at, start, c.runs.Put)
		c.flat = c.runs.Position(c.flat)
		c.groups++
		at = start
	}
	c.ids.each(at, c.ids.n, c.runs.Put)
	c.runs.Flush()
	c.scratch = grow(c.scratch, d.len())
	if order == nil {
		for i := range c.scratch {
			c.scratch[i] = d.offsets[i+1] - d.offsets[i]
		}
		c.outs[2].Write(d.data)
	}
	for i, id := range order {
		from, to := d.offsets[id], d.offsets[id+1]
		c.scratch[i] = to - from
		c.outs[2].Write(d.data[from:to])
	}
	c.lengths.Put(c.scratch)
	c.lengths.Flush()
}

func (c *stringValues) encoding() orcwire.Encoding {
	e := c.node.d.direct(true)
	if c.byDictionary {
		e.Kind = orcwire.DictionaryV2
		if c.node.d.opt.V11 {
			e.Kind = orcwire.Dictionary
		}
		e.DictionarySize = uint32(c.dict.len())
	}
	return e
}

// streams leaves out the dictionary's where there is none. All others are there even if they are empty: C++ wants them.
func (c *stringValues) streams() []stream {
	all := c.leaf.streams()
	if !c.byDictionary {
		all = all[:2]
	}
	return all
}

func (c *stringValues) size() int64 {
	return c.leaf.size() + int64(len(c.dict.data)) + 4*int64(c.ids.n) + 4*int64(c.dict.len())
}

func (c *stringValues) packed() int64 {
	return c.leaf.packed() + int64(len(c.dict.data)) + int64(c.ids.n) + int64(c.dict.len())
}

func (c *stringValues) reset() {
	c.clear()
	c.ids.reset()
	c.starts = c.starts[:0]
	c.given.forget()
	c.begin()
}
