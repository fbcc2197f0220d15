package icebergtable

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/gonerows"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/icebergfile"
)

// file is what a table says of a data file. It is part of the JSON of a member.
type file struct {
	Path     string     `json:"path"`
	Said     string     `json:"said,omitempty"` // the path in the metadata
	Format   string     `json:"format"`
	Rows     int64      `json:"rows"` // before deletes
	Bytes    int64      `json:"bytes"`
	Identity []identity `json:"identity,omitempty"`
	// Lineage is what is said of its rows; nil = it was not asked for.
	Lineage *icebergfile.Lineage `json:"lineage,omitempty"`
}

// identity is the value that a column has in all rows of a file, as a single value; nil = null.
type identity struct {
	Column int32  `json:"column"`
	Value  []byte `json:"value"`
}

// emptyFormat is the format of the member that a table without files has.
const emptyFormat = "empty"

// member is a data file of a table.
type member struct {
	file
	table     *table
	partition []partitionValue
	stats     map[int32]columnStats
	deletes   []*deleteFile
}

// fragment returns the file as scans take it.
func (m *member) fragment() arrowio.Fragment {
	f := arrowio.Fragment{Name: m.Path, Open: m.open, Never: m.never, Always: m.always, Schema: m.table.schema, Marshal: m.marshal}
	switch {
	case len(m.deletes) == 0:
		f.Rows = m.Rows
	case len(m.deletes) == 1 && m.deletes[0].Vector != nil: // each of its rows is one of the file
		f.Rows = m.Rows - m.deletes[0].Rows
	}
	f.Rows = max(0, f.Rows)
	return f
}

// memberText is the JSON of a member.
type memberText struct {
	file
	Schema  json.RawMessage   `json:"schema"`
	Mapping []iceberg.Name    `json:"mapping,omitempty"`
	Deletes []deleteText      `json:"deletes,omitempty"`
	Options map[string]string `json:"options,omitempty"`
}

type deleteText struct {
	Path     string          `json:"path"`
	Format   string          `json:"format"`
	Rows     int64           `json:"rows"`
	Equality json.RawMessage `json:"equality,omitempty"`
	Vector   *vector         `json:"vector,omitempty"`
}

// marshal implements arrowio.Fragment.Marshal. The JSON names the files, so that who opens it needs no metadata of the table.
func (m *member) marshal() ([]byte, error) {
	x := memberText{file: m.file, Mapping: m.table.mapping}
	var err error
	if x.Schema, err = iceberg.SchemaJSON(m.table.fields); err != nil {
		return nil, err
	}
	for _, d := range m.deletes {
		t := deleteText{Path: d.Path, Format: d.Format, Rows: d.Rows, Vector: d.Vector}
		if d.Equality != nil {
			if t.Equality, err = iceberg.SchemaJSON(d.Equality); err != nil {
				return nil, err
			}
		}
		x.Deletes = append(x.Deletes, t)
	}
	return json.Marshal(x)
}

// parse implements arrowio.Format.ParseFragment.
func (r *reader) parse(text []byte, oo arrowio.OpenOptions) (arrowio.Fragment, error) {
	m, err := r.parseMember(text, oo)
	if err != nil {
		return arrowio.Fragment{}, err
	}
	return m.fragment(), nil
}

func (r *reader) parseMember(text []byte, oo arrowio.OpenOptions) (*member, error) {
	t, err := r.newTable(oo)
	if err != nil {
		return nil, err
	}
	var x memberText
	if err := json.Unmarshal(text, &x); err != nil {
		return nil, errs.Errorf(errs.ErrOption, "a file of an Iceberg table: %w", err)
	}
	schema, err := iceberg.Parse(x.Schema)
	if err != nil {
		return nil, err
	}
	if err := t.show(schema.Current); err != nil {
		return nil, err
	}
	t.mapping = x.Mapping
	m := &member{file: x.file, table: t}
	for _, d := range x.Deletes {
		f := &deleteFile{Path: d.Path, Format: d.Format, Rows: d.Rows, Vector: d.Vector, users: 1}
		if d.Equality != nil {
			fields, err := iceberg.Parse(d.Equality)
			if err != nil {
				return nil, err
			}
			f.Equality = fields.Current
		}
		m.deletes = append(m.deletes, f)
	}
	return m, nil
}

// open implements arrowio.Fragment.Open.
func (m *member) open(ctx context.Context) (arrowio.File, error) {
	f, err := m.openData(ctx)
	return f, errs.Locate(err, errs.At{File: m.Path})
}

func (m *member) openData(ctx context.Context) (arrowio.File, error) {
	if m.Format == emptyFormat {
		return view.Empty{Format: Name, Fields: m.table.schema}, nil
	}
	var positions []int64
	if len(m.deletes) > 0 {
		var err error
		if positions, err = m.table.deletedIn(ctx, &m.file, m.deletes); err != nil {
			return nil, err
		}
	}
	f, err := m.table.openFile(ctx, &m.file, m.table.fields, positions)
	if err != nil {
		return nil, err
	}
	f.deletes = m.deletes
	if m.table.purpose == arrowio.ForVerify && m.stats != nil {
		f.checks = m.checkStats
	}
	return f, nil
}

// shownFile is a data file as the table shows it.
type shownFile struct {
	arrowio.File
	src    *arrowio.CountingSource
	closer arrowio.OpenSource
	of     *file
	stored int64 // rows of the file itself
	beyond int   // deletes of rows that it does not have

	gone    []int64                                             // rows of the file that are not shown, sorted
	deletes []*deleteFile                                       // that decide which of its rows are shown
	checks  func(ctx context.Context, report func(error)) error // of what the manifest says of columns; nil = it says nothing
}

// openFile opens a data file or a delete file for some fields, without the rows at positions. positions is changed.
func (t *table) openFile(ctx context.Context, of *file, fields []iceberg.Field, positions []int64) (*shownFile, error) {
	format, ok := t.reader.files[of.Format]
	if !ok {
		return nil, errs.Errorf(errs.ErrUnsupported, "files in the format %.40q cannot be read", of.Format)
	}
	src, err := t.open(ctx, of.Path)
	if err != nil {
		return nil, err
	}
	x := &shownFile{src: arrowio.NewCountingSource(src), closer: src, of: of}
	in, err := format.Open(ctx, x.src, arrowio.OpenOptions{Limits: t.limits, Options: optionsOf(format), Name: of.Path, OpenSource: t.open})
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	if err := x.show(t, in, fields, positions); err != nil {
		return nil, errors.Join(err, in.Close(), src.Close())
	}
	return x, nil
}

// tableFiles are the options with which formats read files of tables: times are never finer than the table's, and decimals have its
// precision.
var tableFiles = map[string]string{"parquet-int96": "us", "avro-decimals": "decimal"}

// optionsOf returns those that a format has.
func optionsOf(f arrowio.Format) map[string]string {
	out := map[string]string{}
	for _, o := range f.Options {
		if v, ok := tableFiles[o.Name]; ok {
			out[o.Name] = v
		}
	}
	return out
}

func (x *shownFile) show(t *table, in arrowio.File, fields []iceberg.Field, positions []int64) error {
	mapping := t.mapping
	if mapping == nil {
		mapping = iceberg.NamesOf(t.fields)
	}
	if len(fields) > 0 && fields[0].ID == iceberg.PathID {
		mapping = iceberg.NamesOf(fields)
	}
	if n := len(in.Splits()); n > 0 {
		x.stored = in.Splits()[n-1].Rows.End
	}
	constants, err := x.constants(in, fields, mapping)
	if err != nil {
		return err
	}
	r, err := icebergfile.Rename(in, icebergfile.Read{Fields: fields, Mapping: mapping})
	if err != nil {
		return err
	}
	var left arrowio.File = r
	if x.of.Lineage != nil {
		if left, err = r.WithLineage(*x.of.Lineage); err != nil {
			return err
		}
	}
	if positions, x.beyond = gonerows.Sorted(positions, x.stored); len(positions) > 0 {
		x.gone = positions
		if left, err = gonerows.Without(left, positions); err != nil {
			return err
		}
	}
	x.File, err = r.Show(left, constants)
	return err
}

// constants returns the values of the columns that the file lacks and that its partition says; nil = there are none (Iceberg table
// specification, "Column Projection").
func (x *shownFile) constants(in arrowio.File, fields []iceberg.Field, mapping []iceberg.Name) (arrow.Record, error) {
	if len(x.of.Identity) == 0 {
		return nil, nil //nolint:nilnil // the comment says so
	}
	ids, err := icebergfile.IDsOf(in.Schema().Fields(), mapping)
	if err != nil {
		return nil, err
	}
	var columns []arrow.Field
	var values []arrow.Array
	for _, c := range x.of.Identity {
		at := iceberg.Find(fields, c.Column)
		if at == nil || ids.Has(c.Column) {
			continue
		}
		if len(at) > 1 {
			return nil, errs.Errorf(errs.ErrUnsupported, "column %d is inside of a struct, and only the partition of the file says its value", c.Column)
		}
		shown, err := iceberg.Schema(fields[at[0]:at[0]+1], iceberg.ArrowOptions{})
		if err != nil {
			return nil, err
		}
		v := scalar.MakeNullScalar(shown[0].Type)
		if c.Value != nil {
			var ok bool
			if v, ok = scalarOf(&fields[at[0]].Type, shown[0].Type, c.Value); !ok {
				return nil, corrupt("the partition says that column %s is %x, which is no %s", shown[0].Name, c.Value, &fields[at[0]].Type)
			}
		}
		a, err := scalar.MakeArrayFromScalar(v, 1, memory.DefaultAllocator)
		if err != nil {
			return nil, err
		}
		columns, values = append(columns, shown[0]), append(values, a)
	}
	if len(columns) == 0 {
		return nil, nil //nolint:nilnil // likewise
	}
	return array.NewRecord(arrow.NewSchema(columns, nil), values, 1), nil
}

// RowsGone returns the rows of the stored file that are deleted, sorted. The caller must not change them.
func (x *shownFile) RowsGone() []int64 { return x.gone }

// Unwrap returns the file below: see arrowio.As.
func (x *shownFile) Unwrap() arrowio.File { return x.File }

// Close closes the file and its source.
func (x *shownFile) Close() error { return errors.Join(x.File.Close(), x.closer.Close()) }

// Identity implements arrowio.Identifier. Delete files never change under their names: which there are is what matters, beside the
// content of the file itself.
func (x *shownFile) Identity(ctx context.Context) (string, error) {
	own, err := local.Identity(ctx, x.closer)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q", own)
	for _, d := range x.deletes {
		fmt.Fprintf(h, " %q %d", d.Path, d.Rows)
		if d.Vector != nil {
			fmt.Fprintf(h, " %d+%d", d.Vector.Offset, d.Vector.Size)
		}
	}
	for _, c := range x.of.Identity {
		fmt.Fprintf(h, " %d=%t:%x", c.Column, c.Value == nil, c.Value)
	}
	if l := x.of.Lineage; l != nil {
		fmt.Fprintf(h, " %d %d", l.First, l.Sequence)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// BytesRead implements arrowio.ByteCounter.
func (x *shownFile) BytesRead() int64 { return x.src.Bytes() }

// BytesStored implements arrowio.ByteCounter.
func (x *shownFile) BytesStored() int64 { return x.src.Size() }

// Warnings implements arrowio.Warner.
func (x *shownFile) Warnings() []arrowio.Warning {
	out := arrowio.WarningsOf(x.File)
	if x.beyond > 0 {
		out = append(out, arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf("%d deletes are about rows that the file does not have", x.beyond)))
	}
	for _, d := range x.deletes {
		if n := d.nameless.Load(); n > 0 {
			out = append(out, arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf("%d deletes in %s have no path, and delete nothing", n, d.Path)))
		}
	}
	return out
}

// Verify implements arrowio.Verifier: the file is checked as its format has it, and against what the manifest says of it.
func (x *shownFile) Verify(ctx context.Context, report func(error)) error {
	if x.stored != x.of.Rows {
		report(errs.Errorf(errs.ErrCorrupt, "the file has %d rows, and the manifest says %d", x.stored, x.of.Rows))
	}
	if n := x.src.Size(); n != x.of.Bytes {
		report(errs.Errorf(errs.ErrCorrupt, "the file has %d bytes, and the manifest says %d", n, x.of.Bytes))
	}
	in, ok := arrowio.As[arrowio.Verifier](x.File)
	if !ok {
		return errs.Errorf(errs.ErrUnsupported, "files in the format %s cannot be verified", x.of.Format)
	}
	faults := 0
	err := in.Verify(ctx, func(err error) { faults++; report(err) })
	if err != nil || faults > 0 || x.checks == nil {
		return err
	}
	return x.checks(ctx, report)
}
