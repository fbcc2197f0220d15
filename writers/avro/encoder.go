package avro

import (
	"crypto/sha256"
	"io"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/avrowire"
	"github.com/arrowio/arrowio/internal/schemadiff"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// encoder writes one file. It is a partwriter.Encoder.
type encoder struct {
	w     io.Writer
	d     *driver
	roots []*node
	codec avrowire.Encoder

	buf    []byte // the rows of the block being built
	rows   int64  // of the block
	done   int64  // rows of the blocks before
	packed []byte
	sync   [avrowire.SyncSize]byte
	begun  bool // the header is written
}

func newEncoder(w io.Writer, d *driver) *encoder {
	e := &encoder{w: w, d: d}
	for i, n := range d.tree.Roots {
		s := d.avro
		if s.Kind == trevniwire.AvroRecord {
			s = s.Fields[i].Type
		}
		e.roots = append(e.roots, newNode(s, n, schemadiff.Path(n.Field.Name), d.mem))
	}
	return e
}

// Write implements partwriter.Encoder.
func (e *encoder) Write(rec arrow.Record) error {
	for i, n := range e.roots {
		if err := n.load(rec.Column(i)); err != nil {
			return err
		}
	}
	for i := range int(rec.NumRows()) {
		if e.buf == nil {
			e.buf = make([]byte, 0, e.d.block+e.d.block/4)
		}
		buf := e.buf
		for _, n := range e.roots {
			var err error
			if buf, err = n.append(buf, i); err != nil {
				x := errs.Errorf(errs.ErrSchema, "row %d: %w", e.done+e.rows, err)
				return errs.Locate(x, errs.At{Format: Name})
			}
		}
		e.buf = buf
		if e.rows++; len(e.buf) >= e.d.block || e.rows == mostRows {
			if err := e.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostRows bounds the rows of a block: they may take no bytes.
const mostRows = 1 << 20

// begin writes the header. The sync marker is taken from what is written, so that the same rows always make the same file; as random
// bytes would, it differs between files.
func (e *encoder) begin() error {
	if e.begun {
		return nil
	}
	e.begun = true
	h := sha256.New()
	for _, p := range e.d.header.Meta {
		h.Write([]byte(p.Key))
		h.Write(p.Value)
	}
	h.Write(e.buf)
	copy(e.sync[:], h.Sum(nil))
	header := e.d.header
	header.Sync = e.sync
	_, err := e.w.Write(avrowire.AppendHeader(nil, &header))
	return err
}

// flush writes the block.
func (e *encoder) flush() error {
	if err := e.begin(); err != nil {
		return err
	}
	if e.rows == 0 {
		return nil
	}
	raw := e.buf
	if e.d.header.Codec != (avrowire.Codec{}) {
		var err error
		if e.packed, err = e.codec.Pack(e.d.header.Codec, e.d.level, e.packed[:0], raw); err != nil {
			return err
		}
		raw = e.packed
	}
	var head [avrowire.BlockHeadSize]byte
	for _, b := range [][]byte{avrowire.AppendBlockHead(head[:0], e.rows, int64(len(raw))), raw, e.sync[:]} {
		if _, err := e.w.Write(b); err != nil {
			return err
		}
	}
	e.done += e.rows
	e.rows, e.buf = 0, e.buf[:0]
	return nil
}

// Close implements partwriter.Encoder.
func (e *encoder) Close() error { return e.flush() }

// Abort implements partwriter.Encoder.
func (e *encoder) Abort() {}

// Pending implements partwriter.Buffering.
func (e *encoder) Pending() int64 { return int64(len(e.buf)) }
