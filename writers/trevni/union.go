package trevni

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/arrowdense"
)

// writeUnion writes, for each branch but null, lengths of 0 and 1 and the branch's values in order. Nulls, of any
// branch, are all lengths 0.
func (f *field) writeUnion(p presence, rows rowsOf) error {
	u, ok := p.arr.(array.Union)
	if !ok || u.NumFields() > len(f.children) {
		return f.mismatch(p.arr)
	}
	n := u.Len()
	if p.offs != nil {
		n = len(p.offs) - 1
	}
	s := unionSlots{branch: make([]int, n), rows: rows}
	s.nullable = slices.ContainsFunc(f.children, func(k *field) bool { return k.opt == nil })
	slots := arrowdense.SlotsOf(u)
	places := make([][]int64, u.NumFields()) // of each branch's values in their child
	for i := range s.branch {
		if p.offs != nil && p.offs[i+1] == p.offs[i] {
			if s.branch[i] = -1; !s.nullable {
				return f.refuse(rows.rowAt(i), noNullBranch)
			}
			continue
		}
		at := i
		if p.offs != nil {
			at = int(p.offs[i])
		}
		k, place := slots.At(at)
		s.branch[i], places[k] = k, append(places[k], place)
	}
	for b := range places {
		k := f.children[b]
		if k.opt == nil {
			continue
		}
		values, at := k.find.Resolve(u.Field(b), places[b])
		q, err := k.spread(values, at, b, s)
		if err != nil {
			return err
		}
		err = k.writePresent(q, rows)
		q.arr.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

const noNullBranch = "a null, for which its union has no branch"

// unionSlots says which branch each slot of a union is of; -1 is none.
type unionSlots struct {
	branch   []int
	nullable bool // nulls have a branch
	rows     rowsOf
}

// spread lays the values of branch b, which stand in arr at the places at, out over the slots of the union.
func (f *field) spread(arr arrow.Array, at []int64, b int, s unionSlots) (presence, error) {
	f.there.offs = resize(f.there.offs, len(s.branch)+1)
	f.there.offs[0] = 0
	f.runs = f.runs[:0]
	n, next := int32(0), 0
	for i, k := range s.branch {
		if k == b {
			if at[next] >= 0 {
				f.runs = arrowdense.AppendRun(f.runs, at[next], at[next]+1)
				n++
			} else if !s.nullable {
				return presence{}, f.refuse(s.rows.rowAt(i), noNullBranch)
			}
			next++
		}
		f.there.offs[i+1] = n
	}
	values, err := arrowdense.Gather(arr, f.runs, f.find.Mem)
	return presence{values, f.there.offs}, err
}
