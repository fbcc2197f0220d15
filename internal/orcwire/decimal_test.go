package orcwire_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// decimal is a value as it is stored.
type decimal struct {
	unscaled *big.Int
	scale    int32
}

func dec(unscaled string, scale int32) decimal {
	v, ok := new(big.Int).SetString(unscaled, 10)
	if !ok {
		panic(unscaled)
	}
	return decimal{v, scale}
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// at returns the value as a number of a column's scale; false if it is none, or has more digits.
func (d decimal) at(precision, scale int) (*big.Int, bool) {
	v := new(big.Rat).SetInt(d.unscaled)
	if e := scale - int(d.scale); e >= 0 {
		v.Mul(v, new(big.Rat).SetInt(pow10(e)))
	} else {
		v.Quo(v, new(big.Rat).SetInt(pow10(-e)))
	}
	return v.Num(), v.IsInt() && v.Num().CmpAbs(pow10(precision)) < 0
}

// storeDecimals returns DATA and SECONDARY, in runs of version 1 without a repetition, and where each value starts.
func storeDecimals(values []decimal) (data, scales []byte, starts []int) {
	for i, v := range values {
		if i%128 == 0 {
			scales = append(scales, byte(-min(128, len(values)-i)))
		}
		scales = bitpack.AppendZigzag(scales, int64(v.scale))
		starts = append(starts, len(data))
		u := new(big.Int).Lsh(v.unscaled, 1)
		if v.unscaled.Sign() < 0 {
			u.Not(u)
		}
		for ; u.BitLen() > 7; u.Rsh(u, 7) {
			data = append(data, byte(u.Uint64())|0x80)
		}
		data = append(data, byte(u.Uint64()))
	}
	return data, scales, append(starts, len(data))
}

// plain is a stream as it is.
func plain(b []byte) stored {
	return stored{name: "plain", bytes: b, size: len(b), view: true}
}

func openDecimals(tb testing.TB, data, scales stored, precision, scale int) *orcwire.Decimals {
	tb.Helper()
	var b [2]orcwire.Bytes
	var sc orcwire.Scratch
	data.open(tb, &b[0], &sc)
	scales.open(tb, &b[1], &sc)
	d := &orcwire.Decimals{}
	d.Open(&b[0], &b[1], false, precision, scale)
	return d
}

func bigOf(w []uint64) *big.Int {
	v := new(big.Int).Lsh(big.NewInt(int64(w[1])), 64)
	return v.Add(v, new(big.Int).SetUint64(w[0]))
}

func randomDecimals(r *rand.Rand, n, precision, scale int, odd bool) (values []decimal, want []*big.Int) {
	for len(values) < n {
		v := new(big.Int).Rand(r, pow10(1+r.Intn(precision)))
		if r.Intn(2) == 0 {
			v.Neg(v)
		}
		s := scale
		switch {
		case odd && r.Intn(3) == 0: // zeros that the column has no room for
			z := r.Intn(39)
			v.Mul(v, pow10(z))
			s += z
		case odd && r.Intn(2) == 0:
			s -= r.Intn(scale + 1)
		}
		d := decimal{v, int32(s)}
		if w, ok := d.at(precision, scale); ok {
			values, want = append(values, d), append(want, w)
		}
	}
	return values, want
}

func TestDecimals(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, k := range []struct{ precision, scale int }{{1, 0}, {5, 2}, {18, 18}, {18, 3}, {19, 1}, {38, 0}, {38, 18}, {38, 38}} {
		for _, n := range []int{0, 1, 300, 700} {
			for _, odd := range []bool{false, true} {
				values, want := randomDecimals(r, n, k.precision, k.scale, odd)
				data, scales, _ := storeDecimals(values)
				for _, s := range storages(t, r, data) {
					d := openDecimals(t, s, plain(scales), k.precision, k.scale)
					// Next and Skip in turns.
					for i := 0; i < n; {
						c := min(1+r.Intn(400), n-i)
						if r.Intn(3) == 0 {
							if err := d.Skip(c); err != nil {
								t.Fatalf("%s: skip %d at %d of %d: %v", s.name, c, i, n, err)
							}
							i += c
							continue
						}
						dst := make([]uint64, 2*c)
						if err := d.Next(dst); err != nil {
							t.Fatalf("%s: %d at %d of %d: %v", s.name, c, i, n, err)
						}
						for j := range c {
							if got := bigOf(dst[2*j:]); got.Cmp(want[i+j]) != 0 {
								t.Fatalf("%s: decimal(%d,%d) %d of %d: %v, want %v", s.name, k.precision, k.scale, i+j, n, got, want[i+j])
							}
						}
						i += c
					}
					if err := d.Next(make([]uint64, 2)); !errors.Is(err, orcwire.ErrEnd) {
						t.Fatalf("%s: behind the end: %v", s.name, err)
					}
				}
			}
		}
	}
}

func TestDecimalSeek(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	values, want := randomDecimals(r, 640, 20, 4, true)
	data, scales, starts := storeDecimals(values)
	for _, s := range storages(t, r, data) {
		d := openDecimals(t, s, plain(scales), 20, 4)
		for range 20 {
			i := r.Intn(len(values))
			p := s.position(r, starts[i])
			// Scales are one byte each behind the header of a run of 128.
			p = append(p, uint64(i/128*129), uint64(i%128))
			if err := d.Seek(orcwire.NewPositions(p)); err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			dst := make([]uint64, 2)
			if err := d.Next(dst); err != nil || bigOf(dst).Cmp(want[i]) != 0 {
				t.Fatalf("%s: value %d is %v, %v, want %v", s.name, i, bigOf(dst), err, want[i])
			}
		}
	}
}

func TestDecimalErrors(t *testing.T) {
	fill := make([]decimal, 300)
	for i := range fill {
		fill[i] = dec("1", 2)
	}
	for _, k := range []struct {
		name             string
		value            decimal
		precision, scale int
		ok               bool
	}{
		{"most", dec("99999", 2), 5, 2, true},
		{"least", dec("-99999", 2), 5, 2, true},
		{"too much", dec("100000", 2), 5, 2, false},
		{"too little", dec("-100000", 2), 5, 2, false},
		{"too much by its scale", dec("1000", 0), 5, 2, false},
		{"zeros", dec("1000000000", 8), 5, 2, true},
		{"not only zeros", dec("1000000001", 8), 5, 2, false},
		{"of 64 bits", dec("9223372036854775807", 2), 5, 2, false},
		{"of 64 bits, negative", dec("-9223372036854775808", 2), 5, 2, false},
		{"of 128 bits", dec("170141183460469231731687303715884105727", 2), 5, 2, false},
		{"of 128 bits, negative", dec("-170141183460469231731687303715884105728", 2), 5, 2, false},
		{"a power of two", dec("18446744073709551616", 2), 5, 2, false},
		{"18 digits", dec("999999999999999999", 2), 18, 2, true},
		{"19 digits", dec("1000000000000000000", 2), 18, 2, false},
		{"19 digits of 19", dec("-9999999999999999999", 2), 19, 2, true},
		{"20 digits of 19", dec("-10000000000000000000", 2), 19, 2, false},
		{"38 digits", dec("99999999999999999999999999999999999999", 2), 38, 2, true},
		{"39 digits", dec("-100000000000000000000000000000000000000", 2), 38, 2, false},
		{"38 digits by scale", dec("999999999999999999999999999999999999", 0), 38, 2, true},
		{"39 digits by scale", dec("9999999999999999999999999999999999999", 0), 38, 2, false},
		{"60 digits, zeros", dec("123"+"000000000000000000000000000000000000000000000000000000000", 59), 38, 2, true},
		{"60 digits", dec("123"+"000000000000000000000000000000000000000000000000000000001", 59), 38, 2, false},
		{"zero, any scale", dec("0", math.MaxInt32), 5, 2, true},
		{"zero, any negative scale", dec("0", math.MinInt32), 5, 2, true},
		{"one, large scale", dec("1", math.MaxInt32), 5, 2, false},
		{"one, negative scale", dec("1", math.MinInt32), 5, 2, false},
		{"hundreds", dec("1", -2), 5, 2, true},
		{"Hive 0.11", dec("123456786547456", 7), 38, 10, true},
		{"Hive 0.11, more digits behind the point", dec("1", 11), 38, 10, false},
		{"Hive 0.11, zero behind them", dec("10", 11), 38, 10, true},
	} {
		values := slices.Clone(fill)
		values[270] = k.value
		data, scales, _ := storeDecimals(values)
		d := openDecimals(t, plain(data), plain(scales), k.precision, k.scale)
		dst := make([]uint64, 600)
		err := d.Next(dst)
		if k.ok {
			v := new(big.Int)
			if k.value.unscaled.Sign() != 0 {
				v, _ = k.value.at(k.precision, k.scale)
			}
			if err != nil || bigOf(dst[540:]).Cmp(v) != 0 {
				t.Errorf("%s: %v, %v, want %v", k.name, bigOf(dst[540:]), err, v)
			}
			continue
		}
		var v *orcwire.ValueError
		if !errors.Is(err, errs.ErrSchema) || !errors.As(err, &v) || v.Index != 270 {
			t.Errorf("%s: %v", k.name, err)
		}
	}
}

// Streams that end too early, and varints that do not end.
func TestDecimalsCut(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	values, _ := randomDecimals(r, 40, 38, 5, true)
	data, scales, starts := storeDecimals(values)
	dst := make([]uint64, 80)
	for cut := range data {
		d := openDecimals(t, plain(data[:cut]), plain(scales), 38, 5)
		if err := d.Next(dst); !errors.Is(err, orcwire.ErrEnd) {
			t.Fatalf("%d of %d bytes: %v", cut, len(data), err)
		}
		d = openDecimals(t, plain(data[:cut]), plain(scales), 38, 5)
		whole := 0
		for whole < 40 && starts[whole+1] <= cut {
			whole++
		}
		if err := d.Skip(whole); err != nil {
			t.Fatalf("skip %d in %d bytes: %v", whole, cut, err)
		}
		if err := d.Skip(1); !errors.Is(err, orcwire.ErrEnd) {
			t.Fatalf("skip %d in %d bytes: %v", whole+1, cut, err)
		}
	}
	for cut := range scales {
		d := openDecimals(t, plain(data), plain(scales[:cut]), 38, 5)
		if err := d.Next(dst); !errors.Is(err, orcwire.ErrEnd) {
			t.Fatalf("%d of %d bytes of scales: %v", cut, len(scales), err)
		}
	}
	endless := make([]byte, 1000)
	for i := range endless {
		endless[i] = 0x81
	}
	for _, at := range []int{len(endless), 300, 70, 64} {
		b := slices.Clone(endless[:at])
		d := openDecimals(t, plain(append(b, 0)), plain([]byte{0xff, 10}), 38, 5)
		if err := d.Next(dst[:2]); !errors.Is(err, bitpack.ErrVarint) {
			t.Errorf("a varint of %d bytes: %v", at+1, err)
		}
	}
	d := openDecimals(t, plain(endless), plain([]byte{0xff, 10}), 38, 5)
	if err := d.Next(dst[:2]); !errors.Is(err, bitpack.ErrVarint) {
		t.Errorf("endless: %v", err)
	}
}

// The form of ORC 2.0: short runs of one value, 8 bytes.
func TestDecimal64(t *testing.T) {
	var data []byte
	want := []int64{0, 1, -1, 999999999999999999, -999999999999999999, 12345}
	for _, v := range want {
		u := uint64(v)<<1 ^ uint64(v>>63)
		data = append(data, 7<<3)
		for i := 7; i >= 0; i-- {
			data = append(data, byte(u>>(8*i)))
		}
	}
	var b orcwire.Bytes
	var sc orcwire.Scratch
	open := func(precision int) *orcwire.Decimals {
		plain(data).open(t, &b, &sc)
		d := &orcwire.Decimals{}
		d.Open64(&b, precision, 4)
		return d
	}
	dst := make([]uint64, 6*len(want))
	if err := open(18).Next(dst); err != nil {
		t.Fatal(err)
	}
	for i := range 3 * len(want) {
		if got := bigOf(dst[2*i:]); got.Int64() != want[i/3] || !got.IsInt64() {
			t.Errorf("value %d is %v, want %d", i, got, want[i/3])
		}
	}
	d := open(18)
	if err := d.Skip(10); err != nil {
		t.Fatal(err)
	}
	if err := d.Next(dst[:2]); err != nil || bigOf(dst).Int64() != want[3] {
		t.Errorf("%v, %v", bigOf(dst), err)
	}
	if err := d.Seek(orcwire.NewPositions([]uint64{9, 1})); err != nil {
		t.Fatal(err)
	}
	if err := d.Next(dst[:2]); err != nil || bigOf(dst).Int64() != 1 {
		t.Errorf("%v, %v", bigOf(dst), err)
	}
	var v *orcwire.ValueError
	if err := open(17).Next(dst); !errors.Is(err, errs.ErrSchema) || !errors.As(err, &v) || v.Index != 9 {
		t.Error(err)
	}
}

func FuzzDecimals(f *testing.F) {
	r := rand.New(rand.NewSource(4))
	for range 4 {
		values, _ := randomDecimals(r, 30, 38, 5, true)
		data, scales, _ := storeDecimals(values)
		f.Add(data, scales, uint8(38), uint8(5), uint8(3))
	}
	f.Fuzz(func(t *testing.T, data, scales []byte, precision, scale, split uint8) {
		p, s := int(precision%39), int(scale%39)
		all := make([]uint64, 2*100)
		err := openDecimals(t, plain(data), plain(scales), p, s).Next(all)
		parts := make([]uint64, 2*100)
		d := openDecimals(t, plain(data), plain(scales), p, s)
		for at := 0; at < 100; {
			n := min(int(split)%40+1, 100-at)
			if partial := d.Next(parts[2*at : 2*(at+n)]); partial != nil {
				if err == nil {
					t.Fatalf("values %d to %d: %v", at, at+n, partial)
				}
				return
			}
			at += n
		}
		if err != nil || !slices.Equal(all, parts) {
			t.Fatalf("together: %v", err)
		}
	})
}

func BenchmarkDecimals(b *testing.B) {
	const n = 1 << 16
	r := rand.New(rand.NewSource(1))
	for _, k := range []struct {
		name             string
		precision, scale int
		values           func() decimal
	}{
		{"same scale", 12, 2, func() decimal { return decimal{big.NewInt(10000 + r.Int63n(1000000)), 2} }},
		{"mixed scales", 12, 2, func() decimal { return decimal{big.NewInt(10000 + r.Int63n(1000000)), int32(r.Intn(3))} }},
		{"38 digits", 38, 2, func() decimal { return decimal{new(big.Int).Rand(r, pow10(38)), 2} }},
		{"scale above", 12, 2, func() decimal { return decimal{big.NewInt(100 * r.Int63n(10000)), 4} }},
	} {
		values := make([]decimal, n)
		for i := range values {
			values[i] = k.values()
		}
		data, _, _ := storeDecimals(values)
		// Scales as writers have them.
		var scales []byte
		if k.name == "mixed scales" {
			_, scales, _ = storeDecimals(values)
		} else {
			for i := 0; i < n; i += 128 {
				scales = append(scales, 125, 0)
				scales = bitpack.AppendZigzag(scales, int64(values[0].scale))
			}
		}
		s := plain(data)
		if k.name == "same scale" {
			s = store(b, r, data, blockcodec.None, 256<<10)
			s.view = true
		}
		fetch, fetchScales := s.fetch(b), plain(scales).fetch(b)
		dst := make([]uint64, 2*n)
		var in, secondary orcwire.Bytes
		var sc orcwire.Scratch
		var d orcwire.Decimals
		b.Run(k.name, func(b *testing.B) {
			b.SetBytes(16 * n)
			b.ReportAllocs()
			for b.Loop() {
				in.Open(int64(len(s.bytes)), fetch, s.packing, &sc)
				secondary.Open(int64(len(scales)), fetchScales, orcwire.Packing{}, &sc)
				d.Open(&in, &secondary, false, k.precision, k.scale)
				if err := d.Next(dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
