package icebergtable

import (
	"context"
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/extsort"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/partwriter"
)

// driver writes rows to files of a table. Rows of a partitioned table, or of one with a sort order, are sorted first, so that one
// file is written at a time.
type driver struct {
	ctx   context.Context
	t     *Table
	mem   memory.Allocator
	cast  *caster
	files *files
	rows  int64     // that were given
	only  *rowCheck // that all rows must pass; nil = they need not

	within    bool  // all rows are in one partition
	partition []any // which that is

	parts  []partField // whose values tell partitions apart: those that are not void
	keys   []sortKey
	wide   *arrow.Schema // of the rows and behind them the keys
	sorter *extsort.Sorter
}

// sortKey is a column that rows are sorted by: a transform of a column, or the column itself.
type sortKey struct {
	by        extsort.Key
	transform iceberg.Transform
	source    iceberg.Type
	path      []int
	made      bool // it is behind the columns of the rows
}

func (t *Table) newDriver(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (_ arrowio.Writer, err error) {
	tp, ok := p.Driver.(*tablePlan)
	if !ok {
		return nil, errs.Errorf(errs.ErrInternal, "not a plan of the table")
	}
	if t.base == nil {
		if err := t.make(ctx, tp.fields); err != nil {
			return nil, err
		}
	}
	fields, err := t.base.fields()
	if err != nil {
		return nil, err
	}
	d, err := t.driverOf(ctx, st, p.Schema, fields, p.Options, nil)
	if err != nil {
		return nil, err
	}
	if t.opt.mode == modeReplace { // before rows are written for nothing
		s, err := t.listed(ctx)
		if err == nil {
			err = s.current(t.base.meta.SpecID)
		}
		if err != nil {
			return nil, errors.Join(err, d.Abort())
		}
	}
	if t.where != nil {
		if err := t.where.bind(d.cast.schema); err != nil {
			return nil, errors.Join(err, d.Abort())
		}
		t.o.Write = p.Options // of what is written to delete rows
		d.only = &rowCheck{filter: t.where.bound}
	}
	return d, nil
}

// driverOf returns a driver for rows of a schema in files with some fields. within is a file in whose partition all rows are, which is
// one of the current spec; nil = that is found out row by row.
func (t *Table) driverOf(ctx context.Context, st arrowio.Store, schema *arrow.Schema, fields []iceberg.Field, o arrowio.WriteOptions, within *stateFile) (_ *driver, err error) {
	d := &driver{ctx: ctx, t: t, mem: o.Allocator}
	if d.mem == nil {
		d.mem = arrowbuf.Shared()
	}
	d.mem = arrowbuf.Clean(d.mem)
	if d.cast, err = newCaster(schema, fields); err != nil {
		return nil, err
	}
	parts, err := partFields(t.base.meta.Specs[t.base.meta.SpecID], fields)
	if err != nil {
		return nil, err
	}
	if within != nil {
		d.within = true
		for i := range parts {
			if p := &parts[i]; p.Transform.Kind != iceberg.Void {
				d.partition = append(d.partition, fromAvro(&p.typ, within.File.Partition[p.avroName]))
			}
		}
	}
	sorted := d.sortBy(parts, fields)
	if len(d.keys) > 0 {
		if o.Memory <= 0 {
			o.Memory = 1 << 30
		}
		o.Memory /= 2
	}
	if d.files, err = newFiles(ctx, t, st, d.cast, parts, o); err != nil {
		return nil, err
	}
	if sorted {
		order := int32(t.base.number("default-sort-order-id", 0))
		d.files.order = &order
	}
	if len(d.keys) > 0 {
		err = d.newSorter(o, st)
	}
	return d, err
}

// make stages a new table.
func (t *Table) make(ctx context.Context, fields []iceberg.Field) error {
	spec, err := t.opt.spec(fields)
	if err != nil {
		return err
	}
	props := map[string]string{propFormat: t.opt.format}
	for k, v := range t.opt.props {
		props[k] = v
	}
	t.base, err = t.catalog.stage(ctx, t.opt.version, fields, spec, props)
	if err == nil && t.base.meta.Version != t.opt.version {
		err = errs.Errorf(errs.ErrUnsupported, "the catalog makes a table of format version %d, not %d", t.base.meta.Version, t.opt.version)
	}
	return err
}

// sortBy finds what rows are sorted by: partitions, then the table's order. It reports whether they have that order then.
func (d *driver) sortBy(parts []partField, fields []iceberg.Field) bool {
	for _, p := range parts {
		if p.Transform.Kind != iceberg.Void && !d.within {
			d.parts = append(d.parts, p)
			d.keys = append(d.keys, sortKey{transform: p.Transform, source: p.source, path: p.path, made: true})
		}
	}
	var order []sortKey
	for _, o := range d.t.base.meta.Order {
		k := sortKey{transform: o.Transform, path: iceberg.Find(fields, o.Source)}
		if k.path == nil {
			return false
		}
		at := fields
		for _, i := range k.path {
			k.source, at = at[i].Type, at[i].Type.Fields
		}
		to, ok := partitionType(o.Transform, &k.source)
		if !ok || to.Kind == iceberg.Unknown {
			return false
		}
		k.by = extsort.Key{Column: column(fields, k.path), Descending: o.Descending, NullsFirst: o.NullsFirst}
		k.made = o.Transform.Kind != iceberg.Identity
		if o.Transform.Kind != iceberg.Void {
			order = append(order, k)
		}
	}
	d.keys = append(d.keys, order...)
	return len(d.t.base.meta.Order) > 0
}

// newSorter starts to sort rows with their keys behind them.
func (d *driver) newSorter(o arrowio.WriteOptions, st arrowio.Store) error {
	all := d.cast.schema.Fields()
	names := map[string]bool{}
	for _, f := range all {
		names[f.Name] = true
	}
	by := make([]extsort.Key, len(d.keys))
	for i := range d.keys {
		k := &d.keys[i]
		if k.made {
			to, _ := partitionType(k.transform, &k.source) // it was asked before
			name := "key"
			for names[name] {
				name += "_"
			}
			names[name] = true
			all = append(all, arrow.Field{Name: name, Type: sortType(&to), Nullable: true})
			k.by.Column = expr.Quote(name)
		}
		by[i] = k.by
	}
	d.wide = arrow.NewSchema(all, nil)
	var err error
	d.sorter, err = extsort.New(d.wide, by, extsort.Options{Memory: o.Memory, Scratch: st.Scratch, Parallelism: o.Parallelism})
	return err
}

// Write implements arrowio.Writer.
func (d *driver) Write(rec arrow.Record) error {
	if rec.NumRows() == 0 {
		return nil
	}
	rows, err := d.cast.record(rec, d.mem)
	if err != nil {
		return partwriter.NameRow(rec, d.rows, err, func(part arrow.Record) error {
			rows, err := d.cast.record(part, d.mem)
			if err == nil {
				rows.Release()
			}
			return err
		})
	}
	d.rows += rec.NumRows()
	defer rows.Release()
	if d.only != nil {
		if err := d.only.check(rows); err != nil {
			return err
		}
	}
	if d.sorter == nil {
		return d.files.write(rows, d.partition)
	}
	wide, err := d.withKeys(rows)
	if err != nil {
		return err
	}
	defer wide.Release()
	return d.sorter.Add(d.ctx, wide)
}

func (d *driver) withKeys(rows arrow.Record) (arrow.Record, error) {
	cols := append([]arrow.Array{}, rows.Columns()...)
	defer func() {
		for _, a := range cols[rows.NumCols():] {
			a.Release()
		}
	}()
	for i := range d.keys {
		k := &d.keys[i]
		if !k.made {
			continue
		}
		a, err := transformed(k.transform, &k.source, columnAt(rows, k.path), d.mem)
		if err != nil {
			return nil, err
		}
		cols = append(cols, a)
	}
	return array.NewRecord(d.wide, cols, rows.NumRows()), nil
}

// columnAt returns a column below structs, null where one of them is.
func columnAt(rec arrow.Record, path []int) arrow.Array {
	a := rec.Column(path[0])
	for _, k := range path[1:] {
		s, ok := a.(*array.Struct)
		if !ok {
			return a
		}
		a = under(s, s.Field(k))
	}
	return a
}

// under returns a child of a struct, null where the struct is.
func under(s *array.Struct, child arrow.Array) arrow.Array {
	if s.NullN() == 0 {
		return child
	}
	n := child.Len()
	bits := make([]byte, (n+7)/8)
	nulls := 0
	for i := range n {
		if s.IsValid(i) && child.IsValid(i) {
			bits[i>>3] |= 1 << (i & 7)
		} else {
			nulls++
		}
	}
	d := child.Data()
	if d.Offset() > 0 { // the bitmap would have to be moved
		moved := make([]byte, (d.Offset()+n+7)/8)
		for i := range n {
			if bits[i>>3]>>(i&7)&1 != 0 {
				moved[(d.Offset()+i)>>3] |= 1 << ((d.Offset() + i) & 7)
			}
		}
		bits = moved
	}
	buffers := append([]*memory.Buffer{memory.NewBufferBytes(bits)}, d.Buffers()[1:]...)
	data := array.NewData(d.DataType(), n, buffers, d.Children(), nulls, d.Offset())
	defer data.Release()
	return array.MakeFromData(data)
}

// finish writes what was sorted.
func (d *driver) finish() error {
	if d.sorter != nil {
		sorter := d.sorter
		d.sorter = nil
		if err := sorter.Each(d.ctx, d.writeSorted); err != nil {
			return err
		}
	}
	return d.files.end()
}

// Close implements arrowio.Writer: it writes what was sorted, and says what the table gets.
func (d *driver) Close() (err error) {
	if err := d.finish(); err != nil {
		return err
	}
	added := &batch{spec: d.t.base.meta.SpecID, entries: d.files.entries, keep: true}
	d.t.mu.Lock()
	defer d.t.mu.Unlock()
	if d.t.where != nil {
		x := newDeleter(d.t)
		d.t.planner = func(ctx context.Context) (*change, error) { return x.plan(ctx, added) }
		return nil
	}
	if d.t.opt.mode == modeReplace {
		x := &partitionReplacer{t: d.t, id: d.t.base.newID(), parts: d.files.parts, added: added}
		d.t.planner = x.plan
		return nil
	}
	c := &change{op: opAppend, id: d.t.base.newID(), replace: d.t.opt.mode == modeOverwrite}
	if c.replace {
		c.op = opOverwrite
	}
	c.add(added)
	d.t.change = c
	return nil
}

// writeSorted writes each run of rows of one partition.
func (d *driver) writeSorted(wide arrow.Record) error {
	n := d.cast.schema.NumFields()
	rows := array.NewRecord(d.cast.schema, wide.Columns()[:n], wide.NumRows())
	defer rows.Release()
	keys := wide.Columns()[n:][:len(d.parts)]
	return extsort.Runs(keys, int(wide.NumRows()), func(from, to int) error {
		partition := append(make([]any, 0, len(d.parts)), d.partition...)
		for i, k := range keys {
			partition = append(partition, valueOfSorted(&d.parts[i].typ, k, from))
		}
		part := rows.NewSlice(int64(from), int64(to))
		defer part.Release()
		return d.files.write(part, partition)
	})
}

// Abort implements arrowio.Writer.
func (d *driver) Abort() error {
	var err error
	if d.sorter != nil {
		err = d.sorter.Close()
		d.sorter = nil
	}
	if d.files != nil {
		err = errors.Join(err, d.files.abort())
	}
	return err
}
