package orciceberg

import (
	"context"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/iceberg"
	"github.com/arrowio/arrowio/readers/orc"
)

// valueSet is the values of equality deletes of the same columns: a row is deleted that has all of one of them. A null is
// equal to a null, a NaN to a NaN, and zeros differ by their signs (Iceberg table specification, "Equality Delete Files").
type valueSet struct {
	ids     []int32
	fields  []iceberg.Field
	columns []string // paths, of delete files and of data files alike
	seed    maphash.Seed
	hashes  map[uint64]struct{}
	keys    map[string]struct{}
}

// What a value that deletes takes beside its bytes, and what is reckoned for a position.
const keyBytes, positionBytes = 72, 24

// loadValues adds the values of an equality delete file.
func (d *deletes) loadValues(ctx context.Context, in *orc.File, src arrowio.Source) error {
	if d.o.Table == nil {
		return errs.Errorf(errs.ErrOption, "deletes by values are about the columns of %w, which is missing", errs.Opt("orc-iceberg-schema", ""))
	}
	ids, err := equalityIDs(in)
	if err != nil {
		return err
	}
	fields, err := d.o.only(ids)
	if err != nil {
		return err
	}
	s, err := d.set(ids, fields)
	if err != nil {
		return err
	}
	shown, err := d.keysOf(ctx, s, src)
	if err != nil {
		return err
	}
	defer shown.Close()
	var h hasher
	return scan(ctx, shown, s.columns, func(rec arrow.Record) error {
		h.start(rec, s)
		for i, x := range h.hashes {
			s.hashes[x] = struct{}{}
			key := h.key(i)
			if _, ok := s.keys[string(key)]; ok {
				continue
			}
			s.keys[string(key)] = struct{}{}
			if d.bytes += keyBytes + len(key); d.bytes > positionBytes*d.most {
				return d.tooMany()
			}
		}
		return nil
	})
}

// keysOf opens a file for the columns of a set alone.
func (d *deletes) keysOf(ctx context.Context, s *valueSet, src arrowio.Source) (arrowio.File, error) {
	o := tableOptions{Table: &iceberg.Table{Current: s.fields, Mapping: d.o.Table.Mapping}, Names: d.o.Names}
	if o.Names == nil && o.Table.Mapping == nil {
		o.Names = iceberg.NamesOf(d.o.Table.Current)
	}
	files := d.file.files
	files.Dictionary = false
	return o.openFile(ctx, src, d.file.limits, files)
}

// equalityIDs returns the columns by which a file deletes, sorted: as it says, or all that have ids.
func equalityIDs(in *orc.File) ([]int32, error) {
	var out []int32
	if text := string(in.UserMetadata(iceberg.DeleteIDs)); text != "" {
		for _, part := range strings.Split(text, ",") {
			n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 32)
			if err != nil || n < 0 {
				return nil, errs.Errorf(errs.ErrCorrupt, "%s is %q", iceberg.DeleteIDs, text)
			}
			out = append(out, int32(n))
		}
	} else {
		x, err := idsOf(in.Root(), func() []iceberg.Name { return nil })
		if err != nil {
			return nil, err
		}
		for _, c := range in.Root().Children {
			if id := x[c.ID]; id >= 0 {
				if c.Kind.Compound() {
					return nil, errs.Errorf(errs.ErrUnsupported, "it does not say by which columns it deletes (%s), and has %s", iceberg.DeleteIDs, c.Kind)
				}
				out = append(out, id)
			}
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) == 0 {
		return nil, errs.Errorf(errs.ErrSchema, "it must delete by positions or by the values of columns with ids")
	}
	return out, nil
}

// only returns the schema's fields of these ids, with the structs that they are in, none of them required. Where the current
// schema has dropped one, the latest that has all of them counts.
func (o *tableOptions) only(ids []int32) ([]iceberg.Field, error) {
	lacks := func(fields []iceberg.Field) (int32, bool) {
		for _, id := range ids {
			if iceberg.Find(fields, id) == nil {
				return id, true
			}
		}
		return 0, false
	}
	from := o.Table.Current
	if id, bad := lacks(from); bad {
		for _, fields := range slices.Backward(o.Table.Older) {
			if _, bad = lacks(fields); !bad {
				from = fields
				break
			}
		}
		if bad {
			return nil, errs.Errorf(errs.ErrSchema, "it deletes by column %d, which the schema does not have", id)
		}
	}
	return pick(from, ids), nil
}

func pick(fields []iceberg.Field, ids []int32) []iceberg.Field {
	var out []iceberg.Field
	for _, f := range fields {
		f.Required = false
		if !slices.Contains(ids, f.ID) {
			if f.Type.Kind != iceberg.Struct {
				continue
			}
			if f.Type.Fields = pick(f.Type.Fields, ids); len(f.Type.Fields) == 0 {
				continue
			}
		}
		out = append(out, f)
	}
	return out
}

// set returns the set of some columns, a new one where there is none.
func (d *deletes) set(ids []int32, all []iceberg.Field) (*valueSet, error) {
	for _, s := range d.sets {
		if slices.Equal(s.ids, ids) {
			return s, nil
		}
	}
	s := &valueSet{ids: ids, fields: all, seed: maphash.MakeSeed(), hashes: map[uint64]struct{}{}, keys: map[string]struct{}{}}
	for _, id := range ids {
		fields := all
		var names []string
		for _, i := range iceberg.Find(fields, id) {
			names = append(names, fields[i].Name)
			if k := fields[i].Type.Kind; fields[i].ID == id && k >= iceberg.Struct {
				return nil, errs.Errorf(errs.ErrUnsupported, "it deletes by column %d, which is %s", id, k)
			}
			fields = fields[i].Type.Fields
		}
		s.columns = append(s.columns, expr.Quote(names...))
	}
	d.sets = append(d.sets, s)
	return s, nil
}

// find adds the positions of rows that a set has.
func (d *deletes) find(ctx context.Context, s *valueSet) error {
	if len(s.keys) == 0 {
		return nil
	}
	shown, err := d.keysOf(ctx, s, d.file.src)
	if err != nil {
		return err
	}
	defer shown.Close()
	var h hasher
	first := int64(0)
	return scan(ctx, shown, s.columns, func(rec arrow.Record) error {
		h.start(rec, s)
		for i, x := range h.hashes {
			if _, ok := s.hashes[x]; !ok {
				continue
			}
			if _, ok := s.keys[string(h.key(i))]; ok {
				d.positions = append(d.positions, first+int64(i))
			}
		}
		first += rec.NumRows()
		return nil
	})
}

// hasher tells rows of a batch apart: by a hash first, made a column at a time, and then by what they hold.
type hasher struct {
	hashes []uint64
	leaves []leaf
	text   []byte
}

// leaf is a column, below structs.
type leaf struct {
	above []outer
	value arrow.Array
}

// outer is a struct around a column that has nulls, and how deep it is. That it is null is another value than a null in it,
// as Iceberg's sets of structs have it.
type outer struct {
	arrow.Array
	depth int
}

// start takes a batch of the columns of a set.
func (h *hasher) start(rec arrow.Record, s *valueSet) {
	h.leaves = h.leaves[:0]
	for i := range int(rec.NumCols()) {
		h.add(rec.Column(i), nil, 0)
	}
	n := int(rec.NumRows())
	h.hashes = slices.Grow(h.hashes[:0], n)[:n]
	clear(h.hashes)
	for _, l := range h.leaves {
		l.hash(h.hashes, s.seed)
	}
}

// add takes the leaves of a column, in order.
func (h *hasher) add(a arrow.Array, above []outer, depth int) {
	st, ok := a.(*array.Struct)
	if !ok {
		h.leaves = append(h.leaves, leaf{above, a})
		return
	}
	if st.NullN() > 0 {
		above = append(slices.Clone(above), outer{st, depth})
	}
	for i := range st.NumField() {
		h.add(st.Field(i), above, depth+1)
	}
}

// present says what row i has instead of a value, if anything.
type present byte

const (
	isThere present = 1 // as arrowbuf.AppendKey has it
	isNull  present = 0
	isNaN   present = 2
	noOuter present = 3 // and, added to it, how deep the struct is that is null
)

func (l *leaf) at(i int) present {
	for _, a := range l.above {
		if a.IsNull(i) {
			return noOuter + present(a.depth)
		}
	}
	if l.value.IsNull(i) {
		return isNull
	}
	return isThere
}

// key returns what row i holds, until the next call.
func (h *hasher) key(i int) []byte {
	h.text = h.text[:0]
	for k := range h.leaves {
		l := &h.leaves[k]
		if p := l.at(i); p != isThere {
			h.text = append(h.text, byte(p))
			continue
		}
		switch a := l.value.(type) {
		case *array.Float32:
			if v := a.Value(i); v != v {
				h.text = append(h.text, byte(isNaN))
				continue
			}
		case *array.Float64:
			if v := a.Value(i); v != v {
				h.text = append(h.text, byte(isNaN))
				continue
			}
		}
		h.text = arrowbuf.AppendKey(h.text, l.value.Data(), i)
	}
	return h.text
}

// mix joins a hash and a value.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// nullHash is mixed in for a null.
const nullHash = 0x5bd1e995

// hash mixes the values of the leaf into the hashes of the rows. The seed is the process's: files cannot know it.
func (l *leaf) hash(out []uint64, seed maphash.Seed) {
	switch a := l.value.(type) {
	case *array.Int32:
		hashNumbers(out, a.Int32Values())
	case *array.Int64:
		hashNumbers(out, a.Int64Values())
	case *array.Date32:
		hashNumbers(out, a.Date32Values())
	case *array.Time64:
		hashNumbers(out, a.Time64Values())
	case *array.Timestamp:
		hashNumbers(out, a.TimestampValues())
	case *array.Float32:
		for i, v := range a.Float32Values() {
			b := uint64(math.Float32bits(v))
			if v != v {
				b = 1
			}
			out[i] = mix(out[i], b)
		}
	case *array.Float64:
		for i, v := range a.Float64Values() {
			b := math.Float64bits(v)
			if v != v {
				b = 1
			}
			out[i] = mix(out[i], b)
		}
	case *array.Decimal128:
		for i, v := range a.Values() {
			out[i] = mix(mix(out[i], v.LowBits()), uint64(v.HighBits()))
		}
	case *array.FixedSizeBinary:
		w := a.DataType().(*arrow.FixedSizeBinaryType).ByteWidth
		if len(out) > 0 {
			b := a.Data().Buffers()[1].Bytes()[a.Data().Offset()*w:]
			for i := range out {
				out[i] = mix(out[i], maphash.Bytes(seed, b[i*w:][:w]))
			}
		}
	case *array.String:
		hashBytes(out, a.ValueOffsets(), a.ValueBytes(), seed)
	case *array.Binary:
		hashBytes(out, a.ValueOffsets(), a.ValueBytes(), seed)
	default: // booleans, and dictionaries: their keys alone tell
	}
	if l.value.NullN() == 0 && len(l.above) == 0 {
		return
	}
	for i := range out {
		if l.at(i) != isThere { // what lies under a null may be anything
			out[i] = nullHash
		}
	}
}

func hashNumbers[T ~int32 | ~int64](out []uint64, values []T) {
	for i, v := range values {
		out[i] = mix(out[i], uint64(v))
	}
}

func hashBytes(out []uint64, offsets []int32, b []byte, seed maphash.Seed) {
	if len(out) == 0 {
		return
	}
	first := offsets[0]
	for i := range out {
		out[i] = mix(out[i], maphash.Bytes(seed, b[offsets[i]-first:offsets[i+1]-first]))
	}
}
