package tablediff

import (
	"encoding/binary"
	"math"
	"sort"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/float16"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// vec is values of a column in the form in which they are compared. It is used again for the next batch; what it holds may be the
// memory of the batch.
type vec struct {
	n     int
	valid []byte  // a bit for each value; nil = none is null
	data  []byte  // of fixed widths: width bytes for each; of bytes: all
	off   []int64 // of bytes and lists: where each begins; of unions: the row of the member
	end   []int64 // of bytes and lists: where each ends
	codes []uint8 // of unions: the member of each
	child []vec

	bits, own []byte // memory of valid and data
}

// loader makes v hold n values of d, from value at on, counted from where d begins.
type loader func(v *vec, d arrow.ArrayData, at, n int) error

func buffer(d arrow.ArrayData, i int) []byte {
	if b := d.Buffers()[i]; b != nil {
		return b.Bytes()
	}
	return nil
}

// begin sets what all kinds have: the number of values and which are null.
func (v *vec) begin(d arrow.ArrayData, at, n int) {
	v.n, v.valid = n, nil
	b := buffer(d, 0)
	if b == nil || d.NullN() == 0 {
		return
	}
	v.bits = grow(v.bits, (n+7)/8+8)
	clear(v.bits)
	bitutil.CopyBitmap(b, d.Offset()+at, n, v.bits, 0)
	v.valid = v.bits
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// null reports whether value i is null.
func (v *vec) null(i int) bool { return v.valid != nil && v.valid[i>>3]&(1<<(i&7)) == 0 }

// words64 returns 64 bits of the validity from bit i on.
func (v *vec) valid64(i int) uint64 {
	if v.valid == nil {
		return math.MaxUint64
	}
	var b [9]byte
	copy(b[:], v.valid[i>>3:])
	w := binary.LittleEndian.Uint64(b[:])
	if s := uint(i & 7); s > 0 {
		w = w>>s | uint64(b[8])<<(64-s)
	}
	return w
}

func loadNull(v *vec, _ arrow.ArrayData, _, n int) error {
	v.n = n
	v.bits = grow(v.bits, (n+7)/8+8)
	clear(v.bits)
	v.valid, v.data = v.bits, nil
	return nil
}

// loadRaw takes values of a width as they are.
func loadRaw(w int) loader {
	return func(v *vec, d arrow.ArrayData, at, n int) error {
		v.begin(d, at, n)
		from := (d.Offset() + at) * w
		v.data = buffer(d, 1)
		if n == 0 {
			v.data = nil
			return nil
		}
		v.data = v.data[from : from+n*w]
		return nil
	}
}

func loadBool(v *vec, d arrow.ArrayData, at, n int) error {
	v.begin(d, at, n)
	v.own = grow(v.own, n)
	bits := buffer(d, 1)
	for i := range n {
		k := d.Offset() + at + i
		v.own[i] = bits[k>>3] >> (k & 7) & 1
	}
	v.data = v.own
	return nil
}

func typed[T any](b []byte, from, n int) []T {
	if n == 0 {
		return nil
	}
	var x T
	w := int(unsafe.Sizeof(x))
	b = b[from*w : (from+n)*w]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// into gives v memory for n values of the width of T.
func into[T any](v *vec, n int) []T {
	var x T
	w := int(unsafe.Sizeof(x))
	if cap(v.own) < n*w || uintptr(unsafe.Pointer(unsafe.SliceData(v.own)))%8 != 0 {
		words := make([]uint64, (n*w+7)/8+1)
		v.own = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)
	}
	v.own = v.own[:n*w]
	v.data = v.own
	return typed[T](v.own, 0, n)
}

func convert[S, D any](f func(S) D) loader {
	return func(v *vec, d arrow.ArrayData, at, n int) error {
		v.begin(d, at, n)
		out := into[D](v, n)
		for i, x := range typed[S](buffer(d, 1), d.Offset()+at, n) {
			out[i] = f(x)
		}
		return nil
	}
}

type signed interface {
	~int8 | ~int16 | ~int32 | ~int64
}
type unsigned interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64
}

func toInt64[S signed | unsigned](x S) int64 { return int64(x) }

// integer loads integers but uint64 as int64.
func integer(id arrow.Type) loader {
	switch id {
	case arrow.INT8:
		return convert(toInt64[int8])
	case arrow.INT16:
		return convert(toInt64[int16])
	case arrow.INT32:
		return convert(toInt64[int32])
	case arrow.UINT8:
		return convert(toInt64[uint8])
	case arrow.UINT16:
		return convert(toInt64[uint16])
	case arrow.UINT32:
		return convert(toInt64[uint32])
	}
	return loadRaw(8)
}

// wide is a signed number of 128 bits.
type wide struct{ lo, hi uint64 }

func wideSigned[S signed](x S) wide     { return wide{uint64(int64(x)), uint64(int64(x) >> 63)} }
func wideUnsigned[S unsigned](x S) wide { return wide{lo: uint64(x)} }

// wideInteger loads integers, and the numbers that times store.
func wideInteger(id arrow.Type) loader {
	switch id {
	case arrow.INT8:
		return convert(wideSigned[int8])
	case arrow.INT16:
		return convert(wideSigned[int16])
	case arrow.INT32, arrow.DATE32, arrow.TIME32, arrow.INTERVAL_MONTHS:
		return convert(wideSigned[int32])
	case arrow.UINT8:
		return convert(wideUnsigned[uint8])
	case arrow.UINT16:
		return convert(wideUnsigned[uint16])
	case arrow.UINT32:
		return convert(wideUnsigned[uint32])
	case arrow.UINT64:
		return convert(wideUnsigned[uint64])
	}
	return convert(wideSigned[int64])
}

// float loads floats as float64.
func float(id arrow.Type) loader {
	switch id {
	case arrow.FLOAT16:
		return convert(func(x uint16) float64 { return float64(float16.FromBits(x).Float32()) })
	case arrow.FLOAT32:
		return convert(func(x float32) float64 { return float64(x) })
	}
	return loadRaw(8)
}

// number loads integers and floats in one form: whole numbers as such, others as the bits of the float with a mark.
func number(id arrow.Type) loader {
	of := func(x float64) wide {
		switch {
		case x == math.Trunc(x) && x >= -(1<<63) && x < 1<<63:
			return wideSigned(int64(x))
		case x == math.Trunc(x) && x >= 1<<63 && x < 1<<64:
			return wideUnsigned(uint64(x))
		case x != x:
			x = math.NaN()
		}
		return wide{math.Float64bits(x), 1}
	}
	switch id {
	case arrow.FLOAT16:
		return convert(func(x uint16) wide { return of(float64(float16.FromBits(x).Float32())) })
	case arrow.FLOAT32:
		return convert(func(x float32) wide { return of(float64(x)) })
	case arrow.FLOAT64:
		return convert(of)
	}
	return wideInteger(id)
}

// decimal loads decimals and integers as decimals of 256 bits, times 10 to the power of up.
func decimal(t arrow.DataType, up int32) loader {
	scaled := func(x decimal256.Num) decimal256.Num {
		if up == 0 {
			return x
		}
		return x.IncreaseScaleBy(up)
	}
	switch id := t.ID(); id {
	case arrow.DECIMAL128:
		return convert(func(x decimal128.Num) decimal256.Num { return scaled(decimal256.FromDecimal128(x)) })
	case arrow.DECIMAL256:
		return func(v *vec, d arrow.ArrayData, at, n int) error {
			v.begin(d, at, n)
			out := into[decimal256.Num](v, n)
			for i, x := range typed[decimal256.Num](buffer(d, 1), d.Offset()+at, n) {
				if up > 0 && !v.null(i) && !x.FitsInPrecision(76-up) {
					return errs.Errorf(errs.ErrUnsupported, "decimal %s is too large to be compared with one of %d more digits behind the point", x.ToString(scaleOf(t)), up)
				}
				out[i] = scaled(x)
			}
			return nil
		}
	default:
		wider := wideInteger(id)
		tmp := &vec{}
		return func(v *vec, d arrow.ArrayData, at, n int) error {
			if err := wider(tmp, d, at, n); err != nil {
				return err
			}
			v.begin(d, at, n)
			out := into[decimal256.Num](v, n)
			for i, x := range typed[wide](tmp.data, 0, n) {
				out[i] = scaled(decimal256.FromDecimal128(decimal128.New(int64(x.hi), x.lo)))
			}
			return nil
		}
	}
}

// moment loads times as whole seconds and billionths.
func moment(id arrow.Type, perSecond int64) loader {
	split := func(x int64) wide {
		s, rest := x/perSecond, x%perSecond
		if rest < 0 {
			s, rest = s-1, rest+perSecond
		}
		return wide{uint64(s), uint64(rest * (1e9 / perSecond))}
	}
	switch id {
	case arrow.DATE32:
		return convert(func(x int32) wide { return wide{lo: uint64(int64(x) * 86400)} })
	case arrow.TIME32:
		return convert(func(x int32) wide { return split(int64(x)) })
	}
	return convert(split)
}

// bytesLoader loads text and bytes; nil = the type is neither.
func bytesLoader(t arrow.DataType) loader {
	switch x := t.(type) {
	case *arrow.StringType, *arrow.BinaryType:
		return loadBytes[int32]
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return loadBytes[int64]
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return loadViews
	case *arrow.FixedSizeBinaryType:
		return func(v *vec, d arrow.ArrayData, at, n int) error {
			v.begin(d, at, n)
			v.data, v.off, v.end = buffer(d, 1), grow(v.off, n), grow(v.end, n)
			for i := range n {
				v.off[i] = int64((d.Offset() + at + i) * x.ByteWidth)
				v.end[i] = v.off[i] + int64(x.ByteWidth)
			}
			return nil
		}
	}
	return nil
}

func loadBytes[O int32 | int64](v *vec, d arrow.ArrayData, at, n int) error {
	v.begin(d, at, n)
	v.ranges(offsets[O](buffer(d, 1), d.Offset()+at, n))
	v.data = buffer(d, 2)
	return nil
}

// loadViews puts values one behind the other. Where views share bytes, so that this would take more memory than all buffers, these are
// put together instead, the views in front.
func loadViews(v *vec, d arrow.ArrayData, at, n int) error {
	v.begin(d, at, n)
	v.off, v.end, v.data = grow(v.off, n), grow(v.end, n), nil
	views := typed[arrow.ViewHeader](buffer(d, 1), d.Offset()+at, n)
	var size, all int64
	for i := range views {
		if !v.null(i) { // a null's view may be anything
			size += int64(views[i].Len())
		}
	}
	starts := make([]int64, len(d.Buffers())) // of each buffer where all are put together
	for k := range starts[1:] {
		starts[k+1] = all
		all += int64(len(buffer(d, k+1)))
	}
	if size > all {
		v.own = grow(v.own, int(all))
		for k, from := range starts[1:] {
			copy(v.own[from:], buffer(d, k+1))
		}
		for i := range views {
			x := &views[i]
			switch {
			case v.null(i):
				v.off[i] = 0
			case x.IsInline():
				v.off[i] = int64((d.Offset()+at+i)*arrow.ViewHeaderSizeBytes + 4)
			default:
				v.off[i] = starts[2+x.BufferIndex()] + int64(x.BufferOffset())
			}
			if v.end[i] = v.off[i]; !v.null(i) {
				v.end[i] += int64(x.Len())
			}
		}
		v.data = v.own
		return nil
	}
	v.own = grow(v.own, int(size))
	end := int64(0)
	for i := range views {
		x := &views[i]
		v.off[i] = end
		switch {
		case v.null(i):
		case x.IsInline():
			end += int64(copy(v.own[end:], x.InlineBytes()))
		default:
			from := buffer(d, 2+int(x.BufferIndex()))[x.BufferOffset():]
			end += int64(copy(v.own[end:], from[:x.Len()]))
		}
		v.end[i] = end
	}
	v.data = v.own
	return nil
}

// offsets returns n+1 offsets; nil if there are no values.
func offsets[O int32 | int64](b []byte, from, n int) (list []int64) {
	if n == 0 {
		return nil
	}
	list = make([]int64, n+1)
	for i, x := range typed[O](b, from, n+1) {
		list[i] = int64(x)
	}
	return list
}

// ranges sets where values begin and end. They lie one behind the other.
func (v *vec) ranges(list []int64) {
	v.off, v.end = nil, nil
	if len(list) > 0 {
		v.off, v.end = list[:len(list)-1], list[1:]
	}
}

func (v *vec) children(n int) []vec {
	if len(v.child) != n {
		v.child = make([]vec, n)
	}
	return v.child
}

func listLoader(width int, item loader) loader {
	return func(v *vec, d arrow.ArrayData, at, n int) error {
		v.begin(d, at, n)
		var list []int64
		if width == 4 {
			list = offsets[int32](buffer(d, 1), d.Offset()+at, n)
		} else {
			list = offsets[int64](buffer(d, 1), d.Offset()+at, n)
		}
		v.ranges(list)
		child := &v.children(1)[0]
		if n == 0 {
			return item(child, d.Children()[0], 0, 0)
		}
		first, last := list[0], list[n]
		for i := range list {
			list[i] -= first
		}
		return item(child, d.Children()[0], int(first), int(last-first))
	}
}

func fixedListLoader(size int, item loader) loader {
	return func(v *vec, d arrow.ArrayData, at, n int) error {
		v.begin(d, at, n)
		list := make([]int64, n+1)
		for i := range list {
			list[i] = int64(i * size)
		}
		v.ranges(list)
		return item(&v.children(1)[0], d.Children()[0], (d.Offset()+at)*size, n*size)
	}
}

func listViewLoader(width int, item loader) loader {
	return func(v *vec, d arrow.ArrayData, at, n int) error {
		v.begin(d, at, n)
		v.off, v.end = grow(v.off, n), grow(v.end, n)
		for i := range n {
			var off, size int64
			if k := d.Offset() + at + i; width == 4 {
				off, size = int64(typed[int32](buffer(d, 1), k, 1)[0]), int64(typed[int32](buffer(d, 2), k, 1)[0])
			} else {
				off, size = typed[int64](buffer(d, 1), k, 1)[0], typed[int64](buffer(d, 2), k, 1)[0]
			}
			v.off[i], v.end[i] = off, off+size
		}
		return item(&v.children(1)[0], d.Children()[0], 0, d.Children()[0].Len())
	}
}

func structLoader(order []int, fields []loader) loader {
	return func(v *vec, d arrow.ArrayData, at, n int) error {
		v.begin(d, at, n)
		child := v.children(len(order))
		for i, k := range order {
			if err := fields[i](&child[i], d.Children()[k], d.Offset()+at, n); err != nil {
				return err
			}
		}
		return nil
	}
}

func unionLoader(t arrow.UnionType, members []loader) loader {
	var number [256]uint8
	for i, code := range t.TypeCodes() {
		number[uint8(code)] = uint8(i)
	}
	dense := t.Mode() == arrow.DenseMode
	return func(v *vec, d arrow.ArrayData, at, n int) error {
		v.n, v.valid = n, nil
		v.codes, v.off = grow(v.codes, n), grow(v.off, n)
		for i, code := range typed[uint8](buffer(d, 1), d.Offset()+at, n) {
			v.codes[i], v.off[i] = number[code], int64(i)
		}
		if dense {
			for i, off := range typed[int32](buffer(d, 2), d.Offset()+at, n) {
				v.off[i] = int64(off)
			}
		}
		child := v.children(len(members))
		for k, c := range d.Children() {
			from, rows := d.Offset()+at, n
			if dense {
				from, rows = 0, c.Len()
			}
			if err := members[k](&child[k], c, from, rows); err != nil {
				return err
			}
		}
		return nil
	}
}

// dictionaryLoader loads the values of a dictionary and puts them where the indices of so many bytes say.
func dictionaryLoader(width int, values loader) loader {
	var all vec
	var rows []int
	return func(v *vec, d arrow.ArrayData, at, n int) error {
		dict := d.Dictionary()
		if err := values(&all, dict, 0, dict.Len()); err != nil {
			return err
		}
		rows = grow(rows, n)
		b := buffer(d, 1)
		var nulls vec
		nulls.begin(d, at, n)
		for i := range rows {
			rows[i] = -1
			if !nulls.null(i) {
				rows[i] = index(b, width, d.Offset()+at+i)
			}
		}
		v.pick(&all, rows)
		return nil
	}
}

func index(b []byte, width, i int) int {
	switch width {
	case 1:
		return int(b[i])
	case 2:
		return int(binary.LittleEndian.Uint16(b[2*i:]))
	case 4:
		return int(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return int(binary.LittleEndian.Uint64(b[8*i:]))
}

// runsLoader loads the values of runs, whose ends have so many bytes.
func runsLoader(width int, values loader) loader {
	var all vec
	var rows []int
	return func(v *vec, d arrow.ArrayData, at, n int) error {
		ends, vals := d.Children()[0], d.Children()[1]
		if err := values(&all, vals, 0, vals.Len()); err != nil {
			return err
		}
		rows = grow(rows, n)
		b := buffer(ends, 1)
		run := sort.Search(ends.Len(), func(k int) bool { return index(b, width, ends.Offset()+k) > d.Offset()+at })
		for i := range rows {
			for run < ends.Len() && index(b, width, ends.Offset()+run) <= d.Offset()+at+i {
				run++
			}
			rows[i] = run
		}
		v.pick(&all, rows)
		return nil
	}
}

// pick makes v hold the values of from at rows, -1 = null. It takes the memory of from, which must stay as it is as long as v is used.
func (v *vec) pick(from *vec, rows []int) {
	n := len(rows)
	v.n, v.valid = n, nil
	v.bits = grow(v.bits, (n+7)/8+8)
	clear(v.bits)
	nulls := false
	for i, r := range rows {
		if r < 0 || from.null(r) {
			nulls = true
			continue
		}
		v.bits[i>>3] |= 1 << (i & 7)
	}
	if nulls {
		v.valid = v.bits
	}
	switch {
	case from.codes != nil:
		v.codes, v.off, v.child = grow(v.codes, n), grow(v.off, n), from.child
		for i, r := range rows {
			if r >= 0 {
				v.codes[i], v.off[i] = from.codes[r], from.off[r]
			}
		}
	case from.off != nil:
		v.off, v.end, v.child, v.data = make([]int64, n), make([]int64, n), from.child, from.data
		for i, r := range rows {
			if r >= 0 {
				v.off[i], v.end[i] = from.off[r], from.end[r]
			}
		}
	case len(from.child) > 0: // structs
		child := v.children(len(from.child))
		for k := range child {
			child[k].pick(&from.child[k], rows)
		}
	case from.n > 0 && from.data != nil:
		w := len(from.data) / from.n
		out := into[byte](v, n*w)
		for i, r := range rows {
			if r >= 0 {
				copy(out[i*w:(i+1)*w], from.data[r*w:])
			}
		}
	default: // no value at all
		v.data, v.off, v.end = nil, nil, nil
	}
}
