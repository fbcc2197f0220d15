package orcwire

import (
	"math"
	"math/rand"
	"testing"
	"time"
)

// What java.util.TimeZone.getOffset of OpenJDK 17 says, in seconds.
var javaInstants = []int64{
	-62135596800, -3000000000, -2208988801, -2208988800, -2177481944, -2177481943, -1500000000, -500000000, -1, 0, 498571200,
	1000000000, 1325239199, 1325239200, 1403913600, 1420070400, 1700000000, 1720000000, 3000000000, 4102444800, 4530000000,
	9000000000, 20000000000, 253402300799,
}

var javaOffsetsOf = []struct {
	name    string
	offsets []int32
}{
	{"UTC", []int32{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
	{"Asia/Shanghai", []int32{28800, 28800, 28800, 29143, 29143, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800}},
	{"PRC", []int32{28800, 28800, 28800, 29143, 29143, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800}},
	{"CTT", []int32{28800, 28800, 28800, 29143, 29143, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800}},
	{"Australia/Lord_Howe", []int32{37800, 37800, 37800, 36000, 36000, 36000, 36000, 36000, 36000, 36000, 37800, 37800, 39600, 39600, 37800, 39600, 39600, 37800, 39600, 39600, 37800, 39600, 39600, 39600}},
	{"America/New_York", []int32{-18000, -18000, -18000, -18000, -18000, -18000, -14400, -18000, -18000, -18000, -14400, -14400, -18000, -18000, -14400, -18000, -18000, -14400, -18000, -18000, -14400, -14400, -14400, -18000}},
	{"America/Los_Angeles", []int32{-28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -25200, -25200, -28800, -28800, -25200, -28800, -28800, -25200, -28800, -28800, -25200, -25200, -25200, -28800}},
	{"US/Pacific", []int32{-28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -25200, -25200, -28800, -28800, -25200, -28800, -28800, -25200, -28800, -28800, -25200, -25200, -25200, -28800}},
	{"PST", []int32{-28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -25200, -25200, -28800, -28800, -25200, -28800, -28800, -25200, -28800, -28800, -25200, -25200, -25200, -28800}},
	{"Europe/Berlin", []int32{3600, 3600, 3600, 3600, 3600, 3600, 3600, 3600, 3600, 3600, 3600, 7200, 3600, 3600, 7200, 3600, 3600, 7200, 3600, 3600, 7200, 3600, 7200, 3600}},
	{"Europe/Dublin", []int32{0, 0, 0, -1521, -1521, -1521, 3600, 0, 3600, 3600, 3600, 3600, 0, 0, 3600, 0, 0, 3600, 0, 0, 3600, 0, 3600, 0}},
	{"Europe/London", []int32{0, 0, 0, 0, 0, 0, 3600, 0, 3600, 3600, 3600, 3600, 0, 0, 3600, 0, 0, 3600, 0, 0, 3600, 0, 3600, 0}},
	{"Asia/Kolkata", []int32{19800, 19800, 19800, 19270, 19270, 19270, 19800, 19800, 19800, 19800, 19800, 19800, 19800, 19800, 19800, 19800, 19800, 19800, 19800, 19800, 19800, 19800, 19800, 19800}},
	{"America/Caracas", []int32{-14400, -14400, -14400, -16060, -16060, -16060, -16200, -16200, -14400, -14400, -14400, -14400, -16200, -16200, -16200, -16200, -14400, -14400, -14400, -14400, -14400, -14400, -14400, -14400}},
	{"America/St_Johns", []int32{-12600, -12600, -12600, -12652, -12652, -12652, -9052, -12600, -12600, -12600, -9000, -9000, -12600, -12600, -9000, -12600, -12600, -9000, -12600, -12600, -9000, -9000, -9000, -12600}},
	{"Pacific/Apia", []int32{46800, 46800, 46800, -41216, -41216, -41216, -41400, -39600, -39600, -39600, -39600, -39600, -36000, 50400, 46800, 50400, 46800, 46800, 46800, 46800, 46800, 46800, 46800, 46800}},
	{"Africa/Casablanca", []int32{0, 0, 0, -1820, -1820, -1820, 0, 0, 0, 0, 3600, 0, 0, 0, 3600, 0, 3600, 3600, 3600, 3600, 3600, 3600, 3600, 3600}},
	{"Etc/GMT+8", []int32{-28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800, -28800}},
	{"GMT+08:00", []int32{28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800, 28800}},
	{"GMT-3:30", []int32{-12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600, -12600}},
	{"EST", []int32{-18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000, -18000}},
	{"AST", []int32{-32400, -32400, -32400, -35976, -36000, -36000, -36000, -36000, -36000, -36000, -28800, -28800, -32400, -32400, -28800, -32400, -32400, -28800, -32400, -32400, -28800, -28800, -28800, -32400}},
	{"Asia/Kathmandu", []int32{20700, 20700, 20700, 20476, 20476, 20476, 19800, 19800, 19800, 19800, 19800, 20700, 20700, 20700, 20700, 20700, 20700, 20700, 20700, 20700, 20700, 20700, 20700, 20700}},
	{"Antarctica/Troll", []int32{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7200, 0, 0, 7200, 0, 0, 7200, 0, 7200, 0}},
}

func zone(t testing.TB, name string) *Zone {
	t.Helper()
	z, err := LoadZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestZoneAsJava(t *testing.T) {
	for _, k := range javaOffsetsOf {
		z := zone(t, k.name)
		local := make([]int64, len(javaInstants))
		copy(local, javaInstants)
		z.Local(local)
		for i, at := range javaInstants {
			if got := z.Offset(at); got != k.offsets[i] {
				t.Errorf("%s at %d: %d, Java says %d", k.name, at, got, k.offsets[i])
			}
			if local[i] != at+int64(k.offsets[i]) {
				t.Errorf("%s: clocks at %d show %d, want %d", k.name, at, local[i], at+int64(k.offsets[i]))
			}
		}
	}
	if z := zone(t, "Africa/Windhoek"); z.Offset(math.MinInt64) != 3600 || z.Offset(0) != 7200 {
		t.Errorf("Windhoek: %d, %d", z.Offset(math.MinInt64), z.Offset(0))
	}
}

// From 1900 on a zone is what package time says, at random and around each change.
func TestZoneHistory(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, name := range []string{"Asia/Shanghai", "Australia/Lord_Howe", "America/New_York", "Europe/Dublin", "Africa/Casablanca", "Africa/Cairo", "America/Santiago", "Asia/Gaza", "Asia/Tehran", "Pacific/Apia", "Africa/Monrovia", "Asia/Tokyo"} {
		z := zone(t, name)
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		check := func(at int64) {
			if _, want := time.Unix(at, 0).In(loc).Zone(); z.Offset(at) != int32(want) {
				t.Fatalf("%s at %d: %d, want %d", name, at, z.Offset(at), want)
			}
		}
		for range 3000 {
			check(zoneStart + r.Int63n(zoneEnd-zoneStart))
			check(zoneStart + r.Int63n(6e9))
		}
		for i := 2; i < len(z.starts)-1; i++ {
			check(z.starts[i] - 1)
			check(z.starts[i])
		}
		for range 500 { // rules go on for ever
			at := zoneEnd - 1e9 + r.Int63n(200_000_000_000)
			check(at)
			local := []int64{at}
			if z.Local(local); local[0] != at+int64(z.Offset(at)) {
				t.Fatalf("%s: clocks at %d show %d", name, at, local[0])
			}
		}
		if at := time.Date(2015, 1, 1, 0, 0, 0, 0, loc).Unix(); z.Epoch() != at {
			t.Errorf("%s: epoch %d, want %d", name, z.Epoch(), at)
		}
		for _, at := range []int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64, math.MaxInt64 - 1} {
			local := []int64{at}
			if z.Local(local); local[0] != at+int64(z.Offset(at)) {
				t.Errorf("%s: clocks at %d show %d", name, at, local[0])
			}
		}
	}
}

func TestZoneNames(t *testing.T) {
	for name, want := range map[string]int32{
		"": 0, "GMT": 0, "Z": 0, "UT": 0, "Etc/UTC": 0, "GMT0": 0, "UTC+8": 28800, "UTC-8": -28800, "UT+01:30": 5400,
		"GMT+0800": 28800, "GMT+800": 28800, "GMT+23:59": 86340, "GMT-00:00": 0, "+05:30": 19800, "-0330": -12600,
		"UTC+01:02:03": 3723, "+010203": 3723, "MST": -25200, "HST": -36000,
	} {
		z, err := LoadZone(name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if off, ok := z.Fixed(); off != want || !ok || z.Epoch() != 1420070400-int64(want) || z.Offset(-1e12) != want {
			t.Errorf("%q: offset %d, %v, epoch %d", name, off, ok, z.Epoch())
		}
		if name != "" && z.String() != name {
			t.Errorf("%q is called %q", name, z)
		}
	}
	for name := range javaZones {
		if _, err := LoadZone(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{
		"Local", "Nowhere/Land", "GMT+24", "GMT+24:00", "GMT+8:5", "GMT+80", "GMT+08:60", "GMT+", "GMT+x", "+", "-", "UTC8", "GMT+12345",
		"GMT+1234567", "GMT+08:00:00:00", "GMT+0:000", "GMT+:00", "GMT+100:00", "../etc/passwd", "/etc/localtime", "America/../UTC", "America", "posixrules", "right/UTC",
		"tzdata.zi", "Europe\\Berlin", "Europe/Berlin\x00", " UTC", "\xff", "europe berlin",
	} {
		if z, err := LoadZone(name); err == nil {
			t.Errorf("%q is a zone: %v", name, z)
		}
	}
}

func BenchmarkZone(b *testing.B) {
	z := zone(b, "America/New_York")
	at, secs := make([]int64, 4096), make([]int64, 4096)
	for i := range at {
		at[i] = int64(uint64(i) * 0x9e3779b97f4a7c15 % 2e9)
	}
	b.SetBytes(8 * 4096)
	for b.Loop() {
		copy(secs, at)
		z.Local(secs)
	}
}

func BenchmarkLoadZone(b *testing.B) {
	loc, err := time.LoadLocation("America/New_York")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		newZone("", loc)
	}
}
