package orc

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// stringValues decodes strings and binary into offsets and bytes: direct, or by a dictionary, as the stripe has it.
type stringValues struct {
	node    *node
	data    input // bytes, or ids
	length  input
	lengths orcwire.Ints[int32] // direct
	ids     orcwire.Ints[int32]
	entries input       // of the dictionary, while it is read
	dict    *dictionary // nil = direct
	kept    bool        // the dictionary is handed over
	text    bool        // must be UTF-8
	strip   bool        // char: without the blanks at the end

	brief bool  // confirm is passing over a row group whose strings have
	sum   int64 // so many bytes; -1 = unknown

	offsets arrowbuf.Offsets
	bytes   arrowbuf.Vec[uint8]
	scratch []int32
	runs    [][2]int // scratch too
}

func newStrings(n *node) content {
	c := &stringValues{node: n, offsets: arrowbuf.NewOffsets(&n.branch.arena), bytes: arrowbuf.NewVec[uint8](&n.branch.arena)}
	n.uses(&c.data, numbersOfBytes)
	n.uses(&c.length, numbersOfRuns)
	t := n.field.Type
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.ValueType
	}
	c.text = t.ID() == arrow.STRING
	c.strip = n.typ.Kind == orcwire.Char && !n.tree.file.opt.KeepPadding
	if n.field.Type.ID() == arrow.DICTIONARY {
		c.kept = true
		return &keptDictionary{stringValues: c, out: arrowbuf.NewVec[int32](&n.branch.arena)}
	}
	return c
}

func (c *stringValues) open(s *stripe) error {
	e := s.encoding(c.node.typ.ID).Kind
	g, id := c.node.branch, c.node.typ.ID
	c.data.open(g, s, id, orcwire.Data)
	c.dict = nil
	switch e {
	case orcwire.Direct, orcwire.DirectV2:
		c.length.open(g, s, id, orcwire.Length)
		c.lengths.Open(&c.length.Bytes, e == orcwire.DirectV2, false)
	case orcwire.Dictionary, orcwire.DictionaryV2:
		c.ids.Open(&c.data.Bytes, e == orcwire.DictionaryV2, false)
		if g.tree.putOff && !s.hasDictionary(id) {
			c.length.there = false
			g.tree.later = append(g.tree.later, func() error { return c.node.located(c.openDictionary(s)) })
			return nil
		}
		return c.openDictionary(s)
	default:
		return errs.Errorf(errs.ErrCorrupt, "encoding %v for a column of type %s", e, c.node.typ)
	}
	return nil
}

// openDictionary takes the dictionary of the stripe, which may be read for it.
func (c *stringValues) openDictionary(s *stripe) (err error) {
	c.dict, err = s.dictionary(c.node.branch, c)
	c.length.there = false // rows have none
	return err
}

func (c *stringValues) seek(p *orcwire.Positions) error {
	if c.dict != nil {
		return c.ids.Seek(p)
	}
	if err := c.data.Seek(p); err != nil {
		return err
	}
	return c.lengths.Seek(p)
}

func (c *stringValues) standing(to []orcwire.Place) []orcwire.Place {
	if c.dict != nil {
		return append(to, c.ids.Place(), orcwire.Place{})
	}
	if c.brief && c.sum < 0 {
		return append(to, orcwire.UnknownPlace(), c.lengths.Place())
	}
	return append(to, c.data.Place(), c.lengths.Place())
}

func (c *stringValues) read(s arrowbuf.Slots) error {
	if err := c.node.tree.batch.Take(4 * int64(s.N)); err != nil {
		return err
	}
	slots, ends := c.offsets.Grow(s.N, s.Count) // spread afterwards
	var err error
	if c.dict != nil {
		err = c.look(ends)
	} else {
		err = c.copy(ends)
	}
	if err != nil {
		return err
	}
	if s.Present != nil {
		bitpack.SpreadOffsets(slots, s.Present, s.Off)
	}
	return nil
}

// room admits n more bytes and returns where they go.
func (c *stringValues) room(n int64) ([]byte, error) {
	if err := c.node.tree.batch.Take(n); err != nil {
		return nil, err
	}
	if int64(c.bytes.Len())+n > math.MaxInt32 {
		return nil, errs.Errorf(errs.ErrLimit, "a batch holds over 2 GiB of strings: take fewer rows in a batch")
	}
	return c.bytes.Tail(int(n)), nil
}

// copy decodes direct values: their lengths into ends, behind ends[0], and their bytes.
func (c *stringValues) copy(ends []int32) error {
	if err := c.lengths.Next(ends[1:]); err != nil {
		return c.length.fail(err)
	}
	start := ends[0]
	last, err := bitpack.Offsets(ends)
	if err != nil {
		return c.length.fail(errs.Errorf(errs.ErrLimit, "a batch holds over 2 GiB of strings: take fewer rows in a batch"))
	}
	n := int64(last) - int64(start)
	if err := c.checkLength(n); err != nil {
		return err
	}
	dst, err := c.room(n)
	if err != nil {
		return err
	}
	if err := c.data.Take(dst[:n]); err != nil {
		return c.data.fail(err)
	}
	c.bytes.Extend(int(n))
	if c.strip {
		c.unpad(ends)
	}
	return c.check(ends)
}

// checkLength checks lengths against what the stream can hold, before memory is taken for them.
func (c *stringValues) checkLength(n int64) error {
	if most := c.data.MostLeft(); n > most {
		return c.data.fail(errs.Errorf(errs.ErrCorrupt, "%d bytes of strings wanted, the stream has at most %d", n, most))
	}
	return nil
}

// check tests that new text is UTF-8.
func (c *stringValues) check(ends []int32) error {
	if !c.text {
		return nil
	}
	if i := bitpack.FirstNotUTF8(ends, c.bytes.Values()); i >= 0 {
		return c.data.fail(errs.Errorf(errs.ErrCorrupt, "a string is not UTF-8: %w shows its bytes", errs.Opt("orc-strings", "binary")))
	}
	return nil
}

// unpad removes the blanks at the end of each of the last values.
func (c *stringValues) unpad(ends []int32) {
	b := c.bytes.Values()
	to := ends[0]
	from := to
	for i, end := range ends[1:] {
		v := stripped(b[from:end])
		copy(b[to:], v)
		to += int32(len(v))
		ends[i+1], from = to, end
	}
	c.bytes.Shrink(int(from - to))
}

// stripped returns v without the blanks at its end.
func stripped(v []byte) []byte {
	for len(v) > 0 && v[len(v)-1] == ' ' {
		v = v[:len(v)-1]
	}
	return v
}

// idsAtOnce is how many ids are decoded before their entries are copied: they are still in the nearest cache.
const idsAtOnce = 4 << 10

// look decodes ids, one less than ends, and copies their entries.
func (c *stringValues) look(ends []int32) error {
	count := len(ends) - 1
	longest := int64(c.dict.entries.Longest())
	room := int64(count) * longest
	if room > cheapBytes || count == 0 {
		ids, err := c.nextIDs(count)
		if err != nil {
			return err
		}
		return c.gather(ends, ids)
	}
	if _, err := c.room(room); err != nil {
		return err
	}
	for from := 0; from < count; from += idsAtOnce {
		to := min(from+idsAtOnce, count)
		ids, err := c.nextIDs(to - from)
		if err != nil {
			return err
		}
		if err := c.put(ends[from:to+1], ids, int64(len(ids))*longest); err != nil {
			return err
		}
	}
	return nil
}

// gather copies the entries of ids.
func (c *stringValues) gather(ends, ids []int32) error {
	if len(ids) == 0 {
		return nil
	}
	var err error
	d := &c.dict.entries
	n := int64(len(ids)) * int64(d.Longest())
	if n > cheapBytes {
		if n, err = d.Size(ids); err != nil {
			return c.data.fail(err)
		}
	}
	if _, err := c.room(n); err != nil {
		return err
	}
	return c.put(ends, ids, n)
}

// put copies the entries of ids to where there is room. admitted is how many bytes of it are for them.
func (c *stringValues) put(ends, ids []int32, admitted int64) error {
	if err := c.dict.entries.Gather(ends, c.bytes.Room(), ids); err != nil {
		return c.data.fail(err)
	}
	c.bytes.Extend(int(ends[len(ends)-1]) - c.bytes.Len())
	c.node.tree.batch.Give(admitted - int64(ends[len(ends)-1]-ends[0]))
	if c.dict.notText != nil && c.text {
		return c.check(ends)
	}
	return nil
}

// cheapBytes is how much room is taken for entries of the greatest length rather than adding up lengths.
const cheapBytes = 4 << 20

func (c *stringValues) nextIDs(n int) ([]int32, error) {
	c.scratch = grow(c.scratch, n+bitpack.DstSlack/4)
	ids := c.scratch[:n]
	return ids, c.data.fail(c.ids.Next(ids))
}

func (c *stringValues) skip(n int64) error {
	if c.dict != nil {
		return c.data.fail(skipAll(n, c.ids.Skip))
	}
	if c.brief {
		if c.sum > 0 {
			if err := c.data.Discard(c.sum); err != nil {
				return c.data.fail(err)
			}
			c.sum = 0 // once, though lists come here in steps
		}
		return c.length.fail(skipAll(n, c.lengths.Skip))
	}
	for n > 0 {
		k := int(min(n, stepRows))
		c.scratch = grow(c.scratch, k+bitpack.DstSlack/4)
		lens := c.scratch[:k]
		if err := c.lengths.Next(lens); err != nil {
			return c.length.fail(err)
		}
		if err := c.pass(lens); err != nil {
			return err
		}
		n -= int64(k)
	}
	return nil
}

func (c *stringValues) take(b []*memory.Buffer) parts {
	if c.bytes.Len() == 0 {
		c.bytes.Grow(0)
	}
	return parts{buffers: append(b, c.offsets.Take(), c.bytes.Take())}
}

func (c *stringValues) release() {
	c.offsets.Release()
	c.bytes.Release()
}

// keptDictionary hands over ids and the dictionary of the stripe. A stripe that stores strings as they are has none:
// the strings of each batch become one, each of them once.
type keptDictionary struct {
	*stringValues
	out  arrowbuf.Vec[int32]
	seen map[string]int32
}

func (k *keptDictionary) read(s arrowbuf.Slots) error {
	if err := k.node.tree.batch.Take(4 * int64(s.N)); err != nil {
		return err
	}
	dst := k.out.Grow(s.N)
	stored := dst[s.N-s.Count:]
	if k.dict == nil {
		if err := k.number(stored); err != nil {
			return err
		}
	} else {
		if err := k.ids.Next(stored); err != nil {
			return k.data.fail(err)
		}
		if err := k.dict.check(stored, k.text); err != nil {
			return k.data.fail(err)
		}
	}
	arrowbuf.Spread(dst, s)
	return nil
}

// number reads direct values and gives each distinct one a number.
func (k *keptDictionary) number(dst []int32) error {
	c := k.stringValues
	values := c.offsets.Len() // distinct so far
	at := c.offsets.End()
	c.scratch = grow(c.scratch, len(dst)+1+bitpack.DstSlack/4)
	ends := c.scratch[:len(dst)+1]
	ends[0] = at
	if err := c.copy(ends); err != nil {
		return err
	}
	if k.seen == nil {
		k.seen = map[string]int32{}
	}
	b := c.bytes.Values()
	to := at
	for i := range dst {
		v := b[ends[i]:ends[i+1]]
		id, ok := k.seen[string(v)]
		if !ok {
			id = int32(values)
			values++
			k.seen[string(v)] = id
			copy(b[to:], v)
			to += int32(len(v))
			c.offsets.Append(to)
		}
		dst[i] = id
	}
	c.bytes.Shrink(c.bytes.Len() - int(to))
	return nil
}

func (k *keptDictionary) take(b []*memory.Buffer) parts {
	p := parts{buffers: append(b, k.out.Take())}
	valueType := k.node.field.Type.(*arrow.DictionaryType).ValueType
	if k.dict != nil {
		p.dictionary = k.dict.array(valueType, k.text)
	} else {
		a := &k.node.branch.arena
		own := k.stringValues.take(append(a.Buffers(), nil))
		p.dictionary = a.Data(valueType, len(k.seen), own.buffers, nil, 0)
	}
	k.seen = nil
	return p
}

func (k *keptDictionary) release() {
	k.out.Release()
	k.stringValues.release()
	k.seen = nil
}
