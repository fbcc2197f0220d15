package orc

import (
	"bytes"
	"math"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// subject is a column that a predicate reads, and how its statistics are to be understood.
type subject struct {
	file   *File
	typ    *orcwire.Type
	values arrow.DataType // of its values: that of the entries where the column is a dictionary
	hashes map[scalar.Scalar][]uint64
	posed  bool // the writer is not who it says that it is: see File.posed
}

// subject finds the column at a path of the schema, which leads through structs alone; nil where there is none.
func (f *File) subject(path string) *subject {
	ids, err := expr.Resolve(f.schema, path)
	if err != nil {
		return nil
	}
	t := f.top[ids[0]]
	for _, i := range ids[1:] {
		if t.Kind != orcwire.Struct {
			return nil
		}
		t = t.Children[i]
	}
	c := &subject{file: f, typ: t, hashes: map[scalar.Scalar][]uint64{}}
	switch t.Kind {
	case orcwire.Timestamp, orcwire.TimestampInstant:
		c.values = f.typeAt(ids)
	case orcwire.Decimal:
		p, s := t.DecimalType()
		c.values = &arrow.Decimal128Type{Precision: p, Scale: s}
	}
	return c
}

// nested reports whether the column lies within a struct that may itself be null.
func (c *subject) nested() bool { return c.typ.Parent != nil && c.typ.Parent.Parent != nil }

// inStructs reports whether the column lies below structs alone, so that a row has at most one value of it.
func (c *subject) inStructs() bool {
	for p := c.typ.Parent; p != nil; p = p.Parent {
		if p.Kind != orcwire.Struct {
			return false
		}
	}
	return true
}

// place says what statistics are about.
type place struct {
	rows   int64
	merged bool   // of a stripe: they were made from those of row groups
	zone   zoning // of a timestamp's wall clock
}

// zoning is how far a writer's idea of the wall clock can be from ours.
type zoning uint8

const (
	zoneUnknown zoning = iota // any zone
	zoneRules                 // one whose rules may have changed since the writer's copy was made, by an hour or so
	zoneUTC                   // none, or one without rules
	zoneMissing               // the writer names no zone
)

// stats bounds the column's values by what the file says of them. What the writer is known to get wrong, and what
// contradicts itself, is unknown. docs/formats/orc.md, "Statistics" and "Writers", gives the reasons.
func (c *subject) stats(s *orcwire.ColumnStats, at place) expr.Stats {
	out := expr.Stats{Rows: at.rows, Nulls: -1}
	if !c.believed(s, at) {
		return out
	}
	if s.HasValues {
		out.Nulls = c.nulls(s, at.rows)
	}
	out.Min, out.Max = c.bounds(s, at)
	return out
}

// believed reports whether statistics are about the rows of a place, and tell something of them.
func (c *subject) believed(s *orcwire.ColumnStats, at place) bool {
	switch {
	case at.merged && !c.file.quirks.StripeStatsTrusted():
		return false
	case s.HasValues && s.Values > at.rows:
		return false // of other rows than these
	}
	return gathered(s, at.rows)
}

// gathered reports whether statistics of rows tell anything. A writer that makes no row indexes gathers none and writes 0 values, as
// Hive's compactor does for anything, but it does not say that there are nulls.
func gathered(s *orcwire.ColumnStats, rows int64) bool {
	return !s.HasValues || s.Values != 0 || s.HasNull == orcwire.Yes || rows == 0
}

// nulls returns how many of the rows are null, -1 = unknown. A row has at most one value of the column, which lies below
// structs alone: where there is none, it is null, or a struct that holds it is.
func (c *subject) nulls(s *orcwire.ColumnStats, rows int64) int64 {
	nulls := rows - s.Values
	switch {
	case c.typ.Kind == orcwire.Union:
		return -1 // in Arrow it is null where the value inside is
	case c.typ.Kind == orcwire.Decimal && c.file.quirks.Writer == orcwire.WriterJava && c.file.quirks.Version < javaHIVE13083:
		return -1 // values that did not fit were counted, and stored as null
	case c.file.quirks.Writer == orcwire.WriterCPP && (c.typ.Kind == orcwire.List || c.typ.Kind == orcwire.Map):
		return -1 // ClickHouse's counts one too many
	case s.HasNull == orcwire.Yes && nulls == 0, s.HasNull == orcwire.No && nulls > 0 && !c.nested():
		return -1 // the C++ writer remembered nulls of the latest batch alone
	}
	return nulls
}

// javaHIVE13083 is the version of the Java writer that counts decimals right.
const javaHIVE13083 = 4

// bounds returns scalars between which all values lie; nil = unknown.
func (c *subject) bounds(s *orcwire.ColumnStats, at place) (lo, hi scalar.Scalar) {
	switch c.typ.Kind {
	case orcwire.Boolean:
		return c.boolBounds(s)
	case orcwire.Byte, orcwire.Short, orcwire.Int, orcwire.Long:
		return c.intBounds(s.Int)
	case orcwire.Float, orcwire.Double:
		return c.floatBounds(s.Double)
	case orcwire.String, orcwire.Varchar, orcwire.Char:
		return c.textBounds(s.String)
	case orcwire.Date:
		return c.dateBounds(s.Date)
	case orcwire.Timestamp, orcwire.TimestampInstant:
		return c.timeBounds(s.Timestamp, at)
	case orcwire.Decimal:
		return c.decimalBounds(s.Decimal)
	}
	return nil, nil
}

// floatBounds believes bounds only where the sum shows that no NaN was among the values: one makes comparisons go either
// way, and in merging bounds are lost. Trino and Presto write no sum, and no bounds if they have seen a NaN.
func (c *subject) floatBounds(s *orcwire.DoubleStats) (lo, hi scalar.Scalar) {
	if s == nil || s.Sum != nil && math.IsNaN(*s.Sum) || c.posed {
		return nil, nil
	}
	if c.typ.Kind == orcwire.Float && c.file.quirks.StarRocks {
		return nil, nil
	}
	if w := c.file.quirks.Writer; s.Sum == nil && w != orcwire.WriterTrino && w != orcwire.WriterPresto {
		return nil, nil
	}
	// Of floats some writers bound the doubles that they were given. What is stored is the nearest float, which may be beyond.
	bound := func(v *float64, zero float64, wider func(x, y float64) float64) scalar.Scalar {
		if v == nil || math.IsNaN(*v) {
			return nil
		}
		x := *v
		if c.typ.Kind == orcwire.Float {
			x = wider(x, float64(float32(x)))
		}
		if x == 0 {
			x = zero // to writers the zeros are equal
		}
		return scalar.NewFloat64Scalar(x)
	}
	lo, hi = bound(s.Min, math.Copysign(0, -1), math.Min), bound(s.Max, 0, math.Max)
	if s.Min != nil && math.IsNaN(*s.Min) || s.Max != nil && math.IsNaN(*s.Max) {
		return nil, nil
	}
	return lo, hi
}

// replacement is what Java writes in statistics for bytes that are not UTF-8, be they above or below it.
var replacement = []byte("\uFFFD")

// textBounds takes bounds from either kind of statistics. They are in the order of UTF-8, which is that of bytes.
func (c *subject) textBounds(s *orcwire.StringStats) (lo, hi scalar.Scalar) {
	if s == nil {
		return nil, nil
	}
	least, most := s.Min, s.Max
	if least == nil {
		least = s.Lower
	}
	if most == nil {
		most = s.Upper
		// Java cuts a long maximum and raises its last character; where that makes half a surrogate pair, a question mark
		// is written, which is less.
		if n := len(most); n > 0 && most[n-1] == '?' {
			most = nil
		}
	}
	usable := func(b []byte) bool {
		return b != nil && !bytes.Contains(b, replacement) && (c.file.quirks.StringStatsTrusted() || belowSurrogates(b))
	}
	if c.typ.Kind == orcwire.Char {
		if least = unpadded(least); c.file.opt.KeepPadding && c.file.quirks.Writer != orcwire.WriterJava && c.file.quirks.Writer != orcwire.WriterCPP {
			most = nil // who pads where is their secret
		}
	}
	if usable(least) {
		lo = c.text(least)
	}
	if usable(most) {
		hi = c.text(most)
	}
	return lo, hi
}

// belowSurrogates reports whether all characters come before those that UTF-16 orders otherwise than UTF-8 does: with
// such a bound both orders give the same answer. The oldest writers compared UTF-16.
func belowSurrogates(b []byte) bool {
	for _, x := range b {
		if x >= 0xed {
			return false
		}
	}
	return true
}

// unpadded makes of a bound below padded values one below the same values without padding. Without its own padding it
// would do, if there were no characters before the blank: "a\t" pads to less than "a", and is more.
func unpadded(b []byte) []byte {
	if b == nil {
		return nil
	}
	for i, x := range b {
		if x < ' ' {
			b = b[:i]
			break
		}
	}
	return bytes.TrimRight(b, " ")
}

func (c *subject) text(b []byte) scalar.Scalar {
	if c.file.opt.BinaryStrings {
		return scalar.NewBinaryScalar(memory.NewBufferBytes(bytes.Clone(b)), arrow.BinaryTypes.Binary)
	}
	return scalar.NewStringScalar(string(b))
}

// gregorianDay is the first day of the Gregorian calendar, 1582-10-15: in the hybrid one, days before it have other
// numbers.
const gregorianDay = -141427

func (c *subject) dateBounds(s *orcwire.DateStats) (lo, hi scalar.Scalar) {
	if s == nil {
		return nil, nil
	}
	bound := func(v *int32) scalar.Scalar {
		if v == nil || c.file.hybrid && *v < gregorianDay {
			return nil
		}
		return scalar.NewDate32Scalar(arrow.Date32(*v))
	}
	return bound(s.Min), bound(s.Max)
}

const (
	dayMillis = int64(24 * time.Hour / time.Millisecond)
	// zoneMillis is how far two wall clocks of one place can be apart when one of them has old rules: a day where
	// the date line was moved, and an hour. Some C++ writers forget the whole offset, which is less.
	zoneMillis = dayMillis + int64(time.Hour/time.Millisecond)
	// rulesMillis is the same since 1970 for most places.
	rulesMillis = int64(4 * time.Hour / time.Millisecond)
)

// timeBounds takes the bounds that are in UTC, or in the UTC of the wall clock. The others are in a zone that the file
// does not name.
func (c *subject) timeBounds(s *orcwire.TimestampStats, at place) (lo, hi scalar.Scalar) {
	if s == nil {
		return nil, nil
	}
	margin, old := int64(0), int64(0) // since 1970, and before
	if c.typ.Kind == orcwire.Timestamp {
		switch q := c.file.quirks; {
		case at.zone == zoneMissing || q.Writer == orcwire.WriterPresto:
			return nil, nil
		case at.zone == zoneRules && q.Writer == orcwire.WriterJava:
			margin, old = rulesMillis, zoneMillis
		case at.zone != zoneUTC:
			margin, old = zoneMillis, zoneMillis
		}
	}
	// Before 1970 a value is stored as seconds rounded towards zero, which is undone in reading where it can be told
	// apart: what is read may be a second later than what was counted, and with some writers a second earlier.
	bound := func(v *int64, nanos int32, sign int64) scalar.Scalar {
		if v == nil || *v > math.MaxInt64/4 || *v < math.MinInt64/4 {
			return nil
		}
		ms := *v
		if ms < zoneMillis {
			ms += sign * (old + 1000)
		} else {
			ms += sign * margin
		}
		if c.file.hybrid && ms < (gregorianDay+2)*dayMillis {
			return nil
		}
		return c.instant(ms, nanos)
	}
	return bound(s.MinUTC, s.MinNanos, -1), bound(s.MaxUTC, s.MaxNanos, 1)
}

// unit returns the unit of the column's timestamps, which need not be that of the file's others: see Options.Microseconds.
func (c *subject) unit() arrow.TimeUnit {
	if t, ok := c.values.(*arrow.TimestampType); ok {
		return t.Unit
	}
	return c.file.unit()
}

// instant returns a time in the column's unit, rounded towards the past as values are; nil where that does not fit.
func (c *subject) instant(ms int64, nanos int32) scalar.Scalar {
	times := func(ms, by, add int64) scalar.Scalar {
		if ms > math.MaxInt64/by-1 || ms < math.MinInt64/by+1 {
			return nil
		}
		return scalar.NewTimestampScalar(arrow.Timestamp(ms*by+add), c.values)
	}
	switch c.unit() {
	case arrow.Second:
		s := ms / 1000
		if ms%1000 < 0 {
			s--
		}
		return times(s, 1, 0)
	case arrow.Millisecond:
		return times(ms, 1, 0)
	case arrow.Microsecond:
		return times(ms, 1000, int64(nanos)/1000)
	}
	return times(ms, 1e6, int64(nanos))
}
