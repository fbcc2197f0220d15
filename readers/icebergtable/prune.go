package icebergtable

import (
	"math"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// leaf is a column of the table outside of lists and maps.
type leaf struct {
	id     int32
	typ    *iceberg.Type
	shown  arrow.DataType
	inside bool // of a struct
}

// leafAt returns the column at a path; nil = there is none, or it has no bounds.
func (t *table) leafAt(path string) *leaf {
	if l, ok := t.leaves.Load(path); ok {
		return l.(*leaf)
	}
	var found *leaf
	if at, err := expr.Resolve(t.schema, path); err == nil {
		found = t.leafBelow(at)
	}
	t.leaves.Store(path, found)
	return found
}

func (t *table) leafBelow(at []int) *leaf {
	fields, shown := t.fields, t.schema.Fields()
	for i, k := range at {
		f := &fields[k]
		if i == len(at)-1 {
			if f.Type.Kind >= iceberg.Struct || f.ID == iceberg.RowID || f.ID == iceberg.LastUpdatedID { // those are not about all rows
				return nil
			}
			return &leaf{f.ID, &f.Type, shown[k].Type, i > 0}
		}
		if f.Type.Kind != iceberg.Struct {
			return nil
		}
		fields, shown = f.Type.Fields, shown[k].Type.(*arrow.StructType).Fields()
	}
	return nil
}

// never implements arrowio.Fragment.Never: by the bounds of the file's columns, and by the values of its partition.
func (m *member) never(filter *expr.Bound) bool {
	if m.stats != nil && filter.Test(m.byBounds).Skip() {
		return true
	}
	return len(m.partition) > 0 && filter.Test(m.byPartition).Skip()
}

// always implements arrowio.Fragment.Always. Of each column counts what the partition says, and otherwise the bounds, or the other way round.
func (m *member) always(filter *expr.Bound) bool {
	for _, order := range [][2]func(path string) expr.Evidence{{m.byPartition, m.byBounds}, {m.byBounds, m.byPartition}} {
		if filter.Test(func(path string) expr.Evidence {
			if e := order[0](path); e != nil {
				return e
			}
			return order[1](path)
		}).All() {
			return true
		}
	}
	return false
}

// byBounds is what the manifest says of the column at a path.
func (m *member) byBounds(path string) expr.Evidence {
	l := m.table.leafAt(path)
	if l == nil {
		return nil
	}
	c, ok := m.stats[l.id]
	if !ok {
		return nil
	}
	s := expr.StatsOnly{Rows: m.Rows, Nulls: c.Nulls}
	if l.inside || m.Rows <= 0 || c.Nulls < 0 || c.Values != m.Rows { // nulls of the structs above may not be counted
		s.Rows, s.Nulls = 0, -1
	}
	// Writers do not agree on the order of uuids, and Iceberg's library has microseconds as bounds of nanoseconds in ORC.
	if l.typ.Kind == iceberg.UUID || m.Format == "orc" && (l.typ.Kind == iceberg.TimestampNS || l.typ.Kind == iceberg.TimestampTZNS) {
		return s
	}
	if c.Lower != nil {
		if v, ok := scalarOf(l.typ, l.shown, c.Lower); ok {
			s.Min = v
		}
	}
	if c.Upper != nil {
		if v, ok := scalarOf(l.typ, l.shown, c.Upper); ok {
			s.Max = v
		}
	}
	return s
}

// byPartition is what the values of the partition say of the column at a path.
func (m *member) byPartition(path string) expr.Evidence {
	l := m.table.leafAt(path)
	if l == nil {
		return nil
	}
	for _, p := range m.partition {
		if p.field.Source != l.id {
			continue
		}
		if s, ok := p.bounds(l); ok {
			return s
		}
	}
	return nil
}

// partitionValue is a field of the partition that a file is in, with its value as a single value; nil = null.
type partitionValue struct {
	field iceberg.PartitionField
	value []byte
}

// bounds returns what the value says of the column that it was made from.
func (p *partitionValue) bounds(l *leaf) (s expr.StatsOnly, ok bool) {
	kind := p.field.Transform.Kind
	if p.value == nil {
		// Every transform but void makes null of null alone.
		return expr.StatsOnly{Rows: 1, Nulls: 1}, kind != iceberg.Void && kind != iceberg.OtherTransform && !l.inside
	}
	s = expr.StatsOnly{Rows: -1}
	if l.inside {
		s = expr.StatsOnly{Nulls: -1}
	}
	switch kind {
	case iceberg.Identity:
		v, ok := scalarOf(l.typ, l.shown, p.value)
		s.Min, s.Max = v, v
		return s, ok
	case iceberg.Truncate:
		s.Min, s.Max = p.truncated(l)
		return s, s.Min != nil
	case iceberg.Year, iceberg.Month, iceberg.Day, iceberg.Hour:
		s.Min, s.Max = p.period(l)
		return s, s.Min != nil
	}
	return s, false
}

// truncated returns bounds of what was truncated to the value.
func (p *partitionValue) truncated(l *leaf) (low, high scalar.Scalar) {
	v, ok := scalarOf(l.typ, l.shown, p.value)
	if !ok {
		return nil, nil
	}
	w := p.field.Transform.Width
	switch l.typ.Kind {
	case iceberg.Int, iceberg.Long:
		n, _ := number(p.value)
		if n > math.MaxInt64-(w-1) {
			return v, nil
		}
		top := n + w - 1
		if l.typ.Kind == iceberg.Long {
			return v, scalar.NewInt64Scalar(top)
		}
		return v, scalar.NewInt32Scalar(int32(min(top, math.MaxInt32)))
	case iceberg.String:
		if int64(utf8.RuneCount(p.value)) < w {
			return v, v
		}
	case iceberg.Binary:
		if int64(len(p.value)) < w {
			return v, v
		}
	}
	return v, nil
}

const (
	daySeconds  = 24 * 3600
	hourSeconds = 3600
)

// period returns the first and the last moment of a year, month, day or hour.
func (p *partitionValue) period(l *leaf) (low, high scalar.Scalar) {
	n, ok := number(p.value)
	if !ok || n != int64(int32(n)) {
		return nil, nil
	}
	from, to := n, n+1 // to is the period after it
	if n <= 0 {
		from-- // old versions of Iceberg's library rounded moments before 1970 up
	}
	var start func(n int64) int64 // seconds since 1970
	switch p.field.Transform.Kind {
	case iceberg.Year:
		start = func(n int64) int64 { return daysOf(1970+n, 0) * daySeconds }
	case iceberg.Month:
		start = func(n int64) int64 { return daysOf(1970, n) * daySeconds }
	case iceberg.Day:
		start = func(n int64) int64 { return n * daySeconds }
	default:
		start = func(n int64) int64 { return n * hourSeconds }
	}
	first, after := start(from), start(to)
	perSecond := int64(1_000_000)
	switch l.typ.Kind {
	case iceberg.Date:
		if p.field.Transform.Kind == iceberg.Hour {
			return nil, nil
		}
		return scalar.NewDate32Scalar(arrow.Date32(first / daySeconds)), scalar.NewDate32Scalar(arrow.Date32(after/daySeconds - 1))
	case iceberg.TimestampNS, iceberg.TimestampTZNS:
		perSecond = 1_000_000_000
	case iceberg.Timestamp, iceberg.TimestampTZ:
	default:
		return nil, nil
	}
	if first < math.MinInt64/perSecond || after > math.MaxInt64/perSecond {
		return nil, nil
	}
	return scalar.NewTimestampScalar(arrow.Timestamp(first*perSecond), l.shown), scalar.NewTimestampScalar(arrow.Timestamp(after*perSecond-1), l.shown)
}

// daysOf returns the days from 1970 to the first day of a month, counted from January of a year, in the proleptic Gregorian
// calendar.
func daysOf(year, month int64) int64 {
	year += month / 12
	if month %= 12; month < 0 {
		month, year = month+12, year-1
	}
	// Days since 0000-03-01, where the day that leap years add is the last of a year.
	y, m := year, month+1
	if m <= 2 {
		y, m = y-1, m+12
	}
	era := y / 400
	if y < 0 {
		era = (y - 399) / 400
	}
	ofEra := y - era*400
	day := (153*(m-3) + 2) / 5
	return era*146097 + ofEra*365 + ofEra/4 - ofEra/100 + day - 719468
}
