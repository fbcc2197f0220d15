//go:build interop

package trevni_test

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/expr"
)

// giveNullable has the writer get columns that may be null in place of those that may not, and the option that says that they are not.
func giveNullable(s *sample) {
	fields, names := append([]arrow.Field(nil), s.schema.Fields()...), []string(nil)
	for i, f := range fields {
		_, union := f.Type.(arrow.UnionType)
		if f.Nullable || union || f.Type.ID() == arrow.NULL || len(s.schema.FieldIndices(f.Name)) != 1 {
			continue
		}
		fields[i].Nullable = true
		names = append(names, expr.Quote(f.Name))
	}
	if len(names) > 0 {
		s.options.Options["trevni-not-null"] = strings.Join(names, ",")
	}
	s.give(fields, nil)
}

// giveNanoseconds adds a column of timestamps in microseconds, which the writer gets in nanoseconds, with more digits if it is to cut them.
func giveNanoseconds(r *randomizer, s *sample, mem memory.Allocator, cut bool) {
	for s.schema.NumFields() == 0 || strings.Contains(s.schema.String(), "timestamp[ns") { // the option is for all timestamps
		name := s.name
		s.release()
		*s = *r.sample(500)
		s.name = name
	}
	const last = 1 << 52 // microseconds, which nanoseconds can hold
	s.options.Options["trevni-timestamps"] = "micros"
	if cut {
		s.options.Options["trevni-timestamps"] = "cut"
	}
	zone := pick(r, "", "UTC")
	field := arrow.Field{Name: "when", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: zone}, Nullable: !s.plain && r.OneOf(2)}
	fine := field
	fine.Type = &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: zone}
	md := s.schema.Metadata()
	fields := append(append([]arrow.Field(nil), s.schema.Fields()...), field)
	s.schema = arrow.NewSchema(fields, &md)
	var columns []arrow.Array
	for k, rec := range s.recs {
		b := array.NewTimestampBuilder(mem, field.Type.(*arrow.TimestampType))
		n := array.NewTimestampBuilder(mem, fine.Type.(*arrow.TimestampType))
		for range rec.NumRows() {
			if field.Nullable && r.OneOf(3) {
				b.AppendNull()
				n.AppendNull()
				continue
			}
			us, more := r.Int63n(2*last)-last, int64(0)
			if cut {
				more = r.Int63n(1000)
			}
			b.Append(arrow.Timestamp(us))
			n.Append(arrow.Timestamp(us*1000 + more))
		}
		s.recs[k] = array.NewRecord(s.schema, append(append([]arrow.Array(nil), rec.Columns()...), b.NewArray()), rec.NumRows())
		columns = append(columns, n.NewArray())
	}
	fields = append([]arrow.Field(nil), fields...)
	fields[len(fields)-1] = fine
	s.give(fields, columns)
}

// give sets what the writer gets: the fields, and the last column of each record, if it is another.
func (s *sample) give(fields []arrow.Field, last []arrow.Array) {
	md := s.schema.Metadata()
	s.given = &given{schema: arrow.NewSchema(fields, &md)}
	for k, rec := range s.recs {
		columns := append([]arrow.Array(nil), rec.Columns()...)
		if last != nil {
			columns[len(columns)-1] = last[k]
		}
		s.given.recs = append(s.given.recs, array.NewRecord(s.given.schema, columns, rec.NumRows()))
	}
}
