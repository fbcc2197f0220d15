package kuduwire

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// Record says where a record of a protobuf container lies:
//
//	length | checksum of the length, in version 2 | message | checksum
//	└ Off                                         └ Data    └ End
type Record struct {
	Off, Data, End int64
	Stored, Sum    uint32 // the checksum, as stored and as computed: of the message, in version 1 of the length, too
}

// Next returns the offset behind the record.
func (r Record) Next() int64 { return r.End + crcSize }

// Errors of RecordAt, after which the next record cannot be found. The places in the record that were read are valid.
var (
	ErrShortLength = errors.New("the file ends within the length of a record")
	ErrLengthSum   = errors.New("the checksum of the length of a record is wrong")
	ErrShortRecord = errors.New("the file ends within a record")
)

// RecordAt returns the record that begins at an offset of the container b. It does not compare the record's checksum. With
// ErrShortRecord, End is where the message would end.
func RecordAt(b []byte, version int, off int64) (Record, error) {
	r := Record{Off: off, Data: off + 4}
	if version == 2 {
		r.Data += crcSize
	}
	size := int64(len(b))
	if r.Data > size {
		return r, ErrShortLength
	}
	length := b[off : off+4]
	if version == 2 && crc32.Checksum(length, castagnoli) != binary.LittleEndian.Uint32(b[off+4:]) {
		return r, ErrLengthSum
	}
	r.End = r.Data + int64(binary.LittleEndian.Uint32(length))
	if r.Next() > size {
		return r, ErrShortRecord
	}
	covered := r.Data
	if version == 1 {
		covered = r.Off
	}
	r.Stored, r.Sum = binary.LittleEndian.Uint32(b[r.End:]), crc32.Checksum(b[covered:r.End], castagnoli)
	return r, nil
}
