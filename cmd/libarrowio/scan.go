package main

import (
	"context"
	"errors"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowc"
)

// scanRequest says what a scan returns and what it may use.
type scanRequest struct {
	Columns    []string  `json:"columns"` // null = all
	Where      string    `json:"where"`
	Rows       *[2]int64 `json:"rows"`
	BatchRows  int       `json:"batch_rows"`
	BatchBytes int64     `json:"batch_bytes"`
	Jobs       int       `json:"jobs"`
	Memory     int64     `json:"memory"`
	Polls      bool      `json:"polls"`
	// TextMetadata leaves out metadata that are not UTF-8, which Arrow allows and polars panics about.
	TextMetadata bool `json:"text_metadata"`
}

func (r scanRequest) options() (arrowio.ScanOptions, error) {
	o := arrowio.ScanOptions{
		Columns: r.Columns, BatchRows: r.BatchRows, BatchBytes: r.BatchBytes, Parallelism: r.Jobs, MemoryBudget: r.Memory,
		Allocator: arrowc.Memory(),
	}
	if r.Rows != nil {
		o.Rows = arrowio.RowRange{Start: r.Rows[0], End: r.Rows[1]}
	}
	var err error
	o.Filter, err = filterOf(r.Where)
	return o, err
}

// schema returns the schema of a scan, after everything about it was checked.
func (h *handle) schema(request string) (*arrow.Schema, error) {
	var r scanRequest
	if err := parse(request, &r); err != nil {
		return nil, err
	}
	p, err := arrowio.Project(h.Schema, r.Columns)
	if err != nil {
		return nil, h.locate(err)
	}
	f, err := filterOf(r.Where)
	if err == nil && f != nil {
		_, err = expr.Bind(f, h.Schema)
	}
	return r.shown(p.Schema), h.locate(err)
}

// shown returns the schema as the caller wants it.
func (r scanRequest) shown(s *arrow.Schema) *arrow.Schema {
	if !r.TextMetadata {
		return s
	}
	fields := s.Fields()
	for i := range fields {
		fields[i].Metadata = textMetadata(fields[i].Metadata)
	}
	m := textMetadata(s.Metadata())
	return arrow.NewSchema(fields, &m)
}

func textMetadata(m arrow.Metadata) arrow.Metadata {
	var keys, values []string
	for i, k := range m.Keys() {
		if v := m.Values()[i]; utf8.ValidString(k) && utf8.ValidString(v) {
			keys, values = append(keys, k), append(values, v)
		}
	}
	return arrow.NewMetadata(keys, values)
}

// scan begins a scan, which takes the caller's reference of h over where there is no error.
func (h *handle) scan(request string) (*arrowc.Stream, error) {
	var r scanRequest
	if err := parse(request, &r); err != nil {
		return nil, err
	}
	o, err := r.options()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s, err := h.Scan(ctx, o)
	if err != nil {
		cancel()
		return nil, h.locate(err)
	}
	return &arrowc.Stream{Reader: located{s, h, r.shown(s.Schema())}, Cancel: cancel, Done: h.release, Polls: r.Polls, Unlocks: h.request.Place != nil}, nil
}

// located is a scan whose error names the file.
type located struct {
	*arrowio.Scanner
	h      *handle
	schema *arrow.Schema
}

func (l located) Schema() *arrow.Schema { return l.schema }

func (l located) Err() error {
	err := l.h.locate(l.Scanner.Err())
	switch {
	case err == nil:
		return nil
	case errors.Is(err, arrowc.ErrNoMemory):
		at, _ := errs.Where(err)
		return about(at.File, arrowc.ErrNoMemory) // without the stack of a panic
	}
	return worded{err}
}
