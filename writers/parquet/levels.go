package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// run is a range of positions of an array.
type run struct{ from, to int }

// slots are the levels of a field, an entry for each value that the column will have or lack:
//
//	rows        [1 2]  null  []  [3 null]
//	defs        2 2    0     1   2 2           full = 2: there is an item
//	reps        0 1    0     0   0 1
//	runs        [0,4)                          positions of the items in the child array
//
// A null that a parent has is one of all children: what they hold there is never looked at.
type slots struct {
	n    int
	defs []uint8 // nil = all are full
	reps []uint8 // nil = all are 0
	full uint8
	runs []run // positions of the full entries, in order
}

// frame is the memory for the slots of one level of nesting.
type frame struct {
	defs, reps []uint8
	runs       []run
	lo, hi     []int64
}

func (w *worker) frame(depth int) *frame {
	for len(w.frames) <= depth {
		w.frames = append(w.frames, new(frame))
	}
	return w.frames[depth]
}

// sized returns a slice of n elements, in the memory of b where that is enough. What they hold is left over.
func sized[T any](b *[]T, n int) []T {
	if cap(*b) < n {
		*b = make([]T, n, n+n/4)
	}
	*b = (*b)[:n]
	return *b
}

func addRun(runs []run, from, to int) []run {
	if k := len(runs) - 1; k >= 0 && runs[k].to == from {
		runs[k].to = to
		return runs
	}
	return append(runs, run{from, to})
}

// validity returns the bitmap of an array and the position of its first bit; nil = no value is null.
func validity(arr arrow.Array) ([]byte, int) {
	if arr.NullN() == 0 {
		return nil, 0
	}
	return arr.NullBitmapBytes(), arr.Data().Offset()
}

// noNulls checks that a field that is never null is not, where its parents are there.
func (s *slots) noNulls(n *node, bits []byte, off int) error {
	for _, r := range s.runs {
		for p := r.from; bits != nil && p < r.to; p++ {
			if bitutil.BitIsNotSet(bits, off+p) {
				return nullWhereNone(n)
			}
		}
	}
	return nil
}

func nullWhereNone(n *node) error {
	return errs.Locate(errs.Errorf(errs.ErrSchema, "the field is declared to have no nulls, but has one"), errs.At{Column: n.name})
}

// present adds the level of an optional field, which is not a leaf: bits tell which are there.
func (s slots) present(n *node, bits []byte, off int, f *frame) (slots, error) {
	if !n.optional {
		return s, s.noNulls(n, bits, off)
	}
	out := slots{n: s.n, reps: s.reps, full: s.full + 1, runs: s.runs}
	if bits == nil {
		if s.defs != nil {
			out.defs = sized(&f.defs, s.n)
			raise(out.defs, s.defs, s.full)
		}
		return out, nil
	}
	out.defs = sized(&f.defs, s.n)
	runs := f.runs[:0]
	next := s.positions()
	for i := range out.defs {
		level := s.level(i)
		if level == s.full {
			p := next.take()
			if bitutil.BitIsSet(bits, off+p) {
				level++
				runs = addRun(runs, p, p+1)
			}
		}
		out.defs[i] = level
	}
	f.runs, out.runs = runs, runs
	return out, nil
}

// raise copies levels, the full ones one higher.
func raise(dst, src []uint8, full uint8) {
	for i, d := range src {
		if d == full {
			d++
		}
		dst[i] = d
	}
}

func (s *slots) level(i int) uint8 {
	if s.defs == nil {
		return s.full
	}
	return s.defs[i]
}

// cursor gives the positions of runs one by one.
type cursor struct {
	runs []run
	at   int
}

func (s *slots) positions() cursor {
	c := cursor{runs: s.runs}
	if len(c.runs) > 0 {
		c.at = c.runs[0].from
	}
	return c
}

func (c *cursor) take() int {
	for c.at == c.runs[0].to {
		c.runs = c.runs[1:]
		c.at = c.runs[0].from
	}
	c.at++
	return c.at - 1
}

// repeat adds the levels of lists: an entry for each item, one for each list that has none or is not there. The items of
// the list at position p are those from lo[p] to hi[p].
func repeat[O int32 | int64](s slots, rep uint8, lo, hi []O, f *frame) slots {
	total := s.n
	for _, r := range s.runs {
		for p := r.from; p < r.to; p++ {
			if n := int(hi[p] - lo[p]); n > 0 {
				total += n - 1
			}
		}
	}
	out := slots{n: total, full: s.full + 1, defs: sized(&f.defs, total), reps: sized(&f.reps, total)}
	runs := f.runs[:0]
	next := s.positions()
	k := 0
	for i := range s.n {
		level, first := s.level(i), uint8(0)
		if s.reps != nil {
			first = s.reps[i]
		}
		out.reps[k] = first
		out.defs[k] = level
		if level < s.full {
			k++
			continue
		}
		p := next.take()
		from, to := int(lo[p]), int(hi[p])
		if from >= to {
			k++
			continue
		}
		runs = addRun(runs, from, to)
		out.defs[k] = level + 1
		k++
		for range to - from - 1 {
			out.defs[k], out.reps[k] = level+1, rep
			k++
		}
	}
	f.runs, out.runs = runs, runs
	return out
}

// items is repeat for any array that has lists. It returns the array of their items, too.
func (s slots) items(n *node, arr arrow.Array, f *frame) (slots, arrow.Array) {
	off, count := arr.Data().Offset(), arr.Len()
	switch a := arr.(type) {
	case *array.FixedSizeList:
		size := int64(a.DataType().(*arrow.FixedSizeListType).Len())
		lo, hi := sized(&f.lo, count), sized(&f.hi, count)
		for i := range lo {
			lo[i] = int64(off+i) * size
			hi[i] = lo[i] + size
		}
		return repeat(s, n.rep, lo, hi, f), a.ListValues()
	case *array.ListView, *array.LargeListView:
		values := a.(array.ListLike)
		lo, hi := sized(&f.lo, count), sized(&f.hi, count)
		for i := range lo {
			if lo[i], hi[i] = 0, 0; arr.IsValid(i) {
				lo[i], hi[i] = values.ValueOffsets(i)
			}
		}
		return repeat(s, n.rep, lo, hi, f), values.ListValues()
	case *array.LargeList:
		offs := offsetsOf[int64](arr)
		return repeat(s, n.rep, offs[:count], offs[1:], f), a.ListValues()
	default:
		offs := offsetsOf[int32](arr)
		return repeat(s, n.rep, offs[:count], offs[1:], f), a.(array.ListLike).ListValues()
	}
}

// offsetsOf returns the offsets of lists, strings or binary: one more than there are values.
func offsetsOf[O int32 | int64](arr arrow.Array) []O {
	d := arr.Data()
	b := d.Buffers()[1]
	if b == nil || b.Len() == 0 {
		return make([]O, arr.Len()+1)
	}
	return arrow.GetData[O](b.Bytes())[d.Offset():][:arr.Len()+1]
}

// leafSlots adds the level of a leaf that may be null, and returns where its values are.
func (s slots) leafSlots(n *node, bits []byte, off int, w *worker, f *frame) (slots, positions, error) {
	if !n.optional {
		if err := s.noNulls(n, bits, off); err != nil {
			return s, positions{}, err
		}
		return s, s.dense(w), nil
	}
	out := slots{n: s.n, reps: s.reps, full: s.full + 1, runs: s.runs}
	if bits == nil {
		if s.defs != nil {
			out.defs = sized(&f.defs, s.n)
			raise(out.defs, s.defs, s.full)
		}
		return out, s.dense(w), nil
	}
	out.defs = sized(&f.defs, s.n)
	at := sized(&w.at, s.n+1)
	k := 0
	if s.defs == nil {
		i := 0
		for _, r := range s.runs {
			for p := r.from; p < r.to; p++ {
				bit := bits[(off+p)>>3] >> ((off + p) & 7) & 1
				out.defs[i] = s.full + bit
				i++
				at[k] = int32(p)
				k += int(bit)
			}
		}
		return out, positions{n: k, at: at[:k]}, nil
	}
	next := s.positions()
	for i, level := range s.defs {
		if level == s.full {
			p := next.take()
			bit := bits[(off+p)>>3] >> ((off + p) & 7) & 1
			level += bit
			at[k] = int32(p)
			k += int(bit)
		}
		out.defs[i] = level
	}
	return out, positions{n: k, at: at[:k]}, nil
}

// positions say where in an array the n values of a column are: from first on, or, where at is not nil, there.
type positions struct {
	n     int
	first int
	at    []int32
}

func (s *slots) dense(w *worker) positions {
	switch len(s.runs) {
	case 0:
		return positions{}
	case 1:
		return positions{n: s.runs[0].to - s.runs[0].from, first: s.runs[0].from}
	}
	n := 0
	for _, r := range s.runs {
		n += r.to - r.from
	}
	at := sized(&w.at, n)
	k := 0
	for _, r := range s.runs {
		for p := r.from; p < r.to; p++ {
			at[k] = int32(p)
			k++
		}
	}
	return positions{n: n, at: at}
}

// gather returns the values of src at p: a part of it, or copies in the memory of dst.
func gather[T any](dst *[]T, src []T, p positions) []T {
	if p.at == nil {
		return src[p.first:][:p.n]
	}
	out := sized(dst, p.n)
	for i, at := range p.at {
		out[i] = src[at]
	}
	return out
}
