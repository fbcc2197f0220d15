package hivetable

import (
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/hivetext"
)

// lazyRows are lines of LazySimpleSerDe.
type lazyRows struct {
	how     *hivetext.Lazy
	columns []*hivetext.Column // nil = it is not read
	names   []string
	last    int // the last column that is read, from 1
}

func newLazyRows(f *textFile, builders []array.Builder) (*lazyRows, error) {
	t, err := hivetext.Columns(f.notation)
	if err != nil {
		return nil, err
	}
	r := &lazyRows{how: f.layout.Lazy, columns: make([]*hivetext.Column, len(builders)), names: t.Names}
	for i, b := range builders {
		if b == nil {
			continue
		}
		if r.columns[i], err = r.how.Column(t.Children[i], b); err != nil {
			return nil, errs.Locate(err, errs.At{Column: t.Names[i]})
		}
		r.last = i + 1
	}
	return r, nil
}

// Append implements rowParser. Fields that a line lacks are null, and those that no column is for are passed over.
func (r *lazyRows) Append(line []byte) error {
	more := true
	for i, c := range r.columns[:r.last] {
		if !more {
			if c != nil {
				c.Null()
			}
			continue
		}
		part := line
		if i < len(r.columns)-1 || !r.how.TakesRest {
			part, line, more = r.how.Cut(line, r.how.Separators[0])
		}
		if c == nil {
			continue
		}
		if err := c.Append(part); err != nil {
			return errs.Locate(err, errs.At{Column: r.names[i]})
		}
	}
	return nil
}

func newJSONRows(f *textFile, builders []array.Builder) (rowParser, error) {
	t, err := hivetext.Columns(f.notation)
	if err != nil {
		return nil, err
	}
	rows, err := hivetext.NewJSON(t, builders, f.limits.Depth)
	if err != nil {
		return nil, err
	}
	return &jsonRows{rows, builders, f.layout.JSON.EmptyLines}, nil
}

// jsonRows are lines of JSON.
type jsonRows struct {
	*hivetext.JSON
	builders []array.Builder
	empty    bool // lines without anything are rows of nulls
}

// Append implements rowParser.
func (r *jsonRows) Append(line []byte) error {
	if len(line) > 0 {
		return r.JSON.Append(line)
	}
	if !r.empty {
		return errs.Errorf(errs.ErrCorrupt, "the line is empty, which Hive refuses, too, unless the property text.null.empty.line of the table is true")
	}
	for _, b := range r.builders {
		if b != nil {
			b.AppendNull()
		}
	}
	return nil
}
