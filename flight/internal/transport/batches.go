package transport

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

// Batches cuts the records of a scan into what is sent: small ones are joined, large ones cut, each with its BatchMeta.
type Batches struct {
	Rows    int   // of a batch, at most
	Bytes   int64 // of a batch, about
	Mem     memory.Allocator
	Send    func(rec arrow.Record, m BatchMeta) error
	wait    []waiting
	waiting int64 // rows of what waits
	size    int64 // of what waits
}

type waiting struct {
	arrow.Record
	meta BatchMeta
}

// Add takes a record. The caller keeps it.
func (b *Batches) Add(rec arrow.Record, m BatchMeta) error {
	n, size := rec.NumRows(), arrowbuf.RecordSize(rec)
	if len(b.wait) > 0 && (b.waiting+n > int64(b.Rows) || b.size+size > b.Bytes) {
		if err := b.Flush(); err != nil {
			return err
		}
	}
	small := n < min(joinRows, int64(b.Rows)) && size < min(joinBytes, b.Bytes)
	if !small && len(b.wait) == 0 {
		return b.cut(rec, m, size)
	}
	rec.Retain()
	b.wait = append(b.wait, waiting{rec, m})
	b.waiting += n
	b.size += size
	if b.waiting >= min(joinRows, int64(b.Rows)) || b.size >= min(joinBytes, b.Bytes) {
		return b.Flush()
	}
	return nil
}

// cut sends a record in pieces where it is more than twice as large as it should be.
func (b *Batches) cut(rec arrow.Record, m BatchMeta, size int64) error {
	n := rec.NumRows()
	pieces := min((size+b.Bytes-1)/b.Bytes, n)
	if size <= 2*b.Bytes || pieces < 2 || m.Resume.Row-m.FirstRow != n {
		return b.Send(rec, m) // of rows that a filter has chosen, nobody could say where a piece ends
	}
	for i := range pieces {
		from, to := part(n, i, pieces), part(n, i+1, pieces)
		p := rec.NewSlice(from, to)
		pm := BatchMeta{Fragment: m.Fragment, Split: m.Split, FirstRow: m.FirstRow + from, Rows: to - from, Resume: m.Resume}
		pm.Resume.Row = m.FirstRow + to
		err := b.Send(p, pm)
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

// Flush sends what waits.
func (b *Batches) Flush() error {
	if len(b.wait) == 0 {
		return nil
	}
	defer b.Release()
	m := b.wait[0].meta
	m.Rows, m.Resume = b.waiting, b.wait[len(b.wait)-1].meta.Resume
	recs := make([]arrow.Record, len(b.wait))
	for i, w := range b.wait {
		recs[i] = w.Record
	}
	rec, err := arrowbuf.Concat(recs, b.Mem)
	switch {
	case errors.Is(err, arrowbuf.ErrOverflow): // of dictionaries, that together have too many values for their indices
		for _, w := range b.wait {
			if err := b.Send(w.Record, w.meta); err != nil {
				return err
			}
		}
		return nil
	case err != nil:
		return errs.Errorf(errs.ErrInternal, "%w", err)
	}
	defer rec.Release()
	return b.Send(rec, m)
}

// Release frees what waits.
func (b *Batches) Release() {
	for _, w := range b.wait {
		w.Release()
	}
	clear(b.wait)
	b.wait, b.waiting, b.size = b.wait[:0], 0, 0
}

// MetaOf returns the BatchMeta of a record that comes from a place; fragments are counted as the ticket does.
func MetaOf(p arrowio.Place, fragment int, rows int64) BatchMeta {
	fragment = min(fragment, math.MaxInt32)
	return BatchMeta{
		Fragment: fragment, Split: p.Split, FirstRow: p.Rows.Start, Rows: rows,
		Resume: Position{Fragment: fragment, Split: p.Split, Row: p.Rows.End},
	}
}
