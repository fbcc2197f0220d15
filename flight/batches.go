package flight

import (
	"errors"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// A batch that is smaller than both is kept for the next ones to join it: a message costs some microseconds on both
// sides, whatever its size.
const (
	joinRows  = 64 << 10
	joinBytes = 1 << 20
)

// batches cuts the records of a scan into what is sent: small ones are joined, large ones cut, each with its BatchMeta.
type batches struct {
	rows    int   // of a batch, at most
	bytes   int64 // of a batch, about
	mem     memory.Allocator
	send    func(rec arrow.Record, m BatchMeta) error
	wait    []waiting
	waiting int64 // rows of what waits
	size    int64 // of what waits
}

type waiting struct {
	arrow.Record
	meta BatchMeta
}

// add takes a record. The caller keeps it.
func (b *batches) add(rec arrow.Record, m BatchMeta) error {
	n, size := rec.NumRows(), arrowbuf.RecordSize(rec)
	if len(b.wait) > 0 && (b.waiting+n > int64(b.rows) || b.size+size > b.bytes) {
		if err := b.flush(); err != nil {
			return err
		}
	}
	small := n < min(joinRows, int64(b.rows)) && size < min(joinBytes, b.bytes)
	if !small && len(b.wait) == 0 {
		return b.cut(rec, m, size)
	}
	rec.Retain()
	b.wait = append(b.wait, waiting{rec, m})
	b.waiting += n
	b.size += size
	if b.waiting >= min(joinRows, int64(b.rows)) || b.size >= min(joinBytes, b.bytes) {
		return b.flush()
	}
	return nil
}

// cut sends a record in pieces where it is more than twice as large as it should be.
func (b *batches) cut(rec arrow.Record, m BatchMeta, size int64) error {
	n := rec.NumRows()
	pieces := min((size+b.bytes-1)/b.bytes, n)
	if size <= 2*b.bytes || pieces < 2 || m.Resume.Row-m.FirstRow != n {
		return b.send(rec, m) // of rows that a filter has chosen, nobody could say where a piece ends
	}
	for i := range pieces {
		from, to := part(n, i, pieces), part(n, i+1, pieces)
		p := rec.NewSlice(from, to)
		pm := BatchMeta{Fragment: m.Fragment, Split: m.Split, FirstRow: m.FirstRow + from, Rows: to - from, Resume: m.Resume}
		pm.Resume.Row = m.FirstRow + to
		err := b.send(p, pm)
		p.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// part returns where piece i of n rows in k pieces begins.
func part(n, i, k int64) int64 {
	if i == k {
		return n
	}
	return n / k * i
}

// flush sends what waits.
func (b *batches) flush() error {
	if len(b.wait) == 0 {
		return nil
	}
	defer b.release()
	m := b.wait[0].meta
	m.Rows, m.Resume = b.waiting, b.wait[len(b.wait)-1].meta.Resume
	recs := make([]arrow.Record, len(b.wait))
	for i, w := range b.wait {
		recs[i] = w.Record
	}
	rec, err := arrowbuf.Concat(recs, b.mem)
	switch {
	case errors.Is(err, arrowbuf.ErrOverflow): // of dictionaries, that together have too many values for their indices
		for _, w := range b.wait {
			if err := b.send(w.Record, w.meta); err != nil {
				return err
			}
		}
		return nil
	case err != nil:
		return errs.Errorf(errs.ErrInternal, "%w", err)
	}
	defer rec.Release()
	return b.send(rec, m)
}

// release frees what waits.
func (b *batches) release() {
	for _, w := range b.wait {
		w.Release()
	}
	clear(b.wait)
	b.wait, b.waiting, b.size = b.wait[:0], 0, 0
}

// metaOf returns the BatchMeta of a record that comes from a place; fragments are counted as the ticket does.
func metaOf(p arrowio.Place, fragment int, rows int64) BatchMeta {
	fragment = min(fragment, math.MaxInt32)
	return BatchMeta{
		Fragment: fragment, Split: p.Split, FirstRow: p.Rows.Start, Rows: rows,
		Resume: Position{Fragment: fragment, Split: p.Split, Row: p.Rows.End},
	}
}
