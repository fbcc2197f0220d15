package plans

import (
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// AddKey says, in the entry of the first column of the key, which rows are refused because of the key. A driver calls it when its
// plan is complete.
func AddKey(p *arrowio.WritePlan) {
	if c := keyColumn(p); c != nil {
		c.Refused = Join(c.Refused, outOfOrder(p))
	}
}

// AddOrder corrects what AddKey has said where p.Sorted sorts the rows by the key: then only equal keys are refused.
func AddOrder(p *arrowio.WritePlan) {
	if c := keyColumn(p); c != nil && SortedByKey(p) {
		c.Refused = strings.Replace(c.Refused, outOfOrder(p), "rows with the same "+keyName(p), 1)
	}
}

// SortedByKey reports whether p.Sorted sorts the rows by the key.
func SortedByKey(p *arrowio.WritePlan) bool {
	if len(p.Sorted) < len(p.Key) {
		return false
	}
	for i, name := range p.Key {
		if s := p.Sorted[i]; s.Descending || s.Column != name && s.Column != expr.Quote(name) {
			return false
		}
	}
	return true
}

// keyColumn returns the entry of the first column of the key; nil = there is no key.
func keyColumn(p *arrowio.WritePlan) *arrowio.PlannedColumn {
	if len(p.Key) == 0 {
		return nil
	}
	for i := range p.Columns {
		if p.Columns[i].Path == schemadiff.Path(p.Key[0]) {
			return &p.Columns[i]
		}
	}
	return nil
}

func outOfOrder(p *arrowio.WritePlan) string {
	return "rows whose " + keyName(p) + " does not come after that of the row before"
}

func keyName(p *arrowio.WritePlan) string {
	if len(p.Key) == 1 {
		return "key"
	}
	return "key (" + strings.Join(p.Key, ", ") + ")"
}
