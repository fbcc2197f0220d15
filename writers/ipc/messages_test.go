package ipc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	aipc "github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// framed appends a message as a stream has it.
func framed(b *bytes.Buffer, m Message) {
	pad := func(n int) { b.Write(make([]byte, -n&7)) }
	b.Write(binary.LittleEndian.AppendUint32([]byte{0xFF, 0xFF, 0xFF, 0xFF}, uint32((len(m.Metadata)+7)&^7)))
	b.Write(m.Metadata)
	pad(len(m.Metadata))
	for _, p := range m.Body {
		b.Write(p)
		pad(len(p))
	}
}

// Messages framed by hand are the stream that the writer makes: of every type, slices among them, dictionaries that
// change. What they hold is theirs until they are released, whatever becomes of the record and of Messages.
func TestMessages(t *testing.T) {
	for i, typ := range conformance.Types() {
		if refuse(typ) != "" || typ.ID() == arrow.EXTENSION {
			continue
		}
		for _, codec := range []string{"none", "lz4", "zstd"} {
			mem := checked(t)
			g := conformance.Generator{Rand: rand.New(rand.NewSource(int64(i))), Mem: mem, Nulls: 0.3}
			schema := arrow.NewSchema([]arrow.Field{{Name: "c", Type: typ, Nullable: true}}, nil)
			m, err := NewMessages(schema, Compression{Codec: codec}, mem)
			if err != nil {
				t.Fatal(err)
			}
			all := []Message{m.Schema()}
			var recs []arrow.Record
			for _, n := range []int{10, 1, 30} {
				a := g.Sliced(typ, n)
				rec := array.NewRecord(schema, []arrow.Array{a}, int64(n))
				a.Release()
				out, err := m.Encode(rec)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, out...)
				recs = append(recs, rec)
			}
			want := one(t, StreamFormat(), recs, arrowio.WriteOptions{Compression: codec, Allocator: mem})
			release(recs)
			m.Close()
			var got bytes.Buffer
			for _, x := range all {
				size := int64(0)
				for _, p := range x.Body {
					size += int64(len(p)+7) &^ 7
				}
				if size != x.Size {
					t.Errorf("%s: a body of %d bytes says %d", typ, size, x.Size)
				}
				framed(&got, x)
			}
			got.Write([]byte{0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0})
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s, %s: not the writer's stream", typ, codec)
			}
			for i := range all {
				all[i].Release()
			}
		}
	}
}

// Columns that are not to be compressed lie in the body as they are in memory, behind a length of -1; so do buffers that compression
// would make longer. Arrow's own reader takes both.
func TestMessagesOfSomeColumns(t *testing.T) {
	mem := checked(t)
	const n = 1000
	noise, runs, texts := array.NewInt64Builder(mem), array.NewInt64Builder(mem), array.NewStringBuilder(mem)
	r := rand.New(rand.NewSource(1))
	for i := range n {
		noise.Append(int64(r.Uint64()))
		runs.Append(int64(i / 100))
		texts.Append(strings.Repeat("text", i%5))
	}
	arrays := []arrow.Array{noise.NewArray(), runs.NewArray(), texts.NewArray()}
	noise.Release()
	runs.Release()
	texts.Release()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "noise", Type: arrow.PrimitiveTypes.Int64}, {Name: "runs", Type: arrow.PrimitiveTypes.Int64}, {Name: "texts", Type: arrow.BinaryTypes.String},
	}, nil)
	rec := array.NewRecord(schema, arrays, n)
	for _, a := range arrays {
		a.Release()
	}
	defer rec.Release()
	for _, codec := range []string{"lz4", "zstd"} {
		for _, c := range []struct {
			columns []string
			least   int64
			most    int64
		}{{nil, 8 * n, 12 * n}, {[]string{}, 26 * n, 31 * n}, {[]string{"runs"}, 18 * n, 23 * n}, {[]string{"noise", "texts"}, 16 * n, 20 * n}} {
			m, err := NewMessages(schema, Compression{codec, c.columns}, mem)
			if err != nil {
				t.Fatal(err)
			}
			out, err := m.Encode(rec)
			if err != nil {
				t.Fatal(err)
			}
			if out[0].Size < c.least || out[0].Size > c.most {
				t.Errorf("%s of %q: a body of %d bytes", codec, c.columns, out[0].Size)
			}
			var b bytes.Buffer
			framed(&b, m.Schema())
			framed(&b, out[0])
			b.Write([]byte{0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0})
			out[0].Release()
			m.Close()
			back, err := aipc.NewReader(&b)
			if err != nil {
				t.Fatal(err)
			}
			if !back.Next() || !array.RecordEqual(rec, back.Record()) {
				t.Errorf("%s of %q: other rows, or %v", codec, c.columns, back.Err())
			}
			back.Release()
		}
	}
}

func TestMessagesRefuse(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "c", Type: &arrow.DictionaryType{
		IndexType: arrow.PrimitiveTypes.Int8, ValueType: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
	}}}, nil)
	if _, err := NewMessages(s, Compression{}, nil); !errors.Is(err, errs.ErrSchema) {
		t.Error(err)
	}
	if _, err := NewMessages(arrow.NewSchema(nil, nil), Compression{Codec: "gzip"}, nil); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
	if _, err := NewMessages(arrow.NewSchema(nil, nil), Compression{"zstd", []string{"c"}}, nil); !errors.Is(err, errs.ErrOption) {
		t.Error(err)
	}
}

// Bits of a slice that are behind its last row are not written.
func TestNoBitsOfOthers(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	bb := array.NewBooleanBuilder(mem)
	defer bb.Release()
	for i := range 100 {
		if i == 2 {
			bb.AppendNull()
		} else {
			bb.Append(i >= 13)
		}
	}
	all := bb.NewArray()
	defer all.Release()
	some := array.NewSlice(all, 0, 13)
	defer some.Release()
	s := arrow.NewSchema([]arrow.Field{{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true}}, nil)
	rec := array.NewRecord(s, []arrow.Array{some}, 13)
	defer rec.Release()
	m, err := NewMessages(s, Compression{}, mem)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	out, err := m.Encode(rec)
	if err != nil || len(out) != 1 {
		t.Fatal(out, err)
	}
	defer out[0].Release()
	body := bytes.Join(out[0].Body, nil)
	if want := []byte{0xfb, 0x1f, 0, 0}; !bytes.Equal(body, want) {
		t.Errorf("%x, want %x", body, want)
	}
}
