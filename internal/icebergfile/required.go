package icebergfile

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// reader checks that what is required is there. See arrowio.SplitReader.
type reader struct {
	arrowio.SplitReader
	never []int // columns that are never null
}

// runReader is a reader over one that takes many runs of rows at once.
type runReader struct {
	*reader
	arrowio.RunReader
}

func newReader(in arrowio.SplitReader, never []int) arrowio.SplitReader {
	r := &reader{in, never}
	if many, ok := in.(arrowio.RunReader); ok {
		return runReader{r, many}
	}
	return r
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
