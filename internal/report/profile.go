package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/celltext"
	"github.com/arrowio/arrowio/internal/drawing"
	"github.com/arrowio/arrowio/internal/tableprofile"
)

// ProfileOptions says what a profile is about.
type ProfileOptions struct {
	Title    string // the inputs, as the user named them
	Version  string // of this program
	Files    int
	Formats  string
	Filter   string // of rows; "" = none
	Part     string // the rows that were read, in words; "" = all that match the filter
	Warnings []arrowio.Warning
}

// profileLevel is how much the page of a profile shows; each has less than the one before.
type profileLevel struct {
	columns int
	bars    bool // each bar of a histogram can be pointed at
	all     bool // seven quantiles, not three
	brief   bool // the list has only what is not below it for each column
	least   bool // what most readers do not miss is left out
	bins    int  // of a histogram that is not of bars
	tops    int  // frequent values
	text    int  // bytes of a value
}

var profileLevels = []profileLevel{
	{columns: 1000, bars: true, all: true, bins: 24, tops: 10, text: 60},
	{columns: 1000, all: true, bins: 24, tops: 5, text: 40},
	{columns: 1000, all: true, brief: true, bins: 24, tops: 3, text: 40},
	{columns: 1000, brief: true, bins: 24, tops: 2, text: 32},
	{columns: 1000, brief: true, least: true, bins: 12, tops: 1, text: 24},
	{columns: 600, brief: true, least: true, bins: 12, tops: 1, text: 24},
	{columns: 300, brief: true, least: true, bins: 12, tops: 1, text: 20},
	{columns: 100, brief: true, least: true, bins: 12, tops: 1, text: 20},
	{columns: 30, brief: true, least: true, bins: 12, tops: 1, text: 10},
}

// left says what pages of the level lack.
func (l profileLevel) left() string {
	var said []string
	full := profileLevels[0]
	if !l.bars {
		said = append(said, "the count of each bar of a histogram")
	}
	if l.bins < full.bins {
		said = append(said, fmt.Sprintf("histograms of more than %d bars", l.bins))
	}
	if !l.all {
		said = append(said, "the quantiles of 1, 5, 95 and 99\u00a0%")
	}
	if l.least {
		said = append(said, "standard deviations")
	}
	if l.tops < full.tops {
		said = append(said, fmt.Sprintf("frequent values behind the first %d", l.tops))
	}
	if l.text < full.text {
		said = append(said, fmt.Sprintf("what is behind the first %d bytes of values", l.text))
	}
	return strings.Join(said, "; ")
}

const (
	rare        = 0.005 // share of a frequent value from which not more than rareTops are listed
	rareTops    = 3
	shownDigits = 9 // of floating point numbers
	estimated   = "~"
	unknown     = "unknown"
)

// WriteProfile writes a page about what the values of columns are: as much as fits.
func WriteProfile(w io.Writer, o ProfileOptions, p *tableprofile.Profile) error {
	return writePage(w, "profile.html", profileLevels, func(l profileLevel) any { return newProfilePage(o, p, l) })
}

// profilePage is what the template shows.
type profilePage struct {
	head

	Version   string
	Files     int
	Formats   string
	Filter    string
	Part      string
	Rows      int64
	Top       int      // columns that are not inside of others
	Exact     int      // see tableprofile.Profile
	Estimates bool     // some numbers are
	Unknown   bool     // how many nulls some columns have
	Deviates  bool     // there are standard deviations
	Rounds    bool     // there are means
	Noted     []string // warnings
	NotedOf   int
	Left      string // what there is no room for
	Findings  []Finding
	Columns   []profileColumn
	ColumnsOf int
	Has       profileHas
}

// profileHas says which columns the list needs.
type profileHas struct{ Values, Nulls, Sparks, Range, Median, Mean, Lengths, Tops bool }

// profileColumn is a column as the template shows it.
type profileColumn struct {
	ID, Path, Type string
	Values         string // how many there are, where that is not the number of rows
	Nulls          string // their share
	NullBar        string
	NullCount      int64
	Distinct       string
	Least          string
	Greatest       string
	Median         string
	Mean           string
	Deviation      string
	Length         string
	Among          []profilePair
	Stops          []profilePair // quantiles between the least and the greatest value
	Tops           []topLine
	Histogram      *profileHistogram
}

type profilePair struct{ Name, Value string }

// profileHistogram is a histogram as the template shows it: as bars, or as a path.
type profileHistogram struct {
	About        string // "~" = its counts are estimates
	Low, High    string
	Below, Above string // shares of values that are not in it; "" = none
	Bars         []bar
	Path         string
	Box          *box
}

// box is where quantiles lie, in the units of the view box of a histogram.
type box struct{ Low, Left, Middle, Right, High float64 }

// Wide is the width from the quantile of 5 to that of 95 %.
func (b *box) Wide() float64 { return b.High - b.Low }

// Half is the width of the middle half.
func (b *box) Half() float64 { return b.Right - b.Left }

func newProfilePage(o ProfileOptions, p *tableprofile.Profile, l profileLevel) *profilePage {
	out := &profilePage{
		head: newHead(o.Title, "profile"), Version: o.Version, Files: o.Files, Formats: drawing.Short(o.Formats), Filter: drawing.Text(o.Filter), Part: o.Part,
		Rows: p.Rows, Exact: p.ExactDistinct, Findings: profileFindings(p, o.Warnings), ColumnsOf: len(p.Columns),
	}
	out.Title, out.NotedOf, out.Left = headed(out.Title, o.Files), len(o.Warnings), l.left()
	for _, w := range o.Warnings[:min(len(o.Warnings), maxNotes)] {
		out.Noted = append(out.Noted, drawing.Text(w.String()))
	}
	for i := range p.Columns {
		c := &p.Columns[i]
		if c.Depth == 0 {
			out.Top++
		}
		if i < l.columns {
			x := newProfileColumn(c, i, p.Rows, l)
			if x.Nulls != "" && Masked(o.Warnings, c.Path) {
				x.Nulls += ", masked"
			}
			out.Has.add(&x)
			out.Columns = append(out.Columns, x)
			out.Estimates = out.Estimates || c.Distinct != nil && !c.Distinct.Exact
			out.Unknown = out.Unknown || x.Nulls == unknown
			out.Deviates = out.Deviates || x.Deviation != ""
			out.Rounds = out.Rounds || x.Mean != ""
		}
	}
	if l.brief {
		out.Has = profileHas{Nulls: out.Has.Nulls}
	}
	return out
}

func (h *profileHas) add(c *profileColumn) {
	h.Values = h.Values || c.Values != ""
	h.Nulls = h.Nulls || c.NullCount > 0 || c.Nulls == unknown
	h.Sparks = h.Sparks || c.Histogram != nil
	h.Range = h.Range || c.Least != ""
	h.Median = h.Median || c.Median != ""
	h.Mean = h.Mean || c.Mean != ""
	h.Lengths = h.Lengths || c.Length != ""
	h.Tops = h.Tops || len(c.Tops) > 0
}

func newProfileColumn(c *tableprofile.Column, at int, rows int64, l profileLevel) profileColumn {
	x := profileColumn{ID: "c" + strconv.Itoa(at), Path: drawing.Named(c.Path), Type: drawing.Clip(c.Type, 60)}
	if c.Nested {
		x.Type, _, _ = strings.Cut(x.Type, "<") // what is inside follows
	}
	if c.Rows != rows {
		x.Values = drawing.Count(c.Rows)
	}
	x.Nulls = unknown
	if c.Nulls != nil {
		x.NullCount = *c.Nulls
		x.Nulls = percent(part(*c.Nulls, c.Rows))
		x.NullBar = barWidth(part(*c.Nulls, c.Rows), l)
	}
	if d := c.Distinct; d != nil {
		x.Distinct = drawing.Count(d.Count)
		if !d.Exact {
			x.Distinct = estimated + x.Distinct
		}
	}
	shown := func(v string) string { return valueText(c.Type, v, l.text) }
	if c.Min != nil && c.Max != nil {
		x.Least, x.Greatest = shown(*c.Min), shown(*c.Max)
	}
	for _, q := range c.Quantiles {
		name := strconv.FormatFloat(100*q.Share, 'g', 4, 64) + "\u00a0%"
		v := shown(q.Value)
		if !c.QuantilesExact {
			v = estimated + withoutFraction(c.Type, v)
		}
		if q.Share == 0.5 {
			x.Median, name = v, "median"
		}
		if l.all || q.Share >= 0.25 && q.Share <= 0.75 {
			x.Stops = append(x.Stops, profilePair{name, v})
		}
	}
	if c.Mean != nil {
		x.Mean = number(*c.Mean)
	}
	if c.StdDev != nil && !l.least {
		x.Deviation = number(*c.StdDev)
	}
	if n := c.Lengths; n != nil {
		x.Length = drawing.Count(n.Min)
		if n.Max > n.Min {
			x.Length = fmt.Sprintf("%s to %s, mean %s", drawing.Count(n.Min), drawing.Count(n.Max), celltext.Rounded(n.Mean, 3))
		}
	}
	for _, k := range []struct {
		name string
		n    *int64
	}{{"zero", c.Zero}, {"negative", c.Negative}, {"NaN", c.NaN}, {"empty", c.Empty}} {
		if k.n != nil && *k.n > 0 {
			x.Among = append(x.Among, profilePair{k.name, percent(part(*k.n, c.Values()))})
		}
	}
	x.tops(c, l, shown)
	x.Histogram = newProfileHistogram(c, l)
	return x
}

// tops lists frequent values.
func (x *profileColumn) tops(c *tableprofile.Column, l profileLevel, shown func(v string) string) {
	for i, f := range c.Top[:min(len(c.Top), l.tops)] {
		p := part(f.Count, c.Values())
		if i >= rareTops && p < rare {
			break
		}
		share := percent(p)
		if p < 0.001 {
			share = drawing.Count(f.Count) + " times"
		}
		if f.AtMost > f.Count {
			share = "≥\u00a0" + share
		}
		x.Tops = append(x.Tops, topLine{shown(f.Value), f.Count, share, barWidth(p, l)})
	}
}

func newProfileHistogram(c *tableprofile.Column, l profileLevel) *profileHistogram {
	h := c.Histogram
	if h == nil {
		return nil
	}
	out := &profileHistogram{Low: valueText(c.Type, h.From, l.text), High: valueText(c.Type, h.To, l.text), Path: outline(h.Counts, l.bins)}
	if !h.Exact {
		out.About = estimated
	}
	if h.Below > 0 { // it begins at a quantile
		out.Low, out.Below = out.About+out.Low, out.About+percent(part(h.Below, c.Values()))
	}
	if h.Above > 0 {
		out.High, out.Above = out.About+out.High, out.About+percent(part(h.Above, c.Values()))
	}
	if l.bars {
		out.Bars = bars(h.Counts)
	}
	if l.all {
		out.Box = newBox(c)
	}
	return out
}

// newBox places the quantiles of a column on its histogram; nil = there is no place for them.
func newBox(c *tableprofile.Column) *box {
	place := drawing.Placer(c.Type)
	if place == nil {
		return nil
	}
	low, ok := place(c.Histogram.From)
	high, ok2 := place(c.Histogram.To)
	if !ok || !ok2 || !(high > low) {
		return nil
	}
	at := map[float64]float64{}
	for _, q := range c.Quantiles {
		v, ok := place(q.Value)
		if !ok {
			return nil
		}
		at[q.Share] = histogramWidth * max(0, min(1, (v-low)/(high-low)))
	}
	return &box{at[0.05], at[0.25], at[0.5], at[0.75], at[0.95]}
}

// outline draws a histogram with at most so many bins as a path, in the units of the view box of a strip.
func outline(counts []int64, most int) string {
	per := (len(counts) + most - 1) / most
	var bins []int64
	var highest int64 = 1
	for i := 0; i < len(counts); i += per {
		var sum int64
		for _, n := range counts[i:min(i+per, len(counts))] {
			sum += n
		}
		bins = append(bins, sum)
		highest = max(highest, sum)
	}
	width := float64(drawing.StripWidth) / float64(len(bins))
	path := "M0 " + strconv.Itoa(drawing.StripHeight)
	at := drawing.StripHeight
	for i, n := range bins {
		h := int(drawing.StripHeight * float64(n) / float64(highest))
		if n > 0 {
			h = max(h, 1)
		}
		if y := drawing.StripHeight - h; y != at {
			path += "H" + drawing.Tenth(width*float64(i)) + "V" + strconv.Itoa(y)
			at = y
		}
	}
	return path + "H" + strconv.Itoa(drawing.StripWidth) + "V" + strconv.Itoa(drawing.StripHeight) + "z"
}

// valueText is a value of a type, cut after n bytes.
func valueText(typ, v string, n int) string {
	switch drawing.Kind(typ) {
	case "times":
		v = celltext.WithoutZeros(v)
	case "fractions":
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			v = strconv.FormatFloat(f, 'g', shownDigits, 64)
		}
	case "text", "structure":
		if v == "" || v[0] == ' ' || v[len(v)-1] == ' ' {
			v = `"` + v + `"`
		}
	}
	return drawing.Clip(v, n)
}

// barWidth is the width of the bar of a share; "" = there is no room for bars.
func barWidth(share float64, l profileLevel) string {
	if l.brief {
		return ""
	}
	return strconv.Itoa(int(100 * share))
}

// withoutFraction cuts the text of a time after the second.
func withoutFraction(typ, v string) string {
	dot := strings.IndexByte(v, '.')
	if dot < 0 || drawing.Kind(typ) != "times" {
		return v
	}
	return v[:dot] + strings.TrimLeft(v[dot+1:], "0123456789")
}

// part is a share; 0 of nothing.
func part(n, of int64) float64 { return float64(n) / float64(max(of, 1)) }

// number is a mean or the like.
func number(v float64) string { return celltext.Rounded(v, 6) }
