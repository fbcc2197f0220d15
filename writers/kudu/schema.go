package kudu

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// matchSchema finds the table's column for each column of the set, by name. All that does not fit is told at once.
func (im *importer) matchSchema() error {
	table := im.tablet.Schema
	var faults []string
	im.fits = make([]int32, len(im.set.Schema.Columns))
	for i := range im.set.Schema.Columns {
		c := &im.set.Schema.Columns[i]
		at := slices.IndexFunc(table.Columns, func(t kuduwire.Column) bool { return t.Name == c.Name })
		if at < 0 {
			faults = append(faults, sentence("the table has no column %s", c.Name))
			continue
		}
		if why := misfit(c, &table.Columns[at]); why != "" {
			faults = append(faults, sentence("column %s: %s", c.Name, why))
		}
		im.fits[i] = table.Columns[at].ID
	}
	if a, b := keyNames(&im.set.Schema), keyNames(table); a != b {
		faults = append(faults, sentence("the set is sorted by (%s), the table's key is (%s): write the set with --kudu-key %s", a, b, strings.ReplaceAll(b, ", ", ",")))
	}
	for i := range table.Columns {
		t := &table.Columns[i]
		if slices.ContainsFunc(im.set.Schema.Columns, func(c kuduwire.Column) bool { return c.Name == t.Name }) {
			continue
		}
		switch {
		case t.Key: // told already
		case t.ReadDefault != nil:
			im.filled = append(im.filled, FilledColumn{t.Name, defaultText(t)})
		case t.Nullable:
			im.filled = append(im.filled, FilledColumn{t.Name, "null"})
		default:
			faults = append(faults, sentence("the set lacks column %s, which is not nullable and has no default", t.Name))
		}
	}
	if len(faults) > 0 {
		return refuse("the set does not fit table %s: %s", im.tablet.Super.TableName, strings.Join(faults, "; "))
	}
	return nil
}

// misfit says why a column of the set cannot be one of the table; "" = it can.
func misfit(c, t *kuduwire.Column) string {
	switch {
	case t.Array:
		return "arrays cannot be imported"
	case c.Type != t.Type:
		return sentence("%s in the set, %s in the table", c.Type, t.Type)
	case c.Type.Decimal() > 0 && (c.Precision != t.Precision || c.Scale != t.Scale):
		return sentence("decimal(%d, %d) in the set, decimal(%d, %d) in the table", c.Precision, c.Scale, t.Precision, t.Scale)
	case c.Type == cfilewire.Varchar && c.Length != t.Length && (c.Length == 0 || c.Length > t.Length):
		return sentence("varchar(%d) in the set, varchar(%d) in the table", c.Length, t.Length)
	case c.Nullable && !t.Nullable:
		return "nullable in the set, not in the table, and Kudu trusts the file; write the set with --kudu-not-null " + c.Name
	}
	return ""
}

func keyNames(s *kuduwire.Schema) string {
	names := make([]string, s.Keys())
	for i := range names {
		names[i] = s.Columns[i].Name
	}
	return strings.Join(names, ", ")
}

func defaultText(c *kuduwire.Column) string {
	if w := c.Type.Width(); w > 0 && len(c.ReadDefault) != w {
		return "x" + hex.EncodeToString(c.ReadDefault)
	}
	return cfile.CellText(c.Type, c.Scale, c.ReadDefault)
}
