package orc

import (
	"bytes"
	"math"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// countRows returns how many rows of a file satisfy a condition, -1 = an error.
func countRows(t *testing.T, b []byte, where string) (rows int64) {
	t.Helper()
	f, err := Open(t.Context(), local.NewBytesSource(b), arrowio.Limits{}, Options{})
	if err != nil {
		return -1
	}
	defer f.Close()
	e, err := expr.Parse(where)
	if err != nil {
		t.Fatal(err)
	}
	r, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{Filter: e, Parallelism: 1, Allocator: memory.NewGoAllocator()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		rows += r.Record().NumRows()
	}
	if r.Err() != nil {
		return -1
	}
	return rows
}

// TestDamagedStatistics flips bits of row indexes: where a stripe has one row group, its statistics tell of all damage.
func TestDamagedStatistics(t *testing.T) {
	t.Parallel()
	sound := fixtures.Read(t, "../../testdata/orc/java-2.3.1/small-none.orc")
	f, err := Open(t.Context(), local.NewBytesSource(sound), arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, c := range [][2]string{{"b__dict__r10", "= 'k37'"}, {"b__dict__r10", "< 'k37'"}, {"c__direct", "= 'zpl9'"}, {"c__direct", ">= 'zpl9'"}} {
		id, where := f.subject(c[0]).typ.ID, c[0]+" "+c[1]
		want := countRows(t, sound, where)
		if want <= 0 {
			t.Fatalf("%s: %d rows", where, want)
		}
		for k := range f.footer.Stripes {
			s, err := f.stripe(t.Context(), k)
			if err != nil {
				t.Fatal(err)
			}
			x, ok := s.find(id, orcwire.RowIndex)
			s.release()
			if !ok {
				t.Fatalf("%s: no row index", where)
			}
			for i := x.off; i < x.off+x.len; i++ {
				for bit := range 8 {
					b := bytes.Clone(sound)
					b[i] ^= 1 << bit
					if got := countRows(t, b, where); got != want && got >= 0 {
						t.Errorf("bit %d of byte %d: %s: %d rows, not %d", bit, i, where, got, want)
					}
				}
			}
		}
	}
}

func TestMergedStatistics(t *testing.T) {
	num := func(v int64) *int64 { return &v }
	real := func(v float64) *float64 { return &v }
	ints := func(n, lo, hi int64) orcwire.ColumnStats {
		return orcwire.ColumnStats{HasValues: true, Values: n, Int: &orcwire.IntStats{Min: num(lo), Max: num(hi)}}
	}
	texts := func(lo, hi string) orcwire.ColumnStats {
		return orcwire.ColumnStats{HasValues: true, Values: 1, String: &orcwire.StringStats{Min: []byte(lo), Max: []byte(hi)}}
	}
	floats := func(lo, hi, sum float64) orcwire.ColumnStats {
		return orcwire.ColumnStats{HasValues: true, Values: 1, Double: &orcwire.DoubleStats{Min: real(lo), Max: real(hi), Sum: real(sum)}}
	}
	bools := func(n int64, yes uint64) orcwire.ColumnStats {
		return orcwire.ColumnStats{HasValues: true, Values: n, Bool: &orcwire.BucketStats{True: []uint64{yes}}}
	}
	two := func(s orcwire.ColumnStats) orcwire.ColumnStats { s.Values = 2; return s }
	for name, c := range map[string]struct {
		parts []orcwire.ColumnStats
		whole orcwire.ColumnStats
		want  bool
	}{
		"ints":             {[]orcwire.ColumnStats{ints(3, 1, 5), ints(4, -2, 4)}, ints(7, -2, 5), true},
		"minimum":          {[]orcwire.ColumnStats{ints(3, 1, 5), ints(4, 2, 4)}, ints(7, -2, 5), false},
		"maximum":          {[]orcwire.ColumnStats{ints(3, 1, 5), ints(4, -2, 4)}, ints(7, -2, 6), false},
		"count":            {[]orcwire.ColumnStats{ints(3, 1, 5), ints(4, -2, 4)}, ints(8, -2, 5), false},
		"nothing in one":   {[]orcwire.ColumnStats{ints(0, 9, 9), ints(4, -2, 4)}, ints(4, -2, 4), true},
		"unknown in one":   {[]orcwire.ColumnStats{{}, ints(4, -2, 4)}, ints(9, -7, 4), true},
		"nothing in all":   {[]orcwire.ColumnStats{ints(4, -2, 4)}, ints(0, 0, 0), true},
		"nothing known":    {[]orcwire.ColumnStats{ints(4, -2, 4)}, orcwire.ColumnStats{}, true},
		"texts":            {[]orcwire.ColumnStats{texts("b", "c"), texts("a", "b")}, two(texts("a", "c")), true},
		"text":             {[]orcwire.ColumnStats{texts("b", "c"), texts("a", "b")}, two(texts("b", "c")), false},
		"floats":           {[]orcwire.ColumnStats{floats(1, 2, 3), floats(-1, 1, 0)}, two(floats(-1, 2, 3)), true},
		"floats with NaN":  {[]orcwire.ColumnStats{floats(1, 2, 3), floats(-1, 1, math.NaN())}, two(floats(5, 2, 3)), true},
		"float":            {[]orcwire.ColumnStats{floats(1, 2, 3), floats(-1, 1, 0)}, two(floats(-1, 4, 3)), false},
		"bools":            {[]orcwire.ColumnStats{bools(3, 1), bools(4, 4)}, bools(7, 5), true},
		"bools that lie":   {[]orcwire.ColumnStats{bools(3, 1), bools(4, 4)}, bools(7, 6), false},
		"nothing at all":   {nil, ints(0, 0, 0), true},
		"no parts, values": {nil, ints(3, 0, 0), false},
	} {
		var m merged
		for i := range c.parts {
			m.add(&c.parts[i])
		}
		if got := m.agrees(&c.whole); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
