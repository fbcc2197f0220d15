package hivetable

import (
	"context"
	"errors"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/extsort"
	"github.com/arrowio/arrowio/internal/partitiontext"
)

// driver writes rows to files of a table. Rows of a partitioned table are sorted by partition first, so that one file is written at a
// time.
type driver struct {
	ctx    context.Context
	t      *Table
	st     arrowio.Store
	mem    memory.Allocator
	shape  *shape
	o      arrowio.WriteOptions
	sorter *extsort.Sorter // nil = the table has no partitions
	texts  []func(a arrow.Array, i int) string

	at string // the partition being written
	w  arrowio.Writer
}

func (t *Table) newDriver(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
	sh, ok := p.Driver.(*shape)
	if !ok {
		return nil, errs.Errorf(errs.ErrInternal, "not a plan of the table")
	}
	d := &driver{ctx: ctx, t: t, st: st, mem: p.Options.Allocator, shape: sh, o: t.fileOptions(p.Options)}
	if d.mem == nil {
		d.mem = arrowbuf.Shared()
	}
	d.mem = arrowbuf.Clean(d.mem)
	if t.keys == nil {
		return d, nil
	}
	if d.o.Memory <= 0 {
		d.o.Memory = 1 << 30
	}
	d.o.Memory /= 2
	var by []extsort.Key
	for _, f := range d.keys() {
		by = append(by, extsort.Key{Column: expr.Quote(f.Name)})
		d.texts = append(d.texts, partitiontext.Of(f.Type))
	}
	var err error
	d.sorter, err = extsort.New(sh.schema, by, extsort.Options{Memory: d.o.Memory, Scratch: st.Scratch, Parallelism: d.o.Parallelism})
	return d, err
}

// keys are the fields of the partition columns.
func (d *driver) keys() []arrow.Field { return d.shape.schema.Fields()[d.shape.files.NumFields():] }

// Write implements arrowio.Writer.
func (d *driver) Write(rec arrow.Record) error {
	if rec.NumRows() == 0 {
		return nil
	}
	rows, err := d.shape.conv.Record(rec, d.mem)
	if err != nil {
		return err
	}
	defer rows.Release()
	if d.sorter != nil {
		return d.sorter.Add(d.ctx, rows)
	}
	if err := d.enter("", nil); err != nil {
		return err
	}
	return d.w.Write(rows)
}

// Close implements arrowio.Writer: it writes what was sorted.
func (d *driver) Close() error {
	if d.sorter != nil {
		sorter := d.sorter
		d.sorter = nil
		if err := sorter.Each(d.ctx, d.writeSorted); err != nil {
			return err
		}
	}
	return d.leave()
}

// writeSorted writes each run of rows of one partition.
func (d *driver) writeSorted(wide arrow.Record) error {
	n := d.shape.files.NumFields()
	rows := array.NewRecord(d.shape.files, wide.Columns()[:n], wide.NumRows())
	defer rows.Release()
	keys := wide.Columns()[n:]
	return extsort.Runs(keys, int(wide.NumRows()), func(from, to int) error {
		name, values, err := d.partition(keys, from)
		if err != nil {
			return err
		}
		if err := d.enter(name, values); err != nil {
			return err
		}
		part := rows.NewSlice(int64(from), int64(to))
		defer part.Release()
		return d.w.Write(part)
	})
}

// partition returns the name and the values of the partition that a row belongs to.
func (d *driver) partition(keys []arrow.Array, row int) (string, []string, error) {
	var parts, values []string
	for k, f := range d.keys() {
		text := partitiontext.Null
		if keys[k].IsValid(row) {
			text = d.texts[k](keys[k], row)
			if f.Type.ID() == arrow.DECIMAL128 && strings.Contains(text, ".") { // as Hive writes them
				text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
			}
			if text == "" || text == partitiontext.Null {
				return "", nil, schemaError(f.Name, "the value %q cannot be the name of a directory: it would be read back as null", text)
			}
		}
		values = append(values, strings.Clone(text))
		parts = append(parts, partitiontext.Escape(strings.ToLower(f.Name))+"="+partitiontext.Escape(text))
	}
	return strings.Join(parts, "/"), values, nil
}

// enter makes a partition the one being written.
func (d *driver) enter(name string, values []string) error {
	if d.w != nil && d.at == name {
		return nil
	}
	if err := d.leave(); err != nil {
		return err
	}
	if err := d.t.enter(d.ctx, name, values); err != nil {
		return err
	}
	plan, err := d.t.format.Plan(d.shape.files, d.o)
	if err != nil {
		return err
	}
	below := &below{Store: d.st}
	if name != "" {
		below.prefix = name + "/"
	}
	d.at = name
	d.w, err = arrowio.NewWriter(d.ctx, d.t.format, below, plan)
	return err
}

// leave finishes the files of the partition being written.
func (d *driver) leave() error {
	if d.w == nil {
		return nil
	}
	w := d.w
	d.w = nil
	return w.Close()
}

// Abort implements arrowio.Writer.
func (d *driver) Abort() error {
	var err error
	if d.sorter != nil {
		err = d.sorter.Close()
		d.sorter = nil
	}
	if d.w != nil {
		err = errors.Join(err, d.w.Abort())
		d.w = nil
	}
	return err
}

// below is a directory of a store, which somebody else ends.
type below struct {
	arrowio.Store
	prefix string
}

func (s *below) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	return s.Store.Create(ctx, s.prefix+name)
}

func (*below) Commit() error { return nil }
func (*below) Abort() error  { return nil }
