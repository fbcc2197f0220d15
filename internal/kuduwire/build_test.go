package kuduwire

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
)

var noLimits errs.Limits

// msg builds protobuf messages.
type msg []byte

func (m msg) num(field protowire.Number, v int64) msg {
	return protowire.AppendVarint(protowire.AppendTag(m, field, protowire.VarintType), uint64(v))
}

func (m msg) str(field protowire.Number, s string) msg {
	return protowire.AppendString(protowire.AppendTag(m, field, protowire.BytesType), s)
}

func (m msg) sub(field protowire.Number, s msg) msg { return m.str(field, string(s)) }

func (m msg) block(field protowire.Number, id uint64) msg {
	return m.sub(field, protowire.AppendFixed64(protowire.AppendTag(nil, 1, protowire.Fixed64Type), id))
}

// record frames a message.
func record(version int, data []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(data)))
	if version == 1 {
		b = append(b, data...)
		return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(data, castagnoli))
}

// containerOf builds a container whose description has no descriptors.
func containerOf(version int, typ string, messages ...[]byte) []byte {
	b := append([]byte(containerMagic), byte(version), 0, 0, 0)
	if version > 1 {
		b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	}
	b = append(b, record(version, msg{}.str(1, "").str(2, typ))...)
	for _, m := range messages {
		b = append(b, record(version, m)...)
	}
	return b
}

// realContainer puts records that Kudu wrote behind a description without descriptors.
func realContainer(tb testing.TB, typ string, records ...string) []byte {
	b := append(unhex(tb, realHead), record(2, msg{}.str(1, "").str(2, typ))...)
	for _, r := range records {
		b = append(b, unhex(tb, r)...)
	}
	return b
}

func unhex(tb testing.TB, s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
