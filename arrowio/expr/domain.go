package expr

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// class is how the values of a type lie in memory.
type class uint8

const (
	classNull  class = iota // no values at all
	classBool               // bits
	classInt                // signed integers of width bytes
	classUint               // unsigned integers of width bytes
	classFloat              // IEEE floats of width bytes
	classWide               // decimals of width bytes
	classBytes              // offsets of width bytes, and data
	classFixed              // width bytes each
	classView               // view headers, and data
)

// domain is a column's type as an ordered set. All but bytes are integers to it: numbers in the column's unit, and for
// floats their keys (see floatKey). So every comparison with a literal, however fine, becomes a range of the domain,
// and nothing is rounded.
type domain struct {
	t     arrow.DataType // without dictionary, run-end encoding and extension
	class class
	width int
	holds literalKind // what kind of literal a value is
	unit  int64       // nanoseconds of 1, for temporal types
	scale int         // of decimals
	min   *big.Int
	max   *big.Int
}

// domainOf is the one place that tells types apart.
func domainOf(t arrow.DataType) (*domain, error) {
	t = arrowtype.Value(t)
	d := &domain{t: t, holds: litNumber}
	switch x := t.(type) {
	case *arrow.NullType:
		d.class = classNull
	case *arrow.BooleanType:
		d.class, d.holds = classBool, litBool
		d.min, d.max = big.NewInt(0), big.NewInt(1)
	case *arrow.Int8Type, *arrow.Int16Type, *arrow.Int32Type, *arrow.Int64Type:
		d.signed(t)
	case *arrow.Uint8Type, *arrow.Uint16Type, *arrow.Uint32Type, *arrow.Uint64Type:
		d.class, d.width = classUint, t.(arrow.FixedWidthDataType).Bytes()
		d.min, d.max = new(big.Int), new(big.Int).Sub(pow2(8*d.width), big.NewInt(1))
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type:
		d.class, d.width = classFloat, t.(arrow.FixedWidthDataType).Bytes()
		d.min, d.max = big.NewInt(^infinityKey(d.width)), big.NewInt(infinityKey(d.width))
	case *arrow.Decimal128Type:
		d.signed(t)
		d.class, d.scale = classWide, int(x.Scale)
	case *arrow.Decimal256Type:
		d.signed(t)
		d.class, d.scale = classWide, int(x.Scale)
	case *arrow.Date32Type:
		d.signed(t)
		d.holds, d.unit = litDate, nanosPerDay
	case *arrow.Date64Type:
		d.signed(t)
		d.holds, d.unit = litDate, 1e6
	case *arrow.TimestampType:
		d.signed(t)
		d.holds = litLocal
		if x.TimeZone != "" {
			d.holds = litInstant
		}
		return d, d.setUnit(x.Unit)
	case *arrow.Time32Type:
		d.signed(t)
		d.holds = litTime
		return d, d.setUnit(x.Unit)
	case *arrow.Time64Type:
		d.signed(t)
		d.holds = litTime
		return d, d.setUnit(x.Unit)
	case *arrow.DurationType:
		d.signed(t)
		d.holds = litDuration
		return d, d.setUnit(x.Unit)
	case *arrow.StringType:
		d.class, d.width, d.holds = classBytes, 4, litText
	case *arrow.LargeStringType:
		d.class, d.width, d.holds = classBytes, 8, litText
	case *arrow.StringViewType:
		d.class, d.holds = classView, litText
	case *arrow.BinaryType:
		d.class, d.width, d.holds = classBytes, 4, litBytes
	case *arrow.LargeBinaryType:
		d.class, d.width, d.holds = classBytes, 8, litBytes
	case *arrow.BinaryViewType:
		d.class, d.holds = classView, litBytes
	case *arrow.FixedSizeBinaryType:
		d.class, d.width, d.holds = classFixed, x.ByteWidth, litBytes
	default:
		return nil, fmt.Errorf("values of type %v have no order and cannot be compared", t)
	}
	if d.scale > maxScale || d.scale < -maxScale || d.width < 0 {
		return nil, fmt.Errorf("type %v is out of all range", t)
	}
	return d, nil
}

func (d *domain) signed(t arrow.DataType) {
	d.class, d.width = classInt, t.(arrow.FixedWidthDataType).Bytes()
	d.max = new(big.Int).Sub(pow2(8*d.width-1), big.NewInt(1))
	d.min = new(big.Int).Neg(pow2(8*d.width - 1))
}

func (d *domain) setUnit(u arrow.TimeUnit) error {
	if u < arrow.Second || u > arrow.Nanosecond {
		return fmt.Errorf("type %v has no known unit", d.t)
	}
	d.unit = unitNanos[u]
	return nil
}

func pow2(n int) *big.Int  { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }
func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// isBytes reports whether the values are text or bytes, which are compared as such.
func (d *domain) isBytes() bool {
	return d.class == classBytes || d.class == classFixed || d.class == classView
}

// cut is where a literal lies in the domain: le is the greatest value at or below it, ge the least at or above it. They
// are the same if the domain has the literal, else neighbours (for a float zero, the two zeros: ge < le). nan: nowhere.
type cut struct {
	ge, le *big.Int
	nan    bool
}

// errKind is wrapped in text that names both sides.
var errKind = errors.New("cannot be compared with it")

func (d *domain) cut(l literal) (cut, error) {
	l, err := d.read(l)
	if err != nil {
		return cut{}, err
	}
	if d.class == classFloat {
		return d.cutFloat(l)
	}
	if l.kind == litNumber && l.scale == 0 && d.class != classWide { // the usual case needs no fraction
		return cut{ge: l.num, le: l.num}, nil
	}
	q := new(big.Rat)
	switch l.kind {
	case litBool:
		if l.yes {
			q.SetInt64(1)
		}
	case litFloat:
		switch {
		case math.IsNaN(l.float):
			return cut{nan: true}, nil
		case math.IsInf(l.float, 1):
			return cut{ge: plus(d.max, 1), le: d.max}, nil
		case math.IsInf(l.float, -1):
			return cut{ge: d.min, le: plus(d.min, -1)}, nil
		}
		q.SetFloat64(l.float)
	case litNumber:
		if q, err = l.rational(); err != nil {
			return cut{}, err
		}
	default:
		q.SetFrac(l.num, big.NewInt(d.unit))
	}
	if d.class == classWide {
		q.Mul(q, scaled(big.NewInt(1), -d.scale))
	}
	c := cut{le: new(big.Int).Div(q.Num(), q.Denom())} // Euclid's: towards minus infinity
	if c.ge = c.le; !q.IsInt() {
		c.ge = plus(c.le, 1)
	}
	return c, nil
}

func plus(n *big.Int, k int64) *big.Int { return new(big.Int).Add(n, big.NewInt(k)) }

// scaled is n / 10^scale.
func scaled(n *big.Int, scale int) *big.Rat {
	if scale < 0 {
		return new(big.Rat).SetInt(new(big.Int).Mul(n, pow10(-scale)))
	}
	return new(big.Rat).SetFrac(n, pow10(scale))
}

func (l literal) rational() (*big.Rat, error) {
	if l.scale > maxScale || l.scale < -maxScale {
		return nil, fmt.Errorf("a decimal of scale %d", l.scale)
	}
	return scaled(l.num, l.scale), nil
}

// read makes of l a literal that the domain can place: text becomes what the column holds.
func (d *domain) read(l literal) (literal, error) {
	if l.kind == litText && !d.isBytes() {
		s, err := d.parse(string(l.bytes))
		if err != nil {
			return l, err
		}
		if l, err = literalOf(s); err != nil {
			return l, err
		}
	}
	fits := l.kind == d.holds
	switch d.holds {
	case litNumber:
		fits = l.kind == litNumber || l.kind == litFloat
	case litDate, litLocal:
		fits = l.kind == litDate || l.kind == litLocal
		if l.kind == litInstant {
			return l, fmt.Errorf("it has no time zone: give the value without one")
		}
	case litInstant:
		fits = l.kind == litDate || l.kind == litLocal || l.kind == litInstant
	case litText, litBytes:
		fits = l.kind == litText || l.kind == litBytes
	}
	if !fits && l.kind == litBool { // that may be a column alone, which stands for COLUMN = TRUE
		return l, fmt.Errorf("only a boolean column is a condition by itself, or is compared with TRUE; compare this one with %s", literalNames[d.holds])
	}
	if !fits {
		return l, fmt.Errorf("%s %w%s", literalNames[l.kind], errKind, hints[d.holds])
	}
	return l, nil
}

var literalNames = [...]string{
	litNull: "null", litBool: "a boolean", litNumber: "a number", litFloat: "a number", litText: "text", litBytes: "bytes",
	litDate: "a date", litLocal: "a timestamp", litInstant: "a timestamp with a zone", litTime: "a time", litDuration: "a duration",
}

var hints = map[literalKind]string{
	litBool:     "; write TRUE or FALSE",
	litDate:     "; write DATE '2020-01-31'",
	litLocal:    "; write TIMESTAMP '2020-01-31 10:00:00'",
	litInstant:  "; write TIMESTAMP '2020-01-31 10:00:00Z'",
	litTime:     "; write TIME '10:00:00'",
	litDuration: "; write DURATION '1h30m'",
	litText:     "; write 'text'",
	litBytes:    "; write X'00ff' or 'text'",
}

// parse reads text as a value of the kind that the column holds.
func (d *domain) parse(s string) (scalar.Scalar, error) {
	switch d.holds {
	case litNumber:
		v, err := parseNumber(s)
		if err != nil && d.class == classFloat {
			v, err = parseDouble(s)
		}
		if err != nil {
			return nil, fmt.Errorf("%.40q: %w", s, err)
		}
		return v, nil
	case litDate, litLocal, litInstant:
		v, err := parseTimestamp(s) // also a date alone
		if err != nil && d.holds == litDate {
			err = errDate
		}
		if err != nil {
			return nil, fmt.Errorf("%.40q: %w", s, err)
		}
		return v, nil
	case litTime:
		return parseTime(s)
	case litDuration:
		return parseDuration(s)
	}
	return nil, fmt.Errorf("text %w%s", errKind, hints[d.holds])
}

// nearest is the float that q, which is the number l, stands for; ok is false if it is to be taken exactly.
func (d *domain) nearest(l literal, q *big.Rat) (near float64, ok bool) {
	near = nearestFloat(q, d.width)
	return near, l.scale > 0 && !math.IsInf(near, 0) && (near != 0 || q.Sign() == 0)
}

// AsCompared returns the value that v stands for in a comparison with columns of type t. If t is a float type, a number with a
// fraction becomes the nearest float of this type. For columns of a wider type v is not changed.
func AsCompared(v scalar.Scalar, t arrow.DataType) scalar.Scalar {
	d, err := domainOf(t)
	if err != nil || d.class != classFloat {
		return v
	}
	l, err := literalOf(v)
	if err != nil || l.kind != litNumber {
		return v
	}
	q, err := l.rational()
	if err != nil {
		return v
	}
	if near, ok := d.nearest(l, q); ok {
		return scalar.NewFloat64Scalar(near)
	}
	return v
}

// cutFloat places a number among floats. A number with digits after the point stands for the nearest of them; whole
// numbers are exact, and so are those that would become zero or an infinity.
func (d *domain) cutFloat(l literal) (cut, error) {
	f, side := l.float, 0 // the number is f, or lies just beside it
	if l.kind == litNumber {
		q, err := l.rational()
		if err != nil {
			return cut{}, err
		}
		if near, ok := d.nearest(l, q); ok {
			f = near
		} else if f, _ = q.Float64(); math.IsInf(f, 0) {
			side = -q.Sign()
		} else {
			side = q.Cmp(new(big.Rat).SetFloat64(f))
		}
	}
	if math.IsNaN(f) {
		return cut{nan: true}, nil
	}
	// A number beside f lies nearer to f than to its other neighbours, so every other float64 is on f's side of it.
	less := func(key int64, orEqual bool) bool {
		switch v := floatOf(key, d.width); {
		case v != f:
			return v < f
		case side != 0:
			return side > 0
		}
		return orEqual
	}
	lo, hi := d.min.Int64(), d.max.Int64()
	return cut{
		ge: big.NewInt(firstNot(lo, hi, func(k int64) bool { return less(k, false) })),
		le: plus(big.NewInt(firstNot(lo, hi, func(k int64) bool { return less(k, true) })), -1),
	}, nil
}

// firstNot is the least key in [lo, hi] for which below is false, or hi+1; below is true up to some key. hi is not the
// greatest int64.
func firstNot(lo, hi int64, below func(int64) bool) int64 {
	for end := hi + 1; ; {
		if lo == end {
			return lo
		}
		mid := lo + int64(uint64(end-lo)/2)
		if below(mid) {
			lo = mid + 1
		} else {
			end = mid
		}
	}
}

// span is a range of the domain, both ends in it.
type span[T any] struct{ lo, hi T }

// span is the range of values for which `value op c` is true. Ne is no range: it is the opposite of Eq.
func (d *domain) span(op Op, c cut) (s span[*big.Int], ok bool) {
	if c.nan {
		return s, false
	}
	s = span[*big.Int]{d.min, d.max}
	switch op {
	case Eq:
		s = span[*big.Int]{c.ge, c.le}
	case Lt:
		s.hi = plus(c.ge, -1)
	case Le:
		s.hi = c.le
	case Gt:
		s.lo = plus(c.le, 1)
	case Ge:
		s.lo = c.ge
	}
	if op == Eq && c.ge == c.le { // one value
		return s, d.has(c.le)
	}
	if s.lo.Cmp(d.min) < 0 {
		s.lo = d.min
	}
	if s.hi.Cmp(d.max) > 0 {
		s.hi = d.max
	}
	return s, s.lo.Cmp(s.hi) <= 0
}

// joined sorts spans and joins those that overlap or touch.
func joined(spans []span[*big.Int]) []span[*big.Int] {
	slices.SortFunc(spans, func(a, b span[*big.Int]) int { return a.lo.Cmp(b.lo) })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && plus(out[n-1].hi, 1).Cmp(s.lo) >= 0 {
			if out[n-1].hi.Cmp(s.hi) < 0 {
				out[n-1].hi = s.hi
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

// key is the domain's value as an int64 of the same order, for all but decimals and bytes.
func (d *domain) key(v *big.Int) int64 {
	if d.class == classUint {
		return int64(v.Uint64() ^ 1<<63)
	}
	return v.Int64()
}

// scalar is the domain's value as the column holds it.
func (d *domain) scalar(v *big.Int) scalar.Scalar {
	switch t := d.t.(type) {
	case *arrow.BooleanType:
		return scalar.NewBooleanScalar(v.Sign() != 0)
	case *arrow.Float16Type:
		return scalar.NewFloat16Scalar(float16.FromBits(uint16(floatBits(v.Int64(), 2))))
	case *arrow.Float32Type:
		return scalar.NewFloat32Scalar(float32(floatOf(v.Int64(), 4)))
	case *arrow.Float64Type:
		return scalar.NewFloat64Scalar(floatOf(v.Int64(), 8))
	case *arrow.Decimal128Type:
		return scalar.NewDecimal128Scalar(toDecimal128(v), t)
	case *arrow.Decimal256Type:
		return scalar.NewDecimal256Scalar(toDecimal256(v), t)
	}
	n := v.Int64()
	if d.class == classUint {
		n = int64(v.Uint64())
	}
	if x := IntScalar(d.t, n); x != nil {
		return x
	}
	return scalar.ScalarNull
}

// IntScalar returns v as a value of t, in the unit of t. t is an integer, decimal, date, time, timestamp or duration type; for
// other types IntScalar returns nil. v must be in the range of t. For uint64, v has the bits of the value.
func IntScalar(t arrow.DataType, v int64) scalar.Scalar {
	switch t := t.(type) {
	case *arrow.Int8Type:
		return scalar.NewInt8Scalar(int8(v))
	case *arrow.Int16Type:
		return scalar.NewInt16Scalar(int16(v))
	case *arrow.Int32Type:
		return scalar.NewInt32Scalar(int32(v))
	case *arrow.Int64Type:
		return scalar.NewInt64Scalar(v)
	case *arrow.Uint8Type:
		return scalar.NewUint8Scalar(uint8(v))
	case *arrow.Uint16Type:
		return scalar.NewUint16Scalar(uint16(v))
	case *arrow.Uint32Type:
		return scalar.NewUint32Scalar(uint32(v))
	case *arrow.Uint64Type:
		return scalar.NewUint64Scalar(uint64(v))
	case *arrow.Date32Type:
		return scalar.NewDate32Scalar(arrow.Date32(v))
	case *arrow.Date64Type:
		return scalar.NewDate64Scalar(arrow.Date64(v))
	case *arrow.TimestampType:
		return scalar.NewTimestampScalar(arrow.Timestamp(v), t)
	case *arrow.Time32Type:
		return scalar.NewTime32Scalar(arrow.Time32(v), t)
	case *arrow.Time64Type:
		return scalar.NewTime64Scalar(arrow.Time64(v), t)
	case *arrow.DurationType:
		return scalar.NewDurationScalar(arrow.Duration(v), t)
	case *arrow.Decimal128Type:
		return scalar.NewDecimal128Scalar(decimal128.FromI64(v), t)
	case *arrow.Decimal256Type:
		return scalar.NewDecimal256Scalar(decimal256.FromI64(v), t)
	}
	return nil
}

// bytesScalar is the value as the column holds it; nil if no value of the column is so long.
func (d *domain) bytesScalar(v []byte) scalar.Scalar {
	buf := memory.NewBufferBytes(v)
	switch d.t.ID() {
	case arrow.STRING, arrow.STRING_VIEW:
		return scalar.NewStringScalarFromBuffer(buf)
	case arrow.LARGE_STRING:
		return scalar.NewLargeStringScalarFromBuffer(buf)
	case arrow.LARGE_BINARY:
		return scalar.NewLargeBinaryScalar(buf)
	case arrow.FIXED_SIZE_BINARY:
		if len(v) != d.width {
			return nil
		}
		return scalar.NewFixedSizeBinaryScalar(buf, d.t)
	}
	return scalar.NewBinaryScalar(buf, arrow.BinaryTypes.Binary)
}
