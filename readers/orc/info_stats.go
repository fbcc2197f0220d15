package orc

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/decimaltext"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// stripeStatistics notes what the metadata say of the columns of a stripe, the last of the groups. Of encrypted columns they say
// nothing: their statistics are unknown.
func (b *infoBuilder) stripeStatistics(ctx context.Context, ordinal int) error {
	list, err := b.stripeStats(ctx, ordinal)
	if isIO(err) {
		return err
	}
	for id := range b.Columns {
		c, t := &b.Columns[id], b.footer.Types[id]
		known := arrowio.ColumnStats{Values: -1, Nulls: -1}
		if err == nil && !b.concealed(t) && !b.veiled(t) && id < list.Len() {
			if s, err := list.At(id); err == nil {
				known = *b.statsInfo(t, &s, b.footer.Stripes[ordinal].Rows)
			}
		}
		if c.GroupStats == nil {
			if known.Values < 0 && known.Min == "" && known.Max == "" {
				continue
			}
			c.GroupStats = make([]arrowio.ColumnStats, len(b.Groups)-1, len(b.footer.Stripes))
			for i := range c.GroupStats {
				c.GroupStats[i] = arrowio.ColumnStats{Values: -1, Nulls: -1}
			}
		}
		c.GroupStats = append(c.GroupStats, known)
	}
	return nil
}

// statsInfo renders statistics of rows of the file.
func (f *File) statsInfo(t *orcwire.Type, s *orcwire.ColumnStats, rows int64) *arrowio.ColumnStats {
	out := &arrowio.ColumnStats{Values: -1, Nulls: -1}
	if !gathered(s, rows) {
		return out
	}
	if s.HasValues {
		out.Values = s.Values
		switch c := (&subject{file: f, typ: t}); {
		case c.inStructs() && c.believed(s, place{rows: rows, merged: true}):
			out.Nulls = c.nulls(s, rows)
		case !c.inStructs() && s.HasNull == orcwire.No:
			out.Nulls = 0
		}
	}
	out.Min, out.Max, out.Sum = f.statsText(t, s)
	if out.Min+out.Max+out.Sum != "" {
		out.Doubt = f.doubt(t, s)
	}
	return out
}

// doubt says why the statistics of a type are not relied upon; "" = they are.
func (f *File) doubt(t *orcwire.Type, s *orcwire.ColumnStats) string {
	q := f.quirks
	switch {
	case !q.StripeStatsTrusted():
		return "the writer got statistics of stripes wrong (HIVE-8732)"
	case s.String != nil && !q.StringStatsTrusted():
		return "the writer got the order of strings wrong (HIVE-8732)"
	case s.Decimal != nil && !q.DecimalStatsTrusted(t.Precision):
		return "the writer got bounds of short decimals wrong (ORC-517)"
	case s.Timestamp != nil && s.Timestamp.MinUTC == nil && !q.TimestampStatsUTC():
		return "moments in UTC, where rows have the writer's local time (ORC-135)"
	case s.Collection != nil && !f.collectionStatsTrusted():
		return "the writer counts something else"
	case s.Double != nil && s.Double.Sum != nil && math.IsNaN(*s.Double.Sum):
		return "there are NaNs among the values"
	}
	return ""
}

// statsText renders bounds and sum.
func (f *File) statsText(t *orcwire.Type, s *orcwire.ColumnStats) (low, high, sum string) {
	switch {
	case s.Int != nil:
		return integer(s.Int.Min), integer(s.Int.Max), integer(s.Int.Sum)
	case s.Double != nil:
		return float(s.Double.Min, t), float(s.Double.Max, t), float(s.Double.Sum, nil)
	case s.String != nil:
		low, high = textStat(s.String.Min), textStat(s.String.Max)
		if s.String.Min == nil && s.String.Lower != nil {
			low = ">= " + textStat(s.String.Lower)
		}
		if s.String.Max == nil && s.String.Upper != nil {
			high = "<= " + textStat(s.String.Upper)
		}
		return low, high, bytesStat(s.String.Sum)
	case s.Bool != nil:
		if len(s.Bool.True) > 0 {
			sum = fmt.Sprintf("%d true", s.Bool.True[0])
		}
		return "", "", sum
	case s.Decimal != nil:
		return decimalStat(t, s.Decimal.Min), decimalStat(t, s.Decimal.Max), decimalStat(t, s.Decimal.Sum)
	case s.Date != nil:
		return f.day(s.Date.Min), f.day(s.Date.Max), ""
	case s.Binary != nil:
		return "", "", bytesStat(s.Binary.Sum)
	case s.Timestamp != nil:
		x := s.Timestamp
		if x.MinUTC != nil || x.MaxUTC != nil {
			return f.earliest(x.MinUTC, x.MinNanos), f.latest(x.MaxUTC, x.MaxNanos), ""
		}
		return f.earliest(x.Min, x.MinNanos), f.latest(x.Max, x.MaxNanos), ""
	case s.Collection != nil:
		x := s.Collection
		low, high = lengthText(x.MinChildren), lengthText(x.MaxChildren)
		if x.TotalChildren != nil {
			sum = fmt.Sprintf("%d children", *x.TotalChildren)
		}
		return low, high, sum
	case s.Geo != nil && s.Geo.Box != nil:
		b := s.Geo.Box
		return fmt.Sprintf("(%g, %g)", b.XMin, b.YMin), fmt.Sprintf("(%g, %g)", b.XMax, b.YMax), ""
	}
	return "", "", ""
}

func integer(v *int64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatInt(*v, 10)
}

// decimalStat renders a decimal with as many digits behind the point as its column has; as it is, where that would change it.
func decimalStat(t *orcwire.Type, text string) string {
	if t.Precision == 0 {
		return text // of Hive 0.11: any number of digits
	}
	_, scale := t.DecimalType()
	down, ok := parseDecimal(text, int(scale), false)
	up, _ := parseDecimal(text, int(scale), true)
	if !ok || down.Cmp(up) != 0 {
		return text
	}
	return string(decimaltext.Append(nil, down.Append(nil, 10), scale))
}

// lengthText says how many elements a list, or entries a map, has.
func lengthText(n *uint64) string {
	if n == nil {
		return ""
	}
	return "length " + strconv.FormatUint(*n, 10)
}

// float renders a bound, of a float column with a float's digits.
func float(v *float64, t *orcwire.Type) string {
	if v == nil {
		return ""
	}
	if t != nil && t.Kind == orcwire.Float {
		return strconv.FormatFloat(*v, 'g', -1, 32)
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

func bytesStat(v *int64) string {
	if v == nil {
		return ""
	}
	if *v == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", *v)
}

// textStat quotes a bound, cut to what one reads.
func textStat(b []byte) string {
	const most = 64
	if b == nil {
		return ""
	}
	if len(b) > most {
		b = b[:most]
		for len(b) > most-utf8.UTFMax && !utf8.Valid(b) {
			b = b[:len(b)-1]
		}
		return strconv.Quote(string(b)) + "…"
	}
	return strconv.Quote(string(b))
}

// day renders days since 1970, in the file's calendar.
func (f *File) day(v *int32) string {
	if v == nil {
		return ""
	}
	if days := [1]int32{*v}; f.hybrid {
		orcwire.HybridDays(days[:])
		v = &days[0]
	}
	return time.Unix(int64(*v)*86400, 0).UTC().Format(time.DateOnly)
}

// instantText renders milliseconds since 1970. What years of more than four digits would garble is shown as the number.
// Before 1582-10-15 it has year, month and day of the file's calendar, as rows have.
func (f *File) instantText(v *int64, nanos int32) string {
	if v == nil {
		return ""
	}
	t := time.UnixMilli(*v)
	if f.hybrid {
		secs := [1]int64{t.Unix()}
		orcwire.HybridSeconds(secs[:])
		t = time.Unix(secs[0], int64(t.Nanosecond()))
	}
	t = t.Add(time.Duration(nanos)).UTC()
	switch {
	case t.Year() < 0 || t.Year() > 9999:
		return strconv.FormatInt(*v, 10) + " ms"
	case nanos == 0:
		return t.Format("2006-01-02 15:04:05.000")
	}
	return t.Format("2006-01-02 15:04:05.000000000")
}

// earliest is the text of a least value. Before 1970 the C++ writer may have cut off towards zero: there it is a bound, a millisecond
// below what the writer says.
func (f *File) earliest(v *int64, nanos int32) string {
	if v == nil || f.quirks.Writer != orcwire.WriterCPP || *v > 0 || *v == math.MinInt64 || nanos != 0 {
		return f.instantText(v, nanos)
	}
	below := *v - 1
	return ">= " + f.instantText(&below, 0)
}

// latest is the text of a greatest value. Where statistics do not say what it has beyond milliseconds, or say the most that there can
// be, it is a bound.
func (f *File) latest(v *int64, nanos int32) string {
	text := f.instantText(v, nanos)
	if text != "" && nanos == 999_999 {
		return "<= " + text
	}
	return text
}
