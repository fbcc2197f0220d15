package csv

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowjson"
	"github.com/arrowio/arrowio/internal/options"
	"github.com/arrowio/arrowio/internal/partwriter"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/schemadiff"
)

var known = []arrowio.Option{
	{Name: "csv-header", Usage: "whether the first line names the columns", Default: "true", Values: []string{"true", "false"}},
	{Name: "csv-delimiter", Usage: "one character, or tab", Default: ","},
	{Name: "csv-null", Usage: "how null is written", Default: ""},
	{Name: "csv-line-end", Usage: "what ends a line", Default: "lf", Values: []string{"lf", "crlf"}, Remote: true},
}

// Format returns the format "csv".
func Format() arrowio.OutputFormat {
	return arrowio.OutputFormat{
		Name:       "csv",
		Extensions: []string{".csv", ".csv.gz", ".csv.zst"},
		Options:    slices.Clone(known),
		Plan: func(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
			p, err := plan(s, o)
			return p, errs.Locate(err, errs.At{Format: "csv"})
		},
		Create: func(ctx context.Context, st arrowio.Store, p *arrowio.WritePlan) (arrowio.Writer, error) {
			return partwriter.New(ctx, st, partwriter.Options{
				Extension:    ".csv",
				Packing:      p.Driver.(*settings).packing,
				MaxFileBytes: p.Options.MaxFileBytes,
				NameRows:     true,
				Begin:        func(w io.Writer) (partwriter.Encoder, error) { return begin(w, p), nil },
			})
		},
	}
}

// settings are the options, read.
type settings struct {
	header bool
	delim  byte
	null   string
	end    string

	packing partwriter.Packing
}

func plan(s *arrow.Schema, o arrowio.WriteOptions) (*arrowio.WritePlan, error) {
	set, err := readSettings(o)
	if err != nil {
		return nil, err
	}
	if s.NumFields() == 0 {
		return nil, errs.Errorf(errs.ErrSchema, "the rows have no columns, and a CSV file has one at least")
	}
	if err := plans.CheckNames(written(s, set.header)); err != nil {
		return nil, err
	}
	p := &arrowio.WritePlan{Format: "csv", Schema: s, Options: o, Driver: set}
	for i, f := range s.Fields() {
		name := ""
		if f.Name == "" || !set.header {
			if name = fmt.Sprintf("comes back with the name f%d", i); set.header && s.HasField(fmt.Sprint("f", i)) {
				name = fmt.Sprintf("comes back with another name, f%d and underscores", i)
			}
		}
		p.Columns = append(p.Columns, arrowio.PlannedColumn{
			Path: schemadiff.Path(f.Name), Type: f.Type.String(), Stored: "text", Loss: plans.Join(name, loss(f.Type), membersLost(f), plans.FieldsLost(f)),
		})
	}
	plans.AddRefused(p.Columns, s.Fields(), plans.TimesOutsideOfDay)
	if set.header {
		p.Columns = plans.AddNames(p.Columns, nil)
	}
	p.Metadata = append(plans.Planned(s.Metadata(), arrow.Metadata{}, "", "CSV has no place for metadata"), arrowio.PlannedKey{Loss: typesLost})
	return p, nil
}

// written returns the fields of s with the names that a file has. Without a header it has only those inside of columns.
func written(s *arrow.Schema, header bool) []arrow.Field {
	fields := slices.Clone(s.Fields())
	for i := range fields {
		if !header {
			fields[i].Name = ""
		}
	}
	return fields
}

func readSettings(o arrowio.WriteOptions) (*settings, error) {
	v, err := options.Check(known, o.Options)
	if err != nil {
		return nil, err
	}
	if err := plans.NoRowGroups(o); err != nil {
		return nil, err
	}
	packing, err := partwriter.ParsePacking(o.Compression)
	if err != nil {
		return nil, err
	}
	s := &settings{header: v["csv-header"] == "true", null: v["csv-null"], end: "\n", packing: packing}
	if v["csv-line-end"] == "crlf" {
		s.end = "\r\n"
	}
	if s.delim, err = options.Delimiter("csv-delimiter", v["csv-delimiter"]); err != nil {
		return nil, err
	}
	if s.special([]byte(s.null)) {
		return nil, errs.Errorf(errs.ErrOption, "%w is %q, which would need quotes", errs.Opt("csv-null", ""), s.null)
	}
	return s, nil
}

// special reports whether a field needs quotes for what it holds.
func (s *settings) special(v []byte) bool {
	for _, c := range v {
		if c == s.delim || c == '"' || c == '\r' || c == '\n' {
			return true
		}
	}
	return bytes.HasPrefix(v, []byte("\ufeff"))
}

// encoder is a partwriter.Encoder.
type encoder struct {
	partwriter.Text
	set *settings
	row []byte // scratch: a field before it is known whether it needs quotes
}

func begin(w io.Writer, p *arrowio.WritePlan) *encoder {
	e := &encoder{Text: partwriter.Text{W: w}, set: p.Driver.(*settings)}
	if !e.set.header {
		return e
	}
	for i, f := range p.Schema.Fields() {
		if i > 0 {
			e.Buf = append(e.Buf, e.set.delim)
		}
		e.row = append(e.row[:0], f.Name...)
		e.field(e.row)
	}
	e.Buf = append(e.Buf, e.set.end...)
	return e
}

// field appends a field that is not null.
func (e *encoder) field(v []byte) {
	if string(v) != e.set.null && len(v) > 0 && !e.set.special(v) {
		e.Buf = append(e.Buf, v...)
		return
	}
	e.Buf = append(e.Buf, '"')
	for {
		i := bytes.IndexByte(v, '"')
		if i < 0 {
			break
		}
		e.Buf = append(append(e.Buf, v[:i+1]...), '"')
		v = v[i+1:]
	}
	e.Buf = append(append(e.Buf, v...), '"')
}

// Write implements partwriter.Encoder.
func (e *encoder) Write(rec arrow.Record) error {
	var enc arrowjson.Encoder
	cols := make([]arrowjson.Append, rec.NumCols())
	for i, c := range rec.Columns() {
		cols[i] = enc.Text(c)
	}
	for i := 0; i < int(rec.NumRows()); i++ {
		for k, c := range rec.Columns() {
			if k > 0 {
				e.Buf = append(e.Buf, e.set.delim)
			}
			if arrowjson.IsNull(c, i) {
				e.Buf = append(e.Buf, e.set.null...)
				continue
			}
			e.row = cols[k](e.row[:0], i)
			if enc.Err() != nil {
				return errs.Locate(enc.Err(), errs.At{Format: "csv", Column: rec.ColumnName(k)})
			}
			e.field(e.row)
		}
		e.Buf = append(e.Buf, e.set.end...)
		if err := e.EndLine(); err != nil {
			return err
		}
	}
	return e.Close()
}
