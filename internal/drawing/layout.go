package drawing

import (
	"strings"

	"github.com/arrowio/arrowio/arrowio"
)

// Layout is how the bytes of a file lie: bands of cells. Where rows are stored in groups, a group is a band and its columns
// are the cells; where columns are stored one after the other, a column is a band and its blocks are the cells.
type Layout struct {
	Unit    string // what a band is: "stripe", "column"; "file" = all of it
	columns []strip
	bands   []bandBytes
	kinds   []string // of blocks: what part.kind counts
	folded  int      // bands before they were put together; 0 = they were not
}

// strip is what colours can tell of a column.
type strip struct {
	name  string
	codec string
	kind  string  // see kinds
	nulls float64 // 0 to 1; -1 = unknown
	ratio float64 // raw by stored; 0 = unknown
}

// bandBytes is a band.
type bandBytes struct {
	label string
	rows  int64 // arrowio.UnknownRows = not told
	cells []cellBytes
	other int64 // bytes that no cell has: indexes, footers
}

// cellBytes is a cell: bytes of a column.
type cellBytes struct {
	column   int
	label    string // "" = the column's name
	bytes    int64
	ratio    float64 // 0 = the column's
	encoding string  // "" = not told
	parts    []part  // by kind of block, if the format has kinds
}

// part is the bytes of the blocks of one kind, such as a stream.
type part struct {
	kind  int // index in Layout.kinds
	bytes int64
}

// Bands is the number of bands.
func (l *Layout) Bands() int { return len(l.bands) }

// Columns is the number of columns.
func (l *Layout) Columns() int { return len(l.columns) }

// Nulls returns the share of nulls in a column; -1 = unknown.
func (l *Layout) Nulls(column int) float64 {
	if column >= len(l.columns) {
		return -1
	}
	return l.columns[column].nulls
}

// add counts a block.
func (c *cellBytes) add(kind int, bytes int64) {
	c.bytes += bytes
	if kind < 0 {
		return
	}
	for i := range c.parts {
		if c.parts[i].kind == kind {
			c.parts[i].bytes += bytes
			return
		}
	}
	c.parts = append(c.parts, part{kind, bytes})
}

func (b *bandBytes) bytes() int64 {
	n := b.other
	for _, c := range b.cells {
		n += c.bytes
	}
	return n
}

// Bounded keeps sizes to what sums of them can hold, whatever a file says.
func Bounded(n int64) int64 { return min(max(0, n), 1<<44) }

// Cells is how much there is to keep.
func (l *Layout) Cells() int {
	n := len(l.columns) + len(l.bands)
	for _, b := range l.bands {
		n += len(b.cells)
	}
	return n
}

// units are the words of formats for rows that are stored together.
var units = map[string]string{"orc": "stripe", "orc-table": "stripe", "kudu": "rowset", "parquet": "row group"}

// Unit is the word of a format for rows that are stored together.
func Unit(format string) string {
	if u := units[format]; u != "" {
		return u
	}
	return "group"
}

// New reads the layout of a file from its Info; blocks are known if InfoOptions.Blocks was set.
func New(info *arrowio.Info) *Layout {
	l := &Layout{columns: make([]strip, len(info.Columns))}
	stored, blocks := int64(0), 0
	for i := range info.Columns {
		c := &info.Columns[i]
		l.columns[i] = stripOf(c)
		stored += Bounded(c.Bytes)
		blocks += len(c.BlockList)
	}
	switch {
	case blocks > 0 && len(info.Groups) > 0:
		l.groups(info)
	case blocks > 0:
		l.blocks(info)
	case stored > 0:
		l.Unit = "file"
		l.bands = []bandBytes{{label: "all", rows: info.Rows}}
		for i, c := range info.Columns {
			if c.Bytes > 0 {
				l.bands[0].cells = append(l.bands[0].cells, cellBytes{column: i, bytes: Bounded(c.Bytes)})
			}
		}
	default:
		l.Unit = "split"
		l.columns = []strip{{name: "all columns", nulls: -1}}
		for i, s := range info.Splits {
			b := bandBytes{label: Number(i), rows: arrowio.UnknownRows}
			if s.Rows.End != arrowio.UnknownRows {
				b.rows = s.Rows.Len()
			}
			if s.Bytes > 0 {
				b.cells = []cellBytes{{bytes: Bounded(s.Bytes)}}
			}
			l.bands = append(l.bands, b)
		}
	}
	return l
}

// groups makes a band of each group.
func (l *Layout) groups(info *arrowio.Info) {
	l.Unit = Unit(info.Format)
	l.bands = make([]bandBytes, len(info.Groups))
	for i, g := range info.Groups {
		l.bands[i] = bandBytes{label: Number(i), rows: g.Rows.Len()}
	}
	kinds := map[string]int{}
	for i := range info.Columns {
		for _, b := range info.Columns[i].BlockList { // those of a group follow one another, but need not
			if b.Group < 0 || b.Group >= len(l.bands) || b.Bytes <= 0 {
				continue
			}
			kind := -1
			if b.Kind != "" {
				n, ok := kinds[b.Kind]
				if !ok && len(l.kinds) < maxKinds {
					n, ok = len(l.kinds), true
					kinds[b.Kind] = n
					l.kinds = append(l.kinds, Clip(b.Kind, 40))
				}
				if ok {
					kind = n
				}
			}
			band := &l.bands[b.Group]
			if n := len(band.cells); n == 0 || band.cells[n-1].column != i {
				band.cells = append(band.cells, cellBytes{column: i})
			}
			c := &band.cells[len(band.cells)-1]
			c.add(kind, Bounded(b.Bytes))
			if b.Encoding != "" {
				c.encoding = b.Encoding
			}
			if b.Kind == "" && b.RawBytes > 0 {
				c.ratio = float64(b.RawBytes) / float64(b.Bytes)
			}
		}
	}
	for i := range l.bands {
		l.bands[i].other = max(0, Bounded(info.Groups[i].Bytes)-l.bands[i].bytes())
	}
}

// maxKinds is how many kinds of blocks are told apart.
const maxKinds = 64

// Fold returns a layout of at most n bands: bands that follow one another are put together. It shares nothing that changes.
func (l *Layout) Fold(n int) *Layout {
	if len(l.bands) <= n || n <= 0 || l.Unit == "column" {
		return l
	}
	per := (len(l.bands) + n - 1) / n
	out := &Layout{Unit: l.Unit, columns: l.columns, kinds: l.kinds, folded: len(l.bands)}
	at := make([]int, len(l.columns)) // of each column in the band that is being made, counted from 1
	for from := 0; from < len(l.bands); from += per {
		to := min(from+per, len(l.bands))
		b := bandBytes{label: l.bands[from].label + "–" + l.bands[to-1].label}
		if to == from+1 {
			b.label = l.bands[from].label
		}
		clear(at)
		for i := range l.bands[from:to] {
			x := &l.bands[from+i]
			b.other += x.other
			if x.rows == arrowio.UnknownRows || b.rows == arrowio.UnknownRows {
				b.rows = arrowio.UnknownRows
			} else {
				b.rows += x.rows
			}
			for _, c := range x.cells {
				k := at[c.column] - 1
				if k < 0 {
					b.cells = append(b.cells, cellBytes{column: c.column, encoding: c.encoding})
					k = len(b.cells) - 1
					at[c.column] = k + 1
				}
				y := &b.cells[k]
				if y.encoding != c.encoding {
					y.encoding = "several encodings"
				}
				if len(c.parts) == 0 {
					y.bytes += c.bytes
				}
				for _, p := range c.parts {
					y.add(p.kind, p.bytes)
				}
			}
		}
		out.bands = append(out.bands, b)
	}
	return out
}

// blocks makes a band of each column.
func (l *Layout) blocks(info *arrowio.Info) {
	l.Unit = "column"
	for i := range info.Columns {
		c := &info.Columns[i]
		band := bandBytes{label: l.columns[i].name, rows: info.Rows}
		for k, b := range c.BlockList {
			if b.Bytes <= 0 {
				continue
			}
			x := cellBytes{column: i, label: "block " + Number(k), bytes: Bounded(b.Bytes), encoding: b.Encoding}
			if b.Kind != "" {
				x.label += " (" + Short(b.Kind) + ")"
			}
			if b.RawBytes > 0 {
				x.ratio = float64(b.RawBytes) / float64(b.Bytes)
			}
			band.cells = append(band.cells, x)
		}
		band.other = max(0, Bounded(c.Bytes)-band.bytes())
		l.bands = append(l.bands, band)
	}
}

func stripOf(c *arrowio.ColumnInfo) strip {
	s := strip{name: Named(c.Path), codec: Clip(c.Codec, 40), nulls: -1, kind: Kind(c.Type)}
	if c.RawBytes > 0 && c.Bytes > 0 {
		s.ratio = float64(c.RawBytes) / float64(c.Bytes)
	}
	if st := c.Stats; st != nil && st.Nulls >= 0 && st.Values >= 0 && st.Nulls <= 1<<60 && st.Values <= 1<<60 && st.Nulls+st.Values > 0 {
		s.nulls = float64(st.Nulls) / float64(st.Nulls+st.Values)
	}
	return s
}

// kinds are the families of types that colours tell apart, in the order of their classes in the style sheet.
var kinds = []string{"whole numbers", "fractions", "decimals", "text", "bytes", "times", "booleans", "structure"}

// Kind finds the family of an Arrow type by its text, which is all that an Info has.
func Kind(t string) string {
	for _, x := range []struct{ prefix, kind string }{
		{"interval", "times"},
		{"int", "whole numbers"},
		{"uint", "whole numbers"},
		{"month", "times"},
		{"float", "fractions"},
		{"half", "fractions"},
		{"double", "fractions"},
		{"decimal", "decimals"},
		{"utf8", "text"},
		{"large_utf8", "text"},
		{"string", "text"},
		{"binary", "bytes"},
		{"large_binary", "bytes"},
		{"fixed_size_binary", "bytes"},
		{"date", "times"},
		{"time", "times"},
		{"duration", "times"},
		{"day_time", "times"},
		{"bool", "booleans"},
		{"dictionary", "text"},
	} {
		if strings.HasPrefix(t, x.prefix) {
			return x.kind
		}
	}
	return "structure"
}
