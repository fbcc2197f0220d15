package orcwire

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb/pbtest"
)

// statsMsgs are ColumnStatistics messages with what they mean, one of each kind.
var statsMsgs = []struct {
	name string
	b    pbtest.Message
	want ColumnStats
}{
	{"nothing", nil, ColumnStats{}},
	{"strange", pbtest.Message(nil).Strange(), ColumnStats{}},
	{"counts", pbtest.Message(nil).Uint(1, 7).Uint(10, 1).Uint(11, 1<<40), ColumnStats{HasValues: true, Values: 7, HasNull: Yes, HasBytes: true, BytesOnDisk: 1 << 40}},
	{"zeros", pbtest.Message(nil).Uint(1, 0).Uint(10, 0).Uint(11, 0), ColumnStats{HasValues: true, HasNull: No, HasBytes: true}},
	{"int", pbtest.Message(nil).Bytes(2, pbtest.Message(nil).Sint(1, math.MinInt64).Sint(2, math.MaxInt64)), ColumnStats{
		Int: &IntStats{Min: new(int64(math.MinInt64)), Max: new(int64(math.MaxInt64))},
	}},
	{"int sum", pbtest.Message(nil).Bytes(2, pbtest.Message(nil).Sint(3, -1)), ColumnStats{Int: &IntStats{Sum: new(int64(-1))}}},
	{"double", pbtest.Message(nil).Bytes(3, pbtest.Message(nil).Double(1, math.Inf(-1)).Double(2, 0).Double(3, 1.5)), ColumnStats{
		Double: &DoubleStats{Min: new(math.Inf(-1)), Max: new(0.0), Sum: new(1.5)},
	}},
	{"string", pbtest.Message(nil).Bytes(4, pbtest.Message(nil).Text(1, "").Text(2, "zz\xff").Sint(3, 99)), ColumnStats{
		String: &StringStats{Min: []byte{}, Max: []byte("zz\xff"), Sum: new(int64(99))},
	}},
	{"string bounds", pbtest.Message(nil).Bytes(4, pbtest.Message(nil).Text(4, "a").Text(5, "b")), ColumnStats{
		String: &StringStats{Lower: []byte("a"), Upper: []byte("b")},
	}},
	{"bool", pbtest.Message(nil).Bytes(5, pbtest.Message(nil).Packed(1, 300)), ColumnStats{Bool: &BucketStats{True: []uint64{300}}}},
	{"bool not packed", pbtest.Message(nil).Bytes(5, pbtest.Message(nil).Uint(1, 3)), ColumnStats{Bool: &BucketStats{True: []uint64{3}}}},
	{"decimal", pbtest.Message(nil).Bytes(6, pbtest.Message(nil).Text(1, "-1.5").Text(2, "12345678901234567890123456789012345678").Text(3, "0")), ColumnStats{
		Decimal: &DecimalStats{Min: "-1.5", Max: "12345678901234567890123456789012345678", Sum: "0"},
	}},
	{"date", pbtest.Message(nil).Bytes(7, pbtest.Message(nil).Sint(1, math.MinInt32).Sint(2, 18000)), ColumnStats{
		Date: &DateStats{Min: new(int32(math.MinInt32)), Max: new(int32(18000))},
	}},
	{"binary", pbtest.Message(nil).Bytes(8, pbtest.Message(nil).Sint(1, 5)), ColumnStats{Binary: &BinaryStats{Sum: new(int64(5))}}},
	{"timestamp", pbtest.Message(nil).Bytes(9, pbtest.Message(nil).Sint(1, -1).Sint(2, 1)), ColumnStats{
		Timestamp: &TimestampStats{Min: new(int64(-1)), Max: new(int64(1)), MaxNanos: 999_999},
	}},
	{"timestamp nanos", pbtest.Message(nil).Bytes(9, pbtest.Message(nil).Sint(3, -5).Sint(4, 6).Uint(5, 123_457).Uint(6, 1)), ColumnStats{
		Timestamp: &TimestampStats{MinUTC: new(int64(-5)), MaxUTC: new(int64(6)), MinNanos: 123_456, MaxNanos: 0},
	}},
	{"timestamp nanos out of range", pbtest.Message(nil).Bytes(9, pbtest.Message(nil).Uint(5, 0).Uint(6, 1_000_001)), ColumnStats{
		Timestamp: &TimestampStats{MinNanos: 0, MaxNanos: 999_999},
	}},
	{"collection", pbtest.Message(nil).Bytes(12, pbtest.Message(nil).Uint(1, 0).Uint(2, 9).Uint(3, math.MaxUint64)), ColumnStats{
		Collection: &CollectionStats{MinChildren: new(uint64(0)), MaxChildren: new(uint64(9)), TotalChildren: new(uint64(math.MaxUint64))},
	}},
	{"geo", pbtest.Message(nil).Bytes(13, pbtest.Message(nil).Bytes(1, pbtest.Message(nil).Double(1, 1).Double(2, 2).Double(3, 3).Double(4, 4).Double(5, 5).Double(6, 6).Double(7, 7).Double(8, 8)).Uint(2, 1).Packed(2, 1001, 3003)), ColumnStats{
		Geo: &GeoStats{
			Box:   &BoundingBox{XMin: 1, XMax: 2, YMin: 3, YMax: 4, ZMin: new(5.0), ZMax: new(6.0), MMin: new(7.0), MMax: new(8.0)},
			Types: []int32{1, 1001, 3003},
		},
	}},
}

func TestColumnStats(t *testing.T) {
	for _, c := range statsMsgs {
		s, err := ParseColumnStats(c.b)
		if err != nil || !reflect.DeepEqual(s, c.want) {
			t.Errorf("%s: %+v, %v; want %+v", c.name, s, err, c.want)
		}
		corruptEverywhere(t, c.b, func(b []byte) error {
			_, err := ParseColumnStats(b)
			return err
		})
	}
	for name, b := range map[string]pbtest.Message{
		"negative count":  pbtest.Message(nil).Uint(1, 1<<63),
		"negative bytes":  pbtest.Message(nil).Uint(11, 1<<63),
		"part as number":  pbtest.Message(nil).Uint(2, 1),
		"min as bytes":    pbtest.Message(nil).Bytes(2, pbtest.Message(nil).Text(1, "x")),
		"date out of day": pbtest.Message(nil).Bytes(7, pbtest.Message(nil).Sint(1, 1<<31)),
		"part cut":        pbtest.Message(nil).Bytes(9, []byte{0x08}),
		"box cut":         pbtest.Message(nil).Bytes(13, pbtest.Message(nil).Bytes(1, []byte{0x09, 0})),
	} {
		_, err := ParseColumnStats(b)
		wantKind(t, name, err, errs.ErrCorrupt)
	}
}

// count is a ColumnStatistics message with a count, of more bytes where pad is larger.
func count(n, pad int) pbtest.Message {
	return pbtest.Message(nil).Uint(1, uint64(n)).Bytes(4, pbtest.Message(nil).Bytes(1, make([]byte, pad)))
}

func TestStatsList(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 127, 128, 129, 1000} {
		for _, pad := range []int{0, 200, 5000} {
			var b pbtest.Message
			for i := range n {
				b = b.Strange().Bytes(1, count(i, pad))
			}
			b = b.Strange()
			l, err := ParseFileStats(b, errs.Limits{})
			if err != nil || l.Len() != n {
				t.Fatal(l.Len(), err)
			}
			for i := range n {
				if s, err := l.At(i); err != nil || !s.HasValues || s.Values != int64(i) {
					t.Fatalf("%d of %d: %+v, %v", i, n, s, err)
				}
			}
			for _, i := range []int{-1, n, math.MaxInt} {
				if s, err := l.At(i); err != nil || s.HasValues || s.HasNull != Unknown {
					t.Fatalf("%d of %d: %+v, %v", i, n, s, err)
				}
				if b, ok := l.Bytes(i); ok || b != nil {
					t.Fatalf("%d of %d: %x", i, n, b)
				}
			}
		}
	}
	if s, err := (StatsList{}).At(0); err != nil || s.HasValues {
		t.Error(s, err)
	}
	l, err := ParseFileStats(pbtest.Message(nil).Bytes(1, nil).Bytes(1, []byte{0x08}), errs.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.At(1)
	wantKind(t, "element cut", err, errs.ErrCorrupt)
	_, err = ParseFileStats(pbtest.Message(nil).Uint(1, 1), errs.Limits{})
	wantKind(t, "element as number", err, errs.ErrCorrupt)
}

func TestFooterStats(t *testing.T) {
	// Statistics may stand before the types, between other fields, and be more than there are types.
	b := pbtest.Message(nil).Bytes(7, count(5, 1)).Uint(6, 1).Bytes(7, count(6, 1))
	b = append(b, footerOf(names(typeMsg(Struct, 1), "a"), typeMsg(Int))...).Bytes(7, count(7, 1))
	f := mustFooter(t, b)
	if f.Stats.Len() != 2 {
		t.Error(f.Stats.Len())
	}
	for i, want := range []int64{5, 6} {
		if s, err := f.Stats.At(i); err != nil || s.Values != want {
			t.Errorf("%+v, %v", s, err)
		}
	}
}

func TestMetadata(t *testing.T) {
	var b pbtest.Message
	for stripe := range 3 {
		var s pbtest.Message
		for column := range 70 * stripe {
			s = s.Bytes(1, count(100*stripe+column, 0))
		}
		b = b.Strange().Bytes(1, s)
	}
	m, err := ParseMetadata(b, errs.Limits{})
	if err != nil || len(m) != 3 {
		t.Fatal(len(m), err)
	}
	for stripe, l := range m {
		if l.Len() != 70*stripe {
			t.Error(stripe, l.Len())
		}
		for i := range l.Len() {
			if s, err := l.At(i); err != nil || s.Values != int64(100*stripe+i) {
				t.Fatalf("stripe %d, column %d: %+v, %v", stripe, i, s, err)
			}
		}
	}
	if m, err := ParseMetadata(nil, errs.Limits{}); err != nil || len(m) != 0 {
		t.Error(m, err)
	}
	_, err = ParseMetadata(b, errs.Limits{Splits: 2})
	wantKind(t, "splits", err, errs.ErrLimit)
	_, err = ParseMetadata(pbtest.Message(nil).Bytes(1, []byte{0x0a}), errs.Limits{})
	wantKind(t, "cut", err, errs.ErrCorrupt)
	_, err = ParseMetadata(pbtest.Message(nil).Uint(1, 5), errs.Limits{})
	wantKind(t, "number", err, errs.ErrCorrupt)
	small := pbtest.Message(nil).Bytes(1, pbtest.Message(nil).Bytes(1, statsMsgs[3].b).Bytes(1, statsMsgs[8].b)).Bytes(1, nil)
	corruptEverywhere(t, small, func(b []byte) error {
		m, err := ParseMetadata(b, errs.Limits{})
		for _, l := range m {
			for i := range l.Len() {
				if _, err := l.At(i); err != nil {
					return fmt.Errorf("element: %w", err)
				}
			}
		}
		return err
	})
}
