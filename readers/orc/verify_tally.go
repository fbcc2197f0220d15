package orc

import (
	"bytes"
	"hash/maphash"
	"math"
	"math/big"
	"math/bits"

	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/wkb"
)

// tally is what the values of a column are like, in a row group, a stripe or the file.
type tally struct {
	slots, values int64 // with nulls and without
	broken        bool  // it is not about all values

	min, max   int64 // integers and dates
	total      sum128
	low, high  float64
	sumFloat   float64
	sumAbs     float64
	lastFloat  uint64     // bits
	again      [2]float64 // sums of values that repeat the one before: of those above zero, of those below
	nan        bool
	first      []byte // the least string
	last       []byte
	size       int64 // bytes of strings and binary
	trues      int64
	least      int128 // decimals, at the scale of the type
	most       int128
	sumDecimal sum192
	lastDec    int128
	againDec   [2]sum192 // like again
	odd        bool      // some decimal cannot be shown at that scale
	early      moment    // timestamps
	late       moment
	unsure     bool // some timestamp may have lain a second before
	fewest     uint64
	fullest    uint64
	children   uint64

	shapes     *wkb.Check // geometries; nil = another type
	childSlots []int64    // of the children: of each variant of a union, else of all alike

	digest uint64
	bloom  *orcwire.BloomFilter // asked for each value; nil = none
	missed int64                // values that it lacks
}

// fault of a digest: two row groups of different values have the same one in one of 2^64 cases.
var digestSeed = maphash.MakeSeed()

func (t *tally) mix(v uint64) {
	hi, lo := bits.Mul64(t.digest^v^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	t.digest = bits.RotateLeft64(t.digest, 23) + hi ^ lo
}

func (t *tally) mixBytes(b []byte) { t.mix(maphash.Bytes(digestSeed, b)) }

// sum returns the digest of everything that was decoded.
func (t *tally) sum() uint64 {
	c := *t
	c.mix(uint64(t.slots))
	c.mix(uint64(t.values))
	return c.digest
}

func (t *tally) ask(h uint64) {
	if t.bloom != nil && !t.bloom.MayContain(h) {
		t.missed++
	}
}

func (t *tally) int(v int64) {
	if t.values == 0 {
		t.min, t.max = v, v
	}
	t.min, t.max = min(t.min, v), max(t.max, v)
	t.total.add(v)
	t.values++
	t.mix(uint64(v))
	if t.bloom != nil {
		t.ask(orcwire.HashLong(v))
	}
}

// float adds a value, whose bits are kept apart: there are many NaNs.
func (t *tally) float(v float64, bits uint64) {
	if t.values == 0 {
		t.low, t.high = v, v
	}
	t.nan = t.nan || math.IsNaN(v)
	if t.values > 0 && bits == t.lastFloat {
		t.again[sideOf(v < 0)] += v
	}
	t.lastFloat = bits
	if v < t.low {
		t.low = v
	}
	if v > t.high {
		t.high = v
	}
	t.sumFloat += v
	t.sumAbs += math.Abs(v)
	t.values++
	t.mix(bits)
	if t.bloom != nil {
		t.ask(orcwire.HashDouble(v))
	}
}

// sideOf is the place in again of a value.
func sideOf(negative bool) int {
	if negative {
		return 1
	}
	return 0
}

// bytes adds a string, which is copied if it is needed.
func (t *tally) bytes(b []byte) {
	if t.values == 0 || bytes.Compare(b, t.first) < 0 {
		t.first = append(make([]byte, 0, len(b)), b...)
	}
	if t.values == 0 || bytes.Compare(b, t.last) > 0 {
		t.last = append(make([]byte, 0, len(b)), b...)
	}
	if t.shapes != nil {
		t.shapes.Add(b)
	}
	t.size += int64(len(b))
	t.values++
	t.mixBytes(b)
	if t.bloom != nil {
		t.ask(orcwire.HashBytes(b))
	}
}

func (t *tally) elements(n uint64) {
	if t.values == 0 {
		t.fewest, t.fullest = n, n
	}
	t.fewest, t.fullest = min(t.fewest, n), max(t.fullest, n)
	t.children += n
	t.values++
	t.mix(n)
	if t.bloom != nil {
		t.ask(orcwire.HashLong(int64(n)))
	}
}

func (t *tally) decimal(v int128, ok bool, scale int) {
	t.odd = t.odd || !ok
	if t.values == 0 {
		t.least, t.most = v, v
	}
	if v.less(t.least) {
		t.least = v
	}
	if t.most.less(v) {
		t.most = v
	}
	t.sumDecimal.add(v)
	if t.values > 0 && v == t.lastDec {
		t.againDec[sideOf(v.hi < 0)].add(v)
	}
	t.lastDec = v
	t.values++
	t.mix(uint64(v.hi))
	t.mix(v.lo)
	if t.bloom != nil && ok {
		t.ask(orcwire.HashBytes([]byte(decimalText(v.big(), scale))))
	}
}

// moment is a point of time as statistics have it.
type moment struct {
	ms    int64
	nanos int32 // within the millisecond
}

func (m moment) less(o moment) bool { return m.ms < o.ms || m.ms == o.ms && m.nanos < o.nanos }

// time adds a timestamp: what clocks showed, and the instant that the older sort of bloom filters has.
func (t *tally) time(m moment, instantMs int64, utf8, unsure bool) {
	if t.values == 0 {
		t.early, t.late = m, m
	}
	if m.less(t.early) {
		t.early = m
	}
	if t.late.less(m) {
		t.late = m
	}
	t.unsure = t.unsure || unsure
	t.values++
	t.mix(uint64(m.ms))
	t.mix(uint64(m.nanos))
	if t.bloom == nil {
		return
	}
	ms := m.ms
	if !utf8 {
		ms = instantMs
	}
	for _, d := range [...]int64{0, -1000, 1} { // 1: the C++ writer cuts off towards zero
		if (d == 0 || d == -1000 && unsure || d == 1 && ms < 0) && t.bloom.MayContain(orcwire.HashLong(ms+d)) {
			return
		}
	}
	t.missed++
}

// merge adds what another tally has.
func (t *tally) merge(o *tally) {
	t.broken = t.broken || o.broken
	t.slots += o.slots
	if o.values == 0 {
		return
	}
	if t.values == 0 {
		t.min, t.max, t.low, t.high, t.first, t.last = o.min, o.max, o.low, o.high, o.first, o.last
		t.least, t.most, t.early, t.late, t.fewest, t.fullest = o.least, o.most, o.early, o.late, o.fewest, o.fullest
	}
	t.min, t.max = min(t.min, o.min), max(t.max, o.max)
	t.total.merge(o.total)
	t.low, t.high = min(t.low, o.low), max(t.high, o.high)
	t.sumFloat += o.sumFloat
	t.sumAbs += o.sumAbs
	for i := range t.again {
		t.again[i] += o.again[i]
		t.againDec[i].merge(o.againDec[i])
	}
	t.nan = t.nan || o.nan
	if bytes.Compare(o.first, t.first) < 0 {
		t.first = o.first
	}
	if bytes.Compare(o.last, t.last) > 0 {
		t.last = o.last
	}
	t.size += o.size
	t.trues += o.trues
	if o.least.less(t.least) {
		t.least = o.least
	}
	if t.most.less(o.most) {
		t.most = o.most
	}
	t.sumDecimal.merge(o.sumDecimal)
	t.odd = t.odd || o.odd
	if o.early.less(t.early) {
		t.early = o.early
	}
	if t.late.less(o.late) {
		t.late = o.late
	}
	t.unsure = t.unsure || o.unsure
	t.fewest, t.fullest = min(t.fewest, o.fewest), max(t.fullest, o.fullest)
	t.children += o.children
	if o.shapes != nil {
		if t.shapes == nil {
			t.shapes = &wkb.Check{}
		}
		t.shapes.Merge(o.shapes)
	}
	t.values += o.values
}

// sum128 is a sum of 64-bit integers, wide enough for all of a file.
type sum128 struct{ hi, lo uint64 }

func (s *sum128) add(v int64) {
	var c uint64
	s.lo, c = bits.Add64(s.lo, uint64(v), 0)
	s.hi, _ = bits.Add64(s.hi, uint64(v>>63), c)
}

func (s *sum128) merge(o sum128) {
	var c uint64
	s.lo, c = bits.Add64(s.lo, o.lo, 0)
	s.hi, _ = bits.Add64(s.hi, o.hi, c)
}

// int64 returns the sum; false if it is wider.
func (s sum128) int64() (int64, bool) {
	v := int64(s.lo)
	return v, uint64(v>>63) == s.hi
}

// int128 is a decimal's digits.
type int128 struct {
	hi int64
	lo uint64
}

func (v int128) less(o int128) bool { return v.hi < o.hi || v.hi == o.hi && v.lo < o.lo }

func (v int128) big() *big.Int {
	x := new(big.Int).Lsh(big.NewInt(v.hi), 64)
	return x.Add(x, new(big.Int).SetUint64(v.lo))
}

// ten returns v*10; false if that is too wide.
func (v int128) ten() (int128, bool) {
	h, lo := bits.Mul64(v.lo, 10)
	top, mid := bits.Mul64(uint64(v.hi), 10)
	mid, c := bits.Add64(mid, h, 0)
	top += c
	if v.hi < 0 { // the product above took hi for 2^64 more than it is
		top -= 10
	}
	return int128{int64(mid), lo}, top == uint64(int64(mid)>>63)
}

// tenth returns v/10; false if there is a rest.
func (v int128) tenth() (int128, bool) {
	x, r := new(big.Int).QuoRem(v.big(), big.NewInt(10), new(big.Int))
	if r.Sign() != 0 {
		return v, false
	}
	lo := new(big.Int).And(x, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	return int128{new(big.Int).Rsh(x, 64).Int64(), lo}, true
}

// sum192 is a sum of decimals.
type sum192 struct{ hi, mid, lo uint64 }

func (s *sum192) add(v int128) {
	s.merge(sum192{uint64(v.hi >> 63), uint64(v.hi), v.lo})
}

func (s *sum192) merge(o sum192) {
	var c uint64
	s.lo, c = bits.Add64(s.lo, o.lo, 0)
	s.mid, c = bits.Add64(s.mid, o.mid, c)
	s.hi, _ = bits.Add64(s.hi, o.hi, c)
}

func (s sum192) big() *big.Int {
	x := new(big.Int).Lsh(big.NewInt(int64(s.hi)), 128)
	x.Add(x, new(big.Int).Lsh(new(big.Int).SetUint64(s.mid), 64))
	return x.Add(x, new(big.Int).SetUint64(s.lo))
}
