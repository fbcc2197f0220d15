package client

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// pieces cuts a message into buffers of n bytes, as frames do.
func pieces(b []byte, n int) (out mem.BufferSlice) {
	for len(b) > n {
		out, b = append(out, mem.SliceBuffer(b[:n])), b[n:]
	}
	return append(out, mem.SliceBuffer(b))
}

// unmarshal decodes a message that comes in frames of n bytes.
func unmarshal(b []byte, n int) (*flight.FlightData, error) {
	m := &flight.FlightData{}
	return m, codec{encoding.GetCodecV2("proto")}.Unmarshal(pieces(b, n), m)
}

func seeds(t testing.TB) (out [][]byte) {
	for _, m := range []*flight.FlightData{
		{},
		{DataHeader: []byte("header"), DataBody: bytes.Repeat([]byte("body"), 5000)},
		{AppMetadata: []byte("meta")},
		{FlightDescriptor: &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"a", "b"}}, DataHeader: []byte{1}, DataBody: []byte{2}},
	} {
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	// Fields that a later version may add, and two bodies, of which the last counts.
	more := protowire.AppendTag(bytes.Clone(out[1]), 7, protowire.Fixed32Type)
	more = protowire.AppendTag(protowire.AppendFixed32(more, 1), 8, protowire.Fixed64Type)
	more = protowire.AppendTag(protowire.AppendFixed64(more, 2), 9, protowire.VarintType)
	more = protowire.AppendTag(protowire.AppendVarint(more, 1<<63), bodyNumber, protowire.BytesType)
	return append(out, protowire.AppendBytes(more, []byte("the last body")))
}

// A message is what protobuf makes of it, however its frames are cut.
func FuzzCodec(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b, uint16(3))
		f.Add(b[:len(b)/2], uint16(1000))
	}
	f.Fuzz(func(t *testing.T, b []byte, n uint16) {
		want := &flight.FlightData{}
		wantErr := proto.Unmarshal(b, want)
		got, err := unmarshal(b, int(n)+1)
		got.ProtoReflect().SetUnknown(nil) // whose numbers may be longer than need be
		want.ProtoReflect().SetUnknown(nil)
		if err == nil && (wantErr != nil || !proto.Equal(got, want)) {
			t.Errorf("%v, protobuf says %v, %v", got, want, wantErr)
		}
		if err != nil && wantErr == nil && !hasGroup(b) {
			t.Errorf("%v; protobuf says %v", err, want)
		}
	})
}

// hasGroup reports whether one of the fields of a message is a group, which protobuf keeps as unknown and split refuses.
func hasGroup(b []byte) bool {
	for len(b) > 0 {
		_, kind, n := protowire.ConsumeTag(b)
		if n < 0 || kind == protowire.StartGroupType || kind == protowire.EndGroupType {
			return true
		}
		b = b[n:]
		if n = protowire.ConsumeFieldValue(1, kind, b); n < 0 {
			return true
		}
		b = b[n:]
	}
	return false
}

func TestCodecHostile(t *testing.T) {
	for name, b := range map[string][]byte{
		"a body longer than the message": protowire.AppendVarint(protowire.AppendTag(nil, bodyNumber, protowire.BytesType), 1<<40),
		"a header longer than it":        protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.BytesType), 1<<62),
		"a group":                        protowire.AppendTag(nil, 5, protowire.StartGroupType),
		"field 0":                        {0, 0},
		"a tag that is cut off":          {0x80},
		"a fixed field that is cut off":  append(protowire.AppendTag(nil, 7, protowire.Fixed64Type), 1, 2),
	} {
		if m, err := unmarshal(b, 4); err == nil {
			t.Errorf("%s: %v", name, m)
		}
	}
}

// Bodies begin where Arrow recommends, and memory that is given back is used again.
func TestMemory(t *testing.T) {
	p := &pool{}
	for n := 1; n < 80<<20; n += n/3 + 1 {
		b := p.Get(n)
		if at, size := class(n); len(*b) != n || cap(*b) != size || size < n || at >= 0 && size > max(1<<leastClass, n+n/steps+1) {
			t.Errorf("%d bytes: %d of %d", n, len(*b), cap(*b))
		}
		if at := uintptr(unsafe.Pointer(unsafe.SliceData(*b))); at%64 != 0 {
			t.Errorf("%d bytes at %x", n, at)
		}
	}
	b := p.Allocate(5000)
	b[0] = 7
	if c := p.Reallocate(9000, b); len(c) != 9000 || c[0] != 7 {
		t.Error(len(c))
	}
	if at, size := class(1<<mostClass + 1); at >= 0 || size != 1<<mostClass+1 {
		t.Error(at, size)
	}
}
