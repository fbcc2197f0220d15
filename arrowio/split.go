package arrowio

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// splitScan gives the records of one split. It belongs to one goroutine.
type splitScan interface {
	// next returns a record and its size in bytes; the caller releases it; nil = there are no more.
	next() (sized, error)
	// close frees everything, after an error too.
	close() error
	// passed returns how many rows of the split are behind the reader, for splits of unknown length.
	passed() int64
}

// sized is a record that knows its size in bytes, and which rows of the file it comes from.
type sized struct {
	arrow.Record
	bytes int64
	from  RowRange
	split *job // nil before the record leaves its run
}

// openSplit prunes and opens the rows of j.
func (p *plan) openSplit(ctx context.Context, j *job) (splitScan, error) {
	p.stats.splits.Add(1)
	rows := RowSet{j.rows}
	if p.filter == nil {
		if len(p.out.Fields) == 0 && j.split.Known() {
			return &countScan{p: p, rows: j.rows}, nil
		}
		b, err := p.newBatcher(ctx, j, rows, RowSet{j.rows}, p.out)
		if err != nil {
			return nil, err
		}
		return &plainScan{p: p, b: b}, nil
	}
	if j.split.Known() {
		may, err := j.file.Prune(ctx, j.split, p.filter.Bound)
		if err != nil {
			return nil, err
		}
		before := rows.Len()
		rows = rows.Intersect(may)
		p.stats.rowsPruned.Add(before - rows.Len())
		if len(rows) == 0 {
			p.stats.splitsPruned.Add(1)
			return &countScan{p: p}, nil
		}
		if len(p.filter.rest.Fields) > 0 {
			return p.newTwoPass(ctx, j, rows)
		}
	}
	return p.newOnePass(ctx, j, rows)
}

// countScan gives rows of no columns: nothing is read for them.
type countScan struct {
	p    *plan
	rows RowRange // still to be counted
}

func (s *countScan) next() (sized, error) {
	n := min(s.rows.Len(), int64(s.p.o.BatchRows))
	if n == 0 {
		return sized{}, nil
	}
	from := RowRange{s.rows.Start, s.rows.Start + n}
	s.rows.Start = from.End
	return sized{Record: array.NewRecord(s.p.out.Schema, nil, n), from: from}, nil
}

func (s *countScan) close() error  { return nil }
func (s *countScan) passed() int64 { return 0 }

// plainScan gives all rows as they are decoded.
type plainScan struct {
	p *plan
	b *batcher
}

func (s *plainScan) next() (sized, error) {
	rec, err := s.b.next(s.p.o.BatchRows)
	return sized{Record: rec, bytes: s.b.size, from: s.b.got.span()}, err
}

func (s *plainScan) close() error  { return s.b.close() }
func (s *plainScan) passed() int64 { return s.b.passed() }
