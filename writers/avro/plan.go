package avro

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowmeta"
	"github.com/arrowio/arrowio/internal/avrowire"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/schemadiff"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// metaPrefix is in front of the file's metadata in those of the Arrow schema.
const metaPrefix = "avro."

// sources are the keys under which readers show the Avro schema that rows had, in the order in which they are tried.
var sources = []string{metaPrefix + avrowire.KeySchema, trevniwire.MetaPrefix + trevniwire.KeyAvro}

func plan(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	p, back, err := planStored(s, s, o)
	if err != nil {
		return nil, err
	}
	if bare, lost := plans.WithoutLost(s, back.Fields()); lost != nil {
		were := p.Columns
		if p, _, err = planStored(s, bare, o); err != nil {
			return nil, err
		}
		lost.Tell(p.Columns, were)
	}
	return p, nil
}

// planStored plans for rows of a schema, of which the file says what another schema does. It returns the schema under which the
// file is read.
func planStored(s, stored *arrow.Schema, o arrowio.WriteOptions) (p *arrowio.WritePlan, back *arrow.Schema, err error) {
	d := &driver{}
	if err := d.setOptions(o); err != nil {
		return nil, nil, err
	}
	if err := plans.CheckNames(s.Fields()); err != nil {
		return nil, nil, err
	}
	p = &arrowio.WritePlan{Format: Name, Schema: s, Options: o, Driver: d}
	text, err := d.schema(stored, p)
	if err != nil {
		return nil, nil, err
	}
	d.header.Meta = []arrowmeta.Pair{{Key: avrowire.KeySchema, Value: text}, {Key: avrowire.KeyCodec, Value: []byte(d.header.Codec.String())}}
	d.header.Meta = append(d.header.Meta, arrowmeta.Store(stored.Metadata(), metaPrefix, avrowire.Reserved)...)
	if back, err = d.readBack(s); err != nil {
		return nil, nil, errs.Errorf(errs.ErrSchema, "what would be written could not be read: %w", err)
	}
	p.Metadata = plans.Planned(s.Metadata(), back.Metadata(), "file metadata", "the format has another use for this key, or the key is not UTF-8")
	p.Columns = plans.AddDifferences(p.Columns, schemadiff.Fields(s.Fields(), back.Fields()))
	plans.AddRefused(p.Columns, s.Fields(), refused)
	for i := range p.Columns {
		p.Columns[i].Encoding = d.header.Codec.String()
	}
	return p, back, nil
}

// schema chooses the Avro schema, and returns its text. One that the rows came with stays, unless more of the metadata of fields is
// kept without it.
func (d *driver) schema(s *arrow.Schema, p *arrowio.WritePlan) (text []byte, err error) {
	lim := arrowio.Limits{}.WithDefaults()
	md := s.Metadata()
	for _, key := range sources {
		given, ok := md.GetValue(key)
		if !ok {
			continue
		}
		a, err := trevniwire.ParseAvro([]byte(given), lim)
		if err != nil {
			continue // other rows had it
		}
		tree, _, err := trevniwire.Shred(a, lim)
		if err != nil || !trevniwire.Fits(s.Fields(), tree.Roots) || !trevniwire.KeepsMetadata(s.Fields(), tree.Schema.Fields(), foreign) {
			continue
		}
		d.avro, d.tree = a, tree
		for _, f := range s.Fields() {
			p.Columns = append(p.Columns, arrowio.PlannedColumn{Path: schemadiff.Path(f.Name), Type: f.Type.String(), Stored: "as its avro.schema says"})
		}
		return []byte(given), nil
	}
	a, mappings, err := trevniwire.AvroFor(s, trevniwire.AvroOptions{Foreign: foreign})
	if err != nil {
		return nil, err
	}
	if d.tree, _, err = trevniwire.Shred(a, lim); err != nil {
		return nil, err
	}
	d.avro = a
	for _, m := range mappings {
		p.Columns = append(p.Columns, arrowio.PlannedColumn{Path: m.Path, Type: m.Type, Stored: m.Stored, Loss: m.Loss})
	}
	return a.JSON(), nil
}

// foreign reports whether the metadata of a field are to be kept as they are: a logical type that Arrow lacks is in the Avro schema.
func foreign(key string) bool { return key != trevniwire.MetaLogical }

// readBack returns the schema under which the file is read.
func (d *driver) readBack(s *arrow.Schema) (*arrow.Schema, error) {
	lim := arrowio.Limits{}.WithDefaults()
	text, _ := d.header.Get(avrowire.KeySchema)
	a, err := trevniwire.ParseAvro(text, lim)
	if err != nil {
		return nil, err
	}
	tree, columns, err := trevniwire.Shred(a, lim)
	if err != nil {
		return nil, err
	}
	if beyond := trevniwire.BeyondPrecision(s.Fields(), tree.Roots); len(beyond) > 0 {
		fits := func(column, _ int) bool { return !beyond[column] }
		if tree, err = trevniwire.RecordsView(&trevniwire.Header{Columns: columns}, a, lim, fits); err != nil {
			return nil, err
		}
	}
	md := arrowmeta.Show(d.header.User(), metaPrefix)
	return arrow.NewSchema(tree.Schema.Fields(), &md), nil
}
