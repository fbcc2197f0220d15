package partwriter

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// Encoder writes one object. Exactly one of Close, which writes what stands at its end, and Abort, which writes nothing
// more, ends it.
type Encoder interface {
	Write(rec arrow.Record) error
	Close() error
	Abort()
}

// Buffering is an Encoder that keeps a part of what it was given until later.
type Buffering interface {
	// Pending returns about how many bytes the object would get more if it were closed now.
	Pending() int64
}

// Options says where the objects go.
type Options struct {
	Extension    string
	Packing      Packing
	MaxFileBytes int64 // start another object when one has about so many bytes; 0 = never
	NameRows     bool  // Encoders do not say which row a value that they refuse is in
	// Begin starts an object. It may write to w at once.
	Begin func(w io.Writer) (Encoder, error)
}

// writer implements arrowio.Writer.
type writer struct {
	ctx  context.Context
	st   arrowio.Store
	o    Options
	n    int   // objects begun
	rows bool  // the object has some
	done int64 // rows written, to all objects
	sink *counter
	enc  Encoder
}

// counter counts the bytes of an object.
type counter struct {
	arrowio.Sink
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Sink.Write(p)
	c.n += int64(n)
	return n, err
}

// New begins the first object, part-00000.
func New(ctx context.Context, st arrowio.Store, o Options) (arrowio.Writer, error) {
	w := &writer{ctx: ctx, st: st, o: o}
	s, err := w.create()
	if err != nil {
		return nil, err
	}
	if err := w.begin(s); err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return w, nil
}

// create opens the next object.
func (w *writer) create() (arrowio.Sink, error) {
	s, err := w.st.Create(w.ctx, fmt.Sprintf("part-%05d%s%s", w.n, w.o.Extension, w.o.Packing.Ending()))
	if err == nil {
		w.n++
	}
	return s, err
}

func (w *writer) begin(s arrowio.Sink) error {
	w.sink, w.rows = &counter{Sink: s}, false
	if w.o.Packing != (Packing{}) {
		to, err := w.o.Packing.writer(w.sink)
		if err != nil {
			return err
		}
		enc, err := w.o.Begin(to)
		if err == nil {
			w.enc = &packed{enc, to}
		}
		return err
	}
	enc, err := w.o.Begin(w.sink)
	if err == nil { // beside an error it may hold a nil pointer
		w.enc = enc
	}
	return err
}

// Write implements arrowio.Writer.
func (w *writer) Write(rec arrow.Record) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if rec.NumRows() == 0 {
		return nil
	}
	if w.o.MaxFileBytes <= 0 {
		return w.encode(rec)
	}
	// Large batches are cut, so that no object becomes much larger than it should.
	const pieces = 16 // of an object
	rows := rec.NumRows()
	if size := arrowbuf.RecordSize(rec); size > w.o.MaxFileBytes/pieces {
		rows = max(1, int64(float64(rows)*float64(w.o.MaxFileBytes)/pieces/float64(size)))
	}
	for from := int64(0); from < rec.NumRows(); from += rows {
		if err := w.writePiece(rec, from, min(from+rows, rec.NumRows())); err != nil {
			return err
		}
	}
	return nil
}

// writePiece writes rows of a batch, into another object where this one has enough.
func (w *writer) writePiece(rec arrow.Record, from, to int64) error {
	if w.rows && w.size() >= w.o.MaxFileBytes {
		// A store that takes one object only refuses another before the first has its end.
		next, err := w.create()
		if err != nil {
			return err
		}
		if err := w.end(); err != nil {
			return errors.Join(err, next.Close())
		}
		if err := w.begin(next); err != nil {
			return err
		}
	}
	w.rows = true
	if from == 0 && to == rec.NumRows() {
		return w.encode(rec)
	}
	piece := rec.NewSlice(from, to)
	defer piece.Release()
	return w.encode(piece)
}

// encode writes rows to the object.
func (w *writer) encode(rec arrow.Record) error {
	err := w.enc.Write(rec)
	if err == nil {
		w.done += rec.NumRows()
		return nil
	}
	if !w.o.NameRows {
		return err
	}
	return NameRow(rec, w.done, err, func(rows arrow.Record) error {
		enc, err := w.o.Begin(io.Discard)
		if err != nil {
			return err
		}
		defer enc.Abort()
		return enc.Write(rows)
	})
}

// size returns about how many bytes the object has.
func (w *writer) size() int64 {
	if b, ok := w.enc.(Buffering); ok {
		return w.sink.n + b.Pending()
	}
	return w.sink.n
}

// end finishes the current object.
func (w *writer) end() error {
	var err error
	if e := w.enc; e != nil {
		w.enc = nil
		err = e.Close()
	}
	if s := w.sink; s != nil {
		w.sink = nil
		err = errors.Join(err, s.Close())
	}
	return err
}

// Close implements arrowio.Writer.
func (w *writer) Close() error { return w.end() }

// Abort implements arrowio.Writer.
func (w *writer) Abort() error {
	if w.enc != nil {
		w.enc.Abort()
		w.enc = nil
	}
	if s := w.sink; s != nil {
		w.sink = nil
		return s.Close()
	}
	return nil
}
