package recordsplit

import (
	"errors"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// Batch is the next batch of a source, decoded when Load is called, at most once and before the source's next Next.
type Batch struct {
	Rows int64
	Load func() (arrow.Record, error) // the caller releases the record, which has Rows rows
}

// Source lists the batches of a split in row order.
type Source interface {
	// Next returns the next batch, or io.EOF behind the last.
	Next() (Batch, error)
	Close() error
}

// Reader implements arrowio.SplitReader and arrowio.Sizer over a Source. It is used by one goroutine at a time.
type Reader struct {
	src    Source
	schema *arrow.Schema
	mem    memory.Allocator

	cur   Batch
	rec   arrow.Record   // cur, once loaded
	pos   int64          // rows of cur that were passed
	ahead []arrow.Record // the batches behind cur that Fit has loaded
	later error          // what stopped that, sticky too
	err   error          // sticky; io.EOF at the end
	parts []arrow.Record
	rows  int64 // in parts

	narrow bool // dictionaries of several batches may have too many entries for one record
	room   arrowbuf.Room
}

// New returns a reader of the records of src, which all have the given schema. It owns src and closes it. It is an arrowio.RunReader, too, unless the dictionaries of several batches may have too many
// entries for one record: Fit can tell that of rows that follow each other.
func New(src Source, schema *arrow.Schema, mem memory.Allocator) arrowio.SplitReader {
	r := &Reader{src: src, schema: schema, mem: mem, narrow: arrowbuf.NarrowIndices(schema)}
	if r.narrow {
		return r
	}
	return &runReader{Reader: r}
}

// next makes cur a batch with rows left. At the end it reports false; an error is kept in r.err.
func (r *Reader) next() bool {
	for r.err == nil && r.pos >= r.cur.Rows {
		r.drop()
		switch {
		case len(r.ahead) > 0:
			r.rec, r.ahead = r.ahead[0], r.ahead[1:]
			r.cur = Batch{Rows: r.rec.NumRows()}
			continue
		case r.later != nil:
			r.err = r.later
		default:
			r.cur, r.err = r.src.Next()
		}
		if r.err != nil {
			r.cur = Batch{}
		}
	}
	return r.err == nil
}

func (r *Reader) drop() {
	if r.rec != nil {
		r.rec.Release()
		r.rec = nil
	}
	r.pos = 0
}

func (r *Reader) load() bool {
	if !r.next() {
		return false
	}
	if r.rec == nil {
		r.rec, r.err = loaded(r.cur)
	}
	return r.err == nil
}

// loaded returns the record of a batch, which the caller releases.
func loaded(b Batch) (arrow.Record, error) {
	rec, err := b.Load()
	if err == nil && rec.NumRows() != b.Rows {
		defer rec.Release()
		return nil, errs.Errorf(errs.ErrInternal, "%d rows in a batch of %d", rec.NumRows(), b.Rows)
	}
	return rec, err
}

// joined returns how many of the next k rows, those of the loaded batch among them, can be one record. The batches that it
// has to look at for that are loaded.
func (r *Reader) joined(k int64) int64 {
	r.room.Reset()
	defer r.room.Reset()
	r.room.Add(r.rec)
	rows := r.cur.Rows - r.pos
	for i := 0; rows < k; i++ {
		if i == len(r.ahead) && !r.loadAhead() {
			break // the end, or an error: reading gets there
		}
		if !r.room.Add(r.ahead[i]) {
			return rows
		}
		rows += r.ahead[i].NumRows()
	}
	return k
}

// loadAhead loads the batch behind those that are loaded.
func (r *Reader) loadAhead() bool {
	if r.later != nil {
		return false
	}
	var b Batch
	if b, r.later = r.src.Next(); r.later != nil {
		return false
	}
	var rec arrow.Record
	if rec, r.later = loaded(b); r.later != nil {
		return false
	}
	r.ahead = append(r.ahead, rec)
	return true
}

// failed returns the error that stopped reading; the end of the split is none.
func (r *Reader) failed() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// Skip implements arrowio.SplitReader.
func (r *Reader) Skip(n int64) (int64, error) {
	var done int64
	for done < n && r.next() {
		k := min(n-done, r.cur.Rows-r.pos)
		r.pos += k
		done += k
	}
	if done == n {
		return done, nil
	}
	return done, r.failed()
}

// Read implements arrowio.SplitReader.
func (r *Reader) Read(n int) (int, error) {
	done := 0
	for done < n && r.load() {
		k := min(int64(n-done), r.cur.Rows-r.pos)
		r.parts = append(r.parts, r.slice(k))
		r.rows += k
		r.pos += k
		done += int(k)
	}
	if done == n {
		return done, nil
	}
	return done, r.failed()
}

func (r *Reader) slice(k int64) arrow.Record {
	if k == r.rec.NumRows() {
		r.rec.Retain()
		return r.rec
	}
	return r.rec.NewSlice(r.pos, r.pos+k)
}

// Fit implements arrowio.Sizer. Where the current batch holds a fair part of n rows it says how many it holds: read
// alone, they are handed over without a copy.
func (r *Reader) Fit(n int, bytes int64) int {
	if n <= 0 || !r.load() {
		return n
	}
	k := int64(n)
	if size := recordBytes(r.rec); size > 0 && r.cur.Rows > 0 {
		k = min(k, max(1, bytes/max(1, size/r.cur.Rows)))
	}
	left := r.cur.Rows - r.pos
	if r.rows == 0 && left < k && left >= k/4 {
		k = left
	}
	if r.narrow && left < k {
		k = r.joined(k)
	}
	return int(k)
}

// Take implements arrowio.SplitReader.
func (r *Reader) Take() (arrow.Record, error) {
	defer r.releaseParts()
	if len(r.parts) == 0 {
		return empty(r.schema, r.mem), nil
	}
	rec, err := arrowbuf.Concat(r.parts, r.mem)
	if err != nil {
		return nil, refused(err, r.rows)
	}
	return rec, nil
}

// refused is the error for rows that could not be copied together.
func refused(err error, rows int64) error {
	if errors.Is(err, arrowbuf.ErrOverflow) {
		return errs.Errorf(errs.ErrLimit, "%w; ask for smaller batches than %d rows", err, rows)
	}
	return errs.Errorf(errs.ErrInternal, "%d rows in one batch: %w", rows, err)
}

func (r *Reader) releaseParts() {
	for _, p := range r.parts {
		p.Release()
	}
	r.parts, r.rows = r.parts[:0], 0
}

// Close implements arrowio.SplitReader.
func (r *Reader) Close() error {
	if r.src == nil {
		return nil
	}
	r.drop()
	for _, rec := range r.ahead {
		rec.Release()
	}
	r.ahead = nil
	r.releaseParts()
	err := r.src.Close()
	r.src, r.err = nil, errs.Errorf(errs.ErrInternal, "the reader is closed")
	return err
}

// recordBytes estimates what rec holds, dictionaries apart: they do not grow with the rows.
func recordBytes(rec arrow.Record) int64 {
	var n int64
	for _, c := range rec.Columns() {
		n += dataBytes(c.Data())
	}
	return n
}

func dataBytes(d arrow.ArrayData) int64 {
	var n int64
	for _, b := range d.Buffers() {
		if b != nil {
			n += int64(b.Len())
		}
	}
	for _, c := range d.Children() {
		n += dataBytes(c)
	}
	return n
}
