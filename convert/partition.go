package convert

import (
	"context"
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/partitiontext"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// partitioning says which columns become directories.
type partitioning struct {
	schema *arrow.Schema // of the rows as they are read
	rest   *arrow.Schema // of the files
	by     []int         // columns that become directories, outermost first
	kept   []int         // the others, in order
}

// newPartitioning finds the columns of o.PartitionBy; nil = there are none.
func (o *Options) newPartitioning(s *arrow.Schema) (*partitioning, error) {
	if len(o.PartitionBy) == 0 {
		return nil, nil
	}
	refuse := func(name, format string, args ...any) error {
		return errs.Errorf(errs.ErrSchema, "%w: "+format, append([]any{errs.Opt("partition-by", name)}, args...)...)
	}
	p := &partitioning{schema: s}
	for _, name := range o.PartitionBy {
		path, err := expr.Resolve(s, name)
		if err != nil {
			return nil, refuse(name, "%w", err)
		}
		if len(path) > 1 {
			return nil, refuse(name, "a child of a struct cannot be a directory")
		}
		f := s.Field(path[0])
		switch {
		case slices.Contains(p.by, path[0]):
			return nil, refuse(name, "the column is named twice")
		case f.Name == "" || strings.HasPrefix(f.Name, "."):
			return nil, refuse(name, "a directory of such a name would not be read back")
		case partitiontext.Of(f.Type) == nil:
			return nil, refuse(name, "values of type %s cannot be names of directories: %s", f.Type, partitiontext.Types)
		}
		p.by = append(p.by, path[0])
	}
	var fields []arrow.Field
	for i, f := range s.Fields() {
		if !slices.Contains(p.by, i) {
			p.kept, fields = append(p.kept, i), append(fields, f)
		}
	}
	if len(fields) == 0 {
		return nil, refuse(strings.Join(o.PartitionBy, ", "), "no column is left for the files")
	}
	md := s.Metadata()
	p.rest = arrow.NewSchema(fields, &md)
	return p, nil
}

// order puts the columns of the directories in front of those that rows are sorted by: then the rows of a directory come one
// behind the other, and one writer at a time is enough.
func (p *partitioning) order(by []SortColumn) []SortColumn {
	if p == nil {
		return by
	}
	var out []SortColumn
	for _, i := range p.by {
		out = append(out, SortColumn{Column: expr.Quote(p.schema.Field(i).Name)})
	}
	return append(out, by...)
}

// columns says what becomes of the columns that are directories.
func (p *partitioning) columns() []arrowio.PlannedColumn {
	var out []arrowio.PlannedColumn
	for _, i := range p.by {
		f := p.schema.Field(i)
		var losses []string
		switch f.Type.ID() {
		case arrow.INT64, arrow.DATE32:
		case arrow.STRING:
			losses = append(losses, "values that are all numbers or dates are read as such, unless --partition-types says utf8")
		default:
			losses = append(losses, "the type: directories are read as int64, date32 or utf8, as their names look")
		}
		if !f.Nullable {
			losses = append(losses, "comes back as nullable")
		}
		if f.Metadata.Len() > 0 {
			losses = append(losses, "comes back without metadata")
		}
		losses = append(losses, "comes back behind the columns of the files")
		refused := ""
		switch t := valueType(f.Type); {
		case isText(t):
			refused = `empty text, and "` + partitiontext.Null + `"`
		case arrow.IsFloating(t.ID()):
			losses = append(losses, "minus zero comes back as zero")
		}
		out = append(out, arrowio.PlannedColumn{
			Path: schemadiff.Path(f.Name), Type: f.Type.String(), Stored: "directories " + partitiontext.Escape(f.Name) + "=…", Loss: strings.Join(losses, "; "), Refused: refused,
		})
	}
	return out
}

// valueType is the type of values: of dictionaries that of their entries.
func valueType(t arrow.DataType) arrow.DataType {
	if d, ok := t.(*arrow.DictionaryType); ok {
		return valueType(d.ValueType)
	}
	return t
}

func isText(t arrow.DataType) bool {
	return t.ID() == arrow.STRING || t.ID() == arrow.LARGE_STRING || t.ID() == arrow.STRING_VIEW
}

// isNull looks into dictionaries, too.
func isNull(a arrow.Array, i int) bool {
	if a.IsNull(i) {
		return true
	}
	d, ok := a.(*array.Dictionary)
	return ok && isNull(d.Dictionary(), d.GetValueIndex(i))
}

// directory returns where row i of rec belongs.
func (p *partitioning) directory(rec arrow.Record, i int) (string, error) {
	var b strings.Builder
	for n, k := range p.by {
		f, col := p.schema.Field(k), rec.Column(k)
		text := partitiontext.Null
		if !isNull(col, i) {
			if text = partitiontext.Of(f.Type)(col, i); text == "" || text == partitiontext.Null {
				e := errs.Errorf(errs.ErrSchema, "the value %q cannot be the name of a directory: it would be read back as null", text)
				e.Op, e.Column = "partition", f.Name
				return "", e
			}
			text = partitiontext.Escape(text)
		}
		if n > 0 {
			b.WriteByte('/')
		}
		b.WriteString(partitiontext.Escape(f.Name) + "=" + text)
	}
	return b.String(), nil
}

// same reports whether two rows of a record belong to one directory.
func (p *partitioning) same(rec arrow.Record, i, j int) bool {
	for _, k := range p.by {
		col := rec.Column(k)
		x, y := isNull(col, i), isNull(col, j)
		if x != y || !x && partitiontext.Of(p.schema.Field(k).Type)(col, i) != partitiontext.Of(p.schema.Field(k).Type)(col, j) {
			return false
		}
	}
	return true
}

// partitioned is a writer of rows that come sorted by directory.
type partitioned struct {
	*partitioning
	ctx  context.Context
	f    arrowio.OutputFormat
	o    arrowio.WriteOptions
	st   arrowio.Store
	at   string // the directory being written; "" = none yet
	w    arrowio.Writer
	done bool
}

// Write sends each run of rows of one directory to its writer.
func (w *partitioned) Write(rec arrow.Record) error {
	cols := make([]arrow.Array, len(w.kept))
	for i, k := range w.kept {
		cols[i] = rec.Column(k)
	}
	rest := array.NewRecord(w.rest, cols, rec.NumRows())
	defer rest.Release()
	for from, n := 0, int(rec.NumRows()); from < n; {
		dir, err := w.directory(rec, from)
		if err != nil {
			return err
		}
		// The rows are sorted, so that those of one directory are found by bisection.
		to := from + 1 + sort.Search(n-from-1, func(i int) bool { return !w.same(rec, from, from+1+i) })
		if err := w.enter(dir); err != nil {
			return err
		}
		part := rest.NewSlice(int64(from), int64(to))
		err = w.w.Write(part)
		part.Release()
		if err != nil {
			return err
		}
		from = to
	}
	return nil
}

// enter makes dir the directory being written.
func (w *partitioned) enter(dir string) error {
	if w.w != nil && w.at == dir {
		return nil
	}
	if err := w.leave(); err != nil {
		return err
	}
	plan, err := w.f.Plan(w.rest, w.o)
	if err != nil {
		return err
	}
	w.at = dir
	w.w, err = arrowio.NewWriter(w.ctx, w.f, below{w.st, dir + "/"}, plan)
	return err
}

func (w *partitioned) leave() error {
	if w.w == nil {
		return nil
	}
	err := w.w.Close()
	w.w = nil
	return err
}

// Close finishes the last directory and makes all of them visible: of no rows an empty directory, as Spark and DuckDB have it.
func (w *partitioned) Close() error {
	w.done = true
	err := w.leave()
	if err == nil {
		err = w.ctx.Err()
	}
	if err == nil {
		err = w.st.Commit()
	}
	if err != nil {
		return errors.Join(err, w.st.Abort())
	}
	return nil
}

// Abort gives everything up.
func (w *partitioned) Abort() error {
	if w.done {
		return nil
	}
	w.done = true
	var err error
	if w.w != nil {
		err = w.w.Abort()
	}
	return errors.Join(err, w.st.Abort())
}

// below is a directory of a store, which somebody else ends.
type below struct {
	arrowio.Store
	prefix string
}

func (s below) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	return s.Store.Create(ctx, s.prefix+name)
}

func (below) Commit() error { return nil }
func (below) Abort() error  { return nil }
