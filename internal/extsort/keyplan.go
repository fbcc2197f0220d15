package extsort

import (
	"bytes"
	"math"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// keyPlan makes keys of batches of one schema.
type keyPlan struct {
	groups []keyGroup
	width  int // of every key; -1 = they differ
	texts  int // columns of texts
	mem    *arrowbuf.Arena

	valid validity // scratch from here on
	fixed []byte
	at    []uint32
}

// keyGroup is a column of texts, or the columns of fixed width between two of those.
type keyGroup struct {
	columns []keyColumn
	width   int // bytes of all columns, marks included; -1 = a text
	last    bool
	values  [][]byte // scratch: the texts of a batch; nil = null
}

// keyColumn is one column of the key.
type keyColumn struct {
	Key
	path   []int // of fields, from the schema down through structs
	marked bool  // a byte in front tells nulls from values
	encoder
}

// marks are the bytes in front of values and of nulls.
func (c *keyColumn) marks() (value, null byte) {
	if c.NullsFirst {
		return 1, 0
	}
	return 0, 1
}

// newKeyPlan resolves the columns that rows are sorted by. Those that do not exist, lie in lists, or are of a type without
// an order, are ErrSchema.
func newKeyPlan(s *arrow.Schema, by []Key, mem *arrowbuf.Arena) (*keyPlan, error) {
	if len(by) == 0 {
		return nil, errs.Errorf(errs.ErrOption, "%w names no columns", errs.Opt("sort", ""))
	}
	p := &keyPlan{mem: mem}
	for _, key := range by {
		c, err := newKeyColumn(s, key)
		if err != nil {
			return nil, err
		}
		w := c.width()
		if w < 0 {
			p.texts++
			p.groups = append(p.groups, keyGroup{columns: []keyColumn{c}, width: -1})
			continue
		}
		if n := len(p.groups); n == 0 || p.groups[n-1].width < 0 {
			p.groups = append(p.groups, keyGroup{})
		}
		g := &p.groups[len(p.groups)-1]
		g.columns = append(g.columns, c)
		g.width += w + c.mark()
	}
	p.groups[len(p.groups)-1].last = true
	p.width = -1
	if p.texts == 0 {
		p.width = p.groups[0].width
	}
	return p, nil
}

func newKeyColumn(s *arrow.Schema, key Key) (keyColumn, error) {
	name := key.Column
	refuse := func(format string, args ...any) (keyColumn, error) {
		return keyColumn{}, errs.Errorf(errs.ErrSchema, "%w: "+format, append([]any{errs.Opt("sort", "")}, args...)...)
	}
	path, err := expr.Resolve(s, name)
	if err != nil {
		return refuse("%w", err)
	}
	f := s.Field(path[0])
	c := keyColumn{Key: key, path: path, marked: f.Nullable}
	for _, i := range path[1:] {
		st, ok := arrowtype.Storage(f.Type).(*arrow.StructType)
		if !ok {
			return refuse("column %s: what is inside %s has no order", name, f.Type)
		}
		f = st.Field(i)
		c.marked = c.marked || f.Nullable
	}
	if c.encoder = newEncoder(f.Type); c.encoder == nil {
		return refuse("column %s: values of type %s have no order", name, f.Type)
	}
	switch c.encoder.(type) {
	case nullValues, *indirect: // the field does not tell
		c.marked = true
	}
	return c, nil
}

// mark is the size of the byte for nulls.
func (c *keyColumn) mark() int {
	if c.marked {
		return 1
	}
	return 0
}

// slots finds the column in a batch and sets valid.
func (c *keyColumn) slots(cols []arrow.Array, n int, valid *validity) (slots, error) {
	valid.reset(n)
	d := cols[c.path[0]].Data()
	s := slots{d, d.Offset(), n}
	for _, i := range c.path[1:] {
		valid.and(s)
		child := s.d.Children()[i]
		s = slots{child, child.Offset() + s.off, n}
	}
	err := c.nulls(valid, s)
	if err == nil && !c.marked && !valid.all() {
		err = errs.Errorf(errs.ErrSchema, "the column is declared to have no nulls, but has some")
	}
	return s, errs.Locate(err, errs.At{Column: c.Column})
}

// rowBytes is about what a row takes while keys are made, its key included.
func (p *keyPlan) rowBytes() int64 {
	var n int64
	for _, g := range p.groups {
		n += 2*int64(max(0, g.width)) + 4
	}
	return n + 32*int64(p.texts)
}

// make returns the keys of n rows.
func (p *keyPlan) make(cols []arrow.Array, n int) (keys, error) {
	if p.width >= 0 {
		own := newKeyMemory(p.mem)
		k := keys{width: p.width, data: own.data.Grow(n*p.width + keySlack), own: own}
		clear(k.data[n*p.width:])
		if err := p.putFixed(&p.groups[0], k.data, cols, n); err != nil {
			k.release()
			return keys{}, err
		}
		return k, nil
	}
	return p.makeVaried(cols, n)
}

// putFixed writes the columns of g for n rows, one row behind the other.
func (p *keyPlan) putFixed(g *keyGroup, dst []byte, cols []arrow.Array, n int) error {
	off := 0
	for i := range g.columns {
		c := &g.columns[i]
		s, err := c.slots(cols, n, &p.valid)
		if err != nil {
			return err
		}
		w, mark := c.width(), c.mark()
		if n > 0 && w > 0 {
			if err := c.put(dst[off+mark:], g.width, s); err != nil {
				return errs.Locate(err, errs.At{Column: c.Column})
			}
			if c.Descending {
				for at := off + mark; at < n*g.width; at += g.width {
					invert(dst[at:][:w])
				}
			}
		}
		if c.marked {
			present, null := c.marks()
			for at := off; at < n*g.width; at += g.width {
				dst[at] = present
			}
			if !p.valid.all() {
				p.valid.eachNull(func(row int) {
					value := dst[row*g.width+off:][:1+w]
					value[0] = null
					clear(value[1:])
				})
			}
		}
		off += w + mark
	}
	return nil
}

func (p *keyPlan) makeVaried(cols []arrow.Array, n int) (keys, error) {
	own := newKeyMemory(p.mem)
	k := keys{ends: own.ends.Grow(n + 1), own: own}
	err := p.measure(k.ends, cols, n)
	if err == nil {
		k.data = own.data.Grow(int(k.ends[n]) + keySlack)
		clear(k.data[k.ends[n]:])
		p.at = resize(p.at, n)
		copy(p.at, k.ends)
		for i := range p.groups {
			if err = p.putGroup(&p.groups[i], k.data, cols, n); err != nil {
				break
			}
		}
	}
	for i := range p.groups {
		clear(p.groups[i].values) // they keep the batch alive
	}
	if err != nil {
		k.release()
		return keys{}, err
	}
	return k, nil
}

// measure fetches the texts and sets ends to where the keys end.
func (p *keyPlan) measure(ends []uint32, cols []arrow.Array, n int) error {
	fixed := uint32(0)
	for _, g := range p.groups {
		if g.width >= 0 {
			fixed += uint32(g.width)
		} else {
			fixed += uint32(g.columns[0].mark())
		}
	}
	for i := range ends {
		ends[i] = fixed
	}
	total := int64(fixed) * int64(n)
	for i := range p.groups {
		g := &p.groups[i]
		if g.width >= 0 {
			continue
		}
		if err := p.fetch(g, cols, n); err != nil {
			return err
		}
		for _, v := range g.values {
			total += 2*int64(len(v)) + 2 // at most
		}
		if total > math.MaxUint32-keySlack {
			e := errs.Errorf(errs.ErrLimit, "the values of %d rows take more than 4 GiB as keys", n)
			e.Column = g.columns[0].Column
			return e
		}
		for row, v := range g.values {
			if v != nil {
				ends[row+1] += uint32(g.size(v))
			}
		}
	}
	ends[0] = 0
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	return nil
}

// fetch sets g.values.
func (p *keyPlan) fetch(g *keyGroup, cols []arrow.Array, n int) error {
	c := &g.columns[0]
	s, err := c.slots(cols, n, &p.valid)
	if err != nil {
		return err
	}
	g.values = resize(g.values, n)
	if err := c.texts(g.values, s); err != nil {
		return errs.Locate(err, errs.At{Column: c.Column})
	}
	for i, v := range g.values {
		if v == nil {
			g.values[i] = []byte{}
		}
	}
	p.valid.eachNull(func(row int) { g.values[row] = nil })
	return nil
}

// bare reports whether texts go without an end: that of the key is enough. Inverted, the shorter of two would then come first.
func (g *keyGroup) bare() bool { return g.last && !g.columns[0].Descending }

// invert turns the order of b around.
func invert(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

// size returns how many bytes a text takes.
func (g *keyGroup) size(v []byte) int {
	if g.bare() {
		return len(v)
	}
	return len(v) + bytes.Count(v, zero) + 2
}

var zero = []byte{0}

// putGroup writes g for n rows at p.at, which moves.
func (p *keyPlan) putGroup(g *keyGroup, dst []byte, cols []arrow.Array, n int) error {
	if g.width >= 0 {
		w := g.width
		p.fixed = resize(p.fixed, n*w)
		if err := p.putFixed(g, p.fixed, cols, n); err != nil {
			return err
		}
		for i, at := range p.at {
			copy(dst[at:], p.fixed[i*w:(i+1)*w])
			p.at[i] = at + uint32(w)
		}
		return nil
	}
	c := &g.columns[0]
	mark := c.mark()
	present, null := c.marks()
	for i, v := range g.values {
		at := int(p.at[i])
		if v == nil {
			dst[at] = null
			p.at[i]++
			continue
		}
		if mark > 0 {
			dst[at] = present
			at++
		}
		n := g.put(dst[at:], v)
		if c.Descending {
			invert(dst[at:][:n])
		}
		p.at[i] = uint32(at + n)
	}
	return nil
}

// put writes a text and returns its size.
func (g *keyGroup) put(dst, v []byte) int {
	if g.bare() {
		return copy(dst, v)
	}
	at := 0
	for {
		i := bytes.IndexByte(v, 0)
		if i < 0 {
			break
		}
		at += copy(dst[at:], v[:i+1])
		dst[at] = 1
		at++
		v = v[i+1:]
	}
	at += copy(dst[at:], v)
	dst[at], dst[at+1] = 0, 0
	return at + 2
}

// gather returns the keys of rows, in the memory of own.
func (p *keyPlan) gather(own *keyMemory, batches []*batch, refs []uint64) keys {
	n := len(refs)
	if w := p.width; w >= 0 {
		data := own.data.Grow(n*w + keySlack)
		for i, r := range refs {
			copy(data[i*w:][:w], batches[refBatch(r)].keys.data[refRow(r)*w:])
		}
		clear(data[n*w:])
		return keys{width: w, data: data}
	}
	ends := own.ends.Grow(n + 1)
	ends[0] = 0
	for i, r := range refs {
		from, to := batches[refBatch(r)].keys.span(refRow(r))
		ends[i+1] = ends[i] + uint32(to-from)
	}
	data := own.data.Grow(int(ends[n]) + keySlack)
	for i, r := range refs {
		copy(data[ends[i]:], batches[refBatch(r)].keys.key(refRow(r)))
	}
	clear(data[ends[n]:])
	return keys{ends: ends, data: data}
}
