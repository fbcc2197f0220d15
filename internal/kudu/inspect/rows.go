package inspect

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/pb"
)

// rowOperationsField is the field of a WriteRequestPB that has the rows.
const rowOperationsField = 3

// rowsOf reads the rows of a WriteRequestPB. ok is false where they cannot be read, or where they name the same bytes so
// often that they would make far more text than the request has bytes.
func rowsOf(request []byte) (ops *kuduwire.RowOps, schema *kuduwire.Schema, ok bool) {
	w, err := kuduwire.ParseWriteRequest(request)
	if err != nil || !w.HasRows {
		return nil, nil, false
	}
	if schema, err = kuduwire.ParseSchema(pb.New(w.Schema), errs.Limits{}); err != nil {
		return nil, nil, false
	}
	l, err := kuduwire.NewRowLayout(schema)
	if err != nil {
		return nil, nil, false
	}
	ops = &kuduwire.RowOps{}
	ops.Open(l, w.Rows, w.Indirect)
	size := 0
	for ops.Next() {
		for _, c := range ops.Cells {
			size += len(c.Value)
		}
		if size > 8*len(request) {
			return nil, nil, false
		}
	}
	if ops.Err() != nil {
		return nil, nil, false
	}
	ops.Open(l, w.Rows, w.Indirect)
	return ops, schema, true
}

// rows writes the rows of a request as objects: what is done, and the columns that are set.
func (j *jsonWriter) rows(request []byte) bool {
	ops, schema, ok := rowsOf(request)
	if !ok {
		return false
	}
	j.key("row_operations").open('[')
	for ops.Next() {
		j.element().open('{')
		j.key("op").text(ops.Type.String())
		j.key("columns").open('{')
		for i := range ops.Cells {
			switch c, col := &ops.Cells[i], &schema.Columns[i]; {
			case !c.Set:
			case c.Null:
				j.key(col.Name).put("null")
			case (col.Type == cfilewire.String || col.Type == cfilewire.Varchar) && utf8.Valid(c.Value):
				j.key(col.Name).text(string(c.Value))
			default:
				j.key(col.Name).text(cfile.CellText(col.Type, col.Scale, c.Value))
			}
		}
		j.close('}')
		j.close('}')
	}
	j.close(']')
	return true
}

// rows prints the rows of a request, one a line.
func (d *dumper) rows(request []byte) {
	ops, schema, ok := rowsOf(request)
	if !ok {
		return
	}
	d.Section("rows")
	defer d.End()
	var line strings.Builder
	for ops.Next() {
		line.Reset()
		line.WriteString(ops.Type.String())
		comma := ""
		for i := range ops.Cells {
			c, col := &ops.Cells[i], &schema.Columns[i]
			if !c.Set {
				continue
			}
			text := "null"
			if !c.Null {
				text = cfile.CellText(col.Type, col.Scale, c.Value)
			}
			fmt.Fprintf(&line, "%s %s = %s", comma, col.Name, text)
			comma = ","
		}
		d.Note("%s", line.String())
	}
}
