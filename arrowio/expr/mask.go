package expr

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Mask evaluates the predicate for each row of rec: true, false or null. rec must have the predicate's columns, with the same
// names and types; a dictionary may stand for its plain values, and the reverse. rec may have other columns, and another order of
// columns. The caller releases the result, which is allocated by Go and shares no memory with rec.
func (b *Bound) Mask(rec arrow.Record) (*array.Boolean, error) {
	ev, _ := b.scratch.Get().(*evaluation)
	if ev == nil {
		ev = &evaluation{}
	}
	defer func() {
		ev.release()
		b.scratch.Put(ev)
	}()
	ev.start(b, rec)
	yes, no := ev.words(), ev.words()
	defer func() { ev.done(yes, no) }()
	if err := b.root.mask(ev, yes, no); err != nil {
		return nil, err
	}
	for i := range no {
		no[i] |= yes[i] // now: known
	}
	n := ev.rows
	nulls := n - count(no)
	var valid *memory.Buffer
	if nulls > 0 {
		valid = memory.NewBufferBytes(toBytes(no, n))
	}
	return array.NewBoolean(n, memory.NewBufferBytes(toBytes(yes, n)), valid, nulls), nil
}

// evaluation is the state of one Mask, kept for the next one.
type evaluation struct {
	rec    arrow.Record
	rows   int
	cols   []column
	loaded []loadedColumn
	free   [][]uint64 // bit vectors for any use, their content undefined
	places pool[int]  // the same for places, and for the values of two columns that are compared
	ints   pool[int64]
	floats pool[float64]
	longs  pool[decimal128.Num]
	wides  pool[wideNum]
	texts  pool[[]byte]
}

// loadedColumn is a column of the record, found when it is first read.
type loadedColumn struct {
	ok    bool
	vals  values
	take  []int    // where in vals the value of each row is; nil = in its own place
	valid []uint64 // the rows that are not null, nor any struct around them
}

func (ev *evaluation) start(b *Bound, rec arrow.Record) {
	ev.rec, ev.rows, ev.cols = rec, int(rec.NumRows()), b.cols
	if ev.loaded == nil {
		ev.loaded = make([]loadedColumn, len(b.cols))
	}
}

// release lets go of the record and takes back the vectors of its columns.
func (ev *evaluation) release() {
	for i := range ev.loaded {
		ev.done(ev.loaded[i].valid)
		ev.places.put(ev.loaded[i].take)
		ev.loaded[i] = loadedColumn{}
	}
	ev.rec = nil
}

// vector is a bit vector for n bits, its content undefined; done takes it back.
func (ev *evaluation) vector(n int) []uint64 {
	n = wordsFor(n)
	if k := len(ev.free); k > 0 {
		v := ev.free[k-1]
		ev.free = ev.free[:k-1]
		if cap(v) >= n {
			return v[:n]
		}
	}
	return make([]uint64, n)
}

// words is a vector for the record's rows.
func (ev *evaluation) words() []uint64 { return ev.vector(ev.rows) }

func (ev *evaluation) done(vs ...[]uint64) {
	for _, v := range vs {
		if cap(v) > 0 {
			ev.free = append(ev.free, v)
		}
	}
}

func (n constNode) mask(ev *evaluation, yes, no []uint64) error {
	clear(yes)
	clear(no)
	switch n.is {
	case CanBeTrue:
		setRange(yes, 0, ev.rows)
	case CanBeFalse:
		setRange(no, 0, ev.rows)
	}
	return nil
}

func (n notNode) mask(ev *evaluation, yes, no []uint64) error { return n.x.mask(ev, no, yes) }

// A row is true under AND if it is under all parts, false if it is under any. OR is the same with the two exchanged.

func (n andNode) mask(ev *evaluation, yes, no []uint64) error { return maskAll(n, ev, yes, no, false) }

func (n orNode) mask(ev *evaluation, yes, no []uint64) error { return maskAll(n, ev, no, yes, true) }

// maskAll intersects one outcome of the parts and unites the other; turned: the first is `no`.
func maskAll(parts []node, ev *evaluation, all, any []uint64, turned bool) error {
	clear(all)
	clear(any)
	setRange(all, 0, ev.rows)
	if len(parts) == 0 {
		return nil
	}
	a, b := ev.words(), ev.words()
	defer func() { ev.done(a, b) }()
	for _, x := range parts {
		yes, no := a, b
		if turned {
			yes, no = b, a
		}
		if err := x.mask(ev, yes, no); err != nil {
			return err
		}
		for i := range all {
			all[i] &= a[i]
			any[i] |= b[i]
		}
		if full(any, ev.rows) {
			break // every row is decided
		}
	}
	return nil
}

func (n nullNode) mask(ev *evaluation, yes, no []uint64) error {
	c, err := ev.load(n.col)
	if err != nil {
		return err
	}
	copy(no, c.valid)
	clear(yes)
	setRange(yes, 0, ev.rows)
	for i := range yes {
		yes[i] &^= no[i]
	}
	return nil
}

func (n leafNode) mask(ev *evaluation, yes, no []uint64) error {
	c, err := ev.load(n.col)
	if err != nil {
		return err
	}
	clear(yes)
	if err := ev.applyTo(n.pred, yes, c); err != nil {
		return fmt.Errorf("column %s: %w", ev.cols[n.col].text(), err)
	}
	for i, valid := range c.valid {
		no[i] = valid &^ yes[i]
		yes[i] &= valid
	}
	if n.nullElse {
		clear(no)
	}
	return nil
}
