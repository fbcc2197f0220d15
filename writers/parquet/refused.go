package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/plans"
)

// refusedValues says which values of a field Write refuses: those that Parquet's types do not hold.
func refusedValues(f arrow.Field) string {
	const beyond = "values that milliseconds cannot count"
	switch t := f.Type.(type) {
	case *arrow.Date64Type:
		return plans.NoDate32
	case *arrow.Time32Type:
		if t.Unit == arrow.Second {
			return beyond
		}
	case *arrow.TimestampType:
		if t.Unit == arrow.Second {
			return beyond
		}
	}
	return ""
}
