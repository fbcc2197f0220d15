package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/writers"
)

// bytesPerRow is about what a row takes in Arrow memory.
const bytesPerRow = 51

var rowSchema = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "a", Type: arrow.PrimitiveTypes.Int64},
	{Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
	{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "c", Type: arrow.BinaryTypes.String},
}, nil)

var words = [8]string{"alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"}

// row is row id of a version of the data.
type row struct {
	id, a int64
	n     int32
	x     float64
	s, c  string
	nNull bool
	xNull bool
	sNull bool
}

func rowOf(version uint64, id int64) row {
	h := mix(uint64(id) + version<<40)
	return row{
		id: id, a: int64(h), n: int32(h >> 20), nNull: h%10 == 1, x: float64(h>>11) / (1 << 53), xNull: h%16 == 3,
		s: strconv.FormatUint(h>>(h%40), 36), sNull: h%32 == 7, c: words[h>>61],
	}
}

// mix is the finisher of splitmix64.
func mix(v uint64) uint64 {
	v += 0x9E3779B97F4A7C15
	v = (v ^ v>>30) * 0xBF58476D1CE4E5B9
	v = (v ^ v>>27) * 0x94D049BB133111EB
	return v ^ v>>31
}

// generate hands out rows [from, to) that keep takes (nil = all), in records of at most batch rows.
func generate(version uint64, from, to int64, batch int, keep func(row) bool, out func(arrow.Record) error) error {
	b := array.NewRecordBuilder(memory.DefaultAllocator, rowSchema)
	defer b.Release()
	id, a, n := b.Field(0).(*array.Int64Builder), b.Field(1).(*array.Int64Builder), b.Field(2).(*array.Int32Builder)
	x, s, c := b.Field(3).(*array.Float64Builder), b.Field(4).(*array.StringBuilder), b.Field(5).(*array.StringBuilder)
	flush := func() error {
		if id.Len() == 0 {
			return nil
		}
		rec := b.NewRecord()
		defer rec.Release()
		return out(rec)
	}
	for i := from; i < to; i++ {
		r := rowOf(version, i)
		if keep != nil && !keep(r) {
			continue
		}
		id.Append(r.id)
		a.Append(r.a)
		c.Append(r.c)
		if r.nNull {
			n.AppendNull()
		} else {
			n.Append(r.n)
		}
		if r.xNull {
			x.AppendNull()
		} else {
			x.Append(r.x)
		}
		if r.sNull {
			s.AppendNull()
		} else {
			s.Append(r.s)
		}
		if id.Len() == batch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// writeFile makes a file of rows [from, to), in the format that its name tells.
func writeFile(ctx context.Context, path string, version uint64, from, to int64, groupBytes int64) error {
	w, err := writers.Create(ctx, path, rowSchema, writers.Options{Force: true, Write: arrowio.WriteOptions{RowGroupBytes: groupBytes}})
	if err != nil {
		return err
	}
	if err := generate(version, from, to, 16384, nil, w.Write); err != nil {
		w.Abort()
		return err
	}
	return w.Close()
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// digest is a checksum of all values of a stream, which does not depend on where its batches begin.
type digest struct {
	rows    int64
	columns []columnDigest
	scratch []byte
}

type columnDigest struct{ values, lengths, nulls uint32 }

func (d *digest) String() string {
	out := fmt.Sprintf("%d rows", d.rows)
	for _, c := range d.columns {
		out += fmt.Sprintf(" %08x-%08x-%08x", c.values, c.lengths, c.nulls)
	}
	return out
}

func (d *digest) add(rec arrow.Record) error {
	if d.columns == nil {
		d.columns = make([]columnDigest, rec.NumCols())
	}
	if len(d.columns) != int(rec.NumCols()) {
		return fmt.Errorf("a batch of %d columns after those of %d", rec.NumCols(), len(d.columns))
	}
	for i, a := range rec.Columns() {
		c := &d.columns[i]
		if a.NullN() > 0 {
			d.scratch = d.scratch[:0]
			for k := range a.Len() {
				if a.IsNull(k) {
					d.scratch = binary.LittleEndian.AppendUint64(d.scratch, uint64(d.rows)+uint64(k))
				}
			}
			c.nulls = crc32.Update(c.nulls, castagnoli, d.scratch)
		}
		switch a := a.(type) {
		case *array.Int64:
			d.scratch = fixed(c, a, a.Int64Values(), d.scratch)
		case *array.Int32:
			d.scratch = fixed(c, a, a.Int32Values(), d.scratch)
		case *array.Float64:
			d.scratch = fixed(c, a, a.Float64Values(), d.scratch)
		case *array.String:
			d.scratch = texts(c, a, a.Value, d.scratch)
		case *array.Dictionary:
			w, ok := a.Dictionary().(*array.String)
			if !ok {
				return fmt.Errorf("a dictionary of %s", a.Dictionary().DataType())
			}
			d.scratch = texts(c, a, func(k int) string { return w.Value(a.GetValueIndex(k)) }, d.scratch)
		default:
			return fmt.Errorf("a column of %s", a.DataType())
		}
	}
	d.rows += rec.NumRows()
	return nil
}

func bytesOf[T int32 | int64 | float64](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}

// fixed adds the values that are not null.
func fixed[T int32 | int64 | float64](c *columnDigest, a arrow.Array, v []T, scratch []byte) []byte {
	if a.NullN() == 0 {
		c.values = crc32.Update(c.values, castagnoli, bytesOf(v))
		return scratch
	}
	scratch = scratch[:0]
	for k := range v {
		if a.IsValid(k) {
			scratch = append(scratch, bytesOf(v[k:k+1])...)
		}
	}
	c.values = crc32.Update(c.values, castagnoli, scratch)
	return scratch
}

func texts(c *columnDigest, a arrow.Array, value func(int) string, scratch []byte) []byte {
	scratch = scratch[:0]
	for k := range a.Len() {
		if a.IsValid(k) {
			scratch = append(scratch, value(k)...)
		}
	}
	c.values = crc32.Update(c.values, castagnoli, scratch)
	scratch = scratch[:0]
	for k := range a.Len() {
		if a.IsValid(k) {
			scratch = binary.LittleEndian.AppendUint32(scratch, uint32(len(value(k))))
		}
	}
	c.lengths = crc32.Update(c.lengths, castagnoli, scratch)
	return scratch
}

// expect is the digest of rows as they must come.
func expect(version uint64, from, to int64, columns []string, keep func(row) bool) string {
	var d digest
	at := make([]int, len(columns))
	fields := make([]arrow.Field, len(columns))
	for i, name := range columns {
		at[i] = rowSchema.FieldIndices(name)[0]
		fields[i] = rowSchema.Field(at[i])
	}
	s := arrow.NewSchema(fields, nil)
	err := generate(version, from, to, 16384, keep, func(rec arrow.Record) error {
		cols := make([]arrow.Array, len(at))
		for i, k := range at {
			cols[i] = rec.Column(k)
		}
		part := array.NewRecord(s, cols, rec.NumRows())
		defer part.Release()
		return d.add(part)
	})
	if err != nil {
		panic(err) // the columns are those of this file
	}
	return d.String()
}

// receive reads a stream to its end. each is called with every batch, and may end it by an error.
func receive(st flight.DataStreamReader, d *digest, each func(arrow.Record, []byte) error) error {
	r, err := flight.NewRecordReader(st)
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() {
		if err := d.add(r.Record()); err != nil {
			return wrong{err}
		}
		if each != nil {
			if err := each(r.Record(), r.LatestAppMetadata()); err != nil {
				return err
			}
		}
	}
	if err := r.Err(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// wrong is an error that says that rows are not what they must be.
type wrong struct{ error }
