package hivetable

import (
	"context"
	"strconv"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/view"
)

// wholeTable describes a table. It has no rows: the files have them.
type wholeTable struct {
	view.Empty
	facts []arrowio.Fact
}

// whole returns what describes the table.
func (l *listing) whole(partitions int) arrowio.Fragment {
	w := &wholeTable{Empty: view.Empty{Format: Name, Fields: l.table.schema}}
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
	x := &arrowio.Info{Format: Name, Schema: w.Fields, Rows: arrowio.UnknownRows, Facts: w.facts}
	for _, f := range w.Fields.Fields() {
		x.Columns = append(x.Columns, arrowio.ColumnInfo{Path: f.Name, Type: f.Type.String(), Bytes: -1})
	}
	return x, nil
}
