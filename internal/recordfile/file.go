package recordfile

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// File is an arrowio.File over a record, in splits of 300 rows, pruned exactly in blocks of 20.
type File struct {
	Record arrow.Record
	Stream bool // the number of rows is not known before reading
	Sizer  bool // readers can tell sizes: 50 bytes a row
	Slices bool // batches are slices of the record: for reading without gaps
	Pruned *int // counts the rows that Prune takes away; nil = not counted
	Closed *int // counts the calls of Close; nil = not counted
}

// Schema implements arrowio.File.
func (f File) Schema() *arrow.Schema { return f.Record.Schema() }

// Close implements arrowio.File.
func (f File) Close() error {
	if f.Closed != nil {
		*f.Closed++
	}
	return nil
}

// Info implements arrowio.File.
func (f File) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	return &arrowio.Info{Format: "memory", Rows: f.Record.NumRows(), Schema: f.Record.Schema()}, nil
}

// Splits implements arrowio.File.
func (f File) Splits() []arrowio.Split {
	if f.Stream {
		return []arrowio.Split{{Rows: arrowio.RowRange{End: arrowio.UnknownRows}}}
	}
	var out []arrowio.Split
	for at := int64(0); at < f.Record.NumRows(); at += 300 {
		out = append(out, arrowio.Split{Ordinal: len(out), Rows: arrowio.RowRange{Start: at, End: min(at+300, f.Record.NumRows())}, Bytes: 5000})
	}
	return out
}

// Prune implements arrowio.File.
func (f File) Prune(_ context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	mask, err := pred.Mask(f.Record)
	if err != nil {
		return nil, err
	}
	defer mask.Release()
	var set arrowio.RowSet
	for at := s.Rows.Start; at < s.Rows.End; at += 20 {
		block := arrowio.RowRange{Start: at, End: min(at+20, s.Rows.End)}
		passes := false
		for i := block.Start; i < block.End; i++ {
			passes = passes || mask.IsValid(int(i)) && mask.Value(int(i))
		}
		if passes {
			set = set.Add(block)
		} else if f.Pruned != nil {
			*f.Pruned += int(block.Len())
		}
	}
	return set, nil
}

func selections(fields []arrowio.ProjectedField) []arrowbuf.Selection {
	var out []arrowbuf.Selection
	for _, f := range fields {
		out = append(out, arrowbuf.Selection{Index: f.Index, Children: selections(f.Children)})
	}
	return out
}

// Read implements arrowio.File.
func (f File) Read(_ context.Context, s arrowio.Split, _ arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	rec, err := arrowbuf.Project(f.Record, p.Schema, selections(p.Fields))
	if err != nil {
		return nil, err
	}
	r := &recordReader{rec: rec, at: s.Rows.Start, end: s.Rows.End}
	if !s.Known() {
		r.end = rec.NumRows()
	}
	for _, fd := range p.Schema.Fields() {
		r.cols = append(r.cols, arrowbuf.NewAppender(fd.Type, mem))
	}
	if f.Slices {
		return &sliceReader{r, r.at}, nil
	}
	if f.Sizer {
		return sizedRecordReader{r}, nil
	}
	return r, nil
}

type recordReader struct {
	rec     arrow.Record
	cols    []*arrowbuf.Appender
	at, end int64
	rows    int64
}

func (r *recordReader) Skip(n int64) (int64, error) {
	n = min(n, r.end-r.at)
	r.at += n
	return n, nil
}

func (r *recordReader) Read(n int) (int, error) {
	n = int(min(int64(n), r.end-r.at))
	for i, c := range r.cols {
		if err := c.Append(r.rec.Column(i), int(r.at), int(r.at)+n); err != nil {
			return 0, err
		}
	}
	r.at += int64(n)
	r.rows += int64(n)
	return n, nil
}

func (r *recordReader) Take() (arrow.Record, error) {
	cols := make([]arrow.Array, len(r.cols))
	for i, c := range r.cols {
		cols[i] = c.Take()
		defer cols[i].Release()
	}
	n := r.rows
	r.rows = 0
	return array.NewRecord(r.rec.Schema(), cols, n), nil
}

func (r *recordReader) Close() error {
	for _, c := range r.cols {
		c.Release()
	}
	return nil
}

type sliceReader struct {
	*recordReader
	from int64
}

func (r *sliceReader) Take() (arrow.Record, error) {
	rec := r.rec.NewSlice(r.from, r.at)
	r.from = r.at
	empty, err := r.recordReader.Take()
	empty.Release()
	return rec, err
}

type sizedRecordReader struct{ *recordReader }

func (sizedRecordReader) Fit(n int, bytes int64) int { return int(max(1, min(int64(n), bytes/50))) }
