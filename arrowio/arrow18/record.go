package arrow18

import (
	"sync/atomic"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// ToArray returns an array of v15 as one of v18. The caller releases it. Its type is that of ToType; ToField tells what that leaves
// out of an extension type.
func ToArray(a arrow.Array) (arrow18.Array, error) {
	d, err := ToData(a.Data(), nil)
	if err != nil {
		return nil, err
	}
	defer d.Release()
	return array18.MakeFromData(d), nil
}

// FromArray returns an array of v18 as one of v15. The caller releases it. Its type is that of FromType; FromField tells what that
// leaves out of an extension type.
func FromArray(a arrow18.Array) (arrow.Array, error) {
	d, err := FromData(a.Data(), nil)
	if err != nil {
		return nil, err
	}
	defer d.Release()
	return array.MakeFromData(d), nil
}

// ToRecord returns a record of v15 as one of v18. schema is the result of ToSchema for its schema, so that programs with many
// records convert the schema once; nil = ToRecord converts it. The caller releases the record.
func ToRecord(rec arrow.Record, schema *arrow18.Schema) (arrow18.RecordBatch, error) {
	if schema == nil {
		var err error
		if schema, err = ToSchema(rec.Schema()); err != nil {
			return nil, err
		}
	}
	if schema.NumFields() != int(rec.NumCols()) {
		return nil, errs.Errorf(errs.ErrSchema, "a record of %d columns for a schema of %d", rec.NumCols(), schema.NumFields())
	}
	cols := make([]arrow18.Array, 0, schema.NumFields())
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, a := range rec.Columns() {
		d, err := toData(a.Data(), schema.Field(i).Type)
		if err != nil {
			return nil, inField(schema.Field(i).Name, err)
		}
		cols = append(cols, array18.MakeFromData(d))
		d.Release()
	}
	return array18.NewRecordBatch(schema, cols, rec.NumRows()), nil
}

// FromRecord returns a record of v18 as one of v15. schema is the result of FromSchema for its schema, so that programs with
// many records convert the schema once; nil = FromRecord converts it. The caller releases the record. Metadata of the record
// itself is left out, because v15 has none.
func FromRecord(rec arrow18.RecordBatch, schema *arrow.Schema) (arrow.Record, error) {
	if schema == nil {
		var err error
		if schema, err = FromSchema(rec.Schema()); err != nil {
			return nil, err
		}
	}
	if schema.NumFields() != int(rec.NumCols()) {
		return nil, errs.Errorf(errs.ErrSchema, "a record of %d columns for a schema of %d", rec.NumCols(), schema.NumFields())
	}
	cols := make([]arrow.Array, 0, schema.NumFields())
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i, a := range rec.Columns() {
		d, err := fromData(a.Data(), schema.Field(i).Type)
		if err != nil {
			return nil, inField(schema.Field(i).Name, err)
		}
		cols = append(cols, array.MakeFromData(d))
		d.Release()
	}
	return array.NewRecord(schema, cols, rec.NumRows()), nil
}

// ToReader returns a reader of v18 over a reader of v15, which it retains. The caller releases it. It must be used by one
// goroutine at a time.
func ToReader(r array.RecordReader) (array18.RecordReader, error) {
	schema, err := ToSchema(r.Schema())
	if err != nil {
		return nil, err
	}
	r.Retain()
	out := &toReader{src: r, schema: schema}
	out.refs.Store(1)
	return out, nil
}

type toReader struct {
	refs   atomic.Int64
	src    array.RecordReader
	schema *arrow18.Schema
	rec    arrow18.RecordBatch
	err    error
}

func (r *toReader) Retain() { r.refs.Add(1) }

func (r *toReader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.src.Release()
	}
}

func (r *toReader) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
}

func (r *toReader) Schema() *arrow18.Schema          { return r.schema }
func (r *toReader) RecordBatch() arrow18.RecordBatch { return r.rec }
func (r *toReader) Record() arrow18.RecordBatch      { return r.rec }

func (r *toReader) Next() bool {
	r.drop()
	if r.err != nil || !r.src.Next() {
		return false
	}
	r.rec, r.err = ToRecord(r.src.Record(), r.schema)
	return r.err == nil
}

func (r *toReader) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.src.Err()
}

// FromReader returns a reader of v15 over a reader of v18, which it retains. The caller releases it. It must be used by one
// goroutine at a time.
func FromReader(r array18.RecordReader) (array.RecordReader, error) {
	schema, err := FromSchema(r.Schema())
	if err != nil {
		return nil, err
	}
	r.Retain()
	out := &fromReader{src: r, schema: schema}
	out.refs.Store(1)
	return out, nil
}

type fromReader struct {
	refs   atomic.Int64
	src    array18.RecordReader
	schema *arrow.Schema
	rec    arrow.Record
	err    error
}

func (r *fromReader) Retain() { r.refs.Add(1) }

func (r *fromReader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.src.Release()
	}
}

func (r *fromReader) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
}

func (r *fromReader) Schema() *arrow.Schema { return r.schema }
func (r *fromReader) Record() arrow.Record  { return r.rec }

func (r *fromReader) Next() bool {
	r.drop()
	if r.err != nil || !r.src.Next() {
		return false
	}
	r.rec, r.err = FromRecord(r.src.RecordBatch(), r.schema)
	return r.err == nil
}

func (r *fromReader) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.src.Err()
}
