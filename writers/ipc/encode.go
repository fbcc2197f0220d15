package ipc

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowipc"
	"github.com/arrowio/arrowio/internal/arrowtype"
)

// batch is a record batch or the values of a dictionary, laid out: what its metadata say, and the buffers of its body,
// which are views of the arrays or compressed ones.
type batch struct {
	rows     int64
	nodes    []pair // slots, nulls
	buffers  []pair // offset in the body, length
	variadic []int64
	body     [][]byte
	size     int64 // of the body, padding included
	codec    int8
	packer   *packer
	plain    bool // what is added now is not compressed, although codec is not None
	views    bool // body has views of the arrays, though codec is not None
}

type pair struct{ a, b int64 }

// align is what every buffer starts at a multiple of.
const align = 8

// add lays out a field depth first, as readers walk it. d is at offset 0 throughout and has exact children.
func (b *batch) add(n *arrowipc.Node, d arrow.ArrayData) error {
	t := arrowtype.Storage(n.Type)
	rows := d.Len()
	b.nodes = append(b.nodes, pair{int64(rows), int64(d.NullN())})
	if err := b.fieldBuffers(n, t, d); err != nil {
		return err
	}
	if n.Dict != nil {
		return nil
	}
	for i, k := range n.Children {
		if err := b.add(k, d.Children()[i]); err != nil {
			return err
		}
	}
	return nil
}

// fieldBuffers lays out the buffers of a field itself.
func (b *batch) fieldBuffers(n *arrowipc.Node, t arrow.DataType, d arrow.ArrayData) error {
	rows := d.Len()
	switch t := t.(type) {
	case *arrow.NullType, *arrow.RunEndEncodedType:
		return nil
	case *arrow.SparseUnionType:
		return b.put(d, 1, rows)
	case *arrow.DenseUnionType:
		return b.puts(d, 1, rows, 2, 4*rows)
	default:
		if err := b.validity(d); err != nil {
			return err
		}
		if n.Dict != nil {
			t = t.(*arrow.DictionaryType).IndexType
		}
		return b.values(t, d)
	}
}

func (b *batch) values(t arrow.DataType, d arrow.ArrayData) error {
	rows := d.Len()
	switch t := t.(type) {
	case *arrow.StructType, *arrow.FixedSizeListType:
		return nil
	case *arrow.ListType, *arrow.MapType:
		return b.put(d, 1, offsetBytes(rows, 4))
	case *arrow.LargeListType:
		return b.put(d, 1, offsetBytes(rows, 8))
	case *arrow.ListViewType:
		return b.puts(d, 1, 4*rows, 2, 4*rows)
	case *arrow.LargeListViewType:
		return b.puts(d, 1, 8*rows, 2, 8*rows)
	case *arrow.StringType, *arrow.BinaryType:
		return b.puts(d, 1, offsetBytes(rows, 4), 2, int(lastOffset(d, 4)))
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return b.puts(d, 1, offsetBytes(rows, 8), 2, int(lastOffset(d, 8)))
	case arrow.BinaryViewDataType:
		if err := b.put(d, 1, arrow.ViewHeaderSizeBytes*rows); err != nil {
			return err
		}
		more := d.Buffers()[2:]
		b.variadic = append(b.variadic, int64(len(more)))
		for i, m := range more {
			if err := b.put(d, 2+i, m.Len()); err != nil {
				return err
			}
		}
		return nil
	case *arrow.BooleanType:
		return b.bits(d, 1)
	case arrow.FixedWidthDataType:
		return b.put(d, 1, (t.BitWidth()*rows+7)/8)
	}
	return errs.Errorf(errs.ErrUnsupported, "arrays of type %s", t)
}

// offsetBytes returns how many bytes the offsets of so many rows take; none for no rows, as the format allows.
func offsetBytes(rows, width int) int {
	if rows == 0 {
		return 0
	}
	return width * (rows + 1)
}

// lastOffset returns how many bytes of data strings at offset 0 use.
func lastOffset(d arrow.ArrayData, width int) int64 {
	n := d.Len()
	if n == 0 {
		return 0
	}
	b := d.Buffers()[1].Bytes()[width*n:]
	if width == 4 {
		return int64(binary.LittleEndian.Uint32(b))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

func (b *batch) validity(d arrow.ArrayData) error {
	if d.NullN() == 0 {
		return b.append(nil)
	}
	return b.bits(d, 0)
}

// bits lays out buffer i, which has a bit for each row. Bits behind the last row are 0: those of a slice are of rows that do not
// belong here.
func (b *batch) bits(d arrow.ArrayData, i int) error {
	rows := d.Len()
	if rows == 0 {
		return b.append(nil)
	}
	p := d.Buffers()[i].Bytes()[:(rows+7)/8]
	if last := len(p) - 1; rows%8 != 0 && p[last]>>(rows%8) != 0 {
		p = bytes.Clone(p)
		p[last] &= 1<<(rows%8) - 1
	}
	return b.append(p)
}

func (b *batch) puts(d arrow.ArrayData, i, n, j, m int) error {
	if err := b.put(d, i, n); err != nil {
		return err
	}
	return b.put(d, j, m)
}

// put lays out the first n bytes of buffer i.
func (b *batch) put(d arrow.ArrayData, i, n int) error {
	if n == 0 {
		return b.append(nil)
	}
	return b.append(d.Buffers()[i].Bytes()[:n])
}

// append lays out a buffer behind the others, compressed where that makes it shorter.
func (b *batch) append(p []byte) error {
	if len(p) == 0 || b.codec == arrowipc.None {
		b.lay(p)
		return nil
	}
	if !b.plain {
		packed, err := b.packer.pack(p, b.codec)
		if err != nil {
			return err
		}
		if len(packed) < len(notCompressed)+len(p) {
			b.lay(packed)
			return nil
		}
	}
	b.views = true
	at := b.size
	b.part(notCompressed)
	b.part(p)
	b.buffers = append(b.buffers, pair{at, int64(len(notCompressed) + len(p))})
	return nil
}

// notCompressed is the length, -1, in front of a buffer that is not compressed in a body that is.
var notCompressed = bytes.Repeat([]byte{0xff}, align)

// lay lays out a buffer as it is.
func (b *batch) lay(p []byte) {
	b.buffers = append(b.buffers, pair{b.size, int64(len(p))})
	b.part(p)
}

// part puts bytes behind the body, and what is missing to a multiple of align behind them.
func (b *batch) part(p []byte) {
	b.body = append(b.body, p)
	b.size += (int64(len(p)) + align - 1) &^ (align - 1)
}

// holdsViews reports whether the memory of the arrays is needed as long as the body is.
func (b *batch) holdsViews() bool { return b.codec == arrowipc.None || b.views }

// packer compresses buffers: int64 size, then one frame.
type packer struct {
	zstd *zstd.Encoder
	lz4  *lz4.Writer
}

func (k *packer) pack(p []byte, codec int8) ([]byte, error) {
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(p)))
	if codec == arrowipc.ZSTD {
		if k.zstd == nil {
			var err error
			if k.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)); err != nil {
				return nil, err
			}
		}
		return k.zstd.EncodeAll(p, head), nil
	}
	out := bytes.NewBuffer(head)
	if k.lz4 == nil {
		k.lz4 = lz4.NewWriter(out)
		if err := k.lz4.Apply(lz4.ChecksumOption(false), lz4.BlockSizeOption(lz4.Block256Kb)); err != nil {
			return nil, err
		}
	} else {
		k.lz4.Reset(out)
	}
	if _, err := io.Copy(k.lz4, bytes.NewReader(p)); err != nil {
		return nil, err
	}
	if err := k.lz4.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// dictionaryOf says that a batch holds values of a dictionary.
type dictionaryOf struct {
	id    int64
	delta bool
}

// metadata returns the flatbuffer Message of a record batch, or of a dictionary batch if dict is not nil. Numbers of
// fields are those of Message.fbs.
func (b *batch) metadata(dict *dictionaryOf) []byte {
	fb := flatbuffers.NewBuilder(256 + 16*(len(b.nodes)+len(b.buffers)))
	nodes, buffers := putPairs(fb, b.nodes), putPairs(fb, b.buffers)
	var variadic, compression flatbuffers.UOffsetT
	if len(b.variadic) > 0 {
		fb.StartVector(8, len(b.variadic), 8)
		for i := len(b.variadic) - 1; i >= 0; i-- {
			fb.PrependInt64(b.variadic[i])
		}
		variadic = fb.EndVector(len(b.variadic))
	}
	if b.codec != arrowipc.None {
		fb.StartObject(2)
		fb.PrependInt8Slot(0, b.codec, 0)
		compression = fb.EndObject()
	}
	fb.StartObject(5)
	fb.PrependInt64Slot(0, b.rows, 0)
	fb.PrependUOffsetTSlot(1, nodes, 0)
	fb.PrependUOffsetTSlot(2, buffers, 0)
	fb.PrependUOffsetTSlot(3, compression, 0)
	fb.PrependUOffsetTSlot(4, variadic, 0)
	header, kind := fb.EndObject(), byte(arrowipc.BatchMessage)
	if dict != nil {
		fb.StartObject(3)
		fb.PrependInt64Slot(0, dict.id, 0)
		fb.PrependUOffsetTSlot(1, header, 0)
		fb.PrependBoolSlot(2, dict.delta, false)
		header, kind = fb.EndObject(), arrowipc.DictionaryMessage
	}
	fb.StartObject(5)
	fb.PrependInt16Slot(0, arrowipc.V5, 0)
	fb.PrependByteSlot(1, kind, 0)
	fb.PrependUOffsetTSlot(2, header, 0)
	fb.PrependInt64Slot(3, b.size, 0)
	fb.Finish(fb.EndObject())
	return fb.FinishedBytes()
}

// putPairs writes a vector of structs of two int64.
func putPairs(fb *flatbuffers.Builder, v []pair) flatbuffers.UOffsetT {
	fb.StartVector(16, len(v), 8)
	for i := len(v) - 1; i >= 0; i-- {
		fb.Prep(8, 16)
		fb.PrependInt64(v[i].b)
		fb.PrependInt64(v[i].a)
	}
	return fb.EndVector(len(v))
}
