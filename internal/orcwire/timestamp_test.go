package orcwire

import (
	"errors"
	"math"
	"math/big"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// storedNanos is what SECONDARY has for a number of nanoseconds (specification, "Timestamp Columns"): up to nine zeros at its end are cut off, but
// one zero is not worth it.
func storedNanos(n int64) int64 {
	if n == 0 || n%100 != 0 {
		return n << 3
	}
	n /= 100
	zeros := int64(1)
	for ; n%10 == 0 && zeros < 7; zeros++ {
		n /= 10
	}
	return n<<3 | zeros
}

var units = []int64{Nanosecond: 1e9, Microsecond: 1e6, Millisecond: 1e3, Second: 1}

// combined is the rule in large numbers, one value at a time; false if it does not fit.
func combined(ts Timestamps, sec, nanos int64) (int64, bool) {
	z := ts.Zone
	if z == nil {
		z = UTC
	}
	s := sec + z.Epoch()
	if s < 0 && nanos > 999999 {
		s--
	}
	if nanos < 0 {
		s, nanos = s-1, nanos+1e9
	}
	s += int64(z.Offset(s))
	if ts.Hybrid {
		if d := floorDiv(s, 86400); d < switchDay {
			s += (HybridToProleptic(d) - d) * 86400
		}
	}
	v := new(big.Int).Mul(big.NewInt(s), big.NewInt(1e9))
	v.Add(v, big.NewInt(nanos))
	v.Div(v, big.NewInt(1e9/units[ts.Unit])) // nanoseconds of a unit; rounds down
	return v.Int64(), v.IsInt64()
}

// combine is ts.Combine, with the vector kernel and without, and with four of each value, so that few values come to the kernel, too.
func combine(t *testing.T, ts *Timestamps, dst, nanos []int64) error {
	t.Helper()
	fourfold := func(v []int64) (all []int64) {
		for _, x := range v {
			all = append(all, x, x, x, x)
		}
		return all
	}
	plain, four, fourNanos := slices.Clone(dst), fourfold(dst), fourfold(nanos)
	timesByVectors = false
	want := ts.Combine(plain, nanos)
	timesByVectors = true
	if err := ts.Combine(four, fourNanos); (err == nil) != (want == nil) || err == nil && !slices.Equal(four, fourfold(plain)) {
		t.Errorf("%v by vectors, of %v: %v, %v, want %v, %v", *ts, dst, four, err, plain, want)
	}
	err := ts.Combine(dst, nanos)
	if (err == nil) != (want == nil) || err == nil && !slices.Equal(dst, plain) {
		t.Errorf("%v by vectors: %v, %v, want %v, %v", *ts, dst, err, plain, want)
	}
	return err
}

func TestTimestamps(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, zoneName := range []string{"", "America/New_York", "Asia/Shanghai", "GMT+08:00", "Australia/Lord_Howe"} {
		for _, hybrid := range []bool{false, true} {
			for unit := Nanosecond; unit <= Second; unit++ {
				ts := Timestamps{Zone: zone(t, zoneName), Hybrid: hybrid, Unit: unit}
				for _, span := range []int64{10, 1e5, 4e9, 7.8e9, 2e11, 1 << 45} {
					n := r.Intn(400)
					dst, nanos, want := make([]int64, n), make([]int64, n), make([]int64, n)
					plain := r.Intn(2) == 0 // nothing but what the fast way can do
					whole := r.Intn(3) == 0 // no fractions
					for i := range dst {
						for {
							sec := r.Int63n(2*span) - span - 1420070400
							sub := []int64{0, 1, 999999, 1000000, 999999999, 120000000, r.Int63n(1e9)}[r.Intn(7)]
							if !plain && r.Intn(4) == 0 {
								sub = -sub
							}
							if whole {
								sub = 0
							}
							var ok bool
							if want[i], ok = combined(ts, sec, sub); ok {
								dst[i], nanos[i] = sec, storedNanos(sub)
								break
							}
						}
					}
					if whole && r.Intn(2) == 0 {
						nanos = nil
					}
					if err := combine(t, &ts, dst, nanos); err != nil {
						t.Fatal(err)
					}
					for i := range dst {
						if dst[i] != want[i] {
							t.Fatalf("zone %q, hybrid %v, %v, span %d: value %d of %d is %d, want %d", zoneName, hybrid, unit, span, i, n, dst[i], want[i])
						}
					}
				}
			}
		}
	}
}

// Whole seconds at the ends of what the fast way takes, and far beyond: as one at a time, or an error.
func TestWholeSeconds(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for unit := Nanosecond; unit <= Second; unit++ {
		for _, hybrid := range []bool{false, true} {
			ts := Timestamps{Hybrid: hybrid, Unit: unit}
			for _, end := range []int64{math.MinInt64, -1 << 62, -1 << 40, timeUnits[unit].least, switchSec, 0, timeUnits[unit].most, 1 << 40, 1 << 62, math.MaxInt64} {
				for near := int64(-2); near <= 2; near++ {
					sec := end + near - UTC.Epoch()
					dst := make([]int64, 4*r.Intn(4)+9+r.Intn(4))
					at := r.Intn(len(dst))
					dst[at] = sec
					err := combine(t, &ts, dst, make([]int64, len(dst)))
					want, ok := combined(ts, sec, 0)
					if sec < -1<<62 || sec > 1<<62 {
						ok = false // no time, says Combine
					}
					if (err == nil) != ok || ok && (dst[at] != want || dst[(at+1)%len(dst)] != UTC.Epoch()*units[unit]) {
						t.Errorf("%v, hybrid %v, second %d, %d of %d: %d, %v, want %d, %v", unit, hybrid, sec, at, len(dst), dst[at], err, want, ok)
					}
				}
			}
		}
	}
}

// Values as Java stores and reads them; and what it cannot.
func TestTimestampRule(t *testing.T) {
	for _, k := range []struct {
		zone       string
		sec, nanos int64 // as stored, nanos before zeros are cut off
		want       int64
	}{
		{"", 0, 0, 1420070400e9},
		{"", -1420070400, 0, 0},
		{"", -1420070400, 500e6, 500e6},   // -0.5 s was stored so, too
		{"", -1420070401, 500e6, -1500e6}, // 1969-12-31 23:59:58.5
		{"", -1420070402, 999999, -2e9 + 999999},
		{"", -1420070401, 1e6, -2e9 + 1e6},
		{"", -1420070401, -1, -1e9 - 1}, // as C++ has it
		{"America/New_York", 0, 0, 1420070400e9},
		{"America/New_York", -9482400, 0, 1410588000e9 + 3600e9}, // in summer, clocks are an hour ahead
		// In the second before clocks were put forward, in March 1950, with a fraction: the hour is that before.
		{"Asia/Shanghai", -933667200 - 1420041600, 5e6, (-933667200-1+28800)*1e9 + 5e6},
		{"Asia/Shanghai", -933667200 - 1420041600, 0, (-933667200 + 32400) * 1e9},
	} {
		ts := Timestamps{Zone: zone(t, k.zone)}
		dst := []int64{k.sec}
		if err := combine(t, &ts, dst, []int64{storedNanos(k.nanos)}); err != nil || dst[0] != k.want {
			t.Errorf("%q %d %d: %d, %v, want %d", k.zone, k.sec, k.nanos, dst[0], err, k.want)
		}
	}
	// A writer that rounds towards zero for any fraction, as Trino does.
	for _, k := range [][3]int64{{-1420070401, 0, -1e9}, {-1420070401, 100_000, -2e9 + 100_000}, {-1420070401, 1, -2e9 + 1}, {-1420070401, 5e6, -2e9 + 5e6}, {-1420070400, 1, 1}, {0, 1, 1420070400e9 + 1}} {
		for _, more := range []int{0, 300} { // one by one, and with one that needs a closer look
			ts := Timestamps{Finely: true}
			dst, nanos := make([]int64, 1+more), make([]int64, 1+more)
			dst[0], nanos[0] = k[0], storedNanos(k[1])
			if more > 0 {
				nanos[1] = storedNanos(-1)
			}
			if err := combine(t, &ts, dst, nanos); err != nil || dst[0] != k[2] {
				t.Errorf("%v: %d, %v", k, dst[0], err)
			}
		}
	}
	// PrestoDB's seconds count from the zone's 2015, and are instants.
	for _, sec := range []int64{0, -9482400, -1420070400} {
		ts := Timestamps{Zone: zone(t, "America/New_York").Instants()}
		dst := []int64{sec}
		if err := combine(t, &ts, dst, []int64{0}); err != nil || dst[0] != (sec+1420070400+5*3600)*1e9 {
			t.Errorf("%d: %d, %v", sec, dst[0], err)
		}
	}
	// Every way to cut zeros off.
	dst, nanos := make([]int64, 8), make([]int64, 8)
	for z := range nanos {
		dst[z], nanos[z] = -1420070400, 7<<3|int64(z)
	}
	if err := combine(t, &Timestamps{}, dst, nanos); err != nil {
		t.Fatal(err)
	}
	for z, want := range []int64{7, 700, 7000, 70000, 700000, 7000000, 70000000, 700000000} {
		if dst[z] != want {
			t.Errorf("%d zeros: %d", z, dst[z])
		}
	}
}

func TestTimestampErrors(t *testing.T) {
	const epoch = 1420070400
	for _, k := range []struct {
		unit       TimeUnit
		sec, nanos int64
		kind       error
		text       string
		want       int64
	}{
		{unit: Nanosecond, sec: 9223372036, nanos: 854775807, want: math.MaxInt64},
		{unit: Nanosecond, sec: 9223372036, nanos: 854775808, kind: errs.ErrSchema, text: "timestamp[ns]; --timestamp-unit=us can hold it"},
		{unit: Nanosecond, sec: -9223372037, nanos: 145224192, want: math.MinInt64},
		{unit: Nanosecond, sec: -9223372037, nanos: 145224191, kind: errs.ErrSchema, text: "--timestamp-unit=us "},
		{unit: Microsecond, sec: 9223372036854, nanos: 775807999, want: math.MaxInt64},
		{unit: Microsecond, sec: 9223372036854, nanos: 775808000, kind: errs.ErrSchema, text: "--timestamp-unit=ms "},
		{unit: Microsecond, sec: -9223372036855, nanos: 224192000, want: math.MinInt64},
		{unit: Microsecond, sec: -9223372036855, nanos: 224191999, kind: errs.ErrSchema, text: "--timestamp-unit=ms "},
		{unit: Millisecond, sec: 9223372036854775, nanos: 807999999, want: math.MaxInt64},
		{unit: Millisecond, sec: 9223372036854775, nanos: 808000000, kind: errs.ErrSchema, text: "--timestamp-unit=s "},
		{unit: Nanosecond, sec: 1 << 61, kind: errs.ErrSchema, text: "--timestamp-unit=s "},
		{unit: Second, sec: 1 << 61, want: 1 << 61},
		{unit: Second, sec: math.MaxInt64, kind: errs.ErrCorrupt},
		{unit: Second, sec: math.MinInt64 + epoch, kind: errs.ErrCorrupt},
		{unit: Second, nanos: 1e9, kind: errs.ErrCorrupt},
		{unit: Second, nanos: -1e9, kind: errs.ErrCorrupt},
		{unit: Second, nanos: 1 << 59, kind: errs.ErrCorrupt},
	} {
		for _, n := range []int{1, 256, 700} {
			dst, nanos := make([]int64, n), make([]int64, n)
			dst[n-1], nanos[n-1] = k.sec-epoch, k.nanos<<3
			if k.sec < 0 && k.nanos > 999999 { // as stored
				dst[n-1]++
			}
			err := combine(t, &Timestamps{Unit: k.unit}, dst, nanos)
			if k.kind == nil {
				if err != nil || dst[n-1] != k.want {
					t.Errorf("%v %d %d: %d, %v", k.unit, k.sec, k.nanos, dst[n-1], err)
				}
				continue
			}
			var v *ValueError
			if !errors.Is(err, k.kind) || !errors.As(err, &v) || v.Index != n-1 || !strings.Contains(err.Error(), k.text) {
				t.Errorf("%v %d %d, %d values: %v", k.unit, k.sec, k.nanos, n, err)
			}
		}
	}
}

// A coarser unit truncates towards the past, before 1970 too.
func TestTimestampUnits(t *testing.T) {
	for u, want := range []int64{-1999999999, -2000000, -2000, -2} {
		dst := []int64{-1420070400 - 2}
		if err := combine(t, &Timestamps{Unit: TimeUnit(u)}, dst, []int64{1 << 3}); err != nil || dst[0] != want {
			t.Errorf("%v: %d, %v", TimeUnit(u), dst[0], err)
		}
	}
	// Division by multiplication, at the edges of each unit's multiples.
	for u, unit := range timeUnits {
		for n := uint64(0); n < 1<<30; n += 999_983 {
			for _, x := range []uint64{n, n / uint64(unit.perNano) * uint64(unit.perNano), n/uint64(unit.perNano)*uint64(unit.perNano) + uint64(unit.perNano) - 1} {
				if x < 1e9 && x*unit.recip>>unit.shift != x/uint64(unit.perNano) {
					t.Fatalf("%v: %d", TimeUnit(u), x)
				}
			}
		}
	}
}

func FuzzTimestamps(f *testing.F) {
	f.Add(int64(0), int64(0), int64(-1420070401), int64(4000000000), uint8(0), true)
	f.Add(int64(math.MaxInt64), int64(math.MinInt64), int64(-13639362992), int64(-9), uint8(3), false)
	f.Fuzz(func(t *testing.T, s0, n0, s1, n1 int64, unit uint8, hybrid bool) {
		for _, name := range []string{"", "Europe/London"} {
			ts := Timestamps{Zone: zone(t, name), Hybrid: hybrid, Unit: TimeUnit(unit % 4)}
			dst := []int64{s0, s1}
			err := combine(t, &ts, dst, []int64{n0, n1})
			for i, k := range [][2]int64{{s0, n0}, {s1, n1}} {
				sub := new(big.Int).Mul(big.NewInt(k[1]>>3), big.NewInt(int64(nanoZeros[k[1]&7])))
				if k[0] > 1<<62 || k[0] < -1<<62 || !sub.IsInt64() || sub.Int64() >= 1e9 || sub.Int64() <= -1e9 {
					if err == nil {
						t.Fatalf("value %d: %d %d", i, k[0], k[1])
					}
					continue
				}
				want, ok := combined(ts, k[0], sub.Int64())
				if err == nil && (!ok || want != dst[i]) {
					t.Fatalf("value %d: %d %d: %d, want %d", i, k[0], k[1], dst[i], want)
				}
			}
		}
	})
}

func BenchmarkTimestamps(b *testing.B) {
	const n = 1 << 16
	r := rand.New(rand.NewSource(1))
	secs, nanos, dst := make([]int64, n), make([]int64, n), make([]int64, n)
	for i := range secs {
		secs[i], nanos[i] = r.Int63n(6e8)-3e8, storedNanos(r.Int63n(1e6)*1000)
	}
	whole := make([]int64, n)
	for _, k := range []struct {
		name  string
		ts    Timestamps
		nanos []int64
	}{
		{"utc", Timestamps{}, nanos},
		{"utc whole", Timestamps{}, whole},
		{"utc us", Timestamps{Unit: Microsecond}, nanos},
		{"utc hybrid", Timestamps{Hybrid: true}, nanos},
		{"zone", Timestamps{Zone: zone(b, "America/New_York")}, nanos},
		{"offset", Timestamps{Zone: zone(b, "GMT+08:00")}, nanos},
	} {
		b.Run(k.name, func(b *testing.B) {
			b.SetBytes(8 * n)
			b.ReportAllocs()
			for b.Loop() {
				copy(dst, secs)
				if err := k.ts.Combine(dst, k.nanos); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestWholeMicroseconds(t *testing.T) {
	join := Timestamps{Unit: Microsecond, Whole: true}
	for _, c := range []struct {
		nanos int64 // as stored
		ok    bool
	}{{0, true}, {1<<3 | 2, true}, {123456<<3 | 2, true}, {1 << 3, false}, {1<<3 | 1, false}, {123456789 << 3, false}} {
		if err := join.Combine([]int64{7}, []int64{c.nanos}); (err == nil) != c.ok {
			t.Errorf("%d: %v", c.nanos, err)
		}
	}
}
