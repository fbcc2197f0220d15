package report

import (
	"fmt"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/drawing"
	"github.com/arrowio/arrowio/internal/tableprofile"
)

const (
	mostlyNull  = 0.9 // share of nulls from which a column is told of
	namedAtMost = 8   // columns in one finding
	mayBeKey    = 0.97
)

// profileFindings lists what stands out among columns.
func profileFindings(p *tableprofile.Profile, warnings []arrowio.Warning) (out []Finding) {
	if p.Rows < 2 {
		return nil
	}
	masked := make([]bool, len(p.Columns))
	var hidden []string
	for i := range p.Columns {
		if path := p.Columns[i].Path; Masked(warnings, path) {
			masked[i], hidden = true, append(hidden, drawing.Clip(drawing.Named(path), 80))
		}
	}
	if len(hidden) > 0 {
		out = append(out, maskedFinding(hidden))
	}
	for _, f := range []struct {
		is        func(c *tableprofile.Column) bool
		kind      string
		what, why string
	}{
		{onlyNulls, "advice", "only nulls", "No row has a value."},
		{func(c *tableprofile.Column) bool {
			return c.Nulls != nil && !onlyNulls(c) && part(*c.Nulls, c.Rows) >= mostlyNull
		}, "advice", "mostly null", "Nine rows in ten, and more, have no value."},
		{func(c *tableprofile.Column) bool { return c.NaN != nil && *c.NaN > 0 }, "advice", "NaN", "NaN is unequal to everything, itself included, and neither less nor greater; a sum with one is NaN."},
		{func(c *tableprofile.Column) bool {
			return c.Empty != nil && *c.Empty > 0 && c.Nulls != nil && *c.Nulls > 0 && drawing.Kind(c.Type) == "text"
		}, "advice", "empty text beside nulls", "Both may mean that there is no value."},
		{func(c *tableprofile.Column) bool {
			return c.Distinct != nil && *c.Distinct == tableprofile.Distinct{Count: 1, Exact: true} && c.Values() == c.Rows && c.Rows > 1
		}, "good", "one value in every row", "It tells no row from another."},
		{func(c *tableprofile.Column) bool { return differs(c, p.Rows) && c.Distinct.Exact }, "good", "no value twice", "It may be a key."},
		{func(c *tableprofile.Column) bool { return differs(c, p.Rows) && !c.Distinct.Exact }, "good", "hardly any value twice", "It may be a key, as far as an estimate of the different values tells."},
	} {
		var names []string
		n := 0
		for i := range p.Columns {
			if c := &p.Columns[i]; !masked[i] && f.is(c) {
				if n++; n <= namedAtMost {
					names = append(names, drawing.Clip(drawing.Named(c.Path), 80))
				}
			}
		}
		if n == 0 {
			continue
		}
		text := f.what + ": " + strings.Join(names, ", ")
		if n > namedAtMost {
			text += fmt.Sprintf(" and %s more", drawing.Number(n-namedAtMost))
		}
		out = append(out, Finding{f.kind, text, f.why})
	}
	return out
}

func onlyNulls(c *tableprofile.Column) bool { return c.Rows > 0 && c.Values() == 0 }

// differs reports whether a column has a value in every row, and none that is known to be there twice. Floating point numbers are no keys.
func differs(c *tableprofile.Column, rows int64) bool {
	if c.Distinct == nil || drawing.Kind(c.Type) == "fractions" || c.Rows != rows || c.Values() != rows || len(c.Top) > 0 && c.Top[0].Count > 1 {
		return false
	}
	if c.Distinct.Exact {
		return c.Distinct.Count == rows
	}
	return float64(c.Distinct.Count) >= mayBeKey*float64(rows)
}
