package extsort

import (
	"bytes"
	"context"
	"math"
)

// merger merges runs and the rows still in memory: a loser tree over the next row of each.
//
//	tree[0]            the winner: the source with the least key
//	tree[1..k-1]       losers of the matches on the way up; source i enters at (i + k) / 2
//
// Of equal keys that of the earlier source is less.
type merger struct {
	s       *Sorter
	batches []*batch // by number in refs; nil = free
	free    []int
	spent   []int // used up, but refs to them are not copied yet
	cur     []cursor
	words   []uint64 // eight bytes of the next key of each source, from depth on
	depth   int      // up to which all keys are the same
	whole   bool     // words tell all
	tree    []int
	refs    []uint64
	held    int64 // bytes of blocks,
	limit   int64 // which may not be more, as far as there is a choice
	dry     int   // the source that has to read its next block before anything; -1 = none
	streak  int   // how often the same source has won at a stretch
	base    int   // batches of the chunk
}

// cursor is where a source is.
type cursor struct {
	pos, n int   // rows of the block
	slot   int   // of the block
	k      *keys // of the block; nil = there are no more

	run  *run     // of which next is the block to read
	seq  sequence // or in memory, of which next is the batch to come
	base int      // number of seq's first batch
	next int
}

// streakMin is how many rows of one source in a row make it worth looking how many more there are.
const streakMin = 8

// newMerger returns a merger of runs and, behind them, the rows of a chunk. Both stay the caller's, but see next.
func newMerger(ctx context.Context, s *Sorter, runs []*run, c *chunk) (*merger, error) {
	m := &merger{s: s, dry: -1, limit: s.mergeBytes - s.aside()}
	for _, r := range runs {
		m.cur = append(m.cur, cursor{run: r})
	}
	if c != nil {
		m.limit -= c.bytes
		for _, q := range c.sequences {
			m.cur = append(m.cur, cursor{seq: q, base: len(m.batches)})
			m.batches = append(m.batches, q...)
		}
	}
	m.base = len(m.batches)
	m.words = make([]uint64, len(m.cur))
	m.skipCommon()
	for i := range m.cur {
		if err := m.load(ctx, i); err != nil {
			m.release()
			return nil, err
		}
	}
	m.grow()
	return m, nil
}

// firstKey returns the least key. There must be rows.
func (m *merger) firstKey() []byte { return m.key(&m.cur[m.tree[0]]) }

// skipCommon sets depth: between the least key of all sources and the greatest, all begin with what these two have in
// common.
func (m *merger) skipCommon() {
	if len(m.cur) == 0 {
		return
	}
	var least, greatest []byte
	for i := range m.cur {
		first, last := m.cur[i].ends()
		if i == 0 || before(first, least) {
			least = first
		}
		if i == 0 || before(greatest, last) {
			greatest = last
		}
	}
	for m.depth < min(len(least), len(greatest)) && least[m.depth] == greatest[m.depth] {
		m.depth++
	}
	m.whole = m.s.plan.width >= 0 && m.s.plan.width <= m.depth+8
}

// ends returns the least and the greatest key of a source.
func (c *cursor) ends() (first, last []byte) {
	if c.run != nil {
		return c.run.first, c.run.last
	}
	b := c.seq[len(c.seq)-1]
	return c.seq[0].keys.key(0), b.keys.key(b.n - 1)
}

// grow plays all matches.
func (m *merger) grow() {
	k := len(m.cur)
	m.tree = make([]int, max(k, 1))
	if k == 0 {
		return
	}
	winners := make([]int, 2*k)
	for i := range k {
		winners[k+i] = i
	}
	for i := k - 1; i > 0; i-- {
		a, b := winners[2*i], winners[2*i+1]
		if m.less(b, a) {
			a, b = b, a
		}
		winners[i], m.tree[i] = a, b
	}
	m.tree[0] = winners[1]
}

func (m *merger) release() {
	for i, b := range m.batches {
		if b != nil && i >= m.base {
			b.release()
		}
	}
	*m = merger{s: m.s}
}

// key returns the next key of a cursor.
func (m *merger) key(c *cursor) []byte { return c.k.key(c.pos) }

// less reports whether the next row of source a comes before that of source b.
func (m *merger) less(a, b int) bool {
	x, y := m.words[a], m.words[b]
	return x < y || x == y && m.tied(a, b)
}

// tied is less for sources whose words are the same.
func (m *merger) tied(a, b int) bool {
	x, y := &m.cur[a], &m.cur[b]
	if x.k == nil || y.k == nil {
		return x.k != nil
	}
	if !m.whole {
		if c := bytes.Compare(m.key(x), m.key(y)); c != 0 {
			return c < 0
		}
	}
	return a < b
}

// step makes the next row of source i its current one.
func (m *merger) step(ctx context.Context, i int) error {
	c := &m.cur[i]
	c.pos++
	if c.pos >= c.n {
		return m.load(ctx, i)
	}
	m.words[i] = c.k.word(c.pos, m.depth)
	return nil
}

// end says that source i has no more rows.
func (m *merger) end(i int) { m.words[i] = math.MaxUint64 }

// load makes the next block of source i its current one.
func (m *merger) load(ctx context.Context, i int) error {
	c := &m.cur[i]
	if c.k != nil {
		m.spent = append(m.spent, c.slot)
		c.k = nil
	}
	if c.run == nil {
		if c.next == len(c.seq) {
			m.end(i)
			return nil
		}
		c.slot = c.base + c.next
	} else {
		if c.next == len(c.run.blocks) {
			m.end(i)
			return nil
		}
		p := c.run.blocks[c.next]
		if m.held+p.memory() > m.limit && len(m.refs) > 0 {
			m.dry = i
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := readBlock(c.run.file.f, p, m.s.types, m.s.plan.width, m.s.o.Allocator)
		if err != nil {
			return err
		}
		m.held += b.bytes
		c.slot = m.hold(b)
	}
	c.next++
	b := m.batches[c.slot]
	c.k, c.pos, c.n = &b.keys, 0, b.n
	m.words[i] = c.k.word(0, m.depth)
	return nil
}

// hold gives a block a number.
func (m *merger) hold(b *batch) int {
	if n := len(m.free); n > 0 {
		slot := m.free[n-1]
		m.free = m.free[:n-1]
		m.batches[slot] = b
		return slot
	}
	m.batches = append(m.batches, b)
	return len(m.batches) - 1
}

// passRows is how many rows a batch must have to be handed on by itself where all of it comes at a stretch.
const passRows = 4096

// next returns the next rows, at most so many and of at most so many bytes, but not less than one, and the batches that
// they are in; none = the end. Both are valid until the next call, which releases the batches that are used up, those of
// the chunk too.
func (m *merger) next(ctx context.Context, rows int, limit int64) ([]uint64, []*batch, error) {
	m.refs = m.refs[:0]
	for _, slot := range m.spent {
		b := m.batches[slot]
		m.batches[slot] = nil
		if slot >= m.base {
			m.held -= b.bytes
			m.free = append(m.free, slot)
		}
		b.release()
	}
	m.spent = m.spent[:0]
	if len(m.cur) == 0 {
		return nil, nil, nil
	}
	if i := m.dry; i >= 0 {
		m.dry = -1
		if err := m.load(ctx, i); err != nil {
			return nil, nil, err
		}
		m.play(i)
	}
	if len(m.cur) == 1 {
		m.streak = streakMin
	}
	for bytes := int64(0); len(m.refs) < rows && bytes < limit && m.dry < 0; {
		i := m.tree[0]
		c := &m.cur[i]
		if c.k == nil {
			break
		}
		n := 1
		if m.streak >= streakMin {
			n = min(m.lead(i), rows-len(m.refs))
		}
		if n, bytes = m.give(c, n, bytes, limit); n == 0 {
			break
		}
		c.pos += n - 1
		slot, all := c.slot, c.n
		if err := m.step(ctx, i); err != nil {
			return nil, nil, err
		}
		if m.dry < 0 {
			m.play(i)
		}
		if all >= passRows && all == len(m.refs) && m.refs[0] == ref(slot, 0) && m.refs[all-1] == ref(slot, all-1) {
			break
		}
	}
	return m.refs, m.batches, nil
}

// give adds the next n rows of c to refs, fewer where there would be more than limit bytes. It returns how many, and how
// many bytes there are now.
func (m *merger) give(c *cursor, n int, bytes, limit int64) (int, int64) {
	r := ref(c.slot, c.pos)
	b, row := m.batches[refBatch(r)], refRow(r)
	for k := range n {
		w := b.weight(row+k, m.s.rowBytes)
		if bytes+w > limit && len(m.refs) > 0 {
			return k, limit
		}
		bytes += w
		m.refs = append(m.refs, r+uint64(k))
	}
	return n, bytes
}

// play lets source i, whose row has changed, play its matches again.
func (m *merger) play(i int) {
	winner, w := i, m.words[i]
	for at := (i + len(m.cur)) / 2; at > 0; at /= 2 {
		t := m.tree[at]
		if x := m.words[t]; x < w || x == w && m.tied(t, winner) {
			m.tree[at] = winner
			winner, w = t, x
		}
	}
	if m.tree[0] = winner; winner == i {
		m.streak++
	} else {
		m.streak = 0
	}
}

// lead returns how many rows of its block the winner i has before the next row of any other source.
func (m *merger) lead(i int) int {
	c := &m.cur[i]
	second := -1
	for at := (i + len(m.cur)) / 2; at > 0; at /= 2 {
		if t := m.tree[at]; second < 0 || m.less(t, second) {
			second = t
		}
	}
	if second < 0 || m.cur[second].k == nil {
		return c.n - c.pos
	}
	limit := m.key(&m.cur[second])
	before := func(row int) bool {
		x := bytes.Compare(c.k.key(row), limit)
		return x < 0 || x == 0 && i < second
	}
	if before(c.n - 1) {
		return c.n - c.pos
	}
	lo, step := c.pos, 1 // lo is before
	for lo+step < c.n && before(lo+step) {
		lo += step
		step *= 2
	}
	for step > 0 {
		if lo+step < c.n && before(lo+step) {
			lo += step
		} else {
			step /= 2
		}
	}
	if lo == c.pos {
		m.streak = 0
	}
	return lo - c.pos + 1
}
