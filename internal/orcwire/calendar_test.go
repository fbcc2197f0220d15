package orcwire

import (
	"math"
	"testing"
)

// Calendars are counted day by day, with the rules as people know them.
type date struct{ y, m, d int }

func (c date) leap(julian bool) bool {
	return c.y%4 == 0 && (julian || c.y%100 != 0 || c.y%400 == 0)
}

func (c date) days(julian bool) int {
	switch c.m {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if c.leap(julian) {
			return 29
		}
		return 28
	}
	return 31
}

func (c date) before(julian bool) date {
	if c.d--; c.d == 0 {
		if c.m--; c.m == 0 {
			c.y, c.m = c.y-1, 12
		}
		c.d = c.days(julian)
	}
	return c
}

// Walks back from 1582-10-15 through both calendars over 10,000 years and more.
func TestCalendars(t *testing.T) {
	const years = 12000
	label := func(c date) int { return (c.y-(1582-years))*372 + c.m*31 + c.d }
	gregorian := make([]int32, (years+1)*372) // 0 = there is no such date
	c := date{1582, 10, 15}
	for day := int32(switchDay); c.y > 1582-years; c = c.before(false) {
		gregorian[label(c)] = day
		day--
	}
	c = date{1582, 10, 4}
	days := int64(0)
	for day := int64(switchDay - 1); c.y > 1583-years; c = c.before(true) {
		days++
		want := int64(gregorian[label(c)])
		ok := want != 0
		if !ok { // 29 February
			if c.m != 2 || c.d != 29 {
				t.Fatalf("%v is not Gregorian", c)
			}
			want = int64(gregorian[label(date{c.y, 3, 1})])
		}
		if got := HybridToProleptic(day); got != want {
			t.Fatalf("%v, day %d: %d, want %d", c, day, got, want)
		}
		if back := ProlepticToHybrid(want); back != day && ok || !ok && back != day+1 {
			t.Fatalf("%v, day %d: back from %d to %d", c, day, want, back)
		}
		day--
	}
	if days < 365*10000 {
		t.Fatalf("%d days only", days)
	}
	for day := int64(switchDay); day < switchDay+1000; day++ {
		if HybridToProleptic(day) != day || ProlepticToHybrid(day) != day {
			t.Fatalf("day %d", day)
		}
	}
	// The days that were left out are Julian ones.
	for day := int64(switchDay - 10); day < switchDay; day++ {
		if got := ProlepticToHybrid(day); got != day+10 {
			t.Errorf("day %d: %d", day, got)
		}
	}
}

func TestHybridColumns(t *testing.T) {
	days := []int32{math.MinInt32, -141438, -141428, -141427, -1, 0, math.MaxInt32}
	HybridDays(days)
	if days[1] != -141448 || days[2] != -141438 || days[3] != -141427 || days[4] != -1 || days[6] != math.MaxInt32 {
		t.Errorf("%v", days)
	}
	if want := HybridToProleptic(math.MinInt32); int64(days[0]) != want || want < math.MinInt32 {
		t.Errorf("%d, want %d", days[0], want)
	}
	ProlepticDays(days)
	if days[0] != math.MinInt32 || days[1] != -141438 || days[2] != -141428 || days[3] != -141427 {
		t.Errorf("back: %v", days)
	}
	plain := []int32{-141427, 0, 5}
	if HybridDays(plain); plain[0] != -141427 || plain[2] != 5 {
		t.Errorf("%v", plain)
	}
	secs := []int64{-12219292800, -12219292801, -12219292800 - 86400, 0, math.MinInt64}
	HybridSeconds(secs)
	if secs[0] != -12219292800 || secs[1] != -12219292801-864000 || secs[2] != -12219292800-86400-864000 || secs[3] != 0 || secs[4] >= 0 {
		t.Errorf("%v", secs)
	}
}

func BenchmarkHybridDays(b *testing.B) {
	days := make([]int32, 4096)
	b.SetBytes(4 * 4096)
	for b.Loop() {
		HybridDays(days)
	}
}
