package trevnitext

import (
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Avro returns the lines of rec, which is in the records view of data of the Avro schema s.
func Avro(s *trevniwire.Avro, rec arrow.Record) []string {
	lines := make([]string, 0, rec.NumRows())
	var b []byte
	for i := range int(rec.NumRows()) {
		b = b[:0]
		if s.Kind == trevniwire.AvroRecord {
			b = appendRecord(b, s, func(k int) arrow.Array { return rec.Column(k) }, i)
		} else {
			b = appendDatum(b, s, rec.Column(0), i)
		}
		lines = append(lines, string(b))
	}
	return lines
}

func appendRecord(b []byte, s *trevniwire.Avro, field func(int) arrow.Array, i int) []byte {
	b = append(b, '{')
	for k, f := range s.Fields {
		if k > 0 {
			b = append(b, ',')
		}
		b = appendString(b, f.Name)
		b = append(b, ':')
		b = appendDatum(b, f.Type, field(k), i)
	}
	return append(b, '}')
}

func appendDatum(b []byte, s *trevniwire.Avro, a arrow.Array, i int) []byte {
	switch s.Kind {
	case trevniwire.AvroRecord:
		st := a.(*array.Struct)
		return appendRecord(b, s, st.Field, i)
	case trevniwire.AvroArray:
		l := a.(*array.List)
		from, to := l.ValueOffsets(i)
		b = append(b, '[')
		for j := from; j < to; j++ {
			if j > from {
				b = append(b, ',')
			}
			b = appendDatum(b, s.Items, l.ListValues(), int(j))
		}
		return append(b, ']')
	case trevniwire.AvroMap:
		return appendMap(b, s, a.(*array.Map), i)
	case trevniwire.AvroUnion:
		if o := s.Optional(); o != nil {
			if a.IsNull(i) {
				return append(b, "null"...)
			}
			return appendBranch(b, o, a, i)
		}
		u := a.(*array.DenseUnion)
		k := u.ChildID(i)
		if s.Branches[k].IsNull() {
			return append(b, "null"...)
		}
		return appendBranch(b, s.Branches[k], u.Field(k), int(u.ValueOffset(i)))
	case trevniwire.AvroFixed:
		if d, ok := a.DataType().(arrow.DecimalType); ok && d != nil {
			return appendHex(b, signExtend(decimalBytes(a, i), s.Size))
		}
	}
	return appendStored(b, a, i)
}

func appendBranch(b []byte, s *trevniwire.Avro, a arrow.Array, i int) []byte {
	b = append(b, '{')
	b = appendString(b, s.Name)
	b = append(b, ':')
	return append(appendDatum(b, s, a, i), '}')
}

// appendMap prints entries sorted by key; of a key that stands twice the last value, as Java's maps keep it.
func appendMap(b []byte, s *trevniwire.Avro, m *array.Map, i int) []byte {
	from, to := m.ValueOffsets(i)
	keys := m.Keys().(*array.String)
	last := map[string]int{}
	var order []string
	for j := int(from); j < int(to); j++ {
		k := keys.Value(j)
		if _, ok := last[k]; !ok {
			order = append(order, k)
		}
		last[k] = j
	}
	sort.Slice(order, func(x, y int) bool { return lessUTF16(order[x], order[y]) })
	b = append(b, '{')
	for n, k := range order {
		if n > 0 {
			b = append(b, ',')
		}
		b = appendString(b, k)
		b = append(b, ':')
		b = appendDatum(b, s.Items, m.Items(), last[k])
	}
	return append(b, '}')
}
