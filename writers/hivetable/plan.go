package hivetable

import (
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/partitiontext"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// plan implements arrowio.OutputFormat.Plan.
func (t *Table) plan(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	p, err := t.planned(s, o)
	return p, errs.Locate(err, errs.At{Format: Name})
}

func (t *Table) planned(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	sh, err := newShape(s, t.files, t.keys, t.format.Name == "orc")
	if err != nil {
		return nil, err
	}
	inner, err := t.format.Plan(sh.files, t.fileOptions(o))
	if err != nil {
		return nil, err
	}
	p := &arrowio.WritePlan{Format: Name, Schema: s, Options: o, Driver: sh}
	of := make([]int, s.NumFields()) // the columns of the table, which newShape has found
	for to, from := range sh.from {
		if from >= 0 {
			of[from] = to
		}
	}
	back := make([]arrow.Field, s.NumFields())
	for i, f := range s.Fields() {
		c := arrowio.PlannedColumn{Path: schemadiff.Path(f.Name), Type: f.Type.String(), Encoding: t.format.Name}
		var said metastore.Column
		if k := of[i] - t.files.NumFields(); k >= 0 {
			said, back[i], c.Encoding = t.meta.Keys[k], t.keys.Field(k), "directories"
			if isText(arrowValue(f.Type)) {
				c.Refused = `empty text, and "` + partitiontext.Null + `"`
			}
		} else {
			said, back[i] = t.meta.Storage.Columns[of[i]], t.files.Field(of[i])
			c.Refused = refusedIn(inner.Columns, sh.files.Field(of[i]).Name)
		}
		c.Stored = said.Type
		if a, b := numberBits(arrowValue(f.Type)), numberBits(back[i].Type); b > 0 && a >= b && !arrow.TypeEqual(f.Type, back[i].Type) {
			c.Refused = plans.Join(c.Refused, "numbers that do not fit into "+said.Type)
		}
		if _, ok := lengthOf(back[i]); ok {
			c.Refused = plans.Join(c.Refused, "texts that are longer than "+said.Type)
		}
		back[i].Name = f.Name // which has a case
		p.Columns = append(p.Columns, c)
	}
	p.Metadata = plans.Planned(s.Metadata(), arrow.Metadata{}, "", "tables have no such metadata")
	p.Columns = plans.AddDifferences(p.Columns, schemadiff.Fields(s.Fields(), back))
	return p, nil
}

func arrowValue(t arrow.DataType) arrow.DataType {
	if d, ok := t.(*arrow.DictionaryType); ok {
		return d.ValueType
	}
	return t
}

// numberBits is the width of integers; 0 = the type has none.
func numberBits(t arrow.DataType) int {
	if arrow.IsInteger(t.ID()) {
		return t.(arrow.FixedWidthDataType).BitWidth()
	}
	return 0
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

// fileOptions returns the options for files: codecs as the table has them, unless others are asked for.
func (t *Table) fileOptions(o arrowio.WriteOptions) arrowio.WriteOptions {
	o.Options = nil
	if t.format.Name == "parquet" {
		o.Options = map[string]string{"parquet-decimals": "bytes"}
	}
	if o.Compression != "" {
		return o
	}
	property := map[string]string{"orc": "orc.compress", "parquet": "parquet.compression"}[t.format.Name]
	text := t.meta.Parameters[property]
	if text == "" {
		text = t.meta.Storage.SerDeParameters[property]
	}
	switch text = strings.ToLower(text); text {
	case "none", "zlib", "gzip", "snappy", "lz4", "zstd":
		o.Compression = text
	case "uncompressed":
		o.Compression = "none"
	}
	return o
}
