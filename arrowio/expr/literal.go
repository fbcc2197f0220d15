package expr

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"
)

// maxScale bounds decimal scales, which types read from files may claim at will: 10^scale is computed.
const maxScale = 1000

type literalKind uint8

const (
	litNull literalKind = iota
	litBool
	litNumber   // num / 10^scale
	litFloat    // float
	litText     // bytes
	litBytes    // bytes
	litDate     // num: nanoseconds of its midnight
	litLocal    // num: nanoseconds of a wall clock without a zone
	litInstant  // num: nanoseconds from 1970-01-01 in UTC
	litTime     // num: nanoseconds from midnight
	litDuration // num: nanoseconds
)

// literal is a value freed of its arrow type, exact.
type literal struct {
	kind  literalKind
	yes   bool
	num   *big.Int
	scale int
	float float64
	bytes []byte
}

// plain strips a dictionary, run-end encoded or extension scalar to the value inside.
func plain(s scalar.Scalar) (scalar.Scalar, error) {
	for range 8 {
		switch v := s.(type) {
		case nil:
			return nil, fmt.Errorf("no value")
		case *scalar.Extension:
			if v.Valid && v.Value != nil {
				s = v.Value
				continue
			}
			return scalar.ScalarNull, nil
		case *scalar.RunEndEncoded:
			if v.Valid && v.Value != nil {
				s = v.Value
				continue
			}
			return scalar.ScalarNull, nil
		case *scalar.Dictionary:
			if !v.Valid {
				return scalar.ScalarNull, nil
			}
			inner, err := v.GetEncodedValue()
			if err != nil {
				return nil, err
			}
			s = inner
			continue
		}
		return s, nil
	}
	return nil, fmt.Errorf("a value of type %v", s.DataType())
}

func integer(v int64) literal  { return literal{kind: litNumber, num: big.NewInt(v)} }
func float(v float64) literal  { return literal{kind: litFloat, float: v} }
func natural(v uint64) literal { return literal{kind: litNumber, num: new(big.Int).SetUint64(v)} }

func nanos(kind literalKind, v, unit int64) literal {
	n := big.NewInt(v)
	return literal{kind: kind, num: n.Mul(n, big.NewInt(unit))}
}

func literalOf(s scalar.Scalar) (literal, error) {
	s, err := plain(s)
	if err != nil {
		return literal{}, err
	}
	if !s.IsValid() {
		return literal{}, nil
	}
	switch v := s.(type) {
	case *scalar.Boolean:
		return literal{kind: litBool, yes: v.Value}, nil
	case *scalar.Int8:
		return integer(int64(v.Value)), nil
	case *scalar.Int16:
		return integer(int64(v.Value)), nil
	case *scalar.Int32:
		return integer(int64(v.Value)), nil
	case *scalar.Int64:
		return integer(v.Value), nil
	case *scalar.Uint8:
		return natural(uint64(v.Value)), nil
	case *scalar.Uint16:
		return natural(uint64(v.Value)), nil
	case *scalar.Uint32:
		return natural(uint64(v.Value)), nil
	case *scalar.Uint64:
		return natural(v.Value), nil
	case *scalar.Float16:
		return float(float16Value(v.Value.Uint16())), nil
	case *scalar.Float32:
		return float(float64(v.Value)), nil
	case *scalar.Float64:
		return float(v.Value), nil
	case *scalar.Decimal128:
		return literal{kind: litNumber, num: bigOf128(v.Value), scale: int(v.Type.(*arrow.Decimal128Type).Scale)}, nil
	case *scalar.Decimal256:
		return literal{kind: litNumber, num: bigOf256(v.Value), scale: int(v.Type.(*arrow.Decimal256Type).Scale)}, nil
	case *scalar.Date32:
		return nanos(litDate, int64(v.Value), nanosPerDay), nil
	case *scalar.Date64:
		return nanos(litDate, int64(v.Value), 1e6), nil
	case *scalar.Timestamp:
		t := v.Type.(*arrow.TimestampType)
		if t.TimeZone != "" {
			return nanos(litInstant, int64(v.Value), unitNanos[t.Unit]), nil
		}
		return nanos(litLocal, int64(v.Value), unitNanos[t.Unit]), nil
	case *scalar.Time32:
		return nanos(litTime, int64(v.Value), unitNanos[v.Type.(*arrow.Time32Type).Unit]), nil
	case *scalar.Time64:
		return nanos(litTime, int64(v.Value), unitNanos[v.Type.(*arrow.Time64Type).Unit]), nil
	case *scalar.Duration:
		return nanos(litDuration, int64(v.Value), unitNanos[v.Type.(*arrow.DurationType).Unit]), nil
	case *scalar.String, *scalar.LargeString:
		return literal{kind: litText, bytes: v.(scalar.BinaryScalar).Data()}, nil
	case scalar.BinaryScalar:
		return literal{kind: litBytes, bytes: v.Data()}, nil
	}
	return literal{}, fmt.Errorf("values of type %v have no order and cannot be compared", s.DataType())
}

// writeLiteral writes s as Parse reads it; a scalar that has no literal becomes '?', which Parse refuses.
func writeLiteral(b *strings.Builder, s scalar.Scalar) {
	s, err := plain(s)
	if err != nil {
		b.WriteByte('?')
		return
	}
	l, err := literalOf(s)
	if err != nil {
		b.WriteByte('?')
		return
	}
	if v, ok := s.(*scalar.Date64); ok && l.kind != litNull && int64(v.Value)%(secondsPerDay*1000) != 0 {
		b.WriteString("TIMESTAMP '" + timestampText(int64(v.Value), arrow.Millisecond, false) + "'")
		return
	}
	switch l.kind {
	case litNull:
		b.WriteString("NULL")
	case litBool:
		b.WriteString(strings.ToUpper(strconv.FormatBool(l.yes)))
	case litNumber:
		b.WriteString(decimalText(l.num, l.scale))
	case litFloat:
		b.WriteString(floatText(l.float))
	case litText:
		writeQuoted(b, string(l.bytes), '\'')
	case litBytes:
		fmt.Fprintf(b, "X'%x'", l.bytes)
	case litDate:
		b.WriteString("DATE '" + dateText(new(big.Int).Quo(l.num, big.NewInt(nanosPerDay)).Int64()) + "'")
	case litLocal, litInstant:
		v := s.(*scalar.Timestamp)
		b.WriteString("TIMESTAMP '" + timestampText(int64(v.Value), v.Unit(), l.kind == litInstant) + "'")
	case litTime:
		if l.num.Sign() < 0 || l.num.Cmp(big.NewInt(nanosPerDay)) >= 0 {
			b.WriteByte('?') // no time of day
			return
		}
		unit := s.(scalar.TimeScalar).Unit()
		v := new(big.Int).Quo(l.num, big.NewInt(unitNanos[unit])).Int64()
		b.WriteString("TIME '" + timeText(v, unit) + "'")
	case litDuration:
		v := s.(*scalar.Duration)
		b.WriteString("DURATION '" + strconv.FormatInt(int64(v.Value), 10) + unitText[v.Type.(*arrow.DurationType).Unit] + "'")
	}
}
