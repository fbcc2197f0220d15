package orc

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/orctext"
	writer "github.com/arrowio/arrowio/writers/orc"
)

// farSource is a source that is neither a file of this machine nor memory. It counts what is asked of it.
type farSource struct {
	arrowio.Source
	calls, bytes atomic.Int64
}

func (s *farSource) ReadAt(p []byte, off int64) (int, error) {
	s.calls.Add(1)
	s.bytes.Add(int64(len(p)))
	return s.Source.ReadAt(p, off)
}

// spanSource is a far source that reads many spans at once.
type spanSource struct{ farSource }

func (s *spanSource) ReadsSpans() bool { return true }

func (s *spanSource) ReadSpans(_ context.Context, spans []arrowio.Span) error {
	s.calls.Add(1)
	for _, x := range spans {
		s.bytes.Add(int64(len(x.Dst)))
		if _, err := s.Source.ReadAt(x.Dst, x.Off); err != nil {
			return err
		}
	}
	return nil
}

func (s *farSource) reset() { s.calls.Store(0); s.bytes.Store(0) }

// scanText returns the rows of a scan, printed.
func scanText(t *testing.T, f *File, o arrowio.ScanOptions) (out []string) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	o.Allocator = mem
	r, err := arrowio.Scan(t.Context(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		out = append(out, orctext.Rows(r.Record())...)
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return out
}

// Far sources give the rows that files give, fetched ahead, in part, and through windows.
func TestFarRows(t *testing.T) {
	t.Parallel()
	for _, x := range manifest(t) {
		if x.Rows < 2 || x.Rows > 10_000 {
			continue
		}
		o := optionsOf(t, x.Options)
		if x.Masked.File != "" {
			o = optionsOf(t, x.Options, map[string]string{"orc-keys": keysFile})
		}
		b := fixtures.Read(t, testdata+x.File)
		near, err := local.OpenFile(testdata + x.File)
		if err != nil {
			t.Fatal(err)
		}
		defer near.Close()
		f, err := Open(t.Context(), near, arrowio.Limits{}, o)
		if err != nil {
			t.Fatalf("%s: %v", x.File, err)
		}
		rng := rand.New(rand.NewSource(x.Rows))
		scans := []arrowio.ScanOptions{{}, {Rows: arrowio.RowRange{End: x.Rows/2 + 1}}, {Rows: arrowio.RowRange{Start: x.Rows - 1, End: x.Rows}}}
		fields := f.Schema().Fields()
		for range 3 {
			from := rng.Int63n(x.Rows)
			scan := arrowio.ScanOptions{Rows: arrowio.RowRange{Start: from, End: from + 1 + rng.Int63n(x.Rows-from)}, BatchRows: 1 + rng.Intn(2000)}
			if len(fields) > 0 {
				scan.Columns = []string{fields[rng.Intn(len(fields))].Name}
			}
			scans = append(scans, scan)
		}
		for i, scan := range scans {
			if scan.Columns != nil && !named(f, scan.Columns) {
				continue
			}
			scan.Parallelism = 1 + i%2
			want := scanText(t, f, scan)
			ahead := []int64{aheadBytes, 0, 1 + rng.Int63n(int64(len(b)))}[i%3]
			for k, src := range []arrowio.Source{&farSource{Source: near}, &spanSource{farSource{Source: near}}, local.NewBytesSource(b)} {
				if sampled > 1 && (i+k)%3 > 0 {
					continue // with the tag interop every scan is done through all of them
				}
				f, err := Open(t.Context(), src, arrowio.Limits{}, o)
				if err != nil {
					t.Fatalf("%s: %v", x.File, err)
				}
				f.ahead = ahead
				if i%2 == 0 {
					f.small = 0
				}
				if got := scanText(t, f, scan); !slices.Equal(got, want) {
					t.Errorf("%s: %T, ahead %d, rows %v, columns %v: %d rows, want %d, or they differ", x.File, src, ahead, scan.Rows, scan.Columns, len(got), len(want))
				}
				f.Close()
			}
		}
		f.Close()
	}
}

// whole is the projection of all columns.
func whole(t *testing.T, f *File) arrowio.Projection {
	t.Helper()
	p, err := arrowio.Project(f.Schema(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// named reports whether columns can be asked for by name: some names come twice, or have points in them.
func named(f *File, columns []string) bool {
	_, err := arrowio.Project(f.Schema(), columns)
	return err == nil
}

// openPruning opens pruning.orc, which has two stripes of 3,000 rows in row groups of 1,000, through a far source.
func openPruning(t *testing.T, src arrowio.Source) *File {
	t.Helper()
	f, err := Open(t.Context(), src, arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// A far source is asked seldom: once for the tail, and for each stripe once for its footer and once for all its streams.
func TestFarRequests(t *testing.T) {
	b := fixtures.Read(t, byJava+"pruning.orc")
	src := &farSource{Source: local.NewBytesSource(b)}
	f := openPruning(t, src)
	if n := src.calls.Load(); n != 1 {
		t.Errorf("opened by %d reads", n)
	}
	src.reset()
	if n := len(scanText(t, f, arrowio.ScanOptions{Parallelism: 1})); n != 6000 {
		t.Errorf("%d rows", n)
	}
	if n, all := src.calls.Load(), src.bytes.Load(); n != 4 || all > int64(len(b)) {
		t.Errorf("%d bytes of %d read in %d calls, want 4", all, len(b), n)
	}
}

// nearSource is a file of this machine that counts.
type nearSource struct{ farSource }

func (*nearSource) Near() bool { return true }

// A near source is asked once for all the short streams of a stripe, and not once for each; the rows are the same.
func TestShortStreams(t *testing.T) {
	const columns, rows, stripes = 200, 300, 3
	for _, codec := range []string{"none", "zstd"} {
		b := manyColumns(t, codec, columns, rows, stripes)
		far, err := Open(t.Context(), &farSource{Source: local.NewBytesSource(b)}, arrowio.Limits{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer far.Close()
		src := &nearSource{farSource{Source: local.NewBytesSource(b)}}
		f, err := Open(t.Context(), src, arrowio.Limits{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, scan := range []arrowio.ScanOptions{
			{Parallelism: 1},
			{Parallelism: 2},
			{Parallelism: 1, Rows: arrowio.RowRange{Start: rows / 2, End: 2*rows + 1}},
			{Parallelism: 1, Columns: []string{"c001", "c100"}},
		} {
			src.reset()
			got := scanText(t, f, scan)
			if want := scanText(t, far, scan); len(got) == 0 || !slices.Equal(got, want) {
				t.Errorf("%s, %+v: %d rows, want %d, or they differ", codec, scan, len(got), len(want))
			}
			if n := src.calls.Load(); n > 3*stripes && scan.Columns == nil {
				t.Errorf("%s, %+v: %d reads for %d stripes", codec, scan, n, stripes)
			}
		}
	}
}

// manyColumns returns a file of columns of integers and of texts with nulls, in stripes of so many rows.
func manyColumns(t *testing.T, codec string, columns, rows, stripes int) []byte {
	t.Helper()
	fields := make([]arrow.Field, columns)
	for i := range fields {
		fields[i] = arrow.Field{Name: fmt.Sprintf("c%03d", i), Type: arrow.PrimitiveTypes.Int64, Nullable: true}
		if i%2 == 1 {
			fields[i].Type = arrow.BinaryTypes.String
		}
	}
	s := arrow.NewSchema(fields, nil)
	p, err := writer.Plan(s, arrowio.WriteOptions{Compression: codec, Parallelism: 1, RowGroupBytes: int64(rows * columns)})
	if err != nil {
		t.Fatal(err)
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(t.Context(), writer.Format(), st, p)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewSource(1))
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	defer b.Release()
	for range stripes {
		for i := range fields {
			for range rows {
				switch c := b.Field(i).(type) {
				case *array.Int64Builder:
					c.Append(rng.Int63n(1e6))
				case *array.StringBuilder:
					if rng.Intn(5) == 0 {
						c.AppendNull()
						continue
					}
					c.Append(fmt.Sprint("text ", rng.Intn(50)))
				}
			}
		}
		rec := b.NewRecord()
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		rec.Release()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, b := range st.Objects() {
		return b
	}
	return nil
}

// A filter that leaves one row group reads that, and not again what it has. What lies between two ranges that are wanted is read
// with them, as a far source is asked seldom.
func TestFarFilter(t *testing.T) {
	b := fixtures.Read(t, byJava+"pruning.orc")
	src := &spanSource{farSource{Source: local.NewBytesSource(b)}}
	columns := []string{"id__mono", "name__seq", "at__seq"}
	e, err := expr.Parse("id__mono = 7500")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ small, calls, bytes int64 }{
		{0, 6, int64(len(b) / 4)},
		{smallStripe, 2, int64(len(b) / 2)}, // statistics, and the stripe
	} {
		f := openPruning(t, src)
		f.small = c.small
		src.reset()
		got := scanText(t, f, arrowio.ScanOptions{Columns: columns, Filter: e, Parallelism: 1})
		if len(got) != 1 {
			t.Errorf("%d rows, want 1", len(got))
		}
		if n, all := src.calls.Load(), src.bytes.Load(); n > c.calls || all > c.bytes {
			t.Errorf("%+v: %d bytes of %d read in %d calls", c, all, len(b), n)
		}
	}
}

// What was fetched ahead may end anywhere: the rest is fetched on demand, and decrypted from where it begins.
func TestFarPiecesFallShort(t *testing.T) {
	for _, x := range manifest(t) {
		if x.Rows > 10_000 {
			continue
		}
		o := optionsOf(t, x.Options)
		if x.Masked.File != "" {
			o = optionsOf(t, x.Options, map[string]string{"orc-keys": keysFile})
		}
		f, err := Open(t.Context(), &farSource{Source: local.NewBytesSource(fixtures.Read(t, testdata+x.File))}, arrowio.Limits{}, o)
		if err != nil {
			t.Fatalf("%s: %v", x.File, err)
		}
		rng := rand.New(rand.NewSource(x.Rows))
		var got []string
		p := whole(t, f)
		for _, s := range f.Splits() {
			r, err := f.Read(t.Context(), s, arrowio.RowSet{s.Rows}, p, memory.DefaultAllocator)
			if err != nil {
				t.Fatalf("%s: %v", x.File, err)
			}
			if r, ok := r.(*splitReader); ok {
				for _, in := range r.tree.inputs {
					for i, p := range in.pieces {
						from := rng.Intn(len(p.b) + 1)
						in.pieces[i] = piece{off: p.off + int64(from), b: p.b[from : from+rng.Intn(len(p.b)-from+1)]}
					}
				}
			}
			for left := s.Rows.Len(); left > 0; {
				n := int(min(left, 700))
				if _, err := r.Read(n); err != nil {
					t.Fatalf("%s: %v", x.File, err)
				}
				rec, err := r.Take()
				if err != nil {
					t.Fatalf("%s: %v", x.File, err)
				}
				got = append(got, orctext.Rows(rec)...)
				rec.Release()
				left -= int64(n)
			}
			r.Close()
		}
		if !slices.Equal(got, lines(t, testdata+x.Text.File)) {
			t.Errorf("%s: the rows differ", x.File)
		}
		f.Close()
	}
}
