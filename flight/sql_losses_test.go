package flight

import "testing"

// What plans say of a column tells whether its values come back as ones of another kind.
func TestOtherKind(t *testing.T) {
	for _, c := range []struct {
		of, loss string
		other    bool
	}{
		{"time64[us]", "comes back as int64, the microseconds since midnight", true},
		{"time64[ns]", "comes back as time64[us]", false},
		{"timestamp[us]", "comes back as timestamp[ns], or as timestamp[us] if there are times before 1677", false},
		{"timestamp[us]", "comes back as utf8 where a year is outside 0 to 9999", false},
		{"timestamp[us]", "comes back in microseconds", false},
		{"uint8", "comes back as int16", false},
		{"bool", "", false},
		{"month_interval", "comes back as int32", true},
		{"duration[us]", "comes back as int64, the number of us", true},
		{"decimal(9, 2)", "comes back as int64 or float64, or as utf8 where these do not hold the values", true},
		{"fixed_size_list<item: int32, nullable>[2]", "comes back as list", false},
		{"map<utf8, int32, items_nullable>", "comes back as a list: written as an array of keys and values", true},
		{"list<l: int32, nullable>", "in l: comes back as int64", false},
		{"list<l: date32, nullable>", "in l: comes back as utf8: written as text", true},
		{"struct<a: int32, b: list<l: date32, nullable>>", "in a: comes back as int64; in b: in l: comes back as utf8: written as text", true},
		{"struct<a: int32, b: list<l: utf8, nullable>>", "in a: comes back as int64", false},
		{"dictionary<values=utf8, indices=int8, ordered=false>", "comes back as utf8", false},
	} {
		if got := otherKind(c.of, c.loss); got != c.other {
			t.Errorf("%s, which %s: %v", c.of, c.loss, got)
		}
	}
}
