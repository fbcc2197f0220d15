package icebergtable

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// files writes the data files of a change, one after the other.
type files struct {
	ctx      context.Context
	st       arrowio.Store
	format   arrowio.OutputFormat
	options  arrowio.WriteOptions
	schema   *arrow.Schema
	target   int64
	parts    []partField
	measured []measured
	order    *int32 // id of the sort order; nil = they have none
	location string // of the table
	run      string // in the names of all

	partition []any // of the file being written, without those of void
	w         arrowio.Writer
	sink      *countedStore
	file      dataFile
	metrics   []metrics
	entries   []manifestEntry
	kept      int64 // about, bytes of entries
}

func newFiles(ctx context.Context, t *Table, st arrowio.Store, c *caster, parts []partField, o arrowio.WriteOptions) (*files, error) {
	format, err := t.fileFormat()
	if err != nil {
		return nil, err
	}
	f := &files{ctx: ctx, st: st, format: format, schema: c.schema, parts: parts, location: t.base.location(), run: newName()}
	if f.target, err = t.target(); err != nil {
		return nil, err
	}
	if f.options, err = t.fileOptions(format, o, c.fields); err != nil {
		return nil, err
	}
	f.measured, err = measuredColumns(c.fields, t.props())
	return f, err
}

// write writes rows of a partition.
func (f *files) write(rows arrow.Record, partition []any) error {
	const pieces = 16 // of a file, at least
	step := rows.NumRows()
	if size := arrowbuf.RecordSize(rows); size > f.target/pieces {
		step = max(1, int64(float64(step)*float64(f.target)/pieces/float64(size)))
	}
	if f.w != nil && !samePartition(f.partition, partition) {
		if err := f.end(); err != nil {
			return err
		}
	}
	for from := int64(0); from < rows.NumRows(); from += step {
		if f.w != nil && f.sink.bytes.Load() >= f.target {
			if err := f.end(); err != nil {
				return err
			}
		}
		if f.w == nil {
			if err := f.begin(partition); err != nil {
				return err
			}
		}
		part := rows.NewSlice(from, min(from+step, rows.NumRows()))
		err := f.w.Write(part)
		if err == nil {
			f.file.Rows += part.NumRows()
			for i := range f.metrics {
				f.metrics[i].add(part)
			}
		}
		part.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// samePartition compares values, floats by their bits.
func samePartition(a, b []any) bool {
	return slices.EqualFunc(a, b, func(x, y any) bool {
		return reflect.TypeOf(x) == reflect.TypeOf(y) && slices.Equal(single(x), single(y))
	})
}

// mostEntries bounds the memory of what manifests say of the files of one change.
const mostEntries = 1 << 30

// begin starts a file.
func (f *files) begin(partition []any) error {
	if f.kept > mostEntries {
		return errs.Errorf(errs.ErrLimit, "more than %d files: the rows are in too many partitions to be written at once; write them in parts with %w, or partition the table more coarsely", len(f.entries), errs.Opt("where", ""))
	}
	plan, err := f.format.Plan(f.schema, f.options)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("data/%s-%05d%s", f.run, len(f.entries), f.format.Extensions[0])
	f.sink = &countedStore{Store: f.st, name: name}
	f.partition = clones(partition)
	f.file = dataFile{Path: f.location + "/" + name, Format: strings.ToUpper(f.format.Name), Order: f.order, Partition: map[string]any{}}
	k := 0
	for i := range f.parts {
		p := &f.parts[i]
		var v any
		if p.Transform.Kind != iceberg.Void {
			v = inAvro(&p.typ, f.partition[k])
			k++
		}
		f.file.Partition[p.avroName] = v
	}
	f.metrics = make([]metrics, len(f.measured))
	for i, m := range f.measured {
		f.metrics[i].measured = m
	}
	f.w, err = arrowio.NewWriter(f.ctx, f.format, f.sink, plan)
	return err
}

// clones returns values that do not share memory with a batch.
func clones(values []any) []any {
	out := slices.Clone(values)
	for i, v := range out {
		switch v := v.(type) {
		case string:
			out[i] = strings.Clone(v)
		case []byte:
			out[i] = slices.Clone(v)
		}
	}
	return out
}

// end finishes the file being written.
func (f *files) end() error {
	if f.w == nil {
		return nil
	}
	w := f.w
	f.w = nil
	if err := w.Close(); err != nil {
		return err
	}
	f.file.Bytes = f.sink.bytes.Load()
	f.file.BlockBytes = 64 << 20 // which version 1 wants to have, and nobody reads
	var values, nulls, nans []pair[int64]
	var lower, upper []pair[[]byte]
	for i := range f.metrics {
		m := &f.metrics[i]
		values, nulls = append(values, pair[int64]{m.id, m.values}), append(nulls, pair[int64]{m.id, m.nulls})
		if m.typ.Kind == iceberg.Float || m.typ.Kind == iceberg.Double {
			nans = append(nans, pair[int64]{m.id, m.nans})
		}
		lo, hi := m.bounds()
		if lo != nil {
			lower = append(lower, pair[[]byte]{m.id, lo})
		}
		if hi != nil {
			upper = append(upper, pair[[]byte]{m.id, hi})
		}
		f.kept += int64(64 + len(lo) + len(hi))
	}
	f.file.Values, f.file.Nulls, f.file.NaNs, f.file.Lower, f.file.Upper = given(values), given(nulls), given(nans), given(lower), given(upper)
	f.kept += int64(512 + len(f.file.Path))
	f.entries = append(f.entries, manifestEntry{Status: statusAdded, File: f.file})
	return nil
}

// given returns a map of which there is nothing as null.
func given[T any](p []pair[T]) *[]pair[T] {
	if len(p) == 0 {
		return nil
	}
	return &p
}

func (f *files) abort() error {
	if f.w == nil {
		return nil
	}
	w := f.w
	f.w = nil
	return w.Abort()
}

// countedStore is where the one object of a file goes. Somebody else ends the store.
type countedStore struct {
	arrowio.Store
	name  string
	used  bool
	bytes atomic.Int64 // that a writer has handed over, perhaps in a goroutine of its own
}

func (s *countedStore) Create(ctx context.Context, _ string) (arrowio.Sink, error) {
	if s.used {
		return nil, errs.Errorf(errs.ErrInternal, "a data file became two")
	}
	s.used = true
	k, err := s.Store.Create(ctx, s.name)
	if err != nil {
		return nil, err
	}
	return &countedSink{k, s}, nil
}

func (*countedStore) Commit() error { return nil }
func (*countedStore) Abort() error  { return nil }

type countedSink struct {
	arrowio.Sink
	s *countedStore
}

func (k *countedSink) Write(b []byte) (int, error) {
	n, err := k.Sink.Write(b)
	k.s.bytes.Add(int64(n))
	return n, err
}
