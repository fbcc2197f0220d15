package tablediff

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"io"
	"math"

	"github.com/klauspost/compress/s2"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// entry is equal rows of one table that have not found their like in the other.
type entry struct {
	enc   []byte // all columns, those of the key first
	next  *entry // of the same hash
	row   int64  // the first of the rows
	count int64
	key   int // bytes of enc that are the key
	side  uint8
}

const (
	entryBytes = 160     // of an entry beside its encoding, with its place in the map
	parts      = 32      // into which rows are divided when they do not fit
	partBits   = 5       // of a hash
	mostLevels = 12      // of dividing
	partBuffer = 8 << 10 // of a scratch file that is read or written
)

// waiting is the rows that have not found their like. Where they do not fit into memory they are divided by the hash of their key.
type waiting struct {
	o       Options
	level   int
	seed    maphash.Seed // of what decides nothing but the place
	rows    map[uint64]*entry
	bytes   int64
	files   []*part
	spilled *int64
}

// part is a scratch file with the rows of some keys.
type part struct {
	f    arrowio.ScratchFile
	buf  *bufio.Writer
	w    *s2.Writer
	size int64
	rows int64
}

func newWaiting(o Options, level int, spilled *int64) *waiting {
	return &waiting{o: o, level: level, seed: maphash.MakeSeed(), rows: map[uint64]*entry{}, spilled: spilled}
}

// add adds rows, or takes as many as it can out that are equal and of the other side. It copies enc.
func (w *waiting) add(e entry, enc []byte) error {
	h := maphash.Bytes(w.seed, enc)
	var last *entry
	for x := w.rows[h]; x != nil; last, x = x, x.next {
		if !bytes.Equal(x.enc, enc) {
			continue
		}
		if x.side == e.side {
			x.count += e.count
			x.row = min(x.row, e.row)
			return nil
		}
		// What stays of either are its last rows; of which of several equal rows is of no interest.
		if x.count > e.count {
			x.count -= e.count
			return nil
		}
		e.count -= x.count
		switch {
		case last != nil:
			last.next = x.next
		case x.next != nil:
			w.rows[h] = x.next
		default:
			delete(w.rows, h)
		}
		w.bytes -= int64(len(x.enc)) + entryBytes
		if e.count == 0 {
			return nil
		}
		break
	}
	e.enc = bytes.Clone(enc)
	e.next = w.rows[h]
	w.rows[h] = &e
	w.bytes += int64(len(enc)) + entryBytes
	if w.bytes > w.o.Memory {
		return w.spill()
	}
	return nil
}

// spill writes all rows to the scratch files.
func (w *waiting) spill() error {
	switch {
	case w.o.Scratch == nil:
		return errs.Errorf(errs.ErrLimit, "rows that differ do not fit into %d bytes of memory, and there is no place for scratch files", w.o.Memory)
	case w.level >= mostLevels:
		return errs.Errorf(errs.ErrLimit, "more differing rows have one key than fit into %d bytes of memory", w.o.Memory)
	}
	if w.files == nil {
		w.files = make([]*part, parts)
	}
	head := make([]byte, 0, 1+4*binary.MaxVarintLen64)
	for _, e := range w.rows {
		for ; e != nil; e = e.next {
			p, err := w.partOf(e)
			if err != nil {
				return err
			}
			head = append(head[:0], e.side)
			for _, n := range []uint64{uint64(e.count), uint64(e.row), uint64(e.key), uint64(len(e.enc))} {
				head = binary.AppendUvarint(head, n)
			}
			if _, err := p.w.Write(head); err != nil {
				return err
			}
			if _, err := p.w.Write(e.enc); err != nil {
				return err
			}
			p.rows++
		}
	}
	clear(w.rows)
	w.bytes = 0
	return nil
}

// partSeed is of the hash that divides rows. It is one for all levels, each of which takes other bits.
var partSeed = maphash.MakeSeed()

func (w *waiting) partOf(e *entry) (*part, error) {
	k := maphash.Bytes(partSeed, e.enc[:e.key]) >> (partBits * w.level) % parts
	if w.files[k] == nil {
		f, err := w.o.Scratch()
		if err != nil {
			return nil, err
		}
		p := &part{f: f}
		p.buf = bufio.NewWriterSize(&counter{p, w.spilled}, partBuffer)
		p.w = s2.NewWriter(p.buf, s2.WriterConcurrency(1), s2.WriterBlockSize(32<<10))
		w.files[k] = p
	}
	return w.files[k], nil
}

// counter writes to a part and counts the bytes.
type counter struct {
	p   *part
	all *int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.p.f.Write(b)
	c.p.size += int64(n)
	*c.all += int64(n)
	return n, err
}

// finish calls pair with the rows of every key that are left. done may be nil.
func (w *waiting) finish(ctx context.Context, pair func([2][]*entry), done func(n, of int)) error {
	if w.files == nil {
		w.pair(pair)
		return nil
	}
	if err := w.spill(); err != nil {
		return err
	}
	w.rows = nil
	for _, p := range w.files {
		if p == nil {
			continue
		}
		if err := errors.Join(p.w.Close(), p.buf.Flush()); err != nil {
			return err
		}
		p.w, p.buf = nil, nil
	}
	for k, p := range w.files {
		if done != nil {
			done(k, len(w.files))
		}
		if p == nil {
			continue
		}
		below := newWaiting(w.o, w.level+1, w.spilled)
		err := p.read(ctx, below)
		if err == nil {
			w.files[k] = nil
			if err = p.f.Close(); err == nil {
				err = below.finish(ctx, pair, nil)
			}
		}
		below.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// read adds all rows of a part.
func (p *part) read(ctx context.Context, to *waiting) error {
	r := bufio.NewReaderSize(s2.NewReader(bufio.NewReaderSize(io.NewSectionReader(p.f, 0, p.size), partBuffer)), partBuffer)
	var enc []byte
	for i := range p.rows {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e := entry{}
		var err error
		if e.side, err = r.ReadByte(); err != nil {
			return err
		}
		var n [4]uint64
		for i := range n {
			if n[i], err = binary.ReadUvarint(r); err != nil {
				return err
			}
		}
		if n[3] > math.MaxInt32 || n[2] > n[3] {
			return errs.Errorf(errs.ErrInternal, "a scratch file was changed")
		}
		e.count, e.row, e.key = int64(n[0]), int64(n[1]), int(n[2])
		enc = grow(enc, int(n[3]))
		if _, err := io.ReadFull(r, enc); err != nil {
			return err
		}
		if err := to.add(e, enc); err != nil {
			return err
		}
	}
	return nil
}

// pair calls f with the rows of each key.
func (w *waiting) pair(f func([2][]*entry)) {
	keys := map[string]*[2][]*entry{}
	for _, e := range w.rows {
		for ; e != nil; e = e.next {
			k := keys[string(e.enc[:e.key])]
			if k == nil {
				k = &[2][]*entry{}
				keys[string(e.enc[:e.key])] = k
			}
			k[e.side] = append(k[e.side], e)
		}
	}
	for _, k := range keys {
		f(*k)
	}
}

// close closes all scratch files.
func (w *waiting) close() {
	for _, p := range w.files {
		if p != nil {
			_ = p.f.Close()
		}
	}
	w.files = nil
}
