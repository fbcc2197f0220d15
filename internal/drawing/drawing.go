package drawing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
)

// The measures of a drawing, in the units of its view box.
const (
	drawWidth  = 1000.0
	drawGutter = 110.0 // for the labels of bands, at the left
	leastBand  = 4.0
	letter     = 7.2 // about the width of one, at the size of labels
)

// Options says what to draw.
type Options struct {
	By       string // one of Colours
	From, To int    // the bands From <= i < To
	Cells    int    // at most about so many; 0 = 2000
	ID       string // begins the ids of elements; default "layout"
}

// Drawing is a layout as rectangles: the area of each is its bytes.
type Drawing struct {
	Width, Height float64
	Bands         []Band
	Legend        []Entry
	ID            string
	Unit          string
	Colour        string // which of Colours
	Summary       string // the same in a sentence
	Enlarged      bool   // some bands are too small, and drawn larger
	Merged        bool   // some cells are too small, and drawn together
}

// Band is a row of cells.
type Band struct {
	Label string // "" = there is no room
	Y, H  float64
	TextY float64
	Name  string
	Rows  string
	Bytes int64
	Share string
	Cells []Cell
}

// Cell is a rectangle.
type Cell struct {
	X, W, Y, H   float64
	Class        string
	Label        string // "" = there is no room
	TextX, TextY float64
	Name         string
	Bytes        int64
	Share        string // of what is drawn
	Value        string // what the colour means
	Detail       string // kinds of blocks, encoding, codec, ratio
	Column       int    // index in the columns of the file; -1 = several, or none
	URL          string // where the cell leads; "" = nowhere; set by who shows the drawing
}

// Entry says what a colour means.
type Entry struct {
	Class string
	Label string
	Share string
}

// Colours says what cells can be coloured by.
var Colours = []struct{ Name, Label string }{
	{"codec", "codec"}, {"nulls", "null share"}, {"ratio", "compression"}, {"type", "type"},
}

// colour returns the class of a cell in the style sheet, and its meaning.
func (l *Layout) colour(by string, c *cellBytes, codecs []string) (class, meaning string) {
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
func (l *Layout) codecs() []string {
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

// Telling returns what to colour by where that was not said: what differs.
func (l *Layout) Telling() string {
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

// Draw draws bands; nil = there are no bytes to be seen. Cells that are too small are drawn together with those of the same colour.
func (l *Layout) Draw(o Options) *Drawing {
	if o.Cells <= 0 {
		o.Cells = 2000
	}
	if o.ID == "" {
		o.ID = "layout"
	}
	d := &Drawing{Width: drawWidth, ID: o.ID, Unit: l.Unit, Colour: o.By}
	bands := l.bands[o.From:o.To]
	var total int64
	for i := range bands {
		total += bands[i].bytes()
	}
	if total <= 0 {
		return nil
	}
	height := min(640, max(160, float64(len(bands))*34))
	least := max(3, (drawWidth-drawGutter)*float64(len(bands))/float64(o.Cells))
	k := &key{layout: l, by: o.By, codecs: l.codecs(), total: total, meanings: map[string]*Entry{}, sums: map[string]int64{}}
	y := 0.0
	for i := range bands {
		b := &bands[i]
		h := height * float64(b.bytes()) / float64(total)
		if h < leastBand {
			h, d.Enlarged = leastBand, true
		}
		out := Band{Name: l.Unit + " " + b.label, Y: y, H: h, TextY: y + h/2 + 4, Bytes: b.bytes(), Share: Share(b.bytes(), total), Rows: "unknown"}
		if l.Unit == "column" || l.Unit == "file" {
			out.Name = b.label
		}
		if b.rows != arrowio.UnknownRows {
			out.Rows = Count(b.rows)
		}
		if out.Label = out.Name; h < 13 {
			out.Label = ""
		} else if float64(len(out.Name))*letter > drawGutter-10 && l.Unit != "column" {
			out.Label = fitting(b.label, drawGutter-10)
		}
		out.Label = fitting(out.Label, drawGutter-10)
		labels := h >= 16 && (len(bands) <= 16 || i == 0 || h >= 40)
		cells, merged := k.cells(b, least)
		d.Merged = d.Merged || merged
		x := drawGutter
		for _, c := range cells {
			c.X, c.W, c.Y, c.H = x, (drawWidth-drawGutter)*float64(c.Bytes)/float64(b.bytes()), y, h
			c.TextX, c.TextY = x+5, y+h/2+4
			if labels {
				c.Label = fitting(c.Name, c.W-8)
			}
			x += c.W
			out.Cells = append(out.Cells, c)
		}
		d.Bands = append(d.Bands, out)
		y += h
	}
	d.Height = y
	d.Legend = k.legend()
	d.Summary = l.summary(bands, total)
	return d
}

// key gives cells their colours, and notes what these mean.
type key struct {
	layout   *Layout
	by       string
	codecs   []string
	total    int64
	meanings map[string]*Entry
	sums     map[string]int64
}

// cells makes the cells of a band, without their places. Those narrower than least are put together by their colours.
func (k *key) cells(b *bandBytes, least float64) (out []Cell, merged bool) {
	l := k.layout
	type small struct {
		Cell
		n int
	}
	var together []small
	add := func(c Cell) {
		c.Share = Share(c.Bytes, k.total)
		if k.meanings[c.Class] == nil {
			k.meanings[c.Class] = &Entry{Class: c.Class, Label: c.Value}
		}
		k.sums[c.Class] += c.Bytes
		out = append(out, c)
	}
	for i := range b.cells {
		c := &b.cells[i]
		class, meaning := l.colour(k.by, c, k.codecs)
		if (drawWidth-drawGutter)*float64(c.bytes)/float64(b.bytes()) < least {
			n := slices.IndexFunc(together, func(s small) bool { return s.Class == class })
			if n < 0 {
				n = len(together)
				together = append(together, small{Cell: Cell{Class: class, Value: meaning, Column: -1}})
			}
			together[n].Bytes += c.bytes
			together[n].n++
			continue
		}
		name := c.label
		if name == "" {
			name = l.columns[c.column].name
		}
		add(Cell{Class: class, Name: name, Value: meaning, Bytes: c.bytes, Column: c.column, Detail: l.detail(c)})
	}
	for _, s := range together {
		what := "small column"
		if l.Unit == "column" {
			what = "small block"
		}
		s.Name = Plural(s.n, what)
		add(s.Cell)
	}
	if b.other > 0 && b.bytes() > 0 {
		add(Cell{Class: "ot", Name: "rest", Value: "indexes, footers and gaps", Bytes: b.other, Column: -1})
	}
	return out, len(together) > 0
}

// legend lists the colours that were used.
func (k *key) legend() (out []Entry) {
	for class, e := range k.meanings {
		e.Share = Share(k.sums[class], k.total)
		out = append(out, *e)
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(legendOrder(a.Class), legendOrder(b.Class)) })
	return out
}

// detail says of what a cell consists.
func (l *Layout) detail(c *cellBytes) string {
	var said []string
	if len(c.parts) > 0 {
		var kinds []string
		for _, p := range c.parts {
			kinds = append(kinds, l.kinds[p.kind]+" "+Bytes(p.bytes))
		}
		said = append(said, strings.Join(kinds, ", "))
	}
	if c.encoding != "" {
		said = append(said, Clip(c.encoding, 60))
	}
	s := &l.columns[c.column]
	if s.codec != "" {
		said = append(said, "codec "+s.codec)
	}
	r := c.ratio
	if r <= 0 {
		r = s.ratio
	}
	if r > 0 {
		said = append(said, fmt.Sprintf("%.2f : 1", r))
	}
	return strings.Join(said, "; ")
}

// legendOrder puts what is no value behind the values.
func legendOrder(class string) string {
	if class == "un" || class == "ot" {
		return "z" + class
	}
	return class
}

// summary says in words what the picture is of.
func (l *Layout) summary(bands []bandBytes, total int64) string {
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
	s := fmt.Sprintf("%s of %s", Bytes(total), Plural(max(len(bands), l.folded), l.Unit))
	if l.folded > 0 {
		s += fmt.Sprintf(", in %d bands", len(bands))
	}
	if l.Unit == "file" {
		s = Bytes(total)
	}
	if l.Unit != "split" {
		for i, c := range order[:min(3, len(order))] {
			s += []string{"; most of it ", ", ", ", "}[i] + Clip(l.columns[c].name, 40) + " " + Share(by[c], total)
		}
	}
	return s + "."
}

// Share is a part of a whole in percent; "" = there is no whole.
func Share(n, of int64) string {
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

// Role is the role of the picture: links inside of it can be reached only if it is not an image.
func (d *Drawing) Role() string {
	for i := range d.Bands {
		if slices.ContainsFunc(d.Bands[i].Cells, func(c Cell) bool { return c.URL != "" }) {
			return "group"
		}
	}
	return "img"
}
