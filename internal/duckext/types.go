//go:build duckdb_extension && cgo && (linux || darwin)

package duckext

// #include <stdlib.h>
// #include "duckext.h"
import "C"

import (
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/fieldname"
)

const (
	mostDigits   = 38      // of a decimal in DuckDB
	mostElements = 100_000 // of an array in DuckDB, less one
	uuidName     = "arrow.uuid"
)

// simple are the types without parameters.
var simple = map[arrow.Type]C.struct_duckext_type{
	arrow.NULL:                    {kind: C.DUCKEXT_NULL, logical: C.DUCKDB_TYPE_SQLNULL},
	arrow.BOOL:                    {kind: C.DUCKEXT_BOOL, logical: C.DUCKDB_TYPE_BOOLEAN},
	arrow.INT8:                    {kind: C.DUCKEXT_COPY, logical: C.DUCKDB_TYPE_TINYINT, size: 1},
	arrow.INT16:                   {kind: C.DUCKEXT_COPY, logical: C.DUCKDB_TYPE_SMALLINT, size: 2},
	arrow.INT32:                   {kind: C.DUCKEXT_COPY, logical: C.DUCKDB_TYPE_INTEGER, size: 4},
	arrow.INT64:                   {kind: C.DUCKEXT_COPY, logical: C.DUCKDB_TYPE_BIGINT, size: 8},
	arrow.UINT8:                   {kind: C.DUCKEXT_COPY, logical: C.DUCKDB_TYPE_UTINYINT, size: 1},
	arrow.UINT16:                  {kind: C.DUCKEXT_COPY, logical: C.DUCKDB_TYPE_USMALLINT, size: 2},
	arrow.UINT32:                  {kind: C.DUCKEXT_COPY, logical: C.DUCKDB_TYPE_UINTEGER, size: 4},
	arrow.UINT64:                  {kind: C.DUCKEXT_COPY, logical: C.DUCKDB_TYPE_UBIGINT, size: 8},
	arrow.FLOAT16:                 {kind: C.DUCKEXT_HALF, logical: C.DUCKDB_TYPE_FLOAT},
	arrow.FLOAT32:                 {kind: C.DUCKEXT_COPY, logical: C.DUCKDB_TYPE_FLOAT, size: 4},
	arrow.FLOAT64:                 {kind: C.DUCKEXT_COPY, logical: C.DUCKDB_TYPE_DOUBLE, size: 8},
	arrow.STRING:                  {kind: C.DUCKEXT_TEXT, logical: C.DUCKDB_TYPE_VARCHAR},
	arrow.LARGE_STRING:            {kind: C.DUCKEXT_LARGE, logical: C.DUCKDB_TYPE_VARCHAR},
	arrow.STRING_VIEW:             {kind: C.DUCKEXT_VIEW, logical: C.DUCKDB_TYPE_VARCHAR},
	arrow.BINARY:                  {kind: C.DUCKEXT_TEXT, logical: C.DUCKDB_TYPE_BLOB},
	arrow.LARGE_BINARY:            {kind: C.DUCKEXT_LARGE, logical: C.DUCKDB_TYPE_BLOB},
	arrow.BINARY_VIEW:             {kind: C.DUCKEXT_VIEW, logical: C.DUCKDB_TYPE_BLOB},
	arrow.DATE32:                  {kind: C.DUCKEXT_DATE32, logical: C.DUCKDB_TYPE_DATE},
	arrow.DATE64:                  {kind: C.DUCKEXT_DATE64, logical: C.DUCKDB_TYPE_DATE},
	arrow.INTERVAL_MONTHS:         {kind: C.DUCKEXT_MONTHS, logical: C.DUCKDB_TYPE_INTERVAL},
	arrow.INTERVAL_DAY_TIME:       {kind: C.DUCKEXT_DAYS, logical: C.DUCKDB_TYPE_INTERVAL},
	arrow.INTERVAL_MONTH_DAY_NANO: {kind: C.DUCKEXT_CALENDAR, logical: C.DUCKDB_TYPE_INTERVAL},
}

// toMicros is the factor from a unit to microseconds, negative where it is a divisor.
var toMicros = map[arrow.TimeUnit]C.int64_t{arrow.Second: 1_000_000, arrow.Millisecond: 1000, arrow.Microsecond: 1, arrow.Nanosecond: -1000}

// stamps are the types of timestamps without a time zone.
var stamps = map[arrow.TimeUnit]C.int{
	arrow.Second: C.DUCKDB_TYPE_TIMESTAMP_S, arrow.Millisecond: C.DUCKDB_TYPE_TIMESTAMP_MS,
	arrow.Microsecond: C.DUCKDB_TYPE_TIMESTAMP, arrow.Nanosecond: C.DUCKDB_TYPE_TIMESTAMP_NS,
}

// typeOf fills out, which is zero, with what a field without dictionaries is in DuckDB. What it allocates there
// duckext_free_type frees, after an error, too.
func typeOf(f arrow.Field, out *C.struct_duckext_type) error {
	t := arrowtype.Storage(f.Type)
	if s, ok := simple[t.ID()]; ok {
		*out = s
		return nil
	}
	switch t := t.(type) {
	case *arrow.FixedSizeBinaryType:
		*out = C.struct_duckext_type{kind: C.DUCKEXT_FIXED, logical: C.DUCKDB_TYPE_BLOB, size: C.int(t.ByteWidth)}
		if t.ByteWidth == 16 && extensionOf(f) == uuidName {
			*out = C.struct_duckext_type{kind: C.DUCKEXT_UUID, logical: C.DUCKDB_TYPE_UUID}
		}
	case *arrow.Decimal128Type:
		return decimal(t, t.Precision, t.Scale, 16, out)
	case *arrow.Decimal256Type:
		return decimal(t, t.Precision, t.Scale, 32, out)
	case *arrow.Time32Type:
		*out = C.struct_duckext_type{kind: C.DUCKEXT_TIME, logical: C.DUCKDB_TYPE_TIME, size: 4, by: toMicros[t.Unit]}
	case *arrow.Time64Type:
		*out = C.struct_duckext_type{kind: C.DUCKEXT_TIME, logical: C.DUCKDB_TYPE_TIME, size: 8, by: toMicros[t.Unit]}
	case *arrow.TimestampType:
		switch {
		case t.TimeZone == "":
			*out = C.struct_duckext_type{kind: C.DUCKEXT_STAMP, logical: stamps[t.Unit]}
		case t.Unit == arrow.Microsecond:
			*out = C.struct_duckext_type{kind: C.DUCKEXT_STAMP, logical: C.DUCKDB_TYPE_TIMESTAMP_TZ}
		default:
			*out = C.struct_duckext_type{kind: C.DUCKEXT_INSTANT, logical: C.DUCKDB_TYPE_TIMESTAMP_TZ, by: toMicros[t.Unit]}
		}
	case *arrow.DurationType:
		*out = C.struct_duckext_type{kind: C.DUCKEXT_DURATION, logical: C.DUCKDB_TYPE_INTERVAL, by: toMicros[t.Unit]}
	default:
		return nestedType(t, out)
	}
	return nil
}

// extensionOf returns the name of a field's extension type; "" = it has none.
func extensionOf(f arrow.Field) string {
	if e, ok := f.Type.(arrow.ExtensionType); ok {
		return e.ExtensionName()
	}
	name, _ := f.Metadata.GetValue(ipc.ExtensionTypeKeyName)
	return name
}

// decimal fills out for a decimal that is stored in size bytes.
func decimal(t arrow.DataType, precision, scale int32, size int, out *C.struct_duckext_type) error {
	if precision < 1 || precision > mostDigits || scale < 0 || scale > precision {
		return refused(t)
	}
	*out = C.struct_duckext_type{
		kind: C.DUCKEXT_DECIMAL, logical: C.DUCKDB_TYPE_DECIMAL, by: C.int64_t(size), width: C.int(precision), scale: C.int(scale), size: 16,
	}
	switch {
	case precision <= 4:
		out.size = 2
	case precision <= 9:
		out.size = 4
	case precision <= 18:
		out.size = 8
	case size == 16:
		out.kind, out.by = C.DUCKEXT_COPY, 0
	}
	return nil
}

func nestedType(t arrow.DataType, out *C.struct_duckext_type) error {
	switch t := t.(type) {
	case *arrow.MapType: // before the list that it is, too
		*out = C.struct_duckext_type{kind: C.DUCKEXT_MAP, logical: C.DUCKDB_TYPE_MAP}
		return children(out, t.ElemField())
	case *arrow.ListType:
		*out = C.struct_duckext_type{kind: C.DUCKEXT_LIST, logical: C.DUCKDB_TYPE_LIST}
		return children(out, t.ElemField())
	case *arrow.LargeListType:
		*out = C.struct_duckext_type{kind: C.DUCKEXT_LARGE_LIST, logical: C.DUCKDB_TYPE_LIST}
		return children(out, t.ElemField())
	case *arrow.FixedSizeListType:
		if t.Len() < 1 || t.Len() >= mostElements {
			return refused(t)
		}
		*out = C.struct_duckext_type{kind: C.DUCKEXT_ARRAY, logical: C.DUCKDB_TYPE_ARRAY, by: C.int64_t(t.Len())}
		return children(out, t.ElemField())
	case *arrow.StructType:
		if len(t.Fields()) == 0 {
			return refused(t)
		}
		*out = C.struct_duckext_type{kind: C.DUCKEXT_STRUCT, logical: C.DUCKDB_TYPE_STRUCT}
		return children(out, t.Fields()...)
	case arrow.UnionType:
		return union(t, out)
	}
	return refused(t)
}

func union(t arrow.UnionType, out *C.struct_duckext_type) error {
	if len(t.Fields()) == 0 {
		return refused(t)
	}
	*out = C.struct_duckext_type{kind: C.DUCKEXT_SPARSE, logical: C.DUCKDB_TYPE_UNION}
	if t.ID() == arrow.DENSE_UNION {
		out.kind = C.DUCKEXT_DENSE
	}
	out.codes = (*C.int8_t)(C.malloc(128))
	codes := unsafe.Slice(out.codes, 128)
	for i := range codes {
		codes[i] = -1
	}
	for k, id := range t.TypeCodes() {
		codes[id] = C.int8_t(k)
	}
	return children(out, t.Fields()...)
}

// children fills the children of out.
func children(out *C.struct_duckext_type, fields ...arrow.Field) error {
	out.children = (*C.struct_duckext_type)(C.calloc(C.size_t(len(fields)), C.sizeof_struct_duckext_type))
	out.n_children = C.int64_t(len(fields))
	names := fieldname.Unique(fields)
	for i := range fields {
		c := &unsafe.Slice(out.children, len(fields))[i]
		if err := typeOf(fields[i], c); err != nil {
			return err
		}
		c.name = C.CString(names[i])
	}
	return nil
}

// refused is the error for a type that DuckDB does not have.
func refused(t arrow.DataType) error {
	return errs.Errorf(errs.ErrUnsupported, "DuckDB has no type for %s", t)
}
