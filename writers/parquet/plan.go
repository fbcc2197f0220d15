package parquet

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowipc"
	"github.com/arrowio/arrowio/internal/parquetwire/encode"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// driver is this package's part of a plan.
type driver struct {
	o        Options
	schema   *arrow.Schema
	packing  packing
	fields   []*node
	leaves   []*leaf
	elements []encode.Element
	keys     []string // metadata of the file
	values   []string
	unclear  []schemadiff.Difference // what other readers do not find in geometries
}

func plan(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	opt, err := parseOptions(o.Options)
	if err != nil {
		return nil, err
	}
	d := &driver{o: opt, schema: s}
	if d.packing, err = parsePacking(o.Compression); err != nil {
		return nil, err
	}
	if s.NumFields() == 0 {
		return nil, errs.Errorf(errs.ErrSchema, "the rows have no columns, and a Parquet file has one at least")
	}
	if err := plans.CheckNames(s.Fields()); err != nil {
		return nil, err
	}
	var refused []string
	for _, f := range s.Fields() {
		if n := schemaLevels(f.Type); n > mostLevels {
			refused = append(refused, fmt.Sprintf("column %s: %d levels of a schema, where readers take %d", f.Name, n, mostLevels))
			continue
		}
		refused = refuse(refused, f.Name, f, 0)
	}
	if len(refused) > 0 {
		return nil, errs.Errorf(errs.ErrSchema, "Parquet files cannot hold %s", strings.Join(refused, ", "))
	}
	shown := make([]arrow.Field, s.NumFields())
	for i, f := range s.Fields() {
		shown[i] = fieldComesBack(f)
	}
	stored, lost := plans.WithoutLost(s, shown)
	d.build(stored.Fields())
	if err := d.choose(); err != nil {
		return nil, err
	}
	back, err := d.describe(stored)
	if err != nil {
		return nil, err
	}
	metadata, err := planMetadata(s.Metadata())
	if err != nil {
		return nil, err
	}
	p := &arrowio.WritePlan{Format: Name, Schema: s, Metadata: metadata, Options: o, Driver: d}
	for i, f := range s.Fields() {
		p.Columns = append(p.Columns, arrowio.PlannedColumn{Path: schemadiff.Path(f.Name), Type: f.Type.String(), Stored: d.fields[i].stored(), Loss: loss(f.Type)})
	}
	p.Columns = plans.AddDifferences(p.Columns, slices.Concat(lost, schemadiff.Fields(stored.Fields(), back.Fields()), d.unclear))
	plans.AddRefused(p.Columns, s.Fields(), refusedValues)
	p.Columns = plans.AddNames(p.Columns, s.Fields())
	return p, nil
}

// choose applies the options that name columns.
func (d *driver) choose() error {
	for _, c := range []struct {
		option string
		paths  []string
		set    func(*leaf)
	}{
		{"parquet-bloom", d.o.Bloom, func(l *leaf) { l.bloom = l.wire.Type != encode.Boolean && l.wire.Logical.Kind != encode.Null }},
		{"parquet-dictionary", d.o.Dictionary, func(l *leaf) {
			l.dictionary = l.wire.Type != encode.Boolean && l.wire.Logical.Kind != encode.Null
		}},
	} {
		for _, path := range c.paths {
			found := path == "*"
			for _, l := range d.leaves {
				stored := strings.Join(l.path, ".")
				if path == "*" || path == l.column || path == stored || strings.HasPrefix(l.column, path+".") || strings.HasPrefix(stored, path+".") {
					c.set(l)
					found = true
				}
			}
			if !found {
				return errs.Errorf(errs.ErrOption, "%s: there is no column %q", c.option, path)
			}
		}
	}
	return nil
}

// schemaKey is the metadata key under which Arrow's implementations keep the Arrow schema.
const schemaKey = "ARROW:schema"

// describe makes the file's metadata: that of the schema, and the Arrow schema itself, which it returns as readers
// understand it: metadata of a field may hide its extension type.
func (d *driver) describe(s *arrow.Schema) (back *arrow.Schema, err error) {
	md := s.Metadata()
	for i, k := range md.Keys() {
		if k != schemaKey {
			d.keys, d.values = append(d.keys, k), append(d.values, md.Values()[i])
		}
	}
	var stream bytes.Buffer
	if err := ipc.NewWriter(&stream, ipc.WithSchema(s)).Close(); err != nil {
		return nil, errs.Errorf(errs.ErrSchema, "the schema cannot be described: %w", err)
	}
	message := bytes.TrimSuffix(stream.Bytes(), []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}) // the end of the stream
	d.keys, d.values = append(d.keys, schemaKey), append(d.values, base64.StdEncoding.EncodeToString(message))
	var m arrowipc.Message
	prefix, n, err := arrowipc.Framing(message)
	if err == nil {
		m, err = arrowipc.ParseMessage(message[prefix:prefix+n], arrowio.Limits{}.WithDefaults())
	}
	var described *arrowipc.Schema
	if err == nil {
		described, err = m.Schema()
	}
	if err != nil {
		return nil, errs.Errorf(errs.ErrSchema, "what would be written could not be read: %w", err)
	}
	return described.Arrow, nil
}

// sorting returns the leaf columns that rows are sorted by, as far as Parquet can say it.
func (d *driver) sorting(by []arrowio.SortedColumn) []encode.Sorting {
	var out []encode.Sorting
	for _, c := range by {
		i := slices.IndexFunc(d.leaves, func(l *leaf) bool { return l.column == c.Column && l.rep == 0 && l.order != noOrder })
		if i < 0 {
			break
		}
		out = append(out, encode.Sorting{Column: i, Descending: c.Descending, NullsFirst: c.NullsFirst})
	}
	return out
}
