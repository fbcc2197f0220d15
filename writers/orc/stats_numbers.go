package orc

import (
	"math"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow/bitutil"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// extent is the range of integers; of none until has.
type extent struct {
	has          bool
	least, great int64
}

func (e *extent) merge(o *extent) {
	if o.has {
		e.widen(o.least, o.great)
	}
}

func (e *extent) widen(least, great int64) {
	if !e.has {
		*e = extent{true, least, great}
	}
	e.least, e.great = min(e.least, least), max(e.great, great)
}

// partial is a sum that is given up, for good, when it leaves ±most on its way: the order of values matters, as in Java.
type partial struct {
	sum  int64
	over bool
}

func (p *partial) merge(o *partial, most uint64) {
	p.over = p.over || o.over
	p.add(o.sum, most)
}

func (p *partial) add(v int64, most uint64) {
	if p.over {
		return
	}
	sum := p.sum + v
	p.over = (p.sum^sum)&(v^sum) < 0 || beyond(sum, most)
	p.sum = sum
}

// beyond reports whether v is outside of ±most, where math.MaxInt64 stands for all of int64.
func beyond(v int64, most uint64) bool { return magnitude(v) > most && most < math.MaxInt64 }

func magnitude(v int64) uint64 {
	sign := v >> 63
	return uint64(v^sign) - uint64(sign)
}

// safe reports whether n more values of e cannot take the sum beyond ±most at any time.
func (p *partial) safe(e *extent, n int, most uint64) bool {
	high, low := bits.Mul64(max(magnitude(e.least), magnitude(e.great)), uint64(n))
	low, carry := bits.Add64(low, magnitude(p.sum), 0)
	return high|carry == 0 && low <= most
}

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64
}

// statsBlock is how many values are looked at at once: few enough to be looked at again from the nearest cache.
const statsBlock = 2048

// intStats is about tinyint, smallint, int and bigint. There is no sum where it has overflowed on the way.
type intStats struct{ levels[intFacts, *intFacts] }

type intFacts struct {
	extent
	total partial
}

func (f *intFacts) merge(o *intFacts) {
	f.extent.merge(&o.extent)
	f.total.merge(&o.total, math.MaxInt64)
}

func (f *intFacts) reset() { *f = intFacts{} }

func (f *intFacts) tell(s *orcwire.ColumnStats) {
	s.Int = new(orcwire.IntStats)
	if f.has {
		s.Int.Min, s.Int.Max = new(f.least), new(f.great)
	}
	if !f.total.over {
		s.Int.Sum = new(f.total.sum)
	}
}

// addInts adds values to the open row group.
func addInts[T integer](s *intStats, v []T) {
	f := &s.group.facts
	for len(v) > 0 {
		b := v[:min(len(v), statsBlock)]
		v = v[len(b):]
		e, sum := extentOf(b)
		f.widen(e.least, e.great)
		switch {
		case f.total.over:
		case f.total.safe(&e, len(b), math.MaxInt64):
			f.total.sum += sum
		default:
			for _, x := range b {
				f.total.add(int64(x), math.MaxInt64)
			}
		}
	}
}

// extentOf returns the range of some values, of one at least, and their sum modulo 2^64.
func extentOf[T integer](v []T) (extent, int64) {
	least, great := v[0], v[0]
	var sum int64
	for _, x := range v {
		least, great = min(least, x), max(great, x)
		sum += int64(x)
	}
	return extent{true, int64(least), int64(great)}, sum
}

// dateStats is about dates: days since 1970-01-01.
type dateStats struct{ levels[dateFacts, *dateFacts] }

type dateFacts struct{ extent }

func (f *dateFacts) merge(o *dateFacts) { f.extent.merge(&o.extent) }
func (f *dateFacts) reset()             { *f = dateFacts{} }

func (f *dateFacts) tell(s *orcwire.ColumnStats) {
	s.Date = new(orcwire.DateStats)
	if f.has {
		s.Date.Min, s.Date.Max = new(int32(f.least)), new(int32(f.great))
	}
}

// add adds values to the open row group.
func (s *dateStats) add(days []int32) {
	if len(days) > 0 {
		e, _ := extentOf(days)
		s.group.facts.widen(e.least, e.great)
	}
}

// collectionStats is about list and map: how many elements values have. Java counts the rows of its batches instead;
// here it is the elements, as the specification has it.
type collectionStats struct {
	levels[collectionFacts, *collectionFacts]
}

type collectionFacts struct {
	extent
	total uint64
}

func (f *collectionFacts) merge(o *collectionFacts) {
	f.extent.merge(&o.extent)
	f.total += o.total
}

func (f *collectionFacts) reset() { *f = collectionFacts{} }

func (f *collectionFacts) tell(s *orcwire.ColumnStats) {
	s.Collection = new(orcwire.CollectionStats)
	if f.has {
		s.Collection.MinChildren, s.Collection.MaxChildren = new(uint64(f.least)), new(uint64(f.great))
	}
	if f.total != 0 {
		s.Collection.TotalChildren = new(f.total)
	}
}

// add adds the lengths of values to the open row group.
func (s *collectionStats) add(lengths []int32) {
	if len(lengths) > 0 {
		e, sum := extentOf(lengths)
		s.group.facts.widen(e.least, e.great)
		s.group.facts.total += uint64(sum)
	}
}

// boolStats is about boolean: how many values are true.
type boolStats struct{ levels[boolFacts, *boolFacts] }

type boolFacts struct{ trues uint64 }

func (f *boolFacts) merge(o *boolFacts) { f.trues += o.trues }
func (f *boolFacts) reset()             { f.trues = 0 }

func (f *boolFacts) tell(s *orcwire.ColumnStats) {
	s.Bool = &orcwire.BucketStats{True: []uint64{f.trues}}
}

// add adds n values to the open row group: the bits from off on, the lowest of a byte first, as Arrow has them.
func (s *boolStats) add(bitmap []byte, off, n int) {
	s.group.facts.trues += uint64(bitutil.CountSetBits(bitmap, off, n))
}

// binaryStats is about binary: how many bytes all values have.
type binaryStats struct {
	levels[binaryFacts, *binaryFacts]
}

type binaryFacts struct{ sum int64 }

func (f *binaryFacts) merge(o *binaryFacts)        { f.sum += o.sum }
func (f *binaryFacts) reset()                      { f.sum = 0 }
func (f *binaryFacts) tell(s *orcwire.ColumnStats) { s.Binary = &orcwire.BinaryStats{Sum: new(f.sum)} }

// add adds the bytes of some values to the open row group.
func (s *binaryStats) add(total int64) { s.group.facts.sum += total }

// doubleStats is about float and double. A NaN makes the sum one, and the bounds worth nothing; readers know that. To Java
// the two zeros are two numbers in reading, one in writing, and a search for the other finds nothing; so a bound that
// is a zero is the zero further out.
type doubleStats struct {
	levels[doubleFacts, *doubleFacts]
}

type doubleFacts struct {
	has          bool
	least, great float64
	sum          float64
}

func (f *doubleFacts) merge(o *doubleFacts) {
	if o.has {
		if !f.has {
			f.has, f.least, f.great = true, o.least, o.great
		}
		if o.least < f.least {
			f.least = o.least
		}
		if o.great > f.great {
			f.great = o.great
		}
	}
	f.sum += o.sum
}

func (f *doubleFacts) reset() { *f = doubleFacts{} }

func (f *doubleFacts) tell(s *orcwire.ColumnStats) {
	s.Double = &orcwire.DoubleStats{Sum: new(oneNaN(f.sum))}
	if f.has {
		s.Double.Min, s.Double.Max = new(oneNaN(f.least)), new(oneNaN(f.great))
		if f.least == 0 {
			*s.Double.Min = math.Copysign(0, -1)
		}
		if f.great == 0 {
			*s.Double.Max = 0
		}
	}
}

// oneNaN returns v, and the same NaN for all: which of two an addition gives depends on the machine.
func oneNaN(v float64) float64 {
	if v != v {
		return math.Float64frombits(0x7ff8000000000000)
	}
	return v
}

// addFloats adds values to the open row group. They are added up one by one: the sum of floats depends on their order.
func addFloats[T float32 | float64](s *doubleStats, v []T) {
	if len(v) == 0 {
		return
	}
	f := &s.group.facts
	if !f.has {
		f.has, f.least, f.great = true, float64(v[0]), float64(v[0])
	}
	least, great, sum := T(f.least), T(f.great), f.sum
	for _, x := range v {
		if x < least {
			least = x
		}
		if x > great {
			great = x
		}
		sum += float64(x)
	}
	f.least, f.great, f.sum = float64(least), float64(great), sum
}
