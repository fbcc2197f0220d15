package orc

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// refused says which values of an Arrow type Write refuses in a column of type t.
func (d *driver) refused(t *orcwire.Type, from string) string {
	switch t.Kind {
	case orcwire.Timestamp, orcwire.TimestampInstant:
		if strings.Contains(from, "timestamp[s") {
			return "times more than 2^61 seconds from 1970"
		}
		if !d.opt.Shift {
			return "times in the last second before 1970, unless --orc-last-second=shift is given"
		}
	case orcwire.Varchar:
		return fmt.Sprintf("strings of more than %d characters", t.MaxLength)
	case orcwire.Char:
		return fmt.Sprintf("strings of more than %d characters, and shorter ones that end in a space", t.MaxLength)
	case orcwire.Date:
		if strings.Contains(from, arrow.FixedWidthTypes.Date64.Name()) {
			return "values that are not midnight"
		}
	case orcwire.Long:
		if strings.Contains(from, arrow.PrimitiveTypes.Uint64.Name()) {
			return "values above 9223372036854775807"
		}
	}
	return ""
}

// lost adds to what reading back an Arrow type from a column of type t does not show what Write itself changes.
func (d *driver) lost(t *orcwire.Type, from, loss string) string {
	if t.Kind != orcwire.Timestamp && t.Kind != orcwire.TimestampInstant || !d.opt.Shift || strings.Contains(from, "timestamp[s") {
		return loss
	}
	if loss != "" {
		loss += "; "
	}
	return loss + "times in the last second before 1970 are stored one second later"
}
