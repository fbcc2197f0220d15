package trevniwire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cursor"
)

// Block is one block of one column.
type Block struct {
	Start, Rows int64 // first top-level row, and how many
	Off         int64 // absolute offset of the packed bytes
	Packed, Raw int64 // sizes, without the checksum
	First       []byte
	Descriptor  int64 // absolute offset of the descriptor
}

// End returns the row behind the block's last.
func (b *Block) End() int64 { return b.Start + b.Rows }

// DescriptorSize returns the bytes of a descriptor whose first value takes none.
const DescriptorSize = 12

// ParseDescriptors reads the block count and the descriptors of col from b, which begins at col.Start of a file of the
// given size. Blocks of no rows are left out (the offsets of the others count their bytes all the same).
// ErrShort: b ends before the descriptors do; call again with more.
func ParseDescriptors(b []byte, col *Column, rows, size int64, lim errs.Limits) ([]Block, error) {
	blocks, err := AllDescriptors(b, col, rows, size, lim)
	return slices.DeleteFunc(blocks, func(k Block) bool { return k.Rows == 0 }), err
}

// CutDescriptors is ParseDescriptors of a file that was cut off: blocks may lie behind its end.
func CutDescriptors(b []byte, col *Column, rows, size int64, lim errs.Limits) ([]Block, error) {
	blocks, err := descriptors(b, col, rows, size, true, lim)
	return slices.DeleteFunc(blocks, func(k Block) bool { return k.Rows == 0 }), err
}

// AllDescriptors is ParseDescriptors with the blocks of no rows.
func AllDescriptors(b []byte, col *Column, rows, size int64, lim errs.Limits) ([]Block, error) {
	return descriptors(b, col, rows, size, false, lim)
}

// descriptors reads the descriptors; cut = the blocks may lie behind the end of the file.
func descriptors(b []byte, col *Column, rows, size int64, cut bool, lim errs.Limits) ([]Block, error) {
	c := cursor.New(b, col.Start)
	n := int64(c.I32())
	if c.Err() != nil {
		return nil, ErrShort
	}
	if n < 0 || n > (size-col.Start-4)/DescriptorSize {
		return nil, at(col.Start, errs.Errorf(errs.ErrCorrupt, "%d blocks in %d bytes", n, size-col.Start))
	}
	if n*DescriptorSize > lim.MetadataBytes {
		return nil, at(col.Start, errs.Errorf(errs.ErrLimit, "descriptors of %d blocks are over the limit MetadataBytes = %d", n, lim.MetadataBytes))
	}
	if n*DescriptorSize > int64(len(b)) {
		return nil, ErrShort
	}
	blocks := make([]Block, 0, n)
	row, data := int64(0), int64(0)
	for i := range n {
		off := c.Offset()
		k := Block{Start: row, Rows: int64(c.I32()), Raw: int64(c.I32()), Packed: int64(c.I32()), Off: data, Descriptor: off}
		if col.Values {
			k.First = firstValue(c, col.Type)
		}
		if c.Err() != nil {
			err := c.Err()
			switch {
			case !errors.Is(err, cursor.ErrShort) || int64(len(b)) >= size-col.Start:
			case int64(len(b)) < lim.MetadataBytes:
				return nil, ErrShort
			default:
				err = errs.Errorf(errs.ErrLimit, "first values are over the limit MetadataBytes = %d", lim.MetadataBytes)
			}
			return nil, errs.Locate(err, errs.At{Op: fmt.Sprintf("descriptor %d", i), Off: errs.N(off)})
		}
		most := size
		if cut {
			most = math.MaxInt64
		}
		if err := k.check(col, rows, most, lim); err != nil {
			err.Op, err.Off = fmt.Sprintf("descriptor %d", i), off
			return nil, err
		}
		data += k.Packed + col.Checksum.Size()
		row += k.Rows
		blocks = append(blocks, k)
	}
	end := c.Offset()
	if row != rows {
		return nil, at(col.Start, errs.Errorf(errs.ErrCorrupt, "blocks hold %d rows, the header says %d", row, rows))
	}
	if data > size-end && !cut {
		return nil, at(end, errs.Errorf(errs.ErrCorrupt, "blocks of %d bytes in the file's last %d", data, size-end))
	}
	for i := range blocks {
		blocks[i].Off += end
	}
	return blocks, nil
}

// check tests one descriptor on its own. A row is at most one value of the largest legal size in each block, so what
// bounds a block is Limits.ValueBytes and, below that, what the codec can make of the packed bytes.
func (b *Block) check(col *Column, rows, size int64, lim errs.Limits) *errs.Error {
	switch {
	case b.Rows < 0 || b.Rows > rows-b.Start:
		return errs.Errorf(errs.ErrCorrupt, "%d rows, %d are left", b.Rows, rows-b.Start)
	case b.Raw < 0 || b.Packed < 0 || b.Packed > size:
		return errs.Errorf(errs.ErrCorrupt, "raw size %d, packed size %d", b.Raw, b.Packed)
	case col.Codec == blockcodec.None && b.Raw != b.Packed:
		return errs.Errorf(errs.ErrCorrupt, "raw size %d, packed size %d without a codec", b.Raw, b.Packed)
	case b.Raw > lim.ValueBytes:
		return errs.Errorf(errs.ErrLimit, "block of %d bytes is over the limit ValueBytes = %d", b.Raw, lim.ValueBytes)
	case b.Raw > blockcodec.MaxRaw(col.Codec, b.Packed):
		return errs.Errorf(errs.ErrCorrupt, "%d bytes cannot unpack to %d", b.Packed, b.Raw)
	}
	return nil
}

// firstValue passes over one value in the column's encoding and returns its bytes. Booleans restart at bit 0 of a byte
// of their own in each descriptor.
func firstValue(c *cursor.Cursor, t Type) []byte {
	switch t {
	case Null:
		return nil
	case Boolean:
		return c.Bytes(1)
	case Fixed32, Float, Fixed64, Double:
		return c.Bytes(t.Width())
	case String, Bytes:
		return c.Bytes(int(c.Varint32()))
	}
	most := binary.MaxVarintLen64
	if t == Int {
		most = binary.MaxVarintLen32
	}
	b := make([]byte, 0, most)
	for len(b) < cap(b) {
		x := c.U8()
		b = append(b, x)
		if x < 0x80 {
			return b
		}
	}
	c.Fail(errs.Errorf(errs.ErrCorrupt, "a first value: %w", cursor.ErrVarint))
	return nil
}

// Verdict is what a block's checksum says.
type Verdict uint8

// Verdicts.
const (
	Unchecked Verdict = iota // the column has no checksum
	SumOK                    // right, as Java writes it: big-endian
	SumLittle                // right, as the specification has it: little-endian
	SumAbsent                // codec null and a stored zero: no checksum at all where Java wrote the file, else wrong
	SumWrong
)

var verdictNames = [...]string{"none", "ok", "ok (little-endian)", "absent (stored 0 under codec null)", "wrong"}

// String returns the verdict for people.
func (v Verdict) String() string { return verdictNames[v] }

// CheckSum compares the stored checksum behind a block with its unpacked bytes.
func CheckSum(col *Column, raw, stored []byte) Verdict {
	if col.Checksum == NoChecksum {
		return Unchecked
	}
	sum := crc32.ChecksumIEEE(raw)
	switch {
	case binary.BigEndian.Uint32(stored) == sum:
		return SumOK
	case binary.LittleEndian.Uint32(stored) == sum:
		return SumLittle
	case col.Codec == blockcodec.None && binary.LittleEndian.Uint32(stored) == 0:
		return SumAbsent
	}
	return SumWrong
}

// AppendDescriptor writes one descriptor; first is nil for columns without trevni.values.
func AppendDescriptor(dst []byte, rows, raw, packed int, first []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(rows))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(raw))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(packed))
	return append(dst, first...)
}

// AppendFirst writes a block's first value, which AllDescriptors returns, as a descriptor has it.
func AppendFirst(dst []byte, t Type, first []byte) []byte {
	if t == String || t == Bytes {
		dst = appendVarint(dst, int64(len(first)))
	}
	return append(dst, first...)
}

// AppendSum writes the checksum of an unpacked block: CRC-32, big-endian as Java reads it or as the specification has it.
func AppendSum(dst []byte, c Checksum, raw []byte) []byte {
	switch c {
	case CRC32:
		return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(raw))
	case SpecCRC32:
		return binary.LittleEndian.AppendUint32(dst, crc32.ChecksumIEEE(raw))
	}
	return dst
}
