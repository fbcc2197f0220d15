package trevni

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/plans"
)

// refused says which values of a field Write refuses: those that Avro's types do not hold.
func (d *driver) refused(f arrow.Field) string {
	const finer, beyond = "values that are no whole number of microseconds", "values that milliseconds cannot count"
	switch t := f.Type.(type) {
	case *arrow.Uint64Type:
		return "values above 9223372036854775807"
	case *arrow.Date64Type:
		return plans.NoDate32
	case *arrow.Time32Type:
		if t.Unit == arrow.Second {
			return beyond
		}
	case *arrow.Time64Type:
		if t.Unit == arrow.Nanosecond {
			return finer
		}
	case *arrow.TimestampType:
		switch t.Unit {
		case arrow.Second:
			return beyond
		case arrow.Nanosecond:
			if (d.micros || !d.avro) && !d.cut {
				return finer
			}
		}
	}
	return ""
}
