package textvalues

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
)

// Misfit says why a text is no value of a type that a schema tells, and what to do about it.
func Misfit(t arrow.DataType, text []byte) string {
	why := ""
	switch t := t.(type) {
	case *arrow.Float32Type, *arrow.Float64Type:
		if _, _, ok := unscaled(text, maxPrecision, maxPrecision/2); ok {
			why = ", since such a float does not keep it exactly"
		}
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.FixedSizeBinaryType:
		why = ", which is read from base64"
		if w, ok := t.(*arrow.FixedSizeBinaryType); ok {
			why = fmt.Sprintf(", which is read from base64 of %d bytes", w.ByteWidth)
		}
	case *arrow.TimestampType:
		why = timestampMisfit(t, text)
	}
	return fmt.Sprintf("%.40q is not %s, the type that the schema says%s; as text (string, utf8) any value can be read", text, t, why)
}

func timestampMisfit(t *arrow.TimestampType, text []byte) string {
	zone := t.TimeZone != ""
	_, isDate := Date(text)
	micros := func(zone bool) bool { _, ok := Timestamp(text, 6, zone); return ok }
	nanos := func(zone bool) bool { _, ok := Timestamp(text, 9, zone); return ok }
	switch {
	case isDate && zone, zone && (micros(false) || nanos(false)):
		return ", since it has no zone"
	case !zone && (micros(true) || nanos(true)):
		return ", since it has a zone"
	case t.Unit == arrow.Nanosecond && (isDate || micros(zone)):
		return ", which does not reach so far; --timestamp-unit=us does"
	case nanos(zone):
		return ", since it has finer digits"
	}
	return ""
}
