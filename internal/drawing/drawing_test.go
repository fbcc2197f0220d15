package drawing

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

// The area of a rectangle is its bytes, whether rows or columns are stored together.
func TestArea(t *testing.T) {
	grouped := &arrowio.Info{
		Format: "orc", Rows: 30,
		Groups: []arrowio.GroupInfo{{Rows: arrowio.RowRange{End: 10}, Bytes: 1000}, {Rows: arrowio.RowRange{Start: 10, End: 30}, Bytes: 3000}},
		Columns: []arrowio.ColumnInfo{
			{Path: "a", Type: "int64", Bytes: 1600, BlockList: []arrowio.BlockInfo{{Bytes: 300}, {Bytes: 300}, {Group: 1, Bytes: 1000}}},
			{Path: "b", Type: "utf8", Bytes: 2100, BlockList: []arrowio.BlockInfo{{Bytes: 300}, {Group: 1, Bytes: 1800}, {Group: 7, Bytes: 1}, {Group: -1, Bytes: 1}, {Group: 1, Bytes: -5}}},
		},
	}
	columns := &arrowio.Info{
		Format: "trevni", Rows: 30,
		Columns: []arrowio.ColumnInfo{
			{Path: "a", Type: "int64", Bytes: 1000, BlockList: []arrowio.BlockInfo{{Bytes: 600, RawBytes: 6000}, {Off: 600, Bytes: 400}}},
			{Path: "b", Type: "utf8", Bytes: 3000, BlockList: []arrowio.BlockInfo{{Bytes: 2900}}},
		},
	}
	for _, c := range []struct {
		info *arrowio.Info
		want []int64 // of the cells, band by band
	}{
		{grouped, []int64{600, 300, 100, 1000, 1800, 200}},
		{columns, []int64{600, 400, 2900, 100}},
		{&arrowio.Info{Rows: 3, Columns: []arrowio.ColumnInfo{{Path: "a", Bytes: 10}, {Path: "b", Bytes: 30}}}, []int64{10, 30}},
		{&arrowio.Info{Rows: 3, Splits: []arrowio.SplitInfo{{Bytes: 10}, {Bytes: 30, Rows: arrowio.RowRange{End: arrowio.UnknownRows}}}}, []int64{10, 30}},
	} {
		l := New(c.info)
		d := l.Draw(Options{By: l.Telling(), To: l.Bands()})
		var got []Cell
		total := int64(0)
		for _, b := range d.Bands {
			got = append(got, b.Cells...)
		}
		for _, n := range c.want {
			total += n
		}
		if len(got) != len(c.want) {
			t.Fatalf("%s: %d cells, want %v", l.Unit, len(got), c.want)
		}
		for i, x := range got {
			want := (drawWidth - drawGutter) * d.Height * float64(c.want[i]) / float64(total)
			if x.Bytes != c.want[i] || math.Abs(x.W*x.H-want) > 1e-6*want {
				t.Errorf("%s, cell %d: %d bytes, area %f, want %d and %f", l.Unit, i, x.Bytes, x.W*x.H, c.want[i], want)
			}
			if x.X < drawGutter-1e-9 || x.X+x.W > drawWidth+1e-6 || x.Y < 0 || x.Y+x.H > d.Height+1e-6 {
				t.Errorf("%s, cell %d lies outside: %+v", l.Unit, i, x)
			}
		}
	}
}

// However much a file has, and whatever it says, a drawing is of bounded size.
func TestDrawingIsBounded(t *testing.T) {
	info := &arrowio.Info{Format: "orc"}
	for i := range 1000 {
		info.Groups = append(info.Groups, arrowio.GroupInfo{Rows: arrowio.RowRange{Start: int64(i), End: int64(i + 1)}, Bytes: 1 << 40})
	}
	for c := range 100 {
		col := arrowio.ColumnInfo{Path: strconv.Itoa(c), Bytes: 1, Stats: &arrowio.ColumnStats{Values: math.MaxInt64, Nulls: math.MaxInt64}}
		for g := range 1000 {
			col.BlockList = append(col.BlockList, arrowio.BlockInfo{Group: g, Bytes: int64(1 + c*g)})
		}
		info.Columns = append(info.Columns, col)
	}
	l := New(info)
	for _, from := range []int{0, 500, 900} {
		d := l.Draw(Options{By: "nulls", From: from, To: from + 100})
		n := 0
		for _, b := range d.Bands {
			n += len(b.Cells)
			for _, c := range b.Cells {
				if math.IsNaN(c.W) || math.IsInf(c.W, 0) || c.W < 0 || c.H < 0 {
					t.Fatalf("%+v", c)
				}
			}
		}
		if n > 2000+8*100 || d.Height > 2000 {
			t.Errorf("%d cells, %f high", n, d.Height)
		}
	}
	if d := New(&arrowio.Info{}).Draw(Options{By: "codec"}); d != nil {
		t.Error("a drawing of nothing")
	}
}

func TestColours(t *testing.T) {
	for _, c := range []struct {
		share float64
		want  string
	}{{-1, "un"}, {0, "s0"}, {0.005, "s1"}, {0.05, "s2"}, {0.3, "s3"}, {0.5, "s4"}, {0.999, "s4"}, {1, "s5"}} {
		if got, _ := nullClass(c.share); got != c.want {
			t.Errorf("%f nulls: %s, want %s", c.share, got, c.want)
		}
	}
	for typ, want := range map[string]string{
		"int8": "whole numbers", "uint64": "whole numbers", "float32": "fractions", "decimal(12, 2)": "decimals", "utf8": "text", "binary": "bytes",
		"fixed_size_binary[3]": "bytes", "date32": "times", "timestamp[us]": "times", "bool": "booleans", "list<item: int8>": "structure", "": "structure",
		"interval_month": "times",
	} {
		if got := Kind(typ); got != want {
			t.Errorf("%s: %s, want %s", typ, got, want)
		}
	}
}

// Text can be read on whatever is behind it, in both schemes: WCAG 2.2, success criterion 1.4.3.
func TestContrast(t *testing.T) {
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(Style, 2)
	if len(blocks) != 2 {
		t.Fatal("no two schemes")
	}
	for i, b := range blocks {
		colour := map[string]float64{}
		for _, m := range regexp.MustCompile(`--([\w-]+): #([0-9a-f]{6})`).FindAllStringSubmatch(b[1], -1) {
			colour[m[1]] = luminance(t, m[2])
		}
		pairs := []string{
			"ink paper", "ink raised", "ink hover", "dim paper", "dim raised", "dim hover", "accent paper", "accent hover", "on-accent accent", "bad bad-paper",
			"bad paper", "bad hover",
		}
		for name := range colour {
			if regexp.MustCompile(`^([ks]\d|un|ot)$`).MatchString(name) {
				pairs = append(pairs, "ink "+name)
			}
		}
		if len(pairs) != 12+8+6+2 {
			t.Fatalf("scheme %d: %d pairs", i, len(pairs))
		}
		for _, p := range pairs {
			front, back, _ := strings.Cut(p, " ")
			x, y := colour[front], colour[back]
			if x < y {
				x, y = y, x
			}
			if r := (x + 0.05) / (y + 0.05); r < 4.5 {
				t.Errorf("scheme %d: %s on %s has a contrast of %.2f", i, front, back, r)
			}
		}
	}
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	part := func(shift int) float64 {
		v := float64(n>>shift&255) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}
