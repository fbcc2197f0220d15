package hivetable

import (
	"context"
	"net/url"
	"strings"

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
	view.KnownRows
}

// newValues parses the values of partitions, each of which has one for each field of a schema.
func newValues(schema *arrow.Schema, texts [][]string) (*values, error) {
	columns := make([]arrow.Array, schema.NumFields())
	for k, f := range schema.Fields() {
		make := textvalues.For(f.Type)
		if make == nil {
			return nil, errs.Locate(errs.Errorf(errs.ErrUnsupported, "a partition column of type %s cannot be read", f.Type), errs.At{Column: f.Name})
		}
		b := array.NewBuilder(memory.DefaultAllocator, f.Type) // Go memory: it need not be released
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
	return &values{texts: texts, KnownRows: view.KnownRows{Record: array.NewRecord(schema, columns, int64(len(texts)))}}, nil
}

// partitions returns where the partitions are that may have rows of the filter, and their values.
func (l *listing) partitions(ctx context.Context, oo arrowio.OpenOptions) ([]where, *values, error) {
	names, err := l.client.PartitionNames(ctx, l.said.Named())
	if err != nil {
		return nil, nil, err
	}
	if oo.Filter != nil && oo.Schema == nil {
		names = l.needed(names, oo.Filter)
	}
	if len(names) > l.limits.Splits {
		return nil, nil, errs.Errorf(errs.ErrLimit, "the table has more than %d partitions (Limits.Splits): exclude some with %w, by their columns", l.limits.Splits, errs.Opt("where", ""))
	}
	found, err := l.client.Partitions(ctx, l.said.Named(), names)
	if err != nil {
		return nil, nil, err
	}
	all, texts := make([]where, len(found)), make([][]string, len(found))
	for i := range found {
		p := &found[i]
		if len(p.Values) != l.table.keys.NumFields() {
			return nil, nil, errs.Errorf(errs.ErrCorrupt, "the metastore has a partition with %d values, and the table is partitioned by %d columns", len(p.Values), l.table.keys.NumFields())
		}
		all[i], texts[i] = where{&p.Storage, i}, p.Values
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
	may, err := v.May(filter)
	if err != nil {
		return names
	}
	var out []string
	for i, name := range names {
		if may.Has(i) {
			out = append(out, name)
		}
	}
	return out
}
