package orc_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/halffloat"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/writertest"
	reader "github.com/arrowio/arrowio/readers/orc"
	writer "github.com/arrowio/arrowio/writers/orc"
)

// written is one file that the writer made of a sample, and the rows that a reader must see in it.
type written struct {
	name  string
	bytes []byte
	rows  []string
}

// writeSample writes s and works out, from the Arrow data alone, what the files must hold. How the rows are divided
// among files is the one thing taken from them.
func writeSample(t testing.TB, s *sample) []written {
	t.Helper()
	files, err := writeRecords(s.schema, s.recs, s.options)
	if err != nil {
		t.Errorf("%s: %v\n%s\n%+v", s.name, err, s.schema, s.options)
		return nil
	}
	var rows []string
	for _, rec := range s.recs {
		rows = append(rows, expectedRows(rec, s.shift)...)
	}
	var out []written
	at := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := reader.Open(context.Background(), local.NewBytesSource(files[name]), arrowio.Limits{}, reader.Options{})
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		n := 0
		for _, split := range f.Splits() {
			n += int(split.Rows.End - split.Rows.Start)
		}
		f.Close()
		if n > len(rows)-at || n == 0 && len(rows) > 0 {
			t.Fatalf("%s: %s has %d rows, %d are left", s.name, name, n, len(rows)-at)
		}
		out = append(out, written{name, files[name], rows[at : at+n]})
		at += n
	}
	if at != len(rows) {
		t.Fatalf("%s: %d rows in the files, %d written", s.name, at, len(rows))
	}
	return out
}

func writeRecords(s *arrow.Schema, recs []arrow.Record, o arrowio.WriteOptions) (map[string][]byte, error) {
	p, err := writer.Plan(s, o)
	if err != nil {
		return nil, err
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(context.Background(), writer.Format(), st, p)
	if err != nil {
		return nil, err
	}
	for _, r := range recs {
		if err := w.Write(r); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return st.Objects(), nil
}

// expectedRows is rec as the canonical rows of testdata/interop, as ORC has each type.
func expectedRows(rec arrow.Record, shift bool) []string {
	x := texts{shift}
	cols := make([]text, rec.NumCols())
	for i, f := range rec.Schema().Fields() {
		cols[i] = x.of(f, rec.Column(i).Data())
	}
	root := false
	if len(cols) == 1 {
		v, _ := rec.Schema().Field(0).Metadata.GetValue(orcwire.MetaRoot)
		root = v == "true"
	}
	lines := make([]string, rec.NumRows())
	for i := range lines {
		if root {
			lines[i] = cols[0](i)
		} else {
			lines[i] = listText(len(cols), func(k int) string { return cols[k](i) })
		}
	}
	return lines
}

// text gives the text of a slot.
type text func(i int) string

type texts struct{ shift bool }

func listText(n int, item text) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = item(i)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// of returns the texts of the slots of an array. It looks into buffers and children, as arrays of arrow v15 differ in
// whether their children are sliced with them.
func (x texts) of(f arrow.Field, d arrow.ArrayData) text {
	value := x.values(f, writertest.Storage(d.DataType()), d)
	valid, off := d.Buffers()[0], d.Offset()
	if valid == nil || valid.Len() == 0 {
		return value
	}
	bits := valid.Bytes()
	return func(i int) string {
		if k := off + i; bits[k/8]>>(k%8)&1 == 0 {
			return "null"
		}
		return value(i)
	}
}

func (x texts) values(f arrow.Field, dt arrow.DataType, d arrow.ArrayData) text {
	off := d.Offset()
	child := func(k int, f arrow.Field) text { return x.of(f, d.Children()[k]) }
	switch t := dt.(type) {
	case *arrow.NullType:
		return func(int) string { return "null" }
	case *arrow.StructType:
		children := make([]text, len(t.Fields()))
		for k, f := range t.Fields() {
			children[k] = child(k, f)
		}
		return func(i int) string { return listText(len(children), func(k int) string { return children[k](off + i) }) }
	case *arrow.MapType:
		entries := d.Children()[0]
		key, item := x.of(t.KeyField(), entries.Children()[0]), x.of(t.ItemField(), entries.Children()[1])
		ends := starts[int32](d)
		return func(i int) string {
			at := int(ends[i]) + entries.Offset()
			return listText(int(ends[i+1]-ends[i]), func(k int) string { return "[" + key(at+k) + "," + item(at+k) + "]" })
		}
	case *arrow.ListType:
		return lists(starts[int32](d), nil, child(0, t.ElemField()))
	case *arrow.LargeListType:
		return lists(starts[int64](d), nil, child(0, t.ElemField()))
	case *arrow.ListViewType:
		return lists(starts[int32](d), arrow.GetData[int32](d.Buffers()[2].Bytes())[off:], child(0, t.ElemField()))
	case *arrow.LargeListViewType:
		return lists(starts[int64](d), arrow.GetData[int64](d.Buffers()[2].Bytes())[off:], child(0, t.ElemField()))
	case *arrow.FixedSizeListType:
		elem, n := child(0, t.ElemField()), int(t.Len())
		return func(i int) string { return listText(n, func(k int) string { return elem((off+i)*n + k) }) }
	case arrow.UnionType:
		children := make([]text, len(t.Fields()))
		for k, f := range t.Fields() {
			children[k] = child(k, f)
		}
		if d.Len() == 0 {
			return nil // there need not be buffers
		}
		codes := arrow.GetData[int8](d.Buffers()[1].Bytes())
		var places []int32
		if t.Mode() == arrow.DenseMode {
			places = arrow.GetData[int32](d.Buffers()[2].Bytes())
		}
		return func(i int) string {
			k := slices.Index(t.TypeCodes(), codes[off+i])
			at := off + i
			if places != nil {
				at = int(places[off+i])
			}
			return fmt.Sprintf(`{"tag":%d,"value":%s}`, k, children[k](at))
		}
	case *arrow.RunEndEncodedType:
		value := x.of(arrow.Field{Type: t.Encoded()}, d.Children()[1])
		var ends []int
		e := array.MakeFromData(d.Children()[0])
		defer e.Release()
		for i := range e.Len() {
			n, err := strconv.Atoi(e.ValueStr(i))
			if err != nil {
				panic(err)
			}
			ends = append(ends, n)
		}
		return func(i int) string { return value(slices.IndexFunc(ends, func(end int) bool { return off+i < end })) }
	case *arrow.DictionaryType:
		f.Type = t.ValueType
		value := x.of(f, d.(interface{ Dictionary() arrow.ArrayData }).Dictionary())
		index := x.flat(arrow.Field{}, t.IndexType, d)
		return func(i int) string {
			k, err := strconv.Atoi(index(i))
			if err != nil {
				panic(err)
			}
			return value(k)
		}
	}
	return x.flat(f, dt, d)
}

type offset interface{ int32 | int64 }

// starts returns the offsets of lists, strings or views of an array.
func starts[T offset](d arrow.ArrayData) []T {
	if d.Len() == 0 {
		return []T{0}
	}
	return arrow.GetData[T](d.Buffers()[1].Bytes())[d.Offset():]
}

func lists[T offset](at, sizes []T, elem text) text {
	return func(i int) string {
		n := 0
		if sizes != nil {
			n = int(sizes[i])
		} else {
			n = int(at[i+1] - at[i])
		}
		return listText(n, func(k int) string { return elem(int(at[i]) + k) })
	}
}

// flat is values of types without children.
func (x texts) flat(f arrow.Field, dt arrow.DataType, d arrow.ArrayData) text {
	plain := array.NewData(dt, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset())
	defer plain.Release()
	char, _ := f.Metadata.GetValue(orcwire.MetaType)
	str := func(v string) string {
		if strings.HasPrefix(char, "char(") {
			v = strings.TrimRight(v, " ") // readers drop the padding, and with it blanks that were none
		}
		return stringText(v)
	}
	switch a := array.MakeFromData(plain).(type) {
	case *array.Boolean:
		return func(i int) string { return strconv.FormatBool(a.Value(i)) }
	case *array.Int8:
		return number(a.Value)
	case *array.Int16:
		return number(a.Value)
	case *array.Int32:
		return number(a.Value)
	case *array.Int64:
		return number(a.Value)
	case *array.Uint8:
		return number(a.Value)
	case *array.Uint16:
		return number(a.Value)
	case *array.Uint32:
		return number(a.Value)
	case *array.Uint64:
		return number(a.Value)
	case *array.Date32:
		return number(a.Value)
	case *array.Date64:
		return func(i int) string { return fmt.Sprint(int64(a.Value(i)) / 86_400_000) }
	case *array.Time32:
		return number(a.Value)
	case *array.Time64:
		return number(a.Value)
	case *array.Duration:
		return number(a.Value)
	case *array.MonthInterval:
		return number(a.Value)
	case *array.Float16:
		return func(i int) string { return fmt.Sprintf(`"f%08x"`, math.Float32bits(halffloat.Float32(a.Value(i)))) }
	case *array.Float32:
		return func(i int) string { return fmt.Sprintf(`"f%08x"`, math.Float32bits(a.Value(i))) }
	case *array.Float64:
		return func(i int) string { return fmt.Sprintf(`"d%016x"`, math.Float64bits(a.Value(i))) }
	case *array.String:
		return func(i int) string { return str(a.Value(i)) }
	case *array.LargeString:
		return func(i int) string { return str(a.Value(i)) }
	case *array.StringView:
		return func(i int) string { return str(a.Value(i)) }
	case *array.Binary:
		return func(i int) string { return bytesText(a.Value(i)) }
	case *array.LargeBinary:
		return func(i int) string { return bytesText(a.Value(i)) }
	case *array.BinaryView:
		return func(i int) string { return bytesText(a.Value(i)) }
	case *array.FixedSizeBinary:
		return func(i int) string { return bytesText(a.Value(i)) }
	case *array.Decimal128:
		return func(i int) string { return decimalText(a.Value(i).BigInt(), dt.(arrow.DecimalType).GetScale()) }
	case *array.Decimal256:
		return func(i int) string { return decimalText(a.Value(i).BigInt(), dt.(arrow.DecimalType).GetScale()) }
	case *array.Timestamp:
		per := perSecond(dt.(*arrow.TimestampType).Unit)
		return func(i int) string {
			seconds, nanos := split(int64(a.Value(i)), per)
			if x.shift && seconds == -1 && nanos > 999_999 {
				seconds = 0
			}
			return fmt.Sprintf("[%d,%d]", seconds, nanos)
		}
	}
	panic("no text for " + dt.String())
}

func number[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](value func(int) T) text {
	return func(i int) string { return fmt.Sprintf("%d", value(i)) }
}

func decimalText(v *big.Int, scale int32) string {
	digits := fmt.Sprintf("%0*s", int(scale)+1, new(big.Int).Abs(v).String())
	if v.Sign() < 0 {
		digits = "-" + digits
	}
	if point := len(digits) - int(scale); scale > 0 {
		digits = digits[:point] + "." + digits[point:]
	}
	return `"` + digits + `"`
}

// longestText is how many bytes of a value are shown; of longer ones their hash is.
const longestText = 4096

func bytesText(v []byte) string {
	if len(v) > longestText {
		return fmt.Sprintf(`{"len":%d,"sha256":"%x"}`, len(v), sha256.Sum256(v))
	}
	return fmt.Sprintf(`"%x"`, v)
}

func stringText(v string) string {
	switch {
	case len(v) > longestText:
		return bytesText([]byte(v))
	case !utf8.ValidString(v):
		return fmt.Sprintf(`{"badutf8":"%x"}`, v)
	}
	b := []byte{'"'}
	for _, u := range utf16.Encode([]rune(v)) {
		switch {
		case u == '"' || u == '\\':
			b = append(b, '\\', byte(u))
		case u >= ' ' && u <= '~':
			b = append(b, byte(u))
		default:
			b = fmt.Appendf(b, `\u%04x`, u)
		}
	}
	return string(append(b, '"'))
}
