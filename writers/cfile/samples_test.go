//go:build interop

package cfile_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// kuduType is a type of Kudu's, the Arrow type that becomes it, and the encodings it has.
type kuduType struct {
	name      string
	arrow     arrow.DataType
	meta      string // what metadata must say of the field; "" = nothing
	encodings []string
}

func (k *kuduType) field(name string, nullable bool) arrow.Field {
	f := arrow.Field{Name: name, Type: k.arrow, Nullable: nullable}
	if k.meta != "" {
		f.Metadata = arrow.NewMetadata([]string{"kudu.type"}, []string{k.meta})
	}
	return f
}

var (
	ofInts    = []string{"plain", "bitshuffle", "rle"}
	ofFloats  = []string{"plain", "bitshuffle"}
	ofStrings = []string{"plain", "prefix", "dict"}
	codecs    = []string{"none", "snappy", "lz4", "zlib"}
)

// tableTypes are those of columns of tables; loneTypes are for lone files alone.
var (
	tableTypes = []kuduType{
		{"bool", arrow.FixedWidthTypes.Boolean, "", []string{"plain", "rle"}},
		{"int8", arrow.PrimitiveTypes.Int8, "", ofInts},
		{"int16", arrow.PrimitiveTypes.Int16, "", ofInts},
		{"int32", arrow.PrimitiveTypes.Int32, "", ofInts},
		{"int64", arrow.PrimitiveTypes.Int64, "", ofInts},
		{"float", arrow.PrimitiveTypes.Float32, "", ofFloats},
		{"double", arrow.PrimitiveTypes.Float64, "", ofFloats},
		{"string", arrow.BinaryTypes.String, "", ofStrings},
		{"binary", arrow.BinaryTypes.Binary, "", ofStrings},
		{"varchar", arrow.BinaryTypes.String, "varchar(12)", ofStrings},
		{"decimal32", &arrow.Decimal128Type{Precision: 9, Scale: 2}, "", ofInts},
		{"decimal64", &arrow.Decimal128Type{Precision: 18, Scale: 4}, "", ofInts},
		{"decimal128", &arrow.Decimal128Type{Precision: 38, Scale: 10}, "", ofFloats},
		{"unixtime_micros", &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, "", ofInts},
		{"date", arrow.FixedWidthTypes.Date32, "", ofInts},
	}
	loneTypes = []kuduType{
		{"uint8", arrow.PrimitiveTypes.Uint8, "", ofInts},
		{"uint16", arrow.PrimitiveTypes.Uint16, "", ofInts},
		{"uint32", arrow.PrimitiveTypes.Uint32, "", ofInts},
		{"uint64", arrow.PrimitiveTypes.Uint64, "", ofInts},
		{"int128", &arrow.Decimal128Type{Precision: 38}, "int128", ofFloats},
		{"int128", &arrow.FixedSizeBinaryType{ByteWidth: 16}, "int128", ofFloats},
		// Other Arrow types that hold the same.
		{"string", arrow.BinaryTypes.LargeString, "", ofStrings},
		{"string", &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}, "", ofStrings},
		{"binary", &arrow.FixedSizeBinaryType{ByteWidth: 16}, "", ofStrings},
		{"unixtime_micros", &arrow.TimestampType{Unit: arrow.Second}, "", ofInts},
		{"unixtime_micros", &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"}, "", ofInts},
		{"decimal64", &arrow.Decimal128Type{Precision: 7, Scale: 7}, "decimal64", ofInts},
		{"date", arrow.FixedWidthTypes.Date32, "", ofInts},
	}
)

// maker makes values in stretches, each of which has a shape of its own and nulls of its own.
type maker struct {
	r            *rand.Rand
	shape, nulls string
	left         int // of the stretch
	i            int
	last         int64
}

var (
	shapes     = []string{"random", "sorted", "runs", "long runs", "small", "extreme", "const", "mixed", "distinct"}
	nullShapes = []string{"none", "some", "all", "alternate", "runs", "rare", "most"}
)

func newMaker(seed int64) *maker { return &maker{r: rand.New(rand.NewSource(seed))} }

// next goes to the next slot, and tells whether it is null.
func (m *maker) next() (null bool) {
	if m.left == 0 {
		m.shape, m.nulls = shapes[m.r.Intn(len(shapes))], nullShapes[m.r.Intn(len(nullShapes))]
		m.left = 1 + m.r.Intn(300)
		m.last = m.r.Int63n(1000)
	}
	m.left--
	m.i++
	switch m.nulls {
	case "some":
		return m.r.Intn(5) == 0
	case "all":
		return true
	case "alternate":
		return m.i%2 == 0
	case "runs":
		return m.i/13%2 == 0
	case "rare":
		return m.r.Intn(100) == 0
	case "most":
		return m.r.Intn(50) > 0
	}
	return false
}

// integer is a value of so many bits.
func (m *maker) integer(bits int) int64 {
	most := int64(uint64(math.MaxUint64) >> (65 - bits))
	switch m.shape {
	case "sorted", "distinct":
		m.last += 1 + m.r.Int63n(3)
		return min(most, m.last)
	case "runs":
		return int64(m.i/29%5 - 2)
	case "long runs":
		return int64(m.i / 256 % 3)
	case "small":
		return m.r.Int63n(10)
	case "extreme":
		return []int64{-most - 1, most, 0, -1, 1, -most, most - 1}[m.r.Intn(7)]
	case "const":
		return 42
	case "mixed":
		if m.i/20%2 == 0 {
			return 7
		}
	}
	return int64(m.r.Uint64()) >> (64 - bits)
}

func (m *maker) float() float64 {
	switch m.shape {
	case "random", "mixed":
		return math.Float64frombits(m.r.Uint64())
	case "extreme":
		return []float64{
			0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1), math.MaxFloat64, math.SmallestNonzeroFloat64,
			math.MaxFloat32, math.SmallestNonzeroFloat32, 1e5, 1e6, 1e15, 1e16, 1e-4, 1e-5, 123456.5, 0.1, 16777217,
		}[m.r.Intn(19)]
	}
	return float64(m.integer(32)) / 1024
}

var oddStrings = []string{
	"", "\x00", "\x00\x00", "a\x00b", "\n\t\r\"'\\", "\x01\x1f\x7f", "é\U0001F600ÿ", "0123456789abcdef\x02f", strings.Repeat("w", 700), "z",
}

func (m *maker) text() string {
	switch m.shape {
	case "sorted":
		return fmt.Sprintf("key_%08d", m.integer(64))
	case "distinct":
		return fmt.Sprintf("d%x", m.integer(64)*7919)
	case "extreme":
		if m.r.Intn(200) == 0 {
			return strings.Repeat("very long ", 1000+m.r.Intn(1000))
		}
		return oddStrings[m.r.Intn(len(oddStrings))]
	case "random":
		b := make([]byte, m.r.Intn(24))
		for i := range b {
			b[i] = 'a' + byte(m.r.Intn(26))
		}
		return string(b)
	}
	return fmt.Sprint("v", m.integer(8))
}

func (m *maker) bytes(n int) []byte {
	b := make([]byte, n)
	m.r.Read(b)
	return b
}

// digits is a number of at most so many digits.
func (m *maker) digits(n int32) *big.Int {
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
	most := new(big.Int).Sub(limit, big.NewInt(1))
	switch m.shape {
	case "extreme":
		return []*big.Int{most, new(big.Int).Neg(most), new(big.Int), big.NewInt(1), big.NewInt(-1)}[m.r.Intn(5)]
	case "random":
		v := new(big.Int).Rand(m.r, limit)
		if m.r.Intn(2) == 0 {
			v.Neg(v)
		}
		return v
	}
	v := big.NewInt(m.integer(32))
	return v.Rem(v, limit)
}

const firstDay, lastDay = -719162, 2932896 // 0001-01-01 and 9999-12-31

// put appends n values, or nulls.
func (m *maker) put(k *kuduType, b array.Builder, n int, nullable bool) {
	for range n {
		if m.next() && nullable {
			b.AppendNull()
			continue
		}
		m.value(k, b)
	}
}

func (m *maker) value(k *kuduType, b array.Builder) {
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(m.integer(8)&1 == 0)
	case *array.Int8Builder:
		b.Append(int8(m.integer(8)))
	case *array.Int16Builder:
		b.Append(int16(m.integer(16)))
	case *array.Int32Builder:
		b.Append(int32(m.integer(32)))
	case *array.Int64Builder:
		b.Append(m.integer(64))
	case *array.Uint8Builder:
		b.Append(uint8(m.integer(8)))
	case *array.Uint16Builder:
		b.Append(uint16(m.integer(16)))
	case *array.Uint32Builder:
		b.Append(uint32(m.integer(32)))
	case *array.Uint64Builder:
		b.Append(uint64(m.integer(64)))
	case *array.Float32Builder:
		if m.shape == "random" {
			b.Append(math.Float32frombits(m.r.Uint32()))
		} else {
			b.Append(float32(m.float()))
		}
	case *array.Float64Builder:
		b.Append(m.float())
	case *array.StringBuilder:
		s := m.text()
		if r := []rune(s); k.name == "varchar" && len(r) > 12 {
			s = string(r[:12])
		}
		b.Append(s)
	case *array.LargeStringBuilder:
		b.Append(m.text())
	case *array.BinaryBuilder:
		if m.shape == "random" {
			b.Append(m.bytes(m.r.Intn(30)))
		} else {
			b.Append([]byte(m.text()))
		}
	case *array.FixedSizeBinaryBuilder:
		if v := m.bytes(16); m.shape == "small" {
			b.Append(append(v[:1], make([]byte, 15)...))
		} else {
			b.Append(v)
		}
	case *array.BinaryDictionaryBuilder:
		if err := b.AppendString(m.text()); err != nil {
			panic(err)
		}
	case *array.Decimal128Builder:
		b.Append(decimal128.FromBigInt(m.digits(k.arrow.(*arrow.Decimal128Type).Precision)))
	case *array.TimestampBuilder:
		switch k.arrow.(*arrow.TimestampType).Unit {
		case arrow.Second:
			b.Append(arrow.Timestamp(m.integer(40)))
		case arrow.Nanosecond:
			b.Append(arrow.Timestamp(m.integer(53) * 1000))
		default:
			b.Append(arrow.Timestamp(m.integer(64)))
		}
	case *array.Date32Builder:
		v := m.integer(32)
		if v = firstDay + (v-firstDay)%(lastDay-firstDay+1); v < firstDay {
			v += lastDay - firstDay + 1
		}
		b.Append(arrow.Date32(v))
	default:
		panic(b.Type().String())
	}
}

// column makes an array of n slots.
func (m *maker) column(k *kuduType, n int, nullable bool) arrow.Array {
	b := array.NewBuilder(memory.NewGoAllocator(), k.arrow)
	defer b.Release()
	m.put(k, b, n, nullable)
	return b.NewArray()
}
