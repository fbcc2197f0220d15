package parquet

import (
	"context"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"
	pq "github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// Prune implements arrowio.File: a row group stays or goes, by the statistics of its column chunks.
func (f *parquetFile) Prune(_ context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	t := pred.Test(func(col string) expr.Evidence { return expr.StatsOnly(f.stats(s, col)) })
	if t.Skip() {
		return nil, nil
	}
	return arrowio.RowSet{}.Add(s.Rows), nil
}

// stats returns what the statistics of a column say, nothing where they are missing or not to be trusted.
func (f *parquetFile) stats(s arrowio.Split, col string) (out expr.Stats) {
	path, err := expr.Resolve(f.schema, col)
	if err != nil {
		return expr.Stats{}
	}
	leaf := f.leaf(path)
	if leaf == nil {
		return expr.Stats{}
	}
	err = guard(func() error {
		c, err := f.r.MetaData().RowGroup(s.Ordinal).ColumnChunk(leaf.ColIndex)
		if err != nil {
			return err
		}
		if ok, err := c.StatsSet(); !ok || err != nil {
			return err
		}
		st, err := c.Statistics()
		if err != nil || st == nil {
			return err
		}
		descr := f.r.MetaData().Schema.Column(leaf.ColIndex)
		out = expr.Stats{Rows: s.Rows.Len(), Nulls: -1}
		if st.HasNullCount() {
			out.Nulls = st.NullCount()
		}
		if st.HasMinMax() {
			out.Min, out.Max = bounds(st, leaf.Field.Type, descr.ColumnOrder() == pq.ColumnOrders.TypeDefinedOrder)
		}
		return nil
	})
	if err != nil { // without evidence the row group stays
		return expr.Stats{}
	}
	return out
}

// leaf returns the leaf at a path through structs only: a list has other statistics than its rows.
func (f *parquetFile) leaf(path []int) *pqarrow.SchemaField {
	fields := f.manifest.Fields
	for _, i := range path {
		if i >= len(fields) {
			return nil
		}
		fd := &fields[i]
		if isLeaf(fd) {
			return fd
		}
		if _, ok := fd.Field.Type.(*arrow.StructType); !ok {
			return nil
		}
		fields = fd.Children
	}
	return nil
}

// bounds returns the bounds of a column of type dt, nil where its order is not that of the statistics. ordered says that
// the file declares the order of its types: without that, bounds of text and of unsigned numbers were often computed
// as if they were signed.
func bounds(st metadata.TypedStatistics, dt arrow.DataType, ordered bool) (lo, hi scalar.Scalar) {
	switch st := st.(type) {
	case *metadata.BooleanStatistics:
		if dt.ID() == arrow.BOOL {
			return scalar.NewBooleanScalar(st.Min()), scalar.NewBooleanScalar(st.Max())
		}
	case *metadata.Int32Statistics:
		return integer(int64(st.Min()), dt, ordered), integer(int64(st.Max()), dt, ordered)
	case *metadata.Int64Statistics:
		return integer(st.Min(), dt, ordered), integer(st.Max(), dt, ordered)
	case *metadata.Float32Statistics:
		if dt.ID() == arrow.FLOAT32 {
			return floats(float64(st.Min()), float64(st.Max()), func(v float64) scalar.Scalar { return scalar.NewFloat32Scalar(float32(v)) })
		}
	case *metadata.Float64Statistics:
		if dt.ID() == arrow.FLOAT64 {
			return floats(st.Min(), st.Max(), func(v float64) scalar.Scalar { return scalar.NewFloat64Scalar(v) })
		}
	case *metadata.ByteArrayStatistics:
		if ordered {
			return text(st.Min(), dt), text(st.Max(), dt)
		}
	}
	return nil, nil
}

// integer returns a bound as a value of dt.
func integer(v int64, dt arrow.DataType, ordered bool) scalar.Scalar {
	switch dt := dt.(type) {
	case *arrow.Int8Type:
		return scalar.NewInt8Scalar(int8(v))
	case *arrow.Int16Type:
		return scalar.NewInt16Scalar(int16(v))
	case *arrow.Int32Type:
		return scalar.NewInt32Scalar(int32(v))
	case *arrow.Int64Type:
		return scalar.NewInt64Scalar(v)
	case *arrow.Date32Type:
		return scalar.NewDate32Scalar(arrow.Date32(v))
	case *arrow.TimestampType:
		return scalar.NewTimestampScalar(arrow.Timestamp(v), dt)
	}
	if !ordered {
		return nil
	}
	switch dt.ID() {
	case arrow.UINT8:
		return scalar.NewUint8Scalar(uint8(v))
	case arrow.UINT16:
		return scalar.NewUint16Scalar(uint16(v))
	case arrow.UINT32:
		return scalar.NewUint32Scalar(uint32(v))
	case arrow.UINT64:
		return scalar.NewUint64Scalar(uint64(v))
	}
	return nil
}

// floats widens bounds of zero: writers differ in which zero they store.
func floats(lo, hi float64, make func(float64) scalar.Scalar) (scalar.Scalar, scalar.Scalar) {
	if math.IsNaN(lo) || math.IsNaN(hi) {
		return nil, nil
	}
	if lo == 0 {
		lo = math.Copysign(0, -1)
	}
	if hi == 0 {
		hi = 0
	}
	return make(lo), make(hi)
}

// text returns a bound of text or bytes. Bounds that were cut off are bounds still.
func text(v pq.ByteArray, dt arrow.DataType) scalar.Scalar {
	if d, ok := dt.(*arrow.DictionaryType); ok {
		dt = d.ValueType
	}
	switch dt.ID() {
	case arrow.STRING:
		return scalar.NewStringScalar(string(v))
	case arrow.LARGE_STRING:
		return scalar.NewLargeStringScalar(string(v))
	case arrow.BINARY, arrow.LARGE_BINARY:
		b := memory.NewBufferBytes(append([]byte(nil), v...))
		if dt.ID() == arrow.BINARY {
			return scalar.NewBinaryScalar(b, dt)
		}
		return scalar.NewLargeBinaryScalar(b)
	}
	return nil
}
