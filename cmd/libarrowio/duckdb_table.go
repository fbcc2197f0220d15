//go:build duckdb_extension

package main

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowc"
	"github.com/arrowio/arrowio/internal/duckext"
	"github.com/arrowio/arrowio/internal/fieldname"
)

// filenameColumn is the column that the parameter of this name adds.
const filenameColumn = "filename"

// scannedTable is a dataset that DuckDB scans.
type scannedTable struct {
	h      *handle
	scan   scanRequest
	schema *arrow.Schema
	named  bool // the last column is filenameColumn
}

func openTable(ctx context.Context, format string, paths []string, options map[string][]string) (duckext.Table, error) {
	if len(paths) == 0 {
		return nil, errs.Errorf(errs.ErrOption, "no files were named")
	}
	a := arguments{format: format, named: options}
	named, err := a.truth(filenameColumn)
	if err != nil {
		return nil, err
	}
	open, scan, err := a.request(paths)
	if err != nil {
		return nil, err
	}
	filter, err := filterOf(open.Where)
	if err != nil {
		return nil, errs.Errorf(errs.ErrOption, "filter: %w", err)
	}
	h, err := openHandle(ctx, open)
	if err != nil {
		return nil, err
	}
	if filter != nil {
		if _, err := expr.Bind(filter, h.Schema); err != nil {
			h.release()
			return nil, h.locate(err)
		}
	}
	if len(h.Schema.Fields()) == 0 {
		h.release()
		return nil, h.locate(errs.Errorf(errs.ErrUnsupported, "it has no columns, and DuckDB has no tables without columns"))
	}
	t := &scannedTable{h: h, scan: scan, schema: h.Schema, named: named}
	if named {
		fields := append(append([]arrow.Field{}, h.Schema.Fields()...), arrow.Field{Name: filenameColumn, Type: arrow.BinaryTypes.String})
		md := h.Schema.Metadata()
		t.schema = arrow.NewSchema(fields, &md)
	}
	return t, nil
}

func (t *scannedTable) Schema() *arrow.Schema { return t.schema }

// Rows returns what the metadata of the files says. With a filter there are at most as many.
func (t *scannedTable) Rows() (n int64, exact bool) { return t.h.rows(), t.scan.Where == "" }

func (t *scannedTable) Close() { t.h.release() }

func (t *scannedTable) Scan(ctx context.Context, columns []int) (array.RecordReader, error) {
	r := t.scan
	r.Columns = []string{}
	selectors := fieldname.Selectors(t.h.Schema.Fields(), expr.Quote)
	name := -1 // place of the name among the columns
	for i, k := range columns {
		if t.named && k == len(t.h.Schema.Fields()) {
			name = i
			continue
		}
		r.Columns = append(r.Columns, selectors[k])
	}
	o, err := r.options()
	if err != nil {
		return nil, worded{err}
	}
	t.h.retain()
	s, err := t.h.Scan(ctx, o)
	if err != nil {
		t.h.release()
		return nil, worded{t.h.locate(err)}
	}
	read := &heldScan{located{s, t.h, s.Schema()}}
	if name < 0 {
		return read, nil
	}
	return newNamedScan(read, t.h, name), nil
}

// heldScan is a scan that holds a reference of its handle.
type heldScan struct{ located }

// Release ends the scan.
func (s *heldScan) Release() {
	s.located.Release()
	s.h.release()
}

// namedScan is a scan with the file's name as one of its columns.
type namedScan struct {
	*heldScan
	schema *arrow.Schema
	at     int // of the name
	rec    arrow.Record
}

func newNamedScan(s *heldScan, h *handle, at int) *namedScan {
	fields := append([]arrow.Field{}, s.Schema().Fields()[:at]...)
	fields = append(fields, arrow.Field{Name: filenameColumn, Type: arrow.BinaryTypes.String})
	fields = append(fields, s.Schema().Fields()[at:]...)
	return &namedScan{heldScan: s, schema: arrow.NewSchema(fields, nil), at: at}
}

// Schema returns the schema of Record.
func (s *namedScan) Schema() *arrow.Schema { return s.schema }

// Record returns the current record. It is valid until the next call of Next.
func (s *namedScan) Record() arrow.Record { return s.rec }

// Next moves to the next record, which is of one file.
func (s *namedScan) Next() bool {
	s.drop()
	if !s.heldScan.Next() {
		return false
	}
	rec := s.heldScan.Record()
	b := array.NewStringBuilder(arrowc.Memory())
	defer b.Release()
	name := s.h.names[s.Place().Fragment]
	n := int(rec.NumRows())
	b.Reserve(n)
	b.ReserveData(n * len(name))
	for range n {
		b.Append(name)
	}
	names := b.NewArray()
	defer names.Release()
	cols := append([]arrow.Array{}, rec.Columns()[:s.at]...)
	cols = append(append(cols, names), rec.Columns()[s.at:]...)
	s.rec = array.NewRecord(s.schema, cols, rec.NumRows())
	return true
}

// Release ends the scan.
func (s *namedScan) Release() {
	s.drop()
	s.heldScan.Release()
}

func (s *namedScan) drop() {
	if s.rec != nil {
		s.rec.Release()
		s.rec = nil
	}
}

// rows returns how many rows the files have together; arrowio.UnknownRows = opening the dataset did not tell.
func (h *handle) rows() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.counts) < len(h.inputs) {
		return arrowio.UnknownRows
	}
	total := int64(0)
	for _, n := range h.counts {
		if n < 0 {
			return arrowio.UnknownRows
		}
		total += n
	}
	return total
}
