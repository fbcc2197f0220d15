package orc_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/writertest"
)

// sample is data for the writer and how to write it.
type sample struct {
	name    string
	schema  *arrow.Schema
	recs    []arrow.Record
	options arrowio.WriteOptions
	shift   bool // orc-last-second=shift
	far     bool // it has times that nanoseconds do not hold
}

func (s *sample) release() {
	for _, r := range s.recs {
		r.Release()
	}
}

// randomizer makes samples: every type that the writer takes, and values of the shapes that the encodings know.
type randomizer struct {
	*writertest.Random
	shift bool
	far   bool
	names int
}

func newRandomizer(seed int64, mem memory.Allocator) *randomizer {
	return newRandomizerOf(rand.NewSource(seed), mem)
}

func newRandomizerOf(src rand.Source, mem memory.Allocator) *randomizer {
	r := &randomizer{Random: writertest.NewRandom(src, mem)}
	r.Name = func() string { // names of siblings differ
		r.names++
		return fmt.Sprintf("%s%d", pick(r, words...), r.names)
	}
	r.Flat, r.Key, r.Union, r.Field = r.flat, r.key, r.union, r.field
	r.Fixed, r.Text = r.fitFixed, r.strings
	return r
}

func pick[T any](r *randomizer, of ...T) T { return writertest.Pick(r.Random, of...) }

// sample makes a schema and batches of it, of no more rows than most in all.
func (r *randomizer) sample(most int) *sample {
	s := &sample{}
	r.shift, r.far = r.OneOf(4), r.OneOf(5)
	n := pick(r, 1, 2, 3, 3, 4, 5, 8)
	if r.OneOf(40) {
		n = 0
	}
	fields := r.Fields(n, 1+r.Intn(3))
	if r.OneOf(12) {
		fields = []arrow.Field{r.NewField("_root", 2)}
		if valueType(fields[0].Type).ID() != arrow.STRUCT {
			fields[0].Metadata = arrow.MetadataFrom(map[string]string{orcwire.MetaRoot: "true"})
		}
	}
	md := arrow.NewMetadata(nil, nil)
	if r.OneOf(3) {
		md = arrow.NewMetadata([]string{"orc.owner", "other"}, []string{"Zoë \"the\\first\"", "not for the file"})
	}
	s.schema = arrow.NewSchema(fields, &md)
	r.Gen.Nulls = pick(r, 0, 0.05, 0.5, 0.95, 1)
	rows := r.Intn(pick(r, 1, 20, 300, most, most) + 1)
	for rows >= 0 {
		k := min(rows, r.Intn(pick(r, 3, 100, 1200, most))+1)
		s.recs = append(s.recs, r.Record(s.schema, k))
		if rows -= k; rows == 0 && !r.OneOf(3) {
			break // else an empty batch at the end
		} else if rows == 0 {
			s.recs = append(s.recs, r.Record(s.schema, 0))
			break
		}
	}
	s.options, s.shift = r.options(), r.shift
	s.far = r.far
	return s
}

func (r *randomizer) options() arrowio.WriteOptions {
	o := arrowio.WriteOptions{
		Compression: pick(r, "none", "zlib", fmt.Sprintf("zlib:%d", 1+r.Intn(9)), "snappy", "lz4", "zstd", fmt.Sprintf("zstd:%d", 1+r.Intn(19)), "brotli", fmt.Sprintf("brotli:%d", r.Intn(12)), ""),
		Parallelism: 1 + r.Intn(3),
		Options: map[string]string{
			"orc-version":          pick(r, "0.11", "0.12", "0.12"),
			"orc-row-index-stride": pick(r, "0", "100", "100", "1000", "1000", "10000", "1", "17"),
			"orc-block-size":       pick(r, "1024", "1024", "1500", "4096", "65536", "262144", "8388607"),
			"orc-dictionary":       pick(r, "0", "0.1", "0.8", "0.8", "1"),
			"orc-last-second":      "refuse",

			"orc-encoding-strategy": pick(r, "speed", "compression"),
			"orc-dictionary-sort":   pick(r, "false", "true"),
			"orc-block-padding":     pick(r, "auto", "none", "4KiB", "4KiB", "10000", "64KiB"),
		},
		Allocator: r.Gen.Mem,
	}
	if r.shift {
		o.Options["orc-last-second"] = "shift"
	}
	if r.OneOf(3) && o.Options["orc-row-index-stride"] != "0" {
		o.Options["orc-bloom"] = "*"
		o.Options["orc-bloom-fpp"] = pick(r, "0.01", "0.3", "0.0001")
	}
	if r.OneOf(3) {
		o.Options["orc-stripe-rows"] = pick(r, "1000", "50", "333", "100")
	}
	if r.OneOf(4) {
		o.RowGroupBytes = int64(1 + r.Intn(30_000))
	}
	if r.OneOf(8) {
		o.MaxFileBytes = int64(1 + r.Intn(20_000))
	}
	return o
}

// valueType returns the type behind extensions, dictionaries and run ends.
func valueType(dt arrow.DataType) arrow.DataType {
	for {
		switch t := writertest.Storage(dt).(type) {
		case *arrow.DictionaryType:
			dt = t.ValueType
		case *arrow.RunEndEncodedType:
			dt = t.Encoded()
		default:
			return t
		}
	}
}

// lengthOf returns n of a field that is to be char(n) or varchar(n), otherwise 0.
func lengthOf(f arrow.Field) (n int) {
	text, _ := f.Metadata.GetValue(orcwire.MetaType)
	if _, args, ok := strings.Cut(text, "("); ok {
		fmt.Sscanf(args, "%d", &n)
	}
	return n
}

func orcType(f arrow.Field) string {
	t, _ := f.Metadata.GetValue(orcwire.MetaType)
	return t
}

// strings makes, often, as many strings as d has: distinct or few ones, long or empty ones, of no more characters than the
// field holds.
func (r *randomizer) strings(d arrow.ArrayData, dt arrow.DataType, f arrow.Field) []*memory.Buffer {
	most, geo := lengthOf(f), isGeo(f)
	if most == 0 && !geo && r.OneOf(2) {
		return nil
	}
	shape, distinct := r.Intn(7), 1+r.Intn(pick(r, 3, 50, 2000))
	ordered := r.OneOf(2)
	wide := dt.ID() == arrow.LARGE_STRING || dt.ID() == arrow.LARGE_BINARY
	text := dt.ID() == arrow.STRING || dt.ID() == arrow.LARGE_STRING
	var offsets, data []byte
	put := func() {
		if wide {
			offsets = binary.LittleEndian.AppendUint64(offsets, uint64(len(data)))
		} else {
			offsets = binary.LittleEndian.AppendUint32(offsets, uint32(len(data)))
		}
	}
	put()
	for i := range d.Len() {
		k := r.Intn(distinct)
		if ordered {
			k = i * distinct / max(1, d.Len())
		}
		var v string
		switch shape {
		case 0: // all the same
			v = "constant"
		case 1: // all distinct
			v = fmt.Sprintf("%x-%d", r.Uint32(), i)
		case 2: // with a common beginning, which bounds of statistics are cut in
			v = strings.Repeat("é", 600) + fmt.Sprint(k)
		case 3: // now and then a long one
			if v = fmt.Sprintf("k%d", k); r.OneOf(200) {
				v = strings.Repeat(v, 3000)
			}
		case 4: // with blanks at the end
			v = fmt.Sprintf("%d%s", k, strings.Repeat(" ", k%3))
		default:
			v = fmt.Sprintf("name %d 語🙂", k)
		}
		if !text && r.OneOf(3) {
			v += "\xff\x00"
		}
		if geo {
			v = string(r.geometry(3, 1+r.Intn(7)))
		}
		if runes := []rune(v); most > 0 && len(runes) > most {
			v = string(runes[:most])
		}
		if n := utf8.RuneCountInString(v); most > 0 && n < most && strings.HasPrefix(orcType(f), "char") {
			v = strings.TrimRight(v, " ") // which are padding
		}
		data = append(data, v...)
		put()
	}
	return []*memory.Buffer{d.Buffers()[0], memory.NewBufferBytes(offsets), memory.NewBufferBytes(data)}
}

// fitFixed changes values in place.
func (r *randomizer) fitFixed(t arrow.DataType, b []byte) {
	width := t.(arrow.FixedWidthDataType).BitWidth() / 8
	n := len(b) / width
	at := func(i int) []byte { return b[i*width : (i+1)*width] }
	switch typ := t.(type) {
	case arrow.DecimalType:
		r.fitDecimals(typ, width, b)
		return
	case *arrow.Float16Type:
		for i := range n {
			if v := binary.LittleEndian.Uint16(at(i)); v&0x7c00 == 0x7c00 && v&0x3ff != 0 {
				at(i)[1] |= 2 // Java's floats become doubles and floats again, which makes every NaN a quiet one
			}
		}
		return
	case *arrow.Float32Type:
		for i := range n {
			if r.OneOf(12) {
				r.Read(at(i))
			}
			if v := binary.LittleEndian.Uint32(at(i)); v&0x7f800000 == 0x7f800000 && v&0x7fffff != 0 {
				at(i)[2] |= 0x40
			}
		}
		return
	case *arrow.Float64Type:
		for i := range n {
			if r.OneOf(12) {
				r.Read(at(i))
			}
		}
		return
	case *arrow.Time32Type, *arrow.Time64Type, *arrow.Date64Type, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType, *arrow.FixedSizeBinaryType:
		return
	}
	r.shape(width, b)
	switch typ := t.(type) {
	case *arrow.Uint64Type:
		for i := range n {
			at(i)[7] &= 0x7f
		}
	case *arrow.TimestampType:
		for i := range n {
			x := r.time(int64(binary.LittleEndian.Uint64(at(i))), typ.Unit)
			binary.LittleEndian.PutUint64(at(i), uint64(x))
		}
	}
}

// shape gives integers a shape that one of the encodings of runs is for.
func (r *randomizer) shape(width int, b []byte) {
	n := len(b) / width
	start, step := int64(r.Uint64())>>r.Intn(64), int64(r.Intn(2000)-1000)>>r.Intn(10)
	if r.OneOf(4) {
		step = int64(r.Uint64()) >> r.Intn(64)
	}
	few := uint(r.Intn(width * 8))
	shape := r.Intn(9)
	x := start
	for i := range n {
		switch shape {
		case 0: // as they are
			return
		case 1: // one value
		case 2: // a sequence
			x += step
		case 3: // ascending by random steps
			x += int64(r.Uint64() >> (64 - few/2))
		case 4: // some bits
			x = start + int64(r.Uint64()>>(64-few))
		case 5: // few bits with outliers
			if x = int64(r.Intn(100)); r.OneOf(40) {
				x = int64(r.Uint64()) >> (64 - few)
			}
		case 6: // short runs
			if r.OneOf(5) {
				x = int64(r.Intn(1000))
			}
		case 7: // pieces of all of them
			switch i / 97 % 4 {
			case 0:
				x += step
			case 1:
				x = int64(r.Intn(5))
			case 2:
				x = int64(r.Uint64() >> (64 - few))
			}
		case 8: // any
			x = int64(r.Uint64())
		}
		var v [8]byte
		binary.LittleEndian.PutUint64(v[:], uint64(x))
		copy(b[i*width:(i+1)*width], v[:])
	}
}

// time brings a time into a range: what the type holds and Java's milliseconds do, or where r is not far, the years that
// nanoseconds hold. The last second before 1970 is left out where it is refused.
func (r *randomizer) time(x int64, unit arrow.TimeUnit) int64 {
	per := perSecond(unit)
	most := int64(math.MaxInt64) / per
	if !r.far || unit == arrow.Second {
		most = min(most, math.MaxInt64/1_000_000_000-1)
	}
	if r.far && unit == arrow.Second {
		most = math.MaxInt64 / 1000
	}
	if x/per > most || x/per < -most {
		x %= most
	}
	seconds, nanos := split(x, per)
	if seconds == -1 && nanos > 999_999 && !r.shift {
		return x + per
	}
	return x
}

func perSecond(unit arrow.TimeUnit) int64 {
	return [...]int64{arrow.Second: 1, arrow.Millisecond: 1e3, arrow.Microsecond: 1e6, arrow.Nanosecond: 1e9}[unit]
}

// split returns the second that a time lies in and the nanoseconds since.
func split(x, per int64) (seconds, nanos int64) {
	seconds, rest := x/per, x%per
	if rest < 0 {
		seconds, rest = seconds-1, rest+per
	}
	return seconds, rest * (1_000_000_000 / per)
}

// fitDecimals makes decimals of up to as many digits as the type has.
func (r *randomizer) fitDecimals(t arrow.DecimalType, width int, b []byte) {
	digits := 1 + r.Intn(int(t.GetPrecision()))
	for i := 0; i+width <= len(b); i += width {
		if r.OneOf(8) {
			digits = 1 + r.Intn(int(t.GetPrecision()))
		}
		var hi, lo uint64
		n := r.Intn(digits + 1)
		zeros := r.Intn(3) * r.Intn(n+1) / 2
		for k := range n {
			over, low := bits.Mul64(lo, 10)
			hi = hi*10 + over
			d := uint64(r.Intn(10))
			if k >= n-zeros {
				d = 0
			}
			var carry uint64
			lo, carry = bits.Add64(low, d, 0)
			hi += carry
		}
		top := uint64(0)
		if r.OneOf(2) {
			var borrow uint64
			lo, borrow = bits.Sub64(0, lo, 0)
			hi, borrow = bits.Sub64(0, hi, borrow)
			top = -borrow
		}
		v := b[i : i+width]
		for k := range width / 8 {
			binary.LittleEndian.PutUint64(v[8*k:], [...]uint64{lo, hi, top, top}[k])
		}
	}
}

// flats are the types without children that the writer takes.
var flats = func() []arrow.DataType {
	var out []arrow.DataType
	for _, t := range conformance.FlatTypes() {
		switch t := t.(type) {
		case *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
			continue
		case *arrow.Decimal256Type:
			if t.Precision > 38 {
				continue
			}
		}
		out = append(out, t)
	}
	return append(out,
		&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"}, &arrow.TimestampType{Unit: arrow.Nanosecond},
		&arrow.TimestampType{Unit: arrow.Second, TimeZone: "America/New_York"}, &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
		arrow.FixedWidthTypes.Duration_ns, &arrow.Decimal256Type{Precision: 30, Scale: 7}, &arrow.FixedSizeBinaryType{ByteWidth: 16},
		arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String, arrow.BinaryTypes.String,
	)
}()

// words are what fields are called, with a number, as names of siblings differ.
var words = []string{
	"a", "name", "value", "key", "Row", "a.b", "a[]", "m>key", "u/int", "Zürich", "語", "9lives", "two words", "quote\"\\", "_", "tab\there", "🙂", "struct<", "col:int,",
}

// field makes some strings char or varchar, and some bytes geometries.
func (r *randomizer) field(f arrow.Field) arrow.Field {
	value := writertest.Storage(f.Type)
	if d, ok := value.(*arrow.DictionaryType); ok {
		value = d.ValueType
	}
	if (value.ID() == arrow.STRING || value.ID() == arrow.LARGE_STRING) && r.OneOf(2) {
		f.Metadata = arrow.MetadataFrom(map[string]string{orcwire.MetaType: fmt.Sprintf("%s(%d)", pick(r, "char", "varchar"), 1+r.Intn(40))})
	}
	if (value.ID() == arrow.BINARY || value.ID() == arrow.LARGE_BINARY) && r.OneOf(2) {
		f.Metadata = arrow.MetadataFrom(map[string]string{orcwire.MetaType: pick(r, "geometry", "geometry", "geography")})
	}
	return f
}

// isGeo reports whether a field is of geometries or geographies.
func isGeo(f arrow.Field) bool {
	text, _ := f.Metadata.GetValue(orcwire.MetaType)
	return strings.HasPrefix(text, "geo")
}

func (r *randomizer) flat() arrow.DataType {
	if r.OneOf(5) {
		p := int32(1 + r.Intn(38))
		return &arrow.Decimal128Type{Precision: p, Scale: int32(r.Intn(int(p) + 1))}
	}
	return pick(r, flats...)
}

// key makes a type of keys, which are never null.
func (r *randomizer) key() arrow.DataType {
	for {
		if t := r.flat(); t.ID() != arrow.NULL {
			return t
		}
	}
}

func (r *randomizer) union(depth int) arrow.DataType {
	n := 1 + r.Intn(5)
	if r.OneOf(20) {
		n = 128
	}
	fields := make([]arrow.Field, n)
	codes := make([]arrow.UnionTypeCode, n)
	for i, code := range r.Perm(128)[:n] {
		codes[i] = arrow.UnionTypeCode(code)
		fields[i] = arrow.Field{Name: fmt.Sprintf("%s%d", pick(r, words...), i), Type: r.DataType(min(depth-1, 128/n)), Nullable: true}
	}
	return r.UnionOf(fields, codes)
}

// geometry makes well-known binary of a kind, 1 to 7, with what readers bear: any byte order, dimensions in the ways of ISO
// and of PostGIS, empty parts, coordinates that are no numbers, rings that are not closed.
func (r *randomizer) geometry(depth, kind int) []byte {
	var order binary.AppendByteOrder = binary.LittleEndian
	b := []byte{1}
	if r.OneOf(4) {
		order, b[0] = binary.BigEndian, 0
	}
	dims, word := 2, uint32(kind)
	for i, flag := range []uint32{1 << 31, 1 << 30} {
		switch {
		case !r.OneOf(4):
			continue
		case r.OneOf(2):
			word |= flag
		case word < 1000:
			word += uint32(i+1) * 1000
		default:
			continue
		}
		dims++
	}
	if word>>16 == 0 && dims == 3 && r.OneOf(4) {
		word, dims = uint32(kind)+3000, 4
	}
	// JTS repairs lines of one point and rings that are not closed, and mistakes m for z or loses it on the way.
	measured := word>>30&1 == 1 || word&0xffff >= 2000
	if r.OneOf(8) {
		b = order.AppendUint32(order.AppendUint32(b, word|1<<29), r.Uint32())
	} else {
		b = order.AppendUint32(b, word)
	}
	points := func(n int, sure bool) {
		for i := range n {
			for k := range dims {
				v := float64(r.Intn(100)) / 4
				switch {
				case sure && i == 0 && k < 2:
				case r.OneOf(30):
					v = math.NaN()
				case r.OneOf(60):
					v = pick(r, math.Inf(1), math.Copysign(0, -1), 1e300, r.NormFloat64())
				}
				b = order.AppendUint64(b, math.Float64bits(v))
			}
		}
	}
	n := r.Intn(5)
	switch kind {
	case 1:
		points(1, false)
		return b
	case 2:
		if n == 1 && measured {
			n++
		}
		b = order.AppendUint32(b, uint32(n))
		points(n, false)
		return b
	case 3:
		b = order.AppendUint32(b, uint32(n))
		for range n {
			k := 1 + r.Intn(5)
			if measured {
				k = 4 + r.Intn(3)
			}
			b = order.AppendUint32(b, uint32(k))
			first := len(b)
			if points(k, true); measured {
				copy(b[len(b)-8*dims:], b[first:first+16]) // it ends where it begins
			}
		}
		return b
	}
	if depth == 0 {
		n = 0
	}
	b = order.AppendUint32(b, uint32(n))
	for range n {
		inner := kind - 3
		if kind == 7 {
			inner = 1 + r.Intn(7)
		}
		b = append(b, r.geometry(depth-1, inner)...)
	}
	return b
}
