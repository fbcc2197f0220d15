package cfilewire_test

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand"
	"strings"
	"testing"
)

// Encoders of blocks of values, and decoders that go value by value, written from the words of docs/formats/cfile.md §4.
// Tests compare with these.

// fromHex returns the bytes that s spells; white space in it is for the reader.
func fromHex(tb testing.TB, s string) []byte {
	tb.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// exact returns b in memory of just its size.
func exact(b []byte) []byte { return append(make([]byte, 0, len(b)), b...)[:len(b):len(b)] }

func le32(b []byte, values ...uint32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// encodeRuns writes values of so many bits as Kudu does: from eight equal ones on, at the start of a group, a run; up to
// 63 groups of others behind one indicator; bytes of the last group only as far as its values go.
func encodeRuns(values []uint64, bits int) (b []byte) {
	for i := 0; i < len(values); {
		n := equal(values[i:])
		if n >= 8 || n == len(values)-i && bits == 1 && n > 1 {
			b = binary.AppendUvarint(b, uint64(n)<<1)
			b = packed(b, values[i:i+1], bits)
			i += n
			continue
		}
		from := i
		for i < len(values) && equal(values[i:]) < 8 && i-from < 8*63 {
			i = min(i+8, len(values))
		}
		b = binary.AppendUvarint(b, uint64(i-from+7)/8<<1|1)
		b = packed(b, values[from:i], bits)
	}
	return b
}

// equal returns how many of values, from the first on, are equal.
func equal(values []uint64) (n int) {
	for n < len(values) && values[n] == values[0] {
		n++
	}
	return n
}

// packed appends values, the lowest bits first.
func packed(b []byte, values []uint64, bits int) []byte {
	if bits == 1 {
		for i, v := range values {
			if i%8 == 0 {
				b = append(b, 0)
			}
			b[len(b)-1] |= byte(v&1) << (i % 8)
		}
		return b
	}
	for _, v := range values {
		for k := 0; k < bits; k += 8 {
			b = append(b, byte(v>>k))
		}
	}
	return b
}

// oddRuns writes runs as no writer does, but as they may be read: some of no values, with indicators of more bytes than
// needed, groups cut at random. It returns the values too.
func oddRuns(r *rand.Rand, bits int) (b []byte, values []uint64) {
	for range r.Intn(20) {
		n := r.Intn(5)
		if r.Intn(4) == 0 {
			n = r.Intn(300)
		}
		if r.Intn(2) == 0 {
			v := r.Uint64() >> (64 - bits)
			b = packed(padded(r, b, uint64(n)<<1), []uint64{v}, bits)
			for range n {
				values = append(values, v)
			}
			continue
		}
		b = padded(r, b, uint64(n)<<1|1)
		from := len(values)
		for range 8 * n {
			values = append(values, r.Uint64()>>(64-bits))
		}
		b = packed(b, values[from:], bits)
	}
	return b, values
}

// padded appends a varint, sometimes with bytes that it does not need.
func padded(r *rand.Rand, b []byte, v uint64) []byte {
	b = binary.AppendUvarint(b, v)
	if r.Intn(4) == 0 {
		b[len(b)-1] |= 0x80
		b = append(b, 0)
	}
	return b
}

// slowRuns returns up to most values of runs: those before the stream ends or is bad.
func slowRuns(b []byte, bits, most int) (values []uint64) {
	for len(values) < most {
		x, n := binary.Uvarint(b)
		if n <= 0 {
			return values
		}
		b = b[n:]
		if x&1 == 0 {
			if len(b) < (bits+7)/8 {
				return values
			}
			v := slowUnpack(b, bits, 0)
			for i := uint64(0); i < x>>1 && len(values) < most; i++ {
				values = append(values, v)
			}
			b = b[(bits+7)/8:]
			continue
		}
		for groups := x >> 1; groups > 0; groups-- {
			for i := range 8 {
				if len(values) == most || len(b)*8 < (i+1)*bits {
					return values
				}
				values = append(values, slowUnpack(b, bits, i))
			}
			b = b[bits:]
		}
	}
	return values
}

func slowUnpack(b []byte, bits, i int) (v uint64) {
	for k := range bits {
		at := i*bits + k
		v |= uint64(b[at/8]>>(at%8)&1) << k
	}
	return v
}

// encodeGroups writes integers in group varint coding.
func encodeGroups(b []byte, values ...uint32) []byte {
	for i := 0; i < len(values); i += 4 {
		at := len(b)
		b = append(b, 0)
		for k := range 4 {
			v, width := uint32(0), 1
			if i+k < len(values) {
				v = values[i+k]
			}
			for width < 4 && v>>(8*width) != 0 {
				width++
			}
			b[at] |= byte(width-1) << (6 - 2*k)
			b = append(b, le32(nil, v)[:width]...)
		}
	}
	return b
}

// encodePlainStrings writes a PLAIN block of strings.
func encodePlainStrings(ordinal uint32, values []string) []byte {
	b := le32(nil, ordinal, uint32(len(values)), 0)
	var offsets []uint32
	for _, v := range values {
		offsets = append(offsets, uint32(len(b)))
		b = append(b, v...)
	}
	binary.LittleEndian.PutUint32(b[8:], uint32(len(b)))
	return encodeGroups(b, offsets...)
}

// encodePrefix writes a PREFIX block of strings.
func encodePrefix(ordinal uint32, values []string, interval int) []byte {
	b := encodeGroups(nil, uint32(len(values)), ordinal, uint32(interval), 0)
	var restarts []uint32
	for i, v := range values {
		shared := 0
		if i%interval != 0 {
			before := values[i-1]
			for shared < min(len(v), len(before)) && v[shared] == before[shared] {
				shared++
			}
		} else if i > 0 {
			restarts = append(restarts, uint32(len(b)))
		}
		b = binary.AppendUvarint(b, uint64(shared))
		b = binary.AppendUvarint(b, uint64(len(v)-shared))
		b = append(b, v[shared:]...)
	}
	return le32(le32(b, restarts...), uint32(len(restarts)))
}

// randomStrings returns strings of up to most bytes, often with the beginning of the one before.
func randomStrings(r *rand.Rand, n, most int) []string {
	values := make([]string, n)
	before := ""
	for i := range values {
		b := []byte(before[:r.Intn(len(before)+1)])
		for len(b) < most && r.Intn(most) != 0 {
			b = append(b, byte(r.Intn(3)))
		}
		before = string(b)
		values[i] = before
	}
	return values
}

// bitOf returns bit i of b.
func bitOf(b []byte, i int) uint64 { return uint64(b[i>>3] >> (i & 7) & 1) }
