package orcwire

import (
	"bytes"
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"
)

// MergeStats adds what s says of some values to what into says of others, as writers make the statistics of a file from those of
// its stripes (specification, "Column Statistics"). What one of the two does not know is not known of both. The result refers to the
// bytes that s refers to. into begins as a copy of the first statistics.
func MergeStats(into, s *ColumnStats) {
	none, others := into.empty(), s.empty()
	// Java leaves out a size of 0.
	sized := (into.HasBytes || s.HasBytes) && (into.HasBytes || into.HasValues) && (s.HasBytes || s.HasValues)
	into.BytesOnDisk, into.HasBytes = mergeCount(into.BytesOnDisk, s.BytesOnDisk, sized)
	into.Values, into.HasValues = mergeCount(into.Values, s.Values, into.HasValues && s.HasValues)
	into.HasNull = mergeNull(into.HasNull, s.HasNull)
	switch {
	case others: // its typed parts say nothing
	case none:
		values, hasValues, null, size, hasBytes := into.Values, into.HasValues, into.HasNull, into.BytesOnDisk, into.HasBytes
		*into = *s
		into.Values, into.HasValues, into.HasNull, into.BytesOnDisk, into.HasBytes = values, hasValues, null, size, hasBytes
	default:
		into.Int = mergePart(into.Int, s.Int, mergeInts)
		into.Double = mergePart(into.Double, s.Double, mergeDoubles)
		into.String = mergePart(into.String, s.String, mergeStrings)
		into.Bool = mergePart(into.Bool, s.Bool, mergeBuckets)
		into.Decimal = mergePart(into.Decimal, s.Decimal, mergeDecimals)
		into.Date = mergePart(into.Date, s.Date, mergeDates)
		into.Binary = mergePart(into.Binary, s.Binary, func(a, b BinaryStats) BinaryStats { return BinaryStats{sumOf(a.Sum, b.Sum)} })
		into.Timestamp = mergePart(into.Timestamp, s.Timestamp, mergeTimes)
		into.Collection = mergePart(into.Collection, s.Collection, mergeCollections)
		into.Geo = mergePart(into.Geo, s.Geo, mergeGeo)
	}
}

// empty reports whether the statistics are surely those of no value but nulls. A count of 0 alone is no proof: Hive's compactor
// writes it for anything.
func (s *ColumnStats) empty() bool {
	return s.HasValues && s.Values == 0 && s.HasNull != Unknown && !s.bounded()
}

// bounded reports whether the statistics name a value.
func (s *ColumnStats) bounded() bool {
	return s.Int != nil && (s.Int.Min != nil || s.Int.Max != nil) ||
		s.Double != nil && (s.Double.Min != nil || s.Double.Max != nil) ||
		s.String != nil && (s.String.Min != nil || s.String.Max != nil || s.String.Lower != nil || s.String.Upper != nil) ||
		s.Decimal != nil && (s.Decimal.Min != "" || s.Decimal.Max != "") ||
		s.Date != nil && (s.Date.Min != nil || s.Date.Max != nil) ||
		s.Timestamp != nil && (s.Timestamp.Min != nil || s.Timestamp.Max != nil || s.Timestamp.MinUTC != nil || s.Timestamp.MaxUTC != nil) ||
		s.Collection != nil && (s.Collection.MinChildren != nil || s.Collection.MaxChildren != nil) ||
		s.Geo != nil && s.Geo.Box != nil
}

func mergeNull(a, b Tri) Tri {
	switch {
	case a == Yes || b == Yes:
		return Yes
	case a == No && b == No:
		return No
	}
	return Unknown
}

// mergePart merges a part of statistics that both must have.
func mergePart[T any](a, b *T, merge func(a, b T) T) *T {
	if a == nil || b == nil {
		return nil
	}
	m := merge(*a, *b)
	return &m
}

// sum adds two numbers; false if the sum does not fit.
func sum(a, b int64) (int64, bool) {
	c := a + b
	return c, (a >= 0) != (b >= 0) || (c >= 0) == (a >= 0)
}

// mergeCount adds two counts if both are known.
func mergeCount(a, b int64, known bool) (int64, bool) {
	if c, ok := sum(a, b); ok && known {
		return c, true
	}
	return 0, false
}

func sumOf(a, b *int64) *int64 {
	if a == nil || b == nil {
		return nil
	}
	if c, ok := sum(*a, *b); ok {
		return &c
	}
	return nil
}

// least and greatest return nil unless both are known.
func least[T cmp.Ordered](a, b *T) *T {
	if a == nil || b == nil || *a < *b {
		return both(a, b)
	}
	return b
}

func greatest[T cmp.Ordered](a, b *T) *T {
	if a == nil || b == nil || *a > *b {
		return both(a, b)
	}
	return b
}

// both returns a, or nil if either is.
func both[T any](a, b *T) *T {
	if b == nil {
		return nil
	}
	return a
}

func mergeInts(a, b IntStats) IntStats {
	return IntStats{Min: least(a.Min, b.Min), Max: greatest(a.Max, b.Max), Sum: sumOf(a.Sum, b.Sum)}
}

// mergeDoubles keeps a sum that is NaN, whatever the other says: it tells that a NaN is among the values.
func mergeDoubles(a, b DoubleStats) DoubleStats {
	d := DoubleStats{Min: least(a.Min, b.Min), Max: greatest(a.Max, b.Max)}
	switch {
	case a.Sum != nil && math.IsNaN(*a.Sum):
		d.Sum = a.Sum
	case b.Sum != nil && math.IsNaN(*b.Sum):
		d.Sum = b.Sum
	case a.Sum != nil && b.Sum != nil:
		total := *a.Sum + *b.Sum
		d.Sum = &total
	}
	return d
}

// mergeStrings keeps a bound that is a value where it bounds the other's values, too.
func mergeStrings(a, b StringStats) StringStats {
	s := StringStats{Sum: sumOf(a.Sum, b.Sum)}
	s.Min, s.Lower = mergeBound(a.Min, a.Lower, b.Min, b.Lower, -1)
	s.Max, s.Upper = mergeBound(a.Max, a.Upper, b.Max, b.Upper, 1)
	return s
}

// mergeBound returns the outer one of two bounds, each a value or, where that is nil, only a bound. way is -1 for lower bounds.
func mergeBound(aValue, aBound, bValue, bBound []byte, way int) (value, bound []byte) {
	a, b := aValue, bValue
	if a == nil {
		a = aBound
	}
	if b == nil {
		b = bBound
	}
	if a == nil || b == nil {
		return nil, nil
	}
	switch c := bytes.Compare(a, b) * way; {
	case c > 0, c == 0 && aValue != nil:
		return aValue, onlyBound(aValue, aBound)
	}
	return bValue, onlyBound(bValue, bBound)
}

func onlyBound(value, bound []byte) []byte {
	if value != nil {
		return nil
	}
	return bound
}

func mergeBuckets(a, b BucketStats) BucketStats {
	if len(a.True) != 1 || len(b.True) != 1 || a.True[0] > math.MaxUint64-b.True[0] {
		return BucketStats{}
	}
	return BucketStats{True: []uint64{a.True[0] + b.True[0]}}
}

func mergeDates(a, b DateStats) DateStats {
	return DateStats{Min: least(a.Min, b.Min), Max: greatest(a.Max, b.Max)}
}

// mergeTimes merges milliseconds, and of the same millisecond the nanoseconds within it. Where the bounds in UTC and those in the
// writer's zone are not of the same side, nanoseconds get the widest bound.
func mergeTimes(a, b TimestampStats) TimestampStats {
	t := TimestampStats{
		Min: least(a.Min, b.Min), Max: greatest(a.Max, b.Max),
		MinUTC: least(a.MinUTC, b.MinUTC), MaxUTC: greatest(a.MaxUTC, b.MaxUTC),
		MinNanos: 0, MaxNanos: lastNanos,
	}
	zone, okZone := side(a.Min, b.Min, -1)
	utc, okUTC := side(a.MinUTC, b.MinUTC, -1)
	if s, ok := agreed(zone, okZone, utc, okUTC); ok {
		t.MinNanos = pick(s, a.MinNanos, b.MinNanos, min(a.MinNanos, b.MinNanos))
	}
	zone, okZone = side(a.Max, b.Max, 1)
	utc, okUTC = side(a.MaxUTC, b.MaxUTC, 1)
	if s, ok := agreed(zone, okZone, utc, okUTC); ok {
		t.MaxNanos = pick(s, a.MaxNanos, b.MaxNanos, max(a.MaxNanos, b.MaxNanos))
	}
	return t
}

// side says whose bound is the outer one: -1 the first's, 1 the second's, 0 either's; false if one is not known. way is -1 for lower
// bounds.
func side(a, b *int64, way int) (int, bool) {
	if a == nil || b == nil {
		return 0, false
	}
	return -cmp.Compare(*a, *b) * way, true
}

// agreed returns the side of both pairs of bounds, or of the one that is known.
func agreed(a int, okA bool, b int, okB bool) (int, bool) {
	switch {
	case okA && okB:
		return a, a == b
	case okA:
		return a, true
	}
	return b, okB
}

func pick(side int, first, second, either int32) int32 {
	switch {
	case side < 0:
		return first
	case side > 0:
		return second
	}
	return either
}

func mergeCollections(a, b CollectionStats) CollectionStats {
	c := CollectionStats{MinChildren: least(a.MinChildren, b.MinChildren), MaxChildren: greatest(a.MaxChildren, b.MaxChildren)}
	if a.TotalChildren != nil && b.TotalChildren != nil && *a.TotalChildren <= math.MaxUint64-*b.TotalChildren {
		total := *a.TotalChildren + *b.TotalChildren
		c.TotalChildren = &total
	}
	return c
}

// mergeGeo merges bounding boxes. Coordinates that only one of them bounds are not bounded.
func mergeGeo(a, b GeoStats) GeoStats {
	g := GeoStats{Types: slices.Concat(a.Types, b.Types)}
	slices.Sort(g.Types)
	g.Types = slices.Compact(g.Types)
	if len(a.Types) == 0 || len(b.Types) == 0 {
		g.Types = nil
	}
	if a.Box == nil || b.Box == nil {
		return g
	}
	x, y := a.Box, b.Box
	g.Box = &BoundingBox{
		XMin: min(x.XMin, y.XMin), XMax: max(x.XMax, y.XMax), YMin: min(x.YMin, y.YMin), YMax: max(x.YMax, y.YMax),
		ZMin: least(x.ZMin, y.ZMin), ZMax: greatest(x.ZMax, y.ZMax), MMin: least(x.MMin, y.MMin), MMax: greatest(x.MMax, y.MMax),
	}
	return g
}

// A decimal's text has at most this many characters: 38 digits, a sign, a point and a zero in front of it.
const decimalText = 41

func mergeDecimals(a, b DecimalStats) DecimalStats {
	var d DecimalStats
	if x, y, _, ok := decimalPair(a.Min, b.Min); ok {
		if d.Min = a.Min; x.Cmp(y) > 0 {
			d.Min = b.Min
		}
	}
	if x, y, _, ok := decimalPair(a.Max, b.Max); ok {
		if d.Max = a.Max; x.Cmp(y) < 0 {
			d.Max = b.Max
		}
	}
	if x, y, scale, ok := decimalPair(a.Sum, b.Sum); ok {
		d.Sum = textOf(x.Add(x, y), scale)
	}
	return d
}

// decimalPair returns two decimals in units of their greater scale; false if one is not known, or is not plain text of a decimal.
func decimalPair(a, b string) (x, y *big.Int, scale int, ok bool) {
	x, scaleX, okX := unscaled(a)
	y, scaleY, okY := unscaled(b)
	if !okX || !okY {
		return nil, nil, 0, false
	}
	scale = max(scaleX, scaleY)
	return x.Mul(x, ten(scale-scaleX)), y.Mul(y, ten(scale-scaleY)), scale, true
}

func ten(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func unscaled(text string) (*big.Int, int, bool) {
	if text == "" || len(text) > decimalText {
		return nil, 0, false
	}
	whole, fraction, _ := strings.Cut(text, ".")
	v, ok := new(big.Int).SetString(whole+fraction, 10)
	return v, len(fraction), ok
}

// textOf is the reverse of unscaled, without zeros at the end of the fraction; "" if it has more than 38 digits.
func textOf(v *big.Int, scale int) string {
	digits := new(big.Int).Abs(v).String()
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale+1-len(digits)) + digits
	}
	whole, fraction := digits[:len(digits)-scale], strings.TrimRight(digits[len(digits)-scale:], "0")
	if len(strings.TrimLeft(whole+fraction, "0")) > 38 {
		return ""
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if v.Sign() < 0 {
		whole = "-" + whole
	}
	return whole
}
