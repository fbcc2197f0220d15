package orc

import (
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/plans"
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
			return plans.NoDate32
		}
	case orcwire.Long:
		if strings.Contains(from, arrow.PrimitiveTypes.Uint64.Name()) {
			return "values above 9223372036854775807"
		}
	}
	return ""
}

// nameRow adds to the error of a value that a field refuses which row it is in: part is what was to be written of it, and first the
// number of its first row. Only now are rows looked at one by one, each by encoding it once more, to be thrown away.
func (w *writer) nameRow(field int, part arrow.Array, first int64, err error) error {
	var refusal *errs.Error
	if !errors.As(err, &refusal) || refusal.Kind != errs.ErrSchema {
		return err
	}
	// Rows before from are not refused; some before to are.
	from, to := 0, part.Len()
	for to-from > 1 {
		mid := from + (to-from)/2
		if w.tryRows(field, part, from, mid) != nil {
			to = mid
		} else {
			from = mid
		}
	}
	var e *errs.Error
	if !errors.As(w.tryRows(field, part, from, to), &e) || e.Kind != errs.ErrSchema {
		return err // of no row by itself
	}
	var bad *orcwire.ValueError
	named := *e
	if named.Err = fmt.Errorf("row %d: %w", first+int64(from), e.Err); errors.As(e, &bad) {
		named.Err = fmt.Errorf("row %d: %w", first+int64(from), bad.Err) // the value's number counts within the row
	}
	return &named
}

// tryRows encodes rows of a field that start from none.
func (w *writer) tryRows(field int, part arrow.Array, from, to int) error {
	t := w.d.types[0]
	if !w.d.rootOnly {
		t = t.Children[field]
	}
	n := w.newNode(t, w.plan.Schema.Field(field).Type, -1)
	defer n.reset()
	n.use(&orcwire.OutScratch{})
	rows := arraySlice(part, int64(from), int64(to))
	defer rows.Release()
	return n.write(rows)
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
