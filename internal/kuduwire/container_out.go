package kuduwire

import (
	"encoding/binary"
	"hash/crc32"

	"google.golang.org/protobuf/encoding/protowire"
)

// AppendContainer appends the beginning of a container of version 2, up to its first message: the header, and the record
// that describes the messages. descriptors is the FileDescriptorSet that has their type, typ its name.
func AppendContainer(dst []byte, typ string, descriptors []byte) []byte {
	at := len(dst)
	dst = binary.LittleEndian.AppendUint32(append(dst, containerMagic...), 2)
	dst = appendSum(dst, dst[at:])
	description := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), descriptors)
	description = protowire.AppendString(protowire.AppendTag(description, 2, protowire.BytesType), typ)
	return AppendRecord(dst, 2, description)
}

// AppendRecord appends a record to a container of a version, 1 or 2: what Container.Next returns is message.
func AppendRecord(dst []byte, version int, message []byte) []byte {
	at := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(message)))
	if version == 1 {
		dst = append(dst, message...)
		return appendSum(dst, dst[at:])
	}
	dst = appendSum(dst, dst[at:])
	return appendSum(append(dst, message...), message)
}

func appendSum(dst, of []byte) []byte {
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(of, castagnoli))
}

// appendNumber, appendMessage and appendID append a field of a message.
func appendNumber(dst []byte, field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(dst, field, protowire.VarintType), uint64(v))
}

func appendMessage(dst []byte, field protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, field, protowire.BytesType), message)
}

// appendID appends a BlockIdPB: 1 id, a fixed64.
func appendID(dst []byte, field protowire.Number, id uint64) []byte {
	return appendMessage(dst, field, protowire.AppendFixed64(protowire.AppendTag(nil, 1, protowire.Fixed64Type), id))
}
