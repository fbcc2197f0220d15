package cfile

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// KeyPart is a column of the primary key, as predicates name it.
type KeyPart struct {
	Path  string
	Type  cfilewire.DataType
	Arrow arrow.DataType
}

// Prune returns the rows of s that may satisfy pred: a column with a value index is the key of its rowset, and ascends.
func (f *File) Prune(ctx context.Context, s arrowio.Split, pred *expr.Bound) (arrowio.RowSet, error) {
	all := arrowio.RowSet{s.Rows}
	if f.kind != cfilewire.ColumnFile || f.footer.Val == nil || !f.footer.Type.IsKey() || f.footer.Array || f.footer.Nullable {
		return all, nil
	}
	k, err := f.keyPruner(ctx)
	if err != nil {
		return nil, err
	}
	return k.Prune(ctx, s.Rows, pred)
}

// keyPruner returns the pruner of the column, which all splits share.
func (f *File) keyPruner(ctx context.Context) (*KeyPruner, error) {
	if k := f.pruner.Load(); k != nil {
		return k, nil
	}
	k, err := f.NewKeyPruner(ctx, []KeyPart{{Path: cfilewire.ValueName, Type: f.footer.Type, Arrow: f.schema.Field(0).Type}})
	if err == nil {
		f.pruner.Store(k)
	}
	return k, err
}

// KeyPruner tells by a value index, and by the least and the greatest key that the footer may name, which rows can
// satisfy a predicate about the key. It may be used by several goroutines.
type KeyPruner struct {
	file     *Reader
	parts    []KeyPart
	entries  []entry
	rows     []int64 // first row of each entry's block; nil = only the blocks tell
	min, max []byte  // of all keys; nil = unknown
}

// NewKeyPruner reads the value index of the file whose keys have the given parts.
func (f *Reader) NewKeyPruner(ctx context.Context, parts []KeyPart) (*KeyPruner, error) {
	k := &KeyPruner{file: f, parts: parts}
	k.min, _ = f.footer.Lookup(cfilewire.MetaMinKey)
	k.max, _ = f.footer.Lookup(cfilewire.MetaMaxKey)
	if f.footer.Val == nil {
		return k, nil
	}
	var err error
	if k.entries, err = f.values(ctx); err != nil {
		return nil, locate(err)
	}
	for i := 1; i < len(k.entries); i++ {
		if string(k.entries[i].key) <= string(k.entries[i-1].key) {
			k.entries = nil // not sorted: says nothing
			return k, nil
		}
	}
	if f.kind == cfilewire.ColumnFile {
		blocks, err := f.positions(ctx)
		if err != nil {
			return nil, locate(err)
		}
		k.rows = make([]int64, len(k.entries))
		for i, e := range k.entries {
			j, ok := slices.BinarySearchFunc(blocks, e.ptr.Off, func(b block, off int64) int { return cmp.Compare(b.ptr.Off, off) })
			if !ok || j != i {
				k.entries = nil // the two indexes are about other blocks
				return k, nil
			}
			k.rows[i] = blocks[j].rows.Start
		}
		if len(k.entries) != len(blocks) {
			k.entries = nil
		}
	}
	return k, nil
}

// May reports whether some row can satisfy pred, going by the least and the greatest key.
func (k *KeyPruner) May(pred *expr.Bound) bool {
	return !k.test(pred, k.min, k.max).Skip()
}

// Prune returns the rows of r that may satisfy pred.
func (k *KeyPruner) Prune(ctx context.Context, r arrowio.RowRange, pred *expr.Bound) (arrowio.RowSet, error) {
	all := arrowio.RowSet{}.Add(r)
	if !k.May(pred) {
		return nil, nil
	}
	if len(k.entries) == 0 || !slices.ContainsFunc(pred.Columns(), func(c string) bool {
		return slices.ContainsFunc(k.parts, func(p KeyPart) bool { return p.Path == c })
	}) {
		return all, nil
	}
	from, to := 0, len(k.entries)
	if k.rows != nil {
		from = max(0, sort.Search(to, func(i int) bool { return k.rows[i] > r.Start })-1)
		to = sort.Search(to, func(i int) bool { return k.rows[i] >= r.End })
	}
	var out arrowio.RowSet
	for i := from; i < to; {
		if k.test(pred, k.lower(i), k.upper(i)).Skip() {
			i++
			continue
		}
		j := i + 1
		for j < to && !k.test(pred, k.lower(j), k.upper(j)).Skip() {
			j++
		}
		start, err := k.row(ctx, i)
		if err != nil {
			return nil, err
		}
		end, err := k.row(ctx, j)
		if err != nil {
			return nil, err
		}
		if start >= end {
			return nil, errs.Locate(errs.Errorf(errs.ErrCorrupt, "blocks of keys begin at row %d, and those behind them at row %d", start, end), errs.At{Format: Name, Op: "keys", Off: errs.N(k.entries[i].ptr.Off)})
		}
		out = out.Add(arrowio.RowRange{Start: start, End: end})
		i = j
	}
	return out.Clip(r), nil
}

// lower returns a key that none of the block's is below.
func (k *KeyPruner) lower(i int) []byte {
	if i == 0 && k.min != nil {
		return k.min
	}
	return k.entries[i].key
}

// upper returns a key that none of the block's is above; nil = unknown.
func (k *KeyPruner) upper(i int) []byte {
	if i+1 == len(k.entries) {
		return k.max
	}
	next := k.entries[i+1].key
	if w := k.parts[0].Type.Width(); len(k.parts) == 1 && w > 0 {
		return before(next, w)
	}
	return next
}

// before returns the greatest key of so many bytes that is below the separator.
func before(separator []byte, width int) []byte {
	if len(separator) > width {
		return separator
	}
	key := make([]byte, width)
	copy(key, separator)
	for i := width - 1; i >= 0; i-- {
		if key[i]--; key[i] != 0xff {
			return key
		}
	}
	return separator // nothing is below
}

// row returns the first row of the block of entry i, or the number of rows for the entry behind the last.
func (k *KeyPruner) row(ctx context.Context, i int) (int64, error) {
	switch {
	case i == 0:
		return 0, nil
	case i == len(k.entries):
		return k.file.footer.Values, nil
	case k.rows != nil:
		return k.rows[i], nil
	}
	var codec blockcodec.Decoder
	raw, err := k.file.readBlock(ctx, k.entries[i].ptr, &codec)
	if err == nil {
		var s cfilewire.Strings
		var h cfilewire.Head
		if k.file.footer.Encoding == cfilewire.EncodingPrefix {
			h, err = s.OpenPrefix(raw, k.file.frame.Limit)
		} else {
			h, err = s.OpenPlain(raw)
		}
		if err == nil {
			return min(int64(h.Ordinal), k.file.footer.Values), nil
		}
	}
	return 0, errs.Locate(cfilewire.Kinded(err), errs.At{Format: Name, Op: "keys", Off: errs.N(k.entries[i].ptr.Off)})
}

// test evaluates pred on keys between low and high, either of which may be cut short, or unknown. Of a composite key
// the first part is bounded, and each further one as long as all before it are the same at both ends.
func (k *KeyPruner) test(pred *expr.Bound, low, high []byte) expr.Truth {
	bounds := map[string]expr.StatsOnly{}
	for i, p := range k.parts {
		last := i == len(k.parts)-1
		var st expr.Stats
		var lowCell, highCell []byte
		lowWhole, highWhole := false, false
		st.Rows, st.Nulls = -1, 0
		if low != nil {
			var err error
			if lowCell, low, lowWhole, err = cfilewire.DecodeKeyPrefix(low, p.Type, last); err != nil {
				break
			}
			st.Min = cellScalar(p.Type, p.Arrow, lowCell)
		}
		if high != nil {
			var err error
			if highCell, high, highWhole, err = cfilewire.DecodeKeyPrefix(high, p.Type, last); err != nil {
				break
			}
			st.Max = cellScalar(p.Type, p.Arrow, highCell)
		}
		bounds[p.Path] = expr.StatsOnly(st)
		if !lowWhole || !highWhole || string(lowCell) != string(highCell) {
			break
		}
	}
	return pred.Test(func(col string) expr.Evidence { return bounds[col] })
}

// cellScalar returns a cell, little-endian at its type's width or bytes, as a value of the Arrow type that it becomes; nil
// where predicates cannot compare it.
func cellScalar(t cfilewire.DataType, dt arrow.DataType, cell []byte) scalar.Scalar {
	if t.Binary() {
		b := memory.NewBufferBytes(slices.Clone(cell))
		if dt.ID() == arrow.STRING {
			return scalar.NewStringScalarFromBuffer(b)
		}
		return scalar.NewBinaryScalar(b, dt)
	}
	v := int64(0) // sign-extended
	for i := min(len(cell), 8) - 1; i >= 0; i-- {
		v = v<<8 | int64(cell[i])
	}
	shift := 64 - 8*min(len(cell), 8)
	if t.Signed() {
		v = v << shift >> shift
	}
	if dt, ok := dt.(*arrow.Decimal128Type); ok && len(cell) == 16 {
		return scalar.NewDecimal128Scalar(decimal128.New(int64(binary.LittleEndian.Uint64(cell[8:])), uint64(v)), dt)
	}
	switch dt.ID() {
	case arrow.DATE64, arrow.TIME32, arrow.TIME64, arrow.DURATION, arrow.DECIMAL256: // no column of Kudu is one
		return nil
	}
	return expr.IntScalar(dt, v)
}

// Cell is the reverse of Scalar; false = v is of another type, or null.
func Cell(p KeyPart, v scalar.Scalar) ([]byte, bool) {
	if v == nil || !v.IsValid() || !arrow.TypeEqual(v.DataType(), p.Arrow) {
		return nil, false
	}
	switch v := v.(type) {
	case scalar.BinaryScalar:
		return v.Data(), true
	case *scalar.Decimal128:
		cell := binary.LittleEndian.AppendUint64(nil, v.Value.LowBits())
		cell = binary.LittleEndian.AppendUint64(cell, uint64(v.Value.HighBits()))
		w := p.Type.Width()
		for _, b := range cell[w:] {
			if b != byte(int8(cell[w-1])>>7) {
				return nil, false // more digits than there is room for
			}
		}
		return cell[:w], true
	case scalar.PrimitiveScalar:
		if w := p.Type.Width(); len(v.Data()) == w {
			return v.Data(), true
		}
	}
	return nil, false
}

// Left returns how many of the index's blocks may have keys that satisfy pred, and how many there are.
func (k *KeyPruner) Left(pred *expr.Bound) (left, of int) {
	of = len(k.entries)
	if !k.May(pred) {
		return 0, of
	}
	for i := range k.entries {
		if !k.test(pred, k.lower(i), k.upper(i)).Skip() {
			left++
		}
	}
	return left, of
}
