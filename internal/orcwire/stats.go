package orcwire

import (
	"sort"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb"
)

// Tri is an answer that a file may leave out.
type Tri uint8

// Answers.
const (
	Unknown Tri = iota
	No
	Yes
)

// ColumnStats says something about the values of a column in a file, a stripe or a row group (specification, "Column
// Statistics"). A nil pointer is a part that the writer left out. Which parts can be believed depends on the writer:
// see Quirks.
type ColumnStats struct {
	HasValues   bool
	Values      int64 // that are not null, if HasValues. 0 is no proof that all are null: Hive's compactor wrote it for anything.
	HasNull     Tri   // Unknown in files of Hive before 1.1, Presto and Trino
	HasBytes    bool
	BytesOnDisk int64 // of the column's streams, if HasBytes
	Int         *IntStats
	Double      *DoubleStats
	String      *StringStats
	Bool        *BucketStats
	Decimal     *DecimalStats
	Date        *DateStats
	Binary      *BinaryStats
	Timestamp   *TimestampStats
	Collection  *CollectionStats
	Geo         *GeoStats
}

// IntStats is about tinyint, smallint, int and bigint.
type IntStats struct {
	Min, Max *int64
	Sum      *int64 // nil also where it overflowed
}

// DoubleStats is about float and double. Where Sum is NaN a NaN is among the values, and Min and Max cannot be trusted.
type DoubleStats struct{ Min, Max, Sum *float64 }

// StringStats is about string, char and varchar. The slices are parts of the bytes that were parsed.
type StringStats struct {
	Min, Max     []byte // nil = absent
	Lower, Upper []byte // in place of Min and Max where those are long: bounds, maybe no values
	Sum          *int64 // bytes of all values
}

// BucketStats is about boolean.
type BucketStats struct{ True []uint64 } // one number: how many values are true

// DecimalStats is about decimal, as decimal text; "" = absent.
type DecimalStats struct{ Min, Max, Sum string }

// DateStats is about date: days since 1970-01-01.
type DateStats struct{ Min, Max *int32 }

// BinaryStats is about binary.
type BinaryStats struct{ Sum *int64 } // bytes of all values

// TimestampStats is about timestamp and timestamp with local time zone: milliseconds since 1970-01-01, rounded
// towards the past, and the nanoseconds within the millisecond.
type TimestampStats struct {
	Min, Max           *int64 // in the writer's time zone, which statistics do not name
	MinUTC, MaxUTC     *int64
	MinNanos, MaxNanos int32 // 0 and 999999 where absent, so that the bounds hold
}

// CollectionStats is about list and map: how many elements values have.
type CollectionStats struct{ MinChildren, MaxChildren, TotalChildren *uint64 }

// GeoStats is about geometry and geography.
type GeoStats struct {
	Box   *BoundingBox
	Types []int32 // codes of well-known binary, as 1 = point, 1001 = point with z
}

// BoundingBox bounds the coordinates of geometries.
type BoundingBox struct {
	XMin, XMax, YMin, YMax float64
	ZMin, ZMax, MMin, MMax *float64
}

// ParseColumnStats reads one ColumnStatistics message. The result refers to b.
func ParseColumnStats(b []byte) (ColumnStats, error) {
	var s ColumnStats
	m := pb.New(b)
	for m.Next() {
		switch m.Num {
		case 1:
			s.Values, s.HasValues = m.Size(), true
		case 2:
			s.Int = new(IntStats)
			part(&m, s.Int.field)
		case 3:
			s.Double = new(DoubleStats)
			part(&m, s.Double.field)
		case 4:
			s.String = new(StringStats)
			part(&m, s.String.field)
		case 5:
			s.Bool = new(BucketStats)
			part(&m, s.Bool.field)
		case 6:
			s.Decimal = new(DecimalStats)
			part(&m, s.Decimal.field)
		case 7:
			s.Date = new(DateStats)
			part(&m, s.Date.field)
		case 8:
			s.Binary = new(BinaryStats)
			part(&m, s.Binary.field)
		case 9:
			s.Timestamp = &TimestampStats{MaxNanos: lastNanos}
			part(&m, s.Timestamp.field)
		case 10:
			s.HasNull = No
			if m.Uint64() != 0 {
				s.HasNull = Yes
			}
		case 11:
			s.BytesOnDisk, s.HasBytes = m.Size(), true
		case 12:
			s.Collection = new(CollectionStats)
			part(&m, s.Collection.field)
		case 13:
			s.Geo = new(GeoStats)
			part(&m, s.Geo.field)
		}
	}
	if m.Err != nil {
		return ColumnStats{}, m.Err
	}
	return s, nil
}

// part reads the present field as a message, giving each of its fields to field.
func part(m *pb.Message, field func(m *pb.Message)) {
	p := m.Message()
	for p.Next() {
		field(&p)
	}
	if m.Err == nil {
		m.Err = p.Err
	}
}

func (s *IntStats) field(m *pb.Message) {
	switch m.Num {
	case 1:
		s.Min = new(m.Sint64())
	case 2:
		s.Max = new(m.Sint64())
	case 3:
		s.Sum = new(m.Sint64())
	}
}

func (s *DoubleStats) field(m *pb.Message) {
	switch m.Num {
	case 1:
		s.Min = new(m.Double())
	case 2:
		s.Max = new(m.Double())
	case 3:
		s.Sum = new(m.Double())
	}
}

func (s *StringStats) field(m *pb.Message) {
	switch m.Num {
	case 1:
		s.Min = m.Bytes()
	case 2:
		s.Max = m.Bytes()
	case 3:
		s.Sum = new(m.Sint64())
	case 4:
		s.Lower = m.Bytes()
	case 5:
		s.Upper = m.Bytes()
	}
}

func (s *BucketStats) field(m *pb.Message) {
	if m.Num == 1 {
		s.True = m.AppendVarints(s.True)
	}
}

func (s *DecimalStats) field(m *pb.Message) {
	switch m.Num {
	case 1:
		s.Min = m.String()
	case 2:
		s.Max = m.String()
	case 3:
		s.Sum = m.String()
	}
}

func (s *DateStats) field(m *pb.Message) {
	switch m.Num {
	case 1:
		s.Min = new(m.Sint32())
	case 2:
		s.Max = new(m.Sint32())
	}
}

func (s *BinaryStats) field(m *pb.Message) {
	if m.Num == 1 {
		s.Sum = new(m.Sint64())
	}
}

const lastNanos = 999_999

func (s *TimestampStats) field(m *pb.Message) {
	switch m.Num {
	case 1:
		s.Min = new(m.Sint64())
	case 2:
		s.Max = new(m.Sint64())
	case 3:
		s.MinUTC = new(m.Sint64())
	case 4:
		s.MaxUTC = new(m.Sint64())
	case 5, 6:
		// Stored with 1 added. What is out of range leaves the widest bound.
		v := m.Int32() - 1
		if v < 0 || v > lastNanos {
			return
		}
		if m.Num == 5 {
			s.MinNanos = v
		} else {
			s.MaxNanos = v
		}
	}
}

func (s *CollectionStats) field(m *pb.Message) {
	switch m.Num {
	case 1:
		s.MinChildren = new(m.Uint64())
	case 2:
		s.MaxChildren = new(m.Uint64())
	case 3:
		s.TotalChildren = new(m.Uint64())
	}
}

func (s *GeoStats) field(m *pb.Message) {
	switch m.Num {
	case 1:
		s.Box = new(BoundingBox)
		part(m, s.Box.field)
	case 2:
		for _, v := range m.AppendVarints(nil) {
			s.Types = append(s.Types, int32(v))
		}
	}
}

func (s *BoundingBox) field(m *pb.Message) {
	switch m.Num {
	case 1:
		s.XMin = m.Double()
	case 2:
		s.XMax = m.Double()
	case 3:
		s.YMin = m.Double()
	case 4:
		s.YMax = m.Double()
	case 5:
		s.ZMin = new(m.Double())
	case 6:
		s.ZMax = new(m.Double())
	case 7:
		s.MMin = new(m.Double())
	case 8:
		s.MMax = new(m.Double())
	}
}

// StatsList is a list of statistics that are parsed one by one, when asked for: a file may have millions. The zero
// StatsList is empty. It refers to the bytes it was parsed from; its methods may be called concurrently.
type StatsList struct {
	b     []byte
	num   protowire.Number // of the repeated field in b
	n     int
	marks []statsMark // where to begin looking for an element
}

// statsMark is an element, and where its field begins.
type statsMark struct{ elem, at int }

// At passes over so many elements and bytes at most to find one.
const (
	statsStep  = 64
	statsBytes = 4 << 10
)

// newStatsList lists the elements of the repeated field num of message b, which it walks through once.
func newStatsList(b []byte, num protowire.Number, budget *metaBudget) (StatsList, error) {
	l := StatsList{b: b, num: num}
	m := pb.New(b)
	for at := 0; m.Next(); at = len(b) - m.Left() {
		if m.Num == num {
			m.Bytes()
			l.add(at)
		}
	}
	if m.Err != nil {
		return StatsList{}, m.Err
	}
	return l, budget.take(cap(l.marks), unsafe.Sizeof(statsMark{}))
}

// add notes that the field of the next element begins at a place.
func (l *StatsList) add(at int) {
	if k := len(l.marks); k == 0 || l.n-l.marks[k-1].elem >= statsStep || at-l.marks[k-1].at >= statsBytes {
		l.marks = append(l.marks, statsMark{l.n, at})
	}
	l.n++
}

// Len returns the number of elements.
func (l StatsList) Len() int { return l.n }

// Bytes returns the message of element i; false if the list is shorter.
func (l StatsList) Bytes(i int) ([]byte, bool) {
	if i < 0 || i >= l.n {
		return nil, false
	}
	mark := l.marks[sort.Search(len(l.marks), func(k int) bool { return l.marks[k].elem > i })-1]
	m := pb.New(l.b[mark.at:])
	for k := i - mark.elem; m.Next(); {
		if m.Num != l.num {
			continue
		}
		if k == 0 {
			return m.Data, true
		}
		k--
	}
	return nil, false // it was walked through before
}

// At returns element i. Behind the end it returns statistics that say nothing: lists may be shorter than the type tree.
func (l StatsList) At(i int) (ColumnStats, error) {
	b, ok := l.Bytes(i)
	if !ok {
		return ColumnStats{}, nil
	}
	s, err := ParseColumnStats(b)
	if err != nil {
		return ColumnStats{}, within(err, "statistics of column", i)
	}
	return s, nil
}

// ParseMetadata reads the statistics of stripes (specification, "File Metadata"): by stripe, then by type id. Both
// lists may be shorter than the file's. The result refers to b.
func ParseMetadata(b []byte, lim errs.Limits) ([]StatsList, error) {
	lim = lim.WithDefaults()
	n := 0
	m := pb.New(b)
	for m.Next() {
		if m.Num == 1 {
			n++
			m.Bytes()
		}
	}
	if m.Err != nil {
		return nil, m.Err
	}
	if n > lim.Splits {
		return nil, errs.Errorf(errs.ErrLimit, "statistics of %d stripes are over the limit Splits = %d", n, lim.Splits)
	}
	budget := newMetaBudget(lim)
	out := make([]StatsList, 0, n)
	for m = pb.New(b); m.Next(); {
		if m.Num != 1 {
			continue
		}
		l, err := newStatsList(m.Data, 1, budget)
		if err != nil {
			return nil, within(err, "statistics of stripe", len(out))
		}
		out = append(out, l)
	}
	return out, nil
}

// ParseFileStats reads a FileStatistics message, which holds an encrypted column's statistics for the whole file, by
// type id from the variant's root on; or a ColumnarStripeStatistics message, which holds those of one type, by stripe.
// The result refers to b.
func ParseFileStats(b []byte, lim errs.Limits) (StatsList, error) {
	return newStatsList(b, 1, newMetaBudget(lim.WithDefaults()))
}
