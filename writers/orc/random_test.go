package orc_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/internal/orcwire"
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

// randomizer makes samples: every type that the writer takes, at any depth, with the layouts that Arrow allows, and
// values of the shapes that the encodings know.
type randomizer struct {
	*rand.Rand
	gen   conformance.Generator
	shift bool
	far   bool
	names int
}

func newRandomizer(seed int64, mem memory.Allocator) *randomizer {
	r := rand.New(rand.NewSource(seed))
	return &randomizer{Rand: r, gen: conformance.Generator{Rand: r, Mem: mem}}
}

func (r *randomizer) oneOf(n int) bool { return r.Intn(n) == 0 }

func pick[T any](r *randomizer, of ...T) T { return of[r.Intn(len(of))] }

// sample makes a schema and batches of it, of no more rows than most in all.
func (r *randomizer) sample(most int) *sample {
	s := &sample{}
	r.shift, r.far = r.oneOf(4), r.oneOf(5)
	n := pick(r, 1, 2, 3, 3, 4, 5, 8)
	if r.oneOf(40) {
		n = 0
	}
	fields := r.fields(n, 1+r.Intn(3))
	if r.oneOf(12) {
		fields = []arrow.Field{r.field("_root", 2)}
		if fields[0].Type.ID() != arrow.STRUCT {
			fields[0].Metadata = arrow.MetadataFrom(map[string]string{orcwire.MetaRoot: "true"})
		}
	}
	md := arrow.NewMetadata(nil, nil)
	if r.oneOf(3) {
		md = arrow.NewMetadata([]string{"orc.owner", "other"}, []string{"Zoë \"the\\first\"", "not for the file"})
	}
	s.schema = arrow.NewSchema(fields, &md)
	r.gen.Nulls = pick(r, 0, 0.05, 0.5, 0.95, 1)
	rows := r.Intn(pick(r, 1, 20, 300, most, most) + 1)
	for rows >= 0 {
		k := min(rows, r.Intn(pick(r, 3, 100, 1200, most))+1)
		s.recs = append(s.recs, r.record(s.schema, k))
		if rows -= k; rows == 0 && !r.oneOf(3) {
			break // else an empty batch at the end
		} else if rows == 0 {
			s.recs = append(s.recs, r.record(s.schema, 0))
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
		},
		Allocator: r.gen.Mem,
	}
	if r.shift {
		o.Options["orc-last-second"] = "shift"
	}
	if r.oneOf(3) && o.Options["orc-row-index-stride"] != "0" {
		o.Options["orc-bloom"] = "*"
		o.Options["orc-bloom-fpp"] = pick(r, "0.01", "0.3", "0.0001")
	}
	if r.oneOf(3) {
		o.Options["orc-stripe-rows"] = pick(r, "1000", "50", "333", "100")
	}
	if r.oneOf(4) {
		o.RowGroupBytes = int64(1 + r.Intn(30_000))
	}
	if r.oneOf(8) {
		o.MaxFileBytes = int64(1 + r.Intn(20_000))
	}
	return o
}

// record makes n rows, often a slice of more.
func (r *randomizer) record(s *arrow.Schema, n int) arrow.Record {
	before, after := 0, 0
	if r.oneOf(2) {
		before, after = r.Intn(20), r.Intn(20)
	}
	raw := r.gen.Record(s, before+n+after)
	defer raw.Release()
	cols := make([]arrow.Array, raw.NumCols())
	for i, c := range raw.Columns() {
		d := r.fit(c.Data(), s.Field(i))
		cols[i] = array.MakeFromData(d)
		d.Release()
		defer cols[i].Release()
	}
	whole := array.NewRecord(s, cols, int64(before+n+after))
	defer whole.Release()
	return whole.NewSlice(int64(before), int64(before+n))
}

// fit returns d with values that the writer takes, of shapes that matter to ORC. Some dictionaries get nulls among their
// values. The caller releases the result.
func (r *randomizer) fit(d arrow.ArrayData, f arrow.Field) *array.Data {
	dt := d.DataType()
	storage := storageOf(dt)
	if ree, ok := storage.(*arrow.RunEndEncodedType); ok {
		runs := d.Children()[1]
		values := r.fresh(arrow.Field{Type: ree.Encoded(), Nullable: f.Nullable}, runs.Len())
		defer values.Release()
		return array.NewData(dt, d.Len(), d.Buffers(), []arrow.ArrayData{d.Children()[0], values}, 0, d.Offset())
	}
	kids := make([]arrow.ArrayData, len(d.Children()))
	for i, k := range d.Children() {
		kid := arrow.Field{Type: k.DataType()}
		switch t := storage.(type) {
		case *arrow.MapType:
		case arrow.ListLikeType:
			kid = t.ElemField()
		case arrow.NestedType:
			kid = t.Fields()[i]
		}
		kids[i] = r.fit(k, kid)
	}
	buffers := d.Buffers()
	switch storage.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		if most := lengthOf(f); most > 0 || r.oneOf(2) {
			buffers = r.strings(d, storage, most)
			defer buffers[1].Release()
			defer buffers[2].Release()
		}
	}
	out := array.NewData(dt, d.Len(), buffers, kids, d.NullN(), d.Offset())
	for _, k := range kids {
		k.Release()
	}
	if t, ok := storage.(*arrow.DictionaryType); ok {
		old := d.(interface{ Dictionary() arrow.ArrayData }).Dictionary()
		values := f
		values.Type = t.ValueType
		dict := r.fresh(values, old.Len())
		out.SetDictionary(dict)
		dict.Release()
	}
	if fixed, ok := storage.(arrow.FixedWidthDataType); ok && len(d.Buffers()) == 2 {
		r.fitFixed(storage, fixed.BitWidth()/8, d.Buffers()[1].Bytes())
	}
	return out
}

func storageOf(dt arrow.DataType) arrow.DataType {
	for {
		e, ok := dt.(arrow.ExtensionType)
		if !ok {
			return dt
		}
		dt = e.StorageType()
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

// strings makes as many strings as d has: distinct or few ones, long or empty ones, at most so many characters where
// that is no 0.
func (r *randomizer) strings(d arrow.ArrayData, dt arrow.DataType, most int) []*memory.Buffer {
	shape, distinct := r.Intn(7), 1+r.Intn(pick(r, 3, 50, 2000))
	ordered := r.oneOf(2)
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
			if v = fmt.Sprintf("k%d", k); r.oneOf(200) {
				v = strings.Repeat(v, 3000)
			}
		case 4: // with blanks at the end
			v = fmt.Sprintf("%d%s", k, strings.Repeat(" ", k%3))
		default:
			v = fmt.Sprintf("name %d 語🙂", k)
		}
		if !text && r.oneOf(3) {
			v += "\xff\x00"
		}
		if runes := []rune(v); most > 0 && len(runes) > most {
			v = string(runes[:most])
		}
		data = append(data, v...)
		put()
	}
	return []*memory.Buffer{d.Buffers()[0], memory.NewBufferBytes(offsets), memory.NewBufferBytes(data)}
}

// fresh makes n values of their own.
func (r *randomizer) fresh(f arrow.Field, n int) *array.Data {
	f.Name = "v"
	rec := r.gen.Record(arrow.NewSchema([]arrow.Field{f}, nil), n)
	defer rec.Release()
	return r.fit(rec.Column(0).Data(), f)
}

// fitFixed changes values of a width in place.
func (r *randomizer) fitFixed(t arrow.DataType, width int, b []byte) {
	if width == 0 || t.ID() == arrow.DICTIONARY {
		return
	}
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
			if r.oneOf(12) {
				r.Read(at(i))
			}
			if v := binary.LittleEndian.Uint32(at(i)); v&0x7f800000 == 0x7f800000 && v&0x7fffff != 0 {
				at(i)[2] |= 0x40
			}
		}
		return
	case *arrow.Float64Type:
		for i := range n {
			if r.oneOf(12) {
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
	if r.oneOf(4) {
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
			if x = int64(r.Intn(100)); r.oneOf(40) {
				x = int64(r.Uint64()) >> (64 - few)
			}
		case 6: // short runs
			if r.oneOf(5) {
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
		if r.oneOf(8) {
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
		if r.oneOf(2) {
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

func (r *randomizer) fields(n, depth int) []arrow.Field {
	out := make([]arrow.Field, n)
	for i := range out {
		r.names++
		out[i] = r.field(fmt.Sprintf("%s%d", pick(r, words...), r.names), depth)
	}
	return out
}

func (r *randomizer) field(name string, depth int) arrow.Field {
	f := arrow.Field{Name: name, Nullable: r.oneOf(2), Type: r.dataType(depth)}
	f.Nullable = f.Nullable || f.Type.ID() == arrow.NULL
	value := storageOf(f.Type)
	if d, ok := value.(*arrow.DictionaryType); ok {
		value = d.ValueType
	}
	if (value.ID() == arrow.STRING || value.ID() == arrow.LARGE_STRING) && r.oneOf(2) {
		f.Metadata = arrow.MetadataFrom(map[string]string{orcwire.MetaType: fmt.Sprintf("%s(%d)", pick(r, "char", "varchar"), 1+r.Intn(40))})
	}
	return f
}

func (r *randomizer) flat() arrow.DataType {
	if r.oneOf(5) {
		p := int32(1 + r.Intn(38))
		return &arrow.Decimal128Type{Precision: p, Scale: int32(r.Intn(int(p) + 1))}
	}
	return pick(r, flats...)
}

func (r *randomizer) dataType(depth int) arrow.DataType {
	if depth <= 0 || r.oneOf(3) {
		return r.flat()
	}
	elem := func() arrow.Field { return r.field("item", depth-1) }
	switch r.Intn(15) {
	case 0, 1:
		return arrow.ListOfField(elem())
	case 2:
		return arrow.LargeListOfField(elem())
	case 3:
		return arrow.FixedSizeListOfField(int32(1+r.Intn(3)), elem())
	case 4:
		return arrow.ListViewOfField(elem())
	case 5:
		return arrow.LargeListViewOfField(elem())
	case 6, 7, 8:
		return arrow.StructOf(r.fields(r.Intn(5), depth-1)...)
	case 9:
		m := arrow.MapOf(r.key(), r.dataType(depth-1))
		if m.ItemType().ID() != arrow.NULL && r.oneOf(2) {
			m.SetItemNullable(false)
		}
		return m
	case 10, 11:
		return r.union(depth)
	case 12:
		return &arrow.DictionaryType{IndexType: pick(r, indexTypes...), ValueType: r.dataType(depth - 1)}
	case 13:
		return arrow.RunEndEncodedOf(pick[arrow.DataType](r, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64), r.dataType(depth-1))
	}
	t := r.dataType(depth - 1)
	if t.ID() == arrow.NULL {
		return t // arrow v15 counts the nulls of a slice of such an extension by a bitmap that is not there
	}
	return conformance.LabelOf(t)
}

// key makes a type of keys, which are never null.
func (r *randomizer) key() arrow.DataType {
	for {
		if t := r.flat(); t.ID() != arrow.NULL {
			return t
		}
	}
}

var indexTypes = []arrow.DataType{
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Uint16,
	arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64,
}

func (r *randomizer) union(depth int) arrow.DataType {
	n := 1 + r.Intn(5)
	if r.oneOf(20) {
		n = 128
	}
	fields := make([]arrow.Field, n)
	codes := make([]arrow.UnionTypeCode, n)
	for i, code := range r.Perm(128)[:n] {
		codes[i] = arrow.UnionTypeCode(code)
		fields[i] = arrow.Field{Name: fmt.Sprintf("%s%d", pick(r, words...), i), Type: r.dataType(min(depth-1, 128/n)), Nullable: true}
	}
	if r.oneOf(2) {
		return arrow.SparseUnionOf(fields, codes)
	}
	return arrow.DenseUnionOf(fields, codes)
}
