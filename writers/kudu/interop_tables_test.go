//go:build interop

package kudu_test

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/orctext"
)

// table is a table whose rows follow from their numbers. Rows of even numbers are there to begin with; those of odd ones are
// next to them, and are not.
type table struct {
	name    string
	parts   string // how it is partitioned, in the judge's words
	rows    int
	mixed   bool // the source is not sorted
	flags   []string
	columns []column
	more    []string // columns that the server's table has besides
	tail    string   // what they make of the end of each row
}

// column is a column, in the judge's words, and its values.
type column struct {
	words string // NAME TYPE, key, null, …
	arrow arrow.DataType
	put   func(b array.Builder, j, version int) // nil where it is null
}

func (c *column) name() string { return strings.Fields(c.words)[0] }
func (c *column) is(word string) bool {
	return slices.Contains(strings.Fields(c.words), word)
}

func (x *table) keys() (names []string) {
	for i := range x.columns {
		if x.columns[i].is("key") {
			names = append(names, x.columns[i].name())
		}
	}
	return names
}

func (x *table) schema() *arrow.Schema {
	var fields []arrow.Field
	for i := range x.columns {
		c := &x.columns[i]
		f := arrow.Field{Name: c.name(), Type: c.arrow, Nullable: c.is("null")}
		if kind := strings.Fields(c.words)[1]; strings.HasPrefix(kind, "varchar") {
			f.Metadata = arrow.NewMetadata([]string{"kudu.type"}, []string{kind})
		}
		fields = append(fields, f)
	}
	return arrow.NewSchema(fields, nil)
}

// record returns the rows of these numbers, in a version.
func (x *table) record(numbers []int, version int) arrow.Record {
	b := array.NewRecordBuilder(memory.NewGoAllocator(), x.schema())
	defer b.Release()
	for i := range x.columns {
		c := &x.columns[i]
		for _, j := range numbers {
			if c.is("null") && mix(j, version, i)%7 == 0 {
				b.Field(i).AppendNull()
			} else {
				c.put(b.Field(i), j, version)
			}
		}
	}
	return b.NewRecord()
}

// lines returns them as canonical rows; keyLines returns their keys.
func (x *table) lines(numbers []int, version int) []string {
	lines := orctext.Rows(x.record(numbers, version))
	for i := range lines {
		lines[i] = x.line(lines[i])
	}
	return lines
}

// line is the row of the server's table for one of the set's.
func (x *table) line(row string) string { return strings.TrimSuffix(row, "]") + x.tail + "]" }

func (x *table) keyLines(numbers []int) []string {
	rec := x.record(numbers, 0)
	n := len(x.keys())
	return orctext.Rows(array.NewRecord(arrow.NewSchema(rec.Schema().Fields()[:n], nil), rec.Columns()[:n], rec.NumRows()))
}

// source writes the rows that are there to begin with to a file, and returns it with the model of the table.
func (x *table) source(t *testing.T) (string, *model) {
	t.Helper()
	name := filepath.Join(t.TempDir(), x.name+".arrow")
	w := writeArrow(t, name, x.schema())
	m := newModel(x)
	const batch = 10_000
	for from := 0; from < x.rows; from += batch {
		numbers := make([]int, min(batch, x.rows-from))
		for i := range numbers {
			k := from + i
			if x.mixed { // 7919 is prime, and divides no number of rows here
				k = k * 7919 % x.rows
			}
			numbers[i] = 2 * k
		}
		rec := x.record(numbers, 0)
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		for _, l := range orctext.Rows(rec) {
			m.add(x.line(l))
		}
		rec.Release()
	}
	w.close(t)
	return name, m
}

// arrowFile is an Arrow IPC file that is being written.
type arrowFile struct {
	*ipc.FileWriter
	file *os.File
}

func writeArrow(t *testing.T, name string, s *arrow.Schema) *arrowFile {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(s))
	if err != nil {
		t.Fatal(err)
	}
	return &arrowFile{w, f}
}

func (w *arrowFile) close(t *testing.T) {
	t.Helper()
	for _, c := range []io.Closer{w.FileWriter, w.file} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// arrowLines calls yield with the rows of such a file.
func arrowLines(t *testing.T, name string, yield func(line string)) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i := range r.NumRecords() {
		rec, err := r.Record(i)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range orctext.Rows(rec) {
			yield(l)
		}
	}
}

// set converts a source to a set.
func (x *table) set(t *testing.T, source string, flags ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), x.name+".kudu")
	args := append([]string{"convert", "--progress", "never", "--kudu-key", strings.Join(x.keys(), ",")}, x.flags...)
	if x.mixed {
		args = append(args, "--sort")
	}
	command(t, append(append(args, flags...), source, out)...)
	return out
}

// mix is a number that looks random.
func mix(j, version, column int) uint64 {
	h := uint64(j)*0x9e3779b97f4a7c15 + uint64(version)<<32 + uint64(column)
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// sampling: of rows whose hash is a multiple of it the text is compared, and of all the sum of hashes.
const sampling = 997

// model is what a table must hold.
type model struct {
	table  *table
	rows   int
	sum    uint64
	sample map[string]bool
}

func newModel(x *table) *model { return &model{table: x, sample: map[string]bool{}} }

// clone returns a model that may change while this one does not.
func (m *model) clone() *model {
	c := newModel(m.table)
	c.rows, c.sum = m.rows, m.sum
	for l := range m.sample {
		c.sample[l] = true
	}
	return c
}

// hashOf is the hash that kudu-judge has for a row: the 64-bit FNV-1a, mixed as at the end of splitmix64.
func hashOf(line string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(line) {
		h = (h ^ uint64(line[i])) * 0x100000001b3
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

func (m *model) add(line string) {
	h := hashOf(line)
	m.rows++
	m.sum += h
	if h%sampling == 0 {
		m.sample[line] = true
	}
}

func (m *model) remove(line string) {
	h := hashOf(line)
	m.rows--
	m.sum -= h
	delete(m.sample, line)
}

// compare says what is different.
func (m *model) compare(t *testing.T, rows, sum string, sample []string) {
	t.Helper()
	same := rows == fmt.Sprint(m.rows) && sum == fmt.Sprintf("%016x", m.sum)
	for _, l := range sample {
		same = same && m.sample[l]
	}
	if same && len(sample) == len(m.sample) {
		return
	}
	t.Errorf("table %s: %s rows of sum %s, want %d of %016x", m.table.name, rows, sum, m.rows, m.sum)
	slices.Sort(sample)
	var want []string
	for l := range m.sample {
		want = append(want, l)
	}
	slices.Sort(want)
	for i := range max(len(sample), len(want)) {
		if i >= len(sample) || i >= len(want) || sample[i] != want[i] {
			t.Fatalf("first of the sample that is different:\n got %v\nwant %v", sample[min(i, len(sample)):min(i+1, len(sample))], want[min(i, len(want)):min(i+1, len(want))])
		}
	}
	t.FailNow()
}

// Types of Arrow as tables here have them.
var (
	micros    = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	decimal9  = &arrow.Decimal128Type{Precision: 9, Scale: 2}
	decimal15 = &arrow.Decimal128Type{Precision: 15, Scale: 2}
	decimal20 = &arrow.Decimal128Type{Precision: 20, Scale: 3}
	decimal38 = &arrow.Decimal128Type{Precision: 38, Scale: 10}
)

func boolean(of func(j, v int) bool) func(array.Builder, int, int) {
	return func(b array.Builder, j, v int) { b.(*array.BooleanBuilder).Append(of(j, v)) }
}

// integer is a column of any type of integers, days or times.
func integer(of func(j, v int) int64) func(array.Builder, int, int) {
	return func(b array.Builder, j, v int) {
		n := of(j, v)
		switch b := b.(type) {
		case *array.Int8Builder:
			b.Append(int8(n))
		case *array.Int16Builder:
			b.Append(int16(n))
		case *array.Int32Builder:
			b.Append(int32(n))
		case *array.Int64Builder:
			b.Append(n)
		case *array.Date32Builder:
			b.Append(arrow.Date32(n))
		case *array.TimestampBuilder:
			b.Append(arrow.Timestamp(n))
		case *array.Decimal128Builder:
			b.Append(decimal128.FromI64(n))
		}
	}
}

func double(of func(j, v int) float64) func(array.Builder, int, int) {
	return func(b array.Builder, j, v int) {
		switch b := b.(type) {
		case *array.Float32Builder:
			b.Append(float32(of(j, v)))
		case *array.Float64Builder:
			b.Append(of(j, v))
		}
	}
}

func text(of func(j, v int) string) func(array.Builder, int, int) {
	return func(b array.Builder, j, v int) {
		switch b := b.(type) {
		case *array.StringBuilder:
			b.Append(of(j, v))
		case *array.BinaryBuilder:
			b.Append([]byte(of(j, v)))
		}
	}
}

func words(j, v, column int) string {
	h := mix(j, v, column)
	return fmt.Sprintf("w%d %d x%d", h%2000, h>>20%2000, h>>40%2000)
}

// bigTables are of a million rows: with one column as the key, in order; and with three, in disorder.
func bigTables(rows int) []*table {
	single := &table{name: "single", parts: "-", rows: rows, columns: []column{
		{"id int64 key", arrow.PrimitiveTypes.Int64, integer(func(j, _ int) int64 { return int64(j - rows) })},
		{"price double", arrow.PrimitiveTypes.Float64, double(func(j, v int) float64 { return float64(mix(j, v, 1)%1e6) / 100 })},
		{"city string", arrow.BinaryTypes.String, text(func(j, v int) string { return fmt.Sprint("city ", mix(j, v, 2)%1000) })},
		{"ts unixtime_micros", micros, integer(func(j, v int) int64 { return 1_700_000_000_000_000 + int64(j)*1000 + int64(mix(j, v, 3)%1000) })},
		{"qty int32 null", arrow.PrimitiveTypes.Int32, integer(func(j, v int) int64 { return int64(mix(j, v, 4) % 1000) })},
		{"comment string plain lz4", arrow.BinaryTypes.String, text(func(j, v int) string { return words(j, v, 5) })},
		{"amount decimal(15,2) null", decimal15, integer(func(j, v int) int64 { return int64(mix(j, v, 6)%1e12) - 5e11 })},
		{"flag bool", arrow.FixedWidthTypes.Boolean, boolean(func(j, v int) bool { return mix(j, v, 7)%3 == 0 })},
	}}
	// There is not memory enough to sort these in it.
	composite := &table{name: "composite", parts: "-", rows: rows, mixed: true, flags: []string{"--memory", "64MiB"}, columns: []column{
		{"name string key", arrow.BinaryTypes.String, text(func(j, _ int) string { return fmt.Sprintf("é\x00%d", mix(j/2, 0, 0)%200) })},
		{"part int32 key", arrow.PrimitiveTypes.Int32, integer(func(j, _ int) int64 { return int64(mix(j/2, 0, 1)%100) - 50 })},
		{"seq int64 key", arrow.PrimitiveTypes.Int64, integer(func(j, _ int) int64 { return int64(j - rows) })},
		{"value double null", arrow.PrimitiveTypes.Float64, double(func(j, v int) float64 { return float64(mix(j, v, 3)%1e9) / 1024 })},
		{"label string null", arrow.BinaryTypes.String, text(func(j, v int) string { return words(j, v, 4) })},
		{"day date", arrow.FixedWidthTypes.Date32, integer(func(j, v int) int64 { return int64(mix(j, v, 5) % 20000) })},
	}}
	return []*table{single, composite}
}

var odd = []string{"", "\x00", "a\x00b", "\n\t\"'\\", "é\U0001F600", "\x7f", "plain"}

// typed has a column of every type, with nulls and without.
func typed(rows int) *table {
	x := &table{name: "types", parts: "-", rows: rows, flags: []string{"--kudu-block-size", "4096", "--max-file-bytes", "400000"}, columns: []column{
		{"id int32 key", arrow.PrimitiveTypes.Int32, integer(func(j, _ int) int64 { return int64(j - rows) })},
	}}
	extreme := func(most int64) func(array.Builder, int, int) {
		return integer(func(j, v int) int64 {
			return []int64{-most - 1, most, 0, -1, 1, int64(mix(j, v, 9)) % most}[mix(j, v, 8)%6]
		})
	}
	floats := func(most float64) func(array.Builder, int, int) {
		return double(func(j, v int) float64 {
			nan := math.Float64frombits(0x7ff8 << 48) // the one that the client writes for any other
			if v == 0 {
				nan = math.Float64frombits(0xfff4 << 48)
			}
			return []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), most, -most, 1.5, nan, float64(mix(j, v, 9) % 1e6)}[mix(j, v, 8)%9]
		})
	}
	decimals := func(digits int) func(array.Builder, int, int) {
		most := new(big.Int).Sub(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil), big.NewInt(1))
		return func(b array.Builder, j, v int) {
			n := new(big.Int).SetUint64(mix(j, v, 9))
			n = n.Mul(n, n).Mod(n, most)
			n = []*big.Int{most, new(big.Int).Neg(most), new(big.Int), n, new(big.Int).Neg(n)}[mix(j, v, 8)%5]
			b.(*array.Decimal128Builder).Append(decimal128.FromBigInt(n))
		}
	}
	oddText := text(func(j, v int) string { return odd[mix(j, v, 9)%uint64(len(odd))] })
	for _, c := range []column{
		{"bool", arrow.FixedWidthTypes.Boolean, boolean(func(j, v int) bool { return j/60%3 == v })},
		{"int8", arrow.PrimitiveTypes.Int8, extreme(math.MaxInt8)},
		{"int16", arrow.PrimitiveTypes.Int16, extreme(math.MaxInt16)},
		{"int32", arrow.PrimitiveTypes.Int32, extreme(math.MaxInt32)},
		{"int64", arrow.PrimitiveTypes.Int64, extreme(math.MaxInt64)},
		{"float", arrow.PrimitiveTypes.Float32, floats(math.MaxFloat32)},
		{"double", arrow.PrimitiveTypes.Float64, floats(math.MaxFloat64)},
		{"string", arrow.BinaryTypes.String, oddText},
		{"binary", arrow.BinaryTypes.Binary, text(func(j, v int) string { return strings.Repeat("\xff\x00", int(mix(j, v, 9)%4)) })},
		{"varchar(5)", arrow.BinaryTypes.String, oddText},
		{"decimal(9,2)", decimal9, decimals(9)},
		{"decimal(15,2)", decimal15, decimals(15)},
		{"decimal(38,10)", decimal38, decimals(38)},
		{"unixtime_micros", micros, extreme(math.MaxInt64)},
		{"date", arrow.FixedWidthTypes.Date32, integer(func(j, v int) int64 {
			return []int64{-719162, 2932896, 0, -1, int64(mix(j, v, 9) % 30000)}[mix(j, v, 8)%5]
		})},
	} {
		for _, null := range []string{"", " null"} {
			c.words = fmt.Sprintf("c%d %s%s", len(x.columns), strings.TrimSuffix(c.words, " null"), null)
			x.columns = append(x.columns, c)
			c.words = strings.Fields(c.words)[1]
		}
	}
	return x
}

// keyed has a key of every type that keys may have.
func keyed(rows int) *table {
	return &table{name: "keys", parts: "-", rows: rows, mixed: true, columns: []column{
		{"s string key", arrow.BinaryTypes.String, text(func(j, _ int) string { return odd[mix(j/2, 0, 0)%uint64(len(odd))] })},
		{"i int32 key", arrow.PrimitiveTypes.Int32, integer(func(j, _ int) int64 { return int64(mix(j/2, 0, 1)%5) - 2 })},
		{"b binary key", arrow.BinaryTypes.Binary, text(func(j, _ int) string { return strings.Repeat("\xff\x00", int(mix(j/2, 0, 2)%3)) })},
		{"t unixtime_micros key", micros, integer(func(j, _ int) int64 { return int64(mix(j/2, 0, 3)%3-1) << 50 })},
		{"m decimal(20,3) key", decimal20, integer(func(j, _ int) int64 { return int64(mix(j/2, 0, 4)%5) - 2 })},
		{"w int16 key", arrow.PrimitiveTypes.Int16, integer(func(j, _ int) int64 { return int64(mix(j/2, 0, 5)%5) - 2 })},
		{"d date key", arrow.FixedWidthTypes.Date32, integer(func(j, _ int) int64 { return int64(mix(j/2, 0, 6)%5) - 2 })},
		{"y int8 key", arrow.PrimitiveTypes.Int8, integer(func(j, _ int) int64 { return int64(mix(j/2, 0, 7)%5) - 2 })},
		{"last varchar(20) key", arrow.BinaryTypes.String, text(func(j, _ int) string { return fmt.Sprint(j) })},
		{"v double null", arrow.PrimitiveTypes.Float64, double(func(j, v int) float64 { return float64(mix(j, v, 9) % 1000) })},
	}}
}

// deep has keys so long that its index of them has several levels.
func deep(rows int) *table {
	same := strings.Repeat("p", 4000)
	return &table{name: "deep", parts: "-", rows: rows, columns: []column{
		{"k string key zlib block=512", arrow.BinaryTypes.String, text(func(j, _ int) string { return fmt.Sprintf("%s%08d", same, j) })},
		{"v int8", arrow.PrimitiveTypes.Int8, integer(func(j, v int) int64 { return int64(mix(j, v, 1) % 100) })},
	}}
}

// hashed has four tablets.
func hashed(rows int) *table {
	return &table{name: "hashed", parts: "hash 4 a,b", rows: rows, mixed: true, columns: []column{
		{"a int64 key", arrow.PrimitiveTypes.Int64, integer(func(j, _ int) int64 { return int64(mix(j, 0, 0)) })},
		{"b string key", arrow.BinaryTypes.String, text(func(j, _ int) string { return fmt.Sprint("b", j) })},
		{"v int32", arrow.PrimitiveTypes.Int32, integer(func(j, v int) int64 { return int64(mix(j, v, 2) % 100) })},
	}}
}

// small has a key of two columns.
func small(name string, rows int) *table {
	return &table{name: name, parts: "-", rows: rows, flags: []string{"--max-file-bytes", "100000"}, columns: []column{
		{"a int32 key", arrow.PrimitiveTypes.Int32, integer(func(j, _ int) int64 { return int64(j / 1000) })},
		{"b int64 key", arrow.PrimitiveTypes.Int64, integer(func(j, _ int) int64 { return int64(j) })},
		{"v double null", arrow.PrimitiveTypes.Float64, double(func(j, v int) float64 { return float64(mix(j, v, 2) % 1e9) })},
		{"w string", arrow.BinaryTypes.String, text(func(j, v int) string { return words(j, v, 3) })},
	}}
}

// wider is a table that has columns which the set lacks.
func wider(rows int) *table {
	x := small("wider", rows)
	x.more, x.tail = []string{"x int32 null", "y int64 default=7", "z int16 null default=-3"}, ",null,7,-3"
	return x
}
