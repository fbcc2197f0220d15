package ipc

import (
	"encoding/binary"
	"io"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowipc"
)

const magic = "ARROW1"

// framing writes messages one behind the other: as a stream, or as a file, for whose footer it remembers where they are.
type framing struct {
	w       io.Writer
	file    bool
	pos     int64
	schema  []byte // metadata of the schema message
	table   int64  // where in schema the schema's table is
	dicts   []arrowipc.Block
	batches []arrowipc.Block
}

func (f *framing) write(p []byte) error {
	n, err := f.w.Write(p)
	f.pos += int64(n)
	return err
}

var zeros [align]byte

func (f *framing) pad(n int) error {
	if k := -n & (align - 1); k > 0 {
		return f.write(zeros[:k])
	}
	return nil
}

// begin writes the schema message; table is where the schema's table is in its metadata.
func (f *framing) begin(meta []byte, table int64) error {
	f.schema, f.table = meta, table
	if f.file {
		if err := f.write([]byte(magic + "\x00\x00")); err != nil {
			return err
		}
	}
	_, err := f.message(meta, nil, 0)
	return err
}

// message writes one message and returns where it is.
func (f *framing) message(meta []byte, body [][]byte, size int64) (arrowipc.Block, error) {
	padded := (len(meta) + align - 1) &^ (align - 1)
	b := arrowipc.Block{Off: f.pos, Meta: int64(8 + padded), Body: size}
	prefix := binary.LittleEndian.AppendUint32(nil, arrowipc.Continuation)
	prefix = binary.LittleEndian.AppendUint32(prefix, uint32(padded))
	for _, part := range append([][]byte{prefix, meta}, body...) {
		if len(part) == 0 {
			continue
		}
		if err := f.write(part); err != nil {
			return b, err
		}
		if err := f.pad(len(part)); err != nil {
			return b, err
		}
	}
	return b, nil
}

func (f *framing) batch(b *batch) error {
	at, err := f.message(b.metadata(nil), b.body, b.size)
	f.batches = append(f.batches, at)
	return err
}

func (f *framing) dictionary(b *batch, d dictionaryOf, _ arrow.ArrayData) error {
	at, err := f.message(b.metadata(&d), b.body, b.size)
	f.dicts = append(f.dicts, at)
	return err
}

// end writes the end of the stream, and of a file the footer.
func (f *framing) end() error {
	end := binary.LittleEndian.AppendUint32(nil, arrowipc.Continuation)
	end = binary.LittleEndian.AppendUint32(end, 0)
	if f.file {
		footer := f.footer()
		end = append(end, footer...)
		end = binary.LittleEndian.AppendUint32(end, uint32(len(footer)))
		end = append(end, magic...)
	}
	return f.write(end)
}

// footer returns Footer{version, schema, dictionaries, recordBatches}. A table refers to others by distance, so the
// schema message can be put into it as it is, at a multiple of 8:
//
//	 0  uint32   distance of the table
//	 4  vtable   uint16 its size, size of the table, offsets of the four fields in it
//	16  table    int32 distance back to the vtable, int16 version, 2 bytes of padding, three distances
//	44  uint32   number of dictionaries, 24 bytes each
//	    4 bytes  padding
//	    uint32   number of batches, 24 bytes each
//	    schema message
func (f *framing) footer() []byte {
	const vtable, table, dicts = 4, 16, 44
	batches := dicts + 4 + 24*len(f.dicts) + 4
	schema := batches + 4 + 24*len(f.batches)
	le := binary.LittleEndian
	b := make([]byte, schema, schema+len(f.schema)+align)
	le.PutUint32(b, table)
	for i, v := range []int{12, 20, 4, 8, 12, 16} {
		le.PutUint16(b[vtable+2*i:], uint16(v))
	}
	le.PutUint32(b[table:], table-vtable)
	le.PutUint16(b[table+4:], arrowipc.V5)
	for i, to := range []int{schema + int(f.table), dicts, batches} {
		at := table + 8 + 4*i
		le.PutUint32(b[at:], uint32(to-at))
	}
	putBlocks(b[dicts:], f.dicts)
	putBlocks(b[batches:], f.batches)
	b = append(b, f.schema...)
	return append(b, zeros[:-len(b)&(align-1)]...)
}

// putBlocks writes a vector of Block{int64 offset, int32 metadata length, 4 bytes of padding, int64 body length}.
func putBlocks(b []byte, blocks []arrowipc.Block) {
	le := binary.LittleEndian
	le.PutUint32(b, uint32(len(blocks)))
	for i, k := range blocks {
		p := b[4+24*i:]
		le.PutUint64(p, uint64(k.Off))
		le.PutUint32(p[8:], uint32(k.Meta))
		le.PutUint64(p[16:], uint64(k.Body))
	}
}
