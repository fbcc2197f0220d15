package cfilewire

import (
	"encoding/binary"
)

// IndexBlockSize is the size from which on Kudu closes index blocks.
const IndexBlockSize = 32 << 10

// IndexOut builds an index, positional or of keys: the reverse of ParseIndex, for all blocks of the tree. A block is
// written as soon as it is full, so that index blocks lie among the data; all of its children come before it. A block that
// is full has two entries at least. Open comes first. One goroutine at a time may use it.
type IndexOut struct {
	most   int
	write  func(raw []byte) (BlockPointer, error)
	levels []indexLevel // the first is of leaves
}

// indexLevel is the block of a level that is being filled.
type indexLevel struct {
	b     []byte
	at    []uint32 // of each entry
	first []byte   // key
}

// Open makes x an empty index. size is that from which on blocks are full, 0 for IndexBlockSize. write writes a block,
// which it must not keep, and returns where that is.
func (x *IndexOut) Open(size int, write func(raw []byte) (BlockPointer, error)) {
	if size <= 0 {
		size = IndexBlockSize
	}
	for i := range x.levels {
		x.levels[i].reset()
	}
	*x = IndexOut{most: size, write: write, levels: x.levels[:0]}
	x.level(0)
}

// level makes level i, which may be one above those there are, and returns it.
func (x *IndexOut) level(i int) *indexLevel {
	if i == len(x.levels) {
		if i < cap(x.levels) {
			x.levels = x.levels[:i+1]
		} else {
			x.levels = append(x.levels, indexLevel{})
		}
	}
	return &x.levels[i]
}

func (l *indexLevel) reset() { l.b, l.at, l.first = l.b[:0], l.at[:0], l.first[:0] }

// Add adds the block at p, whose key comes after all before. It does not keep key. An error is that of write.
func (x *IndexOut) Add(key []byte, p BlockPointer) error { return x.add(0, key, p) }

// AddOrdinal is Add for a positional index.
func (x *IndexOut) AddOrdinal(ordinal uint32, p BlockPointer) error {
	var key [4]byte
	binary.BigEndian.PutUint32(key[:], ordinal)
	return x.add(0, key[:], p)
}

func (x *IndexOut) add(level int, key []byte, p BlockPointer) error {
	l := x.level(level)
	l.at = append(l.at, uint32(len(l.b)))
	if len(l.at) == 1 {
		l.first = append(l.first[:0], key...)
	}
	l.b = append(binary.AppendUvarint(l.b, uint64(len(key))), key...)
	l.b = binary.AppendUvarint(binary.AppendUvarint(l.b, uint64(p.Off)), uint64(p.Size))
	const trailer = 16 // what Kudu reckons with
	if len(l.b)+4*len(l.at)+trailer > x.most && len(l.at) > 1 {
		return x.close(level)
	}
	return nil
}

// close writes the block of a level, and enters it in the level above.
func (x *IndexOut) close(level int) error {
	if len(x.levels[level].at) == 0 {
		return nil
	}
	p, err := x.put(level)
	if err != nil {
		return err
	}
	err = x.add(level+1, x.levels[level].first, p)
	x.levels[level].reset()
	return err
}

// put writes the block of a level.
func (x *IndexOut) put(level int) (BlockPointer, error) {
	l := &x.levels[level]
	for _, at := range l.at {
		l.b = binary.LittleEndian.AppendUint32(l.b, at)
	}
	trailer := len(l.b)
	l.b = indexTrailerTable.Append(l.b, &indexTrailer{entries: int32(len(l.at)), level: uint32(min(level, 1))})
	l.b = binary.LittleEndian.AppendUint32(l.b, uint32(len(l.b)-trailer))
	return x.write(l.b)
}

// Finish writes what is not written, the root last, and returns where that is. It may have only one entry, above a block
// that was full; without any entry at all it is an empty leaf. Open comes next.
func (x *IndexOut) Finish() (BlockPointer, error) {
	for i := 0; i < len(x.levels)-1; i++ {
		if err := x.close(i); err != nil {
			return BlockPointer{}, err
		}
	}
	return x.put(len(x.levels) - 1)
}

// Separator returns the beginning of first that tells it from last, the key before: one byte more than they share, or all
// of first. Keys of a value index are cut so; the last key before the first is none.
func Separator(last, first []byte) []byte {
	return first[:min(len(first), sharedBytes(last, first)+1)]
}
