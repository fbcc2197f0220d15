package cfilewire

import (
	"encoding/binary"
)

// What is here writes delta files, which tests compare with those of Kudu: nothing else writes any.

// DeltaSettings are those of a delta file. Its values begin with their DeltaKey.
func DeltaSettings() FileSettings {
	return FileSettings{
		Type: Binary, Encoding: EncodingPlain, Compression: LZ4, BlockSize: 32 << 10, Keyed: true, WholeKeys: true,
		Key: appendDeltaKeyOf,
	}
}

// appendDeltaKeyOf appends the key that a value of a delta file begins with.
func appendDeltaKeyOf(dst, value []byte) ([]byte, error) {
	_, rest, err := ParseDeltaKey(value)
	if err != nil {
		return dst, err
	}
	return append(dst, value[:len(value)-len(rest)]...), nil
}

// AppendDeltaStats appends DeltaStatsPB, the footer metadata MetaDeltaStats of a delta file.
func AppendDeltaStats(b []byte, s DeltaStats) []byte { return deltaStatsTable.Append(b, &s) }

// AppendChange appends the beginning of a row change list; AppendCell and AppendNull append the cells of an Update or a
// Reinsert. See ParseChange.
func AppendChange(dst []byte, op Op) []byte { return append(dst, byte(op)) }

// AppendCell appends a cell that a change sets: little-endian at the type's width, a byte for bool, bytes as they are.
func AppendCell(dst []byte, column int32, value []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(uint32(column)))
	return append(binary.AppendUvarint(dst, uint64(len(value))+1), value...)
}

// AppendNull appends a cell that a change makes null.
func AppendNull(dst []byte, column int32) []byte {
	return append(binary.AppendUvarint(dst, uint64(uint32(column))), 0)
}
