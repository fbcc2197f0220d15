package orc

import (
	"errors"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/wkb"
)

// stripeCheck checks the columns of a stripe, one after the other. It decodes them by itself: values as they are stored,
// a row group at a time.
type stripeCheck struct {
	*verifier
	stripe *stripe
	totals []tally
}

// groupRows returns how many rows each row group has. Without an index, or where it cannot have that many entries, the
// stripe is one group.
func (w *stripeCheck) groupRows() []int64 {
	const leastEntry = 2 // bytes
	rows, n := w.stripe.info.Rows, w.stripe.groups()
	if n <= 0 || int64(n) > w.limits.MetadataBytes/leastEntry || rows > int64(n)*int64(w.footer.RowIndexStride) {
		return []int64{rows}
	}
	if x, ok := w.stripe.find(0, orcwire.RowIndex); !ok && n > mostGroups || ok && !w.packing.Chunked && x.len < leastEntry*int64(n) {
		return []int64{rows}
	}
	out := make([]int64, n)
	for i := range out {
		out[i] = min(rows, int64(w.footer.RowIndexStride))
		rows -= out[i]
	}
	return out
}

// mostGroups is how many row groups a stripe may have whose root has no index.
const mostGroups = 1 << 16

// columnCheck is what is known of a column of a stripe while it is checked.
type columnCheck struct {
	*stripeCheck
	typ      *orcwire.Type
	index    int64 // where the row index lies
	reported map[string]bool
	failed   bool
}

// fault reports a fault of a sort, the first of that sort.
func (c *columnCheck) fault(sort string, err error, op string) error {
	if err == nil || isIO(err) {
		return err
	}
	var e *errs.Error
	if !errors.As(err, &e) {
		err = kinded(err)
	}
	c.bad[badColumn{c.stripe.ordinal, topOf(c.typ)}] = c.bad[badColumn{c.stripe.ordinal, topOf(c.typ)}] || sort == "data"
	if c.reported[sort] {
		return nil
	}
	if c.reported == nil {
		c.reported = map[string]bool{}
	}
	c.reported[sort] = true
	return c.verifier.fault(errs.Locate(err, errs.At{Format: Name, Op: op, Column: c.typ.Path(), Split: errs.N(c.stripe.ordinal), Off: errs.N(max(c.index, c.stripe.info.Offset))}))
}

// column checks a column and those below it. counts is how many slots each row group has for it.
func (w *stripeCheck) column(t *orcwire.Type, counts []int64) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	c := &columnCheck{stripeCheck: w, typ: t}
	children, err := c.run(counts)
	if err != nil {
		return err
	}
	if c.failed {
		for id := t.ID; id <= t.Last; id++ {
			w.totals[id].broken = true
		}
		if t.Parent == nil {
			for _, id := range w.top() {
				w.bad[badColumn{w.stripe.ordinal, id}] = true
			}
		}
		return nil
	}
	for i, k := range t.Children {
		if err := w.column(k, children[i]); err != nil {
			return err
		}
	}
	return nil
}

// run decodes the column twice: from the start of the stripe to its end, and each row group from its positions. It
// returns how many slots each child has in each row group.
func (c *columnCheck) run(counts []int64) (children [][]int64, err error) {
	s, id := c.stripe, c.typ.ID
	if err := s.readIndex(c.ctx, []int{id}, []int{id}); err != nil {
		return nil, err
	}
	ix := s.columnIndex(id)
	if c.masked(c.typ) || len(counts) != s.groups() {
		ix = columnIndex{}
	}
	if x, ok := s.find(id, orcwire.RowIndex); ok {
		c.index = x.off
	}
	if err := c.fault("index", ix.indexErr, "ROW_INDEX stream"); err != nil {
		return nil, err
	}
	if err := c.fault("bloom", ix.bloomErr, "bloom filter stream"); err != nil {
		return nil, err
	}
	dec, err := c.decoder()
	if err != nil {
		c.failed = true
		return nil, c.fault("data", err, "")
	}
	var seeker *columnDecoder
	if ix.entries != nil {
		if seeker, err = c.decoder(); err != nil {
			return nil, c.fault("data", err, "")
		}
	}
	// The children of unions have rows of their own, those of others as many as each other.
	distinct := min(1, len(c.typ.Children))
	if c.typ.Kind == orcwire.Union {
		distinct = len(c.typ.Children)
	}
	children = make([][]int64, len(c.typ.Children))
	for i := range children {
		if children[i] = children[0]; i < distinct {
			children[i] = make([]int64, len(counts))
		}
	}
	total := &c.totals[id]
	for g, n := range counts {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		t := tally{childSlots: make([]int64, distinct)}
		if c.typ.Kind == orcwire.Geometry || c.typ.Kind == orcwire.Geography {
			t.shapes = &wkb.Check{}
		}
		if ix.blooms != nil && c.quirks.BloomTrusted(c.typ.Kind, ix.utf8, s.encoding(id).Bloom) {
			t.bloom = &ix.blooms[g]
		}
		if err := dec.read(n, &t); err != nil {
			c.failed = true
			return nil, c.fault("data", err, group(g))
		}
		for i, n := range t.childSlots {
			children[i][g] = n
		}
		if t.missed > 0 {
			err := corrupt("the bloom filter lacks %d of %d values", t.missed, t.values)
			if err := c.fault("bloom", err, group(g)); err != nil {
				return nil, err
			}
		}
		if ix.entries != nil {
			if err := c.group(g, n, &ix.entries[g], seeker, &t); err != nil {
				return nil, err
			}
		}
		total.merge(&t)
	}
	return children, c.fault("end", dec.end(), "")
}

// group compares a row group with its entry of the index.
func (c *columnCheck) group(g int, n int64, e *orcwire.RowIndexEntry, seeker *columnDecoder, want *tally) error {
	got := tally{childSlots: make([]int64, len(want.childSlots))}
	err := seeker.seek(e.Positions)
	if err == nil {
		err = seeker.read(n, &got)
	}
	switch {
	case isIO(err):
		return err
	case err != nil:
		err = corrupt("the positions %d lead nowhere: %w", e.Positions, err)
	case got.sum() != want.sum():
		err = corrupt("the positions %d lead to other values", e.Positions)
	}
	if err := c.fault("positions", err, group(g)); err != nil {
		return err
	}
	s, err := e.ColumnStats()
	if err == nil {
		err = c.compare(c.typ, &s, want, false)
	}
	return c.fault("group statistics", err, "statistics of "+group(g))
}

// stats compares the statistics of the stripe.
func (w *stripeCheck) stats() error {
	list, err := w.stripeStats(w.ctx, w.stripe.ordinal)
	if err != nil {
		return w.verifier.fault(err)
	}
	if list.Len() == 0 || !w.quirks.StripeStatsTrusted() || w.idle(list, w.stripe.info.Rows) {
		return nil
	}
	for id, t := range w.footer.Types {
		if w.totals[id].broken {
			continue
		}
		s, err := w.statsOf(t, w.stripe.ordinal, list)
		if err == nil {
			err = w.compare(t, &s, &w.totals[id], true)
		}
		if err != nil {
			err = errs.Locate(kinded(err), errs.At{
				Format: Name, Op: "statistics of the stripe", Column: t.Path(), Split: errs.N(w.stripe.ordinal), Off: errs.N(w.tail.metadata.Off),
			})
			if err := w.verifier.fault(err); err != nil {
				return err
			}
		}
	}
	return nil
}
