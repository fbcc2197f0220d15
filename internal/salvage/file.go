package salvage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// File is what is intact of a damaged file. Its rows are counted without those that are left out.
type File struct {
	arrowio.File
	schema *arrow.Schema
	mode   Mode
	below  []arrowio.Split
	parts  []part
	splits []arrowio.Split
	losses []arrowio.Warning
	behind Behind
}

// Behind is what lies in front of a file that others are read with: see Join.
type Behind struct {
	Rows int64  // of the files in front, as they were written
	Name string // what reports call the file: "the file at byte 4711"; "" = there is no other
}

// part is what a split shows.
type part struct {
	split int              // of the file below
	rows  arrowio.RowRange // of the file below
	null  []int            // columns of the schema that are null, sorted
}

// New shows what is intact of f. damage is what is not; f must be able to read everything else. Closing the File closes f. All
// splits of f must know their rows.
func New(f arrowio.File, mode Mode, damage []Damage, limits errs.Limits) (*File, error) {
	return NewBehind(f, mode, damage, limits, Behind{})
}

// NewBehind is New for a file that lies behind others.
func NewBehind(f arrowio.File, mode Mode, damage []Damage, limits errs.Limits, behind Behind) (*File, error) {
	out := &File{File: f, schema: f.Schema(), mode: mode, below: f.Splits(), behind: behind}
	if mode == Columns {
		out.schema = nullable(f.Schema())
	}
	total := int64(0)
	for _, s := range out.below {
		total = max(total, s.Rows.End)
	}
	all := segments(total, f.Schema().NumFields(), damage)
	left := int64(0)
	for _, s := range all {
		shown := !s.damaged() || mode == Columns && len(s.columns) < f.Schema().NumFields() && canBeNull(f.Schema(), s.columns)
		if s.damaged() {
			out.report(&s, shown)
		}
		if !shown {
			continue
		}
		for i, b := range out.below {
			rows := b.Rows.Intersect(s.rows)
			if rows.Len() == 0 {
				continue
			}
			bytes := int64(float64(b.Bytes) * float64(rows.Len()) / float64(b.Rows.Len()))
			out.parts = append(out.parts, part{i, rows, s.columns})
			out.splits = append(out.splits, arrowio.Split{Ordinal: len(out.splits), Rows: arrowio.RowRange{Start: left, End: left + rows.Len()}, Bytes: bytes})
			left += rows.Len()
		}
		if most := limits.WithDefaults().Splits; len(out.splits) > most {
			return nil, errs.Errorf(errs.ErrLimit, "what is intact has more parts than the limit Splits = %d", most)
		}
	}
	return out, nil
}

// nullable returns the schema with columns that may all be null.
func nullable(s *arrow.Schema) *arrow.Schema {
	fields := slices.Clone(s.Fields())
	for i := range fields {
		if _, union := fields[i].Type.(arrow.UnionType); !union {
			fields[i].Nullable = true
		}
	}
	md := s.Metadata()
	return arrow.NewSchema(fields, &md)
}

// canBeNull reports whether columns can be shown as null: unions have no nulls.
func canBeNull(s *arrow.Schema, columns []int) bool {
	return !slices.ContainsFunc(columns, func(i int) bool {
		_, union := s.Field(i).Type.(arrow.UnionType)
		return union
	})
}

// Unwrap returns the file below: see arrowio.As.
func (f *File) Unwrap() arrowio.File { return f.File }

// Schema returns the schema. Where columns may be null that are not so in the file below, their fields say so.
func (f *File) Schema() *arrow.Schema { return f.schema }

// Splits lists the runs of rows that are shown.
func (f *File) Splits() []arrowio.Split { return f.splits }

// maxTold is how many losses are told one by one.
const maxTold = 1000

// report notes a loss.
func (f *File) report(s *segment, shown bool) {
	if len(f.losses) > maxTold { // the last one counts
		w := &f.losses[maxTold]
		w.Rows += s.rows.Len()
		w.Text = fmt.Sprintf("lost: in %d rows more, in other places", w.Rows)
		return
	}
	if len(f.losses) == maxTold {
		f.losses = append(f.losses, arrowio.Warnf(arrowio.WarnLost, ""))
		f.losses[maxTold].Rows = 0
		f.report(s, shown)
		return
	}
	d := s.first
	place := d.Place
	if f.behind.Name != "" && place != "" {
		place += " of " + f.behind.Name
	}
	rows := arrowio.RowRange{Start: f.behind.Rows + s.rows.Start, End: f.behind.Rows + s.rows.End}
	w := arrowio.Warning{Kind: arrowio.WarnLost, Place: place, Rows: rows.Len(), Range: rows, Bytes: d.Bytes}
	all := len(s.columns) == f.schema.NumFields()
	names := make([]string, len(s.columns))
	for i, c := range s.columns {
		names[i] = expr.Quote(f.schema.Field(c).Name)
	}
	if !all && shown {
		w.Columns = names
	}
	var b strings.Builder
	fmt.Fprintf(&b, "lost: rows %d to %d", rows.Start, rows.End)
	if place != "" {
		fmt.Fprintf(&b, " (%s)", place)
	}
	switch {
	case shown:
		fmt.Fprintf(&b, ": null in %s", listed(names))
	case all:
		b.WriteString(": left out")
	default:
		fmt.Fprintf(&b, ": left out because of %s", listed(names))
	}
	b.WriteString(": " + reason(d.Reason, len(s.columns) > 1 && d.Column != All))
	switch {
	case s.more == 1:
		b.WriteString("; and another reason")
	case s.more > 1:
		fmt.Fprintf(&b, "; and %d more reasons", s.more)
	}
	w.Text = b.String()
	f.losses = append(f.losses, w)
}

// reason is the text of err, without what the report has said of the place.
func reason(err error, column bool) string {
	var e *errs.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	c := *e
	c.File, c.Format, c.Split = "", "", -1
	if !column {
		c.Column = ""
	}
	return c.Error()
}

// listed names columns, of many the first.
func listed(names []string) string {
	const most = 5
	word := "columns "
	if len(names) == 1 {
		word = "column "
	}
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s%s and %d more", word, strings.Join(names[:most], ", "), more)
	}
	return word + strings.Join(names, ", ")
}

// Warnings implements arrowio.Warner: the losses, in the order of rows, then the warnings of the file below.
func (f *File) Warnings() []arrowio.Warning {
	out := slices.Clone(f.losses)
	return append(out, arrowio.WarningsOf(f.File)...)
}

// Info describes the file below, with the rows that are shown.
func (f *File) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	return infoOf(ctx, f.File, f.splits, o)
}

// infoOf describes a file, with the splits that are shown in place of its own.
func infoOf(ctx context.Context, f arrowio.File, splits []arrowio.Split, o arrowio.InfoOptions) (*arrowio.Info, error) {
	o.Filter = nil // it would be explained for the splits as they are stored
	info, err := f.Info(ctx, o)
	if err != nil {
		return nil, err
	}
	info.Rows, info.Splits = 0, nil
	for _, s := range splits {
		info.Rows += s.Rows.Len()
		info.Splits = append(info.Splits, arrowio.SplitInfo{Rows: s.Rows, Bytes: s.Bytes})
	}
	return info, nil
}

// Prune leaves out nothing if anything is damaged: what describes the rows may be, too.
func (f *File) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	p := f.parts[s.Ordinal]
	if len(f.losses) > 0 {
		return arrowio.RowSet{}.Add(s.Rows), nil
	}
	set, err := f.File.Prune(ctx, f.below[p.split], pred)
	return shift(set.Clip(p.rows), s.Rows.Start-p.rows.Start), err
}

func shift(set arrowio.RowSet, by int64) (out arrowio.RowSet) {
	for _, r := range set {
		out = out.Add(arrowio.RowRange{Start: r.Start + by, End: r.End + by})
	}
	return out
}

// Read opens the rows of a split. Columns that are null there are not read.
func (f *File) Read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	at := f.parts[s.Ordinal]
	r := &reader{schema: p.Schema, mem: mem, left: s.Rows.Len(), from: make([]int, len(p.Fields))}
	var fields []arrow.Field
	var in arrowio.Projection
	stored := f.File.Schema()
	for i, pf := range p.Fields {
		r.from[i] = len(in.Fields)
		if _, null := slices.BinarySearch(at.null, pf.Index); null {
			r.from[i] = -1
			continue
		}
		in.Fields = append(in.Fields, pf)
		fields = append(fields, pf.Narrow(stored.Field(pf.Index)))
	}
	if len(in.Fields) == 0 && len(p.Fields) > 0 {
		return r, nil
	}
	md := p.Schema.Metadata()
	in.Schema = arrow.NewSchema(fields, &md)
	below, err := f.File.Read(ctx, f.below[at.split], shift(rows.Clip(s.Rows), at.rows.Start-s.Rows.Start), in, mem)
	if err != nil {
		return nil, err
	}
	if _, err := below.Skip(at.rows.Start - f.below[at.split].Rows.Start); err != nil {
		_ = below.Close()
		return nil, err
	}
	r.in = below
	return r, nil
}
