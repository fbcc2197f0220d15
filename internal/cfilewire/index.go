package cfilewire

import (
	"encoding/binary"
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb"
)

// IndexBlock is a node of an index: entries of keys and pointers to blocks. Those of a leaf point to data, those of an
// inner node to nodes, whose first key theirs is.
type IndexBlock struct {
	Leaf bool

	b       []byte // all entries
	offsets []byte // of each entry, u32
}

// indexEntryMin is the least that an entry takes, its offset included: an empty key, two varints.
const indexEntryMin = 4 + 3

// ParseIndex reads an opened index block:
//
//	entry …  offset of each entry(u32) …  IndexBlockTrailerPB  length of IndexBlockTrailerPB(u32)
//
//	entry: varint length, key, varint offset of the block, varint its size
//
// All entries are checked here: they follow one another without gaps, as in all files that Kudu wrote. Whether pointers
// are in the file is for Footer.CheckPointer to say, and whether keys ascend for the caller, who knows what keys they
// are. The block refers to b.
func ParseIndex(b []byte) (IndexBlock, error) {
	var x IndexBlock
	if len(b) < 4 {
		return x, errs.Errorf(errs.ErrCorrupt, "index block of %d bytes", len(b))
	}
	body := b[:len(b)-4]
	size := binary.LittleEndian.Uint32(b[len(body):])
	if int64(size) > int64(len(body)) {
		return x, errs.Errorf(errs.ErrCorrupt, "index trailer of %d bytes in a block of %d", size, len(b))
	}
	trailer := body[len(body)-int(size):]
	body = body[:len(body)-int(size)]
	var t indexTrailer
	if err := indexTrailerTable.Parse(trailer, &t); err != nil {
		return x, err
	}
	if t.entries < 0 || int(t.entries) > len(body)/indexEntryMin {
		return x, errs.Errorf(errs.ErrCorrupt, "%d index entries in %d bytes", t.entries, len(body))
	}
	table := len(body) - 4*int(t.entries)
	x = IndexBlock{Leaf: t.level == 0, b: body[:table:table], offsets: body[table:len(body):len(body)]}
	return x, x.check()
}

// indexTrailer is IndexBlockTrailerPB.
type indexTrailer struct {
	entries int32
	level   uint32 // 0 = leaf, 1 = above
}

var indexTrailerTable = pb.NewTable(
	pb.Int(1, "num_entries", func(t *indexTrailer) *int32 { return &t.entries }).Required(),
	pb.Uint(2, "type", func(t *indexTrailer) *uint32 { return &t.level }).Required().Words("LEAF", "INTERNAL"),
).Check(func(t *indexTrailer) error {
	if t.level > 1 {
		return errs.Errorf(errs.ErrCorrupt, "index block of type %d", t.level)
	}
	return nil
})

// check walks all entries, so that Entry need not.
func (x *IndexBlock) check() error {
	at := 0
	for i := range x.Len() {
		if off := binary.LittleEndian.Uint32(x.offsets[4*i:]); int64(off) != int64(at) {
			return errs.Errorf(errs.ErrCorrupt, "index entry %d is at %d, not behind the one before it at %d", i, off, at)
		}
		_, _, rest, ok := parseIndexEntry(x.b[at:])
		if !ok {
			return errs.Errorf(errs.ErrCorrupt, "index entry %d at %d cannot be read", i, at)
		}
		at = len(x.b) - len(rest)
	}
	if at != len(x.b) {
		return errs.Errorf(errs.ErrCorrupt, "%d bytes between index entries and their offsets", len(x.b)-at)
	}
	return nil
}

func parseIndexEntry(b []byte) (key []byte, p BlockPointer, rest []byte, ok bool) {
	n, used := binary.Uvarint(b)
	if used <= 0 || n > uint64(len(b)-used) {
		return nil, p, nil, false
	}
	b = b[used:]
	key, b = b[:n:n], b[n:]
	off, used := binary.Uvarint(b)
	if used <= 0 || off > math.MaxInt64 {
		return nil, p, nil, false
	}
	b = b[used:]
	size, used := binary.Uvarint(b)
	if used <= 0 || size > math.MaxInt32 {
		return nil, p, nil, false
	}
	return key, BlockPointer{Off: int64(off), Size: int32(size)}, b[used:], true
}

// Len returns the number of entries, which may be 0.
func (x *IndexBlock) Len() int { return len(x.offsets) / 4 }

// Entry returns the key and the pointer of entry i, which is below Len. The key is a part of the block.
func (x *IndexBlock) Entry(i int) (key []byte, p BlockPointer) {
	key, p, _, _ = parseIndexEntry(x.b[binary.LittleEndian.Uint32(x.offsets[4*i:]):])
	return key, p
}

// OrdinalKey returns the ordinal of the first row of a block, which is the key in a positional index: four bytes,
// big-endian.
func OrdinalKey(key []byte) (uint32, error) {
	if len(key) != 4 {
		return 0, errs.Errorf(errs.ErrCorrupt, "key of %d bytes in a positional index", len(key))
	}
	return binary.BigEndian.Uint32(key), nil
}
