package cfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	writer "github.com/arrowio/arrowio/writers/cfile"
)

// randomizer makes data of every type that can be written, in the layouts that Arrow allows, and options.
type randomizer struct {
	*rand.Rand
	gen conformance.Generator
}

func newRandomizer(src rand.Source) *randomizer {
	r := rand.New(src)
	return &randomizer{Rand: r, gen: conformance.Generator{Rand: r, Mem: memory.NewGoAllocator()}}
}

func pick[T any](r *randomizer, of ...T) T { return of[r.Intn(len(of))] }

// flat returns a type that can be written.
func (r *randomizer) flat() arrow.DataType {
	for {
		dt := pick(r, conformance.FlatTypes()...)
		switch dt := dt.(type) {
		case *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
			continue
		case *arrow.Decimal256Type:
			return &arrow.Decimal256Type{Precision: pick(r, int32(9), 12, 38), Scale: 3}
		case *arrow.Decimal128Type:
			return &arrow.Decimal128Type{Precision: pick(r, int32(2), 9, 12, 18, 20, 38), Scale: pick(r, int32(0), 2)}
		case *arrow.TimestampType:
			return &arrow.TimestampType{Unit: pick(r, arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Microsecond, arrow.Nanosecond), TimeZone: dt.TimeZone}
		}
		return dt
	}
}

func (r *randomizer) field(name string) arrow.Field {
	dt := r.flat()
	switch r.Intn(8) {
	case 0:
		dt = &arrow.DictionaryType{IndexType: pick(r, arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int64), ValueType: dt}
	case 1:
		dt = arrow.RunEndEncodedOf(pick(r, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int64), dt)
	case 2:
		dt = conformance.LabelOf(dt)
	}
	f := arrow.Field{Name: name, Type: dt, Nullable: r.Intn(4) > 0}
	switch under := storage(dt); {
	case under.ID() == arrow.NULL || dt.ID() == arrow.RUN_END_ENCODED || dt.ID() == arrow.DICTIONARY:
		f.Nullable = true
	}
	if meta := pick(r, "", "", "varchar(300)", "varchar", "decimal64", "decimal128", "int128", "string", "nonsense"); meta != "" {
		f = withMeta(f, "kudu.type", meta)
	}
	return f
}

func storage(dt arrow.DataType) arrow.DataType {
	switch t := dt.(type) {
	case arrow.ExtensionType:
		return storage(t.StorageType())
	case *arrow.DictionaryType:
		return storage(t.ValueType)
	case *arrow.RunEndEncodedType:
		return storage(t.Encoded())
	}
	return dt
}

// fits reports whether a cell can be stored in a column, by its cell text.
func fits(c, stored string, dt arrow.DataType, table, truncate bool, raw int64) bool {
	if c == "null" {
		return true
	}
	v, isNumber := new(big.Int).SetString(c, 10)
	switch {
	case !isNumber:
		return true
	case dt.ID() == arrow.UINT64 && table, dt.ID() == arrow.TIMESTAMP && !v.IsInt64():
		return v.IsInt64()
	case dt.ID() == arrow.TIMESTAMP && dt.(*arrow.TimestampType).Unit == arrow.Nanosecond && !truncate:
		return raw%1000 == 0
	case stored == "date" && table:
		return v.Cmp(big.NewInt(-719162)) >= 0 && v.Cmp(big.NewInt(2932896)) <= 0
	case strings.HasPrefix(stored, "decimal"):
		digits := dt.(arrow.DecimalType).GetPrecision()
		limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
		return v.CmpAbs(limit) < 0
	}
	return true
}

// rawTime is what a timestamp array holds in a slot.
func rawTime(arr arrow.Array, i int) int64 {
	switch a := arr.(type) {
	case array.ExtensionArray:
		return rawTime(a.Storage(), i)
	case *array.Dictionary:
		if a.IsNull(i) {
			return 0
		}
		return rawTime(a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return rawTime(a.Values(), a.GetPhysicalIndex(i))
	case *array.Timestamp:
		return int64(a.Value(i))
	}
	return 0
}

// check writes random data and reads it back.
func (r *randomizer) check(t testing.TB, most int) {
	t.Helper()
	format := pick(r, writer.Format(), writer.KuduFormat())
	table := format.Name == "kudu"
	var fields []arrow.Field
	for i := range 1 + r.Intn(5) {
		fields = append(fields, r.field(pick(r, "a", "A", "x/y", "", "bloom")+fmt.Sprint(i)))
	}
	r.gen.Nulls = pick(r, 0, 0.05, 0.5, 0.95, 1)
	keys := 0
	if table {
		keys = 1 + r.Intn(3)
	}
	var keyNames []string
	for i := range keys {
		f := field(fmt.Sprint("key", i), pick(r, keyTypes...))
		at := r.Intn(len(fields) + 1)
		fields = append(fields[:at], append([]arrow.Field{f}, fields[at:]...)...)
		keyNames = append(keyNames, f.Name)
	}
	indexed := !table && r.Intn(3) == 0
	if table || indexed { // the last part of the key tells rows apart
		fields = append(fields, field("row", arrow.PrimitiveTypes.Int32))
		keyNames = append(keyNames, "row")
	}
	s := schemaOf(fields...)
	rows := r.Intn(pick(r, 1, 20, 300, most) + 1)
	var recs []arrow.Record
	for at := 0; ; {
		n := min(rows-at, r.Intn(pick(r, 3, 100, most))+1)
		before, after := r.Intn(20), r.Intn(20)
		whole := r.gen.Record(s, before+n+after)
		cols := whole.Columns()
		cols = append([]arrow.Array{}, cols...)
		for i, f := range fields {
			if !strings.HasPrefix(f.Name, "key") && f.Name != "row" {
				continue
			}
			b := array.NewBuilder(memory.NewGoAllocator(), f.Type)
			for k := range before + n + after {
				x := max(0, at+k-before)
				if f.Name != "row" {
					x = min(x/20, 5000)
				}
				appendKey(t, b, x)
			}
			cols[i] = b.NewArray()
		}
		recs = append(recs, array.NewRecord(s, cols, int64(before+n+after)).NewSlice(int64(before), int64(before+n)))
		if at += n; at == rows && (n == 0 || r.Intn(3) > 0) {
			break
		}
	}
	o := arrowio.WriteOptions{
		Compression: pick(r, "", "none", "snappy", "lz4", "zlib"), Parallelism: 1 + r.Intn(3), MaxFileBytes: pick(r, int64(0), 0, 1, 5_000, 50_000),
		Options: map[string]string{
			format.Name + "-block-size": pick(r, "512", "1000", "4096", "262144"),
			format.Name + "-timestamps": pick(r, "exact", "truncate", "truncate"),
			format.Name + "-encoding":   pick(r, "auto", "plain"),

			format.Name + "-index-block-size": pick(r, "512", "600", "32768"),
		},
	}
	if indexed {
		o.Options["cfile-key"] = "row"
	}
	if table {
		o.Options["kudu-key"] = strings.Join(keyNames, ",")
	}
	p, err := format.Plan(s, o)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	stored := map[string]string{}
	for _, c := range p.Columns {
		stored[c.Path] = c.Stored
	}
	good := true
	for _, rec := range recs {
		for i, f := range fields {
			col := rec.Column(i)
			for k := range col.Len() {
				good = good && fits(cell(col, k), stored[f.Name], storage(f.Type), table, o.Options[format.Name+"-timestamps"] == "truncate", rawTime(col, k))
			}
		}
	}
	got, err := tryWrite(format, s, recs, o)
	if !good {
		if !errors.Is(err, errs.ErrSchema) {
			t.Fatalf("a value that does not fit %s: %v", s, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %+v: %v", s, o, err)
	}
	set := readBack(t, got, s, recs)
	if table {
		if rows > 0 {
			checkKeys(t, got, recs)
		} else if len(set.RowSets) != 0 {
			t.Errorf("no rows, and %d rowsets", len(set.RowSets))
		}
	}
	if again := write(t, format, s, recs, o); !maps.EqualFunc(got, again, bytes.Equal) {
		t.Error("once more, other bytes")
	}
	if t.Failed() {
		t.Fatalf("%s\n%+v, %d rows", s, o, rows)
	}
}

func TestRandom(t *testing.T) {
	for seed := range int64(200) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { newRandomizer(rand.NewSource(seed)).check(t, 1500) })
	}
}

// byteSource is a source of random numbers that the fuzzer chooses; behind the bytes it goes on by itself.
type byteSource struct {
	b    []byte
	rest rand.Source
}

func (s *byteSource) Int63() int64 {
	if len(s.b) == 0 {
		return s.rest.Int63()
	}
	var x [8]byte
	// One byte decides little choices: it goes to the highest bits, which rand.Intn looks at, and to the lowest.
	x[7], x[0], x[4] = s.b[0]&0x7f, s.b[0], s.b[0]
	s.b = s.b[1:]
	return int64(binary.LittleEndian.Uint64(x[:]))
}

func (s *byteSource) Seed(int64) {}

// FuzzWrite writes data of a schema with options, all made of the fuzzer's bytes, and reads it back.
func FuzzWrite(f *testing.F) {
	for seed := range byte(8) {
		f.Add([]byte{}, int64(seed))
		f.Add([]byte{seed, 200, 3 * seed, 17, 99, 250, 4, seed}, int64(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte, seed int64) {
		newRandomizer(&byteSource{b, rand.NewSource(seed)}).check(t, 60)
	})
}
