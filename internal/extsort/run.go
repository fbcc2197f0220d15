package extsort

import (
	"bufio"
	"bytes"
	"context"
	"errors"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// run is sorted rows in a scratch file. Every row of a run came before every row of the next one.
type run struct {
	file   *scratch
	blocks []place
	max    int64 // that its largest block takes
	rows   int64
	level  int    // how often its rows were merged
	first  []byte // the least key
	last   []byte // the greatest
}

// bytes is what is held of a run in memory.
func (r *run) bytes() int64 { return placeBytes*int64(cap(r.blocks)) + int64(cap(r.first)+cap(r.last)) }

// aside is what is held beside rows.
func (s *Sorter) aside() int64 {
	n := s.dictBytes
	for _, r := range s.runs {
		n += r.bytes()
	}
	return n
}

// runWriter writes a run.
type runWriter struct {
	s    *Sorter
	r    *run
	w    blockWriter
	p    pick
	b    batch // being written
	mem  *keyMemory
	weig arrowbuf.Vec[uint32]
}

// newRun starts a run of a level in the scratch file of that level.
func (s *Sorter) newRun(level int) (*run, error) {
	for len(s.files) <= level {
		s.files = append(s.files, nil)
	}
	f := s.files[level]
	if f == nil {
		if s.o.Scratch == nil {
			return nil, errs.Errorf(errs.ErrLimit, "the rows do not fit into %d bytes of memory, and there is no place for scratch files", s.o.Memory)
		}
		sf, err := s.o.Scratch()
		if err != nil {
			return nil, scratchError(err)
		}
		f = &scratch{f: sf, w: bufio.NewWriterSize(sf, int(min(scratchBuffer, s.o.Memory/32)))}
		s.files[level] = f
	}
	f.runs++
	return &run{file: f, level: level}, nil
}

// drop forgets a run, and closes its file when it was the last one in there.
func (s *Sorter) drop(r *run) error {
	f := r.file
	f.runs--
	if f.runs > 0 {
		return nil
	}
	for i, x := range s.files {
		if x == f {
			s.files[i] = nil
		}
	}
	return f.f.Close()
}

// write appends all rows of m to r.
func (s *Sorter) write(ctx context.Context, r *run, m *merger, progress func(rows int)) error {
	w := &runWriter{s: s, r: r, w: blockWriter{to: r.file}, mem: newKeyMemory(s.arena), weig: arrowbuf.NewVec[uint32](s.arena)}
	w.p.copied = true
	defer func() {
		w.mem.ends.Release()
		w.mem.data.Release()
		w.weig.Release()
	}()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		refs, batches, err := m.next(ctx, s.maxRows, s.blockBytes)
		if err != nil {
			return err
		}
		if len(refs) == 0 {
			break
		}
		if err := w.write(batches, refs); err != nil {
			return err
		}
		if progress != nil {
			progress(len(refs))
		}
	}
	if err := r.file.w.Flush(); err != nil {
		return scratchError(err)
	}
	return nil
}

// write writes rows as a block, or as several where arrays cannot hold so many.
func (w *runWriter) write(batches []*batch, refs []uint64) error {
	w.p.set(batches, refs)
	cols, err := gatherAll(w.s.gatherers, &w.p, w.s.o.Parallelism)
	if errors.Is(err, arrowbuf.ErrOverflow) && len(refs) > 1 {
		half := len(refs) / 2
		if err := w.write(batches, refs[:half]); err != nil {
			return err
		}
		return w.write(batches, refs[half:])
	}
	if err != nil {
		return w.s.tooLarge(err)
	}
	shrink(&w.mem.data)
	shrink(&w.mem.ends)
	shrink(&w.weig)
	w.b = batch{n: len(refs), cols: cols, keys: w.s.plan.gather(w.mem, batches, refs)}
	if w.s.varied {
		w.b.weights = gatherWeights(&w.weig, batches, refs)
	}
	p, err := w.w.block(&w.b)
	for _, c := range cols {
		c.Release()
	}
	if err != nil {
		return err
	}
	if p.size() > w.s.o.Memory/8 {
		return w.s.rowTooLarge(p.size(), len(refs))
	}
	r := w.r
	r.blocks = append(r.blocks, p)
	r.rows += int64(len(refs))
	r.max = max(r.max, p.memory())
	if len(r.blocks) == 1 {
		r.first = append(r.first, w.b.keys.key(0)...)
	}
	r.last = append(r.last[:0], w.b.keys.key(len(refs)-1)...)
	w.s.stats.SpilledBytes += p.size()
	return nil
}

func shrink[T arrowbuf.Fixed](v *arrowbuf.Vec[T]) { v.Shrink(v.Len()) }

// makeRoom merges runs until one block of each fits into what memory is for that, together with extra bytes.
func (s *Sorter) makeRoom(ctx context.Context, extra int64) error {
	for {
		total := extra
		for _, r := range s.runs {
			total += r.max
		}
		if total <= s.fanBytes || len(s.runs) < 2 {
			return nil
		}
		from, to := s.toMerge()
		if err := s.mergeRuns(ctx, from, to); err != nil {
			return err
		}
	}
}

// toMerge chooses runs next to each other: those that were merged least often, or the last two.
func (s *Sorter) toMerge() (from, to int) {
	best := -1
	for i := 0; i < len(s.runs); {
		j, total := i, int64(0)
		for j < len(s.runs) && s.runs[j].level == s.runs[i].level && total+s.runs[j].max <= s.fanBytes {
			total += s.runs[j].max
			j++
		}
		if j-i > 1 && (best < 0 || s.runs[i].level < best) {
			best, from, to = s.runs[i].level, i, j
		}
		i = max(j, i+1)
	}
	if best < 0 {
		return len(s.runs) - 2, len(s.runs)
	}
	return from, to
}

// mergeRuns makes one of runs [from, to).
func (s *Sorter) mergeRuns(ctx context.Context, from, to int) error {
	group := s.runs[from:to]
	level := 0
	var rows, done int64
	for _, r := range group {
		level = max(level, r.level+1)
		rows += r.rows
	}
	out, err := s.newRun(level)
	if err != nil {
		return err
	}
	m, err := newMerger(ctx, s, group, nil)
	if err == nil {
		err = s.write(ctx, out, m, func(n int) {
			done += int64(n)
			if s.o.Merging != nil {
				s.o.Merging(done, rows)
			}
		})
		m.release()
	}
	if err != nil {
		return errors.Join(err, s.drop(out))
	}
	for _, r := range group {
		err = errors.Join(err, s.drop(r))
	}
	s.runs = append(s.runs[:from:from], append([]*run{out}, s.runs[to:]...)...)
	s.stats.Merges++
	if err != nil {
		return scratchError(err)
	}
	return nil
}

// extends reports whether rows from a key on can be appended to the last run.
func (s *Sorter) extends(first []byte) bool {
	if len(s.runs) == 0 {
		return false
	}
	r := s.runs[len(s.runs)-1]
	return r.level == 0 && bytes.Compare(r.last, first) <= 0
}
