package conformance

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// scans tries combinations of projection, batch size, row range and parallelism.
func (s *suite) scans(t *testing.T) {
	f := s.open(t)
	defer f.Close()
	projections := s.projections()
	ranges := s.ranges(f.Splits())
	for i := range s.h.Scans {
		o := s.options()
		o.Columns = projections[i%len(projections)]
		if i >= len(projections) {
			o.Rows = ranges[s.rng.Intn(len(ranges))]
		}
		if err := s.scan(t, f, o, nil); err != nil {
			t.Errorf("%s: %v", describe(o), err)
		}
	}
}

// scan runs one scan and compares it; keep says which rows of the file the filter keeps, nil = all.
func (s *suite) scan(t testing.TB, f arrowio.File, o arrowio.ScanOptions, keep []span) error {
	t.Helper()
	mem, done := watch(t)
	defer done()
	o.Allocator = mem
	return s.scanWith(t, f, o, keep)
}

func (s *suite) scanWith(t testing.TB, f arrowio.File, o arrowio.ScanOptions, keep []span) error {
	t.Helper()
	want := s.project(t, o.Columns)
	defer want.Release()
	c := &checker{want: want, due: s.due(o, keep)}
	r, err := arrowio.Scan(context.Background(), f, o)
	if err != nil {
		return err
	}
	defer r.Release()
	if err := EqualSchemas(want.Schema(), r.Schema()); err != nil {
		return err
	}
	for r.Next() {
		rec := r.Record()
		if n := rec.NumRows(); n == 0 || o.BatchRows > 0 && n > int64(o.BatchRows) {
			return fmt.Errorf("a batch of %d rows", n)
		}
		if err := EqualSchemas(want.Schema(), rec.Schema()); err != nil {
			return err
		}
		if err := c.add(rec); err != nil {
			return err
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	return c.finish()
}

// due returns the rows that o asks for.
func (s *suite) due(o arrowio.ScanOptions, keep []span) []span {
	all := arrowio.RowRange{End: s.rows()}
	if o.Rows != (arrowio.RowRange{}) {
		all = all.Intersect(o.Rows)
	}
	if o.Filter == nil {
		return spans(all.Start, all.End)
	}
	var due []span
	for _, k := range keep {
		due = append(due, spans(max(k.start, all.Start), min(k.end, all.End))...)
	}
	return due
}

// options draws everything but columns, rows and filter.
func (s *suite) options() arrowio.ScanOptions {
	return arrowio.ScanOptions{
		BatchRows:   pick(s.rng, 0, 0, 1000, 1000, 64, 7, s.smallest()),
		BatchBytes:  pick[int64](s.rng, 0, 0, 0, 1<<20, 1000),
		Parallelism: pick(s.rng, 1, 2, 4),
	}
}

// smallest is a batch of one row, unless the file has too many.
func (s *suite) smallest() int { return int(1 + s.rows()/5000) }

func pick[T any](rng *rand.Rand, of ...T) T { return of[rng.Intn(len(of))] }

func describe(o arrowio.ScanOptions) string {
	filter := "none"
	if o.Filter != nil {
		filter = o.Filter.String()
	}
	return fmt.Sprintf("columns %q, filter %s, rows %v, batch %d rows or %d bytes, %d at once", o.Columns, filter, o.Rows, o.BatchRows, o.BatchBytes, o.Parallelism)
}

// projections lists everything, nothing, each column, nested paths, all reversed, and some pairs.
func (s *suite) projections() [][]string {
	names, nested := paths(s.plain.Schema())
	out := [][]string{nil, {}}
	for _, n := range names {
		out = append(out, []string{n})
	}
	for _, n := range nested {
		out = append(out, []string{n})
	}
	if len(names) > 1 {
		reversed := slices.Clone(names)
		slices.Reverse(reversed)
		out = append(out, reversed)
	}
	any := append(slices.Clone(names), nested...)
	for range min(12, len(any)*(len(any)-1)) {
		a, b := pick(s.rng, any...), pick(s.rng, any...)
		if a != b {
			out = append(out, []string{a, b})
		}
	}
	s.rng.Shuffle(len(out)-2, func(i, j int) { out[i+2], out[j+2] = out[j+2], out[i+2] })
	return out
}

// paths returns the columns and the paths into structs, lists and maps. Names that occur twice have no path.
func paths(schema *arrow.Schema) (columns, nested []string) {
	var walk func(path []string, t arrow.DataType)
	walk = func(path []string, t arrow.DataType) {
		switch t := t.(type) {
		case *arrow.StructType:
			for _, f := range t.Fields() {
				p := append(slices.Clone(path), f.Name)
				if len(t.FieldIndices(f.Name)) == 1 {
					nested = append(nested, expr.Quote(p...))
					walk(p, f.Type)
				}
			}
		case *arrow.MapType:
			walk(path, t.ItemType())
		case *arrow.ListType:
			walk(path, t.Elem())
		case *arrow.LargeListType:
			walk(path, t.Elem())
		case *arrow.FixedSizeListType:
			walk(path, t.Elem())
		}
	}
	for _, f := range schema.Fields() {
		if len(schema.FieldIndices(f.Name)) == 1 {
			columns = append(columns, expr.Quote(f.Name))
			walk([]string{f.Name}, f.Type)
		}
	}
	return columns, nested
}

// ranges lists row ranges: whole, ends, single rows, across the edges of splits, beyond the end, random.
func (s *suite) ranges(splits []arrowio.Split) []arrowio.RowRange {
	n := s.rows()
	out := []arrowio.RowRange{{}, {End: n}, {Start: n / 3, End: n - n/3}, {Start: n, End: n + 10}, {End: 1}, {Start: max(0, n-1), End: n + 5}}
	for range 5 {
		sp := splits
		if len(sp) == 0 || !sp[0].Known() {
			break
		}
		edge := pick(s.rng, sp...).Rows.Start
		out = append(out, arrowio.RowRange{Start: max(0, edge-1), End: edge + 1}, arrowio.RowRange{Start: edge, End: edge + 1 + s.rng.Int63n(100)})
	}
	for range 10 {
		a, b := s.rng.Int63n(n+1), s.rng.Int63n(n+1)
		if a != b {
			out = append(out, arrowio.RowRange{Start: min(a, b), End: max(a, b)})
		}
	}
	return out
}

// concurrent scans one File from several goroutines at once.
func (s *suite) concurrent(t *testing.T) {
	f := s.open(t)
	defer f.Close()
	mem, done := watch(t)
	defer done()
	projections := s.projections()
	filters := s.predicates()
	var wg sync.WaitGroup
	for range 6 {
		o := s.options()
		o.Columns = pick(s.rng, projections...)
		o.BatchRows = max(o.BatchRows, 64)
		o.Allocator = mem
		var keep []span
		if len(filters) > 0 && s.rng.Intn(2) == 0 {
			p := pick(s.rng, filters...)
			o.Filter, keep = p.expr(), s.kept(p)
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 3 {
				if err := s.scanWith(t, f, o, keep); err != nil {
					t.Errorf("%s: %v", describe(o), err)
					return
				}
			}
		}()
	}
	wg.Wait()
}
