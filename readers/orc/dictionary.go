package orc

import (
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// dictionary is that of a string column in one stripe. All readers of the stripe share it; it lives on Go's heap and
// does not change while they do.
type dictionary struct {
	entries bitpack.Dictionary
	offsets []int32
	data    []byte
	notText []bool // which entries are not UTF-8; nil = all are
	lent    bool   // Arrow may refer to it; guarded by stripe.mu
}

// size returns about how many bytes of memory it has.
func (d *dictionary) size() int { return cap(d.data) + cap(d.offsets)*(4+1+32) }

// dictionary returns the dictionary of c's column, which it reads if it was not read yet.
func (s *stripe) dictionary(g *branch, c *stringValues) (*dictionary, error) {
	id := c.node.typ.ID
	s.mu.Lock()
	d := s.dicts[id]
	if d != nil && c.kept {
		d.lent = true
	}
	s.mu.Unlock()
	if d != nil {
		return d, nil
	}
	d, err := s.readDictionary(g, c)
	if err != nil {
		return nil, err
	}
	d.lent = c.kept
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dicts == nil {
		s.dicts = map[int]*dictionary{}
	}
	s.dicts[id] = d
	return d, nil
}

// entrySlack is the memory behind entries, so that the last are copied as fast as others.
const entrySlack = 2 * bitpack.DstSlack

// lengthsAtOnce bounds what is taken for lengths before they have been seen.
const lengthsAtOnce = 1 << 16

func (s *stripe) readDictionary(g *branch, c *stringValues) (*dictionary, error) {
	id := c.node.typ.ID
	e := s.encoding(id)
	c.length.open(g, s, id, orcwire.Length)
	c.lengths.Open(&c.length.Bytes, e.Kind == orcwire.DictionaryV2, false)
	limit := min(s.file.limits.DictionaryBytes, math.MaxInt32) // the reach of offsets
	n := int64(e.DictionarySize)
	if !c.length.there {
		n = 0 // a column without a value may have no dictionary at all, whatever its size says
	}
	if 4*n > limit {
		return nil, errs.Errorf(errs.ErrLimit, "a dictionary of %d entries is over the limit DictionaryBytes = %d", n, limit)
	}
	d := s.file.newDictionary()
	d.offsets = resized(d.offsets, 1+int(min(n, lengthsAtOnce))+bitpack.DstSlack/4)[:1]
	d.offsets[0], d.notText = 0, nil
	total := int64(0)
	for left := n; left > 0; {
		k := int(min(left, lengthsAtOnce))
		at := len(d.offsets)
		d.offsets = slices.Grow(d.offsets, k+bitpack.DstSlack/4)[:at+k]
		if err := c.lengths.Next(d.offsets[at:]); err != nil {
			return nil, c.length.fail(err)
		}
		for i, l := range d.offsets[at:] {
			if total += int64(l); l < 0 || total > limit {
				return nil, c.length.fail(errs.Errorf(errs.ErrLimit, "a dictionary is over the limit DictionaryBytes = %d", limit))
			}
			d.offsets[at+i] = int32(total)
		}
		left -= int64(k)
	}
	if err := d.read(&c.entries, g, s, id, total); err != nil {
		return nil, err
	}
	if c.strip {
		d.unpad()
	}
	d.findText()
	d.entries.Reset(d.offsets, d.data[:len(d.data)+entrySlack])
	return d, nil
}

// read fetches the entries' bytes through in.
func (d *dictionary) read(in *input, g *branch, s *stripe, column int, n int64) error {
	in.open(g, s, column, orcwire.DictionaryData)
	if most := in.MostLeft(); n > most {
		return in.fail(errs.Errorf(errs.ErrCorrupt, "the entries of a dictionary have %d bytes, the stream has at most %d", n, most))
	}
	d.data = resized(d.data, int(n)+entrySlack)[:n]
	err := in.fail(in.Take(d.data))
	in.close(spareDictionary)
	return err
}

// unpad removes the blanks at the end of each entry.
func (d *dictionary) unpad() {
	to, from := int32(0), int32(0)
	for i, end := range d.offsets[1:] {
		v := stripped(d.data[from:end])
		copy(d.data[to:], v)
		to += int32(len(v))
		d.offsets[i+1], from = to, end
	}
	d.data = d.data[:to]
}

// findText looks for entries that are not UTF-8.
func (d *dictionary) findText() {
	for from := 0; ; {
		i := bitpack.FirstNotUTF8(d.offsets[from:], d.data)
		if i < 0 {
			return
		}
		if d.notText == nil {
			d.notText = make([]bool, len(d.offsets)-1)
		}
		d.notText[from+i] = true
		from += i + 1
	}
}

// check tests ids that will be handed over as they are.
func (d *dictionary) check(ids []int32, text bool) error {
	if !d.entries.Has(ids) {
		return bitpack.ErrID
	}
	if text && d.notText != nil {
		for _, id := range ids {
			if d.notText[id] {
				return errs.Errorf(errs.ErrCorrupt, "a string is not UTF-8: %w shows its bytes", errs.Opt("orc-strings", "binary"))
			}
		}
	}
	return nil
}

// array returns the entries as an array, which the caller releases. An entry that is not UTF-8 and that no row has is
// shown as empty.
func (d *dictionary) array(t arrow.DataType, text bool) arrow.ArrayData {
	offsets, data := d.offsets, d.data
	if text && d.notText != nil {
		offsets, data = d.onlyText()
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), memory.NewBufferBytes(data)}
	return array.NewData(t, len(offsets)-1, buffers, nil, 0, 0)
}

func (d *dictionary) onlyText() (offsets []int32, data []byte) {
	offsets = make([]int32, 1, len(d.offsets))
	for i, end := range d.offsets[1:] {
		if !d.notText[i] {
			data = append(data, d.data[d.offsets[i]:end]...)
		}
		offsets = append(offsets, int32(len(data)))
	}
	return offsets, data
}
