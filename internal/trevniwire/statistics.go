package trevniwire

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cursor"
)

// Statistics of a column, which the format has no place for, are in its metadata under KeyStats. The value is
//
//	version    one byte, 1
//	checksum   CRC-32, big-endian, of rows, raw size and packed size of each block (three fixed32), and of what follows
//	per block  a byte: 1 = there is a minimum, 2 = a maximum; the number of nulls, a varint; the minimum; the maximum
//
// with bounds of integers as varints, the maximum less the minimum; of floats as they are stored; of strings and bytes with their
// length in front, of at most BoundBytes bytes. The checksum tells statistics of other blocks, which a program leaves that
// rewrites a column and keeps metadata that it does not know.

// BoundBytes is how much of a text its bounds have.
const BoundBytes = 32

const statsVersion = 1

// Bounds are what is known of the values of one block.
type Bounds struct {
	Nulls    int64 // rows without a value
	Min, Max bool  // which of the bounds there are; NaN is within no bounds
	MinInt   int64
	MaxInt   int64
	MinFloat float64
	MaxFloat float64
	MinText  []byte // no value is less
	MaxText  []byte // no value is greater
}

// Ordered reports whether values of a type have bounds.
func Ordered(t Type) bool { return t != Null && t != Boolean }

// AppendBounds writes the bounds of one block of a column of type t.
func AppendBounds(dst []byte, t Type, b *Bounds) []byte {
	var flags byte
	if b.Min {
		flags |= 1
	}
	if b.Max {
		flags |= 2
	}
	dst = appendVarint(append(dst, flags), b.Nulls)
	switch t {
	case Int, Long, Fixed32, Fixed64:
		if b.Min {
			dst = appendVarint(dst, b.MinInt)
		}
		if b.Max {
			dst = appendVarint(dst, b.MaxInt-b.MinInt)
		}
	case Float, Double:
		if b.Min {
			dst = appendFloat(dst, t, b.MinFloat)
		}
		if b.Max {
			dst = appendFloat(dst, t, b.MaxFloat)
		}
	default:
		if b.Min {
			dst = append(appendVarint(dst, int64(len(b.MinText))), b.MinText...)
		}
		if b.Max {
			dst = append(appendVarint(dst, int64(len(b.MaxText))), b.MaxText...)
		}
	}
	return dst
}

func appendFloat(dst []byte, t Type, v float64) []byte {
	if t == Float {
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v)))
	}
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v))
}

// AppendStatistics writes the value of KeyStats: bounds are those of all blocks, one behind another.
func AppendStatistics(dst []byte, blocks []Block, bounds []byte) []byte {
	dst = append(dst, statsVersion)
	dst = binary.BigEndian.AppendUint32(dst, statsSum(blocks, bounds))
	return append(dst, bounds...)
}

// StatisticsSize is how much longer the value of KeyStats is than the bounds.
const StatisticsSize = 1 + 4

func statsSum(blocks []Block, bounds []byte) uint32 {
	var d [DescriptorSize]byte
	sum := uint32(0)
	for i := range blocks {
		b := &blocks[i]
		sum = crc32.Update(sum, crc32.IEEETable, AppendDescriptor(d[:0], int(b.Rows), int(b.Raw), int(b.Packed), nil))
	}
	return crc32.Update(sum, crc32.IEEETable, bounds)
}

// ErrOtherBlocks says that statistics are not of the blocks that the file has.
var ErrOtherBlocks = errors.New("the statistics are damaged, or of other blocks: their checksum is wrong")

// ParseStatistics reads the value of KeyStats of a column, all of whose blocks that have rows are given.
func ParseStatistics(v []byte, col *Column, blocks []Block) ([]Bounds, error) {
	c := cursor.New(v, 0)
	if version := c.U8(); c.Err() == nil && version != statsVersion {
		return nil, errs.Errorf(errs.ErrUnsupported, "statistics of version %d", version)
	}
	sum := binary.BigEndian.Uint32(append(c.Bytes(4), 0, 0, 0, 0))
	if c.Err() != nil {
		return nil, c.Err()
	}
	if !Ordered(col.Type) || statsSum(blocks, v[c.Offset():]) != sum {
		return nil, errs.Errorf(errs.ErrCorrupt, "%w", ErrOtherBlocks)
	}
	if len(blocks) > c.Remaining()/2 {
		return nil, errs.Errorf(errs.ErrCorrupt, "statistics of %d bytes for %d blocks", len(v), len(blocks))
	}
	out := make([]Bounds, len(blocks))
	for i := range out {
		out[i] = parseBounds(c, col.Type)
		if c.Err() != nil {
			return nil, c.Err()
		}
		if !out[i].sound(blocks[i].Rows) {
			return nil, errs.Errorf(errs.ErrCorrupt, "statistics of block %d contradict themselves", i)
		}
	}
	if c.Remaining() > 0 {
		return nil, errs.Errorf(errs.ErrCorrupt, "%d bytes behind the statistics", c.Remaining())
	}
	return out, nil
}

func parseBounds(c *cursor.Cursor, t Type) (b Bounds) {
	flags := c.U8()
	b.Min, b.Max = flags&1 != 0, flags&2 != 0
	b.Nulls = c.Varint64()
	switch t {
	case Int, Long, Fixed32, Fixed64:
		if b.Min {
			b.MinInt = c.Varint64()
		}
		if b.Max {
			b.MaxInt = b.MinInt + c.Varint64()
		}
	case Float, Double:
		if b.Min {
			b.MinFloat = parseFloat(c, t)
		}
		if b.Max {
			b.MaxFloat = parseFloat(c, t)
		}
	default:
		if b.Min {
			b.MinText = c.Bytes(int(c.Varint32()))
		}
		if b.Max {
			b.MaxText = c.Bytes(int(c.Varint32()))
		}
	}
	return b
}

func parseFloat(c *cursor.Cursor, t Type) float64 {
	if t == Float {
		return float64(math.Float32frombits(c.U32()))
	}
	return math.Float64frombits(c.U64())
}

// sound reports whether bounds of so many rows can be true.
func (b *Bounds) sound(rows int64) bool {
	if b.Nulls < 0 || b.Nulls > rows || (b.Min || b.Max) && b.Nulls == rows {
		return false
	}
	return !b.Min || !b.Max || b.MinInt <= b.MaxInt && b.MinFloat <= b.MaxFloat && string(b.MinText) <= string(b.MaxText)
}

// CutText makes the bounds of texts of which only the first BoundBytes bytes were looked at; longer says that one that begins
// with high goes on behind them. Not every text has a bound above it: then Max is false.
func (b *Bounds) CutText(low, high []byte, longer bool) {
	b.Min, b.Max = true, true
	b.MinText = low
	for longer && len(high) > 0 && high[len(high)-1] == 0xff {
		high = high[:len(high)-1]
	}
	if !longer {
		b.MaxText = high
		return
	}
	if len(high) == 0 {
		b.Max = false
		return
	}
	b.MaxText = append(high[:len(high)-1:len(high)-1], high[len(high)-1]+1)
}
