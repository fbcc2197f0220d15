package avro

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// sampleDecimals returns the decimals that exceed their precision in the first rows, by column of the tree. No writer checks that:
// such a column is not decimals but bytes, and is shown as bytes with a note. If a later row exceeds the precision, reading it is an
// error that names the option. Other trouble with the rows is left to the reader of them.
func (f *file) sampleDecimals(ctx context.Context) (map[int]bool, error) {
	beyond := map[int]bool{}
	var p arrowio.Projection
	var fields []arrow.Field
	for i, n := range f.tree.Roots {
		found := false
		decimalColumns([]*trevniwire.Node{n}, func(int) { found = true })
		if found {
			p.Fields, fields = append(p.Fields, arrowio.ProjectedField{Index: i}), append(fields, n.Field)
		}
	}
	if len(fields) == 0 || len(f.splits) == 0 {
		return beyond, nil
	}
	p.Schema = arrow.NewSchema(fields, nil)
	r, err := f.reader(ctx, f.splits[0], f.starts[0], f.ends[0], p, arrowbuf.Shared())
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	r.beyond = func(n *node) {
		if !beyond[n.column] {
			f.notes = append(f.notes, fmt.Sprintf("column %s: shown as bytes, since values exceed their decimal precision", n.path))
		}
		beyond[n.column] = true
	}
	if r.next() == nil {
		_, _ = r.Read(int(min(r.rest, sampleRows)))
	}
	return beyond, nil
}

// sampleRows is how many rows are looked at for decimals that are none.
const sampleRows = 1 << 12
