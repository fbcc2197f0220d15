package arrowcheck

import (
	"errors"
	"math"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Record checks every column of rec, its type and its length. The error is an *errs.Error of kind ErrCorrupt that
// names the column.
func Record(rec arrow.Record) error { return new(Checker).Record(rec) }

// Data checks d and everything below it. It never panics, whatever d holds. The error is an *errs.Error of kind
// ErrCorrupt; its Column is the path below d.
func Data(d arrow.ArrayData) error { return new(Checker).Data(d) }

// Checker checks data that shares dictionaries. The zero value checks everything each time.
type Checker struct {
	Checked map[arrow.ArrayData]bool // dictionaries found sound before, which are not looked into again
}

// Record is like the function.
func (k *Checker) Record(rec arrow.Record) error {
	for i, col := range rec.Columns() {
		f := rec.Schema().Field(i)
		if !arrow.TypeEqual(col.DataType(), f.Type) {
			return at(corrupt("the array is %s, the field %s", col.DataType(), f.Type), f.Name)
		}
		if int64(col.Len()) != rec.NumRows() {
			return at(corrupt("%d rows in a batch of %d", col.Len(), rec.NumRows()), f.Name)
		}
		if err := k.Data(col.Data()); err != nil {
			return at(err, f.Name)
		}
	}
	return nil
}

// Data is like the function.
func (k *Checker) Data(d arrow.ArrayData) error {
	if isNil(d) || d.DataType() == nil {
		return corrupt("no data")
	}
	return k.check(d.DataType(), d)
}

// isNil sees through an interface that holds a nil pointer, which is how arrow says "no dictionary".
func isNil(d arrow.ArrayData) bool {
	p, ok := d.(*array.Data)
	return d == nil || ok && p == nil
}

func corrupt(format string, args ...any) error {
	return errs.Errorf(errs.ErrCorrupt, format, args...)
}

// at puts name in front of the path of err.
func at(err error, name string) error {
	var e *errs.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	if c.Column != "" {
		name += "." + c.Column
	}
	c.Column = name
	return &c
}

// check checks d as data of type dt, which is d's own type or, for extensions, their storage type.
func (k *Checker) check(dt arrow.DataType, d arrow.ArrayData) error {
	n, off := d.Len(), d.Offset()
	if n < 0 || off < 0 || off > math.MaxInt-1-n {
		return corrupt("length %d at offset %d", n, off)
	}
	a := slots{k: k, d: d, off: off, n: n, end: off + n}
	switch dt := dt.(type) {
	case arrow.ExtensionType:
		return k.check(dt.StorageType(), d)
	case *arrow.NullType:
		return nil
	case *arrow.DictionaryType:
		return a.dictionary(dt)
	case *arrow.StringType:
		return variable[int32](&a, true)
	case *arrow.BinaryType:
		return variable[int32](&a, false)
	case *arrow.LargeStringType:
		return variable[int64](&a, true)
	case *arrow.LargeBinaryType:
		return variable[int64](&a, false)
	case *arrow.StringViewType:
		return a.views(true)
	case *arrow.BinaryViewType:
		return a.views(false)
	case *arrow.ListType:
		return list[int32](&a, dt.Elem())
	case *arrow.LargeListType:
		return list[int64](&a, dt.Elem())
	case *arrow.MapType:
		return a.mapping(dt)
	case *arrow.ListViewType:
		return listView[int32](&a, dt.Elem())
	case *arrow.LargeListViewType:
		return listView[int64](&a, dt.Elem())
	case *arrow.FixedSizeListType:
		return a.fixedList(dt)
	case *arrow.StructType:
		return a.structure(dt)
	case arrow.UnionType:
		return a.union(dt)
	case *arrow.RunEndEncodedType:
		return a.runs(dt)
	case arrow.FixedWidthDataType:
		return a.fixed(dt.BitWidth())
	}
	return corrupt("type %s is not known", dt)
}

// slots is the array being checked: rows off to end of its buffers.
type slots struct {
	k           *Checker
	d           arrow.ArrayData
	off, n, end int
	valid       []byte // validity bitmap; nil = all valid
}

// buffer returns the bytes of buffer i, nil where there is none.
func (a *slots) buffer(i int) []byte {
	if bufs := a.d.Buffers(); i < len(bufs) && bufs[i] != nil {
		return bufs[i].Bytes()
	}
	return nil
}

// buffers checks that there are exactly n buffers and that the first is a validity bitmap that tells the truth about
// the number of nulls.
func (a *slots) buffers(n int) error {
	if len(a.d.Buffers()) != n {
		return corrupt("%d buffers, not %d", len(a.d.Buffers()), n)
	}
	return a.validity()
}

func (a *slots) validity() error {
	nulls := a.d.NullN()
	a.valid = a.buffer(0)
	if len(a.valid) == 0 || a.n == 0 {
		a.valid = nil
		if nulls > 0 {
			return corrupt("%d nulls without a validity bitmap", nulls)
		}
		return nil
	}
	if have := int64(len(a.valid)) * 8; have < int64(a.end) {
		return corrupt("validity bitmap of %d bits for %d slots", have, a.end)
	}
	if got := a.n - bitutil.CountSetBits(a.valid, a.off, a.n); nulls != array.UnknownNullCount && got != nulls {
		return corrupt("%d nulls, but a null count of %d", got, nulls)
	}
	return nil
}

func (a *slots) isValid(i int) bool { return a.valid == nil || bitutil.BitIsSet(a.valid, i) }

// fixed checks arrays of values of so many bits.
func (a *slots) fixed(width int) error {
	if err := a.buffers(2); err != nil {
		return err
	}
	hi, need := bits.Mul64(uint64(a.end), uint64(width))
	if hi != 0 || need > math.MaxInt64-7 {
		return corrupt("%d values of %d bits", a.end, width)
	}
	if have := len(a.buffer(1)); a.n > 0 && uint64(have) < (need+7)/8 {
		return corrupt("%d bytes for %d values of %d bits", have, a.end, width)
	}
	return nil
}

// child returns child i after checking that it is there, of type dt, and sound.
func (a *slots) child(i int, dt arrow.DataType) (arrow.ArrayData, error) {
	children := a.d.Children()
	if i >= len(children) || isNil(children[i]) {
		return nil, corrupt("child %d is missing", i)
	}
	c := children[i]
	if c.DataType() == nil || !arrow.TypeEqual(c.DataType(), dt) {
		return nil, corrupt("child %d is %v, not %s", i, c.DataType(), dt)
	}
	return c, a.k.check(dt, c)
}

// nulls counts the nulls of d itself: the stored count has been found true or unknown before.
func nulls(d arrow.ArrayData) int {
	if d.NullN() != array.UnknownNullCount {
		return d.NullN()
	}
	bufs := d.Buffers()
	if len(bufs) == 0 || bufs[0] == nil {
		return 0
	}
	return d.Len() - bitutil.CountSetBits(bufs[0].Bytes(), d.Offset(), d.Len())
}

func bufferBytes(b *memory.Buffer) []byte {
	if b == nil {
		return nil
	}
	return b.Bytes()
}
