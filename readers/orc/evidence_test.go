package orc

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/scalar"

	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// column makes a file of one type: struct<c:…>, or struct<s:struct<c:…>> if it is nested. Nothing can be read from it.
func column(t *testing.T, typ orcwire.Type, q orcwire.Quirks, o Options, nested bool) *subject {
	t.Helper()
	root := &orcwire.Type{Kind: orcwire.Struct}
	types := []*orcwire.Type{root}
	path, parent := "c", root
	if nested {
		parent = &orcwire.Type{ID: 1, Kind: orcwire.Struct, Parent: root}
		root.Children, root.Names = []*orcwire.Type{parent}, []string{"s"}
		types, path = append(types, parent), "s.c"
	}
	c := typ
	c.ID, c.Parent = len(types), parent
	parent.Children, parent.Names = []*orcwire.Type{&c}, []string{"c"}
	for i := range c.Children {
		c.Children[i] = &orcwire.Type{ID: c.ID + 1 + i, Kind: c.Children[i].Kind, Parent: &c}
		types = append(types, c.Children[i])
	}
	types = append(types, &c)
	f := &File{opt: o, quirks: q, footer: &orcwire.Footer{Types: types}, hybrid: o.Calendar == "hybrid"}
	var err error
	f.schema, err = orcwire.Schema(f.footer, orcwire.ArrowOptions{StringsAsBinary: o.BinaryStrings, TimestampUnit: f.unit(), Dictionary: o.Dictionary})
	if err != nil {
		t.Fatal(err)
	}
	f.showRoot()
	s := f.subject(path)
	if s == nil || s.typ != &c {
		t.Fatalf("path %s leads to %v", path, s)
	}
	return s
}

// told prints statistics: "-2..7, 3 of 10 null".
func told(s expr.Stats) string {
	text := func(v scalar.Scalar) string {
		switch v := v.(type) {
		case nil:
			return "?"
		case scalar.BinaryScalar:
			return fmt.Sprintf("%q", v.Data())
		case *scalar.Timestamp:
			return fmt.Sprint(int64(v.Value))
		case *scalar.Float64:
			if v.Value == 0 {
				return fmt.Sprintf("%+g", v.Value)
			}
		case *scalar.Decimal128:
			return v.Value.ToString(v.Type.(*arrow.Decimal128Type).Scale)
		}
		return v.String()
	}
	nulls := "?"
	if s.Nulls >= 0 {
		nulls = fmt.Sprint(s.Nulls)
	}
	return fmt.Sprintf("%s..%s, %s of %d null", text(s.Min), text(s.Max), nulls, s.Rows)
}

func TestEvidence(t *testing.T) {
	java := func(version uint32) orcwire.Quirks { return orcwire.Quirks{Version: version} }
	now := java(9)
	cpp, presto, trino := orcwire.Quirks{Writer: 1, Version: 6}, orcwire.Quirks{Writer: 2, Version: 6}, orcwire.Quirks{Writer: 4, Version: 6}
	utc, stripe := place{rows: 10, zone: zoneUTC}, place{rows: 10, merged: true}
	secs, micros, millis := arrow.Second, arrow.Microsecond, arrow.Millisecond
	integers := func(lo, hi int64) orcwire.ColumnStats {
		return orcwire.ColumnStats{HasValues: true, Values: 7, HasNull: orcwire.Yes, Int: &orcwire.IntStats{Min: &lo, Max: &hi}}
	}
	doubles := func(lo, hi, sum float64) orcwire.ColumnStats {
		return orcwire.ColumnStats{HasValues: true, Values: 10, HasNull: orcwire.No, Double: &orcwire.DoubleStats{Min: &lo, Max: &hi, Sum: &sum}}
	}
	noSum := func(s orcwire.ColumnStats) orcwire.ColumnStats { s.Double.Sum = nil; return s }
	texts := func(lo, hi string) orcwire.ColumnStats {
		return orcwire.ColumnStats{HasValues: true, Values: 10, String: &orcwire.StringStats{Min: []byte(lo), Max: []byte(hi)}}
	}
	cut := func(lo, hi string) orcwire.ColumnStats {
		return orcwire.ColumnStats{HasValues: true, Values: 10, String: &orcwire.StringStats{Lower: []byte(lo), Upper: []byte(hi)}}
	}
	dates := func(lo, hi int32) orcwire.ColumnStats {
		return orcwire.ColumnStats{HasValues: true, Values: 10, Date: &orcwire.DateStats{Min: &lo, Max: &hi}}
	}
	times := func(lo, hi int64, nanos ...int32) orcwire.ColumnStats {
		s := &orcwire.TimestampStats{MinUTC: &lo, MaxUTC: &hi, MaxNanos: 999_999}
		if nanos != nil {
			s.MinNanos, s.MaxNanos = nanos[0], nanos[1]
		}
		return orcwire.ColumnStats{HasValues: true, Values: 10, Timestamp: s}
	}
	decimals := func(lo, hi string) orcwire.ColumnStats {
		return orcwire.ColumnStats{HasValues: true, Values: 10, Decimal: &orcwire.DecimalStats{Min: lo, Max: hi}}
	}
	local := times(1, 2)
	local.Timestamp = &orcwire.TimestampStats{Min: local.Timestamp.MinUTC, Max: local.Timestamp.MaxUTC}
	bools := func(values int64, yes ...uint64) orcwire.ColumnStats {
		return orcwire.ColumnStats{HasValues: true, Values: values, HasNull: orcwire.Yes, Bool: &orcwire.BucketStats{True: yes}}
	}
	count := func(values int64, null orcwire.Tri) orcwire.ColumnStats {
		return orcwire.ColumnStats{HasValues: true, Values: values, HasNull: null}
	}
	typ := func(k orcwire.Kind) orcwire.Type { return orcwire.Type{Kind: k} }
	char := orcwire.Type{Kind: orcwire.Char, MaxLength: 5}
	dec := orcwire.Type{Kind: orcwire.Decimal, Precision: 20, Scale: 2}
	short := orcwire.Type{Kind: orcwire.Decimal, Precision: 9, Scale: 2}
	union := orcwire.Type{Kind: orcwire.Union, Children: []*orcwire.Type{{Kind: orcwire.Byte}}}
	list := orcwire.Type{Kind: orcwire.List, Children: []*orcwire.Type{{Kind: orcwire.Byte}}}
	const day = 86_400_000 // ms
	for i, k := range []struct {
		typ   orcwire.Type
		q     orcwire.Quirks
		o     Options
		at    place
		stats orcwire.ColumnStats
		want  string
	}{
		// Counts.
		{typ(orcwire.Long), now, Options{}, utc, orcwire.ColumnStats{}, "?..?, ? of 10 null"},
		{typ(orcwire.Long), now, Options{}, utc, count(10, orcwire.No), "?..?, 0 of 10 null"},
		{typ(orcwire.Long), now, Options{}, utc, count(10, orcwire.Unknown), "?..?, 0 of 10 null"},
		{typ(orcwire.Long), now, Options{}, utc, count(0, orcwire.Yes), "?..?, 10 of 10 null"},
		{typ(orcwire.Long), now, Options{}, utc, count(0, orcwire.Unknown), "?..?, ? of 10 null"}, // Hive's compactor
		{typ(orcwire.Long), now, Options{}, utc, count(0, orcwire.No), "?..?, ? of 10 null"},
		{typ(orcwire.Long), now, Options{}, utc, count(11, orcwire.No), "?..?, ? of 10 null"},
		{typ(orcwire.Long), cpp, Options{}, utc, count(9, orcwire.No), "?..?, ? of 10 null"},
		{typ(orcwire.Long), cpp, Options{}, utc, count(10, orcwire.Yes), "?..?, ? of 10 null"},
		{list, now, Options{}, utc, count(4, orcwire.Yes), "?..?, 6 of 10 null"},
		{union, now, Options{}, utc, count(4, orcwire.Yes), "?..?, ? of 10 null"},
		{short, java(3), Options{}, utc, count(4, orcwire.Yes), "?..?, ? of 10 null"}, // HIVE-13083
		{short, java(4), Options{}, utc, count(4, orcwire.Yes), "?..?, 6 of 10 null"},
		// Integers.
		{typ(orcwire.Long), now, Options{}, utc, integers(math.MinInt64, 5), "-9223372036854775808..5, 3 of 10 null"},
		{typ(orcwire.Int), now, Options{}, stripe, integers(-1, 5), "-1..5, 3 of 10 null"},
		{typ(orcwire.Int), java(0), Options{}, stripe, integers(-1, 5), "?..?, ? of 10 null"}, // HIVE-8732
		{typ(orcwire.Int), java(0), Options{}, utc, integers(-1, 5), "-1..5, 3 of 10 null"},
		{typ(orcwire.Byte), cpp, Options{}, utc, integers(5, 255), "?..?, 3 of 10 null"}, // unsigned char
		{typ(orcwire.Short), now, Options{}, utc, integers(-32768, 32767), "-32768..32767, 3 of 10 null"},
		{typ(orcwire.Short), now, Options{}, utc, integers(-32769, 0), "?..?, 3 of 10 null"},
		// Booleans.
		{typ(orcwire.Boolean), now, Options{}, utc, bools(7, 0), "false..false, 3 of 10 null"},
		{typ(orcwire.Boolean), now, Options{}, utc, bools(7, 7), "true..true, 3 of 10 null"},
		{typ(orcwire.Boolean), now, Options{}, utc, bools(7, 3), "false..true, 3 of 10 null"},
		{typ(orcwire.Boolean), now, Options{}, utc, bools(7, 3, 4), "?..?, 3 of 10 null"},
		{typ(orcwire.Boolean), now, Options{}, utc, bools(7, 8), "?..?, 3 of 10 null"},
		// Floats.
		{typ(orcwire.Double), now, Options{}, utc, doubles(-1.5, 2, 3), "-1.5..2, 0 of 10 null"},
		{typ(orcwire.Float), now, Options{}, utc, doubles(0, math.Copysign(0, -1), 0), "-0..+0, 0 of 10 null"},
		{typ(orcwire.Double), now, Options{}, utc, doubles(-1, 2, math.NaN()), "?..?, 0 of 10 null"},
		{typ(orcwire.Double), now, Options{}, utc, doubles(math.NaN(), 2, 3), "?..?, 0 of 10 null"},
		{typ(orcwire.Double), now, Options{}, utc, doubles(math.Inf(-1), math.Inf(1), math.NaN()), "?..?, 0 of 10 null"},
		{typ(orcwire.Double), now, Options{}, utc, noSum(doubles(-1, 2, 3)), "?..?, 0 of 10 null"},
		{typ(orcwire.Double), trino, Options{}, utc, noSum(doubles(-1, 2, 3)), "-1..2, 0 of 10 null"},
		{typ(orcwire.Double), presto, Options{}, utc, noSum(doubles(-1, 2, 3)), "-1..2, 0 of 10 null"},
		// Text.
		{typ(orcwire.String), now, Options{}, utc, texts("", "zz"), `"".."zz", 0 of 10 null`},
		{typ(orcwire.String), now, Options{Dictionary: true}, utc, texts("a", "b"), `"a".."b", 0 of 10 null`},
		{typ(orcwire.Varchar), now, Options{BinaryStrings: true}, utc, cut("a", "b"), `"a".."b", 0 of 10 null`},
		{typ(orcwire.String), now, Options{}, utc, texts("a\uFFFD", "b\uFFFD"), `?..?, 0 of 10 null`},
		{typ(orcwire.String), now, Options{}, utc, cut("a?", "b?"), `"a?"..?, 0 of 10 null`}, // half a surrogate pair
		{typ(orcwire.String), java(0), Options{}, utc, texts("é", "\uffee"), `"é"..?, 0 of 10 null`},
		{typ(orcwire.String), java(0), Options{}, stripe, texts("a", "b"), `?..?, ? of 10 null`},
		{char, now, Options{}, utc, texts("ab   ", "b    "), `"ab".."b    ", 0 of 10 null`},
		{char, now, Options{}, utc, texts("a\tb  ", "b\t   "), `"a".."b\t   ", 0 of 10 null`},
		{char, now, Options{KeepPadding: true}, utc, texts("ab   ", "b    "), `"ab".."b    ", 0 of 10 null`},
		{char, trino, Options{KeepPadding: true}, utc, texts("ab", "b"), `"ab"..?, 0 of 10 null`},
		// Dates.
		{typ(orcwire.Date), now, Options{}, utc, dates(-200_000, 5), "1422-06-03..1970-01-06, 0 of 10 null"},
		{typ(orcwire.Date), now, Options{Calendar: "hybrid"}, utc, dates(-141_428, 5), "?..1970-01-06, 0 of 10 null"},
		{typ(orcwire.Date), now, Options{Calendar: "hybrid"}, utc, dates(-141_427, 5), "1582-10-15..1970-01-06, 0 of 10 null"},
		{typ(orcwire.Date), now, Options{Calendar: "hybrid"}, utc, dates(-200_000, -150_000), "?..?, 0 of 10 null"},
		// Times: nanoseconds within the millisecond; units; local time; zones.
		{typ(orcwire.Timestamp), now, Options{}, utc, times(2*day, 3*day), "172800000000000..259200000999999, 0 of 10 null"},
		{typ(orcwire.Timestamp), now, Options{}, utc, times(2*day, 3*day, 7, 123456), "172800000000007..259200000123456, 0 of 10 null"},
		{typ(orcwire.Timestamp), now, Options{Unit: &micros}, utc, times(2*day, 3*day, 7999, 123456), "172800000007..259200000123, 0 of 10 null"},
		{typ(orcwire.Timestamp), now, Options{Unit: &millis}, utc, times(2*day, 3*day, 7999, 123456), "172800000..259200000, 0 of 10 null"},
		{typ(orcwire.Timestamp), now, Options{Unit: &secs}, utc, times(2*day+999, 3*day+999), "172800..259200, 0 of 10 null"},
		{typ(orcwire.Timestamp), now, Options{Unit: &secs}, utc, times(-2*day-1, -2*day-1), "-172802..-172800, 0 of 10 null"}, // -172800.001, a second either way
		{typ(orcwire.Timestamp), now, Options{Unit: &millis}, utc, times(-500, 2*day), "-1500..172800000, 0 of 10 null"},
		{typ(orcwire.Timestamp), now, Options{Unit: &millis}, place{rows: 10}, times(10*day, 20*day), "774000000..1818000000, 0 of 10 null"},
		{typ(orcwire.Timestamp), now, Options{Unit: &millis}, place{rows: 10, zone: zoneRules}, times(-1, 20*day), "-90001001..1742400000, 0 of 10 null"},
		{typ(orcwire.Timestamp), now, Options{Unit: &millis}, place{rows: 10, zone: zoneRules}, times(10*day, 20*day), "849600000..1742400000, 0 of 10 null"},
		{typ(orcwire.Timestamp), cpp, Options{Unit: &millis}, place{rows: 10, zone: zoneRules}, times(10*day, 20*day), "774000000..1818000000, 0 of 10 null"},
		{typ(orcwire.Timestamp), now, Options{Unit: &millis}, place{rows: 10, zone: zoneMissing}, times(10*day, 20*day), "?..?, 0 of 10 null"},
		{typ(orcwire.Timestamp), presto, Options{Unit: &millis}, utc, times(10*day, 20*day), "?..?, 0 of 10 null"},
		{typ(orcwire.TimestampInstant), now, Options{Unit: &millis}, place{rows: 10}, times(10*day, 20*day), "864000000..1728000000, 0 of 10 null"},
		{typ(orcwire.Timestamp), java(5), Options{}, utc, local, "?..?, 0 of 10 null"},
		{typ(orcwire.Timestamp), now, Options{}, utc, times(math.MinInt64, math.MaxInt64), "?..?, 0 of 10 null"},
		{typ(orcwire.Timestamp), now, Options{}, utc, times(2*day, 9_300_000_000_000_000), "172800000000000..?, 0 of 10 null"},
		{typ(orcwire.Timestamp), now, Options{Unit: &millis, Calendar: "hybrid"}, utc, times(-141_428*day, 2*day), "?..172800000, 0 of 10 null"},
		// Decimals: text, rounded outwards where there are more digits than the column has.
		{dec, now, Options{}, utc, decimals("-1.5", "12345678901234567"), "-1.50..12345678901234567.00, 0 of 10 null"},
		{dec, now, Options{}, utc, decimals("-1.501", "1.501"), "-1.51..1.51, 0 of 10 null"},
		{dec, now, Options{}, utc, decimals("1.509", "-1.509"), "1.50..-1.50, 0 of 10 null"},
		{dec, now, Options{}, utc, decimals("-1E+3", "25e-1"), "-1000.00..2.50, 0 of 10 null"},
		{dec, now, Options{}, utc, decimals("", "x"), "?..?, 0 of 10 null"},
		{dec, now, Options{}, utc, decimals("1e99999", "--1"), "?..?, 0 of 10 null"},
		{dec, now, Options{}, utc, decimals("-1e40", "1e40"), "?..?, 0 of 10 null"},
		{dec, java(6), Options{}, utc, decimals("1", "2"), "1.00..2.00, 0 of 10 null"},
		{short, java(6), Options{}, utc, decimals("1", "2"), "?..?, 0 of 10 null"}, // ORC-517
		{short, cpp, Options{}, utc, decimals("1", "2"), "1.00..2.00, 0 of 10 null"},
	} {
		c := column(t, k.typ, k.q, k.o, false)
		if got := told(c.stats(&k.stats, k.at)); got != k.want {
			t.Errorf("%d: %v: %s, want %s", i, c.typ.Kind, got, k.want)
		}
	}
}

// A child of a struct is null where the struct is: nulls are the rows without a value, whatever hasNull says, which is
// about the structs that are there.
func TestEvidenceNested(t *testing.T) {
	c := column(t, orcwire.Type{Kind: orcwire.Long}, orcwire.Quirks{Version: 9}, Options{}, true)
	for _, k := range []struct {
		values int64
		null   orcwire.Tri
		want   int64
	}{{6, orcwire.No, 4}, {6, orcwire.Yes, 4}, {6, orcwire.Unknown, 4}, {10, orcwire.No, 0}, {10, orcwire.Yes, -1}, {0, orcwire.No, -1}, {0, orcwire.Yes, 10}, {11, orcwire.No, -1}} {
		s := orcwire.ColumnStats{HasValues: true, Values: k.values, HasNull: k.null}
		if got := c.stats(&s, place{rows: 10}).Nulls; got != k.want {
			t.Errorf("%d values, hasNull %d: %d nulls, want %d", k.values, k.null, got, k.want)
		}
	}
}

// A bound of padded values without its padding must not rise above a value without its own.
func TestUnpaddedBounds(t *testing.T) {
	values := []string{"", "a", "a\t", "a\tb", "a b", "ab", " ", " a", "\t", "b", "é", "a\x00"}
	pad := func(s string) string { return fmt.Sprintf("%-6s", s) }
	bare := func(s string) string { return string(unpadded([]byte(pad(s)))) }
	for _, least := range values {
		for _, v := range values {
			if pad(v) < pad(least) {
				continue
			}
			stripped := v
			for len(stripped) > 0 && stripped[len(stripped)-1] == ' ' {
				stripped = stripped[:len(stripped)-1]
			}
			if bare(least) > stripped {
				t.Errorf("a bound of %q becomes %q, which is above %q", pad(least), bare(least), stripped)
			}
		}
	}
}

func TestParseDecimal(t *testing.T) {
	for _, k := range []struct {
		text     string
		scale    int
		down, up int64
		ok       bool
	}{
		{"0", 2, 0, 0, true},
		{"-0.5", 0, -1, 0, true},
		{"0.5", 0, 0, 1, true},
		{"+12.3", 1, 123, 123, true},
		{".5", 1, 5, 5, true},
		{"5.", 1, 50, 50, true},
		{"1.00000", 2, 100, 100, true},
		{"-1.001", 2, -101, -100, true},
		{"1e2", 0, 100, 100, true},
		{"1E-2", 1, 0, 1, true},
		{"-", 0, 0, 0, false},
		{".", 0, 0, 0, false},
		{"", 0, 0, 0, false},
		{"1-2", 0, 0, 0, false},
		{"1.2.3", 0, 0, 0, false},
		{"1.-2", 0, 0, 0, false},
		{"0x10", 0, 0, 0, false},
		{"1_0", 0, 0, 0, false},
		{"1e", 0, 0, 0, false},
		{"NaN", 0, 0, 0, false},
	} {
		for up, want := range map[bool]int64{false: k.down, true: k.up} {
			got, ok := parseDecimal(k.text, k.scale, up)
			if ok != k.ok || ok && got.Cmp(big.NewInt(want)) != 0 {
				t.Errorf("%q of scale %d, up %v: %v, %v; want %d, %v", k.text, k.scale, up, got, ok, want, k.ok)
			}
		}
	}
}

func TestDecimalText(t *testing.T) {
	for _, k := range []struct {
		v     int64
		scale int
		want  string
	}{{0, 0, "0"}, {0, 3, "0"}, {100, 2, "1"}, {-150, 2, "-1.5"}, {5, 3, "0.005"}, {-5, 1, "-0.5"}, {1200, 0, "1200"}, {1234, 4, "0.1234"}} {
		if got := decimalText(big.NewInt(k.v), k.scale); got != k.want {
			t.Errorf("%d of scale %d: %q, want %q", k.v, k.scale, got, k.want)
		}
	}
}

func FuzzParseDecimal(f *testing.F) {
	f.Add("-12.5e3", 2)
	f.Add("0.000000000000000000000000001", 18)
	f.Fuzz(func(t *testing.T, text string, scale int) {
		scale = min(max(scale, 0), 38)
		lo, ok := parseDecimal(text, scale, false)
		hi, same := parseDecimal(text, scale, true)
		if ok != same {
			t.Fatalf("%q: %v, %v", text, ok, same)
		}
		if !ok {
			return
		}
		q, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%q is no number", text)
		}
		q.Mul(q, new(big.Rat).SetInt(tenTo(scale)))
		if q.Cmp(new(big.Rat).SetInt(lo)) < 0 || q.Cmp(new(big.Rat).SetInt(hi)) > 0 || new(big.Int).Sub(hi, lo).Cmp(big.NewInt(1)) > 0 {
			t.Fatalf("%q times 10^%d is not within %v and %v", text, scale, lo, hi)
		}
	})
}
