package report

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/celltext"
	"github.com/arrowio/arrowio/internal/drawing"
)

const maxEncodings = 8 // of a column

// column is what a report keeps of a stored column.
type column struct {
	number    int // in the order of the file
	path      string
	typ       string
	kind      string // family of the type
	stored    string
	encodings []string
	codec     string
	checksum  string
	verdict   string
	bytes     int64
	raw       int64
	blocks    int
	index     string
	secret    string
	doubt     string
	min, max  string
	values    int64
	nullCount int64
	nulls     float64 // share; -1 = not known
	ranges    *drawing.Ranges
	inside    bool // of a list, a map or a union
}

func newColumn(c *arrowio.ColumnInfo, number int, repeating []string) *column {
	k := &column{
		number: number, path: drawing.Named(c.Path), typ: drawing.Clip(c.Type, 60), kind: drawing.Kind(c.Type), stored: drawing.Clip(c.Stored, 60),
		codec: drawing.Clip(c.Codec, 30), checksum: drawing.Clip(c.Checksum, 30), verdict: drawing.Clip(c.Verdict, 100), bytes: c.Bytes, raw: c.RawBytes,
		blocks: c.Blocks, index: drawing.Clip(c.Index, 80), secret: drawing.Clip(c.Secret, 100), nulls: -1, values: -1, nullCount: -1, ranges: drawing.RangesOf(c),
		inside: c.Parent != "" || isInside(c.Path, repeating),
	}
	for _, e := range c.Encodings[:min(len(c.Encodings), maxEncodings)] {
		k.encodings = append(k.encodings, drawing.Clip(e, 30))
	}
	if n := len(c.Encodings) - maxEncodings; n > 0 {
		k.encodings = append(k.encodings, drawing.Number(n)+" more")
	}
	if s := c.Stats; s != nil {
		k.min, k.max, k.doubt = drawing.Clip(s.Min, 32), drawing.Clip(s.Max, 32), drawing.Clip(s.Doubt, 100)
		k.values, k.nullCount = s.Values, s.Nulls
	}
	return k
}

// compareBytes puts the largest first.
func compareBytes(a, b *column) int { return cmp.Compare(b.bytes, a.bytes) }

// columnLine is a line of the list of columns.
type columnLine struct {
	ID, Path, Type, Stored string
	Bytes                  int64
	Share                  string
	Bar                    string // width of the bar
	Ratio                  string
	Nulls                  string
	Min, Max               string
	Doubt                  string // about Min and Max
	Encodings, Codec       string
	Index, Secret          string
	Checksum               string
	BadSum                 bool
	Strip                  *drawing.Strip
	Order                  string
	Lookup                 string
}

// has says which columns the list needs.
type has struct{ Ratio, Nulls, Stats, Doubt, Codec, Encodings, Index, Secret, Checksum, Ranges, Bytes, Stored bool }

func (h *has) add(l *columnLine) {
	h.Ratio = h.Ratio || l.Ratio != ""
	h.Nulls = h.Nulls || l.Nulls != ""
	h.Stats = h.Stats || l.Min != "" || l.Max != ""
	h.Doubt = h.Doubt || l.Doubt != ""
	h.Codec = h.Codec || l.Codec != ""
	h.Encodings = h.Encodings || l.Encodings != ""
	h.Index = h.Index || l.Index != ""
	h.Secret = h.Secret || l.Secret != ""
	h.Checksum = h.Checksum || l.Checksum != ""
	h.Ranges = h.Ranges || l.Order != ""
	h.Bytes = h.Bytes || l.Bytes >= 0
	h.Stored = h.Stored || l.Stored != ""
}

func (c *column) line(total int64, id string, strip bool, strokes int) columnLine {
	l := columnLine{
		ID: id + "c" + strconv.Itoa(c.number), Path: c.path, Type: c.typ, Stored: c.stored, Bytes: c.bytes, Ratio: drawing.Ratio(c.bytes, c.raw), Min: c.min, Max: c.max, Doubt: c.doubt,
		Encodings: strings.Join(c.encodings, ", "), Codec: c.codec, Index: c.index, Secret: c.secret, Checksum: c.checksum,
	}
	if c.typ == "" {
		l.Type = c.stored
	}
	if c.verdict != "" {
		l.Checksum += ": " + c.verdict
		l.BadSum = !strings.HasPrefix(c.verdict, "ok")
	}
	if total > 0 && c.bytes >= 0 {
		part := float64(drawing.Bounded(c.bytes)) / float64(total)
		l.Share, l.Bar = drawing.Share(c.bytes, total), strconv.Itoa(int(math.Round(100*part)))
	}
	if c.nulls >= 0 {
		l.Nulls = percent(c.nulls)
	}
	if r := c.ranges; r != nil && r.Groups > 1 {
		l.Order = orderText[r.Order]
		if r.Order != drawing.OneValue && !c.inside {
			l.Lookup = lookupText(r)
		}
		if strip {
			s := r.Strip(strokes)
			l.Strip = &s
		}
	}
	return l
}

// orderText says what the order of ranges is.
var orderText = map[drawing.Order]string{
	drawing.Unordered: "not sorted", drawing.OneValue: "one value", drawing.Ascending: "sorted", drawing.Descending: "sorted, descending",
	drawing.NearlyUp: "nearly sorted", drawing.NearlyDown: "nearly sorted, descending",
}

// lookupText says how many groups a lookup reads.
func lookupText(r *drawing.Ranges) string {
	if r.Lookup < 0 {
		return ""
	}
	return celltext.Rounded(r.Lookup*float64(r.Groups), 3) + " of " + drawing.Number(r.Groups)
}

// percent is a share; one that is not 0 is not shown as 0.
func percent(v float64) string {
	switch {
	case v <= 0:
		return "0"
	case v < 0.001:
		return "<\u00a00.1\u00a0%"
	case v >= 1:
		return "all"
	}
	return strconv.FormatFloat(100*v, 'f', 1, 64) + "\u00a0%"
}
