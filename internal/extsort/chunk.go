package extsort

import (
	"context"
	"maps"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// stage is rows as they came, waiting to be put in order.
type stage struct {
	batches []*batch
	rows    int
	bytes   int64
	ordered bool // they are
}

func (g *stage) release() {
	for _, b := range g.batches {
		b.release()
	}
	*g = stage{}
}

// chunk is rows in memory, in sequences.
type chunk struct {
	sequences []sequence
	bytes     int64
	pinned    pinned
}

// sequence is batches whose rows are in order, from batch to batch too. Every row of it came before every row of the next
// sequence.
type sequence []*batch

func (c *chunk) release() {
	for _, s := range c.sequences {
		for _, b := range s {
			if b != nil {
				b.release()
			}
		}
	}
	*c = chunk{pinned: pinned{}}
}

// last returns the greatest key of the last sequence.
func (c *chunk) last() []byte {
	s := c.sequences[len(c.sequences)-1]
	b := s[len(s)-1]
	return b.keys.key(b.n - 1)
}

// sortStage moves what waits to the chunk, as one batch in order. So the rows of a sequence lie in memory one behind the
// other, and merging sequences does not jump about.
func (s *Sorter) sortStage(ctx context.Context) error {
	g := &s.stage
	defer g.release()
	if len(g.batches) == 0 {
		return nil
	}
	if len(g.batches) == 1 && g.ordered {
		b := g.batches[0]
		g.batches = nil
		return s.keep(ctx, b)
	}
	s.refs = resize(s.refs, g.rows)
	if g.ordered {
		at := 0
		for k, b := range g.batches {
			for i := range b.n {
				s.refs[at] = ref(k, i)
				at++
			}
		}
	} else {
		for i, e := range s.order.sorted(g.batches, g.rows) {
			s.refs[i] = e[entryRef]
		}
		s.order.release()
	}
	b, err := s.copied(g.batches, s.refs)
	if err != nil {
		return err
	}
	g.release()
	return s.keepAs(ctx, b, nil)
}

// copied returns rows as a batch of their own.
func (s *Sorter) copied(batches []*batch, refs []uint64) (*batch, error) {
	p := pick{copied: true}
	p.set(batches, refs)
	cols, err := gatherAll(s.gatherers, &p, s.o.Parallelism)
	if err != nil {
		return nil, s.tooLarge(err)
	}
	b := &batch{n: len(refs), cols: cols}
	own := newKeyMemory(s.arena)
	b.keys = s.plan.gather(own, batches, refs)
	b.keys.own = own
	if s.varied {
		v := arrowbuf.NewVec[uint32](s.arena)
		b.weigh = &v
		b.weights = gatherWeights(b.weigh, batches, refs)
	}
	return b, nil
}

// keep adds a batch whose rows are in order to the chunk. Columns that hold much more memory than their rows need are
// copied.
func (s *Sorter) keep(ctx context.Context, b *batch) error {
	rows := int64(0)
	for i := range b.n {
		rows += b.weight(i, s.rowBytes)
	}
	more := pinned{}
	if held := s.chunk.pinned.count(more, b.cols); held > 2*rows+int64(len(b.cols))*512 {
		defer b.release()
		s.refs = resize(s.refs, b.n)
		for i := range s.refs {
			s.refs[i] = ref(0, i)
		}
		c, err := s.copied([]*batch{b}, s.refs)
		if err != nil {
			return err
		}
		return s.keepAs(ctx, c, nil)
	}
	return s.keepAs(ctx, b, more)
}

// keepAs adds a batch to the chunk, which is spilled before that where both do not fit. more is the memory of its columns
// that the chunk did not hold before; nil = count it.
func (s *Sorter) keepAs(ctx context.Context, b *batch, more pinned) error {
	if more == nil {
		more = pinned{}
		s.chunk.pinned.count(more, b.cols)
	}
	size := func() int64 { return more.bytes(s.chunk.pinned) + b.overhead() }
	if len(s.chunk.sequences) > 0 && s.chunk.bytes+size()+s.aside() > s.chunkBytes {
		if err := s.spill(ctx); err != nil {
			b.release()
			return err
		}
	}
	c := &s.chunk
	b.bytes = size()
	c.bytes += b.bytes
	maps.Copy(c.pinned, more)
	if n := len(c.sequences); n > 0 && lessOrEqual(c.last(), b.keys.key(0)) {
		c.sequences[n-1] = append(c.sequences[n-1], b)
	} else {
		c.sequences = append(c.sequences, sequence{b})
	}
	return nil
}

// spill writes the chunk to a scratch file: behind the last run where its rows continue that, or as a run of its own.
func (s *Sorter) spill(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m, err := newMerger(ctx, s, nil, &s.chunk)
	if err != nil {
		return err
	}
	defer m.release()
	var r *run
	if s.extends(m.firstKey()) {
		r = s.runs[len(s.runs)-1]
	} else {
		if r, err = s.newRun(0); err != nil {
			return err
		}
		s.runs = append(s.runs, r)
		s.stats.Runs++
	}
	if err := s.write(ctx, r, m, nil); err != nil {
		return err
	}
	s.chunk.release()
	return s.makeRoom(ctx, 0)
}
