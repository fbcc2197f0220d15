package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/celltext"
	"github.com/arrowio/arrowio/internal/drawing"
)

const (
	maxDifferent = 4096 // values of a column that are told apart
	maxValue     = 200  // bytes of a value that are looked at
	bins         = 24
	topValues    = 8
	maxSampled   = 400 // columns
)

// Collector makes a Sample of records. It is a Writer whose output is the sample.
type Collector struct {
	columns []collected
	left    int // columns that are too many
	rows    int64
	cell    celltext.Cell
}

var _ arrowio.Writer = (*Collector)(nil)

type collected struct {
	field  arrow.Field
	place  func(string) (float64, bool) // nil = no histogram
	nulls  int64
	counts map[string]int64
	more   bool      // values than maxDifferent
	places []float64 // of all values
	low    string
	high   string
	lowest float64
	most   float64
}

// NewCollector returns a collector of records of a schema.
func NewCollector(s *arrow.Schema) *Collector {
	c := &Collector{left: max(0, s.NumFields()-maxSampled)}
	for _, f := range s.Fields()[:min(s.NumFields(), maxSampled)] {
		c.columns = append(c.columns, collected{field: f, place: drawing.Placer(f.Type.String()), counts: map[string]int64{}})
	}
	return c
}

// Write counts the values of a record.
func (c *Collector) Write(rec arrow.Record) error {
	n := int(rec.NumRows())
	c.rows += int64(n)
	for k := range c.columns {
		x := &c.columns[k]
		a := rec.Column(k)
		write := celltext.New(a)
		for i := range n {
			if a.IsNull(i) {
				x.nulls++
				continue
			}
			c.cell = celltext.Cell{Text: c.cell.Text[:0], Limit: maxValue}
			write(&c.cell, i)
			x.add(string(c.cell.Text))
		}
	}
	return nil
}

// Close does nothing.
func (c *Collector) Close() error { return nil }

// Abort does nothing.
func (c *Collector) Abort() error { return nil }

func (x *collected) add(s string) {
	if n, ok := x.counts[s]; ok {
		x.counts[s] = n + 1
	} else if len(x.counts) < maxDifferent {
		x.counts[s] = 1
	} else {
		x.more = true
	}
	if x.place == nil {
		return
	}
	v, ok := x.place(s)
	if !ok {
		return
	}
	if len(x.places) == 0 || v < x.lowest {
		x.lowest, x.low = v, s
	}
	if len(x.places) == 0 || v > x.most {
		x.most, x.high = v, s
	}
	x.places = append(x.places, v)
}

// Sample returns what was collected. of is the number of rows of the file; first says that the rows are its first ones.
func (c *Collector) Sample(of int64, first bool) *Sample {
	s := &Sample{Rows: c.rows, Of: of, First: first, Left: c.left}
	for i := range c.columns {
		x := &c.columns[i]
		out := SampleColumn{Name: x.field.Name, Type: x.field.Type.String(), Nulls: x.nulls, Distinct: int64(len(x.counts)), AtLeast: x.more}
		if len(x.places) > 0 && len(x.counts) > topValues && x.most > x.lowest {
			out.Low, out.High, out.Bins = x.end(x.low), x.end(x.high), make([]int64, bins)
			for _, v := range x.places {
				out.Bins[min(bins-1, int(bins*((v-x.lowest)/(x.most-x.lowest))))]++
			}
		} else if !x.more {
			for t, n := range x.counts {
				out.Top = append(out.Top, Value{t, n})
			}
			slices.SortFunc(out.Top, func(a, b Value) int { return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Text, b.Text)) })
			out.Top = out.Top[:min(len(out.Top), topValues)]
		}
		s.Columns = append(s.Columns, out)
	}
	return s
}

// end is a value at an end of a histogram.
func (x *collected) end(s string) string {
	if drawing.Kind(x.field.Type.String()) == "times" {
		return celltext.WithoutZeros(s)
	}
	return s
}
