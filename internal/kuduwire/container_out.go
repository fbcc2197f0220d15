package kuduwire

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/arrowio/arrowio/internal/pb"
)

// AppendContainer appends the beginning of a container of version 2, up to its first message: the header, and the record
// that describes the messages. descriptors is the FileDescriptorSet that has their type, typ its name.
func AppendContainer(dst []byte, typ string, descriptors []byte) []byte {
	at := len(dst)
	dst = binary.LittleEndian.AppendUint32(append(dst, containerMagic...), 2)
	dst = appendSum(dst, dst[at:])
	description := pb.AppendBytes(pb.AppendBytes(nil, 1, descriptors), 2, typ)
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
