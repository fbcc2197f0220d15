package orctable

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/gonerows"
	"github.com/arrowio/arrowio/readers/orc"
)

// fragment is the rows of a data file that are there, as a file of its own: its columns under their own names, the row id,
// and the values of its partition. It is of the table, which closes the files.
type fragment struct {
	table  *contents
	part   *partition
	of     *dataFile
	number int // in the partition
	index  int // in the table
	schema *arrow.Schema
	sorts  []column // by column
	pieces []piece
	splits []arrowio.Split
	// renamed = the columns inside of the row of events have other names than in the file: see named.
	renamed bool
}

// piece is a split of the file, and which of its rows are not there.
type piece struct {
	stored arrowio.Split
	gone   gonerows.Rows
}

// column says where a column of a fragment comes from.
type column struct {
	sort  columnSort
	index int // in the file, or of the partition columns, or the event column
}

type columnSort uint8

const (
	fromFile columnSort = iota
	fromPartition
	fromRowID    // of the events, or made up
	fromPosition // made-up columns of events: index says which
	fromRow      // all columns of a file without events, as one struct
)

func (t *Table) newFragment(p *partition, f *dataFile) (*fragment, error) {
	g := &fragment{table: t.contents, part: p, of: f}
	var fields []arrow.Field
	add := func(field arrow.Field, sort columnSort, index int) {
		fields, g.sorts = append(fields, field), append(g.sorts, column{sort, index})
	}
	if t.opt.Events && !f.events {
		for i, field := range eventFields {
			add(field, fromPosition, i)
		}
		add(arrow.Field{Name: eventRowName, Type: arrow.StructOf(f.columns.Fields()...), Nullable: true}, fromRow, 0)
	} else {
		for i, field := range f.columns.Fields() {
			add(field, fromFile, i)
		}
	}
	if t.opt.RowIDs && !t.opt.Events {
		add(arrow.Field{Name: RowIDColumn, Type: rowIDType, Nullable: true}, fromRowID, 0)
	}
	for i, k := range t.parts[0].keys {
		add(arrow.Field{Name: k, Type: arrow.BinaryTypes.String, Nullable: true}, fromPartition, i)
	}
	g.schema = t.shared(arrow.NewSchema(fields, nil))
	for _, s := range f.splits {
		if s.Rows.Len() > gonerows.MaxRows {
			return nil, at(f.path, errs.Errorf(errs.ErrUnsupported, "a stripe of %d rows", s.Rows.Len()))
		}
		g.pieces = append(g.pieces, piece{stored: s})
	}
	return g, nil
}

// cut makes splits of the pieces, without those of which nothing is left.
func (g *fragment) cut() {
	at := int64(0)
	kept := g.pieces[:0]
	for _, p := range g.pieces {
		n := p.stored.Rows.Len() - p.gone.Total()
		if n == 0 {
			continue
		}
		g.splits = append(g.splits, arrowio.Split{Ordinal: len(kept), Rows: arrowio.RowRange{Start: at, End: at + n}, Bytes: p.stored.Bytes})
		kept = append(kept, p)
		at += n
	}
	g.pieces = kept
}

// Schema returns the columns of the file, and those that it gets from elsewhere.
func (g *fragment) Schema() *arrow.Schema { return g.schema }

// Splits lists the splits of the file.
func (g *fragment) Splits() []arrowio.Split { return g.splits }

// Info describes nothing: the table does.
func (g *fragment) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	return &arrowio.Info{Format: orc.Name, Schema: g.schema}, nil
}

// Close does nothing: files are the table's.
func (g *fragment) Close() error { return nil }

// Prune asks the partition's values, and then the file.
func (g *fragment) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	all := arrowio.RowSet{}.Add(s.Rows)
	if g.partitionSays(pred).Skip() {
		return nil, nil
	}
	if g.table.opt.Events && !g.of.events || g.renamed {
		return all, nil // the file does not have its columns in such a struct, or not under such names
	}
	if pred = g.ofFile(pred); pred == nil {
		return all, nil
	}
	h, err := g.table.pool.acquire(ctx, g.of)
	if err != nil {
		return nil, err
	}
	p := &g.pieces[s.Ordinal]
	rows, err := h.Prune(ctx, p.stored, pred)
	if err2 := h.release(); err == nil {
		err = err2
	}
	if err != nil {
		return nil, err
	}
	return p.gone.Left(rows, p.stored.Rows.Start, s.Rows.Start), nil
}

// ofFile returns what a predicate asks of the columns of the file; nil = nothing. The file may have columns of its own that are called
// as the columns of the partition or the row id: these are not meant.
func (g *fragment) ofFile(pred *expr.Bound) *expr.Bound {
	for _, path := range pred.Columns() {
		ids, err := expr.Resolve(g.schema, path)
		if err == nil && g.sorts[ids[0]].sort == fromFile {
			continue
		}
		if _, err := expr.Resolve(g.of.columns, path); err != nil {
			continue
		}
		bound, err := expr.Bind(view.Known(pred.Expr(), g.of.columns), g.of.columns)
		if err != nil {
			return nil
		}
		return bound
	}
	return pred
}

// partitionSays tests a predicate on what is the same in all rows.
func (g *fragment) partitionSays(pred *expr.Bound) expr.Truth {
	return pred.Test(func(path string) expr.Evidence {
		ids, err := expr.Resolve(g.schema, path)
		if err != nil || len(ids) != 1 || g.sorts[ids[0]].sort != fromPartition {
			return nil
		}
		v := g.part.values[g.sorts[ids[0]].index]
		if v.null {
			return expr.StatsOnly{Rows: 1, Nulls: 1}
		}
		x := scalar.NewStringScalar(v.text)
		return expr.StatsOnly{Rows: 1, Nulls: 0, Min: x, Max: x}
	})
}

// Read opens the rows of a split.
func (g *fragment) Read(ctx context.Context, s arrowio.Split, rows arrowio.RowSet, p arrowio.Projection, mem memory.Allocator) (arrowio.SplitReader, error) {
	r := &fragmentReader{frag: g, piece: &g.pieces[s.Ordinal], split: s, schema: p.Schema, mem: mem, row: s.Rows.Start}
	if err := r.open(ctx, rows.Clip(s.Rows), p); err != nil {
		_ = r.Close() // it says what is wrong
		return nil, err
	}
	return r, nil
}

// reads reports whether a column of the projection is decoded from the file.
func (g *fragment) reads(p arrowio.Projection) bool {
	for _, pf := range p.Fields {
		switch g.sorts[pf.Index].sort {
		case fromFile, fromRow:
			return true
		case fromRowID:
			if g.of.events {
				return true
			}
		}
	}
	return false
}
