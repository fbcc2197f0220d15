package valueset

import (
	"hash/maphash"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/internal/arrowbuf"
)

// Set is a set of rows of some columns. A null is equal to a null, a NaN to a NaN, and zeros differ by their signs (Iceberg table
// specification, "Equality Delete Files"). A null struct is not equal to a struct of nulls.
type Set struct {
	seed   maphash.Seed
	hashes map[uint64]struct{}
	keys   map[string]struct{}
}

// New returns an empty set.
func New() *Set {
	return &Set{seed: maphash.MakeSeed(), hashes: map[uint64]struct{}{}, keys: map[string]struct{}{}}
}

// keyBytes is what a row takes beside its bytes.
const keyBytes = 72

// Len returns how many rows s has.
func (s *Set) Len() int { return len(s.keys) }

// Add adds the rows of rec. It returns about how many bytes of memory the new ones take.
func (s *Set) Add(rec arrow.Record) (bytes int) {
	var h hasher
	h.start(rec, s.seed)
	for i, x := range h.hashes {
		s.hashes[x] = struct{}{}
		key := h.key(i)
		if _, ok := s.keys[string(key)]; ok {
			continue
		}
		s.keys[string(key)] = struct{}{}
		bytes += keyBytes + len(key)
	}
	return bytes
}

// Find appends to rows the numbers of the rows of rec that s has, plus base. rec has the columns of the records of Add.
func (s *Set) Find(rows []int64, rec arrow.Record, base int64) []int64 {
	var h hasher
	h.start(rec, s.seed)
	for i, x := range h.hashes {
		if _, ok := s.hashes[x]; !ok {
			continue
		}
		if _, ok := s.keys[string(h.key(i))]; ok {
			rows = append(rows, base+int64(i))
		}
	}
	return rows
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
func (h *hasher) start(rec arrow.Record, seed maphash.Seed) {
	h.leaves = h.leaves[:0]
	for i := range int(rec.NumCols()) {
		h.add(rec.Column(i), nil, 0)
	}
	n := int(rec.NumRows())
	h.hashes = slices.Grow(h.hashes[:0], n)[:n]
	clear(h.hashes)
	for _, l := range h.leaves {
		l.hash(h.hashes, seed)
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
