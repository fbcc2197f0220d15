package orc

import (
	"math/rand"
	"testing"
)

// TestDictionaryNumbers: strings get the numbers that a map gives them in the order in which they come, whatever their lengths, however
// many there are, and whatever lies behind them in memory.
func TestDictionaryNumbers(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	var d dictionary
	for _, c := range []struct{ words, longest, letters int }{
		{3, 1, 2}, {300, 9, 3}, {500, 24, 2}, {500, 25, 2}, {1900, 60, 4}, {6000, 30, 26}, {20000, 24, 256},
	} {
		words := make([]string, c.words)
		for i := range words {
			w := make([]byte, r.Intn(c.longest+1))
			for j := range w {
				w[j] = byte(r.Intn(c.letters)) // zeros too: what is not there must not look like them
			}
			words[i] = string(w)
		}
		d.reset()
		numbers, first := map[string]int32{}, []string{}
		for range 8 {
			var data []byte
			offsets := []int32{0}
			for range 1 + r.Intn(c.words) {
				data = append(data, words[r.Intn(len(words))]...)
				offsets = append(offsets, int32(len(data)))
			}
			data = data[:len(data):len(data)]
			ids := make([]int32, len(offsets)-1)
			if n := d.add(ids, offsets, data); n != len(ids) {
				t.Fatalf("%+v: %d of %d have numbers", c, n, len(ids))
			}
			for i, id := range ids {
				w := string(data[offsets[i]:offsets[i+1]])
				want, ok := numbers[w]
				if !ok {
					want = int32(len(numbers))
					numbers[w] = want
					first = append(first, w)
				}
				if id != want {
					t.Fatalf("%+v: %q is %d, want %d", c, w, id, want)
				}
			}
			if id, ok := d.addOne([]byte(first[0])); !ok || id != 0 {
				t.Fatalf("%+v: the first string is %d", c, id)
			}
		}
		for i, w := range first {
			if got := string(d.data[d.offsets[i]:d.offsets[i+1]]); got != w {
				t.Fatalf("%+v: entry %d is %q, want %q", c, i, got, w)
			}
		}
		if d.len() != len(first) {
			t.Fatalf("%+v: %d entries, want %d", c, d.len(), len(first))
		}
	}
}

func BenchmarkDictionary(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for name, words := range map[string][]string{
		"letters": {"A", "N", "R"}, "words": {"DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"},
		"long": {"Mozilla/5.0 (X11; Linux x86_64) Browser/80.1", "Mozilla/5.0 (X11; Linux x86_64) Browser/117.4"},
	} {
		picked := make([]string, benchRows)
		for i := range picked {
			picked[i] = words[r.Intn(len(words))]
		}
		b.Run(name, func(b *testing.B) {
			offsets, data := stringBatch(picked...)
			ids := make([]int32, benchRows)
			var d dictionary
			d.reset()
			perValue(b, func() { d.add(ids, offsets, data) })
		})
	}
}
