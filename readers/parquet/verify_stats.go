package parquet

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// chunk compares a column chunk, all of whose pages were decoded, with its statistics.
func (v *chunkCheck) chunk(rows int64) {
	const op = "statistics"
	s, at := &v.c.Stats, v.c.Start()
	if v.rows != rows {
		v.fault(corrupt("the pages have %d rows, the row group has %d", v.rows, rows), "", at)
	}
	v.stats(s, &v.all, op, at)
	v.geo()
	values := v.all.values
	if n := int64(len(v.distinct)); v.distinct != nil && n <= mostDistinct && n != s.Distinct || s.Distinct > values {
		v.fault(corrupt("%d different values are stored, the statistics say %d", n, s.Distinct), op, at)
	}
	if v.missing {
		v.fault(corrupt("a value of the column is not in the filter: filters by equality would lose its rows"), "bloom filter", v.c.Bloom)
	}
	if v.offsets != nil && v.data != len(v.offsets) {
		v.fault(corrupt("the index has %d data pages, the column chunk has %d", len(v.offsets), v.data), "offset index", v.c.OffsetIndex.Off)
	}
	if v.bounds != nil {
		v.order()
	}
}

// stats compares statistics with what they are of.
func (v *chunkCheck) stats(s *decode.Stats, t *tally, op string, at int64) {
	if nulls := t.entries - t.values; v.f.countsNulls(v.n) && s.Nulls >= 0 && s.Nulls != nulls {
		v.fault(corrupt("%d values are null, the statistics say %d", nulls, s.Nulls), op, at)
	}
	if t.values == 0 {
		return
	}
	if s.HasMin && !v.n.fits(s.Min) || s.HasMax && !v.n.fits(s.Max) {
		v.fault(corrupt("a minimum of %d bytes and a maximum of %d bytes are none of %s", len(s.Min), len(s.Max), v.n.elem.Type), op, at)
		return
	}
	lo, hi := v.n.bounds(s, v.ordered)
	exact := v.f.countsExactly()
	v.within(t, lo, hi, exact && s.MinExact, exact && s.MaxExact, op, at)
}

// within compares the smallest and the largest value with a minimum and a maximum, which are nil where they say nothing.
func (v *chunkCheck) within(t *tally, lo, hi scalar.Scalar, exactLo, exactHi bool, op string, at int64) {
	if t.lo == nil {
		return
	}
	if lo != nil {
		below, ok := less(t.lo, lo)
		above, _ := less(lo, t.lo)
		if ok && (below || above && exactLo) {
			v.fault(corrupt("the smallest value is %s, the minimum is given as %s", short(t.lo), short(lo)), op, at)
		}
	}
	if hi != nil {
		above, ok := less(hi, t.hi)
		below, _ := less(t.hi, hi)
		if ok && (above || below && exactHi) {
			v.fault(corrupt("the largest value is %s, the maximum is given as %s", short(t.hi), short(hi)), op, at)
		}
	}
}

// short returns a value as text of bounded length.
func short(s scalar.Scalar) string {
	b, ok := s.(scalar.BinaryScalar)
	if !ok {
		return boundText(s)
	}
	const most = 40
	if d := b.Data(); len(d) > most {
		return fmt.Sprintf("%q... (%d bytes)", d[:most], len(d))
	}
	return fmt.Sprintf("%q", b.Data())
}

// fits reports whether a bound has the size that values of the stored type have.
func (n *node) fits(b []byte) bool {
	switch n.elem.Type {
	case decode.Boolean:
		return len(b) == 1
	case decode.Int32, decode.Float:
		return len(b) == 4
	case decode.Int64, decode.Double:
		return len(b) == 8
	}
	return true
}

// pageStats compares a data page with its header.
func (v *chunkCheck) pageStats(p *page, t *tally, rows int64) {
	op := fmt.Sprintf("header of data page %d", v.data)
	if p.HasRows {
		if int64(p.Rows) != rows {
			v.fault(corrupt("the page has %d rows, its header says %d", rows, p.Rows), op, p.off)
		}
		if nulls := t.entries - t.values; int64(p.Nulls) != nulls {
			v.fault(corrupt("%d values are null, the header says %d", nulls, p.Nulls), op, p.off)
		}
	}
	v.stats(&p.Stats, t, op, p.off)
}

// pageIndex compares a data page with the page index. A page that the offset index does not have ends the comparison.
func (v *chunkCheck) pageIndex(p *page, t *tally, size int64) {
	if v.offsets == nil || v.data >= len(v.offsets) {
		return
	}
	op := fmt.Sprintf("offset index, page %d", v.data)
	switch e := v.offsets[v.data]; {
	case e.Off != p.off || int64(e.Bytes) != size:
		v.fault(corrupt("a data page of %d bytes is at %d, the index says %d bytes at %d", size, p.off, e.Bytes, e.Off), op, p.off)
		v.offsets, v.bounds = nil, nil
		return
	case e.FirstRow != v.rows:
		v.fault(corrupt("the page begins with row %d of the row group, the index says %d", v.rows, e.FirstRow), op, p.off)
		v.offsets, v.bounds = nil, nil
		return
	}
	if v.bounds == nil {
		return
	}
	op = fmt.Sprintf("column index, page %d", v.data)
	x, i := v.bounds, v.data
	if nulls := t.entries - t.values; x.Nulls != nil && x.Nulls[i] >= 0 && v.f.countsNulls(v.n) && x.Nulls[i] != nulls {
		v.fault(corrupt("%d values are null, the index says %d", nulls, x.Nulls[i]), op, p.off)
	}
	switch {
	case nullPage(x, i) && t.values > 0:
		v.fault(corrupt("%d values are not null, the index says that all are", t.values), op, p.off)
	case t.values == 0 || x.NullPages[i]:
	case !v.n.fits(x.Min[i]) || !v.n.fits(x.Max[i]):
		v.fault(corrupt("a minimum of %d bytes and a maximum of %d bytes are none of %s", len(x.Min[i]), len(x.Max[i]), v.n.elem.Type), op, p.off)
	default:
		v.within(t, v.n.bound(x.Min[i], v.ordered, false), v.n.bound(x.Max[i], v.ordered, true), false, false, op, p.off)
	}
}

// order checks that the bounds of the pages follow one another as the column index says.
func (v *chunkCheck) order() {
	x := v.bounds
	if x.Order != decode.Ascending && x.Order != decode.Descending {
		return
	}
	var lo, hi scalar.Scalar
	for i := range x.NullPages {
		if x.NullPages[i] {
			continue
		}
		a, b := v.n.bound(x.Min[i], v.ordered, false), v.n.bound(x.Max[i], v.ordered, false)
		if a == nil || b == nil {
			return
		}
		if lo != nil {
			wrong, wrongToo := false, false
			name := "ascending"
			if x.Order == decode.Ascending {
				wrong, _ = less(a, lo)
				wrongToo, _ = less(b, hi)
			} else {
				name = "descending"
				wrong, _ = less(lo, a)
				wrongToo, _ = less(hi, b)
			}
			if wrong || wrongToo {
				v.fault(corrupt("the bounds of page %d break the order, which is given as %s", i, name), "column index", v.c.ColumnIndex.Off)
				return
			}
		}
		lo, hi = a, b
	}
}
