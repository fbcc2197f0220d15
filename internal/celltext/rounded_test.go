package celltext

import "testing"

func TestRounded(t *testing.T) {
	for _, c := range []struct {
		v      float64
		digits int
		want   string
	}{
		{1234567.8, 6, "1234568"},
		{-123456789012, 6, "-123456789012"},
		{999999.7, 6, "1000000"},
		{1234.5678, 6, "1234.57"},
		{0.1, 6, "0.1"},
		{0, 6, "0"},
		{1e15, 6, "1e+15"},
		{12345.6, 3, "12346"},
		{999.6, 3, "1000"},
		{8.891, 3, "8.89"},
		{0.0000123, 3, "1.23e-05"},
	} {
		if got := Rounded(c.v, c.digits); got != c.want {
			t.Errorf("%g with %d digits: %s, want %s", c.v, c.digits, got, c.want)
		}
	}
}
