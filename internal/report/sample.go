package report

import (
	"strings"

	"github.com/arrowio/arrowio/internal/drawing"
)

// Sample is what some rows of a file hold.
type Sample struct {
	Rows    int64
	Of      int64 // rows of the file; arrowio.UnknownRows = not known
	First   bool  // they are the first ones of the file; otherwise chosen at random
	Columns []SampleColumn
	Left    int // columns that were not looked at
}

// SampleColumn is what the rows hold of a column.
type SampleColumn struct {
	Name     string
	Type     string
	Nulls    int64
	Distinct int64  // different values; -1 = not counted
	AtLeast  bool   // there are more than Distinct
	Low      string // where the histogram begins and ends
	High     string
	Bins     []int64
	Top      []Value // the values that come most often
}

// Value is a value, and how often it came.
type Value struct {
	Text  string
	Count int64
}

// sampled is a sample as the template shows it.
type sampled struct {
	Rows, Of  int64
	First     bool
	Columns   []sampledColumn
	ColumnsOf int
}

type sampledColumn struct {
	SampleColumn
	NullShare string
	Differ    string
	Bars      []bar
	Tops      []topLine
	Examples  string // where no value came more than once
}

// bar is a bar of a histogram, in the units of its view box.
type bar struct {
	X, Y, W, H float64
	Count      int64
}

type topLine struct {
	Text  string
	Count int64
	Share string
	Bar   string
}

const (
	histogramWidth  = 240.0
	histogramHeight = 48.0
)

func (s *Sample) show(l level) *sampled {
	out := &sampled{Rows: s.Rows, Of: s.Of, First: s.First, ColumnsOf: len(s.Columns) + s.Left}
	for _, c := range s.Columns[:min(len(s.Columns), l.strips)] {
		x := sampledColumn{SampleColumn: c}
		x.Name, x.Type, x.Low, x.High = drawing.Named(c.Name), drawing.Clip(c.Type, 60), drawing.Clip(c.Low, 40), drawing.Clip(c.High, 40)
		if s.Rows > 0 {
			x.NullShare = percent(float64(c.Nulls) / float64(s.Rows))
		}
		if c.Distinct >= 0 {
			x.Differ = drawing.Count(c.Distinct)
			if c.AtLeast {
				x.Differ = "more than " + x.Differ
			}
		}
		x.Bars = bars(c.Bins)
		if len(c.Top) > 0 && c.Top[0].Count == 1 {
			var some []string
			for _, v := range c.Top[:min(len(c.Top), 3)] {
				some = append(some, drawing.Clip(v.Text, 40))
			}
			x.Examples, c.Top = strings.Join(some, ", "), nil
		}
		for _, v := range c.Top {
			share := ""
			if s.Rows > 0 {
				share = percent(float64(v.Count) / float64(s.Rows))
			}
			width := "0"
			if len(c.Top) > 0 && c.Top[0].Count > 0 {
				width = drawing.Number(int(100 * v.Count / c.Top[0].Count))
			}
			x.Tops = append(x.Tops, topLine{drawing.Clip(v.Text, 60), v.Count, share, width})
		}
		out.Columns = append(out.Columns, x)
	}
	return out
}

// bars draws counts as bars.
func bars(counts []int64) (out []bar) {
	var most int64
	for _, n := range counts {
		most = max(most, n)
	}
	w := histogramWidth / float64(len(counts))
	for i, n := range counts {
		h := 0.0
		if n > 0 {
			h = max(histogramHeight*float64(n)/float64(most), 1)
		}
		out = append(out, bar{w * float64(i), histogramHeight - h, w - 1, h, n})
	}
	return out
}
