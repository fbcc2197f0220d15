package convert

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/extsort"
)

// writeMemory is what WriteOptions.Memory is by default.
const writeMemory = 1 << 30

func (o *Options) sorts() bool { return len(o.Sort) > 0 || o.SortByKey }

// shareMemory leaves the writer half of its memory where the other half is needed for sorting.
func (o *Options) shareMemory() {
	if o.sorts() {
		if o.Write.Memory <= 0 {
			o.Write.Memory = writeMemory
		}
		o.Write.Memory = max(1, o.Write.Memory/2)
	}
}

// sortColumns returns the columns to sort by, after making sure that rows can be sorted by them; nil = rows are not sorted.
func (o *Options) sortColumns(s *arrow.Schema, p *arrowio.WritePlan) ([]string, error) {
	by := o.Sort
	switch {
	case !o.sorts():
		return nil, nil
	case o.SortByKey && len(by) > 0:
		return nil, arrowio.Errorf(arrowio.ErrOption, "rows can be sorted by columns or by the output's key, not both")
	case o.SortByKey && len(p.Key) == 0:
		return nil, arrowio.Errorf(arrowio.ErrOption, "%s has no key to sort by: name the columns", p.Format)
	case o.SortByKey:
		by = p.Key
	}
	scanned, err := arrowio.Project(s, o.Scan.Columns)
	if err != nil {
		return nil, err
	}
	probe, err := extsort.New(scanned.Schema, by, extsort.Options{})
	if err != nil {
		return nil, err
	}
	return by, probe.Close()
}

// newSorter returns a sorter of what is scanned.
func (o *Options) newSorter(s *arrow.Schema, by []string, st arrowio.Store, done *Progress) (*extsort.Sorter, error) {
	return extsort.New(s, by, extsort.Options{
		Memory:      o.Write.Memory,
		Scratch:     st.Scratch,
		Allocator:   o.Scan.Allocator,
		BatchRows:   o.Scan.BatchRows,
		BatchBytes:  o.Scan.BatchBytes,
		Parallelism: o.Scan.Parallelism,
		Merging: func(merged, of int64) {
			if merged == of {
				merged, of = 0, 0
			}
			done.Merged, done.MergeRows = merged, of
			if o.Progress != nil {
				o.Progress(*done)
			}
		},
	})
}

// sorted reads rr to its end, releases it, and returns a reader of the same rows in order, which the caller releases.
func sorted(ctx context.Context, rr array.RecordReader, s *extsort.Sorter, o Options, done *Progress) (array.RecordReader, error) {
	if err := addAll(ctx, rr, s, o, done); err != nil {
		return nil, err
	}
	return s.Merge(ctx) // without the memory of the scan
}

func addAll(ctx context.Context, rr array.RecordReader, s *extsort.Sorter, o Options, done *Progress) error {
	defer rr.Release()
	for rr.Next() {
		rec := rr.Record()
		if err := s.Add(ctx, rec); err != nil {
			return err
		}
		done.Sorted += rec.NumRows()
		if o.Progress != nil {
			o.Progress(*done)
		}
	}
	return rr.Err()
}
