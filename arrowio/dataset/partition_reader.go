package dataset

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// partitionedReader adds columns with one value to the batches of a reader. Without a reader below it counts rows.
type partitionedReader struct {
	arrowio.SplitReader
	schema  *arrow.Schema
	columns []partitionedColumn
	mem     memory.Allocator
	extra   int64 // bytes of a row that the columns add
	rows    int   // read, without a reader below
}

// partitionedColumn is a column of the reader below, or of a directory.
type partitionedColumn struct {
	from  int // of the batches below; -1 = of a directory
	typ   arrow.DataType
	value value
	made  arrow.Array // the longest run of the value so far; nil = none
}

// Skip implements arrowio.SplitReader.
func (r *partitionedReader) Skip(n int64) (int64, error) {
	if r.SplitReader == nil {
		return n, nil
	}
	return r.SplitReader.Skip(n)
}

// Read implements arrowio.SplitReader.
func (r *partitionedReader) Read(n int) (int, error) {
	if r.SplitReader == nil {
		r.rows += n
		return n, nil
	}
	return r.SplitReader.Read(n)
}

// Close implements arrowio.SplitReader.
func (r *partitionedReader) Close() error {
	for i := range r.columns {
		if c := &r.columns[i]; c.made != nil {
			c.made.Release()
			c.made = nil
		}
	}
	if r.SplitReader == nil {
		return nil
	}
	return r.SplitReader.Close()
}

// Share implements arrowio.Sharer.
func (r *partitionedReader) Share(run arrowio.Share) int {
	if s, ok := r.SplitReader.(arrowio.Sharer); ok {
		return s.Share(run)
	}
	return 1
}

// Take implements arrowio.SplitReader.
func (r *partitionedReader) Take() (arrow.Record, error) {
	var own arrow.Record
	n := r.rows
	r.rows = 0
	if r.SplitReader != nil {
		var err error
		if own, err = r.SplitReader.Take(); err != nil {
			return nil, err
		}
		defer own.Release()
		n = int(own.NumRows())
	}
	cols := make([]arrow.Array, 0, len(r.columns))
	defer func() {
		for _, c := range cols {
			c.Release()
		}
	}()
	for i := range r.columns {
		c := &r.columns[i]
		if c.from >= 0 {
			cols = append(cols, own.Column(c.from))
			own.Column(c.from).Retain()
			continue
		}
		a, err := c.run(n, r.mem)
		if err != nil {
			return nil, errs.Locate(err, errs.At{Column: r.schema.Field(i).Name})
		}
		cols = append(cols, a)
	}
	return array.NewRecord(r.schema, cols, int64(n)), nil
}

// run returns n times the value, which the caller releases: a part of what was made for an earlier batch, if that is long
// enough.
func (c *partitionedColumn) run(n int, mem memory.Allocator) (arrow.Array, error) {
	if c.made == nil || c.made.Len() < n {
		if int64(n)*max(8, int64(len(c.value.text))) > math.MaxInt32 {
			return nil, errs.Errorf(errs.ErrLimit, "%d times a text of %d bytes are more than a batch can hold: take fewer rows", n, len(c.value.text))
		}
		d := constant(c.typ, c.value, n, mem)
		if c.made != nil {
			c.made.Release()
		}
		c.made = array.MakeFromData(d)
		d.Release()
	}
	if c.made.Len() == n {
		c.made.Retain()
		return c.made, nil
	}
	return array.NewSlice(c.made, 0, int64(n)), nil
}

// sizedReader is a partitionedReader that can tell sizes: over one that can, or over none.
type sizedReader struct {
	*partitionedReader
	sizer arrowio.Sizer
}

// Fit implements arrowio.Sizer: the reader below gets its share of the bytes, for what it says of all of them tells how
// large its rows are.
func (r *sizedReader) Fit(n int, bytes int64) int {
	k, row := n, float64(r.extra)
	if r.sizer != nil {
		if k = r.sizer.Fit(n, bytes); k < n {
			row += float64(bytes) / float64(max(1, k))
		}
	}
	return int(max(1, min(float64(k), float64(bytes)/max(1, row))))
}
