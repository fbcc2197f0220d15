package orcwire

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

// statsMsgs are ColumnStatistics messages with what they mean, one of each kind.
var statsMsgs = []struct {
	name string
	b    wireMsg
	want ColumnStats
}{
	{"nothing", nil, ColumnStats{}},
	{"strange", wireMsg(nil).strange(), ColumnStats{}},
	{"counts", wireMsg(nil).uint(1, 7).uint(10, 1).uint(11, 1<<40), ColumnStats{HasValues: true, Values: 7, HasNull: Yes, HasBytes: true, BytesOnDisk: 1 << 40}},
	{"zeros", wireMsg(nil).uint(1, 0).uint(10, 0).uint(11, 0), ColumnStats{HasValues: true, HasNull: No, HasBytes: true}},
	{"int", wireMsg(nil).bytes(2, wireMsg(nil).sint(1, math.MinInt64).sint(2, math.MaxInt64)), ColumnStats{
		Int: &IntStats{Min: new(int64(math.MinInt64)), Max: new(int64(math.MaxInt64))},
	}},
	{"int sum", wireMsg(nil).bytes(2, wireMsg(nil).sint(3, -1)), ColumnStats{Int: &IntStats{Sum: new(int64(-1))}}},
	{"double", wireMsg(nil).bytes(3, wireMsg(nil).double(1, math.Inf(-1)).double(2, 0).double(3, 1.5)), ColumnStats{
		Double: &DoubleStats{Min: new(math.Inf(-1)), Max: new(0.0), Sum: new(1.5)},
	}},
	{"string", wireMsg(nil).bytes(4, wireMsg(nil).text(1, "").text(2, "zz\xff").sint(3, 99)), ColumnStats{
		String: &StringStats{Min: []byte{}, Max: []byte("zz\xff"), Sum: new(int64(99))},
	}},
	{"string bounds", wireMsg(nil).bytes(4, wireMsg(nil).text(4, "a").text(5, "b")), ColumnStats{
		String: &StringStats{Lower: []byte("a"), Upper: []byte("b")},
	}},
	{"bool", wireMsg(nil).bytes(5, wireMsg(nil).packed(1, 300)), ColumnStats{Bool: &BucketStats{True: []uint64{300}}}},
	{"bool not packed", wireMsg(nil).bytes(5, wireMsg(nil).uint(1, 3)), ColumnStats{Bool: &BucketStats{True: []uint64{3}}}},
	{"decimal", wireMsg(nil).bytes(6, wireMsg(nil).text(1, "-1.5").text(2, "12345678901234567890123456789012345678").text(3, "0")), ColumnStats{
		Decimal: &DecimalStats{Min: "-1.5", Max: "12345678901234567890123456789012345678", Sum: "0"},
	}},
	{"date", wireMsg(nil).bytes(7, wireMsg(nil).sint(1, math.MinInt32).sint(2, 18000)), ColumnStats{
		Date: &DateStats{Min: new(int32(math.MinInt32)), Max: new(int32(18000))},
	}},
	{"binary", wireMsg(nil).bytes(8, wireMsg(nil).sint(1, 5)), ColumnStats{Binary: &BinaryStats{Sum: new(int64(5))}}},
	{"timestamp", wireMsg(nil).bytes(9, wireMsg(nil).sint(1, -1).sint(2, 1)), ColumnStats{
		Timestamp: &TimestampStats{Min: new(int64(-1)), Max: new(int64(1)), MaxNanos: 999_999},
	}},
	{"timestamp nanos", wireMsg(nil).bytes(9, wireMsg(nil).sint(3, -5).sint(4, 6).uint(5, 123_457).uint(6, 1)), ColumnStats{
		Timestamp: &TimestampStats{MinUTC: new(int64(-5)), MaxUTC: new(int64(6)), MinNanos: 123_456, MaxNanos: 0},
	}},
	{"timestamp nanos out of range", wireMsg(nil).bytes(9, wireMsg(nil).uint(5, 0).uint(6, 1_000_001)), ColumnStats{
		Timestamp: &TimestampStats{MinNanos: 0, MaxNanos: 999_999},
	}},
	{"collection", wireMsg(nil).bytes(12, wireMsg(nil).uint(1, 0).uint(2, 9).uint(3, math.MaxUint64)), ColumnStats{
		Collection: &CollectionStats{MinChildren: new(uint64(0)), MaxChildren: new(uint64(9)), TotalChildren: new(uint64(math.MaxUint64))},
	}},
	{"geo", wireMsg(nil).bytes(13, wireMsg(nil).bytes(1, wireMsg(nil).double(1, 1).double(2, 2).double(3, 3).double(4, 4).double(5, 5).double(6, 6).double(7, 7).double(8, 8)).uint(2, 1).packed(2, 1001, 3003)), ColumnStats{
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
	for name, b := range map[string]wireMsg{
		"negative count":  wireMsg(nil).uint(1, 1<<63),
		"negative bytes":  wireMsg(nil).uint(11, 1<<63),
		"part as number":  wireMsg(nil).uint(2, 1),
		"min as bytes":    wireMsg(nil).bytes(2, wireMsg(nil).text(1, "x")),
		"date out of day": wireMsg(nil).bytes(7, wireMsg(nil).sint(1, 1<<31)),
		"part cut":        wireMsg(nil).bytes(9, []byte{0x08}),
		"box cut":         wireMsg(nil).bytes(13, wireMsg(nil).bytes(1, []byte{0x09, 0})),
	} {
		_, err := ParseColumnStats(b)
		wantKind(t, name, err, arrowio.ErrCorrupt)
	}
}

// count is a ColumnStatistics message with a count, of more bytes where pad is larger.
func count(n, pad int) wireMsg {
	return wireMsg(nil).uint(1, uint64(n)).bytes(4, wireMsg(nil).bytes(1, make([]byte, pad)))
}

func TestStatsList(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 127, 128, 129, 1000} {
		for _, pad := range []int{0, 200, 5000} {
			var b wireMsg
			for i := range n {
				b = b.strange().bytes(1, count(i, pad))
			}
			b = b.strange()
			l, err := ParseFileStats(b, arrowio.Limits{})
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
	l, err := ParseFileStats(wireMsg(nil).bytes(1, nil).bytes(1, []byte{0x08}), arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = l.At(1)
	wantKind(t, "element cut", err, arrowio.ErrCorrupt)
	_, err = ParseFileStats(wireMsg(nil).uint(1, 1), arrowio.Limits{})
	wantKind(t, "element as number", err, arrowio.ErrCorrupt)
}

func TestFooterStats(t *testing.T) {
	// Statistics may stand before the types, between other fields, and be more than there are types.
	b := wireMsg(nil).bytes(7, count(5, 1)).uint(6, 1).bytes(7, count(6, 1))
	b = append(b, footerOf(typeMsg(Struct, 1).names("a"), typeMsg(Int))...).bytes(7, count(7, 1))
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
	var b wireMsg
	for stripe := range 3 {
		var s wireMsg
		for column := range 70 * stripe {
			s = s.bytes(1, count(100*stripe+column, 0))
		}
		b = b.strange().bytes(1, s)
	}
	m, err := ParseMetadata(b, arrowio.Limits{})
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
	if m, err := ParseMetadata(nil, arrowio.Limits{}); err != nil || len(m) != 0 {
		t.Error(m, err)
	}
	_, err = ParseMetadata(b, arrowio.Limits{Splits: 2})
	wantKind(t, "splits", err, arrowio.ErrLimit)
	_, err = ParseMetadata(wireMsg(nil).bytes(1, []byte{0x0a}), arrowio.Limits{})
	wantKind(t, "cut", err, arrowio.ErrCorrupt)
	_, err = ParseMetadata(wireMsg(nil).uint(1, 5), arrowio.Limits{})
	wantKind(t, "number", err, arrowio.ErrCorrupt)
	small := wireMsg(nil).bytes(1, wireMsg(nil).bytes(1, statsMsgs[3].b).bytes(1, statsMsgs[8].b)).bytes(1, nil)
	corruptEverywhere(t, small, func(b []byte) error {
		m, err := ParseMetadata(b, arrowio.Limits{})
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
