package salvage

import (
	"context"
	"errors"
	"slices"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// joined is files that lie one behind another in one source, and have the same columns.
type joined struct {
	arrowio.File // the last, which tells what writers are to keep
	files        []arrowio.File
	note         arrowio.Warning
	parts        []member
	splits       []arrowio.Split
}

// member is where a split comes from.
type member struct {
	file  int
	split arrowio.Split // of that file
}

// Join shows the rows of files that lie one behind another in one source, as one file. Their columns must be the same. Closing it closes
// all of them. note is the first of its warnings.
func Join(files []arrowio.File, note arrowio.Warning) arrowio.File {
	j := &joined{File: files[len(files)-1], files: files, note: note}
	rows := int64(0)
	for i, f := range files {
		from := rows
		for _, s := range f.Splits() {
			j.parts = append(j.parts, member{i, s})
			j.splits = append(j.splits, arrowio.Split{
				Ordinal: len(j.splits), Rows: arrowio.RowRange{Start: from + s.Rows.Start, End: from + s.Rows.End}, Bytes: s.Bytes,
			})
			rows = max(rows, from+s.Rows.End)
		}
	}
	return j
}

// Unwrap returns the last file: see arrowio.As.
func (j *joined) Unwrap() arrowio.File { return j.File }

// Splits lists those of all files.
func (j *joined) Splits() []arrowio.Split { return j.splits }

// Warnings implements arrowio.Warner.
func (j *joined) Warnings() []arrowio.Warning {
	out := []arrowio.Warning{j.note}
	for _, f := range j.files {
		out = append(out, arrowio.WarningsOf(f)...)
	}
	return out
}

// Info describes the last file, with the rows of all.
func (j *joined) Info(ctx context.Context, o arrowio.InfoOptions) (*arrowio.Info, error) {
	return infoOf(ctx, j.File, j.splits, o)
}

// Prune asks the file of the split.
func (j *joined) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	m := j.parts[s.Ordinal]
	set, err := j.files[m.file].Prune(ctx, m.split, pred)
	return shift(set, s.Rows.Start-m.split.Rows.Start), err
}

// Read opens the rows of a split.
func (j *joined) Read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	m := j.parts[s.Ordinal]
	return j.files[m.file].Read(ctx, m.split, shift(rows.Clip(s.Rows), m.split.Rows.Start-s.Rows.Start), p, mem)
}

// Close closes all files.
func (j *joined) Close() error {
	var err error
	for _, f := range slices.Backward(j.files) {
		err = errors.Join(err, f.Close())
	}
	return err
}
