package cfile

import (
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// rows are slots of an array, one after the other. They are a view of it, or in memory of the scratch that made them,
// until that makes others.
type rows struct {
	n     int
	valid []byte // bits, 1 = not null; nil = all
	off   int    // of the first of them

	// What ever there is of values, null ones too, which may be anything:
	fixed   []byte  // of fixed width
	bits    []byte  // booleans
	bitOff  int     // of the first of them
	offsets []int32 // of strings in data
	data    []byte
	at      []int32 // where in offsets the string of each slot is, -1 = null; nil = in order
}

// scratch is memory for rows. It belongs to one goroutine at a time.
type scratch struct {
	at      []int32
	valid   []byte
	values  []byte // gathered
	offsets []int32
	out     []byte  // converted
	flat    []byte  // strings
	ends    []int32 // of those
}

// gatherBytes is from when on no more strings are copied at a time.
const gatherBytes = 1 << 20

// rows returns up to n slots of arr, from one on: fewer, if they are strings that must be copied and are long.
func (s *scratch) rows(arr arrow.Array, from, n int) (rows, error) {
	arr, at, err := s.resolve(arr, from, n)
	if err != nil {
		return rows{}, err
	}
	r := rows{n: n}
	d := arr.Data()
	switch {
	case arr.DataType().ID() == arrow.NULL: // it has no bitmap
		s.valid = zeros(s.valid, (n+7)/8)
		r.valid = s.valid
	case at != nil:
		r.valid = s.present(at)
	case someNull(arr):
		r.valid, r.off = arr.NullBitmapBytes(), d.Offset()+from
	}
	switch a := arr.(type) {
	case *array.Null:
		s.values = zeros(s.values, (n+7)/8)
		r.bits = s.values
	case *array.Boolean:
		s.bools(&r, a, from, at)
	case *array.String:
		strings32(&r, a.ValueOffsets, d, from, at)
	case *array.Binary:
		strings32(&r, a.ValueOffsets, d, from, at)
	case *array.LargeString:
		if at == nil {
			err = s.strings64(&r, a.ValueOffsets(), bufferOf(d, 2), from)
		} else {
			err = gather(s, &r, arr, from, at, a.Value)
		}
	case *array.LargeBinary:
		if at == nil {
			err = s.strings64(&r, a.ValueOffsets(), bufferOf(d, 2), from)
		} else {
			err = gather(s, &r, arr, from, at, a.Value)
		}
	case *array.StringView:
		err = gather(s, &r, arr, from, at, a.Value)
	case *array.BinaryView:
		err = gather(s, &r, arr, from, at, a.Value)
	case *array.FixedSizeBinary:
		w := widthOf(a.DataType())
		r.n = min(r.n, max(1, math.MaxInt32/max(1, w)))
		s.fixedWidth(&r, d, w, from, at)
		s.offsets = grow(s.offsets, r.n+1)
		for i := range s.offsets {
			s.offsets[i] = int32(i * w)
		}
		r.offsets, r.data = s.offsets, r.fixed
	default:
		s.fixedWidth(&r, d, widthOf(a.DataType()), from, at)
	}
	return r, err
}

func bufferOf(d arrow.ArrayData, i int) []byte {
	if b := d.Buffers()[i]; b != nil {
		return b.Bytes()
	}
	return nil
}

// resolve leads from slots of an extension type, a dictionary or run ends to where their values are: at, -1 = null; nil
// for slots of an array of values, from the same one on.
func (s *scratch) resolve(arr arrow.Array, from, n int) (arrow.Array, []int32, error) {
	var at []int32
	slots := func() []int32 {
		if at == nil {
			s.at = grow(s.at, n)
			at = s.at
			for i := range at {
				at[i] = int32(from + i)
			}
		}
		return at
	}
	for {
		switch a := arr.(type) {
		case array.ExtensionArray:
			arr = a.Storage()
			continue
		case *array.Dictionary:
			if err := follow(slots(), a); err != nil {
				return nil, nil, err
			}
			arr = a.Dictionary()
			continue
		case *array.RunEndEncoded:
			for i, k := range slots() {
				if k >= 0 {
					at[i] = int32(a.GetPhysicalIndex(int(k)))
				}
			}
			arr = a.Values()
			continue
		}
		if at != nil && someNull(arr) {
			for i, k := range at {
				if k >= 0 && arr.IsNull(int(k)) {
					at[i] = -1
				}
			}
		}
		return arr, at, nil
	}
}

// settle has an array find out what it else does when it is first asked: its nulls, its dictionary. Several goroutines may
// look at it then, as those do that write a column and the key that it is of.
func settle(arr arrow.Array) {
	someNull(arr)
	switch a := arr.(type) {
	case array.ExtensionArray:
		settle(a.Storage())
	case *array.Dictionary:
		settle(a.Indices())
		settle(a.Dictionary())
	case *array.RunEndEncoded:
		settle(a.Values())
	}
}

// someNull reports whether the bitmap of an array says that one of its slots is null. Without a bitmap v15 may not know.
func someNull(arr arrow.Array) bool { return len(arr.NullBitmapBytes()) > 0 && arr.NullN() > 0 }

// follow replaces slots of a dictionary array by entries of the dictionary.
func follow(at []int32, d *array.Dictionary) error {
	switch x := d.Indices().(type) {
	case *array.Int8:
		return followIndices(at, d, x.Int8Values())
	case *array.Int16:
		return followIndices(at, d, x.Int16Values())
	case *array.Int32:
		return followIndices(at, d, x.Int32Values())
	case *array.Int64:
		return followIndices(at, d, x.Int64Values())
	case *array.Uint8:
		return followIndices(at, d, x.Uint8Values())
	case *array.Uint16:
		return followIndices(at, d, x.Uint16Values())
	case *array.Uint32:
		return followIndices(at, d, x.Uint32Values())
	case *array.Uint64:
		return followIndices(at, d, x.Uint64Values())
	}
	return errs.Errorf(errs.ErrInternal, "a dictionary with indices of %v", d.Indices().DataType())
}

func followIndices[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](at []int32, d *array.Dictionary, indices []T) error {
	entries := uint64(min(d.Dictionary().Len(), math.MaxInt32))
	nulls := someNull(d)
	for i, k := range at {
		if k < 0 {
			continue
		}
		if nulls && d.IsNull(int(k)) {
			at[i] = -1
			continue
		}
		x := uint64(indices[k])
		if x >= entries {
			return errs.Errorf(errs.ErrSchema, "a dictionary of %d entries has no entry %d", entries, indices[k])
		}
		at[i] = int32(x)
	}
	return nil
}

// present returns which slots there are; nil = all.
func (s *scratch) present(at []int32) []byte {
	var none int32
	for _, k := range at {
		none |= k
	}
	if none >= 0 {
		return nil
	}
	s.valid = zeros(s.valid, (len(at)+7)/8)
	for i, k := range at {
		if k >= 0 {
			s.valid[i>>3] |= 1 << (i & 7)
		}
	}
	return s.valid
}

func (s *scratch) bools(r *rows, a *array.Boolean, from int, at []int32) {
	b := bufferOf(a.Data(), 1)
	if at == nil && b != nil {
		r.bits, r.bitOff = b, a.Data().Offset()+from
		return
	}
	s.values = zeros(s.values, (r.n+7)/8)
	r.bits = s.values
	if b == nil {
		return // all of them are null
	}
	for i, k := range at {
		if k >= 0 && a.Value(int(k)) {
			r.bits[i>>3] |= 1 << (i & 7)
		}
	}
}

func (s *scratch) fixedWidth(r *rows, d arrow.ArrayData, width, from int, at []int32) {
	b := bufferOf(d, 1)
	if at != nil {
		at = at[:r.n]
	}
	switch {
	case b == nil: // all of them are null
		s.values = zeros(s.values, r.n*width)
		r.fixed = s.values
	case at == nil:
		b = b[(d.Offset()+from)*width:]
		r.fixed = b[: r.n*width : r.n*width]
	default:
		s.values = grow(s.values, r.n*width)
		r.fixed = s.values
		switch b = b[d.Offset()*width:]; width {
		case 1:
			pick(cells[[1]byte](r.fixed), cells[[1]byte](b), at)
		case 2:
			pick(cells[[2]byte](r.fixed), cells[[2]byte](b), at)
		case 4:
			pick(cells[[4]byte](r.fixed), cells[[4]byte](b), at)
		case 8:
			pick(cells[[8]byte](r.fixed), cells[[8]byte](b), at)
		case 16:
			pick(cells[[16]byte](r.fixed), cells[[16]byte](b), at)
		default:
			for i, k := range at {
				if k >= 0 {
					copy(r.fixed[i*width:(i+1)*width], b[int(k)*width:])
				}
			}
		}
	}
}

func pick[T any](dst, src []T, at []int32) {
	for i, k := range at {
		if k >= 0 {
			dst[i] = src[k]
		}
	}
}

// strings32 views strings; those of a dictionary stay there.
func strings32(r *rows, offsets func() []int32, d arrow.ArrayData, from int, at []int32) {
	r.data, r.at = bufferOf(d, 2), at
	switch {
	case d.Len() == 0:
		r.offsets = []int32{0}
	case at == nil:
		r.offsets = offsets()[from : from+r.n+1]
	default:
		r.offsets = offsets()
	}
}

// strings64 makes 32-bit offsets, counted from the first string.
func (s *scratch) strings64(r *rows, offsets []int64, data []byte, from int) error {
	first := offsets[from]
	s.offsets = grow(s.offsets, r.n+1)
	for i, o := range offsets[from : from+r.n+1] {
		if o-first > math.MaxInt32 {
			if i < 2 {
				return errTooLong
			}
			r.n = i - 1
			break
		}
		s.offsets[i] = int32(o - first)
	}
	r.offsets, r.data = s.offsets[:r.n+1], data[first:]
	return nil
}

var errTooLong error = errs.Errorf(errs.ErrLimit, "a value of over %d bytes", math.MaxInt32)

// gather copies strings that lie anywhere, until they are many bytes, but one at least. Those of nulls are empty.
func gather[T string | []byte](s *scratch, r *rows, arr arrow.Array, from int, at []int32, value func(i int) T) error {
	s.flat, s.ends = s.flat[:0], append(s.ends[:0], 0)
	for i := range r.n {
		k := from + i
		if at != nil {
			k = int(at[i])
		}
		if k >= 0 && !arr.IsNull(k) {
			v := value(k)
			if len(v) > math.MaxInt32-gatherBytes {
				return errTooLong
			}
			if i > 0 && len(s.flat)+len(v) > gatherBytes {
				r.n = i
				break
			}
			s.flat = append(s.flat, v...)
		}
		s.ends = append(s.ends, int32(len(s.flat)))
	}
	r.offsets, r.data = s.ends, s.flat
	return nil
}

// flatten copies the strings of slots from i on, until they are many bytes, but one at least; n is how many.
func (s *scratch) flatten(r *rows, i int) (offsets []int32, data []byte, n int) {
	s.flat, s.ends = s.flat[:0], append(s.ends[:0], 0)
	for _, k := range r.at[i:r.n] {
		if k >= 0 {
			v := r.data[r.offsets[k]:r.offsets[k+1]]
			if n > 0 && len(s.flat)+len(v) > gatherBytes {
				break
			}
			s.flat = append(s.flat, v...)
		}
		s.ends = append(s.ends, int32(len(s.flat)))
		n++
	}
	return s.ends, s.flat, n
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

func zeros(s []byte, n int) []byte {
	s = grow(s, n)
	clear(s)
	return s
}
