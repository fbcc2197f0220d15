package icebergtable

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/internal/puffinwire"
)

// positionFields are the columns of files of position deletes.
var positionFields = []iceberg.Field{
	{ID: iceberg.PathID, Name: iceberg.PathName, Required: true, Type: iceberg.Type{Kind: iceberg.String}},
	{ID: iceberg.PositionID, Name: iceberg.PositionName, Required: true, Type: iceberg.Type{Kind: iceberg.Long}},
}

// propDeleteFormat is the property of tables that says in which format delete files are.
const propDeleteFormat = "write.delete.format.default"

// deleteFormat returns the format of new delete files: that of data files, if the table does not say.
func (t *Table) deleteFormat() (arrowio.OutputFormat, error) {
	if text, ok := t.props()[propDeleteFormat]; ok {
		return t.namedFormat(strings.ToLower(text), propDeleteFormat)
	}
	return t.fileFormat()
}

// planStore is where files go that a plan of a change writes.
type planStore struct{ *Table }

// Create implements arrowio.Store.
func (s planStore) Create(ctx context.Context, name string) (arrowio.Sink, error) {
	return s.createFile(ctx, name)
}

// Commit implements arrowio.Store.
func (planStore) Commit() error { return nil }

// Abort implements arrowio.Store: the table removes what was written.
func (planStore) Abort() error { return nil }

// deletePositions writes a file of position deletes of a data file.
func (t *Table) deletePositions(ctx context.Context, of *stateFile, rows []int64) (e manifestEntry, err error) {
	format, err := t.deleteFormat()
	if err != nil {
		return e, err
	}
	shown, err := iceberg.Schema(positionFields, iceberg.ArrowOptions{})
	if err != nil {
		return e, err
	}
	schema := arrow.NewSchema(shown, nil)
	o, err := t.deleteOptions(format, t.o.Write)
	if err != nil {
		return e, err
	}
	plan, err := format.Plan(schema, o)
	if err != nil {
		return e, err
	}
	name := fmt.Sprintf("data/%s-deletes%s", newName(), format.Extensions[0])
	sink := &countedStore{Store: planStore{t}, name: name}
	w, err := arrowio.NewWriter(ctx, format, sink, plan)
	if err != nil {
		return e, err
	}
	const batchRows = 64 << 10
	b := array.NewRecordBuilder(arrowbuf.Clean(arrowbuf.Shared()), schema)
	defer b.Release()
	paths, ok := b.Field(0).(*array.StringBuilder)
	positions, ok2 := b.Field(1).(*array.Int64Builder)
	if !ok || !ok2 {
		return e, errors.Join(errs.Errorf(errs.ErrInternal, "columns %s", schema), w.Abort())
	}
	for rest := rows; len(rest) > 0; {
		n := min(len(rest), batchRows)
		for range n {
			paths.Append(of.File.Path)
		}
		positions.AppendValues(rest[:n], nil)
		rec := b.NewRecord()
		err := w.Write(rec)
		rec.Release()
		if err != nil {
			return e, errors.Join(err, w.Abort())
		}
		rest = rest[n:]
	}
	if err := w.Close(); err != nil {
		return e, err
	}
	n := int64(len(rows))
	path := []pair[[]byte]{{iceberg.PathID, []byte(of.File.Path)}}
	counts, none := []pair[int64]{{iceberg.PathID, n}, {iceberg.PositionID, n}}, []pair[int64]{{iceberg.PathID, 0}, {iceberg.PositionID, 0}}
	about := of.File.Path
	e = manifestEntry{Status: statusAdded, File: dataFile{
		Content: contentPositions, Path: t.base.location() + "/" + name, Format: strings.ToUpper(format.Name), Partition: of.File.Partition,
		Rows: n, Bytes: sink.bytes.Load(), Values: &counts, Nulls: &none, Lower: &path, Upper: &path, About: &about,
	}}
	return e, nil
}

// vectorOf is the deletion vector of a data file, to be written.
type vectorOf struct {
	of   *stateFile
	blob []byte
	rows int64
}

// deleteVectors writes deletion vectors to one file, and returns their entries.
func (t *Table) deleteVectors(ctx context.Context, list []vectorOf) (out []manifestEntry, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	name := fmt.Sprintf("data/%s-deletes.puffin", newName())
	location := t.base.location() + "/" + name
	sink, err := t.createFile(ctx, name)
	if err != nil {
		return nil, err
	}
	t.writer.attempt = append(t.writer.attempt, location)
	defer func() { err = errs.Locate(errors.Join(err, sink.Close()), errs.At{File: location}) }()
	at := int64(0)
	put := func(b []byte) error {
		n, err := sink.Write(b)
		at += int64(n)
		return err
	}
	if err := put([]byte(puffinwire.Magic)); err != nil {
		return nil, err
	}
	var blobs []puffinwire.Blob
	for _, v := range list {
		offset, size, about := at, int64(len(v.blob)), v.of.File.Path
		if err := put(v.blob); err != nil {
			return nil, err
		}
		blobs = append(blobs, puffinwire.VectorBlob(about, offset, size, v.rows))
		out = append(out, manifestEntry{Status: statusAdded, File: dataFile{
			Content: contentPositions, Path: location, Format: formatPuffin, Partition: v.of.File.Partition,
			Rows: v.rows, About: &about, Offset: &offset, Size: &size,
		}})
	}
	footer, err := puffinwire.Footer(blobs, map[string]string{"created-by": "arrowio"})
	if err != nil {
		return nil, err
	}
	if err := put(footer); err != nil {
		return nil, err
	}
	for i := range out {
		out[i].File.Bytes = at
	}
	return out, nil
}
