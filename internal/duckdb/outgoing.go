//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

// #include "bridge.h"
import "C"

import (
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// outgoing is a column of a result, or a part of one, on its way to Arrow: what DuckDB's values are that Arrow cannot hold, for which
// DuckDB's own conversion has others in their place.
type outgoing struct {
	name     string // with the names of what it is in
	id       C.int
	checked  bool // values of it, or of children, may be such
	children []outgoing
}

// unsaid are types whose values have no meaning in Arrow: the bytes are DuckDB's own, or a part is left out.
var unsaid = map[C.int]string{
	C.DUCKDB_TYPE_BIT:     "BIT",
	C.DUCKDB_TYPE_BIGNUM:  "BIGNUM",
	C.DUCKDB_TYPE_TIME_TZ: "TIME WITH TIME ZONE",
	C.DUCKDB_TYPE_VARIANT: "VARIANT",
}

// checkedTypes are those of which some values cannot be said.
var checkedTypes = map[C.int]bool{
	C.DUCKDB_TYPE_DATE: true, C.DUCKDB_TYPE_TIME: true, C.DUCKDB_TYPE_TIME_NS: true, C.DUCKDB_TYPE_TIMESTAMP: true, C.DUCKDB_TYPE_TIMESTAMP_S: true,
	C.DUCKDB_TYPE_TIMESTAMP_MS: true, C.DUCKDB_TYPE_TIMESTAMP_NS: true, C.DUCKDB_TYPE_TIMESTAMP_TZ: true, C.DUCKDB_TYPE_HUGEINT: true, C.DUCKDB_TYPE_UHUGEINT: true,
}

// cannotLeave is an error of a column, or of a part of one.
func cannotLeave(kind errs.Kind, name, format string, args ...any) error {
	return &errs.Error{Kind: kind, Column: name, Split: -1, Off: -1, Err: errs.Errorf(kind, format, args...)}
}

func longInterval(name string) error {
	return cannotLeave(errs.ErrSchema, name, "an interval has more than 292 years in hours and seconds, which Arrow cannot hold: use CAST(… AS VARCHAR), or justify_days and the like")
}

// resultOutgoing looks at the columns of a result.
func resultOutgoing(r *C.duckdb_result) ([]outgoing, error) {
	return outgoingOf(int(C.duckdb_column_count(r)), func(i C.idx_t) (string, C.duckdb_logical_type) {
		return C.GoString(C.duckdb_column_name(r, i)), C.duckdb_column_logical_type(r, i)
	})
}

// leaves refuses a statement whose result has a column of a type that cannot leave DuckDB.
func (r *Rows) leaves() error {
	_, err := outgoingOf(int(C.duckdb_prepared_statement_column_count(r.stmt)), func(i C.idx_t) (string, C.duckdb_logical_type) {
		return freed(C.duckdb_prepared_statement_column_name(r.stmt, i)), C.duckdb_prepared_statement_column_logical_type(r.stmt, i)
	})
	return err
}

// outgoingOf looks at n columns. Types that a statement does not know yet are nil.
func outgoingOf(n int, column func(C.idx_t) (string, C.duckdb_logical_type)) ([]outgoing, error) {
	out := make([]outgoing, n)
	for i := range out {
		name, t := column(C.idx_t(i))
		o, err := newOutgoing(name, t)
		if err != nil {
			return nil, err
		}
		out[i] = o
	}
	return out, nil
}

// newOutgoing takes t, which it destroys.
func newOutgoing(name string, t C.duckdb_logical_type) (o outgoing, err error) {
	if t == nil {
		return outgoing{name: name}, nil
	}
	defer C.duckdb_destroy_logical_type(&t)
	o = outgoing{name: name, id: C.duckdb_get_type_id(t)}
	if text := unsaid[o.id]; text != "" {
		return o, cannotLeave(errs.ErrUnsupported, name, "values of type %s cannot leave DuckDB as they are, since Arrow has no such type: use CAST(… AS VARCHAR)", text)
	}
	o.checked = checkedTypes[o.id]
	add := func(suffix string, t C.duckdb_logical_type) {
		if err != nil {
			C.duckdb_destroy_logical_type(&t)
			return
		}
		var child outgoing
		child, err = newOutgoing(name+suffix, t)
		o.children = append(o.children, child)
		o.checked = o.checked || child.checked
	}
	switch o.id {
	case C.DUCKDB_TYPE_LIST:
		add(".*", C.duckdb_list_type_child_type(t))
	case C.DUCKDB_TYPE_ARRAY:
		add(".*", C.duckdb_array_type_child_type(t))
	case C.DUCKDB_TYPE_MAP:
		add(".key", C.duckdb_map_type_key_type(t))
		add(".value", C.duckdb_map_type_value_type(t))
	case C.DUCKDB_TYPE_STRUCT:
		for i := range C.duckdb_struct_type_child_count(t) {
			add("."+freed(C.duckdb_struct_type_child_name(t, i)), C.duckdb_struct_type_child_type(t, i))
		}
	case C.DUCKDB_TYPE_UNION:
		for i := range C.duckdb_union_type_member_count(t) {
			add("."+freed(C.duckdb_union_type_member_name(t, i)), C.duckdb_union_type_member_type(t, i))
		}
	}
	return o, err
}

// freed takes a text of DuckDB's.
func freed(text *C.char) string {
	defer C.duckdb_free(unsafe.Pointer(text))
	return C.GoString(text)
}

// check fails for values that are not what they were in DuckDB, nor what came from tables.
func (o *outgoing) check(a arrow.Array, came *extremes) error {
	if !o.checked || a.Len() == 0 {
		return nil
	}
	switch a := a.(type) {
	case *array.Date32, *array.Timestamp:
		return o.finite(a, came)
	case *array.Time64:
		day := int64(86_400) * int64(1e9/a.DataType().(*arrow.Time64Type).Unit.Multiplier())
		if beyond(a, a.Time64Values(), 0, arrow.Time64(day-1)) >= 0 {
			return cannotLeave(errs.ErrSchema, o.name, "24:00:00 is no time of a day in Arrow: use CAST(… AS VARCHAR)")
		}
	case *array.Decimal128:
		return o.digits(a)
	case *array.Map:
		if err := o.children[0].check(a.Keys(), came); err != nil {
			return err
		}
		return o.children[1].check(a.Items(), came)
	case *array.Struct:
		for i := range o.children {
			if err := o.children[i].check(a.Field(i), came); err != nil {
				return err
			}
		}
	case array.Union:
		for i := range o.children {
			if err := o.children[i].check(a.Field(i), came); err != nil {
				return err
			}
		}
	case array.ListLike:
		return o.children[0].check(a.ListValues(), came)
	}
	return nil
}

// beyond returns a row whose value is not between two others; -1 = none.
func beyond[T ~int32 | ~int64](a arrow.Array, values []T, least, most T) int {
	for i, v := range values {
		if (v < least || v > most) && a.IsValid(i) {
			return i
		}
	}
	return -1
}

// finite fails for infinite values, but for those that may have come as they are.
func (o *outgoing) finite(a arrow.Array, came *extremes) error {
	if extreme(a) < 0 || came.of(a.DataType()).Load() {
		return nil
	}
	return cannotLeave(errs.ErrSchema, o.name, "a value is infinite in DuckDB, which Arrow's %s cannot be: use CAST(… AS VARCHAR), or CASE WHEN isfinite(…) THEN … END", a.DataType().Name())
}

// mostNumber is the first number of more digits than a decimal has.
var mostNumber = decimal128.GetScaleMultiplier(mostDigits)

// digits fails for integers that are no decimals of 38 digits.
func (o *outgoing) digits(a *array.Decimal128) error {
	for i, v := range a.Values() {
		high, unsigned := v.HighBits(), o.id == C.DUCKDB_TYPE_UHUGEINT
		if high == int64(v.LowBits())>>63 && !unsigned || a.IsNull(i) {
			continue // it fits 64 bits
		}
		if unsigned && high < 0 || v.Abs().Sign() < 0 || v.Abs().Cmp(mostNumber) >= 0 {
			return cannotLeave(errs.ErrSchema, o.name, "an integer has more than %d digits, which Arrow's decimals cannot have: use CAST(… AS VARCHAR), or AS DOUBLE", mostDigits)
		}
	}
	return nil
}
