package flight

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
)

// fitting makes rows of a statement, whose types are the engine's, ones of columns of a dataset.
type fitting struct {
	schema *arrow.Schema
	by     *view.Conversion
	nulls  []string // columns that may be null in the statement, and not in the dataset; "" = may
}

// newFitting fits a result into those columns of a dataset that have its names.
func newFitting(result, dataset *arrow.Schema) (*fitting, error) {
	f := &fitting{nulls: make([]string, result.NumFields())}
	fields := make([]arrow.Field, result.NumFields())
	for i, from := range result.Fields() {
		at := dataset.FieldIndices(from.Name)
		if len(at) != 1 {
			return nil, errs.Errorf(errs.ErrSchema, "the dataset has %d columns called %q", len(at), from.Name)
		}
		to := dataset.Field(at[0])
		if from.Nullable && !to.Nullable {
			f.nulls[i] = to.Name
		}
		to.Nullable = from.Nullable
		fields[i] = to
	}
	md := dataset.Metadata()
	to := arrow.NewSchema(fields, &md)
	var err error
	if f.by, err = view.Convert(result, to, view.Options{Cast: fittingCast}); err != nil {
		return nil, err
	}
	for i := range fields {
		if f.nulls[i] != "" {
			fields[i].Nullable = false
		}
	}
	f.schema = arrow.NewSchema(fields, &md)
	return f, nil
}

// record returns rec, which the caller keeps, with the columns of the dataset. The caller releases it.
func (f *fitting) record(rec arrow.Record, mem memory.Allocator) (arrow.Record, error) {
	for i, name := range f.nulls {
		if name != "" && rec.Column(i).NullN() > 0 {
			return nil, errs.Errorf(errs.ErrSchema, "column %q of the dataset is never null, and a row to be inserted has NULL there", name)
		}
	}
	out, err := f.by.Record(rec, mem)
	if err != nil {
		return nil, err
	}
	defer out.Release()
	return array.NewRecord(f.schema, out.Columns(), out.NumRows()), nil
}

// fittingCast converts types of the engine to those that it has not.
func fittingCast(from, to arrow.Field) view.Casting {
	switch t := to.Type.(type) {
	case *arrow.DictionaryType:
		if arrow.TypeEqual(from.Type, t.ValueType) {
			return encoded(t)
		}
	case *arrow.TimestampType:
		f, ok := from.Type.(*arrow.TimestampType)
		if ok && f.TimeZone != "" && t.TimeZone != "" {
			return instants(f, t)
		}
	}
	return nil
}

// encoded makes values those of a dictionary, of each batch its own.
func encoded(t *arrow.DictionaryType) view.Casting {
	return func(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
		b := array.NewDictionaryBuilder(mem, t)
		defer b.Release()
		values := array.MakeFromData(d)
		defer values.Release()
		if err := b.AppendArray(values); err != nil {
			return nil, errs.Errorf(errs.ErrUnsupported, "%s cannot be made here: %w", t, err)
		}
		a := b.NewArray()
		defer a.Release()
		a.Data().Retain()
		return a.Data(), nil
	}
}

// instants makes instants ones of another unit and time zone. None is rounded.
func instants(from, to *arrow.TimestampType) view.Casting {
	mul, div := int64(1), int64(1)
	if a, b := int64(from.Unit.Multiplier()), int64(to.Unit.Multiplier()); a > b {
		mul = a / b
	} else {
		div = b / a
	}
	return func(d arrow.ArrayData, mem memory.Allocator) (arrow.ArrayData, error) {
		values := array.NewTimestampData(d)
		defer values.Release()
		buf := memory.NewResizableBuffer(mem)
		defer buf.Release()
		buf.Resize(d.Len() * arrow.TimestampSizeBytes)
		out := arrow.TimestampTraits.CastFromBytes(buf.Bytes())
		var odd int64
		for i, v := range values.TimestampValues() {
			n := int64(v) / div * mul
			if values.IsValid(i) {
				odd |= n/mul*div ^ int64(v)
			}
			out[i] = arrow.Timestamp(n)
		}
		if odd != 0 {
			return nil, errs.Errorf(errs.ErrSchema, "an instant does not fit %s exactly", to)
		}
		if values.NullN() == 0 {
			return array.NewData(to, d.Len(), []*memory.Buffer{nil, buf}, nil, 0, 0), nil
		}
		validity := memory.NewResizableBuffer(mem)
		defer validity.Release()
		validity.Resize(int(bitutil.BytesForBits(int64(d.Len()))))
		clear(validity.Bytes())
		bitutil.CopyBitmap(values.NullBitmapBytes(), d.Offset(), d.Len(), validity.Bytes(), 0)
		return array.NewData(to, d.Len(), []*memory.Buffer{validity, buf}, nil, values.NullN(), 0), nil
	}
}
