package arrowdense

import (
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// elsewhere reports whether the values of an array stand in another one.
func (f *Finder) elsewhere(arr arrow.Array) bool {
	switch a := arr.(type) {
	case array.ExtensionArray, *array.RunEndEncoded:
		return true
	case *array.Dictionary:
		if !f.Dictionaries || a.Dictionary().NullN() > 0 {
			return true
		}
		switch a.Dictionary().(type) {
		case *array.String, *array.Binary:
			return false
		}
		return true
	case array.Union:
		return !f.Unions
	}
	return false
}

// Resolve follows slots at of arr to where their values stand, -1 where there is none: in the array that it returns, which
// is a part of arr. It changes at.
func (f *Finder) Resolve(arr arrow.Array, at []int64) (arrow.Array, []int64) {
	switch a := arr.(type) {
	case array.ExtensionArray:
		return f.Resolve(a.Storage(), at)
	case *array.RunEndEncoded:
		switch ends := a.RunEndsArr().(type) {
		case *array.Int16:
			runsOf(ends.Int16Values(), int64(a.Data().Offset()), at)
		case *array.Int32:
			runsOf(ends.Int32Values(), int64(a.Data().Offset()), at)
		case *array.Int64:
			runsOf(ends.Int64Values(), int64(a.Data().Offset()), at)
		}
		return f.Resolve(a.Values(), at)
	case *array.Dictionary:
		if !f.elsewhere(a) {
			break
		}
		dropNulls(a, at)
		indices := Indices(&f.indices, a)
		for i, k := range at {
			if k >= 0 {
				at[i] = int64(indices[k])
			}
		}
		return f.Resolve(a.Dictionary(), at)
	case array.Union:
		if !f.elsewhere(a) {
			return arr, at
		}
		// It has one branch that is not null.
		branch := 0
		for k := range a.NumFields() {
			if a.Field(k).DataType().ID() != arrow.NULL {
				branch = k
			}
		}
		slots := SlotsOf(a)
		for i, k := range at {
			if k >= 0 {
				child, place := slots.At(int(k))
				if at[i] = place; child != branch {
					at[i] = -1
				}
			}
		}
		return f.Resolve(a.Field(branch), at)
	case *array.Null: // it has no bitmap
		for i := range at {
			at[i] = -1
		}
		return arr, at
	}
	dropNulls(arr, at)
	return arr, at
}

// dropNulls sets places of nulls to -1.
func dropNulls(arr arrow.Array, at []int64) {
	if arr.NullN() == 0 {
		return
	}
	valid, off := arr.NullBitmapBytes(), int64(arr.Data().Offset())
	for i, k := range at {
		if k >= 0 {
			k += off
			if valid[k>>3]>>(k&7)&1 == 0 {
				at[i] = -1
			}
		}
	}
}

// runsOf follows slots, of a slice from off on, to the runs that they are in. Most come in order.
func runsOf[E int16 | int32 | int64](ends []E, off int64, at []int64) {
	run := 0
	for i, k := range at {
		if k < 0 {
			continue
		}
		k += off
		if run > 0 && k < int64(ends[run-1]) {
			run = sort.Search(run, func(j int) bool { return int64(ends[j]) > k })
		}
		for run < len(ends) && int64(ends[run]) <= k {
			run++
		}
		at[i] = int64(run)
	}
}

// Indices returns the indices of a dictionary array, to be read only: they are its own, or lie in scratch, which grows
// where it must. Those of nulls mean nothing.
func Indices(scratch *[]int32, d *array.Dictionary) []int32 {
	switch a := d.Indices().(type) {
	case *array.Int32:
		return a.Int32Values()
	case *array.Int8:
		return narrow(scratch, a.Int8Values())
	case *array.Uint8:
		return narrow(scratch, a.Uint8Values())
	case *array.Int16:
		return narrow(scratch, a.Int16Values())
	case *array.Uint16:
		return narrow(scratch, a.Uint16Values())
	case *array.Uint32:
		return narrow(scratch, a.Uint32Values())
	case *array.Int64:
		return narrow(scratch, a.Int64Values())
	case *array.Uint64:
		return narrow(scratch, a.Uint64Values())
	}
	return nil // Arrow has no other type for them
}

func narrow[T int8 | uint8 | int16 | uint16 | uint32 | int64 | uint64](scratch *[]int32, src []T) []int32 {
	*scratch = resize(*scratch, len(src))
	dst := *scratch
	for i, x := range src {
		dst[i] = int32(x)
	}
	return dst
}

// Slots tells where the values of a union stand.
type Slots struct {
	codes  []arrow.UnionTypeCode
	child  []int
	places []int32 // nil = a sparse union: each value is at its slot
}

// SlotsOf returns where the values of u stand, as long as it lives.
func SlotsOf(u array.Union) Slots {
	if u.Len() == 0 {
		return Slots{} // it may lack buffers
	}
	s := Slots{codes: u.RawTypeCodes(), child: u.UnionType().ChildIDs()}
	if d, ok := u.(*array.DenseUnion); ok {
		s.places = d.RawValueOffsets()
	}
	return s
}

// At returns the child that has value i, and its place there.
func (s Slots) At(i int) (child int, place int64) {
	place = int64(i)
	if s.places != nil {
		place = int64(s.places[i])
	}
	return s.child[s.codes[i]], place
}
