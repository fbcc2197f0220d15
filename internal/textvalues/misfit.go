package textvalues

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Misfit says why a text is no value of a type that a schema tells, and what to do about it.
func Misfit(t arrow.DataType, text []byte) error {
	why := error(plain(""))
	switch t := t.(type) {
	case *arrow.Float32Type, *arrow.Float64Type:
		if _, _, ok := unscaled(text, maxPrecision, maxPrecision/2); ok {
			why = plain(", since such a float does not keep it exactly")
		}
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.FixedSizeBinaryType:
		why = plain(", which is read from base64")
		if w, ok := t.(*arrow.FixedSizeBinaryType); ok {
			why = fmt.Errorf(", which is read from base64 of %d bytes", w.ByteWidth)
		}
	case *arrow.TimestampType:
		why = timestampMisfit(t, text)
	}
	return fmt.Errorf("%.40q is not %s, the type that the schema says%w; as text (string, utf8) any value can be read", text, t, why)
}

// plain is a part of an error that names no option.
type plain string

func (p plain) Error() string { return string(p) }

func timestampMisfit(t *arrow.TimestampType, text []byte) error {
	zone := t.TimeZone != ""
	_, isDate := Date(text)
	micros := func(zone bool) bool { _, ok := Timestamp(text, 6, zone); return ok }
	nanos := func(zone bool) bool { _, ok := Timestamp(text, 9, zone); return ok }
	switch {
	case isDate && zone, zone && (micros(false) || nanos(false)):
		return plain(", since it has no zone")
	case !zone && (micros(true) || nanos(true)):
		return plain(", since it has a zone")
	case t.Unit == arrow.Nanosecond && (isDate || micros(zone)):
		return fmt.Errorf(", which does not reach so far; %w does", errs.Opt("timestamp-unit", "us"))
	case nanos(zone):
		return plain(", since it has finer digits")
	}
	return plain("")
}
