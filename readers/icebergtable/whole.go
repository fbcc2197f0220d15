package icebergtable

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// described returns what a description or a verification of the table is about: the table itself, for a verification the delete
// files, and the data files.
func (p *planner) described(path string, s *iceberg.Snapshot, members []arrowio.Fragment) []arrowio.Fragment {
	w := &wholeTable{view.Empty{Format: Name, Fields: p.table.schema}, p, s}
	out := []arrowio.Fragment{{Name: path, Schema: p.table.schema, Open: func(context.Context) (arrowio.File, error) { return w, nil }}}
	if p.table.purpose == arrowio.ForVerify {
		out = append(out, p.deleteFragments()...)
	}
	return append(out, members...)
}

// wholeTable describes and verifies what is in the metadata of a table. It has no rows: the data files have them.
type wholeTable struct {
	view.Empty
	p        *planner
	snapshot *iceberg.Snapshot // nil = the table has none
}

// BytesStored implements arrowio.ByteCounter: the manifests and their list.
func (w *wholeTable) BytesStored() int64 { return max(w.p.stored, 1) }

// Verify implements arrowio.Verifier.
func (w *wholeTable) Verify(_ context.Context, report func(error)) error {
	for _, err := range w.p.faults {
		report(err)
	}
	m := w.p.meta
	if w.snapshot != nil && m.Version >= 2 && w.snapshot.Sequence > m.Sequence {
		report(corrupt("last-sequence-number is %d, and snapshot %d has sequence-number %d", m.Sequence, w.snapshot.ID, w.snapshot.Sequence))
	}
	return nil
}

// describedSnapshots is how many snapshots a description lists.
const describedSnapshots = 100

// Info implements arrowio.File.
func (w *wholeTable) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	m := w.p.meta
	x := &arrowio.Info{Format: Name, Version: strconv.Itoa(m.Version), Schema: w.Fields}
	if len(w.p.deletes) > 0 {
		x.Rows = arrowio.UnknownRows
	}
	for _, e := range slices.Concat(w.p.data, w.p.deletes) {
		x.Bytes += e.Bytes
		if x.Rows != arrowio.UnknownRows {
			x.Rows += e.Rows
		}
	}
	fact := func(name, format string, args ...any) {
		x.Facts = append(x.Facts, arrowio.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	fact("location", "%s", m.Location)
	if m.UUID != "" {
		fact("uuid", "%s", m.UUID)
	}
	switch s := w.snapshot; {
	case s == nil:
		fact("snapshot", "none: the table has no rows")
	case s.ID == m.Current:
		fact("snapshot", "%d, the current one, %s", s.ID, snapshotDetail(s))
	default:
		fact("snapshot", "%d, %s; the current one is %d", s.ID, snapshotDetail(s), m.Current)
	}
	fact("snapshots", "%d", len(m.Snapshots))
	fact("schema", "%d, of %d", m.SchemaID, len(m.SchemaIDs))
	fact("partition", "%s", w.spec(m.Specs[m.SpecID]))
	fact("order", "%s", w.order(m.Order))
	for _, line := range totals(w.p.data, "data files") {
		fact("data", "%s", line)
	}
	for _, x := range []struct {
		what string
		is   func(e *entry) bool
	}{
		{"deletion vectors", (*entry).vector},
		{"files of position deletes", func(e *entry) bool { return e.Content == positionDeletes && !e.vector() }},
		{"files of equality deletes", func(e *entry) bool { return e.Content == equalityDeletes }},
	} {
		kind := slices.DeleteFunc(slices.Clone(w.p.deletes), func(e *entry) bool { return !x.is(e) })
		for _, line := range totals(kind, x.what) {
			fact("deletes", "%s", line)
		}
	}
	for i, f := range w.p.table.fields {
		x.Columns = append(x.Columns, arrowio.ColumnInfo{Path: f.Name, Type: w.Fields.Field(i).Type.String(), Stored: f.Type.String(), Bytes: -1})
	}
	x.Members = w.members()
	if n := len(m.Snapshots) - describedSnapshots; n > 0 {
		x.Notes = append(x.Notes, fmt.Sprintf("%d older snapshots are not listed", n))
	}
	return x, nil
}

// members returns the branches and tags, and the latest snapshots.
func (w *wholeTable) members() (out []arrowio.MemberInfo) {
	m := w.p.meta
	for _, name := range slices.Sorted(maps.Keys(m.Refs)) {
		kind, ref := "tag", m.Refs[name]
		if ref.Branch {
			kind = "branch"
		}
		out = append(out, arrowio.MemberInfo{
			Kind: kind, Name: name, ID: strconv.FormatInt(ref.Snapshot, 10), Rows: arrowio.UnknownRows, Bytes: -1,
			Open: []arrowio.Choice{{Option: optionRef, Value: name}},
		})
	}
	latest := slices.Clone(m.Snapshots)
	slices.SortStableFunc(latest, func(a, b iceberg.Snapshot) int { return cmp.Compare(b.Time, a.Time) })
	for _, s := range latest[:min(len(latest), describedSnapshots)] {
		id := strconv.FormatInt(s.ID, 10)
		x := arrowio.MemberInfo{
			Kind: "snapshot", ID: id, Rows: arrowio.UnknownRows, Bytes: -1, Detail: snapshotDetail(&s),
			Open: []arrowio.Choice{{Option: optionSnapshot, Value: id}},
		}
		if s.ID == m.Current {
			x.State = "current"
		}
		out = append(out, x)
	}
	return out
}

// snapshotDetail says when and how a snapshot was made.
func snapshotDetail(s *iceberg.Snapshot) string {
	text := time.UnixMilli(s.Time).UTC().Format("2006-01-02T15:04:05.000Z")
	if op := s.Summary["operation"]; op != "" {
		text += ", " + op
	}
	return text
}

// totals says how many files, rows and bytes there are of each format.
func totals(entries []*entry, what string) (out []string) {
	type total struct{ files, rows, bytes int64 }
	by := map[string]total{}
	for _, e := range entries {
		n := by[e.Format]
		by[e.Format] = total{n.files + 1, n.rows + e.Rows, n.bytes + e.Bytes}
	}
	for _, format := range slices.Sorted(maps.Keys(by)) {
		n := by[format]
		out = append(out, fmt.Sprintf("%s in %s: %s, with %s rows in %s", what, format, humanize.Comma(n.files), humanize.Comma(n.rows), humanize.IBytes(uint64(n.bytes))))
	}
	return out
}

// column returns the name of a column.
func (w *wholeTable) column(id int32) string {
	fields := w.p.table.fields
	at := iceberg.Find(fields, id)
	if at == nil {
		return fmt.Sprintf("column %d", id)
	}
	var names []string
	for _, i := range at {
		names = append(names, fields[i].Name)
		fields = fields[i].Type.Fields
	}
	return expr.Quote(names...)
}

func (w *wholeTable) spec(s iceberg.Spec) string {
	var out []string
	for _, f := range s.Fields {
		if f.Transform.Kind != iceberg.Void {
			out = append(out, f.Transform.String()+"("+w.column(f.Source)+")")
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

func (w *wholeTable) order(fields []iceberg.SortField) string {
	var out []string
	for _, f := range fields {
		text := w.column(f.Source)
		if f.Transform.Kind != iceberg.Identity {
			text = f.Transform.String() + "(" + text + ")"
		}
		if f.Descending {
			text += " descending"
		}
		out = append(out, text+map[bool]string{true: ", nulls first", false: ", nulls last"}[f.NullsFirst])
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, "; ")
}
