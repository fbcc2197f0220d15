package orc

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/salvage"
)

// survey finds out what of a file is intact. ORC has no checksums. The witnesses are: compression that cannot be undone, streams
// that end too early or too late, statistics and bloom filters of row groups and stripes, and the positions of the row index, which
// say where each row group begins, and so where the one before it ends.
type survey struct {
	*verifier
	units  []salvage.Unit
	damage []salvage.Damage
}

// survey shows what is intact of a file. The File that it returns takes over f.
func (f *File) survey(ctx context.Context, mode salvage.Mode, behind salvage.Behind) (arrowio.File, error) {
	v := &survey{verifier: &verifier{File: f, ctx: ctx, report: func(error) {}, inputs: &branch{tree: &tree{file: f, ctx: ctx, window: windowBytes}, scratch: new(orcwire.Scratch)}}}
	v.totals, v.bad, v.hidden = make([]tally, len(f.footer.Types)), map[badColumn]bool{}, map[int]*secretStats{}
	found := map[int]*reach{}
	for i := range f.footer.Stripes {
		r, err := v.stripe(i)
		if err != nil {
			return nil, err
		}
		if r != nil {
			found[i] = r
		}
	}
	f.reach = found
	damage, err := v.sift()
	if err != nil {
		return nil, err
	}
	return salvage.NewBehind(f, mode, damage, f.limits, behind)
}

// sift reads what is left as a scan reads it, timestamps in microseconds where nanoseconds are too fine for them.
func (v *survey) sift() ([]salvage.Damage, error) {
	f, micros := v.File, arrow.Microsecond
	opt := f.opt
	opt.Unit, opt.Microseconds, opt.RefuseFiner = &micros, nil, false
	coarse := &File{src: f.src, limits: f.limits, opt: opt, ahead: f.ahead, ps: f.ps, footer: f.footer, packing: f.packing, tail: f.tail, begin: f.begin, stripes: map[int]*stripe{}}
	if err := coarse.describe(); err != nil {
		return nil, err
	}
	coarse.reach = f.reach
	var damage []salvage.Damage
	for _, d := range v.damage {
		if d.Column == salvage.All {
			damage = append(damage, d)
		}
	}
	for c, t := range coarse.top {
		var own []salvage.Damage
		for _, d := range v.damage {
			if d.Column == salvage.All {
				d.Column = c
			}
			if d.Column == c {
				own = append(own, d)
			}
		}
		if hollow(t) { // no bytes are read for it
			continue
		}
		own, err := salvage.Sift(v.ctx, coarse, c, v.units, own, v.limits)
		if err != nil {
			return nil, err
		}
		damage = append(damage, own...)
	}
	return damage, nil
}

// surveyed is what was found of a column, row group by row group.
type surveyed struct {
	lost    []error // nil = intact
	seek    []bool  // the positions lead to it
	through []bool  // decoding from the start of the stripe leads to it
	vague   []bool  // no statistics of its own tell whether it is right
	total   tally
}

// stripe surveys a stripe. It returns nil if the stripe is intact.
func (v *survey) stripe(i int) (*reach, error) {
	info := v.footer.Stripes[i]
	place, rows := fmt.Sprintf("stripe %d", i), arrowio.RowRange{Start: v.first[i], End: v.first[i+1]}
	s, err := v.File.stripe(v.ctx, i)
	if err != nil {
		if isIO(err) {
			return nil, err
		}
		v.units = append(v.units, salvage.Unit{Rows: rows, Place: place, Bytes: func(int) arrowio.ByteRange { return arrowio.ByteRange{} }})
		v.damage = append(v.damage, salvage.Damage{Rows: rows, Column: salvage.All, Place: place, Bytes: stripeBytes(&info, v.src.Size()), Reason: err})
		return &reach{seek: make([][]bool, len(v.File.top))}, nil
	}
	defer s.release()
	w := &stripeSurvey{stripeCheck: stripeCheck{verifier: v.verifier, stripe: s, totals: make([]tally, len(v.footer.Types))}, found: map[int]*surveyed{}}
	groups := w.groupRows()
	if err := w.column(v.footer.Types[0], groups, nil); err != nil {
		return nil, err
	}
	r := &reach{}
	whole := true
	at := rows.Start
	first := len(v.units)
	places := make([]arrowio.ByteRange, len(v.File.top)) // they are asked for when the stripe is gone
	for c := range places {
		places[c] = w.bytes(c)
	}
	for _, n := range groups {
		v.units = append(v.units, salvage.Unit{Rows: arrowio.RowRange{Start: at, End: at + n}, Place: place, Bytes: func(c int) arrowio.ByteRange { return places[c] }})
		at += n
	}
	for c := range v.File.top {
		seek, lost := w.combine(v.File.top[c])
		r.seek = append(r.seek, seek)
		for g, err := range lost {
			if err != nil {
				whole = false
				v.damage = append(v.damage, salvage.Damage{Rows: v.units[first+g].Rows, Column: c, Place: place, Bytes: places[c], Reason: err})
			}
		}
	}
	if whole {
		return nil, nil
	}
	return r, nil
}

// stripeBytes is where a stripe lies in a file of a size.
func stripeBytes(s *orcwire.StripeInfo, size int64) arrowio.ByteRange {
	return arrowio.ByteRange{Off: s.Offset, Len: s.IndexLength + s.DataLength + s.FooterLength}.Clamp(size)
}

// stripeSurvey surveys the columns of a stripe.
type stripeSurvey struct {
	stripeCheck
	found map[int]*surveyed // by type id
}

// bytes returns where the streams of a column of the top level lie, from the first to the last.
func (w *stripeSurvey) bytes(column int) arrowio.ByteRange {
	t, s := w.File.top[column], w.stripe
	var out arrowio.ByteRange
	for _, x := range s.streams[s.columns[t.ID]:s.columns[t.Last+1]] {
		switch {
		case x.kind.Index() || x.len == 0:
		case out.Len == 0:
			out = arrowio.ByteRange{Off: x.off, Len: x.len}
		default:
			start, end := min(out.Off, x.off), max(out.End(), x.off+x.len)
			out = arrowio.ByteRange{Off: start, Len: end - start}
		}
	}
	return out
}

// combine says of a column of the top level, which is read with all below it, which row groups are lost, and which of the others
// are read from the positions of the row index.
func (w *stripeSurvey) combine(t *orcwire.Type) (seek []bool, lost []error) {
	root := w.found[0]
	n := len(root.lost)
	seek, lost = make([]bool, n), make([]error, n)
	for g := range n {
		sought, through := true, true
		for id := t.ID; id <= t.Last; id++ {
			x := w.found[id]
			if x == nil {
				continue // of a column that is lost
			}
			if lost[g] == nil {
				lost[g] = x.lost[g]
			}
			sought, through = sought && x.seek[g], through && x.through[g]
		}
		if lost[g] == nil {
			lost[g] = root.lost[g]
		}
		if lost[g] == nil && !sought && !through {
			lost[g] = corrupt("what is before it in the stripe is damaged, and the row index does not lead to it in all parts of the column")
		}
		seek[g] = sought
	}
	return seek, lost
}

// column surveys a column and those below it. counts is how many slots each row group has for it; above says which of them are
// not known, because the column above is damaged there; nil = all are.
func (w *stripeSurvey) column(t *orcwire.Type, counts []int64, above []error) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if above == nil {
		above = make([]error, len(counts))
	}
	c := &columnSurvey{columnCheck: columnCheck{stripeCheck: &w.stripeCheck, typ: t}, counts: counts, above: above}
	children, err := c.run()
	if err != nil {
		return err
	}
	w.found[t.ID] = &c.surveyed
	for i, k := range t.Children {
		if err := w.column(k, children[i], c.lost); err != nil {
			return err
		}
	}
	return nil
}

// columnSurvey surveys one column of a stripe.
type columnSurvey struct {
	columnCheck
	surveyed
	counts []int64
	above  []error

	ix     columnIndex
	blooms bool
	dec    *columnDecoder // goes on from row group to row group
	alive  bool           // dec stands where the row group begins, as far as that is known
	whole  bool           // dec has come from the start of the stripe
	broken error          // why dec is not alive
	seeker *columnDecoder // jumps to each row group; nil = there are no positions
}

// run surveys the column, and returns how many slots each child has in each row group.
func (c *columnSurvey) run() (children [][]int64, err error) {
	n := len(c.counts)
	c.lost, c.seek, c.through, c.vague = make([]error, n), make([]bool, n), make([]bool, n), make([]bool, n)
	distinct := min(1, len(c.typ.Children))
	if c.typ.Kind == orcwire.Union {
		distinct = len(c.typ.Children)
	}
	children = make([][]int64, len(c.typ.Children))
	for i := range children {
		if children[i] = children[0]; i < distinct {
			children[i] = make([]int64, n)
		}
	}
	if err := c.open(); err != nil {
		if isIO(err) {
			return nil, err
		}
		for g := range c.lost {
			c.lost[g] = c.place(err)
		}
		return children, nil
	}
	for g := range c.counts {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		t, err := c.group(g, distinct)
		if err != nil {
			return nil, err
		}
		if t == nil {
			continue
		}
		for i, k := range t.childSlots {
			children[i][g] = k
		}
		c.total.merge(t)
	}
	return children, c.finish()
}

// open opens the decoders at the start of the stripe.
func (c *columnSurvey) open() (err error) {
	s, id := c.stripe, c.typ.ID
	if err := s.readIndex(c.ctx, []int{id}, []int{id}); err != nil {
		return err
	}
	c.ix = s.columnIndex(id)
	if c.masked(c.typ) || len(c.counts) != s.groups() {
		c.ix = columnIndex{}
	}
	c.blooms = c.ix.blooms != nil && c.quirks.BloomTrusted(c.typ.Kind, c.ix.utf8, s.encoding(id).Bloom)
	if c.dec, err = c.decoder(); err != nil {
		return err
	}
	if c.ix.entries != nil {
		if c.seeker, err = c.decoder(); err != nil {
			return err
		}
	}
	c.alive, c.whole = true, true
	return nil
}

func (c *columnSurvey) place(err error) error {
	return errs.Locate(kinded(err), errs.At{Column: c.typ.Path(), Split: errs.N(c.stripe.ordinal)})
}

// group surveys a row group. t is what its values are like; nil = they are lost.
func (c *columnSurvey) group(g, distinct int) (t *tally, err error) {
	if c.above[g] != nil { // it is not known how many slots there are
		c.lost[g] = c.above[g]
		c.breakOff(c.above[g])
		return nil, nil
	}
	n := c.counts[g]
	fresh := func() *tally {
		t := &tally{childSlots: make([]int64, distinct)}
		if c.blooms {
			t.bloom = &c.ix.blooms[g]
		}
		return t
	}
	seq, sought := fresh(), fresh()
	seqErr, seekErr := c.broken, errNoPositions
	if c.alive {
		if seqErr = c.dec.read(n, seq); isIO(seqErr) {
			return nil, seqErr
		}
	}
	if c.seeker != nil {
		if seekErr = c.seeker.seek(c.ix.entries[g].Positions); seekErr == nil {
			seekErr = c.seeker.read(n, sought)
		}
		if isIO(seekErr) {
			return nil, seekErr
		}
	}
	alive := c.alive
	same := seqErr == nil && seekErr == nil && seq.sum() == sought.sum()
	seqFits, known := c.fits(g, seq, seqErr)
	seekFits, _ := c.fits(g, sought, seekErr)
	c.vague[g] = !known
	before := g > 0 && c.lost[g-1] != nil
	suspect := func(why string) { // the row group before
		if alive && g > 0 && !before {
			c.lost[g-1] = c.place(corrupt("%s", why))
		}
	}
	switch {
	case same || seqErr == nil && c.seeker == nil:
		c.seek[g], c.through[g] = same, c.whole
		c.lost[g] = seqFits
		t = seq
	case seqErr == nil && seqFits == nil && (seekErr != nil || seekFits != nil): // the positions are wrong
		c.through[g] = c.whole
		if !c.whole {
			c.lost[g] = corrupt("the row index does not lead to it")
		}
		t = seq
	case seekFits == nil && (seqFits != nil || before): // what was decoded up to here is wrong, or did not end where it should
		c.seek[g] = true
		suspect("it does not end where the row index says that the next row group begins")
		t = sought
	case seqErr == nil && seekErr == nil: // nothing tells which of them is wrong
		suspect("it does not end where the row index says that the next row group begins")
		c.lost[g] = corrupt("the row index leads to other values than those that follow the row group before it")
		t = sought
	default:
		if c.lost[g] = seqFits; !alive && c.seeker != nil {
			c.lost[g] = seekFits
		}
	}
	if c.lost[g] != nil {
		c.lost[g] = c.place(c.lost[g])
	}
	switch {
	case seqErr != nil || t == sought:
		c.breakOff(seqErr)
		return t, c.revive(g, t, distinct)
	}
	return t, nil
}

var errNoPositions = errors.New("orc: the stripe has no row index")

// breakOff notes that the decoder does not stand where the next row group begins.
func (c *columnSurvey) breakOff(err error) {
	c.alive, c.whole, c.broken = false, false, err
	if err == nil {
		c.broken = corrupt("what is before it is damaged")
	}
}

// revive has the decoder go on behind a row group that was read from its positions; t is nil where it was not.
func (c *columnSurvey) revive(g int, t *tally, distinct int) error {
	if t == nil || c.seeker == nil {
		return nil
	}
	err := c.dec.seek(c.ix.entries[g].Positions)
	if err == nil {
		err = c.dec.read(c.counts[g], &tally{childSlots: make([]int64, distinct)})
	}
	c.alive = err == nil
	if isIO(err) {
		return err
	}
	return nil
}

// fits compares a row group with its statistics and its bloom filter. known = there are statistics that say something.
func (c *columnSurvey) fits(g int, t *tally, decoded error) (err error, known bool) { //nolint:revive // the error is what is asked for
	if c.ix.entries == nil {
		return decoded, false
	}
	s, err := c.ix.entries[g].ColumnStats()
	if err != nil {
		return decoded, false
	}
	known = s.HasValues
	switch {
	case decoded != nil:
		return decoded, known
	case t.missed > 0:
		return corrupt("the bloom filter lacks %d of %d values", t.missed, t.values), known
	}
	if err := c.compare(c.typ, &s, t, false); err != nil {
		return corrupt("the values do not fit their statistics: %w", err), known
	}
	return nil, known
}

// finish checks the end of the streams and, where row groups have no statistics, those of the stripe.
func (c *columnSurvey) finish() error {
	last := len(c.lost) - 1
	if last >= 0 && c.alive && c.lost[last] == nil {
		err := c.dec.end()
		if isIO(err) {
			return err
		}
		if err != nil {
			c.lost[last] = c.place(err)
		}
	}
	some, vague := false, false
	for g := range c.lost {
		some, vague = some || c.lost[g] != nil, vague || c.vague[g]
	}
	if some || !vague {
		return nil
	}
	list, err := c.stripeStats(c.ctx, c.stripe.ordinal)
	if isIO(err) {
		return err
	}
	if err != nil || list.Len() == 0 || !c.quirks.StripeStatsTrusted() || c.idle(list, c.stripe.info.Rows) {
		return nil
	}
	s, err := c.statsOf(c.typ, c.stripe.ordinal, list)
	if err == nil {
		err = c.compare(c.typ, &s, &c.total, true)
	}
	if isIO(err) {
		return err
	}
	for g := range c.lost {
		if err != nil && c.vague[g] {
			c.lost[g] = c.place(corrupt("the values do not fit the statistics of the stripe: %w", err))
		}
	}
	return nil
}
