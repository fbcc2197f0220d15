package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
)

// The measures of a drawing, in the units of its view box.
const (
	drawWidth   = 1000.0
	drawGutter  = 110.0 // for the labels of bands, at the left
	bandsAtOnce = 100
	leastBand   = 4.0
	maxCells    = 2000
	letter      = 7.2 // about the width of one, at the size of labels
)

// drawing is a layout as rectangles: the area of each is its bytes.
type drawing struct {
	Width, Height float64
	Bands         []drawnBand
	Legend        []legendEntry
	Unit          string
	Colour        string // which of colours
	Colours       []colourChoice
	Summary       string // the same in a sentence
	Enlarged      bool   // some bands are too small, and drawn larger
	Merged        bool   // some cells are too small, and drawn together
	pager
}

type drawnBand struct {
	Label string // "" = there is no room
	Y, H  float64
	TextY float64
	Name  string
	Rows  string
	Bytes int64
	Share string
	Cells []drawnCell
}

type drawnCell struct {
	X, W, Y, H   float64
	Class        string
	Label        string // "" = there is no room
	TextX, TextY float64
	Name         string
	Bytes        int64
	Share        string // of what is drawn
	Value        string // what the colour means
}

type legendEntry struct {
	Class string
	Label string
	Share string
}

type colourChoice struct {
	Label, URL string
	On         bool
}

// colours says what cells can be coloured by.
var colours = []struct{ name, label string }{
	{"codec", "codec"}, {"nulls", "null share"}, {"ratio", "compression"}, {"type", "type"},
}

// colour returns the class of a cell in the style sheet, and its meaning.
func (l *layout) colour(by string, c cellBytes, codecs []string) (class, meaning string) {
	s := l.columns[c.column]
	switch by {
	case "nulls":
		return nullClass(s.nulls)
	case "ratio":
		if c.ratio > 0 {
			return ratioClass(c.ratio)
		}
		return ratioClass(s.ratio)
	case "type":
		i := max(0, slices.Index(kinds, s.kind))
		return fmt.Sprintf("k%d", i), kinds[i]
	}
	if s.codec == "" {
		return "un", "not compressed"
	}
	return fmt.Sprintf("k%d", min(7, slices.Index(codecs, s.codec))), s.codec
}

func nullClass(share float64) (class, meaning string) {
	switch {
	case share < 0:
		return "un", "not told"
	case share == 0:
		return "s0", "no nulls"
	case share < 0.01:
		return "s1", "below 1 %"
	case share < 0.1:
		return "s2", "1 to 10 %"
	case share < 0.5:
		return "s3", "10 to 50 %"
	case share < 1:
		return "s4", "50 % and more"
	}
	return "s5", "nulls only"
}

func ratioClass(r float64) (class, meaning string) {
	switch {
	case r <= 0:
		return "un", "not told"
	case r < 1.05:
		return "s0", "not smaller"
	case r < 1.5:
		return "s1", "up to 1.5 : 1"
	case r < 2.5:
		return "s2", "up to 2.5 : 1"
	case r < 5:
		return "s3", "up to 5 : 1"
	case r < 10:
		return "s4", "up to 10 : 1"
	}
	return "s5", "10 : 1 and more"
}

// codecs lists those of the columns, those of most bytes first.
func (l *layout) codecs() []string {
	bytes := map[string]int64{}
	for _, b := range l.bands {
		for _, c := range b.cells {
			if k := l.columns[c.column].codec; k != "" {
				bytes[k] += c.bytes
			}
		}
	}
	out := make([]string, 0, len(bytes))
	for k := range bytes {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(bytes[b], bytes[a]), strings.Compare(a, b)) })
	return out
}

// telling returns what to colour by where that was not said: what differs.
func (l *layout) telling() string {
	if len(l.codecs()) > 1 {
		return "codec"
	}
	var with, all int64
	for _, b := range l.bands {
		for _, c := range b.cells {
			all += c.bytes
			if l.columns[c.column].nulls > 0 {
				with += c.bytes
			}
		}
	}
	if with > all/20 {
		return "nulls"
	}
	return "type"
}

// draw draws the bands of a part; nil = there are no bytes to be seen.
func (l *layout) draw(by string, part pager) *drawing {
	d := &drawing{Width: drawWidth, Unit: l.unit, Colour: by, pager: part}
	bands := l.bands[part.From:part.To]
	var total int64
	for i := range bands {
		total += bands[i].bytes()
	}
	if total <= 0 {
		return nil
	}
	height := min(640, max(160, float64(len(bands))*34))
	least := max(3, (drawWidth-drawGutter)*float64(len(bands))/maxCells)
	codecs := l.codecs()
	meanings := map[string]*legendEntry{}
	sums := map[string]int64{}
	y := 0.0
	for i := range bands {
		b := &bands[i]
		h := height * float64(b.bytes()) / float64(total)
		if h < leastBand {
			h, d.Enlarged = leastBand, true
		}
		out := drawnBand{Name: l.unit + " " + b.label, Y: y, H: h, TextY: y + h/2 + 4, Bytes: b.bytes(), Share: share(b.bytes(), total), Rows: "unknown"}
		if l.unit == "column" || l.unit == "file" {
			out.Name = b.label
		}
		if b.rows != arrowio.UnknownRows {
			out.Rows = count(b.rows)
		}
		if h >= 13 {
			out.Label = fitting(out.Name, drawGutter-10)
		}
		x := drawGutter
		add := func(c drawnCell, bytes int64) {
			c.X, c.W, c.Y, c.H = x, (drawWidth-drawGutter)*float64(bytes)/float64(b.bytes()), y, h
			c.Bytes, c.Share = bytes, share(bytes, total)
			c.TextX, c.TextY = x+5, y+h/2+4
			if h >= 16 && (len(bands) <= 16 || i == 0 || h >= 40) {
				c.Label = fitting(c.Name, c.W-8)
			}
			x += c.W
			if meanings[c.Class] == nil {
				meanings[c.Class] = &legendEntry{Class: c.Class, Label: c.Value}
			}
			sums[c.Class] += bytes
			out.Cells = append(out.Cells, c)
		}
		small, n := int64(0), 0
		for _, c := range b.cells {
			if (drawWidth-drawGutter)*float64(c.bytes)/float64(b.bytes()) < least {
				small, n = small+c.bytes, n+1
				continue
			}
			name := c.label
			if name == "" {
				name = l.columns[c.column].name
			}
			class, meaning := l.colour(by, c, codecs)
			add(drawnCell{Class: class, Name: name, Value: meaning}, c.bytes)
		}
		if small > 0 {
			what := "small column"
			if l.unit == "column" {
				what = "small block"
			}
			add(drawnCell{Class: "mx", Name: plural(n, what), Value: "small ones together"}, small)
			d.Merged = true
		}
		if b.other > 0 && b.bytes() > 0 {
			add(drawnCell{Class: "ot", Name: "rest", Value: "indexes, footers and gaps"}, b.other)
		}
		d.Bands = append(d.Bands, out)
		y += h
	}
	d.Height = y
	for class, e := range meanings {
		e.Share = share(sums[class], total)
		d.Legend = append(d.Legend, *e)
	}
	slices.SortFunc(d.Legend, func(a, b legendEntry) int { return strings.Compare(legendOrder(a.Class), legendOrder(b.Class)) })
	d.Summary = l.summary(bands, total)
	return d
}

// legendOrder puts what is no value behind the values.
func legendOrder(class string) string {
	if class == "un" || class == "mx" || class == "ot" {
		return "z" + class
	}
	return class
}

// summary says in words what the picture is of.
func (l *layout) summary(bands []bandBytes, total int64) string {
	by := map[int]int64{}
	for _, b := range bands {
		for _, c := range b.cells {
			by[c.column] += c.bytes
		}
	}
	order := make([]int, 0, len(by))
	for c := range by {
		order = append(order, c)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
	s := fmt.Sprintf("%s of %s", byteCount(total), plural(len(bands), l.unit))
	if l.unit == "file" {
		s = byteCount(total)
	}
	if l.unit != "split" {
		for i, c := range order[:min(3, len(order))] {
			s += []string{"; most of it ", ", ", ", "}[i] + clipped(l.columns[c].name, 40) + " " + share(by[c], total)
		}
	}
	return s + "."
}

func share(n, of int64) string {
	if of <= 0 {
		return ""
	}
	return fmt.Sprintf("%.1f\u00a0%%", 100*float64(n)/float64(of))
}

// fitting cuts a label to a width; "" = too little of it would be left.
func fitting(s string, width float64) string {
	n := int(width / letter)
	r := []rune(s)
	switch {
	case len(r) <= n:
		return s
	case n < 4:
		return ""
	}
	return string(r[:n-1]) + "…"
}
