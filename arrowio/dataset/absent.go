package dataset

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
)

// absent finds the columns of a schema that none of the files shown under it has.
type absent struct {
	mu      sync.Mutex
	ended   bool
	files   int            // that were opened
	first   int            // the lowest number of these files
	missing map[string]int // files that lack a column, but not the struct that it is in
	top     []string       // the columns of the schema that are in no struct
	order   []string       // the columns of missing, in order
	found   bool           // some file has some column, or none at all
	plain   bool           // some file is no table of a catalog: see view.Absent
	has     []string       // the columns of a file that has none of the schema's
}

// noting returns open, extended to record which columns of the schema each file lacks.
func (a *absent) noting(open func(ctx context.Context, i int) (arrowio.File, error)) func(ctx context.Context, i int) (arrowio.File, error) {
	seen := map[int]bool{}
	return func(ctx context.Context, i int) (arrowio.File, error) {
		f, err := open(ctx, i)
		if err != nil {
			return nil, err
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if !a.ended && !seen[i] {
			seen[i] = true
			a.add(i, f)
		}
		return f, nil
	}
}

func (a *absent) add(i int, f arrowio.File) {
	x := view.AbsentOf(f)
	if a.files == 0 || i < a.first {
		a.first = i
	}
	a.files++
	if a.missing == nil {
		a.missing = map[string]int{}
		s := f.Schema()
		a.top = make([]string, s.NumFields())
		for i := range a.top {
			a.top[i] = s.Field(i).Name
		}
	}
	for _, c := range x.Columns {
		if a.missing[c]++; a.missing[c] == 1 {
			a.order = append(a.order, c)
		}
	}
	if !x.All {
		a.found = true
		return
	}
	a.plain = a.plain || !x.Catalog
	if a.has == nil {
		a.has = x.Has
	}
}

// lacking returns the number of files that lack a column, or a struct that it is in.
func (a *absent) lacking(path string) int {
	n := a.missing[path]
	for !slices.Contains(a.top, path) {
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			break
		}
		path = path[:i]
		n += a.missing[path]
	}
	return n
}

// end warns of columns that no file has. If no file has any of the columns, the names in the schema are wrong, and end returns an
// error. Tables of Hive are an exception, since Hive can rename all columns and leave the files unchanged: tables named by a
// catalog, and files below directories KEY=VALUE. The partition columns of such directories are not counted.
func (a *absent) end(inputs []Input, o Options, p *partitions) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
	if a.files == 0 {
		return nil
	}
	if !a.found && a.plain && p == nil {
		return errs.Errorf(errs.ErrSchema, "no file has any column of the schema (%s); the first file has %s", someNames(a.top), someNames(a.has))
	}
	w := arrowio.Warnf(arrowio.WarnColumn, "columns of the schema are in no file, and null in every row")
	if !a.found {
		w.Text = fmt.Sprintf("no file has any column of the schema, and all are null in every row (the first file has %s)", someNames(a.has))
	}
	for _, c := range a.order {
		if a.lacking(c) == a.files && (p == nil || len(p.schema.FieldIndices(c)) == 0) {
			if c == "" { // a name may be
				c = `""`
			}
			w.Columns = append(w.Columns, c)
		}
	}
	if len(w.Columns) == 0 || o.Warn == nil {
		return nil
	}
	columns := o.Columns
	if columns != nil && o.Filter != nil {
		columns = append(columns[:len(columns):len(columns)], expr.Columns(o.Filter)...)
	}
	if w, ok := w.For(columns); ok {
		w.File = inputs[a.first].name()
		o.Warn(w)
	}
	return nil
}

// someNames lists the names, or only the first ones if there are many.
func someNames(names []string) string {
	const most = 20
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
