package orc

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// What ColumnStatisticsImpl of orc-core 2.3.1 says of the same values in the same order.
func TestIntStats(t *testing.T) {
	const least, most = math.MinInt64, math.MaxInt64
	for _, k := range []struct {
		values []int64
		want   string
	}{
		{[]int64{}, "? ? 0"},
		{[]int64{most, 1, -1}, "-1 9223372036854775807 ?"},
		{[]int64{most, -1, 1}, "-1 9223372036854775807 9223372036854775807"},
		{[]int64{least}, "-9223372036854775808 -9223372036854775808 -9223372036854775808"},
		{[]int64{least, -1}, "-9223372036854775808 -1 ?"},
		{[]int64{least, 1, -1}, "-9223372036854775808 1 -9223372036854775808"},
		{[]int64{5, -5, 7}, "-5 7 7"},
	} {
		// However they are cut into batches.
		for cut := range len(k.values) + 1 {
			s := new(intStats)
			addInts(s, k.values[:cut])
			addInts(s, k.values[cut:])
			if got := intText(s.endGroup()); got != k.want {
				t.Errorf("%d cut at %d: %s, want %s", k.values, cut, got, k.want)
			}
		}
	}
}

func intText(s *orcwire.ColumnStats) string {
	text := func(v *int64) string {
		if v == nil {
			return "?"
		}
		return fmt.Sprint(*v)
	}
	return text(s.Int.Min) + " " + text(s.Int.Max) + " " + text(s.Int.Sum)
}

// A sum that overflowed in one place has overflowed above it, and nowhere else.
func TestIntStatsMerge(t *testing.T) {
	s := new(intStats)
	group := func(want string, v ...int64) {
		t.Helper()
		addInts(s, v)
		s.count(len(v), false)
		if got := intText(s.endGroup()); got != want {
			t.Errorf("row group %s, want %s", got, want)
		}
	}
	group("1 1 1", 1)
	group("9223372036854775807 9223372036854775807 ?", math.MaxInt64, math.MaxInt64)
	group("-3 -3 -3", -3)
	group("? ? 0")
	if got := intText(s.endStripe(10)); got != "-3 9223372036854775807 ?" {
		t.Errorf("stripe %s", got)
	}
	group("4 5 9", 4, 5)
	if got := intText(s.endStripe(0)); got != "4 5 9" {
		t.Errorf("stripe %s", got)
	}
	group("9223372036854775807 9223372036854775807 9223372036854775807", math.MaxInt64)
	group("1 1 1", 1)
	if got := intText(s.endStripe(5)); got != "1 9223372036854775807 ?" {
		t.Errorf("sum of row groups that overflows: %s", got)
	}
	file := s.file()
	if got := intText(file); got != "-3 9223372036854775807 ?" || file.Values != 8 || file.BytesOnDisk != 15 || !file.HasBytes || file.HasNull != orcwire.No {
		t.Errorf("file %s, %+v", got, file)
	}
}

// Long slices of all widths against a sum without a bound, value by value.
func TestIntStatsRandom(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for round := range 300 {
		n, bits := r.Intn(3*statsBlock), uint(1+r.Intn(64))
		v := make([]int64, n)
		sum, over := new(big.Int), false
		for i := range v {
			v[i] = int64(r.Uint64()) >> (64 - bits)
			sum.Add(sum, big.NewInt(v[i]))
			over = over || !sum.IsInt64()
		}
		want := "? ? 0"
		if n > 0 {
			want = fmt.Sprint(slices.Min(v), slices.Max(v), sum)
			if over {
				want = fmt.Sprint(slices.Min(v), slices.Max(v), " ?")
			}
		}
		s := new(intStats)
		addInts(s, v)
		if got := intText(s.endGroup()); got != want {
			t.Fatalf("round %d, %d values of %d bits: %s, want %s", round, n, bits, got, want)
		}
	}
	s := new(intStats)
	addInts(s, []int8{-128, 127, 3, 4, 5})
	addInts(s, []int16{-300})
	addInts(s, []int32{1 << 30})
	if got := intText(s.endGroup()); got != "-300 1073741824 1073741535" {
		t.Error(got)
	}
}

// The zeros bound outwards; the rest is what Java says.
func TestDoubleStats(t *testing.T) {
	nan, inf, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	for _, k := range []struct {
		values []float64
		want   string
	}{
		{[]float64{}, "sum 0"},
		{[]float64{nan, 1, 2}, "NaN NaN sum NaN"},
		{[]float64{1, nan, 2}, "1 2 sum NaN"},
		{[]float64{0, zero}, "-0 0 sum 0"},
		{[]float64{zero, 0}, "-0 0 sum 0"},
		{[]float64{zero}, "-0 0 sum 0"},
		{[]float64{-1, 0}, "-1 0 sum -1"},
		{[]float64{inf, -inf}, "-Inf +Inf sum NaN"},
		{[]float64{1e308, 1e308, -1e308}, "-1e+308 1e+308 sum +Inf"},
	} {
		for cut := range len(k.values) + 1 {
			s := new(doubleStats)
			addFloats(s, k.values[:cut])
			addFloats(s, k.values[cut:])
			told := s.endGroup()
			for what, d := range map[string]*orcwire.DoubleStats{"group": told.Double, "file": s.endStripe(0).Double} {
				got := fmt.Sprint("sum ", *d.Sum)
				if d.Min != nil {
					got = fmt.Sprint(*d.Min, *d.Max, " ", got)
				}
				if got != k.want {
					t.Errorf("%s of %v cut at %d: %s, want %s", what, k.values, cut, got, k.want)
				}
			}
		}
	}
	s := new(doubleStats)
	addFloats(s, []float32{0.1, -3})
	if d := s.endGroup().Double; *d.Max != float64(float32(0.1)) || *d.Min != -3 || *d.Sum != float64(float32(0.1))-3 {
		t.Errorf("%g %g %g", *d.Min, *d.Max, *d.Sum)
	}
}

func stringBatch(values ...string) (offsets []int32, data []byte) {
	// Not at the beginning, and with others behind.
	data = []byte("\xff\xff")
	for _, v := range values {
		offsets = append(offsets, int32(len(data)))
		data = append(data, v...)
	}
	return append(offsets, int32(len(data))), append(data, '\xff')
}

// Bounds of long values: lengths and last bytes are Java's.
func TestLongStrings(t *testing.T) {
	x := strings.Repeat("x", 1023)
	for _, k := range []struct{ value, lower, upper string }{
		{x + "ab", x + "a", x + "b"},
		{x + "éb", x, x[1:] + "y"},
		{x[1:] + "\u07ff!", x[1:] + "\u07ff", x[1:] + "\u0800"}, // a byte longer than mostBound
		{x[2:] + "\U0001f600zz", x[2:], x[3:] + "y"},
		{x[2:] + "\uffee!!", x[2:] + "\uffee", x[2:] + "\uffef"},
		{x[1:] + "\ud7ff!!", x[1:], x[2:] + "y"},
		// Where Java writes no text, or what is no bound:
		{x + "~~", x + "~", x + "\x7f"},
		{x[2:] + "\ud7ff!!", x[2:] + "\ud7ff", x[2:] + "\ue000"},
		{x[2:] + "\ufffe!!", x[2:] + "\ufffe", x[2:] + "\uffff"},
		{x[3:] + "\U0010ffff!!", x[3:] + "\U0010ffff", x[4:] + "y"},
		{strings.Repeat("\U0010ffff", 257), strings.Repeat("\U0010ffff", 256), strings.Repeat("\U0010ffff", 257)},
	} {
		s := new(stringStats)
		s.add(stringBatch(k.value))
		got := s.endGroup().String
		upper := got.Upper
		if upper == nil {
			upper = got.Max
		}
		if string(got.Lower) != k.lower || string(upper) != k.upper || got.Min != nil || *got.Sum != int64(len(k.value)) {
			t.Errorf("…%q: %d bytes …%q to %d bytes …%q, %d\nwant %d …%q to %d …%q", tail(k.value), len(got.Lower), tail(string(got.Lower)),
				len(upper), tail(string(upper)), *got.Sum, len(k.lower), tail(k.lower), len(k.upper), tail(k.upper))
		}
	}
	s := new(stringStats)
	s.add(stringBatch(x + "y"))
	if got := s.endGroup().String; string(got.Min) != x+"y" || string(got.Max) != x+"y" {
		t.Errorf("1024 bytes are cut: %+v", got)
	}
	// What lies between a bound and the value it stands for changes nothing.
	values := []string{x + "mmm", x + "m", x + "mz", x + "n", x + "mm"}
	for cut := range len(values) {
		s := new(stringStats)
		s.add(stringBatch(values[:cut]...))
		s.add(stringBatch(values[cut:]...))
		got := s.endGroup().String
		if string(got.Lower) != x+"m" || string(got.Upper) != x+"n" || *got.Sum != 5124 {
			t.Errorf("cut at %d: …%q to …%q, %d", cut, tail(string(got.Lower)), tail(string(got.Upper)), *got.Sum)
		}
	}
}

func tail(s string) string { return s[max(0, len(s)-6):] }

// Bounds are text, whatever the values are.
func TestStringsThatAreNoText(t *testing.T) {
	for _, k := range []struct{ value, lower, upper string }{
		{"ab\xff", "ab", "ac"},
		{"ab\x80c", "ab", "ac"},
		{"\u07ff\xc0", "\u07ff", "\u0800"},
		{strings.Repeat("a\x80\x80\x80\x80\x80", 300), "a", "b"},
		{"\xff", "", "\xff"}, // nothing above it is text
	} {
		s := new(stringStats)
		s.add(stringBatch(k.value))
		got := s.endGroup().String
		upper := got.Upper
		if upper == nil {
			upper = got.Max
		}
		if got.Lower == nil || string(got.Lower) != k.lower || string(upper) != k.upper {
			t.Errorf("%.10q: %q to %q, want %q to %q", k.value, got.Lower, upper, k.lower, k.upper)
		}
	}
}

// Values of few different bytes, so that many begin alike, against a search without keys; as they are and as words of a
// dictionary that grows, in row groups, stripes and file.
func TestStringStatsRandom(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	var all []string
	plain, byID := new(stringStats), new(stringStats)
	for range 20 {
		var stripe []string
		var words []string
		for range r.Intn(5) {
			var group []string
			used := map[string]bool{}
			for range r.Intn(3) { // batches
				var ids []int32
				var batch []string
				for range r.Intn(50) {
					var v string
					if len(words) > 0 && r.Intn(3) > 0 {
						k := r.Intn(len(words))
						ids, v = append(ids, int32(k)), words[k]
					} else {
						b := make([]byte, r.Intn(12))
						for i := range b {
							b[i] = "\x00\x00ab"[r.Intn(4)]
						}
						if v = string(b); slices.Contains(words, v) {
							continue
						}
						ids, words = append(ids, int32(len(words))), append(words, v)
					}
					batch = append(batch, v)
				}
				group = append(group, batch...)
				plain.add(stringBatch(batch...))
				offsets, data := stringBatch(words...)
				for _, id := range byID.addIDs(ids, lengthOf(ids, offsets), offsets, data) {
					if used[words[id]] {
						t.Fatalf("%q is new twice", words[id])
					}
					used[words[id]] = true
				}
			}
			for _, v := range group {
				if !used[v] {
					t.Fatalf("%q is not among the words", v)
				}
			}
			stripe = append(stripe, group...)
			checkStrings(t, group, plain.endGroup(), byID.endGroup())
		}
		all = append(all, stripe...)
		checkStrings(t, stripe, plain.endStripe(1), byID.endStripe(1))
	}
	checkStrings(t, all, plain.file(), byID.file())
}

func checkStrings(t *testing.T, values []string, told ...*orcwire.ColumnStats) {
	t.Helper()
	for _, s := range told {
		if len(values) == 0 {
			if s.String.Min != nil || s.String.Max != nil || s.String.Sum != nil {
				t.Fatalf("of nothing: %+v", s.String)
			}
			continue
		}
		sum := int64(0)
		for _, v := range values {
			sum += int64(len(v))
		}
		least, most := slices.Min(values), slices.Max(values)
		if s.String.Min == nil || string(s.String.Min) != least || s.String.Max == nil || string(s.String.Max) != most || *s.String.Sum != sum {
			t.Fatalf("%q: %q to %q, %d; want %q to %q, %d", values, s.String.Min, s.String.Max, *s.String.Sum, least, most, sum)
		}
	}
}

// What was told does not change with what comes later.
func TestToldStaysAsItWas(t *testing.T) {
	s := new(stringStats)
	s.add(stringBatch("mmm"))
	first := s.endGroup().String
	s.add(stringBatch("aaa", "zzz"))
	s.endGroup()
	stripe := s.endStripe(0).String
	s.add(stringBatch("AAA", "~~~"))
	s.endStripe(0)
	if string(first.Min)+string(first.Max)+string(stripe.Min)+string(stripe.Max) != "mmmmmmaaazzz" {
		t.Errorf("%q %q %q %q", first.Min, first.Max, stripe.Min, stripe.Max)
	}
}

func TestTimestampStats(t *testing.T) {
	const day = 86400
	for _, k := range []struct {
		unit                  arrow.TimeUnit
		values                []int64
		least, great          int64
		leastNanos, mostNanos int32
	}{
		{arrow.Nanosecond, []int64{1_500_000_123, 1_500_000_007}, 1500, 1500, 7, 123},
		{arrow.Nanosecond, []int64{-1_500_000_000}, -1500, -1500, 0, 0},
		{arrow.Nanosecond, []int64{-1_000_500_000}, -1001, -1001, 500_000, 500_000}, // 0.9995 s of the second before
		{arrow.Nanosecond, []int64{-1_000_000_001}, -1001, -1001, 999_999, 999_999},
		{arrow.Nanosecond, []int64{-999_999_500}, -1000, -1000, 500, 500}, // no whole millisecond: stored as it is
		{arrow.Nanosecond, []int64{-999_000_001}, -1000, -1000, 999_999, 999_999},
		{arrow.Nanosecond, []int64{-999_000_000}, 1, 1, 0, 0}, // comes back a second late
		{arrow.Nanosecond, []int64{-500_000_000}, 500, 500, 0, 0},
		{arrow.Nanosecond, []int64{-1}, 999, 999, 999_999, 999_999},
		{arrow.Nanosecond, []int64{0}, 0, 0, 0, 0},
		{arrow.Nanosecond, []int64{-1, -2_000_000_000, 5}, -2000, 999, 0, 999_999},
		{arrow.Nanosecond, []int64{math.MinInt64, math.MaxInt64}, -9223372036855, 9223372036854, 224192, 775807},
		{arrow.Microsecond, []int64{-500_000}, 500, 500, 0, 0},
		{arrow.Microsecond, []int64{-999_001}, -1000, -1000, 999_000, 999_000},
		{arrow.Microsecond, []int64{-1_000_001, 1_001}, -1001, 1, 999_000, 1_000},
		{arrow.Microsecond, []int64{math.MinInt64, math.MaxInt64}, -9223372036854776, 9223372036854775, 192_000, 807_000},
		{arrow.Millisecond, []int64{-1, -999}, 1, 999, 0, 0},
		{arrow.Millisecond, []int64{-1000, math.MinInt64, math.MaxInt64}, math.MinInt64, math.MaxInt64, 0, 0},
		{arrow.Second, []int64{-1, -2 * day}, -2 * day * 1000, -1000, 0, 0},
		{arrow.Second, []int64{math.MinInt64, math.MaxInt64}, math.MinInt64, math.MaxInt64, 0, 0},
	} {
		s := new(timestampStats)
		s.add(k.values, k.unit)
		s.endGroup()
		s.add(nil, k.unit)
		got := s.endStripe(0).Timestamp
		if *got.MinUTC != k.least || *got.MaxUTC != k.great || got.MinNanos != k.leastNanos || got.MaxNanos != k.mostNanos || got.Min != nil || got.Max != nil {
			t.Errorf("%v %d: %d+%d to %d+%d, want %d+%d to %d+%d", k.unit, k.values, *got.MinUTC, got.MinNanos, *got.MaxUTC, got.MaxNanos, k.least, k.leastNanos, k.great, k.mostNanos)
		}
	}
	if got := new(timestampStats).endGroup().Timestamp; got.MinUTC != nil || got.MaxUTC != nil || got.MinNanos != 0 || got.MaxNanos != 999_999 {
		t.Errorf("of nothing: %+v", got)
	}
}

func decimalType(precision, scale uint32) *orcwire.Type {
	return &orcwire.Type{Kind: orcwire.Decimal, Precision: precision, Scale: scale}
}

func decimalWords(t testing.TB, values ...string) [][2]uint64 {
	t.Helper()
	var out [][2]uint64
	for _, v := range values {
		n, ok := new(big.Int).SetString(v, 10)
		if !ok {
			t.Fatal(v)
		}
		m := new(big.Int).And(n, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1)))
		out = append(out, [2]uint64{new(big.Int).And(m, new(big.Int).SetUint64(math.MaxUint64)).Uint64(), new(big.Int).Rsh(m, 64).Uint64()})
	}
	return out
}

func TestDecimalStats(t *testing.T) {
	nines := func(n int) string { return strings.Repeat("9", n) }
	for _, k := range []struct {
		precision, scale uint32
		values           []string
		want             orcwire.DecimalStats
	}{
		{10, 2, nil, orcwire.DecimalStats{Sum: "0"}},
		{20, 2, nil, orcwire.DecimalStats{Sum: "0"}},
		{10, 2, []string{"150", "-5", "1000"}, orcwire.DecimalStats{Min: "-0.05", Max: "10", Sum: "11.45"}},
		{20, 2, []string{"150", "-5", "1000"}, orcwire.DecimalStats{Min: "-0.05", Max: "10", Sum: "11.45"}},
		{18, 0, []string{nines(18)}, orcwire.DecimalStats{Min: nines(18), Max: nines(18), Sum: nines(18)}},
		{18, 0, []string{nines(18), "1", "-1"}, orcwire.DecimalStats{Min: "-1", Max: nines(18)}},
		{18, 0, []string{nines(18), "-1", "1"}, orcwire.DecimalStats{Min: "-1", Max: nines(18), Sum: nines(18)}},
		{18, 0, []string{"-" + nines(18), "-1"}, orcwire.DecimalStats{Min: "-" + nines(18), Max: "-1"}},
		{38, 0, []string{nines(38)}, orcwire.DecimalStats{Min: nines(38), Max: nines(38), Sum: nines(38)}},
		{38, 0, []string{nines(38), "1"}, orcwire.DecimalStats{Min: "1", Max: nines(38)}},
		{38, 0, []string{nines(38), nines(38), "-" + nines(38)}, orcwire.DecimalStats{Min: "-" + nines(38), Max: nines(38), Sum: nines(38)}},
		{38, 38, []string{nines(38), "1"}, orcwire.DecimalStats{Min: "0." + strings.Repeat("0", 37) + "1", Max: "0." + nines(38), Sum: "1"}},
		{38, 38, []string{nines(38), "2"}, orcwire.DecimalStats{Min: "0." + strings.Repeat("0", 37) + "2", Max: "0." + nines(38)}}, // 39 digits
	} {
		s := newDecimalStats(decimalType(k.precision, k.scale))
		s.add(decimalWords(t, k.values...))
		if got := s.endGroup().Decimal; *got != k.want {
			t.Errorf("decimal(%d,%d) %s: %+v, want %+v", k.precision, k.scale, k.values, *got, k.want)
		}
		if got := s.endStripe(0).Decimal; *got != k.want {
			t.Errorf("decimal(%d,%d) %s: stripe %+v, want %+v", k.precision, k.scale, k.values, *got, k.want)
		}
	}
	// A short sum that was given up is not taken up again.
	s := newDecimalStats(decimalType(18, 0))
	s.add(decimalWords(t, nines(18), nines(18)))
	s.endGroup()
	s.add(decimalWords(t, "-"+nines(18)))
	s.endGroup()
	if got := s.endStripe(0).Decimal; got.Sum != "" {
		t.Errorf("a sum of %s", got.Sum)
	}
}

// Random decimals of every length against big numbers.
func TestDecimalStatsRandom(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 200 {
		p := 1 + r.Intn(38)
		s := newDecimalStats(decimalType(uint32(p), 0))
		limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(p)), nil)
		sum, least, most := new(big.Int), (*big.Int)(nil), (*big.Int)(nil)
		over := false
		var values []string
		for range 1 + r.Intn(20) {
			v := new(big.Int).Rand(r, limit)
			if r.Intn(2) > 0 {
				v.Neg(v)
			}
			values = append(values, v.String())
			sum.Add(sum, v)
			over = over || p <= shortDigits && new(big.Int).Abs(sum).Cmp(big.NewInt(mostShort)) > 0
			if least == nil || v.Cmp(least) < 0 {
				least = v
			}
			if most == nil || v.Cmp(most) > 0 {
				most = v
			}
		}
		s.add(decimalWords(t, values...))
		want := orcwire.DecimalStats{Min: least.String(), Max: most.String(), Sum: sum.String()}
		if over || digits(want.Sum) > 38 {
			want.Sum = ""
		}
		if got := s.endGroup().Decimal; *got != want {
			t.Fatalf("precision %d, %s: %+v, want %+v", p, values, *got, want)
		}
	}
}

func TestOtherStats(t *testing.T) {
	b := new(boolStats)
	b.count(7, true)
	b.add([]byte{0b1011_0110, 0b1}, 2, 7)
	if got := b.endGroup(); !slices.Equal(got.Bool.True, []uint64{5}) || got.HasNull != orcwire.Yes || got.Values != 7 || got.HasBytes {
		t.Errorf("%+v %+v", got, got.Bool)
	}
	if got := b.endGroup(); !slices.Equal(got.Bool.True, []uint64{0}) || got.HasNull != orcwire.No || got.Values != 0 {
		t.Errorf("an empty row group: %+v %+v", got, got.Bool)
	}
	if got := b.endStripe(3); !slices.Equal(got.Bool.True, []uint64{5}) || got.HasNull != orcwire.Yes || got.BytesOnDisk != 3 {
		t.Errorf("%+v %+v", got, got.Bool)
	}
	y := new(binaryStats)
	y.add(5)
	y.add(6)
	if got := y.endGroup(); *got.Binary.Sum != 11 {
		t.Errorf("%d", *got.Binary.Sum)
	}
	d := new(dateStats)
	if got := d.endGroup().Date; got.Min != nil || got.Max != nil {
		t.Errorf("%+v", got)
	}
	d.add([]int32{5, -719162, math.MaxInt32})
	if got := d.endGroup().Date; *got.Min != -719162 || *got.Max != math.MaxInt32 {
		t.Errorf("%d %d", *got.Min, *got.Max)
	}
	c := new(collectionStats)
	if got := c.endGroup().Collection; got.MinChildren != nil || got.MaxChildren != nil || got.TotalChildren != nil {
		t.Errorf("%+v", got)
	}
	c.add([]int32{0, 0})
	if got := c.endGroup().Collection; *got.MinChildren != 0 || *got.MaxChildren != 0 || got.TotalChildren != nil {
		t.Errorf("%+v", got)
	}
	c.add([]int32{3, 1, 2})
	c.endGroup()
	if got := c.endStripe(0).Collection; *got.MinChildren != 0 || *got.MaxChildren != 3 || *got.TotalChildren != 6 {
		t.Errorf("%d %d %d", *got.MinChildren, *got.MaxChildren, *got.TotalChildren)
	}
	p := new(plainStats)
	p.count(3, false)
	if got := p.endGroup(); got.Values != 3 || got.Int != nil || got.HasNull != orcwire.No {
		t.Errorf("%+v", got)
	}
}

// Statistics are bounds: whatever text goes in, what comes out is text, not above and not below it.
func FuzzStringStats(f *testing.F) {
	f.Add([]byte("ab\xff\x00zz"), uint16(3), uint16(1020))
	f.Add([]byte("\U0010ffff\ud7ff~"), uint16(4), uint16(300))
	f.Add([]byte{}, uint16(0), uint16(0))
	f.Fuzz(func(t *testing.T, b []byte, cut, times uint16) {
		k := min(int(cut), len(b))
		values := []string{string(b[:k]), string(b[k:]), strings.Repeat(string(b[:k]), int(times)%2000/(k+1)+1), strings.Repeat(string(b[k:]), int(times)%2000/(len(b)-k+1)+1)}
		s := new(stringStats)
		s.add(stringBatch(values...))
		for _, told := range []*orcwire.StringStats{s.endGroup().String, s.endStripe(0).String, s.file().String} {
			low, high := told.Min, told.Max
			if low == nil {
				low = told.Lower
			}
			if high == nil {
				high = told.Upper
			}
			if low == nil || high == nil || told.Min != nil && told.Lower != nil || told.Max != nil && told.Upper != nil {
				t.Fatalf("%q: %+v", values, told)
			}
			for _, v := range values {
				if bytes.Compare(low, []byte(v)) > 0 || bytes.Compare(high, []byte(v)) < 0 {
					t.Fatalf("%q is not from %q to %q", v, low, high)
				}
			}
			if !utf8.Valid(low) || len(low) > mostBound {
				t.Fatalf("%q", low)
			}
			if utf8.Valid(b) && utf8.ValidString(values[0]) && (!utf8.Valid(high) || len(high) > mostBound+1 && told.Upper != nil) {
				t.Fatalf("%q", high)
			}
		}
	})
}
