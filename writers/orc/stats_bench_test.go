package orc

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
)

// benchRows is a row group.
const benchRows = 10_000

func perValue(b *testing.B, f func()) {
	b.ReportAllocs()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(b.N)*benchRows/b.Elapsed().Seconds()/1e6, "M/s")
}

func BenchmarkStats(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	longs, ints := make([]int64, benchRows), make([]int32, benchRows)
	doubles, times := make([]float64, benchRows), make([]int64, benchRows)
	decimals := make([][2]uint64, benchRows)
	ids, words := make([]int32, benchRows), []string{}
	texts := map[string][]string{}
	for i := range benchRows {
		longs[i] = r.Int63n(1 << 40)
		ints[i] = int32(r.Uint32())
		doubles[i] = r.NormFloat64()
		times[i] = r.Int63()
		decimals[i][0] = uint64(r.Int63n(1e12))
		ids[i] = int32(r.Intn(1000))
		texts["random"] = append(texts["random"], fmt.Sprintf("%x", r.Int63()))
		texts["ascending"] = append(texts["ascending"], fmt.Sprintf("%08d", i))
		texts["alike"] = append(texts["alike"], fmt.Sprintf("https://example.com/%d", r.Intn(1e6)))
		texts["few"] = append(texts["few"], []string{"", "A", "N", "R"}[r.Intn(4)])
	}
	for i := range 1000 {
		words = append(words, fmt.Sprintf("word %d", i))
	}
	huge := make([]int64, benchRows)
	for i := range huge {
		huge[i] = (r.Int63() - 1<<62) >> 10
	}
	b.Run("int64", func(b *testing.B) {
		s := new(intStats)
		perValue(b, func() { addInts(s, longs); s.group.facts.reset() })
	})
	b.Run("int64-wide", func(b *testing.B) {
		s := new(intStats)
		perValue(b, func() { addInts(s, huge); s.group.facts.reset() })
	})
	b.Run("int32", func(b *testing.B) {
		s := new(intStats)
		perValue(b, func() { addInts(s, ints); s.group.facts.reset() })
	})
	b.Run("date", func(b *testing.B) { s := new(dateStats); perValue(b, func() { s.add(ints); s.group.facts.reset() }) })
	b.Run("double", func(b *testing.B) {
		s := new(doubleStats)
		perValue(b, func() { addFloats(s, doubles); s.group.facts.reset() })
	})
	b.Run("timestamp", func(b *testing.B) { s := new(timestampStats); perValue(b, func() { s.add(times, arrow.Nanosecond) }) })
	for _, p := range []uint32{18, 38} {
		b.Run(fmt.Sprintf("decimal%d", p), func(b *testing.B) {
			s := newDecimalStats(decimalType(p, 2))
			perValue(b, func() { s.add(decimals); s.group.facts.reset() })
		})
	}
	for _, name := range []string{"random", "ascending", "alike", "few"} {
		b.Run("string-"+name, func(b *testing.B) {
			s := new(stringStats)
			offsets, data := stringBatch(texts[name]...)
			perValue(b, func() { s.add(offsets, data); s.group.facts.reset() })
		})
	}
	b.Run("string-ids", func(b *testing.B) {
		s := new(stringStats)
		offsets, data := stringBatch(words...)
		perValue(b, func() { s.addIDs(ids, lengthOf(ids, offsets), offsets, data); s.forget(); s.group.facts.reset() })
	})
	bits := make([]byte, benchRows/8)
	b.Run("bool", func(b *testing.B) { s := new(boolStats); perValue(b, func() { s.add(bits, 0, benchRows) }) })
	f := newBloom(benchRows, 0.01)
	b.Run("bloom-int64", func(b *testing.B) { perValue(b, func() { addBloomInts(f, longs) }) })
	b.Run("bloom-timestamp", func(b *testing.B) { perValue(b, func() { addBloomTimestamps(f, times, arrow.Nanosecond) }) })
	b.Run("bloom-decimal", func(b *testing.B) { perValue(b, func() { addBloomDecimals(f, decimals, decimalType(18, 2)) }) })
	b.Run("bloom-string", func(b *testing.B) {
		offsets, data := stringBatch(texts["random"]...)
		perValue(b, func() { addBloomStrings(f, offsets, data) })
	})
}
