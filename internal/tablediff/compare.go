package tablediff

import (
	"context"
	"math/bits"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// Options of Compare. The zero value compares by position.
type Options struct {
	Key       []string // paths of the columns by which rows are found; empty = by position
	Unordered bool     // compare as multisets; without a key
	Limit     int      // of the differences that are told one by one
	Tolerance float64  // the most that floats may differ and still be equal; not with Unordered
	ZeroSign  bool     // 0 and -0 are equal
	// Memory bounds what rows that wait for their like may take, in bytes; default 512 MiB, at least 1 MiB.
	Memory int64
	// Scratch opens a file for what does not fit. nil = everything must fit.
	Scratch func() (arrowio.ScratchFile, error)
	// Progress is called now and then with the rows read of both. It must not block.
	Progress func(a, b int64)
	// Matching is called while rows from scratch files are matched: so many parts of so many are done.
	Matching func(done, of int)
}

// Rows is what Compare reads: the batches of a table, each valid until the next. An array.RecordReader is one.
type Rows interface {
	Next() bool
	Record() arrow.Record
	Err() error
}

// NoRow stands for the row of a table that has none.
const NoRow = -1

// Difference is two rows that differ, or a row that one table alone has. Rows are counted from 0 in the order of reading.
type Difference struct {
	A, B int64 // NoRow = the table has none
}

// Result is what Compare found.
type Result struct {
	RowsA, RowsB int64
	Equal        int64   // pairs of rows
	Changed      int64   // pairs of rows that have one position or key, and differ
	OnlyA, OnlyB int64   // rows
	Columns      []int64 // how often values differ in rows that have changed, for each of Pairing.Columns
	First        []Difference
	// Shifted is the first row that differs, if most rows behind it do, too, and no column tells that their positions match: rows may have
	// been added, removed or moved there. NoRow = not so.
	Shifted       int64
	DuplicateKeys int64 // keys that several of the differing rows of a table have
	SpilledBytes  int64
}

// Same reports whether no row differs.
func (r *Result) Same() bool { return r.Changed == 0 && r.OnlyA == 0 && r.OnlyB == 0 }

const (
	blockRows     = 4096
	defaultMemory = 512 << 20
	leastMemory   = 1 << 20
)

// side is one of the tables while it is read.
type side struct {
	number int
	rows   Rows
	rec    arrow.Record
	vecs   []vec
	at, n  int   // the next row, and how many there are, of the batch
	row    int64 // the number of the next row
	ended  bool
}

// comparison is a Compare that runs.
type comparison struct {
	*Pairing
	o      Options
	order  []int // of the columns compared
	keys   int   // how many of these are the key
	sides  [2]side
	result *Result
	exact  rules
	loose  rules
	wait   *waiting

	marks       []uint64
	enc         []byte
	sinceFirst  int64 // rows compared from the first difference on
	differSince int64
	first       int64
	sample      sample
}

// Compare reads both tables, whose batches have the schemas of the Pairing, to their ends.
func (p *Pairing) Compare(ctx context.Context, a, b Rows, o Options) (*Result, error) {
	if o.Unordered && (len(o.Key) > 0 || o.Tolerance != 0) {
		return nil, errs.Errorf(errs.ErrOption, "rows are compared either by key or unordered, and unordered without tolerance")
	}
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	o.Memory = max(o.Memory, leastMemory)
	order, err := p.compared(o.Key)
	if err != nil {
		return nil, err
	}
	c := &comparison{Pairing: p, o: o, order: order, keys: len(o.Key), first: NoRow, marks: make([]uint64, blockRows/64)}
	c.exact = rules{zeroSign: o.ZeroSign}
	c.loose = rules{zeroSign: o.ZeroSign, tolerance: o.Tolerance}
	c.result = &Result{Columns: make([]int64, len(p.Columns)), Shifted: NoRow}
	for i, r := range []Rows{a, b} {
		c.sides[i] = side{number: i, rows: r, vecs: make([]vec, len(p.Columns))}
	}
	if o.Unordered || len(o.Key) > 0 {
		c.wait = newWaiting(o, 0, &c.result.SpilledBytes)
		defer func() { c.wait.close() }()
	}
	if err := c.read(ctx); err != nil {
		return nil, err
	}
	r := c.result
	r.RowsA, r.RowsB = c.sides[0].row, c.sides[1].row
	if c.wait != nil {
		if err := c.wait.finish(ctx, c.pairUp, o.Matching); err != nil {
			return nil, err
		}
		r.Equal = r.RowsA - r.OnlyA - r.Changed
	} else if c.shifted() {
		r.Shifted = c.first
	}
	return r, nil
}

// oneColumn reports whether values of one column alone differ, which would be so of several if rows were shifted.
func (c *comparison) oneColumn() bool {
	differing := 0
	for _, n := range c.result.Columns {
		if n > 0 {
			differing++
		}
	}
	return differing == 1 && (c.Comparable() > 1 || c.result.Equal == 0)
}

func (c *comparison) read(ctx context.Context) error {
	a, b := &c.sides[0], &c.sides[1]
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range c.sides {
			if err := c.sides[i].fill(c); err != nil {
				return err
			}
		}
		if c.o.Progress != nil {
			c.o.Progress(a.row, b.row)
		}
		switch {
		case a.ended && b.ended:
			return nil
		case a.ended:
			if err := c.alone(b); err != nil {
				return err
			}
		case b.ended:
			if err := c.alone(a); err != nil {
				return err
			}
		default:
			if err := c.block(min(a.n-a.at, b.n-b.at, blockRows)); err != nil {
				return err
			}
		}
	}
}

// fill reads the next batch if the last is used up.
func (s *side) fill(c *comparison) error {
	for s.at == s.n && !s.ended {
		if !s.rows.Next() {
			s.ended = true
			return s.rows.Err()
		}
		s.rec = s.rows.Record()
		s.at, s.n = 0, int(s.rec.NumRows())
		for _, k := range c.order {
			if err := c.load(k, s.number, &s.vecs[k], s.rec); err != nil {
				return err
			}
		}
	}
	return nil
}

// load loads all values of column k.
func (p *Pairing) load(k, side int, v *vec, rec arrow.Record) error {
	col := &p.Columns[k]
	path := col.at[side]
	d, at, n := rec.Column(path[0]).Data(), 0, int(rec.NumRows())
	var above vec // where a struct around the value is null
	for _, i := range path[1:] {
		var own vec
		own.begin(d, at, n)
		above.both(own.valid, n)
		d, at = d.Children()[i], d.Offset()+at
	}
	if err := col.form.load[side](v, d, at, n); err != nil {
		return errs.Locate(err, errs.At{Column: col.Path})
	}
	if above.valid == nil {
		return nil
	}
	if v.valid != nil {
		above.both(v.valid, n)
	}
	v.valid = above.valid
	return nil
}

// both makes values null that are null in valid, too.
func (v *vec) both(valid []byte, n int) {
	switch {
	case valid == nil:
	case v.valid == nil:
		v.valid = slices.Clone(valid)
	default:
		for i := range (n + 7) / 8 {
			v.valid[i] &= valid[i]
		}
	}
}

// alone counts the rest of a batch for which the other table has no rows at the same positions.
func (c *comparison) alone(s *side) error {
	n := s.n - s.at
	if c.wait != nil {
		for range min(n, blockRows) {
			if err := c.put(s, s.at); err != nil {
				return err
			}
			s.at++
			s.row++
		}
		return nil
	}
	for i := range n {
		if len(c.result.First) == c.o.Limit {
			break
		}
		d := Difference{s.row + int64(i), NoRow}
		if s.number == 1 {
			d = Difference{NoRow, s.row + int64(i)}
		}
		c.result.First = append(c.result.First, d)
	}
	if s.number == 0 {
		c.result.OnlyA += int64(n)
	} else {
		c.result.OnlyB += int64(n)
	}
	s.at += n
	s.row += int64(n)
	return nil
}

// block compares n rows that both tables have at the same positions.
func (c *comparison) block(n int) error {
	a, b := &c.sides[0], &c.sides[1]
	marks := c.marks[:(n+63)/64]
	clear(marks)
	for i, k := range c.order {
		r := c.loose
		if i < c.keys {
			r = c.exact
		}
		differ := c.Columns[k].form.mark(r, &a.vecs[k], a.at, &b.vecs[k], b.at, n, marks)
		if c.wait == nil {
			c.result.Columns[k] += differ
		}
	}
	changed := int64(0)
	for w, m := range marks {
		changed += int64(bits.OnesCount64(m))
		for ; m != 0; m &= m - 1 {
			i := w*64 + bits.TrailingZeros64(m)
			switch {
			case c.wait != nil:
				if err := c.put(a, a.at+i); err != nil {
					return err
				}
				if err := c.put(b, b.at+i); err != nil {
					return err
				}
			case len(c.result.First) < c.o.Limit:
				c.result.First = append(c.result.First, Difference{a.row + int64(i), b.row + int64(i)})
			}
			if c.first < 0 {
				c.first = a.row + int64(i)
				c.sinceFirst = -int64(i)
			}
		}
	}
	if c.wait == nil {
		c.result.Changed += changed
		c.result.Equal += int64(n) - changed
	}
	if c.first >= 0 {
		c.sinceFirst += int64(n)
		c.differSince += changed
	}
	if from := max(c.first-a.row, 0); c.wait == nil && c.first >= 0 && !c.sample.full() {
		c.sampled(int(from), n-int(from))
	}
	for i := range c.sides {
		c.sides[i].at += n
		c.sides[i].row += int64(n)
	}
	return nil
}

// put has a row of the batch wait for its like.
func (c *comparison) put(s *side, i int) error {
	c.enc = c.enc[:0]
	key := 0
	for n, k := range c.order {
		if n == c.keys {
			key = len(c.enc)
		}
		c.enc = c.Columns[k].form.append(c.enc, c.exact, &s.vecs[k], i)
	}
	if c.keys == len(c.order) {
		key = len(c.enc)
	}
	if c.o.Unordered {
		key = len(c.enc)
	}
	return c.wait.add(entry{side: uint8(s.number), count: 1, row: s.row + int64(i-s.at), key: key}, c.enc)
}

// pairUp compares the rows of one key that have not found their like.
func (c *comparison) pairUp(rows [2][]*entry) {
	r := c.result
	if len(rows[0]) == 1 && len(rows[1]) == 1 && rows[0][0].count == 1 && rows[1][0].count == 1 {
		a, b := rows[0][0], rows[1][0]
		if c.compareEncoded(a.enc[a.key:], b.enc[b.key:]) {
			return
		}
		r.Changed++
		c.tell(Difference{a.row, b.row})
		return
	}
	for s, list := range rows {
		n := int64(0)
		for _, e := range list {
			n += e.count
			d := Difference{e.row, NoRow}
			if s == 1 {
				d = Difference{NoRow, e.row}
			}
			c.tell(d)
		}
		if s == 0 {
			r.OnlyA += n
		} else {
			r.OnlyB += n
		}
	}
	if c.keys > 0 && (len(rows[0]) > 1 || len(rows[1]) > 1 || slices.ContainsFunc(slices.Concat(rows[0], rows[1]), func(e *entry) bool { return e.count > 1 })) {
		r.DuplicateKeys++
	}
}

// compareEncoded counts the columns behind the key in which two rows differ, and reports whether there are none.
func (c *comparison) compareEncoded(a, b []byte) (same bool) {
	same = true
	for _, k := range c.order[c.keys:] {
		f := c.Columns[k].form
		na, nb := f.skip(a), f.skip(b)
		if !f.equalEncoded(c.loose, a[:na], b[:nb]) {
			c.result.Columns[k]++
			same = false
		}
		a, b = a[na:], b[nb:]
	}
	return same
}

// tell keeps a difference if it is among the first.
func (c *comparison) tell(d Difference) {
	r := c.result
	at, _ := slices.BinarySearchFunc(r.First, d, func(x, y Difference) int {
		if n := max(x.A, x.B) - max(y.A, y.B); n != 0 {
			return int(max(min(n, 1), -1))
		}
		return int(max(min(y.A-x.A, 1), -1))
	})
	if at < c.o.Limit {
		r.First = slices.Insert(r.First, at, d)
		r.First = r.First[:min(len(r.First), c.o.Limit)]
	}
}

// Cells returns the value of each column in row i of a record of one side, 0 or 1, as DifferingCells compares them: nil where the
// values are not compared. They are not changed later.
func (p *Pairing) Cells(side int, rec arrow.Record, i int, o Options) ([][]byte, error) {
	row := rec.NewSlice(int64(i), int64(i)+1)
	defer row.Release()
	cells := make([][]byte, len(p.Columns))
	for k, c := range p.Columns {
		if c.Apart != "" {
			continue
		}
		var v vec
		if err := p.load(k, side, &v, row); err != nil {
			return nil, err
		}
		cells[k] = c.form.append(nil, rules{zeroSign: o.ZeroSign}, &v, 0)
	}
	return cells, nil
}

// DifferingCells returns the numbers of the columns in which two rows differ.
func (p *Pairing) DifferingCells(a, b [][]byte, o Options) (columns []int) {
	r := rules{tolerance: o.Tolerance, zeroSign: o.ZeroSign}
	for k, c := range p.Columns {
		if c.Apart == "" && !c.form.equalEncoded(r, a[k], b[k]) {
			columns = append(columns, k)
		}
	}
	return columns
}

// Presence reports whether of column k only is compared whether it is null: it is a struct, whose fields are columns of their own.
func (p *Pairing) Presence(k int) bool { return p.Columns[k].presence }

// Inside reports whether column k is a field of the struct that column of is, at any depth.
func (p *Pairing) Inside(k, of int) bool {
	inner, outer := p.Columns[k].at[0], p.Columns[of].at[0]
	return len(inner) > len(outer) && slices.Equal(inner[:len(outer)], outer)
}

// At returns the array of a column in a record of one side, 0 or 1. It is the caller's to release.
func (p *Pairing) At(k, side int, rec arrow.Record) arrow.Array {
	path := p.Columns[k].at[side]
	a := rec.Column(path[0])
	a.Retain()
	for _, i := range path[1:] {
		f := a.(*array.Struct).Field(i)
		f.Retain()
		a.Release()
		a = f
	}
	return a
}
