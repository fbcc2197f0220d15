package arrowipc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arrowio/arrowio/arrowio/errs"
)

var limits = errs.Limits{}.WithDefaults()

// metadataAt0 returns the metadata of the message that a stream starts with.
func metadataAt0(t testing.TB, stream []byte) []byte {
	t.Helper()
	prefix, n, err := Framing(stream)
	if err != nil {
		t.Fatal(err)
	}
	return stream[prefix : prefix+n]
}

// schemaMessage returns the metadata that arrow's own writer makes of a schema.
func schemaMessage(t testing.TB, s *arrow.Schema) []byte {
	t.Helper()
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(s))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return metadataAt0(t, b.Bytes())
}

func TestFraming(t *testing.T) {
	for _, c := range []struct {
		b            []byte
		prefix, meta int64
		ok           bool
	}{
		{[]byte{0xFF, 0xFF, 0xFF, 0xFF, 8, 0, 0, 0}, 8, 8, true},
		{[]byte{0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0}, 8, 0, true},
		{[]byte{8, 0, 0, 0}, 4, 8, true},
		{[]byte{0, 0, 0, 0}, 4, 0, true},
		{[]byte{0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0x80}, 0, 0, false},
		{[]byte{0, 0, 0, 0x80}, 0, 0, false},
		{[]byte{0xFF, 0xFF, 0xFF, 0xFF, 8}, 0, 0, false},
		{[]byte{1, 2, 3}, 0, 0, false},
		{nil, 0, 0, false},
	} {
		prefix, meta, err := Framing(c.b)
		if (err == nil) != c.ok || c.ok && (prefix != c.prefix || meta != c.meta) {
			t.Errorf("%x: %d, %d, %v", c.b, prefix, meta, err)
		}
	}
}

// Every type that arrow's writer knows must come back equal, nested and in dictionaries.
func TestSchema(t *testing.T) {
	md := arrow.NewMetadata([]string{"k"}, []string{"v"})
	types := []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean, arrow.FixedWidthTypes.Float16, arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval,
		arrow.FixedWidthTypes.MonthDayNanoInterval, arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time32ms,
		arrow.FixedWidthTypes.Time64us, arrow.FixedWidthTypes.Time64ns, arrow.FixedWidthTypes.Duration_s, arrow.FixedWidthTypes.Duration_ns,
		arrow.FixedWidthTypes.Timestamp_ms, &arrow.TimestampType{Unit: arrow.Nanosecond}, &arrow.TimestampType{Unit: arrow.Second, TimeZone: "+01:00"},
		arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView,
		&arrow.FixedSizeBinaryType{ByteWidth: 7}, &arrow.Decimal128Type{Precision: 38, Scale: -3}, &arrow.Decimal256Type{Precision: 76, Scale: 5},
		arrow.ListOf(arrow.PrimitiveTypes.Uint8), arrow.ListOfNonNullable(arrow.PrimitiveTypes.Uint16), arrow.LargeListOf(arrow.PrimitiveTypes.Uint32), arrow.ListViewOf(arrow.PrimitiveTypes.Int8),
		arrow.LargeListViewOf(arrow.PrimitiveTypes.Int16), arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Float32), arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Uint64),
		arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Metadata: md}, arrow.Field{Name: "", Type: arrow.Null, Nullable: true}),
		arrow.DenseUnionOf([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int64}, {Name: "y", Type: arrow.Null}}, []arrow.UnionTypeCode{5, 127}),
		arrow.SparseUnionOf([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Float64}}, []arrow.UnionTypeCode{0}),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.String),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: arrow.BinaryTypes.String, Ordered: true},
		arrow.ListOf(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int64, ValueType: arrow.StructOf(arrow.Field{Name: "d", Type: arrow.PrimitiveTypes.Int8})}),
	}
	fields := make([]arrow.Field, len(types))
	for i, typ := range types {
		fields[i] = arrow.Field{Name: typ.Name(), Type: typ, Nullable: i%2 == 0, Metadata: md}
	}
	want := arrow.NewSchema(fields, &md)
	m, err := ParseMessage(schemaMessage(t, want), limits)
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.Schema()
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range fields {
		if got := s.Arrow.Field(i); !got.Equal(f) || got.Type.String() != f.Type.String() {
			t.Errorf("%v came back as %v", f, got)
		}
	}
	if !s.Arrow.Metadata().Equal(md) || m.Version != V5 || m.Body != 0 {
		t.Errorf("metadata %v, version %d, body %d", s.Arrow.Metadata(), m.Version, m.Body)
	}
	if len(s.Dictionaries) != 2 {
		t.Errorf("%d dictionaries", len(s.Dictionaries))
	}
	if _, err := m.Batch(s); !errors.Is(err, errs.ErrCorrupt) {
		t.Errorf("a schema taken for a batch: %v", err)
	}
}

// unfolding returns a schema of a kilobyte in which every field has the one below it as its child, twice.
func unfolding(depth int) []byte {
	b := flatbuffers.NewBuilder(0)
	name := b.CreateString("f")
	b.StartObject(0)
	typ := b.EndObject()
	var field flatbuffers.UOffsetT
	for i := range depth {
		var children flatbuffers.UOffsetT
		if i > 0 {
			b.StartVector(4, 2, 4)
			b.PrependUOffsetT(field)
			b.PrependUOffsetT(field)
			children = b.EndVector(2)
		}
		b.StartObject(7)
		b.PrependUOffsetTSlot(0, name, 0)
		b.PrependByteSlot(2, typeStruct, 0)
		b.PrependUOffsetTSlot(3, typ, 0)
		b.PrependUOffsetTSlot(5, children, 0)
		field = b.EndObject()
	}
	b.StartVector(4, 1, 4)
	b.PrependUOffsetT(field)
	fields := b.EndVector(1)
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, fields, 0)
	schema := b.EndObject()
	b.StartObject(5)
	b.PrependInt16Slot(0, V5, 0)
	b.PrependByteSlot(1, SchemaMessage, 0)
	b.PrependUOffsetTSlot(2, schema, 0)
	b.Finish(b.EndObject())
	return b.FinishedBytes()
}

func TestUnfoldingIsBounded(t *testing.T) {
	for depth, ok := range map[int]bool{8: true, 40: false} {
		m, err := ParseMessage(unfolding(depth), limits)
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Schema()
		if ok && err != nil || !ok && !errors.Is(err, errs.ErrLimit) {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

func TestLimits(t *testing.T) {
	deep := arrow.DataType(arrow.Null)
	for range 20 {
		deep = arrow.ListOf(deep)
	}
	meta := schemaMessage(t, arrow.NewSchema([]arrow.Field{{Name: "a long name", Type: deep}}, nil))
	for _, l := range []errs.Limits{{Depth: 10}, {Columns: 10}, {MetadataBytes: 100}} {
		m, err := ParseMessage(meta, l.WithDefaults())
		if err == nil {
			_, err = m.Schema()
		}
		if !errors.Is(err, errs.ErrLimit) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

func TestTruncatedAndFlipped(t *testing.T) {
	meta := schemaMessage(t, arrow.NewSchema([]arrow.Field{{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.ListOf(arrow.PrimitiveTypes.Int8))}}, nil))
	for n := range meta {
		parse(meta[:n:n])
	}
	for i := range meta {
		for bit := range 8 {
			c := bytes.Clone(meta)
			c[i] ^= 1 << bit
			parse(c)
		}
	}
	for i := 0; i+4 <= len(meta); i++ {
		for _, v := range []uint32{0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF} {
			c := bytes.Clone(meta)
			binary.LittleEndian.PutUint32(c[i:], v)
			parse(c)
		}
	}
}

// parse reads whatever b may be; it must come to an end without a panic.
func parse(b []byte) {
	m, err := ParseMessage(b, limits)
	if err != nil {
		return
	}
	switch m.Kind {
	case SchemaMessage:
		_, _ = m.Schema()
	case DictionaryMessage:
		_, _, _, _ = m.Dictionary()
	case BatchMessage:
		if b, err := readBatch(m.header, m); err == nil {
			for i := range b.NumNodes() {
				b.Node(i)
			}
			for i := range b.NumVariadic() {
				b.Variadic(i)
			}
		}
	}
}

func TestVersions(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	for version, want := range map[int16]error{0: errs.ErrUnsupported, 2: errs.ErrUnsupported, V4: nil, V5: nil, 5: errs.ErrUnsupported} {
		b.Reset()
		b.StartObject(0)
		header := b.EndObject()
		b.StartObject(5)
		b.PrependInt16Slot(0, version, -1)
		b.PrependByteSlot(1, BatchMessage, 0)
		b.PrependUOffsetTSlot(2, header, 0)
		b.Finish(b.EndObject())
		if _, err := ParseMessage(b.FinishedBytes(), limits); !errors.Is(err, want) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

// Big-endian data, which a schema declares, are refused.
func TestBigEndian(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	b.StartObject(4)
	b.PrependInt16Slot(0, 1, 0)
	schema := b.EndObject()
	b.StartObject(5)
	b.PrependInt16Slot(0, V5, 0)
	b.PrependByteSlot(1, SchemaMessage, 0)
	b.PrependUOffsetTSlot(2, schema, 0)
	b.Finish(b.EndObject())
	m, err := ParseMessage(b.FinishedBytes(), limits)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Schema(); !errors.Is(err, errs.ErrUnsupported) {
		t.Error(err)
	}
}

func seeds(f *testing.F, pattern string) [][]byte {
	names, err := filepath.Glob("../../testdata/ipc/pyarrow-26.0.1/" + pattern)
	if err != nil || len(names) == 0 {
		f.Fatal("no seeds", err)
	}
	var out [][]byte
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

func FuzzMessage(f *testing.F) {
	for _, b := range seeds(f, "dict*.arrows") {
		for len(b) > 0 {
			prefix, n, err := Framing(b)
			if err != nil {
				f.Fatal(err)
			}
			if n == 0 {
				break
			}
			f.Add(b[prefix : prefix+n])
			m, err := ParseMessage(b[prefix:prefix+n], limits)
			if err != nil {
				f.Fatal(err)
			}
			b = b[prefix+n+m.Body:]
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { parse(b) })
}

func FuzzFooter(f *testing.F) {
	for _, b := range seeds(f, "dict*.arrow") {
		n := int(binary.LittleEndian.Uint32(b[len(b)-10:]))
		f.Add(b[len(b)-10-n : len(b)-10])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		footer, err := ParseFooter(b, 1<<20, limits)
		if err != nil {
			return
		}
		for _, k := range append(footer.Dictionaries, footer.Batches...) {
			if k.Off < 8 || k.Meta < 8 || k.Body < 0 || k.Off+k.Meta+k.Body > 1<<20 {
				t.Fatalf("block %+v", k)
			}
		}
	})
}
