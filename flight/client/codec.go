package client

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // the codec that ours falls back to
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

const (
	// readBuffer is how many bytes a connection takes from the system at once: fewer calls, and it stays in the cache.
	readBuffer = 256 << 10
	// window is how many bytes a server may send ahead of the reader, of a stream and of a connection.
	window = 8 << 20
	// maxMessage is the largest message that is taken. Servers choose the size of their batches, and some send whole tables.
	maxMessage = 1 << 30
)

// DialOptions returns options for a connection whose client reads batches: InPlace, and buffers that fit them. A server can have
// 8 MiB sent that are not read yet, and a message has at most 1 GiB; options behind these change both.
func DialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithDefaultCallOptions(InPlace(), grpc.MaxCallRecvMsgSize(maxMessage)),
		grpc.WithReadBufferSize(readBuffer),
		grpc.WithInitialWindowSize(window),
		grpc.WithInitialConnWindowSize(window),
		experimental.WithBufferPool(memories),
	}
}

// InPlace returns an option for calls whose replies are FlightData: the body of each is copied once, from the frames of HTTP/2 to
// memory of its own, which begins at a multiple of 64 bytes as Arrow recommends. Other messages are decoded as always.
func InPlace() grpc.CallOption { return grpc.ForceCodecV2(codec{encoding.GetCodecV2("proto")}) }

// codec is protobuf's codec, but for FlightData that is received.
type codec struct{ encoding.CodecV2 }

// Unmarshal implements encoding.CodecV2.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(*flight.FlightData)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	rest, body, err := split(data)
	if err != nil {
		return err
	}
	if err := proto.Unmarshal(rest, m); err != nil {
		return err
	}
	m.DataBody = body
	return nil
}

// bodyNumber is the number of FlightData's field data_body.
const bodyNumber = 1000

// errFields is the error of bytes that are not the fields of a message.
var errFields = errors.New("arrowio/flight/client: a message is not protobuf's")

// split parts a message into its body, copied to memory of its own, and its other fields as they are. Of several bodies the last
// one counts, as protobuf says. No length is believed beyond the bytes that have come.
func split(data mem.BufferSlice) (rest, body []byte, err error) {
	r := data.Reader()
	defer func() { _ = r.Close() }() // it gives buffers back, and never fails
	for r.Remaining() > 0 {
		tag, err := binary.ReadUvarint(r)
		if err != nil {
			return nil, nil, errFields
		}
		number, kind := protowire.DecodeTag(tag)
		if kind == protowire.BytesType && number == bodyNumber {
			n, err := binary.ReadUvarint(r)
			if err != nil || n > uint64(r.Remaining()) {
				return nil, nil, errFields
			}
			body = memories.Allocate(int(n))
			_, _ = io.ReadFull(r, body) // there are as many
			continue
		}
		rest = protowire.AppendVarint(rest, tag)
		n := uint64(0)
		switch kind {
		case protowire.Fixed32Type:
			n = 4
		case protowire.Fixed64Type:
			n = 8
		case protowire.VarintType, protowire.BytesType:
			x, err := binary.ReadUvarint(r)
			if err != nil {
				return nil, nil, errFields
			}
			if rest = protowire.AppendVarint(rest, x); kind == protowire.BytesType {
				n = x
			}
		default: // a group, which Flight has nowhere
			return nil, nil, errFields
		}
		if n > uint64(r.Remaining()) {
			return nil, nil, errFields
		}
		at := len(rest)
		rest = append(rest, make([]byte, n)...)
		_, _ = io.ReadFull(r, rest[at:])
	}
	return rest, body, nil
}
