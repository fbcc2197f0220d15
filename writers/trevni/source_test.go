package trevni_test

import (
	"fmt"
	"math"
	"math/big"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/halffloat"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// What a file must hold is worked out here from the Arrow arrays that were given to the writer, one value at a time and
// by other means than the writer's: a datum is what Avro would call the value.
//
//	nil, bool, int64, float32, float64, string, []byte     flat
//	[]any                                                  array, record (fields in order)
//	[]entry                                                map
//	branch                                                 union
type (
	entry struct {
		key   string
		value any
	}
	branch struct {
		index int // of the schema's branches
		value any
	}
)

// slot follows extensions, dictionaries and runs to the array that holds value i; ok is false for a null.
func slot(a arrow.Array, i int) (arrow.Array, int, bool) {
	for {
		switch x := a.(type) {
		case *array.Null:
			return a, i, false
		case array.ExtensionArray:
			a = x.Storage()
		case *array.Dictionary:
			if x.IsNull(i) {
				return a, i, false
			}
			a, i = x.Dictionary(), x.GetValueIndex(i)
		case *array.RunEndEncoded:
			a, i = x.Values(), x.GetPhysicalIndex(i)
		default:
			return a, i, a.IsValid(i)
		}
	}
}

// datumOf returns value i of a as data of schema s.
func datumOf(s *trevniwire.Avro, a arrow.Array, i int) any {
	a, i, ok := slot(a, i)
	if u, isUnion := a.(array.Union); isUnion && ok {
		k := u.ChildID(i)
		at := i
		if d, dense := a.(*array.DenseUnion); dense {
			at = int(d.ValueOffset(i))
		}
		if _, _, ok := slot(u.Field(k), at); !ok {
			return nullBranch(s)
		}
		return branch{k, datumOf(s.Branches[k], u.Field(k), at)}
	}
	if s.Kind == trevniwire.AvroUnion {
		if !ok {
			return nullBranch(s)
		}
		for k, b := range s.Branches {
			if !b.IsNull() {
				return branch{k, datumOf(b, a, i)}
			}
		}
	}
	if !ok {
		if !s.IsNull() {
			panic("a null where the schema has none")
		}
		return nil
	}
	switch s.Kind {
	case trevniwire.AvroRecord:
		st := a.(*array.Struct)
		rec := make([]any, len(s.Fields))
		for k, f := range s.Fields {
			rec[k] = datumOf(f.Type, st.Field(k), i)
		}
		return rec
	case trevniwire.AvroArray:
		l := a.(array.ListLike)
		list := []any{}
		from, to := l.ValueOffsets(i)
		for j := int(from); j < int(to); j++ {
			list = append(list, datumOf(s.Items, l.ListValues(), j))
		}
		return list
	case trevniwire.AvroMap:
		m := a.(*array.Map)
		entries := []entry{}
		from, to := m.ValueOffsets(i)
		for j := int(from); j < int(to); j++ {
			entries = append(entries, entry{flat(m.Keys(), j).(string), datumOf(s.Items, m.Items(), j)})
		}
		return entries
	}
	return flat(a, i)
}

// nullBranch is the union's null.
func nullBranch(s *trevniwire.Avro) any {
	for k, b := range s.Branches {
		if b.IsNull() {
			return branch{k, nil}
		}
	}
	panic("a null in a union without one")
}

// flat returns value i, which is no null, in the unit that the file has.
func flat(a arrow.Array, i int) any {
	switch a := a.(type) {
	case *array.Boolean:
		return a.Value(i)
	case *array.Int8:
		return int64(a.Value(i))
	case *array.Int16:
		return int64(a.Value(i))
	case *array.Int32:
		return int64(a.Value(i))
	case *array.Int64:
		return a.Value(i)
	case *array.Uint8:
		return int64(a.Value(i))
	case *array.Uint16:
		return int64(a.Value(i))
	case *array.Uint32:
		return int64(a.Value(i))
	case *array.Uint64:
		return int64(a.Value(i))
	case *array.Float16:
		return halffloat.Float32(a.Value(i))
	case *array.Float32:
		return a.Value(i)
	case *array.Float64:
		return a.Value(i)
	case *array.Date32:
		return int64(a.Value(i))
	case *array.Date64:
		return int64(a.Value(i)) / 86_400_000
	case *array.Time32:
		if a.DataType().(*arrow.Time32Type).Unit == arrow.Second {
			return int64(a.Value(i)) * 1000
		}
		return int64(a.Value(i))
	case *array.Time64:
		if a.DataType().(*arrow.Time64Type).Unit == arrow.Nanosecond {
			return int64(a.Value(i)) / 1000
		}
		return int64(a.Value(i))
	case *array.Timestamp:
		switch a.DataType().(*arrow.TimestampType).Unit {
		case arrow.Second:
			return int64(a.Value(i)) * 1000
		}
		return int64(a.Value(i))
	case *array.Duration:
		return int64(a.Value(i))
	case *array.String:
		return a.Value(i)
	case *array.LargeString:
		return a.Value(i)
	case *array.StringView:
		return a.Value(i)
	case *array.Binary:
		return a.Value(i)
	case *array.LargeBinary:
		return a.Value(i)
	case *array.BinaryView:
		return a.Value(i)
	case *array.FixedSizeBinary:
		return a.Value(i)
	case *array.Decimal128:
		return twos(a.Value(i).BigInt())
	case *array.Decimal256:
		return twos(a.Value(i).BigInt())
	}
	panic(fmt.Sprintf("no datum of %s", a.DataType()))
}

// twos is the shortest big-endian two's complement of v: the first number of bytes into which it fits.
func twos(v *big.Int) []byte {
	for n := 1; ; n++ {
		half := new(big.Int).Lsh(big.NewInt(1), uint(8*n-1))
		if v.Cmp(half) < 0 && v.Cmp(new(big.Int).Neg(half)) >= 0 {
			m := new(big.Int).Mod(v, new(big.Int).Lsh(half, 1))
			return m.FillBytes(make([]byte, n))
		}
	}
}

// ascends reports whether flat data of the kinds that have first values do not descend, as the mark says.
func ascends(values []any) bool {
	for i, v := range values {
		if f, ok := asFloat(v); ok && math.IsNaN(f) {
			return false
		}
		if i > 0 && less(v, values[i-1]) {
			return false
		}
	}
	return len(values) > 0
}

func asFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case float32:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func less(a, b any) bool {
	switch a := a.(type) {
	case int64:
		return a < b.(int64)
	case string:
		return a < b.(string)
	case []byte:
		return string(a) < string(b.([]byte))
	}
	x, _ := asFloat(a)
	y, _ := asFloat(b)
	return x < y
}
