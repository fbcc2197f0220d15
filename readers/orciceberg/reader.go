package orciceberg

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/gonerows"
)

// reader reads the rows of a split that are left, and checks that what is required is there. See arrowio.SplitReader.
type reader struct {
	arrowio.SplitReader
	never []int          // columns that are never null
	gone  *gonerows.Rows // rows that are deleted; nil = none

	// Where some are deleted.
	left  gonerows.Reader
	split arrowio.Split // of rows that are left
	row   int64         // of those, where the reader stands
	first int64         // row of the file with which the split begins there
	runs  []arrowio.RowRange
}

// Share implements arrowio.Sharer.
func (r *reader) Share(run arrowio.Share) int {
	if s, ok := r.SplitReader.(arrowio.Sharer); ok {
		return s.Share(run)
	}
	return 1
}

// Fit implements arrowio.Sizer.
func (r *reader) Fit(n int, bytes int64) int {
	if s, ok := r.SplitReader.(arrowio.Sizer); ok {
		return s.Fit(n, bytes)
	}
	return n
}

// Skip passes over n rows.
func (r *reader) Skip(n int64) (int64, error) {
	if r.gone == nil {
		return r.SplitReader.Skip(n)
	}
	if err := r.split.Rows.Check(r.row, n); err != nil {
		return 0, err
	}
	r.row += n
	return n, nil
}

// Read appends the next n rows to the batch being built.
func (r *reader) Read(n int) (int, error) {
	if r.gone == nil || n == 0 {
		return r.SplitReader.Read(n)
	}
	if err := r.split.Rows.Check(r.row, int64(n)); err != nil {
		return 0, err
	}
	r.runs = r.gone.Stored(r.runs[:0], r.row-r.split.Rows.Start, int64(n), r.first)
	if err := r.left.Read(r.runs); err != nil {
		return 0, err
	}
	r.row += int64(n)
	return n, nil
}

// Take hands over the batch built so far. The caller releases it.
func (r *reader) Take() (arrow.Record, error) {
	rec, err := r.SplitReader.Take()
	if err != nil {
		return nil, err
	}
	for _, i := range r.never {
		if err := there(rec.Column(i).Data(), rec.Schema().Field(i), rec.Schema().Field(i).Name); err != nil {
			rec.Release()
			return nil, err
		}
	}
	return rec, nil
}

// there checks that nothing of a required field is null: what is required in it is in all of its values.
func there(d arrow.ArrayData, f arrow.Field, path string) error {
	if d.NullN() > 0 || d.NullN() == array.UnknownNullCount && anyNull(d) {
		e := errs.Errorf(errs.ErrCorrupt, "it is required, and a row has no value")
		e.Column = path
		return e
	}
	t, ok := f.Type.(arrow.NestedType)
	if !ok {
		return nil
	}
	fields := t.Fields()
	children := d.Children()
	if m, ok := f.Type.(*arrow.MapType); ok {
		children, fields = children[0].Children(), []arrow.Field{m.KeyField(), m.ItemField()}
	}
	for i, k := range fields {
		if !k.Nullable && i < len(children) {
			if err := there(children[i], k, path+"."+k.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

func anyNull(d arrow.ArrayData) bool {
	for i := range d.Len() {
		if !valid(d, i) {
			return true
		}
	}
	return false
}
