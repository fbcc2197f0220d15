package writers_test

import (
	"encoding/binary"
	"fmt"
	"math/rand"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/internal/writertest"
)

// lossRandom makes schemas with metadata of all formats, and rows that most of them take.
type lossRandom struct {
	*writertest.Random
	names int
}

func newLossRandom(seed int64, mem memory.Allocator) *lossRandom {
	r := &lossRandom{Random: writertest.NewRandom(rand.NewSource(seed), mem)}
	r.Gen.Nulls = 0.2
	r.Name, r.Flat, r.Key, r.Union, r.Field, r.Fixed = r.name, r.flat, r.key, r.union, r.field, tame
	return r
}

func (r *lossRandom) name() string {
	r.names++
	if r.OneOf(12) {
		return writertest.Pick(r.Random, "two words", "dot.ted", "ünïcode", "9lives", "hy-phen") + fmt.Sprint(r.names)
	}
	return fmt.Sprintf("f%d", r.names)
}

func (r *lossRandom) flat() arrow.DataType {
	types := conformance.FlatTypes()
	if r.OneOf(2) {
		return writertest.Pick[arrow.DataType](r.Random, arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64, arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int32)
	}
	return types[r.Intn(len(types))]
}

func (r *lossRandom) key() arrow.DataType {
	return writertest.Pick[arrow.DataType](r.Random, arrow.BinaryTypes.String, arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32)
}

func (r *lossRandom) union(depth int) arrow.DataType {
	fields := []arrow.Field{
		{Name: "_0", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "_1", Type: arrow.BinaryTypes.String, Nullable: true},
	}
	codes := []arrow.UnionTypeCode{0, 1}
	if r.OneOf(3) {
		fields[0].Name, fields[1].Name = "long", "string"
	}
	if r.OneOf(4) {
		codes = []arrow.UnionTypeCode{5, 0}
	}
	return r.UnionOf(fields, codes)
}

func (r *lossRandom) field(f arrow.Field) arrow.Field {
	if r.OneOf(3) {
		f.Metadata = r.metadata([][2]string{
			{"note", ""},
			{"orc.type", "varchar(90)"},
			{"orc.type", "char(90)"},
			{"orc.iceberg.id", "7"},
			{"PARQUET:field_id", "7"},
			{"kudu.type", "varchar(90)"},
			{"kudu.comment", "a comment"},
			{"trevni.meta.unit", "cm"},
			{"trevni.logical", "uuid"},
			{"unit", "m/s"},
			{"ARROW:extension:name", "some.thing"},
			{"ARROW:extension:metadata", "{}"},
			{"orc-attribute.type", "x"},
			{"arrowio.field.x", "y"},
			{"bytes", "\xff\x00"},
			{"ünï", "é"},
		})
	}
	return f
}

func (r *lossRandom) metadata(of [][2]string) arrow.Metadata {
	var keys, values []string
	seen := map[string]bool{}
	for range 1 + r.Intn(3) {
		kv := of[r.Intn(len(of))]
		if !seen[kv[0]] {
			seen[kv[0]] = true
			keys, values = append(keys, kv[0]), append(values, kv[1])
		}
	}
	return arrow.NewMetadata(keys, values)
}

// schema makes a schema; all of its columns are flat where a format has nothing else. Its last column is a key.
func (r *lossRandom) schema(flat bool) *arrow.Schema {
	depth := r.Intn(4)
	if flat {
		depth = 0
	}
	fields := append(r.Fields(1+r.Intn(5), depth), arrow.Field{Name: "key", Type: arrow.PrimitiveTypes.Int64})
	md := arrow.Metadata{}
	if r.OneOf(2) {
		md = r.metadata([][2]string{
			{"owner", "Zoë"},
			{"orc.owner", "ops"},
			{"trevni.source", "a"},
			{"cfile.x", "y"},
			{"kudu.table", "t"},
			{"pandas", "{}"},
			{"bin", "\xff\xfe\x00"},
			{"orc.bin", "\x80"},
			{"trevni.bin", "\x80"},
			{"orc-attribute.a", "b"},
			{"empty", ""},
			{"arrowio.keys", "[]"},
			{"trevni.codec", "null"},
			{"cfile.min_key", "x"},
			{"avro.schema", "{}"},
			{"trevni.avro.schema", `"int"`},
			{"orc.arrowio.keys", `["owner"]`},
		})
	}
	return arrow.NewSchema(fields, &md)
}

// rows makes n rows of a schema, whose last column counts. The caller releases them.
func (r *lossRandom) rows(s *arrow.Schema, n int) arrow.Record {
	rec := r.Record(s, n)
	defer rec.Release()
	last := s.NumFields() - 1
	b := array.NewInt64Builder(r.Gen.Mem)
	defer b.Release()
	for i := range n {
		b.Append(int64(i))
	}
	key := b.NewArray()
	defer key.Release()
	cols := append([]arrow.Array{}, rec.Columns()...)
	cols[last] = key
	return array.NewRecord(s, cols, int64(n))
}

// tame brings values into ranges that all formats have.
func tame(t arrow.DataType, b []byte) {
	each := func(width int, f func(v int64) int64) {
		for i := 0; i+width <= len(b); i += width {
			switch width {
			case 4:
				binary.LittleEndian.PutUint32(b[i:], uint32(f(int64(int32(binary.LittleEndian.Uint32(b[i:]))))))
			case 8:
				binary.LittleEndian.PutUint64(b[i:], uint64(f(int64(binary.LittleEndian.Uint64(b[i:])))))
			}
		}
	}
	pos := func(v, n int64) int64 { return ((v % n) + n) % n }
	switch t := t.(type) {
	case *arrow.Date32Type:
		each(4, func(v int64) int64 { return pos(v, 20000) })
	case *arrow.Date64Type:
		each(8, func(v int64) int64 { return pos(v, 20000) * 86_400_000 })
	case *arrow.Time32Type:
		each(4, func(v int64) int64 { return pos(v, 86_400) })
	case *arrow.Time64Type:
		each(8, func(v int64) int64 { return pos(v, 86_400_000) * 1000 })
	case *arrow.TimestampType:
		unit := []int64{1, 1000, 1_000_000, 1_000_000_000}[t.Unit]
		each(8, func(v int64) int64 { return pos(v, 1_600_000_000) * unit })
	case *arrow.Uint64Type:
		each(8, func(v int64) int64 { return v &^ (-1 << 63) })
	case *arrow.Decimal128Type:
		each(8, func(v int64) int64 { return 0 })
		for i := 0; i+16 <= len(b); i += 16 {
			b[i] = byte(i)
		}
	case *arrow.Decimal256Type:
		each(8, func(v int64) int64 { return 0 })
		for i := 0; i+32 <= len(b); i += 32 {
			b[i] = byte(i)
		}
	}
}
