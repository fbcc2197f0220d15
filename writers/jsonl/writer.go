package jsonl

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowjson"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/partwriter"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

// Format returns the format "jsonl".
func Format() arrowio.OutputFormat {
	return arrowio.OutputFormat{
		Name:       "jsonl",
		Extensions: []string{".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz", ".json.gz", ".jsonl.zst", ".ndjson.zst", ".json.zst"},
		Plan: func(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
			p, err := plan(s, o)
			return p, errs.Locate(err, errs.At{Format: "jsonl"})
		},
		Create: func(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
			return partwriter.New(ctx, st, partwriter.Options{
				Extension:    ".jsonl",
				Packing:      p.Driver.(partwriter.Packing),
				MaxFileBytes: p.Options.MaxFileBytes,
				NameRows:     true,
				Begin:        func(w io.Writer) (partwriter.Encoder, error) { return &encoder{partwriter.Text{W: w}}, nil },
			})
		},
	}
}

func plan(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	if _, err := options.Check(nil, o.Options); err != nil {
		return nil, err
	}
	if err := plans.NoRowGroups(o); err != nil {
		return nil, err
	}
	packing, err := partwriter.ParsePacking(o.Compression)
	if err != nil {
		return nil, err
	}
	if err := plans.CheckNames(s.Fields()); err != nil {
		return nil, err
	}
	if err := distinct("", s.Fields()); err != nil {
		return nil, err
	}
	limit := arrowio.Limits{}.WithDefaults().Depth
	for _, f := range s.Fields() {
		if n := depth(f.Type); n > limit {
			return nil, errs.Errorf(errs.ErrSchema, "column %s is nested %d deep, and readers take %d (Limits.Depth)", f.Name, n, limit)
		}
	}
	p := &arrowio.WritePlan{Format: "jsonl", Schema: s, Options: o, Driver: packing}
	for _, f := range s.Fields() {
		p.Columns = append(p.Columns, arrowio.PlannedColumn{Path: schemadiff.Path(f.Name), Type: f.Type.String(), Stored: stored(f.Type), Loss: plans.Join(loss(f.Type), plans.FieldsLost(f))})
	}
	plans.AddRefused(p.Columns, s.Fields(), plans.TimesOutsideOfDay)
	p.Metadata = append(plans.Planned(s.Metadata(), arrow.Metadata{}, "", "JSON lines have no place for metadata"), arrowio.PlannedKey{Loss: typesLost})
	return p, nil
}

// distinct refuses two members of one name, at any depth: what these mean is up to each reader.
func distinct(path string, fields []arrow.Field) error {
	seen := map[string]bool{}
	for _, f := range fields {
		if seen[f.Name] {
			return errs.Errorf(errs.ErrSchema, "two members of one object would be named %q", path+f.Name)
		}
		seen[f.Name] = true
		if err := distinctIn(path+f.Name+".", f.Type); err != nil {
			return err
		}
	}
	return nil
}

func distinctIn(path string, t arrow.DataType) error {
	switch t := t.(type) {
	case *arrow.StructType:
		return distinct(path, t.Fields())
	case *arrow.DictionaryType:
		return distinctIn(path, t.ValueType)
	case arrow.ExtensionType:
		return distinctIn(path, t.StorageType())
	case arrow.NestedType: // its fields are not members of one object
		for _, f := range t.Fields() {
			if err := distinctIn(path, f.Type); err != nil {
				return err
			}
		}
	}
	return nil
}

// depth returns how many values stand inside each other in the JSON of a type.
func depth(t arrow.DataType) int {
	switch t := t.(type) {
	case *arrow.MapType:
		return 2 + max(depth(t.KeyType()), depth(t.ItemType()))
	case *arrow.DictionaryType:
		return depth(t.ValueType)
	case *arrow.RunEndEncodedType:
		return depth(t.Encoded())
	case arrow.ExtensionType:
		return depth(t.StorageType())
	case *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType:
		return 2
	case arrow.NestedType:
		n := 0
		for _, f := range t.Fields() {
			n = max(n, depth(f.Type))
		}
		return 1 + n
	}
	return 1
}

// stored names what JSON has for a type.
func stored(t arrow.DataType) string {
	switch t := t.(type) {
	case *arrow.NullType:
		return "null"
	case *arrow.BooleanType:
		return "boolean"
	case *arrow.StructType, *arrow.DayTimeIntervalType, *arrow.MonthDayNanoIntervalType, arrow.UnionType:
		return "object"
	case arrow.ListLikeType:
		return "array"
	case *arrow.DictionaryType:
		return stored(t.ValueType)
	case *arrow.RunEndEncodedType:
		return stored(t.Encoded())
	case arrow.ExtensionType:
		return stored(t.StorageType())
	}
	if arrow.IsInteger(t.ID()) || arrow.IsFloating(t.ID()) || t.ID() == arrow.DURATION || t.ID() == arrow.INTERVAL_MONTHS {
		return "number"
	}
	return "string"
}

// encoder is a partwriter.Encoder.
type encoder struct{ partwriter.Text }

// Write implements partwriter.Encoder.
func (e *encoder) Write(rec arrow.Record) error {
	var enc arrowjson.Encoder
	cols := make([]arrowjson.Append, rec.NumCols())
	names := make([][]byte, rec.NumCols())
	for i, c := range rec.Columns() {
		cols[i] = enc.JSON(c)
		names[i] = append(enc.Quote([]byte{','}, rec.ColumnName(i)), ':')
		names[0][0] = '{'
	}
	for i := 0; i < int(rec.NumRows()); i++ {
		if len(cols) == 0 {
			e.Buf = append(e.Buf, '{')
		}
		for k, f := range cols {
			e.Buf = f(append(e.Buf, names[k]...), i)
			if enc.Err() != nil {
				return errs.Locate(enc.Err(), errs.At{Format: "jsonl", Column: rec.ColumnName(k)})
			}
		}
		e.Buf = append(e.Buf, '}', '\n')
		if err := e.EndLine(); err != nil {
			return err
		}
	}
	return e.Close()
}
