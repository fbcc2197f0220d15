package hivetable

import (
	"context"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
)

// emptyFile stands for a table, or a directory of one, without files.
type emptyFile struct{ schema *arrow.Schema }

func (f emptyFile) Schema() *arrow.Schema { return f.schema }

func (f emptyFile) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	return &arrowio.Info{Format: Name, Schema: f.schema}, nil
}

func (f emptyFile) Splits() []arrowio.Split { return nil }

func (f emptyFile) Prune(context.Context, arrowio.Split, *expr.Bound) (arrowio.RowSet, error) {
	return nil, nil
}

func (f emptyFile) Read(context.Context, arrowio.Split, arrowio.RowSet, arrowio.Projection, memory.Allocator) (arrowio.SplitReader, error) {
	return nil, errs.Errorf(errs.ErrInternal, "a table without files has no split")
}

func (f emptyFile) Close() error { return nil }

func (f emptyFile) BytesRead() int64 { return 0 }

func (f emptyFile) BytesStored() int64 { return 0 }

func (f emptyFile) Verify(context.Context, func(error)) error { return nil }

// wholeTable describes a table. It has no rows: the files have them.
type wholeTable struct {
	emptyFile
	facts []arrowio.Fact
}

// whole returns what describes the table.
func (l *listing) whole(partitions int) arrowio.Fragment {
	w := &wholeTable{emptyFile: emptyFile{l.table.schema}}
	fact := func(name, value string) { w.facts = append(w.facts, arrowio.Fact{Name: name, Value: value}) }
	fact("table", l.said.Database+"."+l.said.Name)
	fact("kind", l.said.Kind)
	fact("location", l.said.Storage.Location)
	if l.table.keys != nil {
		fact("partition", l.table.Keys)
		fact("partitions", strconv.Itoa(partitions))
	}
	if l.writes != nil {
		fact("transactions", map[transactional]string{insertOnly: "insert-only", fullACID: "ACID"}[l.acid])
		fact("write ids", l.writes.Text())
	}
	return arrowio.Fragment{Name: l.said.Storage.Location, Schema: l.table.schema, Open: func(context.Context) (arrowio.File, error) { return w, nil }}
}

// Info implements arrowio.File.
func (w *wholeTable) Info(context.Context, arrowio.InfoOptions) (*arrowio.Info, error) {
	x := &arrowio.Info{Format: Name, Schema: w.schema, Rows: arrowio.UnknownRows, Facts: w.facts}
	for _, f := range w.schema.Fields() {
		x.Columns = append(x.Columns, arrowio.ColumnInfo{Path: f.Name, Type: f.Type.String(), Bytes: -1})
	}
	return x, nil
}
