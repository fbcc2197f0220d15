package orc

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// checkRows is how many values a check decodes at once.
const checkRows = 4096

// columnDecoder decodes one column of one stripe, without its children: what is stored, before it becomes Arrow.
type columnDecoder struct {
	*columnCheck
	presence, data, second input
	present                orcwire.Bools
	values                 valueDecoder
}

// valueDecoder decodes the values of a column that are not null.
type valueDecoder interface {
	read(n int, t *tally) error // n is at most checkRows
	seek(p *orcwire.Positions) error
	end() error // whether the streams are used up
}

// decoder opens the column at the start of the stripe.
func (c *columnCheck) decoder() (*columnDecoder, error) {
	d := &columnDecoder{columnCheck: c}
	s, id := c.stripe, c.typ.ID
	d.presence.open(c.inputs, s, id, orcwire.Present)
	d.present.Open(&d.presence.Bytes)
	var err error
	d.values, err = d.newValues()
	return d, err
}

func (d *columnDecoder) newValues() (valueDecoder, error) {
	s, id := d.stripe, d.typ.ID
	e := s.encoding(id).Kind
	v2 := e.V2()
	text := slices.Contains([]orcwire.Kind{orcwire.String, orcwire.Varchar, orcwire.Char}, d.typ.Kind)
	if e.IsDictionary() && !text {
		return nil, corrupt("encoding %v for a column of type %s", e, d.typ.Kind)
	}
	open := func(in *input, kind orcwire.StreamKind) *orcwire.Bytes {
		in.open(d.inputs, s, id, kind)
		return &in.Bytes
	}
	ints := func(in *input, kind orcwire.StreamKind, signed bool) *orcwire.Ints[int64] {
		r := &orcwire.Ints[int64]{}
		r.Open(open(in, kind), v2, signed)
		return r
	}
	switch d.typ.Kind {
	case orcwire.Struct:
		return &checkStruct{}, nil
	case orcwire.Boolean:
		c := &checkBools{in: &d.data}
		c.runs.Open(open(&d.data, orcwire.Data))
		return c, nil
	case orcwire.Byte:
		c := &checkBytes{in: &d.data}
		c.runs.Open(open(&d.data, orcwire.Data))
		return c, nil
	case orcwire.Union:
		c := &checkBytes{in: &d.data, variants: len(d.typ.Children)}
		c.runs.Open(open(&d.data, orcwire.Data))
		return c, nil
	case orcwire.Short, orcwire.Int, orcwire.Long, orcwire.Date:
		return &checkInts{in: &d.data, runs: ints(&d.data, orcwire.Data, true)}, nil
	case orcwire.Float, orcwire.Double:
		open(&d.data, orcwire.Data)
		return &checkFloats{in: &d.data, single: d.typ.Kind == orcwire.Float}, nil
	case orcwire.Timestamp, orcwire.TimestampInstant:
		c := &checkTimes{data: &d.data, second: &d.second, secs: ints(&d.data, orcwire.Data, true), nanos: ints(&d.second, orcwire.Secondary, false)}
		c.zone = s.zone
		if d.typ.Kind == orcwire.TimestampInstant {
			c.zone = orcwire.UTC
		}
		c.utf8, c.finely = s.columnIndex(id).utf8, d.quirks.RoundsFinely()
		return c, nil
	case orcwire.Decimal:
		_, scale := d.typ.DecimalType()
		if d.wholeDecimals(d.typ) {
			d.data.open(d.inputs, s, id, orcwire.Data)
			r := &orcwire.Ints[int64]{}
			r.Open(&d.data.Bytes, true, true)
			return &checkDecimal64{in: &d.data, runs: r, scale: int(scale)}, nil
		}
		open(&d.data, orcwire.Data)
		return &checkDecimals{data: &d.data, second: &d.second, scales: ints(&d.second, orcwire.Secondary, true), scale: int64(scale)}, nil
	case orcwire.List, orcwire.Map:
		return &checkLists{in: &d.data, runs: ints(&d.data, orcwire.Length, false)}, nil
	}
	if e.IsDictionary() {
		words, err := d.dictionary(s.encoding(id).DictionarySize, v2)
		return &checkWords{in: &d.data, ids: ints(&d.data, orcwire.Data, false), words: words}, err
	}
	open(&d.data, orcwire.Data)
	return &checkStrings{data: &d.data, second: &d.second, lengths: ints(&d.second, orcwire.Length, false), limit: d.limits.ValueBytes}, nil
}

// read decodes n slots into t.
func (d *columnDecoder) read(n int64, t *tally) error {
	var mask [checkRows / 8]byte
	if d.typ.Kind == orcwire.Struct && !d.presence.there { // any number of them takes no bytes
		t.slots += n
		return d.values.(*checkStruct).count(n, t)
	}
	for n > 0 {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		k := int(min(n, checkRows))
		stored := k
		if d.presence.there {
			clear(mask[:])
			if err := d.present.Next(mask[:(k+7)/8], 0, k); err != nil {
				return d.presence.fail(err)
			}
			stored = bitpack.CountBits(mask[:], 0, k)
			if k%8 != 0 {
				mask[k/8] &= 1<<(k%8) - 1
			}
			for i := 0; i < k; i += 64 {
				var w [8]byte
				copy(w[:], mask[i/8:])
				t.mix(binary.LittleEndian.Uint64(w[:]))
			}
		}
		if err := d.values.read(stored, t); err != nil {
			return err
		}
		t.slots += int64(k)
		n -= int64(k)
	}
	return nil
}

// seek goes to the positions of a row group, all of which must have a use.
func (d *columnDecoder) seek(positions []uint64) error {
	p := orcwire.NewPositions(positions)
	if d.presence.there {
		if err := d.present.Seek(p); err != nil {
			return err
		}
	} else if n := d.positions(); p.Len() > n && d.stripe.countsAbsent(d.typ, p.Len()-n) {
		for p.Len() > n {
			if v, err := p.Next(); err != nil || v != 0 {
				return corrupt("%d numbers too many", p.Len()+1-n)
			}
		}
	}
	if err := d.values.seek(p); err != nil {
		return err
	}
	if p.Len() > 0 {
		return corrupt("%d numbers too many", p.Len())
	}
	return nil
}

// positions returns how many numbers a row group has, without those of PRESENT.
func (d *columnDecoder) positions() int { return len(d.stripe.numbers(d.typ)) }

// end reports streams that hold more than the stripe has rows for.
func (d *columnDecoder) end() error {
	if d.presence.there {
		// up to seven bits of padding
		if _, err := d.present.Skip(8); !isEnd(err) {
			return leftOver(&d.presence, err)
		}
	}
	return d.values.end()
}

func isEnd(err error) bool { return errors.Is(err, orcwire.ErrEnd) }

// leftOver is the error for a stream that goes on: err is what came of reading on.
func leftOver(in *input, err error) error {
	if err == nil {
		err = corrupt("the stream holds more values than its rows have")
	}
	return in.fail(err)
}

// ended checks that no integer is left.
func ended(in *input, r *orcwire.Ints[int64]) error {
	var room [1 + bitpack.DstSlack]int64
	if err := r.Next(room[:1]); !isEnd(err) {
		return leftOver(in, err)
	}
	return nil
}

// drained checks that no byte is left.
func drained(in *input) error {
	over, err := in.Ended()
	if err == nil && over {
		return nil
	}
	return leftOver(in, err)
}

// checkRoom is what integers are decoded into.
type checkRoom [checkRows + bitpack.DstSlack]int64

// checkStruct has no values of its own.
type checkStruct struct{}

func (c *checkStruct) read(n int, t *tally) error { return c.count(int64(n), t) }

func (c *checkStruct) count(n int64, t *tally) error {
	t.values += n
	for i := range t.childSlots {
		t.childSlots[i] += n
	}
	return nil
}

func (c *checkStruct) seek(*orcwire.Positions) error { return nil }
func (c *checkStruct) end() error                    { return nil }

type checkBools struct {
	in   *input
	runs orcwire.Bools
	room [checkRows/8 + 1]byte
}

func (c *checkBools) read(n int, t *tally) error {
	clear(c.room[:])
	if err := c.runs.Next(c.room[:(n+7)/8], 0, n); err != nil {
		return c.in.fail(err)
	}
	set := int64(bitpack.CountBits(c.room[:], 0, n))
	for i := range n {
		v := c.room[i/8] >> (i % 8) & 1
		t.mix(uint64(v))
		if t.bloom != nil {
			t.ask(orcwire.HashLong(int64(v)))
		}
	}
	t.trues += set
	t.values += int64(n)
	return nil
}

func (c *checkBools) seek(p *orcwire.Positions) error { return c.runs.Seek(p) }

func (c *checkBools) end() error {
	if _, err := c.runs.Skip(8); !isEnd(err) {
		return leftOver(c.in, err)
	}
	return nil
}

// checkBytes is for tinyint and for the tags of unions.
type checkBytes struct {
	in       *input
	runs     orcwire.ByteRuns[int8]
	variants int
	room     [checkRows + bitpack.DstSlack]int8
}

func (c *checkBytes) read(n int, t *tally) error {
	if err := c.runs.Next(c.room[:n]); err != nil {
		return c.in.fail(err)
	}
	for _, v := range c.room[:n] {
		if c.variants == 0 {
			t.int(int64(v))
			continue
		}
		tag := int(uint8(v))
		if tag >= c.variants {
			return c.in.fail(corrupt("tag %d of a union of %d variants", tag, c.variants))
		}
		t.childSlots[tag]++
		t.values++
		t.mix(uint64(tag))
		if t.bloom != nil {
			t.ask(orcwire.HashLong(int64(tag)))
		}
	}
	return nil
}

func (c *checkBytes) seek(p *orcwire.Positions) error { return c.runs.Seek(p) }

func (c *checkBytes) end() error {
	if err := c.runs.Next(c.room[:1]); !isEnd(err) {
		return leftOver(c.in, err)
	}
	return nil
}

type checkInts struct {
	in   *input
	runs *orcwire.Ints[int64]
	room checkRoom
}

func (c *checkInts) read(n int, t *tally) error {
	if err := c.runs.Next(c.room[:n]); err != nil {
		return c.in.fail(err)
	}
	for _, v := range c.room[:n] {
		t.int(v)
	}
	return nil
}

func (c *checkInts) seek(p *orcwire.Positions) error { return c.runs.Seek(p) }
func (c *checkInts) end() error                      { return ended(c.in, c.runs) }

type checkFloats struct {
	in     *input
	single bool
	room   [8 * checkRows]byte
}

func (c *checkFloats) read(n int, t *tally) error {
	width := 8
	if c.single {
		width = 4
	}
	b := c.room[:n*width]
	if err := c.in.Take(b); err != nil {
		return c.in.fail(err)
	}
	for ; len(b) > 0; b = b[width:] {
		if c.single {
			x := binary.LittleEndian.Uint32(b)
			t.float(float64(math.Float32frombits(x)), uint64(x))
		} else {
			x := binary.LittleEndian.Uint64(b)
			t.float(math.Float64frombits(x), x)
		}
	}
	return nil
}

func (c *checkFloats) seek(p *orcwire.Positions) error { return c.in.Seek(p) }
func (c *checkFloats) end() error                      { return drained(c.in) }

type checkLists struct {
	in   *input
	runs *orcwire.Ints[int64]
	room checkRoom
}

func (c *checkLists) read(n int, t *tally) error {
	if err := c.runs.Next(c.room[:n]); err != nil {
		return c.in.fail(err)
	}
	for _, v := range c.room[:n] {
		if v < 0 || v > math.MaxInt64/2-t.childSlots[0] {
			return c.in.fail(corrupt("a list of %d elements", uint64(v)))
		}
		t.elements(uint64(v))
		for i := range t.childSlots {
			t.childSlots[i] += v
		}
	}
	return nil
}

func (c *checkLists) seek(p *orcwire.Positions) error { return c.runs.Seek(p) }
func (c *checkLists) end() error                      { return ended(c.in, c.runs) }

// checkStrings is for strings and binary that are stored one by one.
type checkStrings struct {
	data, second *input
	lengths      *orcwire.Ints[int64]
	limit        int64
	room         checkRoom
	buf          []byte
}

func (c *checkStrings) read(n int, t *tally) error {
	if err := c.lengths.Next(c.room[:n]); err != nil {
		return c.second.fail(err)
	}
	for _, v := range c.room[:n] {
		switch {
		case v < 0 || v > c.data.MostLeft():
			return c.second.fail(corrupt("a value of %d bytes, the stream has at most %d left", uint64(v), c.data.MostLeft()))
		case v > c.limit:
			return c.second.fail(errs.Errorf(errs.ErrLimit, "a value of %d bytes is over the limit ValueBytes = %d", v, c.limit))
		}
		c.buf = grow(c.buf, int(v))
		if err := c.data.Take(c.buf); err != nil {
			return c.data.fail(err)
		}
		t.bytes(c.buf)
	}
	return nil
}

func (c *checkStrings) seek(p *orcwire.Positions) error {
	if err := c.data.Seek(p); err != nil {
		return err
	}
	return c.lengths.Seek(p)
}

func (c *checkStrings) end() error {
	if err := drained(c.data); err != nil {
		return err
	}
	return ended(c.second, c.lengths)
}

// checkWords is for strings of a dictionary.
type checkWords struct {
	in    *input
	ids   *orcwire.Ints[int64]
	words [][]byte
	room  checkRoom
}

func (c *checkWords) read(n int, t *tally) error {
	if err := c.ids.Next(c.room[:n]); err != nil {
		return c.in.fail(err)
	}
	for _, id := range c.room[:n] {
		if id < 0 || id >= int64(len(c.words)) {
			return c.in.fail(corrupt("word %d of a dictionary of %d", uint64(id), len(c.words)))
		}
		t.bytes(c.words[id])
	}
	return nil
}

func (c *checkWords) seek(p *orcwire.Positions) error { return c.ids.Seek(p) }
func (c *checkWords) end() error                      { return ended(c.in, c.ids) }

// dictionary reads the words of the column, and checks that they are all of their streams.
func (d *columnDecoder) dictionary(size uint32, v2 bool) ([][]byte, error) {
	var length, data input
	length.open(d.inputs, d.stripe, d.typ.ID, orcwire.Length)
	data.open(d.inputs, d.stripe, d.typ.ID, orcwire.DictionaryData)
	if !length.there {
		return nil, nil // no word, whatever the size says
	}
	var lengths orcwire.Ints[int64]
	lengths.Open(&length.Bytes, v2, false)
	var room checkRoom
	var words [][]byte
	total := int64(0)
	for left := int64(size); left > 0; {
		k := int(min(left, checkRows))
		if err := lengths.Next(room[:k]); err != nil {
			return nil, length.fail(err)
		}
		for _, v := range room[:k] {
			if v < 0 || v > data.MostLeft() {
				return nil, length.fail(corrupt("a word of %d bytes, the stream has at most %d left", uint64(v), data.MostLeft()))
			}
			if total += v + 24; total > d.limits.DictionaryBytes {
				return nil, length.fail(errs.Errorf(errs.ErrLimit, "the dictionary is over the limit DictionaryBytes = %d", d.limits.DictionaryBytes))
			}
			b := make([]byte, v)
			if err := data.Take(b); err != nil {
				return nil, data.fail(err)
			}
			words = append(words, b)
		}
		left -= int64(k)
	}
	if err := drained(&data); err != nil {
		return nil, err
	}
	return words, ended(&length, &lengths)
}
