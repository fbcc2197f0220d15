package hivetable

import (
	"context"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/textvalues"
)

// nullValue is the metastore's text for null.
const nullValue = "__HIVE_DEFAULT_PARTITION__"

// values are those of the partition columns, a row for each partition.
type values struct {
	texts [][]string // as the metastore has them
	rows  arrow.Record
	last  atomic.Pointer[possible] // of the filter that was asked about last
}

// possible says which partitions may have rows of a filter.
type possible struct {
	filter *expr.Bound
	of     *array.Boolean // null = none
}

func (p *possible) has(i int) bool { return p.of.IsValid(i) && p.of.Value(i) }

// newValues parses the values of partitions, each of which has one for each field of a schema.
func newValues(schema *arrow.Schema, texts [][]string) (*values, error) {
	columns := make([]arrow.Array, schema.NumFields())
	for k, f := range schema.Fields() {
		make := textvalues.For(f.Type)
		if make == nil {
			return nil, errs.Locate(errs.Errorf(errs.ErrUnsupported, "a partition column of type %s cannot be read", f.Type), errs.At{Column: f.Name})
		}
		b := array.NewBuilder(memory.DefaultAllocator, f.Type) // Go memory: nobody need release it
		add := make(b)
		for _, row := range texts {
			if text := row[k]; text == nullValue {
				b.AppendNull()
			} else if !add([]byte(text)) {
				return nil, errs.Locate(errs.Errorf(errs.ErrSchema, "the partition value %q is no %s", text, f.Type), errs.At{Column: f.Name})
			}
		}
		columns[k] = b.NewArray()
	}
	return &values{texts: texts, rows: array.NewRecord(schema, columns, int64(len(texts)))}, nil
}

// may finds out which partitions may have rows of a filter.
func (v *values) may(filter expr.Expr) (*possible, error) {
	known, err := expr.Bind(view.Known(filter, v.rows.Schema()), v.rows.Schema())
	if err != nil {
		return nil, err
	}
	m, err := known.Mask(v.rows)
	return &possible{of: m}, err
}

// never reports whether no row of a partition satisfies a filter on the table's schema.
func (v *values) never(filter *expr.Bound, at int) bool {
	last := v.last.Load()
	if last == nil || last.filter != filter {
		var err error
		if last, err = v.may(filter.Expr()); err != nil {
			return false // it is not about this table
		}
		last.filter = filter
		v.last.Store(last)
	}
	return !last.has(at)
}

// partitions returns where the partitions are that may have rows of the filter, and their values.
func (l *listing) partitions(ctx context.Context, oo arrowio.OpenOptions) ([]where, *values, error) {
	names, err := l.client.PartitionNames(ctx, l.said.Database, l.said.Name)
	if err != nil {
		return nil, nil, err
	}
	if oo.Filter != nil && oo.Schema == nil {
		names = l.needed(names, oo.Filter)
	}
	found, err := l.client.Partitions(ctx, l.said.Database, l.said.Name, names)
	if err != nil {
		return nil, nil, err
	}
	all, texts := make([]where, len(found)), make([][]string, len(found))
	for i, p := range found {
		if len(p.Values) != l.table.keys.NumFields() {
			return nil, nil, errs.Errorf(errs.ErrCorrupt, "the metastore has a partition with %d values, and the table is partitioned by %d columns", len(p.Values), l.table.keys.NumFields())
		}
		all[i], texts[i] = where{p.Storage, i}, p.Values
	}
	v, err := newValues(l.table.keys, texts)
	return all, v, err
}

// needed returns the names of the partitions that may have rows of a filter: all where the names do not tell.
func (l *listing) needed(names []string, filter expr.Expr) []string {
	texts := make([][]string, len(names))
	for i, name := range names {
		parts := strings.Split(name, "/")
		if len(parts) != l.table.keys.NumFields() {
			return names
		}
		for _, part := range parts {
			_, value, _ := strings.Cut(part, "=")
			text, err := url.PathUnescape(value)
			if err != nil {
				return names
			}
			texts[i] = append(texts[i], text)
		}
	}
	v, err := newValues(l.table.keys, texts)
	if err != nil {
		return names
	}
	may, err := v.may(filter)
	if err != nil {
		return names
	}
	var out []string
	for i, name := range names {
		if may.has(i) {
			out = append(out, name)
		}
	}
	return out
}
