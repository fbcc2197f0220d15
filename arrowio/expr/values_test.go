package expr

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// The calendar is checked against the standard library's, day by day and far away.
func TestCalendar(t *testing.T) {
	check := func(days int64) {
		t.Helper()
		want := time.Unix(days*secondsPerDay, 0).UTC()
		y, m, d := dateOf(days)
		if int(y) != want.Year() || time.Month(m) != want.Month() || int(d) != want.Day() {
			t.Fatalf("dateOf(%d) = %d-%d-%d, want %v", days, y, m, d, want)
		}
		if got := daysOf(y, m, d); got != days {
			t.Fatalf("daysOf(%d-%d-%d) = %d, want %d", y, m, d, got, days)
		}
	}
	for days := int64(-150_000); days < 150_000; days++ {
		check(days)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 10_000 {
		check(r.Int64N(200_000_000_000) - 100_000_000_000)
	}
}

func TestReadTimes(t *testing.T) {
	for _, s := range []string{"2020-1-31", "2020-13-01", "2020-00-01", "2019-02-29", "1900-02-29", "20-01-01", "2020-01-31x", "", "-", "+-2020-01-01", "9999999999999-01-01", "999999999999-01-01"} {
		if v, err := parseDate(s); err == nil {
			t.Errorf("DATE %q is %v", s, v)
		}
	}
	for _, s := range []string{"10", "10:0", "24:00", "10:60", "10:00:60", "10:00:00.", "10:00:00.1234567890", "10:00:00Z", "1:00"} {
		if v, err := parseTime(s); err == nil {
			t.Errorf("TIME %q is %v", s, v)
		}
	}
	for _, s := range []string{"2020-01-31 ", "2020-01-31x10:00", "2020-01-31 10:00+", "2020-01-31 10:00+2", "2020-01-31 10:00+24", "2020-01-31 10:00+02:60", "2020-01-31 10:00 UTC", "292277026597-01-01"} {
		if v, err := parseTimestamp(s); err == nil {
			t.Errorf("TIMESTAMP %q is %v", s, v)
		}
	}
	for _, s := range []string{"", "-", "5", "5x", "s", "1s-", "0.1ns", "1e5s", "--1s", "99999999999999999999d", strings.Repeat("1s", 200)} {
		if v, err := parseDuration(s); err == nil {
			t.Errorf("DURATION %q is %v", s, v)
		}
	}
	for _, s := range []string{"", "-", ".", "e5", "1e", "1x", "0x10", "1_0", "--1", "+-1", "1.2.3", " 1", "1e400", "1e-400", strings.Repeat("9", 77), "0." + strings.Repeat("9", 77)} {
		if v, err := parseNumber(s); err == nil {
			t.Errorf("number %q is %v", s, v)
		}
	}
}

func TestFloatKeys(t *testing.T) {
	for b := range 1 << 16 { // every float16
		f := float16Value(uint16(b))
		key := floatBits(int64(int16(b)), 2)
		if uint16(floatBits(key, 2)) != uint16(b) {
			t.Fatalf("%04x: key %d", b, key)
		}
		if inside := key >= ^infinityKey(2) && key <= infinityKey(2); inside == math.IsNaN(f) {
			t.Fatalf("%04x = %v: key %d", b, f, key)
		}
		if prev := floatOf(key-1, 2); !math.IsNaN(f) && !math.IsNaN(prev) && key > ^infinityKey(2) && (prev > f || prev == f && f != 0) {
			t.Fatalf("key %d is %v, the one below is %v", key, f, prev)
		}
	}
	for _, f := range []float64{0, 1, -1, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.Pi} {
		key := floatBits(int64(math.Float64bits(f)), 8)
		if floatOf(key, 8) != f {
			t.Errorf("%v: key %d is %v", f, key, floatOf(key, 8))
		}
		small := float32(f)
		if k := floatBits(int64(int32(math.Float32bits(small))), 4); floatOf(k, 4) != float64(small) {
			t.Errorf("%v: key %d is %v", small, k, floatOf(k, 4))
		}
	}
}

func FuzzLike(f *testing.F) {
	f.Add("a%b_c", "axxbyc", "!")
	f.Add("%ä_%", "xäöz", "")
	f.Add("!%%!!_", "%abc!d", "!")
	f.Fuzz(func(t *testing.T, pattern, value, escape string) {
		esc, n := utf8.DecodeRuneInString(escape)
		if !utf8.ValidString(pattern) || !utf8.ValidString(value) || n != len(escape) || n > 0 && esc == utf8.RuneError || len(pattern) > 200 {
			return
		}
		if n == 0 {
			esc = 0
		}
		like, err := compileLike(pattern, esc, true)
		var re strings.Builder // the pattern, rune by rune
		escaped := false
		for _, r := range pattern {
			switch {
			case !escaped && esc != 0 && r == esc:
				escaped = true
				continue
			case !escaped && r == '%':
				re.WriteString("(?s:.*)")
			case !escaped && r == '_':
				re.WriteString("(?s:.)")
			default:
				re.WriteString(regexp.QuoteMeta(string(r)))
			}
			escaped = false
		}
		if (err != nil) != escaped {
			t.Fatalf("%q ESCAPE %q: %v", pattern, escape, err)
		}
		if err != nil {
			return
		}
		want := regexp.MustCompile("^" + re.String() + "$").MatchString(value)
		if got := like.match([]byte(value)); got != want {
			t.Fatalf("%q LIKE %q ESCAPE %q is %v", value, pattern, escape, got)
		}
		if want && !strings.HasPrefix(value, string(like.prefix)) {
			t.Fatalf("%q LIKE %q, but the prefix is %q", value, pattern, like.prefix)
		}
	})
}

func TestBits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		bitmap := make([]byte, 1+r.IntN(40))
		for i := range bitmap {
			bitmap[i] = byte(r.Uint32())
		}
		off := r.IntN(8*len(bitmap) + 1)
		n := r.IntN(8*len(bitmap) - off + 1)
		w := make([]uint64, wordsFor(n))
		if !loadBits(w, bitmap, off, n) {
			t.Fatal("too short")
		}
		for i := range 64 * len(w) {
			want := i < n && bitmap[(off+i)/8]>>((off+i)%8)&1 != 0
			if got := w[i/64]>>(i%64)&1 != 0; got != want {
				t.Fatalf("bit %d of %d from %d: %v", i, n, off, got)
			}
		}
		if loadBits(w, bitmap, off, 8*len(bitmap)-off+1) {
			t.Fatal("read beyond the bitmap")
		}
		lo := r.IntN(n + 1)
		hi := lo + r.IntN(n-lo+1)
		clear(w)
		setRange(w, lo, hi)
		if count(w) != hi-lo || full(w, n) != (lo == 0 && hi == n || n == 0) {
			t.Fatalf("setRange(%d, %d) of %d: %x", lo, hi, n, w)
		}
		for i := lo; i < hi; i++ {
			if w[i/64]>>(i%64)&1 == 0 {
				t.Fatalf("setRange(%d, %d): bit %d", lo, hi, i)
			}
		}
	}
}
