package orc

import (
	"bytes"
	"math"
	"math/big"
	"strings"

	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/wkb"
)

// compare says what is wrong with statistics about the values of a, as far as the writer is known to have them right.
// Those of stripes and of the file were merged from those of row groups.
func (f *File) compare(t *orcwire.Type, s *orcwire.ColumnStats, a *tally, merged bool) error {
	if a.broken {
		return nil
	}
	if s.HasValues && s.Values != a.values {
		return corrupt("%d values, there are %d", s.Values, a.values)
	}
	nulls := a.slots > a.values
	if s.HasNull == orcwire.No && nulls {
		return corrupt("no nulls, there are %d", a.slots-a.values)
	}
	if a.values == 0 {
		return nil // bounds of nothing mean nothing
	}
	switch t.Kind {
	case orcwire.Byte, orcwire.Short, orcwire.Int, orcwire.Long:
		if s.Int != nil {
			return f.compareInts(s.Int, a)
		}
	case orcwire.Boolean:
		if s.Bool != nil && len(s.Bool.True) > 0 && s.Bool.True[0] != uint64(a.trues) {
			return corrupt("%d are true, there are %d", s.Bool.True[0], a.trues)
		}
	case orcwire.Float, orcwire.Double:
		if s.Double != nil {
			return f.compareFloats(t, s.Double, a)
		}
	case orcwire.String, orcwire.Varchar, orcwire.Char:
		if s.String != nil {
			return f.compareStrings(s.String, a)
		}
	case orcwire.Binary:
		if s.Binary != nil && s.Binary.Sum != nil && *s.Binary.Sum != a.size {
			return corrupt("%d bytes in all, there are %d", *s.Binary.Sum, a.size)
		}
	case orcwire.Date:
		if s.Date != nil {
			return compareDates(s.Date, a)
		}
	case orcwire.Timestamp, orcwire.TimestampInstant:
		if s.Timestamp != nil {
			if t.Kind == orcwire.Timestamp && f.quirks.Writer == orcwire.WriterPresto {
				return nil // in a zone that the file does not name
			}
			return f.compareTimes(t, s.Timestamp, a)
		}
	case orcwire.Decimal:
		if s.Decimal != nil && f.quirks.DecimalStatsTrusted(t.Precision) {
			_, scale := t.DecimalType()
			return f.compareDecimals(t, s.Decimal, a, int(scale), merged)
		}
	case orcwire.List, orcwire.Map:
		if s.Collection != nil && f.collectionStatsTrusted() {
			return compareLists(s.Collection, a)
		}
	case orcwire.Geometry, orcwire.Geography:
		if s.Geo != nil && a.shapes != nil {
			return f.compareShapes(t, s.Geo, a)
		}
	}
	return nil
}

// compareShapes compares boxes and kinds. Those of geographies may be as their writer likes, as points on a sphere have no such box.
func (f *File) compareShapes(t *orcwire.Type, s *orcwire.GeoStats, a *tally) error {
	told, flat := wkb.Told{Types: s.Types}, wkb.Plane
	switch {
	case t.Kind == orcwire.Geography:
		flat = wkb.Sphere
	case f.quirks.Writer == orcwire.WriterJava:
		flat = wkb.Exact
	}
	if b := s.Box; b != nil {
		told.Box = &wkb.Box{X: wkb.Axis{Least: b.XMin, Great: b.XMax}, Y: wkb.Axis{Least: b.YMin, Great: b.YMax}}
		if b.ZMin != nil && b.ZMax != nil {
			told.Box.Z = &wkb.Axis{Least: *b.ZMin, Great: *b.ZMax}
		}
		if b.MMin != nil && b.MMax != nil {
			told.Box.M = &wkb.Axis{Least: *b.MMin, Great: *b.MMax}
		}
	}
	if wrong := a.shapes.Compare(&told, flat); wrong != "" {
		return corrupt("%s", wrong)
	}
	return nil
}

func (f *File) compareInts(s *orcwire.IntStats, a *tally) error {
	if s.Min != nil && *s.Min != a.min {
		return corrupt("minimum %d, it is %d", *s.Min, a.min)
	}
	if s.Max != nil && *s.Max != a.max {
		return corrupt("maximum %d, it is %d", *s.Max, a.max)
	}
	if s.Sum != nil {
		if sum, ok := a.total.int64(); !ok && !f.quirks.WrapsSums {
			return corrupt("sum %d, it does not fit 64 bits", *s.Sum)
		} else if *s.Sum != sum {
			return corrupt("sum %d, it is %d", *s.Sum, sum)
		}
	}
	return nil
}

// sumTolerance is how far sums of floats may differ, relative to the sum of all magnitudes: writers add in any order. Each of the
// additions rounds by 2^-53 at most, there are as many as values, and as many again where sums of parts are merged; the same goes for
// the sums that are compared. Doubles that are rounded to floats change by half of 2^-23 at most.
func sumTolerance(t *orcwire.Type, values int64) float64 {
	tolerance := min(1e-9, float64(values+1)*0x1p-50)
	if t.Kind == orcwire.Float {
		tolerance += 0x1p-24
	}
	return tolerance
}

func (f *File) compareFloats(t *orcwire.Type, s *orcwire.DoubleStats, a *tally) error {
	if s.Sum != nil && math.IsNaN(*s.Sum) {
		return nil // bounds depend on where the NaN came; infinities of both signs add up to one, too
	}
	if a.nan {
		if s.Sum != nil {
			return corrupt("sum %g, and a value is NaN", *s.Sum)
		}
		return nil
	}
	// Of floats some writers count the doubles that they were given, before they are rounded.
	differ := func(said, is float64) bool {
		return said != is && !(t.Kind == orcwire.Float && float64(float32(said)) == is)
	}
	if s.Min != nil && differ(*s.Min, a.low) {
		return corrupt("minimum %g, it is %g", *s.Min, a.low)
	}
	if s.Max != nil && differ(*s.Max, a.high) {
		return corrupt("maximum %g, it is %g", *s.Max, a.high)
	}
	if s.Sum == nil || math.IsInf(a.sumAbs, 0) {
		return nil
	}
	slack := sumTolerance(t, a.values) * a.sumAbs
	least, most := a.sumFloat-slack, a.sumFloat+slack
	if f.quirks.AddsRepeatsOnce() {
		least, most = least-a.again[0], most-a.again[1]
	}
	if !(least <= *s.Sum && *s.Sum <= most) {
		return corrupt("sum %g, it is %g", *s.Sum, a.sumFloat)
	}
	return nil
}

func (f *File) compareStrings(s *orcwire.StringStats, a *tally) error {
	if s.Sum != nil && *s.Sum != a.size {
		return corrupt("%d bytes in all, there are %d", *s.Sum, a.size)
	}
	if !f.quirks.StringStatsTrusted() {
		return nil
	}
	// Presto and Trino shorten what is long, without saying so.
	exact := f.quirks.Writer != orcwire.WriterPresto && f.quirks.Writer != orcwire.WriterTrino
	for _, x := range []struct {
		what         string
		bound, value []byte
		sign         int // of a bound that is not the value, compared with it
		exact        bool
	}{
		{"minimum", s.Min, a.first, -1, exact},
		{"maximum", s.Max, a.last, 1, exact},
		{"lower bound", s.Lower, a.first, -1, false},
		{"upper bound", s.Upper, a.last, 1, false},
	} {
		if x.bound == nil {
			continue
		}
		if c := bytes.Compare(x.bound, x.value); c != 0 && (x.exact || c != x.sign) {
			return corrupt("%s %s, it is %s", x.what, textStat(x.bound), textStat(x.value))
		}
	}
	return nil
}

func compareDates(s *orcwire.DateStats, a *tally) error {
	if s.Min != nil && int64(*s.Min) != a.min {
		return corrupt("minimum day %d, it is %d", *s.Min, a.min)
	}
	if s.Max != nil && int64(*s.Max) != a.max {
		return corrupt("maximum day %d, it is %d", *s.Max, a.max)
	}
	return nil
}

// compareTimes compares bounds in UTC. Those before 1582 are passed over where the calendar is not proleptic: writers
// count them in one or the other. A value that may have lain a second before makes a bound so much wider. Before 1900 the C++ writer
// takes the clocks of its zone from the time zone database, where Java, whose rows are read, has the standard offset of today.
func (f *File) compareTimes(t *orcwire.Type, s *orcwire.TimestampStats, a *tally) error {
	low, high := s.MinUTC, s.MaxUTC
	if low == nil && high == nil {
		if !f.quirks.TimestampStatsUTC() {
			return nil
		}
		low, high = s.Min, s.Max
	}
	const gregorian = -12219292800000 // 1582-10-15
	slack := int64(0)
	if a.unsure {
		slack = 1000
	}
	// The C++ writer cuts off towards zero.
	early := int64(0)
	if f.quirks.Writer == orcwire.WriterCPP {
		early = 1
	}
	ancient := func(a, b int64) bool {
		const from1900 = -2208988800000 + zoneMillis
		return f.quirks.Writer == orcwire.WriterCPP && t.Kind == orcwire.Timestamp && a < from1900 && b < from1900 && max(a, b)-min(a, b) <= zoneMillis
	}
	check := func(what string, ms *int64, nanos int32, known bool, is moment) error {
		if ms == nil || is.ms < gregorian && f.hybrid || ancient(*ms, is.ms) {
			return nil
		}
		if d := is.ms - *ms; d < -early || d > slack || d == 0 && slack == 0 && known && is.nanos != nanos {
			return corrupt("%s %d ms and %d ns, it is %d and %d", what, *ms, nanos, is.ms, is.nanos)
		}
		return nil
	}
	if err := check("minimum", low, s.MinNanos, s.MinNanos != 0, a.early); err != nil {
		return err
	}
	return check("maximum", high, s.MaxNanos, s.MaxNanos != 999_999, a.late)
}

func (f *File) compareDecimals(t *orcwire.Type, s *orcwire.DecimalStats, a *tally, scale int, merged bool) error {
	if a.odd {
		return nil
	}
	// Java merges sums of short decimals wrongly, and rounds what it adds up to 38 digits.
	sum, slack := s.Sum, new(big.Rat)
	zero, below, above := new(big.Rat), new(big.Rat), new(big.Rat)
	if f.quirks.Writer == orcwire.WriterJava {
		if merged && t.Precision <= shortDecimal {
			sum = ""
		}
		most := new(big.Int).Abs(a.least.big())
		if m := new(big.Int).Abs(a.most.big()); m.Cmp(most) > 0 {
			most = m
		}
		slack.SetFrac(most.Mul(most, big.NewInt(a.values)), tenTo(scale+roundedDigits))
	}
	if f.quirks.AddsRepeatsOnce() {
		below.SetFrac(a.againDec[0].big(), tenTo(scale))
		above.SetFrac(a.againDec[1].big(), tenTo(scale))
	}
	below.Add(below, slack).Neg(below)
	above.Sub(slack, above)
	for _, x := range []struct {
		what, text   string
		is           *big.Int
		below, above *big.Rat // how far said may be from is
	}{{"minimum", s.Min, a.least.big(), zero, zero}, {"maximum", s.Max, a.most.big(), zero, zero}, {"sum", sum, a.sumDecimal.big(), below, above}} {
		if x.text == "" {
			continue
		}
		v, ok := new(big.Rat), len(x.text) <= longestDecimal && strings.IndexFunc(x.text, notDecimal) < 0
		if ok {
			_, ok = v.SetString(x.text)
		}
		if !ok {
			return corrupt("%s %q is no number", x.what, x.text)
		}
		v.Sub(v, new(big.Rat).SetFrac(x.is, tenTo(scale)))
		if v.Cmp(x.below) < 0 || v.Cmp(x.above) > 0 {
			return corrupt("%s %s, it is %s", x.what, x.text, decimalText(x.is, scale))
		}
	}
	return nil
}

// notDecimal reports what does not belong in a decimal: there are no exponents, which could make a number of any size.
func notDecimal(r rune) bool { return (r < '0' || r > '9') && r != '-' && r != '.' }

const (
	longestDecimal = 100 // characters
	shortDecimal   = 18  // digits that fit 64 bits
	roundedDigits  = 34  // that survive rounding to 38 again and again
)

// collectionStatsTrusted reports whether numbers of children can be believed: Java counts the rows of batches, C++ not all
// children.
func (f *File) collectionStatsTrusted() bool {
	return f.quirks.Writer != orcwire.WriterJava && f.quirks.Writer != orcwire.WriterCPP
}

func compareLists(s *orcwire.CollectionStats, a *tally) error {
	for _, x := range []struct {
		what string
		said *uint64
		is   uint64
	}{{"fewest", s.MinChildren, a.fewest}, {"most", s.MaxChildren, a.fullest}, {"all", s.TotalChildren, a.children}} {
		if x.said != nil && *x.said != x.is {
			return corrupt("%s children %d, there are %d", x.what, *x.said, x.is)
		}
	}
	return nil
}
