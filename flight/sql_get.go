package flight

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/flight/internal/transport"
)

// redeemSQL streams what the ticket of a SELECT stands for.
func (q sql) redeemSQL(ctx context.Context, t *sqlTicket, stream flight.FlightService_DoGetServer) error {
	if t.One != nil {
		rec := oneNumber(t.One.Name, t.One.Value)
		defer rec.Release()
		return q.sendOne(rec, stream)
	}
	return q.withTicketRows(ctx, t.rows, func(p *ticketRows) error { return q.streamSQL(ctx, p, t, stream) })
}

func oneNumber(name string, n int64) arrow.Record {
	b := array.NewRecordBuilder(memory.NewGoAllocator(), countSchema(name))
	defer b.Release()
	b.Field(0).(*array.Int64Builder).Append(n)
	return b.NewRecord()
}

// streamSQL scans, changes what comes as the ticket says, and sends it.
func (q sql) streamSQL(ctx context.Context, p *ticketRows, t *sqlTicket, stream flight.FlightService_DoGetServer) error {
	mem := q.allocator()
	r := &sqlRows{limit: -1, offset: t.Offset, mem: mem, schema: p.b.schema}
	if t.Limit != nil {
		r.limit = *t.Limit
	}
	switch {
	case t.Count != "":
		r.schema = countSchema(t.Count)
	case t.Items != nil:
		var err error
		if r.extract, err = newExtraction(p.b.schema, t.Items); err != nil {
			return err
		}
		r.schema = r.extract.schema
	}
	out, err := newSender(stream, r.schema, p.b.Compression, mem)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := out.Begin(); err != nil {
		return err
	}
	o := p.b.scanOptions()
	o.Rows = p.b.rows
	r.cut = &transport.Batches{Rows: o.BatchRows, Bytes: o.BatchBytes, Mem: mem, Send: func(rec arrow.Record, _ BatchMeta) error { return out.Send(rec, nil) }}
	defer r.cut.Release()
	if t.Count != "" {
		return q.count(ctx, p, o, r, t)
	}
	if err := q.read(ctx, p, o, r.add); err != nil {
		return err
	}
	return r.cut.Flush()
}

// read gives the rows of a ticket to use until that wants no more.
func (q sql) read(ctx context.Context, p *ticketRows, o arrowio.ScanOptions, use func(arrow.Record, BatchMeta) (more bool, err error)) error {
	scan, err := q.scan(ctx, p, o)
	if err != nil {
		return err
	}
	defer scan.Release()
	return p.each(scan, use)
}

// count answers with how many rows there are.
func (q sql) count(ctx context.Context, p *ticketRows, o arrowio.ScanOptions, r *sqlRows, t *sqlTicket) error {
	if r.limit == 0 || r.offset > 0 {
		return nil // that is of the row which the count is
	}
	var n int64
	err := q.read(ctx, p, o, func(rec arrow.Record, _ BatchMeta) (bool, error) {
		n += rec.NumRows()
		return true, nil
	})
	if err != nil {
		return err
	}
	rec := oneNumber(t.Count, n)
	defer rec.Release()
	if _, err := r.add(rec, BatchMeta{Rows: 1}); err != nil {
		return err
	}
	return r.cut.Flush()
}

// sqlRows makes the rows of a SELECT of those of its dataset.
type sqlRows struct {
	extract *extraction // nil = the columns as they are
	limit   int64       // rows still to come; -1 = all
	offset  int64       // rows still to be left out
	schema  *arrow.Schema
	mem     memory.Allocator
	cut     *transport.Batches
}

// add takes a record, which the caller keeps, and reports whether more are wanted.
func (r *sqlRows) add(rec arrow.Record, m BatchMeta) (more bool, err error) {
	n := rec.NumRows()
	from, to := min(r.offset, n), n
	r.offset -= from
	if r.limit >= 0 {
		to = min(to, from+min(r.limit, n))
		r.limit -= to - from
	}
	if from < to {
		if err := r.send(rec, m, from, to); err != nil {
			return false, err
		}
	}
	return r.limit != 0, nil
}

func (r *sqlRows) send(rec arrow.Record, m BatchMeta, from, to int64) error {
	if to-from < rec.NumRows() {
		rec = rec.NewSlice(from, to)
		defer rec.Release()
		m.Resume.Row = m.FirstRow - 1 // not to be cut by row numbers
	}
	if r.extract != nil {
		x, err := r.extract.record(rec, r.mem)
		if err != nil {
			return err
		}
		defer x.Release()
		rec = x
	}
	return r.cut.Add(rec, m)
}

// extraction makes columns of those of a schema, and of what is in its structs.
type extraction struct {
	schema *arrow.Schema
	paths  [][]int
}

func newExtraction(s *arrow.Schema, items []sqlItem) (*extraction, error) {
	x := &extraction{}
	fields := make([]arrow.Field, 0, len(items))
	for _, it := range items {
		ids, err := expr.Resolve(s, it.Path)
		if err != nil {
			return nil, errs.Errorf(errs.ErrSchema, "SQL: %w", err)
		}
		f := s.Field(ids[0])
		for _, i := range ids[1:] {
			st, ok := f.Type.(*arrow.StructType)
			if !ok {
				return nil, sqlError(errs.Errorf(errs.ErrUnsupported, "SQL: %s is inside a %s; SELECT can only take all of it", it.Path, f.Type.Name()))
			}
			nullable := f.Nullable
			f = st.Field(i)
			if !hasValidity(f.Type) && nullable {
				return nil, sqlError(errs.Errorf(errs.ErrUnsupported, "SQL: %s is a %s in a struct that may be null; select the struct", it.Path, f.Type.Name()))
			}
			f.Nullable = f.Nullable || nullable
		}
		f.Name = it.Name
		fields = append(fields, f)
		x.paths = append(x.paths, ids)
	}
	x.schema = arrow.NewSchema(fields, nil)
	return x, nil
}

// hasValidity reports whether arrays of a type say themselves which values are null.
func hasValidity(t arrow.DataType) bool {
	switch t.ID() {
	case arrow.DENSE_UNION, arrow.SPARSE_UNION, arrow.RUN_END_ENCODED:
		return false
	case arrow.EXTENSION:
		return hasValidity(t.(arrow.ExtensionType).StorageType())
	}
	return true
}

// record returns the columns of rec that are wanted. The caller releases it.
func (x *extraction) record(rec arrow.Record, mem memory.Allocator) (arrow.Record, error) {
	cols := make([]arrow.Array, 0, len(x.paths))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for _, ids := range x.paths {
		col := rec.Column(ids[0])
		col.Retain()
		for _, i := range ids[1:] {
			st, ok := col.(*array.Struct)
			if !ok || i >= st.NumField() {
				col.Release()
				return nil, errs.Errorf(errs.ErrInternal, "a %s where a struct was said to be", col.DataType())
			}
			inner := childOf(st, i, mem)
			col.Release()
			col = inner
		}
		cols = append(cols, col)
	}
	return array.NewRecord(x.schema, cols, rec.NumRows()), nil
}

// childOf returns a child of a struct, null where the struct is. The caller releases it.
func childOf(st *array.Struct, i int, mem memory.Allocator) arrow.Array {
	child := st.Field(i)
	d := child.Data()
	if st.NullN() == 0 || child.DataType().ID() == arrow.NULL {
		child.Retain()
		return child
	}
	own := child.NullBitmapBytes()
	outer, off, n := st.NullBitmapBytes(), int64(st.Data().Offset()), int64(child.Len())
	if len(own) == 0 {
		own = outer
		d2 := int64(d.Offset())
		bits := memory.NewResizableBuffer(mem)
		bits.Resize(int(bitutil.BytesForBits(d2 + n)))
		clear(bits.Bytes())
		bitutil.CopyBitmap(own, int(off), int(n), bits.Bytes(), int(d2))
		return withValidity(d, bits)
	}
	return withValidity(d, bitutil.BitmapAndAlloc(mem, own, outer, int64(d.Offset()), off, n, int64(d.Offset())))
}

// withValidity returns data with another validity bitmap, which it takes over.
func withValidity(d arrow.ArrayData, bits *memory.Buffer) arrow.Array {
	defer bits.Release()
	buffers := append([]*memory.Buffer{bits}, d.Buffers()[1:]...)
	var dict *array.Data
	if t := d.Dictionary(); t != nil {
		dict, _ = t.(*array.Data)
	}
	var nd *array.Data
	if dict != nil && dict.DataType() != nil {
		nd = array.NewDataWithDictionary(d.DataType(), d.Len(), buffers, array.UnknownNullCount, d.Offset(), dict)
	} else {
		nd = array.NewData(d.DataType(), d.Len(), buffers, d.Children(), array.UnknownNullCount, d.Offset())
	}
	defer nd.Release()
	return array.MakeFromData(nd)
}
