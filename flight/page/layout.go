package page

import (
	"strings"

	"github.com/arrowio/arrowio/arrowio"
)

// layout is how the bytes of a file lie: bands of cells. Where rows are stored in groups, a group is a band and its columns
// are the cells; where columns are stored one after the other, a column is a band and its blocks are the cells.
type layout struct {
	unit    string // what a band is: "stripe", "column"; "file" = all of it
	columns []strip
	bands   []bandBytes
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
	column int
	label  string // "" = the column's name
	bytes  int64
	ratio  float64 // 0 = the column's
}

func (b *bandBytes) bytes() int64 {
	n := b.other
	for _, c := range b.cells {
		n += c.bytes
	}
	return n
}

// bounded keeps sizes to what sums of them can hold, whatever a file says.
func bounded(n int64) int64 { return min(max(0, n), 1<<44) }

// cells is how much there is to keep.
func (l *layout) cells() int {
	n := len(l.columns) + len(l.bands)
	for _, b := range l.bands {
		n += len(b.cells)
	}
	return n
}

// units are the words of formats for rows that are stored together.
var units = map[string]string{"orc": "stripe", "orc-table": "stripe", "kudu": "rowset", "parquet": "row group"}

func newLayout(info *arrowio.Info) *layout {
	l := &layout{columns: make([]strip, len(info.Columns))}
	stored, blocks := int64(0), 0
	for i := range info.Columns {
		c := &info.Columns[i]
		l.columns[i] = stripOf(c)
		stored += bounded(c.Bytes)
		blocks += len(c.BlockList)
	}
	switch {
	case blocks > 0 && len(info.Groups) > 0:
		l.groups(info)
	case blocks > 0:
		l.blocks(info)
	case stored > 0:
		l.unit = "file"
		l.bands = []bandBytes{{label: "all", rows: info.Rows}}
		for i, c := range info.Columns {
			if c.Bytes > 0 {
				l.bands[0].cells = append(l.bands[0].cells, cellBytes{column: i, bytes: bounded(c.Bytes)})
			}
		}
	default:
		l.unit = "split"
		l.columns = []strip{{name: "all columns", nulls: -1}}
		for i, s := range info.Splits {
			b := bandBytes{label: number(i), rows: arrowio.UnknownRows}
			if s.Rows.End != arrowio.UnknownRows {
				b.rows = s.Rows.Len()
			}
			if s.Bytes > 0 {
				b.cells = []cellBytes{{bytes: bounded(s.Bytes)}}
			}
			l.bands = append(l.bands, b)
		}
	}
	return l
}

// groups makes a band of each group.
func (l *layout) groups(info *arrowio.Info) {
	l.unit = units[info.Format]
	if l.unit == "" {
		l.unit = "group"
	}
	l.bands = make([]bandBytes, len(info.Groups))
	for i, g := range info.Groups {
		l.bands[i] = bandBytes{label: number(i), rows: g.Rows.Len()}
	}
	for i := range info.Columns {
		for _, b := range info.Columns[i].BlockList { // those of a group follow one another, but need not
			if b.Group < 0 || b.Group >= len(l.bands) || b.Bytes <= 0 {
				continue
			}
			band := &l.bands[b.Group]
			if n := len(band.cells); n > 0 && band.cells[n-1].column == i {
				band.cells[n-1].bytes += bounded(b.Bytes)
				continue
			}
			band.cells = append(band.cells, cellBytes{column: i, bytes: bounded(b.Bytes)})
		}
	}
	for i := range l.bands {
		l.bands[i].other = max(0, bounded(info.Groups[i].Bytes)-l.bands[i].bytes())
	}
}

// blocks makes a band of each column.
func (l *layout) blocks(info *arrowio.Info) {
	l.unit = "column"
	for i := range info.Columns {
		c := &info.Columns[i]
		band := bandBytes{label: l.columns[i].name, rows: info.Rows}
		for k, b := range c.BlockList {
			if b.Bytes <= 0 {
				continue
			}
			x := cellBytes{column: i, label: "block " + number(k), bytes: bounded(b.Bytes)}
			if b.Kind != "" {
				x.label += " (" + short(b.Kind) + ")"
			}
			if b.RawBytes > 0 {
				x.ratio = float64(b.RawBytes) / float64(b.Bytes)
			}
			band.cells = append(band.cells, x)
		}
		band.other = max(0, bounded(c.Bytes)-band.bytes())
		l.bands = append(l.bands, band)
	}
}

func stripOf(c *arrowio.ColumnInfo) strip {
	s := strip{name: named(c.Path), codec: clipped(c.Codec, 40), nulls: -1, kind: kindOf(c.Type)}
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

// kindOf finds the family of an Arrow type by its text, which is all that an Info has.
func kindOf(t string) string {
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
