package icebergtable

import (
	"maps"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// tablePlan is what Plan leaves for Create.
type tablePlan struct{ fields []iceberg.Field }

// plan implements arrowio.OutputFormat.Plan.
func (t *Table) plan(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	p, err := t.planned(s, o)
	return p, errs.Locate(err, errs.At{Format: Name})
}

func (t *Table) planned(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	if o.MaxFileBytes > 0 {
		return nil, errs.Errorf(errs.ErrOption, "the table's property write.target-file-size-bytes says how large files become, not %w", errs.Opt("max-file-bytes", ""))
	}
	fields, err := t.fieldsFor(s)
	if err != nil {
		return nil, err
	}
	c, err := newCaster(s, fields)
	if err != nil {
		return nil, err
	}
	format, err := t.fileFormat()
	if err != nil {
		return nil, err
	}
	if t.base == nil {
		if _, err := t.opt.spec(fields); err != nil {
			return nil, err
		}
	} else if _, err := partFields(t.base.meta.Specs[t.base.meta.SpecID], fields); err != nil {
		return nil, err
	}
	inner, err := format.Plan(c.schema, t.fileOptions(format, o, 0))
	if err != nil {
		return nil, err
	}
	p := &arrowio.WritePlan{Format: Name, Schema: s, Options: o, Driver: &tablePlan{fields}}
	shown, err := iceberg.Schema(fields, iceberg.ArrowOptions{})
	if err != nil {
		return nil, err
	}
	back := make([]arrow.Field, 0, s.NumFields())
	for _, f := range s.Fields() {
		k := slices.IndexFunc(shown, func(x arrow.Field) bool { return x.Name == f.Name })
		of := shown[k] // newCaster has found it
		back = append(back, of)
		p.Columns = append(p.Columns, arrowio.PlannedColumn{
			Path: schemadiff.Path(f.Name), Type: f.Type.String(), Stored: fields[k].Type.String(), Encoding: format.Name, Refused: refusedIn(inner.Columns, of.Name),
		})
	}
	p.Metadata = plans.Planned(s.Metadata(), arrow.Metadata{}, "", "tables have no such metadata")
	p.Columns = plans.AddDifferences(p.Columns, schemadiff.Fields(s.Fields(), back))
	return p, nil
}

// refusedIn returns which values of a column a file cannot have.
func refusedIn(columns []arrowio.PlannedColumn, name string) string {
	for _, c := range columns {
		if c.Path == schemadiff.Path(name) {
			return c.Refused
		}
	}
	return ""
}

// Properties of tables about files.
const (
	propFormat        = "write.format.default"
	propTarget        = "write.target-file-size-bytes"
	defaultTarget     = 512 << 20
	propParquetRows   = "write.parquet.row-group-size-bytes"
	propORCStripe     = "write.orc.stripe-size-bytes"
	defaultStripe     = 64 << 20
	defaultGroup      = 128 << 20
	leastGroup        = 64 << 10
	groupsPerFile     = 4
	optionORC         = "orc-iceberg"
	propParquetPacked = "write.parquet.compression-codec"
	propORCPacked     = "write.orc.compression-codec"
)

// props are the properties of the table, or of that which will be made.
func (t *Table) props() map[string]string {
	if t.base != nil {
		return t.base.meta.Props
	}
	return t.opt.props
}

// target is how many bytes a file should have.
func (t *Table) target() int64 {
	if t.targetBytes > 0 {
		return t.targetBytes
	}
	b := base{meta: &iceberg.TableMetadata{Props: t.props()}}
	return max(1, b.prop(propTarget, defaultTarget))
}

// fileOptions returns the options for a file. memory is what its writer may keep; 0 = what o says.
func (t *Table) fileOptions(f arrowio.OutputFormat, o arrowio.WriteOptions, memory int64) arrowio.WriteOptions {
	props := t.props()
	b := base{meta: &iceberg.TableMetadata{Props: props}}
	group, packed := b.prop(propParquetRows, defaultGroup), props[propParquetPacked]
	o.Options = tableFiles(f, t.o.FileOptions[f.Name])
	if f.Name == "orc" {
		group, packed = b.prop(propORCStripe, defaultStripe), props[propORCPacked]
	}
	if o.RowGroupBytes == 0 {
		o.RowGroupBytes = max(leastGroup, min(group, t.target()/groupsPerFile))
	}
	if o.Compression == "" {
		o.Compression = packing(packed)
	}
	if memory > 0 {
		o.Memory = memory
	}
	return o
}

// tableFiles returns options of a format, and those that files of tables need.
func tableFiles(f arrowio.OutputFormat, given map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, given)
	if f.Name == "orc" {
		out[optionORC] = "ids"
	}
	return out
}

// packing returns a codec of a table's property in the words of writers; "" = theirs.
func packing(text string) string {
	switch text {
	case "zstd", "snappy", "lz4", "zlib", "gzip", "none":
		return text
	case "uncompressed":
		return "none"
	}
	return ""
}
