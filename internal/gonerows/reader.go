package gonerows

import "github.com/arrowio/arrowio/arrowio"

// Reader reads runs of stored rows from a reader of all of them.
type Reader struct {
	in    arrowio.SplitReader
	many  arrowio.RunReader // in; nil = it takes runs one by one
	row   int64             // where in stands
	ahead []arrowio.RowRange
}

// NewReader returns a Reader of in, which stands at a stored row. in stays the caller's.
func NewReader(in arrowio.SplitReader, row int64) Reader {
	many, _ := in.(arrowio.RunReader)
	return Reader{in: in, many: many, row: row}
}

// Read appends the rows of runs, which ascend, to the batch that the reader builds.
func (r *Reader) Read(runs []arrowio.RowRange) error {
	if len(runs) > 1 && r.many != nil {
		r.ahead = r.ahead[:0]
		for _, x := range runs {
			r.ahead = append(r.ahead, arrowio.RowRange{Start: x.Start - r.row, End: x.End - r.row})
		}
		r.row = runs[len(runs)-1].End
		return r.many.ReadRuns(r.ahead)
	}
	for _, x := range runs {
		if _, err := r.in.Skip(x.Start - r.row); err != nil {
			return err
		}
		if _, err := r.in.Read(int(x.Len())); err != nil {
			return err
		}
		r.row = x.End
	}
	return nil
}

// Skip passes over stored rows up to a row.
func (r *Reader) Skip(to int64) error {
	n, err := r.in.Skip(to - r.row)
	r.row += n
	return err
}
