package orctable

import (
	"errors"
	"math"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

func TestParseWriteIDs(t *testing.T) {
	for text, want := range map[string]writeIDs{
		"5":                     {high: 5},
		"0":                     {high: 0},
		"5:":                    {high: 5},
		"5::":                   {high: 5},
		"5:3":                   {high: 5, open: []int64{3}},
		"5:4,3:1":               {high: 5, open: []int64{3, 4}, aborted: []int64{1}},
		"5::2,2,9":              {high: 5, aborted: []int64{2}},
		" 5 : 3 , 4 : ":         {high: 5, open: []int64{3, 4}},
		"9223372036854775807::": {high: math.MaxInt64},
	} {
		got, err := parseWriteIDs("orc-write-ids", text)
		if err != nil || got.high != want.high || !slices.Equal(got.open, want.open) || !slices.Equal(got.aborted, want.aborted) {
			t.Errorf("%q: %+v, %v", text, got, err)
			continue
		}
		if again, err := parseWriteIDs("orc-write-ids", got.text()); err != nil || again.text() != got.text() {
			t.Errorf("%q: written %q, and read again %v, %v", text, got.text(), again, err)
		}
	}
	if got, err := parseWriteIDs("orc-write-ids", ""); err != nil || got != everything {
		t.Error(got, err)
	}
	for _, text := range []string{":", "x", "-1", "5:x", "5:3,", "5:0", "5:-3", "5:1:2:3", "5::x", "9223372036854775808", "5,6"} {
		if got, err := parseWriteIDs("orc-write-ids", text); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

// Ranges are judged as their write ids one by one are.
func TestWriteIDRanges(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 300 {
		list := func() string {
			var s []string
			for range rng.Intn(6) {
				s = append(s, strconv.Itoa(1+rng.Intn(20)))
			}
			return strings.Join(s, ",")
		}
		ids, err := parseWriteIDs("orc-write-ids", strconv.Itoa(rng.Intn(22))+":"+list()+":"+list())
		if err != nil {
			t.Fatal(err)
		}
		for lo := int64(-2); lo < 24; lo++ {
			for hi := lo - 1; hi < 24; hi++ {
				some, every := false, true
				for n := lo; n <= hi; n++ {
					some = some || ids.valid(n)
					every = every && ids.valid(n)
				}
				if ids.any(lo, hi) != some || ids.all(lo, hi) != every {
					t.Fatalf("%s: %d to %d: any %t, all %t", ids.text(), lo, hi, ids.any(lo, hi), ids.all(lo, hi))
				}
			}
		}
	}
	ids, _ := parseWriteIDs("orc-write-ids", "9223372036854775807:9223372036854775807:1")
	if !ids.any(1, math.MaxInt64) || ids.all(2, math.MaxInt64) || ids.any(math.MaxInt64, math.MaxInt64) || !ids.any(math.MinInt64, math.MaxInt64) {
		t.Error("the largest write id")
	}
}
