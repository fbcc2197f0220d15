package arrowbuf

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/arrowtype"
)

// NarrowIndices reports whether a schema has dictionaries, at any depth, whose indices are so narrow that a few records with
// dictionaries of their own may have more entries together than the indices can number: those of 8 and of 16 bits.
func NarrowIndices(s *arrow.Schema) bool {
	for _, f := range s.Fields() {
		if narrow(f.Type) {
			return true
		}
	}
	return false
}

func narrow(t arrow.DataType) bool {
	t = arrowtype.Storage(t)
	if d, ok := t.(*arrow.DictionaryType); ok {
		return mostEntries(d) <= math.MaxUint16+1 || narrow(d.ValueType)
	}
	if n, ok := t.(arrow.NestedType); ok {
		for _, f := range n.Fields() {
			if narrow(f.Type) {
				return true
			}
		}
	}
	return false
}

// mostEntries returns how many entries narrow indices can number; that of all others is large enough for any dictionary.
func mostEntries(t *arrow.DictionaryType) int {
	switch t.IndexType.ID() {
	case arrow.INT8:
		return math.MaxInt8 + 1
	case arrow.UINT8:
		return math.MaxUint8 + 1
	case arrow.INT16:
		return math.MaxInt16 + 1
	case arrow.UINT16:
		return math.MaxUint16 + 1
	}
	return math.MaxInt
}

// Room tells whether records of one schema can be one record as far as their dictionaries go: whether the indices can number
// the entries of all of them. It takes entries that several dictionaries have for different ones, unless the whole dictionary
// of one record is that of the record before. The zero value has seen no records; Reset frees what it keeps of them.
type Room struct {
	dicts []roomOf // in the order of the types, parents first
}

type roomOf struct {
	last    arrow.ArrayData
	entries int
}

// Add adds a record behind those before, and reports whether there is room for it. Where there is none, the Room can only be
// reset. The caller keeps the record, and may release it.
func (r *Room) Add(rec arrow.Record) bool {
	at := 0
	for _, c := range rec.Columns() {
		if !r.add(c.Data(), &at) {
			return false
		}
	}
	return true
}

// Reset forgets all records.
func (r *Room) Reset() {
	for i, x := range r.dicts {
		if x.last != nil {
			x.last.Release()
		}
		r.dicts[i] = roomOf{}
	}
	r.dicts = r.dicts[:0]
}

// add adds the dictionaries in d; the first of them is number at.
func (r *Room) add(d arrow.ArrayData, at *int) bool {
	if t, ok := arrowtype.Storage(d.DataType()).(*arrow.DictionaryType); ok {
		if *at == len(r.dicts) {
			r.dicts = append(r.dicts, roomOf{})
		}
		x, dict := &r.dicts[*at], d.Dictionary()
		*at++
		if x.last == nil || !sameData(x.last, dict) {
			if dict.Retain(); x.last != nil {
				x.last.Release()
			}
			x.last, x.entries = dict, x.entries+dict.Len()
		}
		return x.entries <= mostEntries(t) && r.add(dict, at)
	}
	for _, c := range d.Children() {
		if !r.add(c, at) {
			return false
		}
	}
	return true
}
