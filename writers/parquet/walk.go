package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

// worker is the memory of one goroutine that encodes columns.
type worker struct {
	mem      memory.Allocator
	frames   []*frame
	at       []int32
	moved    []int32
	places   []int64
	codes    []int32
	four     []uint32
	eight    []uint64
	wide     []byte
	indices  []int32
	bits     []byte
	codec    blockcodec.Encoder
	body     []byte
	packed   []byte
	deflated []byte
	head     []byte
}

// walk sends the values of a field to its columns. s are the slots of its parent.
func (w *worker) walk(columns []*column, n *node, arr arrow.Array, s slots, depth int) error {
	arr, at := w.resolve(arr)
	bits, off := validity(arr)
	if at != nil {
		bits, off = w.placed(at), 0
	}
	f := w.frame(depth)
	if n.leaf != nil {
		s, p, err := s.leafSlots(n, bits, off, w, f)
		if err != nil {
			return err
		}
		return columns[n.leaf.index].add(w, arr, s, p.through(w, at))
	}
	s, err := s.present(n, bits, off, f)
	if err != nil {
		return err
	}
	if at != nil {
		s.runs = through(s.runs, at)
	}
	if !n.list {
		return w.fields(columns, n, arr.(*array.Struct), s, depth+1)
	}
	s, items := s.items(n, arr, w.frame(depth+1))
	if !n.mapped {
		return w.walk(columns, n.children[0], items, s, depth+2)
	}
	bits, off = validity(items) // no entry of a map may be null
	if err := s.noNulls(n, bits, off); err != nil {
		return err
	}
	return w.fields(columns, n, items.(*array.Struct), s, depth+2)
}

func (w *worker) fields(columns []*column, n *node, arr *array.Struct, s slots, depth int) error {
	for i, k := range n.children {
		if err := w.walk(columns, k, arr.Field(i), s, depth); err != nil {
			return err
		}
	}
	return nil
}

// resolve returns where the values of an array are: in itself, or, of extensions, run ends and dictionaries, in the part
// of it that it returns. at has the position of each value there, -1 of a null; nil = they are in place. Dictionaries of
// plain values without nulls stay.
func (w *worker) resolve(arr arrow.Array) (arrow.Array, []int64) {
	switch a := arr.(type) {
	case array.ExtensionArray:
		return w.resolve(a.Storage())
	case *array.Dictionary:
		switch a.Dictionary().(type) {
		case array.ExtensionArray, *array.RunEndEncoded, *array.Null, *array.Struct, array.ListLike:
		default:
			if a.Dictionary().NullN() == 0 {
				return arr, nil
			}
		}
	case *array.RunEndEncoded:
	case *array.Null:
		at := sized(&w.places, arr.Len())
		for i := range at {
			at[i] = -1
		}
		return arr, at
	default:
		return arr, nil
	}
	at := make([]int64, arr.Len())
	for i := range at {
		at[i] = int64(i)
	}
	find := arrowdense.Finder{Mem: w.mem}
	return find.Resolve(arr, at)
}

// placed tells which values have a place.
func (w *worker) placed(at []int64) []byte {
	bits := sized(&w.bits, len(at)/8+1)
	clear(bits)
	for i, p := range at {
		if p >= 0 {
			bitutil.SetBit(bits, i)
		}
	}
	return bits
}

// through returns the places of positions.
func through(runs []run, at []int64) (out []run) {
	for _, r := range runs {
		for _, p := range at[r.from:r.to] {
			out = addRun(out, int(p), int(p)+1)
		}
	}
	return out
}

func (p positions) through(w *worker, at []int64) positions {
	if at == nil {
		return p
	}
	out := positions{n: p.n, at: sized(&w.moved, p.n)}
	for i := range out.at {
		from := p.first + i
		if p.at != nil {
			from = int(p.at[i])
		}
		out.at[i] = int32(at[from])
	}
	return out
}
