package ipc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
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
			m, err := NewMessages(schema, codec, mem)
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

func TestMessagesRefuse(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "c", Type: &arrow.DictionaryType{
		IndexType: arrow.PrimitiveTypes.Int8, ValueType: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
	}}}, nil)
	if _, err := NewMessages(s, "", nil); !errors.Is(err, errs.ErrSchema) {
		t.Error(err)
	}
	if _, err := NewMessages(arrow.NewSchema(nil, nil), "gzip", nil); !errors.Is(err, errs.ErrOption) {
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
	m, err := NewMessages(s, "none", mem)
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
