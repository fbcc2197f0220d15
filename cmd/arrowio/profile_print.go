package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/arrowio/arrowio/internal/celltext"
	"github.com/arrowio/arrowio/internal/report"
	"github.com/arrowio/arrowio/internal/tableprofile"
)

// Widths of values in the table of a profile.
const (
	profileValue = 24
	profileTop   = 2 // frequent values
)

// noRowsRead says that a profile is one of statistics.
const noRowsRead = "what statistics say: no rows were read"

// printProfile prints a profile as a table.
func printProfile(w sheet, d profileDoc) error {
	head := printable(d.title) + ": "
	if n := len(d.Files); n > 1 {
		head += plural(n, "file") + ", "
	}
	head += fmt.Sprintf("%s, %s, %s", d.formats, counted(d.Rows, "row"), plural(topColumns(d.Columns), "column"))
	if !d.Scanned {
		head += "; " + noRowsRead
	}
	w.line("", "  ", head)
	header := []string{"column", "type", "values", "nulls", "distinct", "min", "median", "max", "mean", "length", "among them", "frequent"}
	right := map[string]bool{"values": true, "nulls": true, "distinct": true, "mean": true}
	rows := make([][]string, len(d.Columns))
	names := make([]string, len(d.Columns))
	for i := range d.Columns {
		names[i] = d.Columns[i].Path
	}
	names = toldApart(names)
	for i := range d.Columns {
		rows[i] = profileRow(&d.Columns[i], d.Rows)
		rows[i][0] = names[i]
		if report.Masked(d.Warnings, d.Columns[i].Path) {
			rows[i][3] += ", masked"
		}
	}
	return printTable(w, header, right, rows)
}

// topColumns counts the columns that are not inside of others.
func topColumns(columns []tableprofile.Column) (n int) {
	for i := range columns {
		if columns[i].Depth == 0 {
			n++
		}
	}
	return n
}

func profileRow(c *tableprofile.Column, rows int64) []string {
	shown := func(v *string) string { return profileCell(c.Type, v) }
	row := []string{c.Path, c.Type, "", "", "", shown(c.Min), "", shown(c.Max), "", "", "", ""}
	if c.Nested {
		row[1], _, _ = strings.Cut(c.Type, "<") // the lines below tell the rest
	}
	if c.Rows != rows {
		row[2] = humanize.Comma(c.Rows)
	}
	row[3] = "unknown"
	if c.Nulls != nil {
		row[3] = "0"
		if *c.Nulls > 0 {
			row[3] = percentage(*c.Nulls, c.Rows)
		}
	}
	if d := c.Distinct; d != nil {
		row[4] = humanize.Comma(d.Count)
		if !d.Exact {
			row[4] = "~" + row[4]
		}
	}
	for _, q := range c.Quantiles {
		if q.Share == 0.5 {
			row[6] = shown(&q.Value)
			if !c.QuantilesExact {
				row[6] = "~" + row[6]
			}
		}
	}
	if c.Mean != nil {
		row[8] = celltext.Rounded(*c.Mean, 6)
	}
	if l := c.Lengths; l != nil {
		row[9] = humanize.Comma(l.Min)
		if l.Max > l.Min {
			row[9] = fmt.Sprintf("%s to %s, mean %s", humanize.Comma(l.Min), humanize.Comma(l.Max), celltext.Rounded(l.Mean, 3))
		}
	}
	row[10] = strings.Join(amongThem(c), ", ")
	row[11] = strings.Join(frequentValues(c), ", ")
	return row
}

// amongThem says how many of the values are of a kind.
func amongThem(c *tableprofile.Column) (out []string) {
	for _, x := range []struct {
		name string
		n    *int64
	}{{"zero", c.Zero}, {"negative", c.Negative}, {"NaN", c.NaN}, {"empty", c.Empty}, {"true", c.True}} {
		if x.n != nil && *x.n > 0 {
			out = append(out, x.name+" "+percentage(*x.n, c.Values()))
		}
	}
	return out
}

func frequentValues(c *tableprofile.Column) (out []string) {
	for _, t := range c.Top[:min(len(c.Top), profileTop)] {
		share := percentage(t.Count, c.Values())
		switch {
		case t.AtMost > t.Count && strings.HasPrefix(share, "<"):
			share = "≥ " + plural(int(t.Count), "row")
		case t.AtMost > t.Count:
			share = "≥ " + share
		}
		out = append(out, profileCell(c.Type, &t.Value)+" "+share)
	}
	return out
}

// profileCell is a value of a type, cut for the table.
func profileCell(typ string, v *string) string {
	switch {
	case v == nil:
		return ""
	case *v == "" || (*v)[0] == ' ' || (*v)[len(*v)-1] == ' ':
		return strconv.Quote(*v)
	}
	text := printable(*v)
	if strings.HasPrefix(typ, "time") {
		text = celltext.WithoutZeros(text)
	}
	if displayWidth(text) > profileValue {
		return clip(text, profileValue)
	}
	return text
}

// percentage is a share that is 0 or 100 only if it is exactly that.
func percentage(n, of int64) string {
	switch p := 100 * float64(n) / float64(max(of, 1)); {
	case n == of:
		return "100%"
	case p < 0.1:
		return "<0.1%"
	case p > 99.9:
		return ">99.9%"
	case p < 10:
		return strconv.FormatFloat(p, 'f', 1, 64) + "%"
	default:
		return strconv.FormatFloat(min(p, 99.9), 'f', 1, 64) + "%"
	}
}
