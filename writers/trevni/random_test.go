package trevni_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/internal/writertest"
)

// sample is data for the writer and how to write it.
type sample struct {
	name    string
	schema  *arrow.Schema
	recs    []arrow.Record
	options arrowio.WriteOptions
	plain   bool   // trevni-schema=columns
	given   *given // nil = schema and recs
}

// given is what a writer gets where its options are to make the file of another sample of it.
type given struct {
	schema *arrow.Schema
	recs   []arrow.Record
}

func (s *sample) release() { release(s.recs) }

// randomizer makes samples of every type that the writer takes.
type randomizer struct {
	*writertest.Random
	whole bool // no digits finer than microseconds
}

func newRandomizer(src rand.Source, mem memory.Allocator) *randomizer {
	r := &randomizer{Random: writertest.NewRandom(src, mem)}
	r.Name = func() string { return pick(r, names...) } // two siblings may have the same
	r.Flat = func() arrow.DataType { return pick(r, flats...) }
	r.Key = func() arrow.DataType {
		return pick[arrow.DataType](r, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView)
	}
	r.Union, r.Fixed = r.union, r.fitFixed
	return r
}

func pick[T any](r *randomizer, of ...T) T { return writertest.Pick(r.Random, of...) }

// sample makes a schema and batches of it; no more rows than most.
func (r *randomizer) sample(most int) *sample {
	s := &sample{plain: r.OneOf(4)}
	r.whole = s.plain
	n := pick(r, 1, 2, 3, 3, 4, 5, 8)
	if r.OneOf(40) {
		n = 0
	}
	var fields []arrow.Field
	if s.plain {
		used := map[string]bool{}
		for range n {
			fields = append(fields, r.plainField(used, "", 1+r.Intn(3)))
		}
	} else {
		fields = r.Fields(n, 1+r.Intn(4))
	}
	md := arrow.NewMetadata(nil, nil)
	if r.OneOf(3) {
		md = arrow.NewMetadata([]string{"trevni.owner", "trevni.", "other"}, []string{"Zoë \"the\\first\"", "", "not for the file"})
	}
	s.schema = arrow.NewSchema(fields, &md)
	r.Gen.Nulls = pick(r, 0, 0.1, 0.5, 0.9, 1)
	for range pick(r, 0, 1, 1, 2, 3, 6) {
		s.recs = append(s.recs, r.Record(s.schema, r.Intn(pick(r, 1, 2, 10, 100, most)+1)))
	}
	s.options = r.options(s.plain)
	if n > 0 && r.OneOf(3) {
		name := fields[r.Intn(n)].Name
		s.options.Options["trevni-codec"] = name + "=" + pick(r, "none", "snappy", "deflate:1")
	}
	if n == 0 && s.options.Options["trevni-schema"] == "" {
		s.plain = true // nothing to shred
	}
	return s
}

func (r *randomizer) options(plain bool) arrowio.WriteOptions {
	o := arrowio.WriteOptions{
		Compression: pick(r, "none", "null", "snappy", "snappy:3", "deflate", fmt.Sprintf("deflate:%d", r.Intn(10)), ""),
		Parallelism: 1 + r.Intn(2),
		Options:     map[string]string{"trevni-checksum": pick(r, "crc32", "null", "")},
		Allocator:   r.Gen.Mem,
	}
	if r.OneOf(4) {
		o.RowGroupBytes = int64(1 + r.Intn(3000))
	}
	if r.OneOf(8) {
		o.MaxFileBytes = int64(1 + r.Intn(3000))
	}
	if r.OneOf(3) {
		o.Memory = int64(1 + r.Intn(1000))
	}
	if r.OneOf(3) {
		o.Options["trevni-values"] = "*"
	}
	if r.OneOf(4) {
		o.Options["trevni-lengths"] = pick(r, "java", "runs")
	}
	if r.OneOf(5) {
		o.Options["trevni-integers"] = "fixed"
	}
	if r.OneOf(4) {
		o.Options["trevni-block-bytes"] = pick(r, "1024", "5000", "1MiB")
	}
	if r.OneOf(6) {
		o.Options["trevni-statistics"] = pick(r, "blocks", "none")
	}
	if plain {
		o.Options["trevni-schema"] = "columns"
	} else if r.OneOf(2) {
		o.Options["trevni-schema"] = "avro"
	}
	return o
}

// fitFixed makes numbers that a file can hold; some become extreme.
func (r *randomizer) fitFixed(t arrow.DataType, b []byte) {
	width := t.(arrow.FixedWidthDataType).BitWidth() / 8
	for i := 0; i+width <= len(b); i += width {
		v := b[i : i+width]
		if r.OneOf(12) && (arrow.IsFloating(t.ID()) || arrow.IsInteger(t.ID()) || t.ID() == arrow.DATE32 || t.ID() == arrow.DURATION) {
			switch r.Intn(3) {
			case 0: // the least integer, a negative zero
				clear(v)
				v[width-1] = 0x80
			case 1: // the greatest
				for k := range v {
					v[k] = 0xff
				}
				v[width-1] = 0x7f
			case 2: // any bits, among them NaNs with payloads
				r.Read(v)
				if arrow.IsFloating(t.ID()) {
					v[width-1] = 0x7f | v[width-1]&0x80
				}
			}
		}
		switch t := t.(type) {
		case *arrow.Uint64Type:
			v[7] &= 0x7f
		case *arrow.TimestampType:
			x := int64(binary.LittleEndian.Uint64(v))
			switch t.Unit {
			case arrow.Second:
				x = max(min(x, math.MaxInt64/1000), math.MinInt64/1000)
			case arrow.Nanosecond:
				if r.whole {
					x -= x % 1000
				}
			}
			binary.LittleEndian.PutUint64(v, uint64(x))
		case *arrow.Time64Type:
			if t.Unit == arrow.Nanosecond {
				binary.LittleEndian.PutUint64(v, binary.LittleEndian.Uint64(v)*1000)
			}
		}
	}
}

// flatTypes are those that the writer takes; intervals it refuses.
func flatTypes() []arrow.DataType {
	var out []arrow.DataType
	for _, t := range conformance.FlatTypes() {
		switch t.ID() {
		case arrow.INTERVAL_MONTHS, arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO:
		default:
			out = append(out, t)
		}
	}
	return append(out,
		&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}, &arrow.TimestampType{Unit: arrow.Nanosecond},
		&arrow.TimestampType{Unit: arrow.Second, TimeZone: "America/New_York"}, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
		arrow.FixedWidthTypes.Duration_ns, &arrow.Decimal128Type{Precision: 18, Scale: 18}, &arrow.Decimal256Type{Precision: 40, Scale: 3},
		&arrow.FixedSizeBinaryType{ByteWidth: 16})
}

var flats = flatTypes()

// names holds what fields are called: few are Avro names, some are words of Avro's own.
var names = []string{
	"a", "b", "c", "x", "name", "value", "key", "item", "", "Row", "Row_2", "int", "long", "string", "null", "array", "map", "record", "union", "bytes",
	"a.b", "a#b", "a[]", "m>key", "u/int", "Zürich", "語", "9lives", "two words", "quote\"\\", "_", "a_b", "tab\there", "🙂",
}

// union makes branches that Avro can tell apart: one of each kind.
func (r *randomizer) union(depth int) arrow.DataType {
	kinds := []func() arrow.DataType{
		func() arrow.DataType { return arrow.Null },
		func() arrow.DataType { return arrow.FixedWidthTypes.Boolean },
		func() arrow.DataType {
			return pick[arrow.DataType](r, arrow.PrimitiveTypes.Int32, arrow.FixedWidthTypes.Date32)
		},
		func() arrow.DataType {
			return pick[arrow.DataType](r, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint32)
		},
		func() arrow.DataType { return arrow.PrimitiveTypes.Float32 },
		func() arrow.DataType { return arrow.PrimitiveTypes.Float64 },
		func() arrow.DataType {
			return pick[arrow.DataType](r, arrow.BinaryTypes.String, arrow.BinaryTypes.StringView, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String})
		},
		func() arrow.DataType {
			return pick[arrow.DataType](r, arrow.BinaryTypes.Binary, &arrow.Decimal128Type{Precision: 20, Scale: 2})
		},
		func() arrow.DataType { return &arrow.FixedSizeBinaryType{ByteWidth: 3} },
		func() arrow.DataType { return &arrow.FixedSizeBinaryType{ByteWidth: 5} },
		func() arrow.DataType { return arrow.StructOf(r.Fields(r.Intn(3), depth-1)...) },
		func() arrow.DataType { return arrow.StructOf(r.Fields(r.Intn(3), depth-1)...) },
		func() arrow.DataType { return arrow.ListOfField(r.NewField("item", depth-1)) },
		func() arrow.DataType { return arrow.MapOf(arrow.BinaryTypes.String, pick(r, flats...)) },
	}
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	n := 1 + r.Intn(5)
	fields := make([]arrow.Field, n)
	codes := make([]arrow.UnionTypeCode, n)
	code := r.Intn(20)
	for i := range fields {
		fields[i] = arrow.Field{Name: pick(r, names...), Type: kinds[i](), Nullable: r.OneOf(2)}
		codes[i] = arrow.UnionTypeCode(code)
		code += 1 + r.Intn(20)
	}
	return r.UnionOf(fields, codes)
}

// plainField makes a field for trevni-schema=columns: flat values, lists of them, and lists of structs of such.
func (r *randomizer) plainField(used map[string]bool, path string, depth int) arrow.Field {
	f := arrow.Field{Name: pick(r, names...)}
	full := func() string {
		if path == "" {
			return f.Name
		}
		return path + "." + f.Name
	}
	for used[full()] {
		f.Name += "+"
	}
	used[full()] = true
	switch {
	case depth > 0 && r.OneOf(3):
		var children []arrow.Field
		for range 1 + r.Intn(3) {
			children = append(children, r.plainField(used, full(), depth-1))
		}
		f.Type = arrow.ListOfNonNullable(arrow.StructOf(children...))
	case depth > 0 && r.OneOf(3):
		f.Type = arrow.ListOfNonNullable(r.plainType())
	default:
		f.Type = r.plainType()
		f.Nullable = f.Type.ID() == arrow.NULL
	}
	return f
}

func (r *randomizer) plainType() arrow.DataType {
	for {
		t := pick(r, flats...)
		if arrow.IsDecimal(t.ID()) || t.ID() == arrow.DATE64 {
			continue
		}
		if r.OneOf(8) {
			t = &arrow.DictionaryType{IndexType: pick(r, writertest.IndexTypes...), ValueType: t}
		}
		return t
	}
}
