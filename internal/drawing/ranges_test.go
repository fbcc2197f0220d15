package drawing

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

func column(typ string, bounds ...string) *arrowio.ColumnInfo {
	c := &arrowio.ColumnInfo{Type: typ}
	for _, b := range bounds {
		low, high, _ := strings.Cut(b, "|")
		s := arrowio.ColumnStats{Values: 1, Min: low, Max: high}
		if b == "null" {
			s = arrowio.ColumnStats{Nulls: 5}
		}
		c.GroupStats = append(c.GroupStats, s)
	}
	return c
}

// The order of ranges, and the share of groups that a lookup of a bound reads: counted by hand.
func TestRanges(t *testing.T) {
	for _, c := range []struct {
		name   string
		column *arrowio.ColumnInfo
		order  Order
		lookup float64
	}{
		{"sorted", column("int64", "0|9", "10|19", "20|29", "30|39"), Ascending, 0.25},
		// 10 is in two ranges, as the end of one and the begin of the next: 0, 10, 10, 19 are in 1, 2, 2, 1 of two.
		{"sorted with a value in two", column("int64", "0|10", "10|19"), Ascending, 0.75},
		{"descending", column("int32", "30|39", "20|29", "10|19", "0|9"), Descending, 0.25},
		{"the same everywhere", column("int64", "0|9", "0|9", "0|9", "0|9"), Unordered, 1},
		{"one value", column("int64", "7|7", "7|7"), OneValue, 1},
		{"text by bytes, not by length", column("utf8", `"a"|"b"`, `"ba"|"c"`, `"d"|"e"`), Ascending, 1.0 / 3},
		{"text that is cut", column("utf8", `>= "a"|<= "b"`, `"c"…|"d"…`), Ascending, 0.5},
		{"days", column("date32", "2024-01-01|2024-01-31", "2024-02-01|2024-02-29"), Ascending, 0.5},
		{"times", column("timestamp[ms]", "2023-11-14 22:13:20.000|2023-11-15 00:00:00.000", "2023-11-14 23:00:00.000|2023-11-16 00:00:00.000"), Unordered, 0.75},
		{"decimals", column("decimal(10, 2)", "-1.25|0.99", "1.00|100.00"), Ascending, 0.5},
		{"whole numbers that differ beyond a double", column("uint64", "18446744073709551609|18446744073709551610", "18446744073709551611|18446744073709551615"), Ascending, 0.5},
		{"and overlap", column("uint64", "18446744073709551609|18446744073709551615", "18446744073709551610|18446744073709551614"), Unordered, 0.75},
		{"negative ones", column("int64", "-9223372036854775808|-9223372036854775807", "-9223372036854775806|-10", "-9|3"), Ascending, 1.0 / 3},
		{"decimals of 38 digits", column("decimal(38, 2)", "999999999999999999999999999999999999.98|999999999999999999999999999999999999.98", "999999999999999999999999999999999999.99|999999999999999999999999999999999999.99"), Ascending, 0.5},
		{"nanoseconds", column("timestamp[ns]", "2024-01-01T00:00:00.000000001|2024-01-01T00:00:00.000000001", "2024-01-01T00:00:00.000000002|2024-01-01T00:00:00.000000002"), Ascending, 0.5},
		{"far years", column("timestamp[us]", "-290308-12-21T19:59:05.224192|-0001-01-01T00:00:00", "0001-01-01T00:00:00|9999-12-31T23:59:59", "10000-01-01T00:00:00|294247-01-10T04:00:54.775807"), Ascending, 1.0 / 3},
		{"groups of nulls", column("int64", "0|9", "null", "10|19", "null"), Ascending, 0.25},
	} {
		r := RangesOf(c.column)
		if r == nil {
			t.Errorf("%s: no ranges", c.name)
			continue
		}
		if r.Order != c.order || math.Abs(r.Lookup-c.lookup) > 1e-9 || r.Groups != len(c.column.GroupStats) || r.Known != r.Groups {
			t.Errorf("%s: %+v, want order %d and lookup %f", c.name, *r, c.order, c.lookup)
		}
	}
	// 20 ranges that ascend, of which one lies elsewhere and two overlap.
	var nearly []string
	for i := range 20 {
		nearly = append(nearly, strconv.Itoa(10*i)+"|"+strconv.Itoa(10*i+9))
	}
	nearly[7], nearly[12] = "0|3", "120|131"
	if r := RangesOf(column("int64", nearly...)); r == nil || r.Order != NearlyUp {
		t.Errorf("nearly sorted: %+v", r)
	}
	// What filters do not trust, and what is no order, is no range.
	doubtful := column("int64", "0|9", "10|19")
	doubtful.GroupStats[0].Doubt, doubtful.GroupStats[1].Doubt = "wrong", "wrong"
	for name, c := range map[string]*arrowio.ColumnInfo{
		"no statistics": {Type: "int64"}, "nested": column("struct<a: int8>", "0|1"), "binary": column("binary", "a|b"), "doubtful": doubtful,
		"not numbers": column("int64", "x|y"), "the wrong way round": column("int64", "9|0"), "not a number": column("float64", "NaN|NaN"),
	} {
		if r := RangesOf(c); r != nil {
			t.Errorf("%s: %+v", name, *r)
		}
	}
}

// A strip has a stroke for each group, as high as its range, and no more strokes than asked for.
func TestStrip(t *testing.T) {
	s := RangesOf(column("int64", "0|50", "50|100", "null", "100|100")).Strip(10)
	// Four strokes of 30 units each; the third group has only nulls. The view box is 20 high, 100 is at its top.
	if want := "M15 10V20M45 0V10M105 0V2"; s.Path != want {
		t.Errorf("%s, want %s", s.Path, want)
	}
	var many []string
	for i := range 1000 {
		many = append(many, strconv.Itoa(i)+"|"+strconv.Itoa(i+1))
	}
	s = RangesOf(column("int64", many...)).Strip(16)
	if n := strings.Count(s.Path, "M"); n > 16 || len(s.Path) > 16*16 {
		t.Errorf("%d strokes, %d bytes", n, len(s.Path))
	}
}

// Bands that are put together have the bytes, rows, and kinds of blocks of those that they are made of.
func TestFold(t *testing.T) {
	info := &arrowio.Info{Format: "orc"}
	for i := range 10 {
		info.Groups = append(info.Groups, arrowio.GroupInfo{Rows: arrowio.RowRange{Start: int64(10 * i), End: int64(10*i + 10)}, Bytes: 1000})
	}
	for c := range 3 {
		col := arrowio.ColumnInfo{Path: strconv.Itoa(c), Type: "int64"}
		for g := range 10 {
			if g == 4 && c == 1 {
				continue
			}
			col.BlockList = append(col.BlockList, arrowio.BlockInfo{Group: g, Kind: "PRESENT", Bytes: 10}, arrowio.BlockInfo{Group: g, Kind: "DATA", Encoding: "DIRECT", Bytes: 90})
		}
		info.Columns = append(info.Columns, col)
	}
	l := New(info)
	f := l.Fold(4)
	if f.Bands() != 4 || l.Bands() != 10 {
		t.Fatalf("%d bands of %d", f.Bands(), l.Bands())
	}
	if d := f.Draw(Options{By: "type", To: f.Bands()}); d.Bands[0].Name != "stripe 0–2" || d.Bands[3].Name != "stripe 9" || !strings.Contains(d.Summary, "10 stripes, in 4 bands") {
		t.Errorf("%q, %q, %q", d.Bands[0].Name, d.Bands[3].Name, d.Summary)
	}
	for i, want := range []struct {
		rows  int64
		cells []int64
		other int64
	}{{30, []int64{300, 300, 300}, 2100}, {30, []int64{300, 200, 300}, 2200}, {30, []int64{300, 300, 300}, 2100}, {10, []int64{100, 100, 100}, 700}} {
		b := f.bands[i]
		if b.rows != want.rows || b.other != want.other || len(b.cells) != 3 {
			t.Fatalf("band %d: %+v", i, b)
		}
		for c := range b.cells {
			if b.cells[c].bytes != want.cells[c] {
				t.Errorf("band %d, cell %d: %d bytes, want %d", i, c, b.cells[c].bytes, want.cells[c])
			}
		}
	}
	if got := f.detail(&f.bands[1].cells[1]); got != "PRESENT 20\u00a0B, DATA 180\u00a0B; DIRECT" {
		t.Errorf("%q", got)
	}
}
