package parquet

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/parquetwire/encode"
)

// values are those of one column, without nulls. load takes them from an array; the methods that follow are about a part
// of what was loaded last. Strings lie in memory of the array until the next load.
type values interface {
	load(w *worker, arr arrow.Array, p positions) error
	// size returns how many bytes the values from one to another take without a dictionary. It may count more.
	size(from, to int) int
	plain(dst []byte, from, to int) []byte
	// index appends the numbers of values in the dictionary, which gets those that it lacks.
	index(dst []uint32, from, to int) []uint32
	// dictionary returns how many entries there are and how many bytes they take.
	dictionary() (entries, size int)
	// entry appends the number of one value.
	entry(value int) uint32
	// lookup appends the dictionary's values with these numbers.
	lookup(dst []byte, index []uint32) []byte
	appendDictionary(dst []byte) []byte
	// observe takes entries of the dictionary into the statistics.
	observe(entries []uint32)
	stats() *bounds
	// reset forgets the dictionary.
	reset()
	// hash appends the hashes of the dictionary's values, for a bloom filter.
	hash()
	hashes() *[]uint64
}

// column encodes one leaf of the schema, a column chunk a row group.
type column struct {
	*leaf
	o       *Options
	packing packing
	values  values

	// The open page.
	defs, reps []uint8
	entries    int
	rows       int64
	present    int    // values that are not null
	raw        []byte // PLAIN; nothing if indexed
	index      []uint32
	bytes      int // of the values, without a dictionary

	// The open column chunk.
	indexed   bool // pages have dictionary indices
	kept      bool // some page has
	pages     rope
	dictPage  []byte
	located   []encode.Location
	pageIndex encode.ColumnIndex
	noIndex   bool // bounds of some page are not known
	chunk     bounds
	total     encode.Chunk
	groupRows int64
	rawBytes  int64 // of values and levels, without dictionaries

	// The batch.
	codes []int32 // of a dictionary array: the values are its dictionary
	remap []int64 // the entry that a value of it is, -1 = not known
}

func newColumn(l *leaf, d *driver) *column {
	c := &column{leaf: l, o: &d.o, packing: d.packing, values: newValues(l)}
	c.begin()
	return c
}

// begin starts a column chunk.
func (c *column) begin() {
	c.indexed, c.kept = c.dictionary, false
	c.pages.reset()
	c.dictPage, c.located = c.dictPage[:0], nil
	c.pageIndex, c.noIndex = encode.ColumnIndex{}, false
	c.chunk = bounds{}
	c.total = encode.Chunk{Type: c.wire.Type, Path: c.path, Codec: c.packing.wire}
	c.groupRows, c.rawBytes = 0, 0
	c.values.reset()
}

// add takes the values at p of arr, whose slots are s.
func (c *column) add(w *worker, arr arrow.Array, s slots, p positions) error {
	if err := c.load(w, arr, p); err != nil {
		return errs.Locate(err, errs.At{Column: c.column})
	}
	const most = 4096 // entries at a time
	done := 0         // values
	for i := 0; i < s.n; {
		if c.rows >= c.o.PageRows || c.bytes >= c.o.PageBytes || c.entries >= 4*c.o.PageBytes {
			if err := c.endPage(w); err != nil {
				return err
			}
			if c.codes != nil && !c.indexed { // the dictionary became too large
				if err := c.decode(w, arr); err != nil {
					return err
				}
			}
		}
		n := min(most, s.n-i)
		if c.rep == 0 {
			n = min(n, int(c.o.PageRows-c.rows))
		}
		end, rows, present := c.upTo(&s, i, n)
		for n > 1 && c.bytes+c.size(done, done+present) > c.o.PageBytes {
			n /= 2
			end, rows, present = c.upTo(&s, i, n)
		}
		if size := c.size(done, done+present); c.entries > 0 && c.bytes+size > c.o.PageBytes {
			c.bytes = c.o.PageBytes // full
			continue
		}
		c.take(&s, i, end, rows, done, done+present)
		i, done = end, done+present
	}
	return nil
}

// upTo returns where the row ends that has the n-th entry from i on, and how many rows and values there are up to there.
func (c *column) upTo(s *slots, i, n int) (end int, rows int64, present int) {
	end = i + n
	rows = int64(n)
	if s.reps != nil {
		for end < s.n && s.reps[end] != 0 {
			end++
		}
		rows = int64(countByte(s.reps[i:end], 0))
	} else if c.rep > 0 { // no list is there
		rows = int64(n)
	}
	switch {
	case s.defs != nil:
		present = countByte(s.defs[i:end], c.def)
	case s.full == c.def:
		present = end - i
	}
	return end, rows, present
}

func countByte(b []uint8, v uint8) (n int) {
	for _, x := range b {
		if x == v {
			n++
		}
	}
	return n
}

func (c *column) take(s *slots, i, end int, rows int64, from, to int) {
	if c.def > 0 {
		c.defs = appendLevels(c.defs, s.defs, s.full, i, end)
	}
	if c.rep > 0 {
		c.reps = appendLevels(c.reps, s.reps, 0, i, end)
	}
	c.entries += end - i
	c.rows += rows
	c.present += to - from
	size := c.size(from, to)
	c.rawBytes += int64(size) + int64(end-i+7)/8
	c.bytes += size
	if !c.indexed {
		c.raw = c.values.plain(c.raw, from, to)
		return
	}
	if c.codes == nil {
		c.index = c.values.index(c.index, from, to)
		return
	}
	for _, code := range c.codes[from:to] {
		if c.remap[code] < 0 {
			c.remap[code] = int64(c.values.entry(int(code)))
		}
		c.index = append(c.index, uint32(c.remap[code]))
	}
}

func appendLevels(dst, src []uint8, all uint8, from, to int) []uint8 {
	if src != nil {
		return append(dst, src[from:to]...)
	}
	for range to - from {
		dst = append(dst, all)
	}
	return dst
}

// load loads values, or, of a dictionary array, its dictionary where that is no more work.
func (c *column) load(w *worker, arr arrow.Array, p positions) error {
	c.codes = nil
	d, ok := arr.(*array.Dictionary)
	if !ok {
		return c.values.load(w, arr, p)
	}
	c.always = true
	codes := gather(&w.codes, arrowdense.Indices(&w.indices, d), p)
	if !c.indexed || d.Dictionary().Len() > 2*p.n {
		return c.values.load(w, d.Dictionary(), positions{n: len(codes), at: notNil(codes)})
	}
	c.codes = codes
	c.remap = sized(&c.remap, d.Dictionary().Len())
	for i := range c.remap {
		c.remap[i] = -1
	}
	return c.values.load(w, d.Dictionary(), positions{n: d.Dictionary().Len()})
}

// decode loads the values that the codes stand for.
func (c *column) decode(w *worker, arr arrow.Array) error {
	codes := c.codes
	c.codes = nil
	return c.values.load(w, arr.(*array.Dictionary).Dictionary(), positions{n: len(codes), at: notNil(codes)})
}

func notNil(at []int32) []int32 {
	if at == nil {
		return []int32{}
	}
	return at
}

// size returns how many bytes values take without a dictionary, codes among them.
func (c *column) size(from, to int) int {
	if c.codes == nil {
		return c.values.size(from, to)
	}
	size := 0
	for _, code := range c.codes[from:to] {
		size += c.values.size(int(code), int(code)+1)
	}
	return size
}

// indexWidth returns how many bits the indices of so many entries take.
func indexWidth(entries int) uint { return uint(max(1, bits.Len(uint(max(entries, 1)-1)))) }

// endPage encodes the open page.
func (c *column) endPage(w *worker) error {
	if c.entries == 0 {
		return nil
	}
	if c.indexed && len(c.located) == 0 && !c.always {
		c.weigh()
	}
	encoding := encode.Plain
	entries, dictSize := c.values.dictionary()
	w.body = w.body[:0]
	repAt := c.level(w, c.reps, c.rep)
	defAt := c.level(w, c.defs, c.def)
	if c.indexed {
		encoding, c.kept = encode.RLEDictionary, true
		width := indexWidth(entries)
		w.body = append(w.body, byte(width))
		w.body = encode.AppendHybrid(w.body, c.index, width)
	} else {
		w.body = append(w.body, c.raw...)
	}
	if len(w.body) > math.MaxInt32 || c.entries > math.MaxInt32 {
		return errs.Locate(errs.Errorf(errs.ErrLimit, "a row has %d values in %d bytes; a page of a Parquet file has less than 2^31 of either", c.entries, len(w.body)), errs.At{Column: c.column})
	}
	page := encode.Page{V2: c.o.V2, Values: c.entries, Nulls: c.entries - c.present, Rows: int(c.rows), Encoding: encoding}
	levels := 0
	if c.o.V2 {
		levels, page.RepBytes, page.DefBytes = defAt, repAt, defAt-repAt
	}
	body, err := c.pack(w, levels)
	if err != nil {
		return err
	}
	if page.Compressed = c.packing.wire != encode.Uncompressed; page.Compressed && c.o.V2 && len(body) >= len(w.body) {
		page.Compressed, body = false, w.body
	}
	c.store(w, page, body)
	c.endStats()
	c.defs, c.reps, c.raw, c.index = c.defs[:0], c.reps[:0], c.raw[:0], c.index[:0]
	c.entries, c.rows, c.present, c.bytes = 0, 0, 0, 0
	if c.indexed && dictSize > c.o.PageBytes {
		c.indexed = false
	}
	return nil
}

// weigh gives the dictionary up where the first page is not smaller by it.
func (c *column) weigh() {
	entries, size := c.values.dictionary()
	if size+c.present*int(indexWidth(entries))/8 < c.bytes {
		return
	}
	c.raw = c.values.lookup(c.raw, c.index)
	c.index = c.index[:0]
	all := make([]uint32, entries)
	for i := range all {
		all[i] = uint32(i)
	}
	c.values.observe(all)
	if c.bloom {
		c.values.hash()
	}
	c.values.reset()
	c.indexed = false
}

// level appends levels to the page, and returns where they end.
func (c *column) level(w *worker, levels []uint8, most uint8) int {
	if most == 0 {
		return len(w.body)
	}
	at := len(w.body)
	if !c.o.V2 {
		w.body = append(w.body, 0, 0, 0, 0)
	}
	w.body = encode.AppendHybrid(w.body, levels, uint(bits.Len8(most)))
	if !c.o.V2 {
		binary.LittleEndian.PutUint32(w.body[at:], uint32(len(w.body)-at-4))
	}
	return len(w.body)
}

// pack compresses w.body but for its first bytes.
func (c *column) pack(w *worker, first int) ([]byte, error) {
	var err error
	w.packed = append(w.packed[:0], w.body[:first]...)
	switch plain := w.body[first:]; c.packing.block {
	case blockcodec.None:
		return w.body, nil
	case blockcodec.Deflate:
		if w.deflated, err = w.codec.Encode(c.packing.block, c.packing.level, w.deflated[:0], plain); err == nil {
			w.packed = encode.AppendGzip(w.packed, w.deflated, plain)
		}
	default:
		w.packed, err = w.codec.Encode(c.packing.block, c.packing.level, w.packed, plain)
	}
	return w.packed, err
}

// store puts a page behind those that are there.
func (c *column) store(w *worker, page encode.Page, body []byte) {
	w.head = encode.AppendPageHeader(w.head[:0], page, len(w.body), body)
	c.located = append(c.located, encode.Location{Offset: c.pages.n, Bytes: len(w.head) + len(body), FirstRow: c.groupRows})
	c.pages.append(w.head)
	c.pages.append(body)
	c.groupRows += c.rows
	t := &c.total
	t.Values += int64(c.entries)
	t.Nulls += int64(c.entries - c.present)
	t.Raw += int64(len(w.head) + len(w.body))
	t.Stored += int64(len(w.head) + len(body))
	if k := len(t.DataPages) - 1; k < 0 || t.DataPages[k].Encoding != page.Encoding {
		t.DataPages = append(t.DataPages, encode.PageCount{V2: page.V2, Encoding: page.Encoding})
	}
	t.DataPages[len(t.DataPages)-1].Pages++
}

// endStats takes the bounds of the page: into the page index, if there is one, and those of the chunk.
func (c *column) endStats() {
	b := c.values.stats()
	if c.o.PageIndex {
		if c.indexed {
			c.values.observe(distinct(c.index))
		}
		c.addToIndex(b)
	}
	c.chunk.merge(b, c.leaf)
	b.clear()
}

// distinct returns every number once. It may change the order.
func distinct(index []uint32) []uint32 {
	most := uint32(0)
	for _, v := range index {
		most = max(most, v)
	}
	seen := make([]bool, int(most)+1)
	for _, v := range index {
		seen[v] = true
	}
	var out []uint32
	for v, ok := range seen {
		if ok {
			out = append(out, uint32(v))
		}
	}
	return out
}

// endChunk finishes the column chunk but for what depends on where it will be.
func (c *column) endChunk(w *worker) error {
	if err := c.endPage(w); err != nil {
		return err
	}
	if c.kept {
		if err := c.endDictionary(w); err != nil {
			return err
		}
	}
	t := &c.total
	t.Encodings = []encode.Encoding{encode.Plain, encode.RLE}
	if c.kept {
		t.Encodings = append(t.Encodings, encode.RLEDictionary)
	}
	t.Min, t.Max = c.chunk.stored(c.leaf)
	return nil
}

func (c *column) endDictionary(w *worker) error {
	entries, _ := c.values.dictionary()
	if !c.o.PageIndex {
		all := make([]uint32, entries)
		for i := range all {
			all[i] = uint32(i)
		}
		c.values.observe(all)
		b := c.values.stats()
		c.chunk.merge(b, c.leaf)
		b.clear()
	}
	if c.bloom {
		c.values.hash()
	}
	w.body = c.values.appendDictionary(w.body[:0])
	body, err := c.pack(w, 0)
	if err != nil {
		return err
	}
	c.dictPage = encode.AppendPageHeader(c.dictPage[:0], encode.Page{Dictionary: true, Values: entries}, len(w.body), body)
	c.total.Raw += int64(len(c.dictPage) + len(w.body))
	c.dictPage = append(c.dictPage, body...)
	c.total.Stored += int64(len(c.dictPage))
	return nil
}

// pending estimates how many bytes the column chunk would have if it ended now.
func (c *column) pending() int64 {
	_, dict := c.values.dictionary()
	open := int64(len(c.raw) + len(c.defs)/8)
	if c.indexed {
		entries, _ := c.values.dictionary()
		open += int64(dict) + int64(len(c.index))*int64(indexWidth(entries))/8
		if len(c.located) == 0 { // it may be given up
			open = min(open, int64(c.bytes))
		}
	}
	if c.total.Raw > 0 {
		open = int64(float64(open) * float64(c.total.Stored) / float64(c.total.Raw))
	}
	return c.total.Stored + open
}
