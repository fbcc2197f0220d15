package orc

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/readall"
)

// Verify decodes everything and compares it with what the file states: the layout of stripes and streams, the number of values of
// each stream, the positions, statistics and bloom filters of each row group, and the statistics of each stripe and of the file.
// Statistics that the writer is known to get wrong are skipped. Then every row is read as a scan reads it.
//
// Of several faults of one kind in one column of one stripe, only the first is reported.
func (f *File) Verify(ctx context.Context, report func(error)) error {
	v := &verifier{File: f, ctx: ctx, report: report, inputs: &branch{tree: &tree{file: f, ctx: ctx, window: windowBytes}, scratch: new(orcwire.Scratch)}}
	v.totals = make([]tally, len(f.footer.Types))
	v.bad = map[badColumn]bool{}
	v.hidden = map[int]*secretStats{}
	for _, doubt := range f.Doubts() {
		report(doubt)
	}
	if err := v.layout(); err != nil {
		return err
	}
	for i := range f.footer.Stripes {
		if err := v.stripe(i); err != nil {
			return err
		}
	}
	if err := v.fileStats(); err != nil {
		return err
	}
	return v.rows()
}

// CountChecksums implements arrowio.ChecksumCounter: ORC has no checksums.
func (f *File) CountChecksums(context.Context) (arrowio.Checksums, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return arrowio.Checksums{Unit: "column", Parts: f.schema.NumFields(), Undecoded: slices.Clone(f.undecoded)}, nil
}

// notDecoded remembers columns of the top level that Verify could not decode, in the order of the schema.
func (f *File) notDecoded(names []string) {
	f.mu.Lock()
	f.undecoded = names
	f.mu.Unlock()
}

// verifier is one run of Verify.
type verifier struct {
	*File
	ctx    context.Context
	report func(error)
	inputs *branch // what inputs need of one: it has no nodes
	totals []tally // of the file, by column
	broken bool    // totals are not those of the whole file
	bad    map[badColumn]bool
	hidden map[int]*secretStats // of encryption variants; nil = they cannot be read
	coarse *File                // see inMicroseconds; nil = not needed so far
}

// badColumn is a column of the top level that has a fault in a stripe: reading it would only say the same again.
type badColumn struct{ stripe, column int }

// fault reports what is wrong with the file. It returns what says nothing about the file: the end of ctx, trouble with
// reading.
func (v *verifier) fault(err error) error {
	var e *errs.Error
	if err == nil || isIO(err) || !errors.As(err, &e) {
		return err
	}
	v.report(errs.Locate(err, errs.At{Format: Name}))
	return nil
}

func corrupt(format string, args ...any) error {
	return errs.Errorf(errs.ErrCorrupt, format, args...)
}

// layout checks that stripes follow each other and end where the footer says. Gaps are legal: writers align stripes to
// the blocks of a file system.
func (v *verifier) layout() error {
	end := v.begin + int64(len(orcwire.Magic))
	for i := range v.footer.Stripes {
		s := &v.footer.Stripes[i]
		if s.Offset < end {
			err := errs.Locate(corrupt("the stripe begins at %d, what is before it ends at %d", s.Offset, end), errs.At{Op: "footer", Split: errs.N(i), Off: errs.N(min(s.Offset, v.tail.footer.Off))})
			if err := v.fault(err); err != nil {
				return err
			}
		}
		end = max(end, s.End())
	}
	c := v.footer.ContentLength
	least := uint64(end - v.begin)
	if v.quirks.Writer == orcwire.WriterCPP || c == least-min(v.footer.HeaderLength, least) {
		least -= min(v.footer.HeaderLength, least) // which C++ and others leave out
	}
	// Presto and Trino say nothing. What is written to a stream has the tails of earlier days behind the last stripe.
	if len(v.footer.Stripes) == 0 || c == 0 || c >= least && c <= uint64(v.src.Size()) {
		return nil
	}
	return v.fault(located(corrupt("contentLength is %d, the last stripe ends at %d", c, end), "footer", v.tail.footer.Off))
}

// stripe checks one stripe.
func (v *verifier) stripe(i int) error {
	s, err := v.File.stripe(v.ctx, i)
	if err != nil {
		v.broken = true
		for _, c := range v.top() {
			v.bad[badColumn{i, c}] = true
		}
		return v.fault(err)
	}
	defer s.release()
	if err := v.streams(s); err != nil {
		return err
	}
	w := stripeCheck{verifier: v, stripe: s, totals: make([]tally, len(v.footer.Types))}
	if err := w.column(v.footer.Types[0], w.groupRows()); err != nil {
		return err
	}
	if err := w.stats(); err != nil {
		return err
	}
	for id := range v.totals {
		v.totals[id].merge(&w.totals[id])
	}
	return nil
}

// streams checks that the streams are all that lies in the stripe.
func (v *verifier) streams(s *stripe) error {
	index, data := int64(0), int64(0)
	for _, x := range s.footer.Streams {
		if x.Kind.Index() {
			index += x.Length
		} else {
			data += x.Length
		}
	}
	if index == s.info.IndexLength && data == s.info.DataLength {
		return nil
	}
	err := corrupt("streams of %d bytes of index and %d of data in a stripe that has %d and %d", index, data, s.info.IndexLength, s.info.DataLength)
	return v.fault(s.located(err, "stripe footer", s.info.Offset+s.info.IndexLength+s.info.DataLength))
}

// top returns the ids of the columns of the top level: of the fields of the schema.
func (v *verifier) top() []int {
	root := v.footer.Types[0]
	if root.Kind != orcwire.Struct {
		return []int{0}
	}
	out := make([]int, len(root.Children))
	for i, t := range root.Children {
		out[i] = t.ID
	}
	return out
}

// topOf returns the column of the top level that a type is in; the root for the root.
func topOf(t *orcwire.Type) int {
	for t.Parent != nil && t.Parent.Parent != nil {
		t = t.Parent
	}
	if t.Parent != nil && t.Parent.Kind != orcwire.Struct {
		return 0
	}
	return t.ID
}

// fileStats compares the statistics of the file.
func (v *verifier) fileStats() error {
	if v.broken || !v.quirks.StripeStatsTrusted() || v.idle(v.footer.Stats, v.footer.Rows) {
		return nil
	}
	for id, t := range v.footer.Types {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		if v.totals[id].broken {
			continue
		}
		s, err := v.statsOf(t, -1, v.footer.Stats)
		if err == nil {
			err = v.compare(t, &s, &v.totals[id], true)
		}
		if err != nil {
			err = errs.Locate(kinded(err), errs.At{Format: Name, Op: "statistics of the file", Column: t.Path(), Off: errs.N(v.tail.footer.Off)})
			if err := v.fault(err); err != nil {
				return err
			}
		}
	}
	return nil
}

// idle reports whether statistics say nothing: Hive's minor compaction counts no values where there are some.
func (v *verifier) idle(list orcwire.StatsList, rows int64) bool {
	s, err := list.At(0)
	return err == nil && rows > 0 && s.HasValues && s.Values == 0
}

// encrypted reports whether a column has encrypted variants: the statistics outside of the index are then of another copy.
func (v *verifier) encrypted(t *orcwire.Type) bool {
	e := v.footer.Encryption
	if e == nil {
		return false
	}
	for _, x := range e.Variants {
		if root := v.footer.Types[x.Root]; t.ID >= root.ID && t.ID <= root.Last {
			return true
		}
	}
	return false
}

// statsOf returns the statistics of what is read of a column, in a stripe or, -1, in the file; list has those in clear.
func (v *verifier) statsOf(t *orcwire.Type, stripe int, list orcwire.StatsList) (orcwire.ColumnStats, error) {
	if !v.encrypted(t) {
		return list.At(t.ID)
	}
	variant, ok := v.secrets.variant(t.ID)
	if !ok {
		return orcwire.ColumnStats{}, nil // of what is hidden, or of its mask: writers differ
	}
	x, ok := v.hidden[variant]
	if !ok {
		var err error
		if x, err = v.secretStats(v.ctx, variant, true); err != nil {
			v.hidden[variant] = nil
			return orcwire.ColumnStats{}, err
		}
		v.hidden[variant] = x
	}
	switch {
	case x == nil: // reported before
		return orcwire.ColumnStats{}, nil
	case stripe < 0:
		return x.column(t.ID)
	}
	return x.stripe(t.ID, stripe)
}

// masked reports whether a column is read as it stands for those without a key. Its index is of what it hides, in files of
// some releases of Java.
func (v *verifier) masked(t *orcwire.Type) bool {
	_, open := v.secrets.variant(t.ID)
	return !open && v.encrypted(t)
}

// verifyRows is how many rows are decoded at once.
const verifyRows = 1 << 13

// rows reads everything, column by column and stripe by stripe, and drops it.
func (v *verifier) rows() error {
	var undecoded []string
	defer func() { v.notDecoded(undecoded) }()
	for i, id := range v.top() {
		if hollow(v.footer.Types[id]) {
			continue
		}
		for n, part := range v.parts(i) {
			f := v.File
			for k, s := range v.splits {
				at := badColumn{v.cuts[k].stripe, id}
				if v.bad[at] {
					continue
				}
				err := readall.Split(v.ctx, f, s, part.projection, verifyRows)
				if errors.Is(err, errs.ErrBeyondNanoseconds) {
					if f, err = v.inMicroseconds(); err != nil {
						return err
					}
					part = f.parts(i)[n]
					err = readall.Split(v.ctx, f, s, part.projection, verifyRows)
				}
				var e *errs.Error
				if errors.As(err, &e) && (e.Kind == errs.ErrSchema || e.Kind == errs.ErrOption) {
					err = nil // legal, but not what Arrow can hold
					if !slices.Contains(undecoded, part.name) {
						undecoded = append(undecoded, part.name)
					}
				}
				if err != nil {
					v.bad[at] = true
				}
				if err := v.fault(err); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// part is what is read at once: a column of the top level or, of the row of an event, one of its columns.
type part struct {
	name       string // dotted path
	projection arrowio.Projection
}

// parts returns what is read of column i of the top level.
func (f *File) parts(i int) []part {
	one := func(c arrow.Field, name string, children []arrowio.ProjectedField) part {
		return part{name, arrowio.Projection{Schema: arrow.NewSchema([]arrow.Field{c}, nil), Fields: []arrowio.ProjectedField{{Index: i, Children: children}}}}
	}
	field := f.schema.Field(i)
	row, ok := field.Type.(*arrow.StructType)
	if !ok || i != int(eventRow) || !f.IsEvents() {
		return []part{one(field, field.Name, nil)}
	}
	typ := f.footer.Types[0].Children[eventRow]
	var out []part
	for k, c := range row.Fields() {
		if !hollow(typ.Children[k]) {
			field.Type = arrow.StructOf(c)
			out = append(out, one(field, typ.Children[k].Path(), []arrowio.ProjectedField{{Index: k}}))
		}
	}
	return out
}

// inMicroseconds returns the file with timestamps in microseconds. It has nothing to close: the source is the file's.
func (v *verifier) inMicroseconds() (*File, error) {
	if v.coarse == nil {
		opt, micros := v.opt, arrow.Microsecond
		opt.Unit, opt.Microseconds, opt.RefuseFiner = &micros, nil, false
		var err error
		if v.coarse, err = Open(v.ctx, v.src, v.limits, opt); err != nil {
			return nil, err
		}
	}
	return v.coarse, nil
}

// hollow reports whether a type has no values at all: any number of its rows may take no bytes.
func hollow(t *orcwire.Type) bool {
	for _, c := range t.Children {
		if !hollow(c) {
			return false
		}
	}
	return t.Kind == orcwire.Struct
}

func group(g int) string { return fmt.Sprintf("row group %d", g) }
