package orccast

import (
	"math"
	"math/rand"
	"strconv"
	"testing"
)

// What Double.toString of OpenJDK 17 prints.
func TestDoublesLikeJava(t *testing.T) {
	for _, c := range []struct {
		bits uint64
		want string
	}{
		{0x3f60624dd2f1a9fc, "0.002"},
		{0x44b52d02c7e14af6, "9.999999999999999E22"},
		{0x44c52d02c7e14af6, "1.9999999999999998E23"},
		{0x447c7e83209e90b2, "8.409999999999999E21"},
		{0x43c0000000000000, "2.305843009213694E18"},
		{0x43d0000000000000, "4.6116860184273879E18"},
		{0x43bc8db600000000, "2.05750071589443994E18"},
		{0x3d30000000000000, "5.6843418860808015E-14"},
		{0x10000000000000, "2.2250738585072014E-308"},
		{0x1, "4.9E-324"},
		{0x2, "1.0E-323"},
		{0x16, "1.1E-322"},
		{0xc37d44dee468244c, "-1.31815974881084608E17"},
		{0x4341c37937e08000, "1.0E16"},
		{0x4340000000000000, "9.007199254740992E15"},
		{0x444b1ae4d6e2ef50, "1.0E21"},
		{0x43e0000000000000, "9.223372036854776E18"},
		{0x416312d000000000, "1.0E7"},
		{0x416312cfffffffff, "9999999.999999998"},
		{0x40fe240b33333333, "123456.7"},
		{0x3f014d2f5dbb9cfa, "3.3E-5"},
		{0x3ed23ec6e52c3f23, "4.35E-6"},
		{0x2d, "2.2E-322"},
		{0x3f50624dd2f1a9fc, "0.001"},
		{0x3f5061e273273f09, "9.999E-4"},
		{0x3fb99999a0000000, "0.10000000149011612"},
		{0x7fefffffffffffff, "1.7976931348623157E308"},
		{0x37073159b3ec4864, "1.3E-43"},
		{0x3f0a36e2eb1c432d, "5.0E-5"},
		{0x43b12210f47de981, "1.23456789012345677E18"},
		{0x36dc8b8218854567, "2.0E-44"},
		{0x42374876e8000000, "1.0E11"},
		{0x41adcd6500000000, "2.5E8"},
		{0x41e65a0bc0000000, "3.0E9"},
	} {
		v := math.Float64frombits(c.bits)
		if got := string(appendDouble(nil, v)); got != c.want {
			t.Errorf("%g is %s, want %s", v, got, c.want)
		}
	}
}

// Whatever is printed is the number.
func TestDoublesReadBack(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var b []byte
	for range 200_000 {
		v := math.Float64frombits(r.Uint64())
		if v != v || math.IsInf(v, 0) {
			continue
		}
		b = appendDouble(b[:0], v)
		if got, err := strconv.ParseFloat(string(b), 64); err != nil || got != v {
			t.Fatalf("%x is %s", math.Float64bits(v), b)
		}
	}
}

func BenchmarkDouble(b *testing.B) {
	var text []byte
	for i := range b.N {
		text = appendDouble(text[:0], float64(i)*1.00123e-3)
	}
}
