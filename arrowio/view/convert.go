package view

import (
	"errors"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// convertFunc makes, of an array of one type, the same values as another, with memory from mem and what buffers can be
// shared. The caller releases the result and keeps d. s says where d stands.
type convertFunc func(d arrow.ArrayData, s *scope, mem memory.Allocator) (arrow.ArrayData, error)

// conversionOf returns what makes a field of a file into the field that it is shown as; nil = nothing has to be done.
// path names it in errors.
func (c rules) conversionOf(from, to arrow.Field, path string) (convertFunc, error) {
	if !to.Nullable && (from.Nullable || from.Type.ID() == arrow.NULL && to.Type.ID() != arrow.NULL) {
		return nil, atColumn(path, "it may be null in the file, and not in the schema asked for")
	}
	return c.conversionOfType(from, to, path)
}

// missing checks that a field can be all null, or has a default.
func missing(f arrow.Field, path string) error {
	if text, ok := defaultOf(f); ok {
		return checkDefault(f, text, path)
	}
	_, union := f.Type.(arrow.UnionType) // null where a branch is, whatever its field says
	if !f.Nullable && !union {
		return atColumn(path, "the file does not have it, and the schema asked for says that it is never null")
	}
	if !canBeNull(f.Type) {
		return atColumn(path, "the file does not have it, and no branch of the union can be null")
	}
	return nil
}

func atColumn(path, format string, args ...any) error {
	e := errs.Errorf(errs.ErrSchema, format, args...)
	e.Column = path
	return e
}

// conversionOfType is the one place that looks at types.
func (c rules) conversionOfType(ff, tf arrow.Field, path string) (convertFunc, error) {
	from, to := ff.Type, tf.Type
	if arrow.TypeEqual(from, to) && !c.cast.within(ff, tf) {
		return nil, nil
	}
	if k := c.cast.of(ff, tf); k != nil {
		return func(d arrow.ArrayData, _ *scope, mem memory.Allocator) (arrow.ArrayData, error) { return k(d, mem) }, nil
	}
	if from.ID() == arrow.EXTENSION && to.ID() != arrow.EXTENSION {
		ff.Type = arrowtype.Storage(from)
		stored, err := c.conversionOfType(ff, tf, path)
		return extensionConversion(ff.Type, stored), err
	}
	if from.ID() == arrow.NULL {
		return func(d arrow.ArrayData, _ *scope, mem memory.Allocator) (arrow.ArrayData, error) {
			return nullData(to, d.Len(), mem)
		}, missing(arrow.Field{Type: to, Nullable: true}, path)
	}
	switch t := to.(type) {
	case *arrow.StructType:
		if f, ok := from.(*arrow.StructType); ok {
			return c.structConversion(f, t, path)
		}
	case *arrow.MapType:
		if f, ok := from.(*arrow.MapType); ok {
			return c.mapConversion(f, t, path)
		}
	case arrow.ListLikeType:
		if f, ok := from.(arrow.ListLikeType); ok && f.ID() == t.ID() && listLen(f) == listLen(t) {
			elem, err := c.conversionOf(f.ElemField(), t.ElemField(), path+"."+t.ElemField().Name)
			return listConversion(t, elem), err
		}
	case arrow.UnionType:
		if f, ok := from.(arrow.UnionType); ok {
			if sameBranches(t, f) {
				return c.unionConversion(f, t, path)
			}
		}
	}
	if d, ok := from.(*arrow.DictionaryType); ok && to.ID() != arrow.DICTIONARY {
		ff.Type = d.ValueType
		values, err := c.conversionOfType(ff, tf, path)
		return dictionaryConversion(d, values), err
	}
	if toViews(from, to) {
		return viewConversion(to), nil
	}
	if t := joinFlat([]arrow.DataType{from, to}); t == nil || !arrow.TypeEqual(t, to) {
		return nil, atColumn(path, "%w", &WiderError{ff, tf})
	}
	if k := flatConversion(from, to, path); k != nil {
		return k, nil
	}
	return nil, atColumn(path, "%s is not read as %s", from, to)
}

func listLen(t arrow.DataType) int32 {
	if f, ok := t.(*arrow.FixedSizeListType); ok {
		return f.Len()
	}
	return -1
}

// relabel shows the same buffers as another type.
func relabel(to arrow.DataType) convertFunc {
	return func(d arrow.ArrayData, _ *scope, _ memory.Allocator) (arrow.ArrayData, error) {
		return array.NewData(to, d.Len(), d.Buffers(), d.Children(), d.NullN(), d.Offset()), nil
	}
}

// structConversion matches children by name.
func (c rules) structConversion(from, to *arrow.StructType, path string) (convertFunc, error) {
	if twoOfOneName(from) || twoOfOneName(to) {
		return nil, atColumn(path, "%s is not read as %s: two children have one name", from, to)
	}
	at := make([]int, to.NumFields())
	convert := make([]convertFunc, to.NumFields())
	for i, f := range to.Fields() {
		k := c.find(from.Fields(), f.Name)
		var err error
		if k < 0 {
			err = missing(f, path+"."+f.Name)
		} else {
			convert[i], err = c.conversionOf(from.Field(k), f, path+"."+f.Name)
		}
		if err != nil {
			return nil, err
		}
		at[i] = k
	}
	return func(d arrow.ArrayData, s *scope, mem memory.Allocator) (arrow.ArrayData, error) {
		return rebuild(d, to, mem, func(add func(arrow.ArrayData)) (*memory.Buffer, error) {
			for i, k := range at {
				if k < 0 {
					c, err := missingData(to.Field(i), d.Len(), mem)
					if err != nil {
						return nil, err
					}
					add(c)
					continue
				}
				c, err := convertPart(convert[i], d.Children()[k], d.Offset(), d.Offset()+d.Len(), &scope{up: s, of: d, child: k}, mem)
				if err != nil {
					return nil, err
				}
				add(c)
			}
			return nil, nil
		})
	}, nil
}

// rebuild makes an array of the rows of d, from row 0 on: validity, what more, and the children that fill adds.
func rebuild(d arrow.ArrayData, to arrow.DataType, mem memory.Allocator, fill func(add func(arrow.ArrayData)) (*memory.Buffer, error)) (arrow.ArrayData, error) {
	var children []arrow.ArrayData
	defer func() {
		for _, k := range children {
			k.Release()
		}
	}()
	buf, err := fill(func(k arrow.ArrayData) { children = append(children, k) })
	if err != nil {
		return nil, err
	}
	valid, nulls := validity(d, mem)
	bufs := []*memory.Buffer{valid}
	if buf != nil {
		bufs = append(bufs, buf)
	}
	defer releaseBuffers(bufs)
	return array.NewData(to, d.Len(), bufs, children, nulls, 0), nil
}

func releaseBuffers(bufs []*memory.Buffer) {
	for _, b := range bufs {
		if b != nil {
			b.Release()
		}
	}
}

// convertPart converts rows [start, end) of d.
func convertPart(c convertFunc, d arrow.ArrayData, start, end int, s *scope, mem memory.Allocator) (arrow.ArrayData, error) {
	if start != 0 || end != d.Len() {
		part := array.NewSliceData(d, int64(start), int64(end))
		defer part.Release()
		d, s.start = part, start
	}
	if c == nil {
		d.Retain()
		return d, nil
	}
	return c(d, s, mem)
}

// validity returns the bitmap of the rows of d, from bit 0 on, for the caller to release, and the number of nulls. nil
// where there are none.
func validity(d arrow.ArrayData, mem memory.Allocator) (*memory.Buffer, int) {
	b := d.Buffers()[0]
	if b == nil || b.Len() == 0 || d.NullN() == 0 || d.Len() == 0 {
		return nil, 0
	}
	nulls := d.Len() - bitpack.CountBits(b.Bytes(), d.Offset(), d.Len())
	switch {
	case nulls == 0:
		return nil, 0
	case d.Offset() == 0:
		b.Retain()
		return b, nulls
	}
	out := newBuffer[byte](mem, (d.Len()+7)/8)
	clear(out.Bytes())
	bitpack.CopyBits(out.Bytes(), 0, b.Bytes(), d.Offset(), d.Len())
	return out, nulls
}

// newBuffer returns a buffer of n values, to be filled; its padding is clear.
func newBuffer[T arrowbuf.Fixed](mem memory.Allocator, n int) *memory.Buffer {
	v := arrowbuf.NewVec[T](&arrowbuf.Arena{Allocator: mem})
	v.Tail(max(n, 1))
	v.Extend(n)
	return v.Take()
}

func (c rules) mapConversion(from, to *arrow.MapType, path string) (convertFunc, error) {
	key, err := c.conversionOfType(from.KeyField(), to.KeyField(), path+"."+to.KeyField().Name)
	if err != nil {
		return nil, err
	}
	item, err := c.conversionOf(from.ItemField(), to.ItemField(), path+"."+to.ItemField().Name)
	if err != nil {
		return nil, err
	}
	entries := func(d arrow.ArrayData, s *scope, mem memory.Allocator) (arrow.ArrayData, error) {
		return rebuild(d, to.Elem(), mem, func(add func(arrow.ArrayData)) (*memory.Buffer, error) {
			for i, c := range []convertFunc{key, item} {
				k, err := convertPart(c, d.Children()[i], d.Offset(), d.Offset()+d.Len(), &scope{up: s, of: d, child: i}, mem)
				if err != nil {
					return nil, err
				}
				add(k)
			}
			return nil, nil
		})
	}
	return listConversion(to, entries), nil
}

// listConversion converts the elements that the rows have.
func listConversion(to arrow.DataType, elem convertFunc) convertFunc {
	switch t := to.(type) {
	case *arrow.ListType, *arrow.MapType:
		return func(d arrow.ArrayData, s *scope, mem memory.Allocator) (arrow.ArrayData, error) {
			return convertList[int32](d, to, elem, s, mem)
		}
	case *arrow.LargeListType:
		return func(d arrow.ArrayData, s *scope, mem memory.Allocator) (arrow.ArrayData, error) {
			return convertList[int64](d, to, elem, s, mem)
		}
	case *arrow.FixedSizeListType:
		w := int(t.Len())
		return func(d arrow.ArrayData, s *scope, mem memory.Allocator) (arrow.ArrayData, error) {
			return rebuild(d, to, mem, func(add func(arrow.ArrayData)) (*memory.Buffer, error) {
				c, err := convertPart(elem, d.Children()[0], d.Offset()*w, (d.Offset()+d.Len())*w, &scope{up: s, of: d}, mem)
				if err == nil {
					add(c)
				}
				return nil, err
			})
		}
	}
	return inPlace(to, []convertFunc{elem}) // list views
}

func convertList[O int32 | int64](d arrow.ArrayData, to arrow.DataType, elem convertFunc, s *scope, mem memory.Allocator) (arrow.ArrayData, error) {
	return rebuild(d, to, mem, func(add func(arrow.ArrayData)) (*memory.Buffer, error) {
		var first, last O
		o := listOffsets[O](d)
		if len(o) > 0 {
			first, last = o[0], o[len(o)-1]
		}
		c, err := convertPart(elem, d.Children()[0], int(first), int(last), &scope{up: s, of: d}, mem)
		if err != nil {
			return nil, err
		}
		add(c)
		if first == 0 && d.Offset() == 0 && len(o) > 0 {
			b := d.Buffers()[1]
			b.Retain()
			return b, nil
		}
		b := newBuffer[O](mem, d.Len()+1)
		moved := arrow.GetData[O](b.Bytes())
		moved[0] = 0
		for i, x := range o {
			moved[i] = x - first
		}
		return b, nil
	})
}

// listOffsets returns the offsets of the rows of d; an array without rows may have none.
func listOffsets[O int32 | int64](d arrow.ArrayData) []O {
	b := d.Buffers()[1]
	if b == nil || b.Len() == 0 {
		return nil
	}
	return arrow.GetData[O](b.Bytes())[d.Offset():][:d.Len()+1]
}

// inPlace converts children whole and keeps all else.
func inPlace(to arrow.DataType, convert []convertFunc) convertFunc {
	return func(d arrow.ArrayData, s *scope, mem memory.Allocator) (arrow.ArrayData, error) {
		children := make([]arrow.ArrayData, 0, len(convert))
		defer func() {
			for _, k := range children {
				k.Release()
			}
		}()
		for i, c := range convert {
			k, err := convertPart(c, d.Children()[i], 0, d.Children()[i].Len(), &scope{up: s, of: d, child: i}, mem)
			if err != nil {
				return nil, err
			}
			children = append(children, k)
		}
		return array.NewData(to, d.Len(), d.Buffers(), children, d.NullN(), d.Offset()), nil
	}
}

// unionConversion converts the branches, which are the same in both.
func (c rules) unionConversion(from, to arrow.UnionType, path string) (convertFunc, error) {
	convert := make([]convertFunc, len(to.Fields()))
	for i, f := range to.Fields() {
		var err error
		if convert[i], err = c.conversionOf(from.Fields()[i], f, path+"."+f.Name); err != nil {
			return nil, err
		}
	}
	return inPlace(to, convert), nil
}

// dictionaryConversion looks the values up, and converts them where they are of another type.
func dictionaryConversion(from *arrow.DictionaryType, values convertFunc) convertFunc {
	return func(d arrow.ArrayData, s *scope, mem memory.Allocator) (arrow.ArrayData, error) {
		plain, err := lookUp(d, from, mem)
		if err != nil || values == nil {
			return plain, err
		}
		defer plain.Release()
		return values(plain, s, mem)
	}
}

// lookUp returns the values that the rows of a dictionary array stand for.
func lookUp(d arrow.ArrayData, t *arrow.DictionaryType, mem memory.Allocator) (arrow.ArrayData, error) {
	dict := d.Dictionary()
	valid, nulls := validity(d, mem)
	if valid != nil {
		defer valid.Release()
	}
	if dict.Len() == 0 || nulls == d.Len() {
		if nulls < d.Len() {
			return nil, errs.Errorf(errs.ErrCorrupt, "an index into a dictionary without values")
		}
		return nullData(t.ValueType, d.Len(), mem)
	}
	runs, err := indexRuns(d, t.IndexType, dict.Len(), valid)
	if err != nil {
		return nil, err
	}
	values := array.MakeFromData(dict)
	defer values.Release()
	app := arrowbuf.NewAppender(t.ValueType, mem)
	defer app.Release()
	switch err := app.AppendRuns(values, runs); {
	case errors.Is(err, arrowbuf.ErrOverflow):
		return nil, errs.Errorf(errs.ErrLimit, "%w; ask for smaller batches", err)
	case err != nil:
		return nil, errs.Errorf(errs.ErrCorrupt, "%w", err)
	}
	out := app.Take()
	defer out.Release()
	if valid == nil {
		out.Data().Retain()
		return out.Data(), nil
	}
	return withNulls(out.Data(), valid, mem), nil
}

// withNulls returns d, of offset 0, with those rows null, too, whose bit in valid is clear.
func withNulls(d arrow.ArrayData, valid *memory.Buffer, mem memory.Allocator) arrow.ArrayData {
	own, _ := validity(d, mem)
	if own == nil {
		valid.Retain()
		own = valid
	} else {
		both := newBuffer[byte](mem, (d.Len()+7)/8)
		for i := range both.Bytes() {
			both.Bytes()[i] = own.Bytes()[i] & valid.Bytes()[i]
		}
		own.Release()
		own = both
	}
	defer own.Release()
	bufs := append([]*memory.Buffer{own}, d.Buffers()[1:]...)
	return array.NewData(d.DataType(), d.Len(), bufs, d.Children(), d.Len()-bitpack.CountBits(own.Bytes(), 0, d.Len()), 0)
}

func indexRuns(d arrow.ArrayData, index arrow.DataType, n int, valid *memory.Buffer) ([][2]int64, error) {
	switch index.ID() {
	case arrow.INT8:
		return runsOf[int8](d, n, valid)
	case arrow.UINT8:
		return runsOf[uint8](d, n, valid)
	case arrow.INT16:
		return runsOf[int16](d, n, valid)
	case arrow.UINT16:
		return runsOf[uint16](d, n, valid)
	case arrow.INT32:
		return runsOf[int32](d, n, valid)
	case arrow.UINT32:
		return runsOf[uint32](d, n, valid)
	case arrow.INT64:
		return runsOf[int64](d, n, valid)
	case arrow.UINT64:
		return runsOf[uint64](d, n, valid)
	}
	return nil, errs.Errorf(errs.ErrUnsupported, "a dictionary of %s", index)
}

// runsOf returns a run of one value for each row; that of a null is any.
func runsOf[I int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64](d arrow.ArrayData, n int, valid *memory.Buffer) ([][2]int64, error) {
	src := arrow.GetData[I](d.Buffers()[1].Bytes())[d.Offset():][:d.Len()]
	runs := make([][2]int64, len(src))
	for i, x := range src {
		k := uint64(x) // a negative index is a huge one
		if k >= uint64(n) {
			if valid == nil || valid.Bytes()[i/8]>>(i%8)&1 != 0 {
				return nil, errs.Errorf(errs.ErrCorrupt, "index %d into a dictionary of %d", x, n)
			}
			k = 0
		}
		runs[i] = [2]int64{int64(k), int64(k) + 1}
	}
	return runs, nil
}

// scope tells, for an array inside others, which of its rows count: what no list refers to and what lies under a null
// may be anything. It is asked only when such a value does not convert.
type scope struct {
	up    *scope
	of    arrow.ArrayData // the array around it
	child int
	start int // the first row of the child that is converted
}

// counts tells for each of n rows whether it is part of a value.
func (s *scope) counts(n int) []bool {
	out := make([]bool, n)
	if s == nil {
		for i := range out {
			out[i] = true
		}
		return out
	}
	d := s.of
	mark := func(start, end int) {
		for i := max(0, start-s.start); i < min(n, end-s.start); i++ {
			out[i] = true
		}
	}
	var bitmap []byte
	if b := d.Buffers(); len(b) > 0 && b[0] != nil {
		bitmap = b[0].Bytes()
	}
	for i, ok := range s.up.counts(d.Len()) {
		at := d.Offset() + i
		if !ok || len(bitmap) > 0 && bitmap[at/8]>>(at%8)&1 == 0 {
			continue
		}
		switch t := d.DataType().(type) {
		case *arrow.ListType, *arrow.MapType:
			o := listOffsets[int32](d)
			mark(int(o[i]), int(o[i+1]))
		case *arrow.LargeListType:
			o := listOffsets[int64](d)
			mark(int(o[i]), int(o[i+1]))
		case *arrow.ListViewType:
			o := int(arrow.GetData[int32](d.Buffers()[1].Bytes())[at])
			mark(o, o+int(arrow.GetData[int32](d.Buffers()[2].Bytes())[at]))
		case *arrow.LargeListViewType:
			o := int(arrow.GetData[int64](d.Buffers()[1].Bytes())[at])
			mark(o, o+int(arrow.GetData[int64](d.Buffers()[2].Bytes())[at]))
		case *arrow.FixedSizeListType:
			mark(at*int(t.Len()), (at+1)*int(t.Len()))
		case arrow.UnionType:
			if t.ChildIDs()[d.Buffers()[1].Bytes()[at]] != s.child {
				continue
			}
			if t.Mode() == arrow.DenseMode {
				at = int(arrow.GetData[int32](d.Buffers()[2].Bytes())[at])
			}
			mark(at, at+1)
		default: // a struct
			mark(at, at+1)
		}
	}
	return out
}

// rowsTooLarge refuses arrays whose size no file has to answer for.
func rowsTooLarge(t arrow.DataType, n int) error {
	limit := arrowio.Limits{}.WithDefaults().BatchBytes
	if row := nullRowBytes(t); n > 0 && row > limit/int64(n) {
		return errs.Errorf(errs.ErrLimit, "%d nulls of type %s take more than %d bytes; ask for smaller batches", n, t, limit)
	}
	return nil
}
