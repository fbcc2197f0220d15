package cfilewire

import (
	"encoding/binary"
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// ColumnOut writes a file of rows: a column's, a key index's, a delta file's. It fills blocks, with what is null in their
// headers, and indexes. Open comes first, Finish last; between them rows are put, in as many calls as is convenient: the
// file does not depend on that.
//
// Blocks end where Kudu ends them: in a batch of rows (FileSettings.Batch) it puts one run of values after the other, those
// between two nulls, and looks whether the block is full behind each. Nulls at the end of a block belong to the next one
// if the value before has filled it.
//
// After an error nothing more may be put. One goroutine at a time may use it.
type ColumnOut struct {
	file  FileOut
	width int // of values, 0 = strings
	batch int64

	rows      int64 // put so far
	blockRows int64 // of the block
	nulls     RLEBitsOut

	// The encoder of blocks, and it again as what takes values: one of these.
	block   blockOut
	fixed   fixedOut
	bits    bitsOut
	strings stringsOut

	raw, bitmap   []byte // of a block
	gathered      []byte // values that are not null
	first, last   []byte // cells of the block
	firstK, lastK []byte // keys of the block
	least         []byte // key of the file

	encoders struct {
		plain     PlainOut
		plainBits PlainBitsOut
		rle       RLEOut
		rleBits   RLEBitsOut
		shuffle   BitShuffleOut
		strings   StringsOut
		prefix    PrefixOut
		dict      DictOut
	}
}

type blockOut interface {
	Count() int
	Full() bool
	Finish(dst []byte, ordinal uint32) []byte
}

type fixedOut interface {
	blockOut
	Put(src []byte) int
	Room() int
}

type bitsOut interface {
	blockOut
	Put(src []byte, off, n int)
	Room() int
}

type stringsOut interface {
	blockOut
	Put(offsets []int32, data []byte) int
}

// Open starts a file: see FileOut.Open.
func (c *ColumnOut) Open(s FileSettings, write func(b []byte) error) error {
	if err := c.file.Open(s, write); err != nil {
		return err
	}
	s = c.file.settings
	c.width, c.batch = s.Type.Width(), int64(s.Batch)
	if c.batch <= 0 {
		c.batch = DefaultBatch
	}
	c.rows, c.blockRows, c.least, c.first = 0, 0, c.least[:0], c.first[:0]
	c.nulls.Open(0)
	c.block, c.fixed, c.bits, c.strings = nil, nil, nil, nil
	e := &c.encoders
	switch {
	case s.Type.Binary() && s.Encoding == EncodingPlain:
		e.strings.Open(s.BlockSize)
		c.strings = &e.strings
	case s.Type.Binary() && s.Encoding == EncodingPrefix:
		e.prefix.Open(s.BlockSize)
		c.strings = &e.prefix
	case s.Type.Binary():
		e.dict.Open(s.BlockSize)
		c.strings = &e.dict
	case s.Type == Bool && s.Encoding == EncodingPlain:
		e.plainBits.Open(s.BlockSize)
		c.bits = &e.plainBits
	case s.Type == Bool:
		e.rleBits.Open(s.BlockSize)
		c.bits = &e.rleBits
	case s.Encoding == EncodingPlain:
		e.plain.Open(c.width, s.BlockSize)
		c.fixed = &e.plain
	case s.Encoding == EncodingRLE:
		e.rle.Open(c.width, s.BlockSize)
		c.fixed = &e.rle
	default:
		e.shuffle.Open(c.width, s.BlockSize, s.Type == UInt32)
		c.fixed = &e.shuffle
	}
	switch {
	case c.strings != nil:
		c.block = c.strings
	case c.bits != nil:
		c.block = c.bits
	default:
		c.block = c.fixed
	}
	return nil
}

// Rows returns how many rows have been put.
func (c *ColumnOut) Rows() int64 { return c.rows }

// Size returns how many bytes have been written. What is in the block that is being filled comes on top.
func (c *ColumnOut) Size() int64 { return c.file.Size() }

// AddMeta adds metadata to the footer.
func (c *ColumnOut) AddMeta(key string, value []byte) { c.file.AddMeta(key, value) }

// ForgetKeys is FileOut.ForgetKeys.
func (c *ColumnOut) ForgetKeys() { c.file.ForgetKeys() }

// quick is the room that a block must have for rows to be put without a look at where batches and runs end.
const quick = 64

// begin checks n rows, of which those are null whose bits in valid, from off on, are 0; valid may be nil. It returns nil
// for valid if none is.
func (c *ColumnOut) begin(n int, valid []byte, off int) ([]byte, error) {
	if n < 0 || int64(n) > math.MaxUint32+1-c.rows {
		return nil, errs.Errorf(errs.ErrLimit, "%d rows behind %d are over what a CFile can have", n, c.rows)
	}
	if valid == nil || bitpack.CountBits(valid, off, n) == n {
		return nil, nil
	}
	if !c.file.settings.Nullable {
		return nil, errs.Errorf(errs.ErrSchema, "null in a column that has none")
	}
	return valid, nil
}

// batchLeft returns how many of n rows are in the batch of the next one.
func (c *ColumnOut) batchLeft(n int) int { return int(min(int64(n), c.batch-c.rows%c.batch)) }

// PutFixed adds n rows of numbers: little-endian values of the type's width, those of nulls too, which may be anything.
// valid, from bit off on, says which are not null; nil: none is.
func (c *ColumnOut) PutFixed(values []byte, n int, valid []byte, off int) error {
	if c.fixed == nil {
		return errPutType
	}
	valid, err := c.begin(n, valid, off)
	if err != nil {
		return err
	}
	values = values[:n*c.width]
	for at := 0; at < n; {
		src := values[at*c.width:]
		if k := min(n-at, c.fixed.Room()); k >= quick {
			src = src[:k*c.width]
			c.mark(k, valid, off+at)
			if valid != nil {
				src = c.dense(len(src))
				src = src[:c.width*gather(src, values[at*c.width:], c.width, valid, off+at, k)]
			}
			c.see(src)
			c.fixed.Put(src)
			at += k
			continue
		}
		k := c.batchLeft(n - at)
		err := c.runs(k, valid, off+at, func(start, length int) error {
			for b := src[start*c.width : (start+length)*c.width]; ; {
				taken := c.fixed.Put(b)
				c.see(b[:taken*c.width])
				c.mark(taken, nil, 0)
				if b = b[taken*c.width:]; len(b) == 0 {
					return nil
				}
				if err := c.flush(); err != nil {
					return err
				}
			}
		})
		if err != nil {
			return err
		}
		at += k
	}
	return nil
}

// PutBits adds n rows of booleans, the bits of values from bitOff on. valid is as for PutFixed.
func (c *ColumnOut) PutBits(values []byte, bitOff, n int, valid []byte, off int) error {
	if c.bits == nil {
		return errPutType
	}
	valid, err := c.begin(n, valid, off)
	if err != nil {
		return err
	}
	for at := 0; at < n; {
		if k := min(n-at, c.bits.Room()); k >= quick {
			c.mark(k, valid, off+at)
			if valid == nil {
				c.bits.Put(values, bitOff+at, k)
			} else {
				b := c.dense((k+7)>>3 + 8)
				c.bits.Put(b, 0, gatherBits(b, values, bitOff+at, valid, off+at, k))
			}
			at += k
			continue
		}
		k := c.batchLeft(n - at)
		err := c.runs(k, valid, off+at, func(start, length int) error {
			c.bits.Put(values, bitOff+at+start, length)
			c.mark(length, nil, 0)
			return nil
		})
		if err != nil {
			return err
		}
		at += k
	}
	return nil
}

// PutStrings adds rows of strings or bytes, one fewer than offsets: those that offsets cut data into, those of nulls too,
// which may be anything. valid is as for PutFixed.
func (c *ColumnOut) PutStrings(offsets []int32, data, valid []byte, off int) error {
	if c.strings == nil {
		return errPutType
	}
	n := max(0, len(offsets)-1)
	valid, err := c.begin(n, valid, off)
	if err != nil {
		return err
	}
	for at := 0; at < n; {
		k := n - at
		if c.file.settings.Encoding == EncodingDict || valid != nil {
			k = c.batchLeft(k)
		}
		err := c.runs(k, valid, off+at, func(start, length int) error {
			for o := offsets[at+start : at+start+length+1]; ; {
				taken := c.strings.Put(o, data)
				if c.file.settings.Keyed && taken > 0 {
					if c.blockRows == 0 {
						c.first = append(c.first[:0], data[o[0]:o[1]]...)
					}
					c.last = append(c.last[:0], data[o[taken-1]:o[taken]]...)
				}
				c.mark(taken, nil, 0)
				if o = o[taken:]; len(o) == 1 {
					return nil
				}
				if err := c.flush(); err != nil {
					return err
				}
			}
		})
		if err != nil {
			return err
		}
		at += k
	}
	return nil
}

var errPutType error = errs.Errorf(errs.ErrSchema, "values of another type than the column's")

// runs calls put for each run of n rows that are not null, and sees to the block where Kudu does.
func (c *ColumnOut) runs(n int, valid []byte, off int, put func(start, length int) error) error {
	if valid == nil {
		if err := put(0, n); err != nil {
			return err
		}
	} else {
		runs, at := bitpack.NewRuns(valid, off, n), 0
		for at < n {
			start, length := runs.Next()
			if length == 0 {
				start = n
			}
			if start > at {
				if err := c.flushFull(); err != nil {
					return err
				}
				c.nulls.PutAll(start-at, false)
				c.advance(start - at)
			}
			if length > 0 {
				if err := put(start, length); err != nil {
					return err
				}
			}
			at = start + length
		}
	}
	if c.rows%c.batch == 0 {
		return c.flushFull()
	}
	return nil
}

func (c *ColumnOut) advance(n int) {
	c.rows += int64(n)
	c.blockRows += int64(n)
}

// mark counts n rows, and says in the null header which are null.
func (c *ColumnOut) mark(n int, valid []byte, off int) {
	if c.file.settings.Nullable {
		if valid == nil {
			c.nulls.PutAll(n, true)
		} else {
			c.nulls.Put(valid, off, n)
		}
	}
	c.advance(n)
}

// see remembers the first and the last cell of the block, which src goes on with.
func (c *ColumnOut) see(src []byte) {
	if !c.file.settings.Keyed || len(src) == 0 {
		return
	}
	if len(c.first) == 0 {
		c.first = append(c.first, src[:c.width]...)
	}
	c.last = append(c.last[:0], src[len(src)-c.width:]...)
}

// dense returns room for n bytes.
func (c *ColumnOut) dense(n int) []byte {
	if cap(c.gathered) < n {
		c.gathered = make([]byte, n+n/4)
	}
	return c.gathered[:n]
}

// EndBlock ends the block here, if it has rows, whether it is full or not.
func (c *ColumnOut) EndBlock() error { return c.flush() }

// flushFull writes the block if it is full.
func (c *ColumnOut) flushFull() error {
	if !c.block.Full() {
		return nil
	}
	return c.flush()
}

// flush writes the block, if it has rows.
func (c *ColumnOut) flush() (err error) {
	if c.blockRows == 0 {
		return nil
	}
	ordinal := uint32(c.rows - c.blockRows)
	raw := c.raw[:0]
	if c.file.settings.Nullable {
		c.bitmap = c.nulls.FinishStream(c.bitmap[:0])
		raw = binary.AppendUvarint(raw, uint64(c.blockRows))
		raw = append(binary.AppendUvarint(raw, uint64(len(c.bitmap))), c.bitmap...)
	}
	c.raw = c.block.Finish(raw, ordinal)
	if c.file.settings.Keyed {
		if c.firstK, err = c.key(c.firstK[:0], c.first); err != nil {
			return err
		}
		if c.lastK, err = c.key(c.lastK[:0], c.last); err != nil {
			return err
		}
		if ordinal == 0 {
			c.least = append(c.least[:0], c.firstK...)
		}
		c.first = c.first[:0]
	}
	c.blockRows = 0
	return c.file.Block(c.raw, ordinal, c.firstK, c.lastK)
}

// key appends the encoded key of a cell.
func (c *ColumnOut) key(dst, cell []byte) ([]byte, error) {
	if c.file.settings.Key != nil {
		return c.file.settings.Key(dst, cell)
	}
	return AppendKey(dst, c.file.settings.Type, cell, true)
}

// Finish writes the rest of the file and returns its footer.
func (c *ColumnOut) Finish() (*Footer, error) {
	if err := c.flush(); err != nil {
		return nil, err
	}
	if c.file.settings.Bounds && c.rows > 0 && !c.file.keyless {
		c.file.AddMeta(MetaMinKey, c.least)
		c.file.AddMeta(MetaMaxKey, c.lastK)
	}
	var dict []byte
	if c.file.settings.Encoding == EncodingDict {
		c.raw = c.encoders.dict.FinishWords(c.raw[:0])
		dict = c.raw
	}
	return c.file.Finish(c.rows, dict)
}
