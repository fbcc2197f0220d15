package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// fakeFile is a file that can be planned and not read.
type fakeFile struct {
	arrowio.File
	splits []arrowio.Split
	never  bool         // no row of it can match a filter, which the dataset knows
	match  map[int]bool // splits that may match a filter
	opened atomic.Int64
	open   atomic.Int64 // and not closed
}

var fakeSchema = arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64}}, nil)

func (f *fakeFile) Schema() *arrow.Schema   { return fakeSchema }
func (f *fakeFile) Splits() []arrowio.Split { return f.splits }
func (f *fakeFile) Close() error            { f.open.Add(-1); return nil }
func (f *fakeFile) rows() int64             { return Extent{Splits: f.splits}.Rows() }
func (f *fakeFile) fragment() arrowio.Fragment {
	return arrowio.Fragment{
		Name:  "fake",
		Open:  func(context.Context) (arrowio.File, error) { f.opened.Add(1); f.open.Add(1); return f, nil },
		Never: func(*expr.Bound) bool { return f.never },
	}
}

func (f *fakeFile) Prune(_ context.Context, s arrowio.Split, _ *expr.Bound) (arrowio.RowSet, error) {
	if f.match[s.Ordinal] {
		return arrowio.RowSet{s.Rows}, nil
	}
	return nil, nil
}

// of makes a file of splits of so many rows, each of ten bytes; arrowio.UnknownRows = it does not say, and is the only one.
func of(rows ...int64) *fakeFile {
	f := &fakeFile{}
	at := int64(0)
	for i, n := range rows {
		s := arrowio.Split{Ordinal: i, Rows: arrowio.RowRange{Start: at, End: at + n}, Bytes: 10}
		if n == arrowio.UnknownRows {
			s.Rows.End = n
		}
		f.splits = append(f.splits, s)
		at += n
	}
	return f
}

// matching says which splits may match a filter.
func (f *fakeFile) matching(splits ...int) *fakeFile {
	f.match = map[int]bool{}
	for _, s := range splits {
		f.match[s] = true
	}
	return f
}

func setOf(files ...*fakeFile) *Dataset {
	d := &Dataset{Schema: fakeSchema}
	for _, f := range files {
		d.Fragments = append(d.Fragments, f.fragment())
	}
	return d
}

func fakeFilter(t *testing.T) *expr.Bound {
	t.Helper()
	x, err := expr.Parse("x > 0")
	if err != nil {
		t.Fatal(err)
	}
	b, err := expr.Bind(x, fakeSchema)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// shownPart is what a part is, short: files and splits, rows of the file, stored bytes.
func shownPart(p Part) string {
	var b strings.Builder
	for _, f := range p.Files {
		fmt.Fprintf(&b, "%d/%d:%d", f.Fragment, f.From, f.To)
		if f.Start != 0 || f.End != 0 {
			fmt.Fprintf(&b, "[%d:%d]", f.Start, f.End)
		}
		b.WriteByte(' ')
	}
	fmt.Fprintf(&b, "%d rows %d bytes", p.Rows, p.Bytes)
	if p.Range != nil {
		fmt.Fprintf(&b, " of %d:%d", p.Range.Start, p.Range.End)
	}
	return b.String()
}

func TestParts(t *testing.T) {
	rows := func(from, to int64) *arrowio.RowRange { return &arrowio.RowRange{Start: from, End: to} }
	after := func(f, s int, row int64) *arrowio.Place {
		return &arrowio.Place{Fragment: f, Split: s, Rows: arrowio.RowRange{End: row}}
	}
	stream := of(arrowio.UnknownRows)
	for _, c := range []struct {
		name  string
		files []*fakeFile
		o     PartOptions
		want  []string
	}{
		{"nothing", nil, PartOptions{}, nil},
		{"no rows", []*fakeFile{of(), of(0)}, PartOptions{}, nil},
		{"by default all", []*fakeFile{of(5, 5), of(1)}, PartOptions{}, []string{"0/0:2 1/0:1 11 rows 30 bytes"}},
		{"by bytes", []*fakeFile{of(5, 5), of(1)}, PartOptions{Bytes: 20}, []string{"0/0:2 10 rows 20 bytes", "1/0:1 1 rows 10 bytes"}},
		{"few bytes", []*fakeFile{of(5, 5)}, PartOptions{Bytes: 1}, []string{"0/0:1 5 rows 10 bytes", "0/1:2 5 rows 10 bytes"}},
		{"by number", []*fakeFile{of(5, 5), of(1, 2)}, PartOptions{Parts: 2}, []string{"0/0:2 10 rows 20 bytes", "1/0:2 3 rows 20 bytes"}},
		{"no more than splits", []*fakeFile{of(5), of(1)}, PartOptions{Parts: 50}, []string{"0/0:1 5 rows 10 bytes", "1/0:1 1 rows 10 bytes"}},
		{
			"inside of splits",
			[]*fakeFile{of(5, 5), of(10)},
			PartOptions{Rows: rows(7, 12)},
			[]string{"0/1:2[7:0] 1/0:1[0:2] 5 rows 8 bytes"},
		},
		{"rows behind the end", []*fakeFile{of(5)}, PartOptions{Rows: rows(5, 9)}, nil},
		{"no rows wanted", []*fakeFile{stream}, PartOptions{Rows: rows(0, 0)}, nil},
		{"unknown beside known", []*fakeFile{of(5), stream}, PartOptions{}, []string{"0/0:1 1/0:1 -1 rows 20 bytes"}},
		{"unknown by number", []*fakeFile{of(5), stream}, PartOptions{Parts: 2}, []string{"0/0:1 5 rows 10 bytes", "1/0:1 -1 rows 10 bytes"}},
		{
			"rows of unknown files",
			[]*fakeFile{of(5, 5), stream, of(3)},
			PartOptions{Rows: rows(6, 8), Parts: 5},
			[]string{"0/0:2 1/0:1 2/0:1 -1 rows 40 bytes of 6:8"},
		},
		{
			"a filter",
			[]*fakeFile{of(5, 5, 5, 5).matching(0, 2), of(5).matching()},
			PartOptions{Filter: fakeFilter(t)},
			[]string{"0/0:3 -1 rows 20 bytes"},
		},
		{
			"a filter and two parts",
			[]*fakeFile{of(5, 5, 5, 5).matching(0, 2), stream},
			PartOptions{Filter: fakeFilter(t), Parts: 3},
			[]string{"0/0:1 -1 rows 10 bytes", "0/2:3 -1 rows 10 bytes", "1/0:1 -1 rows 10 bytes"},
		},
		{
			"a filter and rows",
			[]*fakeFile{of(5, 5, 5, 5).matching(0, 3), of(9).matching(0)},
			PartOptions{Filter: fakeFilter(t), Rows: rows(3, 21)},
			[]string{"0/0:4[3:0] 1/0:1[0:1] -1 rows 15 bytes"},
		},
		{
			"a filter and rows of unknown files",
			[]*fakeFile{of(5, 5).matching(), stream},
			PartOptions{Filter: fakeFilter(t), Rows: rows(3, 21)},
			[]string{"0/0:2 1/0:1 -1 rows 30 bytes of 3:21"},
		},
		{"a filter that nothing matches", []*fakeFile{of(5, 5).matching()}, PartOptions{Filter: fakeFilter(t), Parts: 3}, nil},
		{"after the start", []*fakeFile{of(5, 5), of(4)}, PartOptions{After: after(0, 0, 0)}, []string{"0/0:2 1/0:1 14 rows 30 bytes"}},
		{"after a row", []*fakeFile{of(5, 5), of(4)}, PartOptions{After: after(0, 1, 6)}, []string{"0/1:2[6:0] 1/0:1 8 rows 18 bytes"}},
		{"after a file", []*fakeFile{of(5, 5), of(4)}, PartOptions{After: after(0, 1, 10)}, []string{"1/0:1 4 rows 10 bytes"}},
		{"after all", []*fakeFile{of(5, 5), of(4)}, PartOptions{After: after(1, 0, 4)}, nil},
		{"after a row of a stream", []*fakeFile{of(5), stream}, PartOptions{After: after(1, 0, 7)}, []string{"1/0:1[7:0] -1 rows 10 bytes"}},
		{
			"after a row and rows",
			[]*fakeFile{of(5, 5), of(4)},
			PartOptions{After: after(0, 1, 6), Rows: rows(2, 12)},
			[]string{"0/1:2[6:0] 1/0:1[0:2] 6 rows 13 bytes"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := setOf(c.files...)
			var extents []Extent
			for _, f := range c.files {
				e, err := Measure(t.Context(), f)
				if err != nil {
					t.Fatal(err)
				}
				extents = append(extents, e)
			}
			for _, known := range []bool{false, true} {
				o := c.o
				if known {
					o.Extents = extents
				}
				parts, err := d.Parts(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, p := range parts {
					got = append(got, shownPart(p))
					for _, f := range p.Files {
						if f.ID != extents[f.Fragment].ID || !f.Valid() {
							t.Errorf("%+v", f)
						}
					}
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("known: %v\n%q\nwant\n%q", known, got, c.want)
				}
			}
			for i, f := range c.files {
				if n := f.open.Load(); n != 0 {
					t.Errorf("file %d: %d were not closed", i, n)
				}
			}
		})
	}
}

// Files are opened only to learn what is not known: their extents, or what a filter leaves of those that have rows.
func TestPartsOpen(t *testing.T) {
	files := []*fakeFile{of(5).matching(0), of(5).matching(0), of(5).matching(0), of(arrowio.UnknownRows)}
	files[1].never = true
	d := setOf(files...)
	opened := func(o PartOptions) string {
		t.Helper()
		if _, err := d.Parts(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		var n []int64
		for _, f := range files {
			n = append(n, f.opened.Swap(0))
		}
		return fmt.Sprint(n)
	}
	var extents []Extent
	for _, f := range files {
		extents = append(extents, Extent{ID: "id", Splits: f.splits})
	}
	filter := fakeFilter(t)
	three := *d
	three.Fragments = d.Fragments[:3]
	for _, c := range []struct {
		o    PartOptions
		want string
	}{
		{PartOptions{}, "[1 1 1 1]"},
		{PartOptions{Filter: filter}, "[1 0 1 1]"},
		{PartOptions{Extents: extents}, "[0 0 0 0]"},
		{PartOptions{Extents: extents, Rows: &arrowio.RowRange{Start: 1, End: 2}}, "[0 0 0 0]"},
		{PartOptions{Extents: extents, Filter: filter, Rows: &arrowio.RowRange{Start: 1, End: 2}}, "[0 0 0 0]"},
		{PartOptions{Extents: extents, Filter: filter}, "[1 0 1 1]"},
	} {
		if got := opened(c.o); got != c.want {
			t.Errorf("%+v: opened %s, want %s", c.o, got, c.want)
		}
	}
	d = &three // every length is known: files without rows that are wanted are not looked at for the filter
	o := PartOptions{Extents: extents[:3], Filter: filter, Rows: &arrowio.RowRange{Start: 5, End: 12}}
	if got := opened(o); got != "[0 0 1 0]" {
		t.Errorf("opened %s", got)
	}
}

// A part has splits of 256 files at most, however far apart these are, and there are about 10,000 parts at most.
func TestPartsBounds(t *testing.T) {
	var files []*fakeFile
	for i := range 1500 {
		f := of(1, 1).matching(0)
		if i%3 > 0 {
			f.matching()
		}
		files = append(files, f)
	}
	parts, err := setOf(files...).Parts(t.Context(), PartOptions{Filter: fakeFilter(t)})
	if err != nil || len(parts) != 2 || len(parts[0].Files) != 256 || len(parts[1].Files) != 500-256 || parts[0].Files[255].Fragment != 255*3 {
		t.Fatalf("%d parts, %v", len(parts), err)
	}
	one := Together(parts)
	if len(one.Files) != 500 || one.Rows != arrowio.UnknownRows || one.Bytes != 5000 {
		t.Errorf("together: %d files, %d rows, %d bytes", len(one.Files), one.Rows, one.Bytes)
	}

	many := of(slices.Repeat([]int64{1}, 25_000)...)
	if parts, err = setOf(many).Parts(t.Context(), PartOptions{Bytes: 1}); err != nil || len(parts) > 10_000 || len(parts) < 5000 {
		t.Errorf("%d parts of 25,000 splits, %v", len(parts), err)
	}
	if parts, err = setOf(many).Parts(t.Context(), PartOptions{Parts: 20_000}); err != nil || len(parts) <= 10_000 {
		t.Errorf("%d parts where 20,000 were asked for, %v", len(parts), err)
	}

	var streams []*fakeFile
	for range MaxPartFiles + 1 {
		streams = append(streams, of(arrowio.UnknownRows))
	}
	rows := &arrowio.RowRange{Start: 1, End: 2}
	if parts, err = setOf(streams[1:]...).Parts(t.Context(), PartOptions{Rows: rows}); err != nil || len(parts) != 1 {
		t.Errorf("%d parts, %v", len(parts), err)
	}
	if _, err = setOf(streams...).Parts(t.Context(), PartOptions{Rows: rows}); !errors.Is(err, errs.ErrUnsupported) {
		t.Error(err)
	}
}

func TestPartsRefused(t *testing.T) {
	place := func(f, s int, row int64) *arrowio.Place {
		return &arrowio.Place{Fragment: f, Split: s, Rows: arrowio.RowRange{End: row}}
	}
	d := setOf(of(5, 5), of(3))
	for _, o := range []PartOptions{
		{Parts: -1},
		{Bytes: -1},
		{After: place(2, 0, 0)},
		{After: place(-1, 0, 0)},
		{After: place(0, 2, 0)},
		{After: place(0, -1, 0)},
		{After: place(1, 0, 4)},
	} {
		if _, err := d.Parts(t.Context(), o); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	unknown := PartOptions{After: place(0, 0, 1), Rows: &arrowio.RowRange{Start: 0, End: 9}}
	if _, err := setOf(of(5), of(arrowio.UnknownRows)).Parts(t.Context(), unknown); !errors.Is(err, errs.ErrUnsupported) {
		t.Error(err)
	}
	bad := errors.New("bad")
	d.Fragments[1] = arrowio.Fragment{Name: "second", Open: func(context.Context) (arrowio.File, error) { return nil, bad }}
	if _, err := d.Parts(t.Context(), PartOptions{}); !errors.Is(err, bad) || fileOf(err) != "second" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Parts(ctx, PartOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What files say of themselves may be anything.
func TestPartsHostile(t *testing.T) {
	huge := of(1, 1)
	huge.splits[0].Bytes, huge.splits[1].Bytes = math.MaxInt64, -5
	huge.splits[1].Rows.End = math.MaxInt64
	for _, o := range []PartOptions{{}, {Parts: 3}, {Bytes: math.MaxInt64}, {Rows: &arrowio.RowRange{Start: 1, End: math.MaxInt64}}, {Rows: &arrowio.RowRange{Start: 1, End: 99}}} {
		parts, err := setOf(huge, huge).Parts(t.Context(), o)
		if err != nil || len(parts) == 0 {
			t.Fatal(len(parts), err)
		}
		for _, p := range parts {
			if p.Bytes < 1 || p.Rows < 1 {
				t.Errorf("%s", shownPart(p))
			}
		}
	}
	for _, p := range []FilePart{{To: 3}, {From: 2, To: 1}, {From: -1, To: 1}, {To: 1, Start: -1}, {To: 1, Start: 2, End: 1}, {To: 1, End: -1}, {Fragment: -1, To: 1}} {
		if _, err := p.Show(huge); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// rowOf is a row by its file and its number there; at is minus one for all rows of a stream.
type rowOf struct {
	file int
	at   int64
}

// rowsOfPart lists the rows of a part, as a scan finds them that leaves nothing out.
func rowsOfPart(t *testing.T, files []*fakeFile, p Part) (out []rowOf) {
	t.Helper()
	for _, fp := range p.Files {
		f, err := fp.Show(files[fp.Fragment])
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range f.Splits() {
			if !s.Known() {
				out = append(out, rowOf{fp.Fragment, -1})
			}
			for n := s.Rows.Start; n < s.Rows.End; n++ {
				out = append(out, rowOf{fp.Fragment, n})
			}
		}
	}
	return out
}

// Whatever is planned, every row that is wanted is in exactly one part, in order.
func TestPartsRandom(t *testing.T) {
	filter := fakeFilter(t)
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var files []*fakeFile
		unknown := false
		for range r.IntN(6) {
			var sizes []int64
			for range r.IntN(6) {
				sizes = append(sizes, r.Int64N(7))
			}
			f := of(sizes...)
			if r.IntN(6) == 0 && seed%2 == 0 {
				f, unknown = of(arrowio.UnknownRows), true
			}
			f.match = map[int]bool{}
			for i := range f.splits {
				f.splits[i].Bytes = r.Int64N(30)
				f.match[i] = r.IntN(2) == 0
			}
			f.never = r.IntN(5) == 0
			files = append(files, f)
		}
		o := PartOptions{Bytes: 1 + r.Int64N(60)}
		if r.IntN(2) == 0 {
			o.Parts = 1 + r.IntN(8)
		}
		if r.IntN(3) == 0 {
			from := r.Int64N(40)
			o.Rows = &arrowio.RowRange{Start: from, End: from + r.Int64N(40)}
		}
		if r.IntN(2) == 0 {
			o.Filter = filter
		}
		if i := r.IntN(6); i < len(files) && len(files[i].splits) > 0 && (o.Rows == nil || !unknown) && r.IntN(2) == 0 {
			s := files[i].splits[r.IntN(len(files[i].splits))]
			o.After = &arrowio.Place{Fragment: i, Split: s.Ordinal, Rows: arrowio.RowRange{End: s.Rows.Start}}
			if s.Rows.Len() > 0 {
				o.After.Rows.End += r.Int64N(s.Rows.Len() + 1)
			}
		}
		together := o.Rows != nil && unknown

		// What must come, and what may beside it: rows that the filter cannot match, for the scan leaves them out again.
		var must, may []rowOf
		base := int64(0)
		for i, f := range files {
			for _, s := range f.splits {
				for n := s.Rows.Start; n < s.Rows.End || n == 0 && !s.Known(); n++ {
					row := rowOf{i, n}
					if !s.Known() {
						row.at = -1
					}
					if o.Rows != nil && !together && (base+n < o.Rows.Start || base+n >= o.Rows.End) {
						continue
					}
					if a := o.After; a != nil && (i < a.Fragment || i == a.Fragment && (s.Ordinal < a.Split || s.Known() && n < a.Rows.End)) {
						continue
					}
					may = append(may, row)
					if o.Filter == nil || together || !f.never && (f.match[s.Ordinal] || !s.Known()) {
						must = append(must, row)
					}
				}
			}
			base += max(f.rows(), 0)
		}
		if o.Rows != nil && o.Rows.Len() == 0 {
			must, may = nil, nil
		}

		parts, err := setOf(files...).Parts(t.Context(), o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var got []rowOf
		for _, p := range parts {
			rows := rowsOfPart(t, files, p)
			if len(rows) == 0 && p.Rows != arrowio.UnknownRows || o.Filter == nil && p.Rows >= 0 && p.Rows != int64(len(rows)) {
				t.Fatalf("seed %d: %s has %d rows", seed, shownPart(p), len(rows))
			}
			if o.Filter != nil && p.Rows != arrowio.UnknownRows || p.Bytes < 1 || (p.Range != nil) != together {
				t.Fatalf("seed %d: %s", seed, shownPart(p))
			}
			got = append(got, rows...)
		}
		k := 0
		for _, row := range may {
			in := k < len(got) && got[k] == row
			if in {
				k++
			} else if slices.Contains(must, row) {
				t.Fatalf("seed %d: row %v is not in its place: %v, want %v", seed, row, got, must)
			}
		}
		if k < len(got) {
			t.Fatalf("seed %d: %v beside what is wanted: %v", seed, got[k:], may)
		}
	}
}

// Known rows that a filter cannot match in a file of which nothing can match are in no part.
func TestPartsNever(t *testing.T) {
	f := of(5).matching(0)
	f.never = true
	if parts, err := setOf(f).Parts(t.Context(), PartOptions{Filter: fakeFilter(t), Rows: &arrowio.RowRange{Start: 1, End: 3}}); err != nil || len(parts) != 0 {
		t.Errorf("%v, %v", parts, err)
	}
}

// fileOf returns the file that an error names.
func fileOf(err error) string {
	at, _ := errs.Where(err)
	return at.File
}
