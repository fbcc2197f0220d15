package trevnitext

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/trevniwire"
)

// Raw returns the lines of rec, which is in the columns view t of a file with n columns.
func Raw(t *trevniwire.Tree, n int, rec arrow.Record) []string {
	p := rawPrinter{cells: make([][]byte, n)}
	lines := make([]string, 0, rec.NumRows())
	var line []byte
	for i := range int(rec.NumRows()) {
		for k := range p.cells {
			p.cells[k] = p.cells[k][:0]
		}
		for k, root := range t.Roots {
			p.emit(root, rec.Column(k), i)
		}
		line = append(line[:0], '[')
		for k, c := range p.cells {
			if k > 0 {
				line = append(line, ',')
			}
			line = append(line, c...)
		}
		lines = append(lines, string(append(line, ']')))
	}
	return lines
}

type rawPrinter struct{ cells [][]byte }

func (p *rawPrinter) emit(n *trevniwire.Node, a arrow.Array, i int) {
	if n.Kind == trevniwire.Leaf {
		p.cells[n.Col] = appendStored(p.cells[n.Col], a, i)
		return
	}
	list := a.(*array.List)
	from, to := list.ValueOffsets(i)
	below := columnsBelow(n, nil)
	p.all(below, '[')
	elem, values := n.Children[0], list.ListValues()
	for j := int(from); j < int(to); j++ {
		if j > int(from) {
			p.all(below, ',')
		}
		if elem.Kind == trevniwire.Leaf && elem.Own {
			p.emit(elem, values, j)
			continue
		}
		st := values.(*array.Struct)
		own := false
		for k, child := range elem.Children {
			own = own || child.Own
			p.emit(child, st.Field(k), j)
		}
		if !own {
			p.cells[n.Rep] = append(p.cells[n.Rep], "null"...)
		}
	}
	p.all(below, ']')
}

func (p *rawPrinter) all(cols []int, b byte) {
	for _, c := range cols {
		p.cells[c] = append(p.cells[c], b)
	}
}

func columnsBelow(n *trevniwire.Node, to []int) []int {
	if n.Rep >= 0 {
		to = append(to, n.Rep)
	}
	if n.Kind == trevniwire.Leaf && !n.Own {
		to = append(to, n.Col)
	}
	for _, k := range n.Children {
		to = columnsBelow(k, to)
	}
	return to
}
