package cfilewire_test

import (
	"encoding/binary"
	"fmt"
	"math/rand"
	"testing"

	"github.com/arrowio/arrowio/internal/cfilewire"
)

// benchRows is what one column has: some blocks.
const benchRows = 200_000

// benchNumbers are 64-bit integers that climb by up to 1000, as keys and times do, at a width.
func benchNumbers(width int) []byte {
	r := rand.New(rand.NewSource(1))
	b := make([]byte, 0, benchRows*width+8)
	v := uint64(1 << 40)
	for range benchRows {
		v += uint64(r.Intn(1000))
		b = binary.LittleEndian.AppendUint64(b, v)[:len(b)+width]
	}
	return b
}

// benchWords are strings of 5 to 20 bytes, of which there are most different ones, in order or not.
func benchWords(most int, ordered bool) (offsets []int32, data []byte) {
	r := rand.New(rand.NewSource(1))
	offsets = []int32{0}
	for i := range benchRows {
		n := r.Intn(most)
		if ordered {
			n = i
		}
		data = fmt.Appendf(data, "w%0*d", 4+n%16, n)
		offsets = append(offsets, int32(len(data)))
	}
	return offsets, data
}

func discard([]byte) error { return nil }

// BenchmarkColumnOut writes whole columns: encoding, framing with checksums, indexes; the bytes counted are those that are
// put. move is what memory allows.
func BenchmarkColumnOut(b *testing.B) {
	column := func(name string, s cfilewire.FileSettings, bytes int, put func(c *cfilewire.ColumnOut) error) {
		b.Run(name, func(b *testing.B) {
			var c cfilewire.ColumnOut
			b.SetBytes(int64(bytes))
			b.ReportAllocs()
			for b.Loop() {
				must(b, c.Open(s, discard))
				must(b, put(&c))
				_, err := c.Finish()
				must(b, err)
			}
			b.ReportMetric(float64(benchRows)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
	settings := func(t cfilewire.DataType, e cfilewire.Encoding, nullable bool) cfilewire.FileSettings {
		return cfilewire.ColumnSettings(t, e, 0, nullable, false)
	}
	longs, ints := benchNumbers(8), benchNumbers(4)
	few := make([]byte, len(longs)) // runs of 1 to 30
	r := rand.New(rand.NewSource(1))
	for i := 0; i < len(few); {
		v := byte(r.Intn(5))
		for k := r.Intn(30); k >= 0 && i < len(few); k-- {
			few[i] = v
			i += 8
		}
	}
	noise := make([]byte, len(longs))
	r.Read(noise)
	b.Run("move", func(b *testing.B) {
		dst := make([]byte, len(longs))
		b.SetBytes(int64(len(longs)))
		for b.Loop() {
			copy(dst, longs)
		}
	})
	for _, c := range []struct {
		name   string
		t      cfilewire.DataType
		e      cfilewire.Encoding
		values []byte
		valid  []byte
	}{
		{"plain/int64", cfilewire.Int64, cfilewire.EncodingPlain, longs, nil},
		{"plain/int64-half-null", cfilewire.Int64, cfilewire.EncodingPlain, longs, noise},
		{"bitshuffle/int64", cfilewire.Int64, cfilewire.EncodingBitShuffle, longs, nil},
		{"bitshuffle/int64-half-null", cfilewire.Int64, cfilewire.EncodingBitShuffle, longs, noise},
		{"bitshuffle/int64-noise", cfilewire.Int64, cfilewire.EncodingBitShuffle, noise, nil},
		{"bitshuffle/int32", cfilewire.Int32, cfilewire.EncodingBitShuffle, ints, nil},
		{"rle/int64-literals", cfilewire.Int64, cfilewire.EncodingRLE, longs, nil},
		{"rle/int64-runs", cfilewire.Int64, cfilewire.EncodingRLE, few, nil},
		{"rle/int32-literals", cfilewire.Int32, cfilewire.EncodingRLE, ints, nil},
		{"rle/int8-runs", cfilewire.Int8, cfilewire.EncodingRLE, few[:benchRows], nil},
	} {
		column(c.name, settings(c.t, c.e, c.valid != nil), benchRows*c.t.Width(), func(w *cfilewire.ColumnOut) error {
			return w.PutFixed(c.values, benchRows, c.valid, 0)
		})
	}
	for _, c := range []struct {
		name   string
		e      cfilewire.Encoding
		values []byte
		valid  []byte
	}{
		{"plain/bool", cfilewire.EncodingPlain, noise, nil},
		{"plain/bool-half-null", cfilewire.EncodingPlain, noise, noise[1000:]},
		{"rle/bool-noise", cfilewire.EncodingRLE, noise, nil},
		{"rle/bool-runs", cfilewire.EncodingRLE, few, nil},
	} {
		column(c.name, settings(cfilewire.Bool, c.e, c.valid != nil), benchRows/8, func(w *cfilewire.ColumnOut) error {
			return w.PutBits(c.values, 3, benchRows, c.valid, 0)
		})
	}
	for _, c := range []struct {
		name    string
		e       cfilewire.Encoding
		most    int
		ordered bool
		valid   []byte
	}{
		{"plain/string", cfilewire.EncodingPlain, benchRows, false, nil},
		{"plain/string-half-null", cfilewire.EncodingPlain, benchRows, false, noise},
		{"prefix/string", cfilewire.EncodingPrefix, benchRows, true, nil},
		{"dict/string-100", cfilewire.EncodingDict, 100, false, nil},
		{"dict/string-10000", cfilewire.EncodingDict, 10000, false, nil},
		{"dict/string-overflow", cfilewire.EncodingDict, benchRows, false, nil},
		{"dict/string-100-half-null", cfilewire.EncodingDict, 100, false, noise},
	} {
		offsets, data := benchWords(c.most, c.ordered)
		column(c.name, settings(cfilewire.String, c.e, c.valid != nil), len(data), func(w *cfilewire.ColumnOut) error {
			return w.PutStrings(offsets, data, c.valid, 0)
		})
	}
}
