//go:build duckdb_extension

package main

import (
	"context"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/arrowc"
	"github.com/arrowio/arrowio/internal/duckext"
)

// aboutTable is a table about files, all of it in memory.
type aboutTable struct {
	schema *arrow.Schema
	rows   int
	column func(k int, b array.Builder) // appends column k
}

func (t *aboutTable) Schema() *arrow.Schema { return t.schema }

func (t *aboutTable) Rows() (n int64, exact bool) { return int64(t.rows), true }

func (t *aboutTable) Close() {}

func (t *aboutTable) Scan(_ context.Context, columns []int) (array.RecordReader, error) {
	var fields []arrow.Field
	var cols []arrow.Array
	for _, k := range columns {
		b := array.NewBuilder(arrowc.Memory(), t.schema.Field(k).Type)
		t.column(k, b)
		fields, cols = append(fields, t.schema.Field(k)), append(cols, b.NewArray())
		b.Release()
	}
	schema := arrow.NewSchema(fields, nil)
	rec := array.NewRecord(schema, cols, int64(t.rows))
	defer rec.Release()
	for _, c := range cols {
		c.Release()
	}
	return array.NewRecordReader(schema, []arrow.Record{rec})
}

// inspecting opens files as arrowio_scan does, has fn look at them, and closes them.
func inspecting(ctx context.Context, paths []string, options map[string][]string, fn func(h *handle) error) error {
	t, err := openTable(ctx, "", paths, options)
	if err != nil {
		return called{err, anyFormat}
	}
	defer t.Close()
	return fn(t.(*scannedTable).h)
}

var filesSchema = arrow.NewSchema([]arrow.Field{
	{Name: "file", Type: arrow.BinaryTypes.String}, {Name: "rows", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
}, nil)

// openFiles lists files and how many rows their metadata says they have.
func openFiles(ctx context.Context, paths []string, options map[string][]string) (duckext.Table, error) {
	t := &aboutTable{schema: filesSchema}
	err := inspecting(ctx, paths, options, func(h *handle) error {
		rows, err := h.rowsOfFiles(ctx)
		t.rows = len(h.names)
		t.column = func(k int, b array.Builder) {
			for i, name := range h.names {
				switch b := b.(type) {
				case *array.StringBuilder:
					b.Append(name)
				case *array.Int64Builder:
					if rows[i] == arrowio.UnknownRows {
						b.AppendNull()
					} else {
						b.Append(rows[i])
					}
				}
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// rowsOfFiles returns how many rows each file has. It opens those that were not opened yet.
func (h *handle) rowsOfFiles(ctx context.Context) ([]int64, error) {
	out := make([]int64, len(h.names))
	for i, fr := range h.Fragments {
		h.mu.Lock()
		n, known := h.counts[i]
		h.mu.Unlock()
		if out[i] = n; known {
			continue
		}
		if err := h.look(ctx, fr, func(f arrowio.File) error {
			out[i] = rowsOf(f)
			return nil
		}); err != nil {
			return nil, about(h.names[i], err)
		}
	}
	return out, nil
}

var warningsSchema = arrow.NewSchema([]arrow.Field{
	{Name: "file", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "place", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "columns", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "warning", Type: arrow.BinaryTypes.String},
}, nil)

// openWarnings lists what readers warn of when they open files.
func openWarnings(ctx context.Context, paths []string, options map[string][]string) (duckext.Table, error) {
	t := &aboutTable{schema: warningsSchema}
	err := inspecting(ctx, paths, options, func(h *handle) error {
		said := h.said()
		t.rows = len(said)
		t.column = func(k int, b array.Builder) {
			for _, w := range said {
				text := []string{w.File, w.Place, strings.Join(w.Columns, ", "), w.Text}[k]
				if text == "" {
					b.AppendNull()
				} else {
					b.(*array.StringBuilder).Append(text)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}
