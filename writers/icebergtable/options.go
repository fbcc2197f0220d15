package icebergtable

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergcatalog"
	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/options"
)

// Name is the name of the format.
const Name = "iceberg"

// Options of the format.
const (
	optionMode      = "iceberg-mode"
	optionVersion   = "iceberg-format-version"
	optionPartition = "iceberg-partition"
	optionFiles     = "iceberg-data-format"
	optionProperty  = "iceberg-property"
	optionCatalog   = "iceberg-catalog"
	optionWhere     = "iceberg-overwrite-where"
)

// Modes.
const (
	modeCreate    = "create"
	modeAppend    = "append"
	modeOverwrite = "overwrite"
	modeReplace   = "replace-partitions"
)

var formatOptions = append(metastore.ConnectionOptions(), []arrowio.Option{
	{Name: optionMode, Usage: "make a new table, add rows to one, replace all its rows, or replace those of the partitions that the new rows are in", Default: modeCreate, Values: []string{modeCreate, modeAppend, modeOverwrite, modeReplace}},
	{Name: optionWhere, Usage: "replace only the rows of a table for which this filter is true; the new rows must satisfy it, too", Default: "none"},
	{Name: optionVersion, Usage: "format version of a new table", Default: "2", Values: []string{"1", "2", "3"}},
	{Name: optionPartition, Usage: "partition a new table by these (comma-separated): COLUMN, bucket(N, COLUMN), truncate(N, COLUMN), year(COLUMN), month, day, hour", Default: "none"},
	{Name: optionFiles, Usage: "format of the data files of a new table", Default: "orc", Values: []string{"orc", "parquet"}},
	{Name: optionProperty, Usage: "NAME=VALUE of a new table, such as write.target-file-size-bytes", Default: "none", Repeated: true},
	{Name: optionCatalog, Usage: "PROPERTY=VALUE of the catalog that iceberg://CATALOG/NAMESPACE.TABLE names, in place of what is configured: type, uri, warehouse, token, ...", Default: "what is configured", Repeated: true},
}...)

// Format returns the format for lists of formats. Its rows go to a table, which Open opens: its own Plan and Create are errors.
func Format() arrowio.OutputFormat {
	return arrowio.OutputFormat{
		Name: Name, Options: formatOptions, Directory: true,
		Create: func(context.Context, arrowio.Store, *arrowio.WritePlan) (arrowio.Writer, error) {
			return nil, errs.Errorf(errs.ErrInternal, "an Iceberg table was not opened")
		},
	}
}

// tableOptions are the options of this package.
type tableOptions struct {
	mode    string
	where   expr.Expr // of the rows that are replaced; nil = of all
	version int
	parts   []specDocument // with names of columns, and without ids
	columns []string
	format  string
	props   map[string]string // of a new table
	catalog icebergcatalog.Properties
	// metastore says how a catalog of type hive is reached.
	metastore metastore.Options
	creates   []string // names of the options that are about new tables
}

func parseOptions(given map[string]string) (o tableOptions, err error) {
	m, err := options.Check(formatOptions, given)
	if err != nil {
		return o, err
	}
	o.mode, o.format = m[optionMode], m[optionFiles]
	if o.version, err = strconv.Atoi(m[optionVersion]); err != nil {
		return o, err
	}
	if text := given[optionWhere]; text != "" && text != "none" {
		if mode := given[optionMode]; mode != "" && mode != modeOverwrite {
			return o, errs.Errorf(errs.ErrOption, "%w replaces rows, and %w does not", errs.Opt(optionWhere, ""), errs.Opt(optionMode, mode))
		}
		o.mode = modeOverwrite
		if o.where, err = expr.Parse(text); err != nil {
			return o, errs.Errorf(errs.ErrOption, "%w: %w", errs.Opt(optionWhere, ""), err)
		}
	}
	for _, name := range []string{optionVersion, optionPartition, optionFiles, optionProperty} {
		if given[name] != "" {
			o.creates = append(o.creates, name)
		}
	}
	if text := given[optionPartition]; text != "" && text != "none" {
		if err := o.partition(text); err != nil {
			return o, err
		}
	}
	o.props, err = pairs(optionProperty, given[optionProperty])
	if err == nil {
		o.catalog, err = pairs(optionCatalog, given[optionCatalog])
	}
	if err == nil {
		err = o.metastore.Read(given)
	}
	return o, err
}

// pairs reads NAME=VALUE.
func pairs(option, text string) (map[string]string, error) {
	out := map[string]string{}
	for _, text := range options.Values(text) {
		k, v, ok := strings.Cut(text, "=")
		if !ok || k == "" {
			return nil, errs.Errorf(errs.ErrOption, "%w is not NAME=VALUE", errs.Opt(option, "")) // it may be a secret
		}
		out[k] = v
	}
	return out, nil
}

var partitionForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(year|month|day|hour|identity)\(\s*([^()]+?)\s*\)|(bucket|truncate)\(\s*(\d{1,9})\s*,\s*([^()]+?)\s*\)|([^()]+))$`)
})

// partition reads what a new table is partitioned by.
func (o *tableOptions) partition(text string) error {
	depth, start := 0, 0
	var parts []string
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts, start = append(parts, text[start:i]), i+1
		}
	}
	for _, part := range append(parts, text[start:]) {
		part = strings.TrimSpace(part)
		m := partitionForm().FindStringSubmatch(part)
		if m == nil {
			return errs.Errorf(errs.ErrOption, "%w: %q is no COLUMN, bucket(N, COLUMN), truncate(N, COLUMN), year(COLUMN), month(COLUMN), day(COLUMN) or hour(COLUMN)", errs.Opt(optionPartition, ""), part)
		}
		column, transform, suffix := m[6], "identity", ""
		switch {
		case m[1] != "":
			column, transform = m[2], m[1]
			if transform != "identity" {
				suffix = "_" + transform
			}
		case m[3] != "":
			column, transform, suffix = m[5], m[3]+"["+m[4]+"]", map[string]string{"bucket": "_bucket", "truncate": "_trunc"}[m[3]]
		}
		if iceberg.ParseTransform(transform).Kind == iceberg.OtherTransform {
			return errs.Errorf(errs.ErrOption, "%w: %q: the number must be at least 1", errs.Opt(optionPartition, ""), part)
		}
		name := column + suffix
		if slices.ContainsFunc(o.parts, func(d specDocument) bool { return d.Name == name }) {
			return errs.Errorf(errs.ErrOption, "%w: %q is named twice", errs.Opt(optionPartition, ""), part)
		}
		o.parts = append(o.parts, specDocument{Name: name, Transform: transform, ID: int32(firstPartitionID + len(o.parts))})
		o.columns = append(o.columns, column)
	}
	return nil
}

// spec returns the partition spec of a new table with these fields.
func (o *tableOptions) spec(fields []iceberg.Field) ([]specDocument, error) {
	out := []specDocument{}
	for i, d := range o.parts {
		f := fieldAt(fields, o.columns[i])
		if f == nil {
			return nil, errs.Errorf(errs.ErrOption, "%w: the table has no column %.100q", errs.Opt(optionPartition, ""), o.columns[i])
		}
		tr := iceberg.ParseTransform(d.Transform)
		to, ok := partitionType(tr, &f.Type)
		if ok && to.Kind == iceberg.Fixed {
			return nil, errs.Errorf(errs.ErrOption, "%w: column %s is %s: partition values of the type fixed are not written, because Iceberg's own library cannot read them", errs.Opt(optionPartition, ""), o.columns[i], f.Type)
		}
		if !ok {
			return nil, errs.Errorf(errs.ErrOption, "%w: column %s is %s, of which %s makes nothing", errs.Opt(optionPartition, ""), o.columns[i], f.Type, tr)
		}
		if d.Name != o.columns[i] && fieldAt(fields, d.Name) != nil {
			return nil, errs.Errorf(errs.ErrOption, "%w: the partition field of %s would be called %s, as a column of the table", errs.Opt(optionPartition, ""), o.columns[i], d.Name)
		}
		d.Source = f.ID
		out = append(out, d)
	}
	return out, nil
}

// fieldAt returns the field with a dotted path through structs; nil = there is none.
func fieldAt(fields []iceberg.Field, path string) *iceberg.Field {
	for i := range fields {
		f := &fields[i]
		if f.Name == path {
			return f
		}
		if rest, ok := strings.CutPrefix(path, f.Name+"."); ok && f.Type.Kind == iceberg.Struct {
			if found := fieldAt(f.Type.Fields, rest); found != nil {
				return found
			}
		}
	}
	return nil
}
