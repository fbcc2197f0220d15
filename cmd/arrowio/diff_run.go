package main

import (
	"context"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/celltext"
	"github.com/arrowio/arrowio/internal/tablediff"
)

// cellBytes is about how much of a value is shown.
const cellBytes = 1000

func (a *app) diff(ctx context.Context, f *diffFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	var doc *diffDoc
	err := a.untilRead(func() (again bool, err error) {
		doc, again, err = a.diffOnce(ctx, f)
		return again, err
	})
	if err != nil {
		return err
	}
	if f.json {
		doc.Warnings = a.warnings.list()
		err = printJSON(a.stdout, doc)
	} else {
		err = doc.print(a.onSheet(a.stdout))
	}
	if err == nil && !doc.Same {
		err = errDifferent
	}
	return err
}

// diffOnce is one attempt of a comparison. again = columns must be read in another unit, so call it again.
func (a *app) diffOnce(ctx context.Context, f *diffFlags) (doc *diffDoc, again bool, err error) {
	var sets [2]*inputSet
	var schemas [2]*arrow.Schema
	for i, s := range f.sides {
		selected := *f.selected
		selected.exclude = nil
		if sets[i], err = a.openDataset(ctx, s.in, s.read, &selected); err != nil {
			return nil, false, err
		}
		defer sets[i].close()
		if schemas[i], err = projected(sets[i].Schema, selected.columns); err != nil {
			return nil, false, inFile(sets[i].files[0], asUsage(err))
		}
	}
	for _, s := range f.sides {
		used := slices.Concat(sets[0].used(s.read.options), sets[1].used(s.read.options))
		if err := s.read.options.check(used...); err != nil {
			return nil, false, err
		}
	}
	if err := f.checkExcluded(schemas); err != nil {
		return nil, false, err
	}
	by := tablediff.PairOptions{Exclude: f.selected.exclude, IgnoreCase: f.ignoreCase}
	if !f.schemaOnly {
		f.addMasked(sets)
		by.Masked = [2][]string{f.sides[0].masked, f.sides[1].masked}
	}
	pairing := tablediff.Pair(schemas[0], schemas[1], by)
	if excluded := f.selected.exclude; len(excluded) > 0 && len(pairing.Columns)+len(pairing.OnlyA)+len(pairing.OnlyB) == 0 {
		return nil, false, usagef("--exclude leaves no column to compare")
	}
	doc = newDiffDoc(f, pairing, schemas)
	for i, s := range []*diffInput{&doc.A, &doc.B} {
		if err := s.describe(ctx, f.sides[i], sets[i]); err != nil {
			return nil, false, err
		}
	}
	if f.schemaOnly {
		doc.judge(f)
		return doc, false, nil
	}
	again, err = a.diffRows(ctx, f, sets, schemas, pairing, by, doc)
	if f.addMasked(sets) && err == nil { // in a file of a table that was opened only now
		return nil, true, nil
	}
	doc.judge(f)
	return doc, again, err
}

// addMasked notes which columns are masked in the files opened so far, and reports whether one is new.
func (f *diffFlags) addMasked(sets [2]*inputSet) (more bool) {
	for i, s := range f.sides {
		for _, c := range sets[i].maskedColumns() {
			if !slices.Contains(s.masked, c) {
				s.masked, more = append(s.masked, c), true
			}
		}
	}
	return more
}

// projected returns the schema of some columns; nil = all.
func projected(s *arrow.Schema, columns []string) (*arrow.Schema, error) {
	if columns == nil {
		return s, nil
	}
	p, err := arrowio.Project(s, columns)
	if err != nil {
		return nil, err
	}
	return p.Schema, nil
}

// checkExcluded refuses columns of --exclude that neither input has.
func (f *diffFlags) checkExcluded(schemas [2]*arrow.Schema) error {
	for _, c := range f.selected.exclude {
		_, errA := expr.Resolve(schemas[0], c)
		_, errB := expr.Resolve(schemas[1], c)
		if errA != nil && errB != nil {
			return usagef("--exclude: %w", errA)
		}
	}
	return nil
}

// diffRows compares the rows.
func (a *app) diffRows(ctx context.Context, f *diffFlags, sets [2]*inputSet, schemas [2]*arrow.Schema, pairing *tablediff.Pairing, by tablediff.PairOptions, doc *diffDoc) (again bool, err error) {
	if err := pairing.CheckKey(f.key); err != nil {
		return false, err
	}
	var scans [2]*arrowio.Scanner
	var options [2]arrowio.ScanOptions
	w := work{rows: arrowio.UnknownRows}
	memory := int64(f.sides[0].read.memory)
	if memory == 0 {
		memory = 1 << 30
	}
	for i, s := range f.sides {
		o := scanOptions(s.read, f.selected)
		o.MemoryBudget = memory / 3
		if paths := pairing.Paths(i, schemas[i]); paths != nil {
			o.Columns = paths
		}
		options[i] = o
		if scans[i], err = sets[i].Scan(ctx, o); err != nil {
			return false, sets[i].explain(err)
		}
		defer scans[i].Release()
		each := sets[i].work(f.selected)
		w.bytes += each.bytes
		if each.rows >= 0 {
			w.rows = max(w.rows, 0) + each.rows
		}
	}
	if sets[0].rows < 0 || sets[1].rows < 0 {
		w.rows = arrowio.UnknownRows
	}
	w.read = func() int64 { return sets[0].read() + sets[1].read() }
	bar := a.startProgress(f.progress.word, "diff", w)
	defer func() { bar.stop() }()

	read := tablediff.Pair(scans[0].Schema(), scans[1].Schema(), by)
	o := f.options()
	o.Memory = memory / 3
	o.Scratch = func() (arrowio.ScratchFile, error) { return local.NewScratch(f.temp) }
	o.Progress = func(a, b int64) { bar.set(a + b) }
	o.Matching = func(done, of int) {
		if done == 0 {
			bar.stop()
			bar = a.startProgress(f.progress.word, "match", work{rows: int64(of)})
		}
		bar.set(int64(done))
	}
	result, err := read.Compare(ctx, scans[0], scans[1], o)
	if err != nil {
		for i, s := range f.sides {
			if e := scans[i].Err(); e != nil {
				return a.coarsenAfter(e, s.read, sets[i], s.in), sets[i].explain(e)
			}
		}
		return false, err
	}
	bar.stop()
	doc.count(read, result)
	x := rowTexts{app: a, flags: f, pairing: read, options: o}
	return false, x.fill(ctx, sets, options, result, doc)
}

// rowTexts reads rows that differ again, to show their values.
type rowTexts struct {
	app     *app
	flags   *diffFlags
	pairing *tablediff.Pairing
	options tablediff.Options
	rows    [2]map[int64]*rowText
}

// rowText is the values of a row: as they are compared, and as text.
type rowText struct {
	cells [][]byte
	texts []diffText
}

// fill reads the rows of the first differences and adds their values to doc.
func (x *rowTexts) fill(ctx context.Context, sets [2]*inputSet, options [2]arrowio.ScanOptions, r *tablediff.Result, doc *diffDoc) error {
	for i := range sets {
		var rows []int64
		for _, d := range r.First {
			if n := [2]int64{d.A, d.B}[i]; n != tablediff.NoRow {
				rows = append(rows, n)
			}
		}
		slices.Sort(rows)
		x.rows[i] = map[int64]*rowText{}
		if err := x.read(ctx, sets[i], options[i], i, rows); err != nil {
			return sets[i].explain(err)
		}
	}
	for _, d := range r.First {
		doc.First = append(doc.First, x.row(d))
	}
	doc.tellApart()
	return nil
}

// gapRows is how many rows between two are rather read than left out.
const gapRows = 4096

// read reads rows of a side, in order. With a filter rows have no other numbers than those of its result, so that all are read.
func (x *rowTexts) read(ctx context.Context, ds *inputSet, o arrowio.ScanOptions, side int, rows []int64) error {
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && (o.Filter != nil || rows[n]-rows[n-1] <= gapRows) {
			n++
		}
		part := o
		first := int64(0)
		if o.Filter == nil {
			first = rows[0]
			start := o.Rows.Start + first
			part.Rows = arrowio.RowRange{Start: start, End: start + rows[n-1] - first + 1}
		}
		if err := x.readPart(ctx, ds, part, side, first, rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

func (x *rowTexts) readPart(ctx context.Context, ds *inputSet, o arrowio.ScanOptions, side int, row int64, rows []int64) error {
	rr, err := ds.Scan(ctx, o)
	if err != nil {
		return err
	}
	defer rr.Release()
	for len(rows) > 0 && rr.Next() {
		rec := rr.Record()
		var writers []celltext.Writer
		end := row + rec.NumRows()
		for ; len(rows) > 0 && rows[0] < end; rows = rows[1:] {
			if writers == nil {
				writers = make([]celltext.Writer, len(x.pairing.Columns))
				for k, c := range x.pairing.Columns {
					if c.Apart == "" && !x.pairing.Presence(k) {
						col := x.pairing.At(k, side, rec)
						defer col.Release()
						writers[k] = celltext.New(col)
					}
				}
			}
			i := int(rows[0] - row)
			t := &rowText{texts: make([]diffText, len(writers))}
			if t.cells, err = x.pairing.Cells(side, rec, i, x.options); err != nil {
				return err
			}
			for k, write := range writers {
				switch {
				case x.pairing.Presence(k):
					t.texts[k] = diffText{text: "a struct", valid: t.cells[k][0] != 0}
				case write != nil && t.cells[k][0] != 0:
					t.texts[k] = newDiffText(write, i)
				}
			}
			x.rows[side][rows[0]] = t
		}
		row = end
	}
	return rr.Err()
}

// row says what a difference is.
func (x *rowTexts) row(d tablediff.Difference) diffRow {
	r := diffRow{Kind: "changed", Key: []diffCell{}, Columns: []diffCell{}}
	var a, b *rowText
	if d.A != tablediff.NoRow {
		r.RowA, a = &d.A, x.rows[0][d.A]
	}
	if d.B != tablediff.NoRow {
		r.RowB, b = &d.B, x.rows[1][d.B]
	}
	cell := func(k int) diffCell {
		col := x.pairing.Columns[k]
		c := diffCell{Path: col.Path, types: [2]string{col.A.Type, col.B.Type}}
		if a != nil {
			c.texts[0] = a.texts[k]
		}
		if b != nil {
			c.texts[1] = b.texts[k]
		}
		return c
	}
	isKey := func(k int) bool {
		return slices.ContainsFunc(x.flags.key, func(name string) bool {
			names, ok := expr.Names(name)
			return ok && expr.Quote(names...) == x.pairing.Columns[k].Path
		})
	}
	var columns []int
	switch {
	case a != nil && b != nil:
		columns = x.pairing.DifferingCells(a.cells, b.cells, x.options)
	case a != nil:
		r.Kind = "only_a"
	default:
		r.Kind = "only_b"
	}
	for k, c := range x.pairing.Columns {
		switch {
		case isKey(k):
			r.Key = append(r.Key, cell(k))
		case slices.Contains(columns, k), r.Kind != "changed" && c.Apart == "" && (!x.pairing.Presence(k) || x.tellsPresence(k, a, b)):
			r.Columns = append(r.Columns, cell(k))
		}
	}
	return r
}

// tellsPresence reports whether a struct, of a row that one input alone has, is null, or could be taken for that as all in it is.
func (x *rowTexts) tellsPresence(k int, a, b *rowText) bool {
	t := a
	if t == nil {
		t = b
	}
	for i := range x.pairing.Columns {
		if x.pairing.Inside(i, k) && t.texts[i].valid {
			return false
		}
	}
	return true
}

// describe fills in what an input is.
func (d *diffInput) describe(ctx context.Context, s *diffSide, ds *inputSet) error {
	d.Input, d.Files, d.Format, d.Formats, d.Bytes = displayName(s.in[0]), len(ds.files), ds.formats.one(), ds.formats.names(), ds.size
	d.formats, d.Codecs = ds.formats.String(), []string{}
	first := ds.kept[0]
	if len(ds.files) == 1 {
		n := len(first.Splits())
		d.Splits = &n
	}
	info, err := first.Info(ctx, arrowio.InfoOptions{})
	if err != nil {
		return inFile(first.name, err)
	}
	for _, c := range info.Columns {
		for _, codec := range strings.Split(c.Codec, ", ") {
			if codec != "" && !slices.Contains(d.Codecs, codec) {
				d.Codecs = append(d.Codecs, codec)
			}
		}
	}
	return nil
}
