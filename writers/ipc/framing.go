package ipc

import (
	"encoding/binary"
	"io"

	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowipc"
)

const magic = "ARROW1"

// fileFraming implements ipc.PayloadWriter: it lays messages out as a file and remembers where they are.
type fileFraming struct {
	w       io.Writer
	pos     int64
	schema  []byte // metadata of the schema message
	table   int64  // where in schema the schema's table is
	dicts   []arrowipc.Block
	batches []arrowipc.Block
	seen    map[int64]bool // dictionaries
}

// Start implements ipc.PayloadWriter. Arrow's stream writer does not call it.
func (f *fileFraming) Start() error { return nil }

func (f *fileFraming) write(p []byte) error {
	n, err := f.w.Write(p)
	f.pos += int64(n)
	return err
}

// WritePayload implements ipc.PayloadWriter.
func (f *fileFraming) WritePayload(p ipc.Payload) error {
	if f.pos == 0 {
		if err := f.write([]byte(magic + "\x00\x00")); err != nil {
			return err
		}
	}
	buf := p.Meta()
	defer buf.Release()
	meta := buf.Bytes()
	m, err := arrowipc.ParseMessage(meta, arrowio.Limits{}.WithDefaults())
	if err != nil {
		return err
	}
	padded := (len(meta) + 7) &^ 7
	b := arrowipc.Block{Off: f.pos, Meta: int64(8 + padded), Body: m.Body}
	if err := f.note(m, b, meta); err != nil {
		return err
	}
	prefix := binary.LittleEndian.AppendUint32(nil, arrowipc.Continuation)
	prefix = binary.LittleEndian.AppendUint32(prefix, uint32(padded))
	for _, part := range [][]byte{prefix, meta, make([]byte, padded-len(meta))} {
		if err := f.write(part); err != nil {
			return err
		}
	}
	if err := p.SerializeBody(bodyWriter{f}); err != nil {
		return err
	}
	if end := b.Off + b.Meta + b.Body; f.pos != end {
		return arrowio.Errorf(arrowio.ErrInternal, "a message ends at %d instead of %d", f.pos, end)
	}
	return nil
}

// bodyWriter keeps io.Writer out of fileFraming's methods.
type bodyWriter struct{ f *fileFraming }

func (b bodyWriter) Write(p []byte) (int, error) { return len(p), b.f.write(p) }

// note remembers a message for the footer.
func (f *fileFraming) note(m arrowipc.Message, b arrowipc.Block, meta []byte) error {
	switch m.Kind {
	case arrowipc.SchemaMessage:
		f.schema, f.table, f.seen = append([]byte(nil), meta...), m.HeaderPos(), map[int64]bool{}
	case arrowipc.DictionaryMessage:
		id, delta, _, err := m.Dictionary()
		if err != nil {
			return err
		}
		if f.seen[id] && !delta {
			return arrowio.Errorf(arrowio.ErrUnsupported, "a dictionary with dictionaries inside changes between batches, which a file cannot hold; write ipc-stream instead")
		}
		f.seen[id] = true
		f.dicts = append(f.dicts, b)
	case arrowipc.BatchMessage:
		f.batches = append(f.batches, b)
	}
	return nil
}

// Close implements ipc.PayloadWriter: it writes the end of the stream and the footer.
func (f *fileFraming) Close() error {
	footer := f.footer()
	end := binary.LittleEndian.AppendUint32(nil, arrowipc.Continuation)
	end = binary.LittleEndian.AppendUint32(end, 0)
	end = append(end, footer...)
	end = binary.LittleEndian.AppendUint32(end, uint32(len(footer)))
	return f.write(append(end, magic...))
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
func (f *fileFraming) footer() []byte {
	const vtable, table, dicts = 4, 16, 44
	batches := dicts + 4 + 24*len(f.dicts) + 4
	schema := batches + 4 + 24*len(f.batches)
	le := binary.LittleEndian
	b := make([]byte, schema, schema+len(f.schema)+8)
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
	return append(b, make([]byte, -len(b)&7)...)
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
