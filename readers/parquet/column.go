package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// column decodes a stored column of a row group, a number of rows at a time.
type column struct {
	*node
	pages  pageReader
	values values

	// The page being read.
	left int           // level entries left
	runs decode.Hybrid // of definition levels, where they are the validity of top-level slots
	defs []uint8       // levels of the page, where there are more of them
	reps []uint8
	pos  int // of the next entry in defs and reps

	// The batch being built.
	valid     arrowbuf.Bits
	slots     int
	nulls     int
	batchDefs []uint8 // where a field above needs them
	batchReps []uint8
	keep      bool // batchDefs and batchReps are kept

	rowsLeft int64 // rows of the row group that were not passed
	scratch  []byte
}

// simple reports whether definition levels are the validity of the slots: nothing above the leaf can be null.
func (c *column) simple() bool {
	return c.maxRep == 0 && c.maxDef == 1 && c.def == 1 && c.field.Nullable
}

// advance makes the next data page the current one. Of the next rows, pass are not wanted: pages that have no others are
// left out. It returns how many rows they have; where these are all of pass, no page is begun.
func (c *column) advance(pass int64) (passed int64, err error) {
	for c.left == 0 {
		if c.pages.only != nil {
			if err := c.prepare(); err != nil {
				return passed, err
			}
			passed += c.pages.jump(pass - passed)
		}
		if pass > 0 && passed == pass {
			return passed, nil
		}
		p, ok, err := c.pages.header()
		if err != nil {
			return passed, err
		}
		if !ok {
			return passed, corrupt("the column chunk ends before its row group, which has %d rows", c.pages.rows)
		}
		if err := c.begin(&p, pass, &passed); err != nil {
			return passed, errs.Locate(damaged(err), errs.At{Off: errs.N(p.off)})
		}
	}
	return passed, nil
}

// begin begins a page, unless it is to be left out.
func (c *column) begin(p *page, pass int64, passed *int64) error {
	switch {
	case p.Kind == decode.DataPage || p.Kind == decode.DataPageV2:
	case c.pages.only != nil: // what is in front of the data pages was read
		return corrupt("the offset index has a page that is no data page")
	case p.Kind == decode.DictionaryPage:
		return c.readDictionary(p)
	default:
		return nil
	}
	if c.pages.only != nil {
		if err := c.pages.indexed(p, c.maxRep > 0); err != nil {
			return err
		}
	} else if c.pages.levels += int64(p.Values); c.pages.levels > c.pages.chunk.Values {
		return corrupt("pages of %d values in a column chunk of %d", c.pages.levels, c.pages.chunk.Values)
	}
	if c.maxRep == 0 && int64(p.Values) <= pass-*passed {
		*passed += int64(p.Values)
		return nil
	}
	return c.beginPage(p)
}

// prepare reads the dictionary in front of the data pages that were fetched.
func (c *column) prepare() error {
	r := &c.pages
	for !r.begun {
		first := r.only[0].Off
		if r.off >= first {
			r.begun, r.off = true, first
			break
		}
		p, ok, err := r.header()
		if err != nil {
			return err
		}
		if !ok {
			return corrupt("the column chunk ends before its first data page")
		}
		if p.Kind == decode.DictionaryPage {
			if err := c.readDictionary(&p); err != nil {
				return errs.Locate(damaged(err), errs.At{Off: errs.N(p.off)})
			}
		}
	}
	return nil
}

func (c *column) readDictionary(p *page) error {
	if p.Encoding != decode.Plain && p.Encoding != decode.PlainDictionary {
		return errs.Errorf(errs.ErrUnsupported, "encoding %s of a dictionary", p.Encoding)
	}
	if int64(p.Raw) > c.pages.limits.DictionaryBytes {
		return errs.Errorf(errs.ErrLimit, "a dictionary of %d bytes (Limits.DictionaryBytes)", p.Raw)
	}
	_, raw, err := c.pages.body(p)
	if err != nil {
		return err
	}
	if p.Values > len(raw) && c.field.Type.ID() != 0 && (p.Values-1)*c.elemBytes() >= len(raw) {
		return decode.ErrValues
	}
	return c.values.dictionary(raw, p.Values)
}

// elemBytes returns the least that a stored value takes.
func (c *column) elemBytes() int {
	switch c.elem.Type {
	case decode.Boolean:
		return 0
	case decode.ByteArray:
		return 4
	}
	return newStored(c.elem).width
}

// beginPage decompresses a data page and decodes its levels.
func (c *column) beginPage(p *page) error {
	if int64(p.Values) > c.pages.limits.BatchElements {
		return errs.Errorf(errs.ErrLimit, "a page of %d values (Limits.BatchElements)", p.Values)
	}
	levels, raw, err := c.pages.body(p)
	if err != nil {
		return err
	}
	if p.Kind == decode.DataPageV2 {
		if c.maxRep > 0 {
			if err := c.levels(&c.reps, levels[:p.RepBytes], p.Values, c.maxRep); err != nil {
				return err
			}
		}
		if err := c.definitions(levels[p.RepBytes:], p.Values); err != nil {
			return err
		}
	} else {
		if c.maxRep > 0 {
			if raw, err = c.versionOne(&c.reps, raw, p.RepEncoding, p.Values, c.maxRep); err != nil {
				return err
			}
		}
		if c.maxDef > 0 {
			if raw, err = c.versionOne(nil, raw, p.DefEncoding, p.Values, c.maxDef); err != nil {
				return err
			}
		}
	}
	c.left, c.pos = p.Values, 0
	return c.values.page(p.Encoding, raw, p.Values)
}

// versionOne decodes levels of a page of version 1, repetition levels to dst, definition levels where that is nil, and
// returns what is behind them.
func (c *column) versionOne(dst *[]uint8, raw []byte, e decode.Encoding, n int, highest uint8) ([]byte, error) {
	width := uint(bits.Len8(highest))
	if e == decode.BitPacked {
		to := dst
		if to == nil {
			to = &c.defs
		}
		*to = grown(*to, n)
		used, err := decode.BitPackedLevels(*to, raw, width)
		if err == nil {
			err = checkLevels(*to, highest)
		}
		if err == nil && dst == nil && c.simple() { // as a bitmap in a run of its own
			b := binary.AppendUvarint(nil, uint64((n+7)/8)<<1|1)
			at := len(b)
			b = append(b, make([]byte, (n+7)/8)...)
			for i, d := range *to {
				b[at+i/8] |= d << (i % 8)
			}
			c.runs.Reset(b, 1)
		}
		if err != nil {
			return nil, err
		}
		return raw[used:], nil
	}
	if e != decode.RLE {
		return nil, errs.Errorf(errs.ErrUnsupported, "encoding %s of levels", e)
	}
	if len(raw) < 4 {
		return nil, decode.ErrRuns
	}
	size := binary.LittleEndian.Uint32(raw)
	if uint64(size) > uint64(len(raw)-4) {
		return nil, decode.ErrRuns
	}
	levels, rest := raw[4:4+size], raw[4+size:]
	if dst == nil {
		return rest, c.definitions(levels, n)
	}
	return rest, c.levels(dst, levels, n, highest)
}

// definitions decodes n definition levels, or prepares for decoding them as bits.
func (c *column) definitions(b []byte, n int) error {
	switch {
	case c.maxDef == 0:
		return nil
	case c.simple():
		c.runs.Reset(b, 1)
		return nil
	}
	return c.levels(&c.defs, b, n, c.maxDef)
}

func (c *column) levels(dst *[]uint8, b []byte, n int, highest uint8) error {
	*dst = grown(*dst, n)
	var h decode.Hybrid
	h.Reset(b, uint(bits.Len8(highest)))
	if err := h.Levels(*dst); err != nil {
		return err
	}
	return checkLevels(*dst, highest)
}

func checkLevels(levels []uint8, highest uint8) error {
	over := uint64(0)
	i := 0
	for room := uint64(127-highest) * (highBits >> 7); highest < 128 && i+8 <= len(levels); i += 8 {
		over |= binary.LittleEndian.Uint64(levels[i:]) + room
	}
	bad := over&highBits != 0
	for _, l := range levels[i:] {
		bad = bad || l > highest
	}
	if bad {
		return corrupt("a level where %d is the highest", highest)
	}
	return nil
}

// read decodes the next n rows.
func (c *column) read(n int64) error {
	if n > c.rowsLeft {
		return corrupt("%d rows where %d are left", n, c.rowsLeft)
	}
	c.rowsLeft -= n
	if c.maxRep > 0 {
		return c.eachRow(n, c.entries)
	}
	for n > 0 {
		if _, err := c.advance(0); err != nil {
			return err
		}
		k := int(min(int64(c.left), n))
		if err := c.entries(k); err != nil {
			return damaged(err)
		}
		n -= int64(k)
	}
	return nil
}

// skip passes over n rows.
func (c *column) skip(n int64) error {
	if n > c.rowsLeft {
		return corrupt("%d rows where %d are left", n, c.rowsLeft)
	}
	if c.maxRep > 0 {
		return c.skipRepeated(n)
	}
	for n > 0 {
		passed, err := c.advance(n)
		if err != nil {
			return err
		}
		c.rowsLeft -= passed
		if n -= passed; n == 0 {
			break
		}
		k := int(min(int64(c.left), n))
		if err := c.pass(k); err != nil {
			return damaged(err)
		}
		n -= int64(k)
		c.rowsLeft -= int64(k)
	}
	return nil
}

// rowEnd returns how many entries of the page, from pos on, are in front of row n of those that begin among them, and how
// many rows begin there.
func (c *column) rowEnd(n int64) (entries int, began int64) {
	reps := c.reps[c.pos : c.pos+c.left]
	i := 0
	for ; i+8 <= len(reps); i += 8 { // repetition levels are below 128
		k := 8 - int64(bits.OnesCount64((binary.LittleEndian.Uint64(reps[i:])+lowBits)&highBits))
		if began+k > n {
			break
		}
		began += k
	}
	for ; i < len(reps); i++ {
		if reps[i] == 0 {
			if began == n {
				return i, began
			}
			began++
		}
	}
	return len(reps), began
}

func (c *column) skipRepeated(n int64) error {
	if c.pages.only != nil && c.left == 0 {
		if err := c.prepare(); err != nil {
			return err
		}
		k := c.pages.jump(n)
		n -= k
		c.rowsLeft -= k
	}
	c.rowsLeft -= n
	return c.eachRow(n, c.pass)
}

// eachRow gives the entries of the next n rows to use. A row ends where the next begins, which may be on another page.
func (c *column) eachRow(n int64, use func(int) error) error {
	for began := int64(0); n > 0; {
		if c.left == 0 {
			if began == n && c.atEnd() {
				return nil
			}
			if _, err := c.advance(0); err != nil {
				return err
			}
			continue
		}
		if began == 0 && c.reps[c.pos] != 0 {
			return corrupt("a row begins inside a list")
		}
		k, more := c.rowEnd(n - began)
		began += more
		whole := k == c.left
		if err := use(k); err != nil {
			return damaged(err)
		}
		if !whole {
			return nil
		}
	}
	return nil
}

// atEnd reports whether no page follows that the last row could go on in.
func (c *column) atEnd() bool {
	if c.pages.only != nil { // pages with an offset index begin with a row
		return true
	}
	return c.pages.levels >= c.pages.chunk.Values
}

// entries takes the next k entries of the page.
func (c *column) entries(k int) error {
	c.left -= k
	var err error
	switch {
	case c.maxDef == 0:
		c.slots += k
		err = c.values.read(k, k, nil, 0)
	case c.simple():
		b, off := c.valid.Grow(k)
		var set int
		if set, err = c.runs.Bits(b, off, k); err == nil {
			c.slots += k
			c.nulls += k - set
			err = c.values.read(k, set, b, off)
		}
	default:
		defs := c.defs[c.pos : c.pos+k]
		if c.keep {
			c.batchDefs = append(c.batchDefs, defs...)
			if c.maxRep > 0 {
				c.batchReps = append(c.batchReps, c.reps[c.pos:c.pos+k]...)
			}
		}
		c.pos += k
		c.scratch = grown(c.scratch, k/8+16)
		slots, set := levelBits(c.scratch, defs, c.anc, c.maxDef)
		if int64(c.slots+slots) > c.pages.limits.BatchElements {
			return errs.Errorf(errs.ErrLimit, "more than %d values in one batch (Limits.BatchElements)", c.pages.limits.BatchElements)
		}
		off := c.valid.Len()
		c.valid.Append(c.scratch, 0, slots)
		c.slots += slots
		c.nulls += slots - set
		err = c.values.read(slots, set, c.valid.Bytes(), off)
	}
	if err == nil && c.values.bytes() > c.pages.limits.BatchBytes {
		err = errs.Errorf(errs.ErrLimit, "values of more than %d bytes in one batch (Limits.BatchBytes)", c.pages.limits.BatchBytes)
	}
	return err
}

// pass passes over the next k entries of the page.
func (c *column) pass(k int) error {
	c.left -= k
	stored := k
	switch {
	case c.maxDef == 0:
	case c.simple():
		c.scratch = grown(c.scratch, k/8+16)
		set, err := c.runs.Bits(c.scratch, 0, k)
		if err != nil {
			return err
		}
		stored = set
	default:
		stored = 0
		for _, d := range c.defs[c.pos : c.pos+k] {
			if d == c.maxDef {
				stored++
			}
		}
		c.pos += k
	}
	return c.values.skip(stored)
}

// The highest bit of each of eight levels, and the bits below.
const (
	lowBits  = 0x7f7f7f7f7f7f7f7f
	highBits = 0x8080808080808080
)

// levelBits writes a bit for every slot among definition levels, those of at least anc: whether the level is the highest.
// It returns the numbers of slots and of set bits. dst has a word more than the bits take.
func levelBits(dst []byte, defs []uint8, anc, highest uint8) (slots, set int) {
	if anc == 0 && highest < 128 {
		all := uint64(highest) * 0x0101010101010101
		i := 0
		for ; i+8 <= len(defs); i += 8 {
			x := binary.LittleEndian.Uint64(defs[i:]) ^ all // 0 where the level is the highest
			m := (^(x + lowBits) & highBits) >> 7           // 1 there
			dst[i>>3] = byte(m * 0x0102040810204080 >> 56)  // a bit of each byte
			set += bits.OnesCount64(m)
		}
		if i < len(defs) {
			b := byte(0)
			for j, d := range defs[i:] {
				if d == highest {
					b |= 1 << j
					set++
				}
			}
			dst[i>>3] = b
		}
		return len(defs), set
	}
	var word uint64
	n := uint(0)
	at := 0
	for _, d := range defs {
		is, there := uint64(0), uint(0)
		if d == highest {
			is = 1
		}
		if d >= anc {
			there = 1
		}
		word |= is << n
		n += there
		set += int(is)
		if n == 64 {
			binary.LittleEndian.PutUint64(dst[at:], word)
			at += 8
			word, n = 0, 0
		}
	}
	binary.LittleEndian.PutUint64(dst[at:], word)
	return at*8 + int(n), set
}

// take hands over the array of the leaf's slots.
func (c *column) take() (*array.Data, error) {
	slots, nulls := c.slots, c.nulls
	c.slots, c.nulls = 0, 0
	if nulls == 0 || !c.field.Nullable {
		c.valid.Release()
		d, err := c.values.take(c.field.Type, slots, 0, nil)
		return d, damaged(err)
	}
	d, err := c.values.take(c.field.Type, slots, nulls, c.valid.Take())
	return d, damaged(err)
}

func (c *column) release() {
	c.values.release()
	c.valid.Release()
	spare(&c.pages.data.buf)
	spare(&c.pages.raw)
}
