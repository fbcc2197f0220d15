package orc

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// Prune returns the rows of s that may satisfy pred. It tests first the statistics of the stripe, for which it reads only the
// file's metadata, once. Then it tests each row group, by the row index and the bloom filters of the columns that pred reads.
// These are fetched together.
//
// Statistics that cannot be read, or that the writer is known to get wrong, prune nothing; Verify reports them. Prune returns an
// error only if reading from the source fails.
func (f *File) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	if s.Ordinal < 0 || s.Ordinal >= len(f.cuts) {
		return arrowio.RowSet{}.Add(s.Rows), nil
	}
	c := f.cuts[s.Ordinal]
	if c.stripe < 0 {
		return arrowio.RowSet{}.Add(s.Rows), nil
	}
	p := f.newPruner(c.stripe, pred)
	if err := p.unmask(ctx); err != nil {
		return nil, err
	}
	rows, err := p.prune(ctx, c.rows.Intersect(s.Rows))
	if err != nil {
		return nil, located(err, "pruning", f.footer.Stripes[c.stripe].Offset)
	}
	return rows, nil
}

// pruner tests one predicate against one stripe.
type pruner struct {
	f        *File
	ordinal  int
	rows     arrowio.RowRange // of the stripe
	pred     *expr.Bound
	subjects map[string]*subject // by path; nil = of no use
	equals   map[int]bool        // type ids that pred compares for equality
	explain  bool
	told     pruned
}

// pruned counts what a pruner has found, row groups where the stripe has an index.
type pruned struct {
	groups, left  int
	stripe, bloom bool // the stripe's statistics, the bloom filters were what pruned something
	index         bool
}

func (f *File) newPruner(ordinal int, pred *expr.Bound) *pruner {
	p := &pruner{
		f: f, ordinal: ordinal, pred: pred,
		rows:     arrowio.RowRange{Start: f.first[ordinal], End: f.first[ordinal+1]},
		subjects: map[string]*subject{}, equals: map[int]bool{},
	}
	for _, path := range pred.Columns() {
		p.subjects[path] = f.subject(path)
	}
	p.findEquals(pred.Expr())
	return p
}

// unmask finds out whether the writer is who it says that it is, if bounds of floats depend on it.
func (p *pruner) unmask(ctx context.Context) error {
	for _, c := range p.subjects {
		if c != nil && (c.typ.Kind == orcwire.Float || c.typ.Kind == orcwire.Double) && p.f.quirks.MayPose(p.f.footer) {
			var err error
			if c.posed, err = p.f.posed(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// posed reports whether the first stripe lacks the time zone that the Java writer tells. Such a writer, .NET's, stored other
// bits as bounds of floats. It is found out once.
func (f *File) posed(ctx context.Context) (bool, error) {
	f.mu.Lock()
	poses := f.poses
	f.mu.Unlock()
	if poses == orcwire.Unknown {
		if poses = orcwire.No; len(f.footer.Stripes) > 0 {
			s, err := f.stripe(ctx, 0)
			if isIO(err) {
				return false, err
			}
			if err != nil {
				return true, nil // reading will say what is wrong
			}
			if s.footer.Timezone == "" {
				poses = orcwire.Yes
			}
			s.release()
		}
		f.mu.Lock()
		f.poses = poses
		f.mu.Unlock()
	}
	return poses == orcwire.Yes, nil
}

// findEquals notes the columns of = and IN, which are what bloom filters answer.
func (p *pruner) findEquals(e expr.Expr) {
	note := func(col string) {
		if c := p.f.subject(col); c != nil {
			p.equals[c.typ.ID] = true
		}
	}
	switch e := e.(type) {
	case expr.And:
		for _, x := range e {
			p.findEquals(x)
		}
	case expr.Or:
		for _, x := range e {
			p.findEquals(x)
		}
	case expr.Not:
		p.findEquals(e.X)
	case expr.Compare:
		if e.Op == expr.Eq || e.Op == expr.Ne {
			note(e.Col)
		}
	case expr.In:
		note(e.Col)
	case expr.Like: // one without wildcards
		note(e.Col)
	}
}

// prune returns what is left of rows, which lie in the stripe.
func (p *pruner) prune(ctx context.Context, rows arrowio.RowRange) (arrowio.RowSet, error) {
	all := arrowio.RowSet{}.Add(rows)
	truth, err := p.testStripe(ctx)
	if err != nil {
		return nil, err
	}
	if truth.Skip() {
		p.told.stripe = true
		return nil, nil
	}
	if truth.All() || p.f.footer.RowIndexStride == 0 || len(p.subjects) == 0 {
		return all, nil
	}
	return p.testGroups(ctx, rows)
}

// testStripe tests the stripe as a whole.
func (p *pruner) testStripe(ctx context.Context) (expr.Truth, error) {
	list, err := p.f.stripeStats(ctx, p.ordinal)
	if err != nil {
		if isIO(err) {
			return 0, err
		}
		list = orcwire.StatsList{}
	}
	at := place{rows: p.rows.Len(), merged: true}
	if p.f.quirks.Writer == orcwire.WriterTrino {
		at.zone = zoneUTC // always; of others only the stripe's footer tells
	}
	return p.pred.Test(func(path string) expr.Evidence {
		c := p.subjects[path]
		if c == nil || p.f.concealed(c.typ) || !p.f.stripesAgree(ctx, c.typ.ID) {
			return nil
		}
		s, err := list.At(c.typ.ID)
		if err != nil {
			return nil
		}
		return expr.StatsOnly(c.stats(&s, at))
	}), nil
}

// concealed reports whether the statistics of stripes are of what stands in a column's place: it is encrypted, and we
// may have the key. The streams of its row index are those of the column that is read, whichever that is.
func (f *File) concealed(t *orcwire.Type) bool {
	if f.footer.Encryption == nil || len(f.opt.Keys.ring) == 0 {
		return false
	}
	for _, v := range f.footer.Encryption.Variants {
		if root := f.footer.Types[v.Root]; t.ID >= root.ID && t.ID <= root.Last {
			return true
		}
	}
	return false
}

// zoning says what is known of the wall clock of the stripe's timestamps.
func (s *stripe) zoning() zoning {
	switch strings.TrimPrefix(s.footer.Timezone, "Etc/") {
	case "":
		return zoneMissing
	case "UTC", "GMT", "UCT", "Zulu", "Universal", "Greenwich":
		return zoneUTC
	}
	for _, far := range []string{"Pacific/", "Antarctica/"} { // where clocks were moved by more than hours
		if strings.HasPrefix(s.footer.Timezone, far) {
			return zoneUnknown
		}
	}
	if strings.Contains(s.footer.Timezone, "/") {
		return zoneRules
	}
	return zoneUnknown // an old name, which may be of such a place
}

// testGroups tests the row groups that rows touch.
func (p *pruner) testGroups(ctx context.Context, rows arrowio.RowRange) (arrowio.RowSet, error) {
	s, err := p.f.stripe(ctx, p.ordinal)
	if err != nil {
		if isIO(err) {
			return nil, err
		}
		return arrowio.RowSet{}.Add(rows), nil // reading will say what is wrong
	}
	defer s.release()
	var columns, blooms []int
	for _, c := range p.subjects {
		if c == nil {
			continue
		}
		columns = append(columns, c.typ.ID)
		if p.equals[c.typ.ID] && c.bloomed(s) {
			blooms = append(blooms, c.typ.ID)
		}
	}
	if err := s.readIndex(ctx, columns, blooms); err != nil {
		return nil, err
	}
	stride := int64(p.f.footer.RowIndexStride)
	first, last := (rows.Start-p.rows.Start)/stride, (rows.End-1-p.rows.Start)/stride
	group := func(i int64) arrowio.RowRange {
		return arrowio.RowRange{Start: p.rows.Start + i*stride, End: min(p.rows.Start+(i+1)*stride, p.rows.End)}
	}
	known := map[string]*groups{}
	for path, c := range p.subjects {
		if c != nil {
			known[path] = c.groups(s, p.f.wholeStripe(ctx, c.typ, p.ordinal), slices.Contains(blooms, c.typ.ID), first, last, group)
		}
	}
	var out arrowio.RowSet
	for i := first; i <= last; i++ {
		p.told.groups++
		if p.testGroup(known, int(i-first)) {
			p.told.left++
			out = out.Add(group(i).Intersect(rows))
		}
	}
	return out, nil
}

// groups is what the index says of a column in some row groups.
type groups struct {
	c      *subject
	stats  []expr.Stats
	blooms []orcwire.BloomFilter // nil = none
}

// wholeStripe returns what the metadata say of a column in a stripe; nil where they are not of what row groups are of, or
// not to be trusted.
func (f *File) wholeStripe(ctx context.Context, t *orcwire.Type, ordinal int) *orcwire.ColumnStats {
	list, err := f.stripeStats(ctx, ordinal)
	if err != nil || f.concealed(t) || f.veiled(t) || !f.quirks.StripeStatsTrusted() {
		return nil
	}
	s, err := list.At(t.ID)
	if err != nil {
		return nil
	}
	return &s
}

// groups takes from the index what it says of row groups first to last. Half of it is left out where that half cannot
// be understood, and statistics of any row group that are of more rows than it has put all in doubt: the stripe may have
// been copied from a file with another stride.
func (c *subject) groups(s *stripe, whole *orcwire.ColumnStats, bloomed bool, first, last int64, rows func(int64) arrowio.RowRange) *groups {
	index := s.columnIndex(c.typ.ID)
	if whole != nil && !index.groupsAgree(whole) {
		index.entries = nil
	}
	g := &groups{c: c, stats: make([]expr.Stats, last-first+1)}
	for i := range g.stats {
		at := place{rows: rows(first + int64(i)).Len(), zone: s.zoning()}
		g.stats[i] = expr.Stats{Rows: at.rows, Nulls: -1}
		if index.entries == nil || index.indexErr != nil || c.file.veiled(c.typ) {
			continue
		}
		e, err := index.entries[first+int64(i)].ColumnStats()
		if err != nil {
			continue
		}
		if e.HasValues && e.Values > at.rows {
			index.entries = nil
			for k := range i {
				g.stats[k] = expr.Stats{Rows: g.stats[k].Rows, Nulls: -1}
			}
			continue
		}
		g.stats[i] = c.stats(&e, at)
	}
	if bloomed && index.bloomErr == nil && index.blooms != nil {
		g.blooms = index.blooms[first : last+1]
	}
	return g
}

// testGroup reports whether the i-th of the row groups may have a row that satisfies the predicate.
func (p *pruner) testGroup(known map[string]*groups, i int) bool {
	test := func(blooms bool) bool {
		return !p.pred.Test(func(path string) expr.Evidence {
			g := known[path]
			if g == nil {
				return nil
			}
			e := &evidence{c: g.c, known: g.stats[i]}
			if blooms && g.blooms != nil {
				e.bloom = &g.blooms[i]
			}
			return e
		}).Skip()
	}
	may := test(true)
	if p.explain && !may {
		if test(false) {
			p.told.bloom = true
		} else {
			p.told.index = true
		}
	}
	return may
}

// plan tells, stripe by stripe, what Prune leaves.
func (f *File) plan(ctx context.Context, pred *expr.Bound) ([]arrowio.PlanInfo, error) {
	var out []arrowio.PlanInfo
	for i, s := range f.footer.Stripes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.Rows == 0 {
			continue
		}
		p := f.newPruner(i, pred)
		p.explain = true
		if err := p.unmask(ctx); err != nil {
			return nil, err
		}
		rows, err := p.prune(ctx, p.rows)
		if err != nil {
			return nil, located(err, "pruning", s.Offset)
		}
		info := arrowio.PlanInfo{Unit: "stripe " + strconv.Itoa(i), Rows: p.rows, Left: rows.Len(), Groups: p.told.left, GroupsOf: p.told.groups}
		for _, x := range []struct {
			by   bool
			name string
		}{{p.told.stripe, "stripe statistics"}, {p.told.index, "row index"}, {p.told.bloom, "bloom filters"}} {
			if x.by {
				info.By = append(info.By, x.name)
			}
		}
		info.BytesOf = s.IndexLength + s.DataLength
		info.Bytes = int64(float64(info.BytesOf) * float64(info.Left) / float64(s.Rows))
		out = append(out, info)
	}
	return out, nil
}
