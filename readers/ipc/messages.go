package ipc

import (
	"context"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowipc"
	"github.com/arrowio/arrowio/internal/recordsplit"
)

// Decoder decodes the messages of a stream that a transport such as Flight frames itself. It checks them as those of a file, so
// the sender need not be trusted. It must be used by one goroutine at a time.
//
// Limits apply to each message: BatchBytes bounds the decompressed body and the values of a batch with dictionaries and runs
// expanded, and BatchElements bounds its rows. DictionaryBytes bounds all dictionaries together.
type Decoder struct {
	schema  *arrowipc.Schema
	version int16
	limits  arrowio.Limits
	b       *batches // nil = not begun
	dicts   int64    // bytes of all dictionaries
	count   int64    // of messages behind the schema
}

// NewDecoder reads the first message, the schema. The caller calls Close.
func NewDecoder(metadata []byte, l arrowio.Limits) (*Decoder, error) {
	d := &Decoder{limits: l.WithDefaults()}
	m, err := d.parse(metadata)
	if err == nil {
		d.version = m.Version
		d.schema, err = m.Schema()
	}
	if err != nil {
		return nil, errs.Locate(err, errs.At{Format: "ipc-stream", Op: "schema"})
	}
	return d, nil
}

// Schema returns the stream's own schema.
func (d *Decoder) Schema() *arrow.Schema { return d.schema.Arrow }

// Begin sets which columns are decoded. Call it before the first Decode. mem allocates memory for decompressed buffers, and for
// dictionaries that come in several messages.
func (d *Decoder) Begin(p arrowio.Projection, mem memory.Allocator) {
	d.Close()
	d.b = newBatches(nil, d.schema, d.limits, p, mem)
}

// Recycle has the memory of bodies given back: mem.Free gets each one when no record and no dictionary refers to it any more. Bodies of
// messages that are refused are not given back. Call it between Begin and the first Decode.
func (d *Decoder) Recycle(mem memory.Allocator) { d.b.recycle = mem }

// Close frees the dictionaries. It may be called twice.
func (d *Decoder) Close() {
	if d.b != nil {
		d.b.release()
	}
}

// Decode decodes a message after the schema. For a batch it returns a record, which the caller releases; for a dictionary it
// returns nil. The record refers to body, which must not be changed afterwards.
func (d *Decoder) Decode(metadata, body []byte) (arrow.Record, error) {
	b, err := d.next(metadata, body)
	if err != nil || b.Load == nil {
		return nil, err
	}
	return b.Load()
}

// next reads a message; Load is nil for a dictionary.
func (d *Decoder) next(metadata, body []byte) (recordsplit.Batch, error) {
	d.count++
	b, err := d.read(metadata, body)
	return b, d.locate(err)
}

func (d *Decoder) locate(err error) error {
	return errs.Locate(err, errs.At{Format: "ipc-stream", Op: "message"})
}

func (d *Decoder) parse(metadata []byte) (arrowipc.Message, error) {
	if int64(len(metadata)) > d.limits.MetadataBytes {
		return arrowipc.Message{}, errs.Errorf(errs.ErrLimit, "message metadata of %d bytes (Limits.MetadataBytes)", len(metadata))
	}
	return arrowipc.ParseMessage(metadata, d.limits)
}

func (d *Decoder) read(metadata, body []byte) (recordsplit.Batch, error) {
	none := recordsplit.Batch{}
	m, err := d.parse(metadata)
	switch {
	case err != nil:
		return none, err
	case m.Body > int64(len(body)):
		return none, corrupt("a body of %d bytes that is said to have %d", len(body), m.Body)
	case int64(len(body)) > d.limits.BatchBytes:
		return none, errs.Errorf(errs.ErrLimit, "a body of %d bytes (Limits.BatchBytes)", len(body))
	}
	d.b.whole, d.b.charge = body, int64(len(body))+dictionaryCost*int64(len(metadata))
	switch m.Kind {
	case arrowipc.DictionaryMessage:
		return none, d.dictionary(m)
	case arrowipc.BatchMessage:
		rb, err := m.Batch(d.schema)
		if err != nil {
			return none, err
		}
		if rb.Rows > d.limits.BatchElements {
			return none, errs.Errorf(errs.ErrLimit, "a batch of %d rows (Limits.BatchElements)", rb.Rows)
		}
		return recordsplit.Batch{Rows: rb.Rows, Load: func() (arrow.Record, error) {
			rec, err := d.load(rb)
			return rec, d.locate(err)
		}}, nil
	case arrowipc.SchemaMessage:
		return none, corrupt("a second schema: all batches of a stream have one")
	}
	return none, corrupt("a message of kind %d", m.Kind)
}

// dictionaryCost is what the arrays of a message take for each byte of its metadata, at most.
const dictionaryCost = 16

func (d *Decoder) dictionary(m arrowipc.Message) error {
	id, _, _, err := m.Dictionary()
	if err != nil {
		return err
	}
	before := d.b.dicts.bytes(id)
	if err := d.b.dictionary(context.Background(), m, 0, false); err != nil {
		return err
	}
	if d.dicts += d.b.dicts.bytes(id) - before; d.dicts > d.limits.DictionaryBytes {
		return errs.Errorf(errs.ErrLimit, "the dictionaries have more than Limits.DictionaryBytes")
	}
	return nil
}

func (d *Decoder) load(rb arrowipc.Batch) (arrow.Record, error) {
	if err := refuse(d.schema, d.b.proj); err != nil {
		return nil, err
	}
	p, err := d.b.fetch(context.Background(), rb, d.schema.Columns, d.b.cols, 0, d.limits.BatchBytes)
	if err != nil {
		return nil, err
	}
	return d.b.record(p)
}

// MessageSource returns the messages after the schema, one after another, and io.EOF after the last. It returns an error when
// ctx is done.
type MessageSource func(ctx context.Context) (metadata, body []byte, err error)

// OpenMessages returns the stream whose schema d has read as a file of one split of unknown length. It can be read once, and
// calls next for each message. Close closes d.
func OpenMessages(d *Decoder, next MessageSource) arrowio.File { return &received{d: d, source: next} }

// received implements arrowio.File over messages that come once.
type received struct {
	d      *Decoder
	source MessageSource
	begun  atomic.Bool
}

func (r *received) Schema() *arrow.Schema { return r.d.Schema() }

func (r *received) Splits() []arrowio.Split {
	return []arrowio.Split{{Rows: arrowio.RowRange{End: arrowio.UnknownRows}}}
}

func (r *received) Prune(_ context.Context, s arrowio.Split, _ *expr.Bound) (arrowio.RowSet, error) {
	return arrowio.RowSet{s.Rows}, nil
}

func (r *received) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	info := newInfo("ipc-stream", r.d.version, r.d.schema, 0)
	info.Rows = arrowio.UnknownRows
	return info, nil
}

func (r *received) Close() error {
	r.d.Close()
	return nil
}

func (r *received) Read(ctx context.Context, _ arrowio.Split, _ arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	if r.begun.Swap(true) {
		return nil, errs.Errorf(errs.ErrInternal, "a stream that comes once is read again")
	}
	r.d.Begin(p, mem)
	return recordsplit.New(&receivedBatches{ctx: ctx, r: r}, p.Schema, mem), nil
}

// receivedBatches implements recordsplit.Source.
type receivedBatches struct {
	ctx context.Context // of File.Read, whose reading goes on here
	r   *received
}

func (b *receivedBatches) Next() (recordsplit.Batch, error) {
	for {
		metadata, body, err := b.r.source(b.ctx)
		if err != nil {
			return recordsplit.Batch{}, err
		}
		batch, err := b.r.d.next(metadata, body)
		if err != nil || batch.Load != nil {
			return batch, err
		}
	}
}

func (b *receivedBatches) Close() error {
	b.r.d.Close()
	return nil
}
