package parquet

import (
	"io"
	"runtime"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/parquetwire/encode"
	"github.com/arrowio/arrowio/internal/workers"
)

// createdBy names the writer in the form that readers parse.
const createdBy = "arrowio version 1.0.0 (build 0)"

// memoryOfGroup is how many times the bytes of a row group its writer may need.
const memoryOfGroup = 3

// encoder writes one file. It implements partwriter.Encoder.
type encoder struct {
	d       *driver
	out     io.Writer
	at      int64 // bytes written
	columns []*column
	workers workers.Pool[worker]
	mem     memory.Allocator
	limit   int64 // bytes of a row group
	rows    int64 // of the open row group
	file    encode.File
	indexes []indexes // of the row groups
	buf     []byte
}

// indexes are the encoded page indexes of a row group, without a place yet. Offset indexes hold offsets of the file.
type indexes struct{ columns, offsets [][]byte }

func begin(w io.Writer, p *arrowio.WritePlan) (*encoder, error) {
	d := p.Driver.(*driver)
	e := &encoder{d: d, out: w, mem: p.Options.Allocator, limit: p.Options.RowGroupBytes}
	if e.mem == nil {
		e.mem = memory.DefaultAllocator
	}
	if e.limit <= 0 {
		e.limit = DefaultRowGroupBytes
	}
	if p.Options.Memory > 0 {
		e.limit = min(e.limit, max(p.Options.Memory/memoryOfGroup, 1<<16))
	}
	e.workers.Workers = p.Options.Parallelism
	if e.workers.Workers <= 0 {
		e.workers.Workers = runtime.GOMAXPROCS(0)
	}
	e.workers.Workers = min(e.workers.Workers, len(d.fields))
	for _, l := range d.leaves {
		e.columns = append(e.columns, newColumn(l, d))
	}
	e.file = encode.File{Elements: d.elements, Leaves: len(d.leaves), Sorting: d.sorting(p.Sorted), Keys: d.keys, Values: d.values, CreatedBy: createdBy}
	return e, e.write([]byte(encode.Magic))
}

func (e *encoder) write(b []byte) error {
	n, err := e.out.Write(b)
	e.at += int64(n)
	return err
}

// Write implements partwriter.Encoder. A row group ends where the next piece of a batch would make it too large.
func (e *encoder) Write(rec arrow.Record) error {
	size := max(sizeOf(rec), 1)
	piece := max(1, int64(float64(e.limit)/4/float64(size)*float64(rec.NumRows())))
	for from := int64(0); from < rec.NumRows(); from += piece {
		to := min(from+piece, rec.NumRows())
		if open := e.open(); e.rows > 0 && open+int64(float64(size)*float64(to-from)/float64(rec.NumRows())) > e.limit {
			if err := e.endGroup(); err != nil {
				return err
			}
		}
		if err := e.add(rec, from, to); err != nil {
			return err
		}
	}
	return nil
}

// sizeOf returns about how many bytes the values of a batch take; of dictionaries it counts the indices alone.
func sizeOf(rec arrow.Record) (size int64) {
	for _, c := range rec.Columns() {
		if t, ok := c.DataType().(*arrow.DictionaryType); ok {
			size += int64(c.Len()) * int64(t.Bytes())
			continue
		}
		size += arrowbuf.Size(c)
	}
	return size
}

// open returns how large the open row group is.
func (e *encoder) open() (size int64) {
	for _, c := range e.columns {
		size += c.rawBytes
	}
	return size
}

// add encodes rows of a batch.
func (e *encoder) add(rec arrow.Record, from, to int64) error {
	e.rows += to - from
	return e.workers.Each(len(e.d.fields), func(i int, w *worker) error {
		w.mem = e.mem
		part := array.NewSlice(rec.Column(i), from, to)
		defer part.Release()
		rows := slots{n: part.Len()}
		if rows.n > 0 {
			rows.runs = []run{{0, rows.n}}
		}
		return w.walk(e.columns, e.d.fields[i], part, rows, 0)
	})
}

// endGroup writes the open row group.
func (e *encoder) endGroup() error {
	if e.rows == 0 {
		return nil
	}
	if err := e.workers.Each(len(e.columns), func(i int, w *worker) error { return e.columns[i].endChunk(w) }); err != nil {
		return err
	}
	g := encode.Group{Rows: e.rows, Start: e.at}
	var x indexes
	for _, c := range e.columns {
		if err := e.writeChunk(c); err != nil {
			return err
		}
		g.Raw, g.Stored = g.Raw+c.total.Raw, g.Stored+c.total.Stored
		if e.d.o.PageIndex {
			x.offsets = append(x.offsets, encode.AppendOffsetIndex(nil, c.total.DataPage, c.located))
			var index []byte
			if !c.noIndex && c.order != noOrder {
				c.pageIndex.Order = c.indexOrder()
				index = encode.AppendColumnIndex(nil, &c.pageIndex)
			}
			x.columns = append(x.columns, index)
		}
	}
	var arena []byte
	for _, c := range e.columns {
		if err := e.writeBloom(c); err != nil {
			return err
		}
		at := len(arena)
		arena = encode.AppendChunk(arena, &c.total)
		g.Chunks = append(g.Chunks, arena[at:len(arena):len(arena)])
		c.begin()
	}
	e.file.Groups = append(e.file.Groups, g)
	e.indexes = append(e.indexes, x)
	e.file.Rows += e.rows
	e.rows = 0
	return nil
}

func (e *encoder) writeChunk(c *column) error {
	if c.kept {
		c.total.Dictionary = e.at
		if err := e.write(c.dictPage); err != nil {
			return err
		}
	}
	c.total.DataPage = e.at
	e.at += c.pages.n
	return c.pages.writeTo(e.out)
}

// writeBloom writes the bloom filter of a column chunk, if it has one.
func (e *encoder) writeBloom(c *column) error {
	if !c.bloom {
		return nil
	}
	all := c.values.hashes()
	slices.Sort(*all)
	distinct := slices.Compact(*all)
	e.buf = encode.AppendBloom(e.buf[:0], encode.BloomBytes(len(distinct), e.d.o.BloomFPP), distinct)
	*all = (*all)[:0]
	c.total.Bloom, c.total.BloomBytes = e.at, len(e.buf)
	return e.write(e.buf)
}

// Close implements partwriter.Encoder.
func (e *encoder) Close() error {
	if err := e.endGroup(); err != nil {
		return err
	}
	for _, column := range []bool{true, false} {
		for i := range e.indexes {
			if err := e.writeIndexes(i, column); err != nil {
				return err
			}
		}
	}

	e.buf = encode.AppendFooter(e.buf[:0], &e.file)
	return e.write(e.buf)
}

// writeIndexes writes the column indexes, or the offset indexes, of a row group.
func (e *encoder) writeIndexes(group int, columns bool) error {
	encoded, places := e.indexes[group].offsets, &e.file.Groups[group].Offsets
	if columns {
		encoded, places = e.indexes[group].columns, &e.file.Groups[group].Columns
	}
	for _, b := range encoded {
		*places = append(*places, encode.Place{Offset: e.at, Bytes: len(b)})
		if err := e.write(b); err != nil {
			return err
		}
	}
	return nil
}

// Pending implements partwriter.Buffering.
func (e *encoder) Pending() (n int64) {
	for _, c := range e.columns {
		n += c.pending()
	}
	return n
}

// Abort implements partwriter.Encoder.
func (e *encoder) Abort() {}
