//go:build interop

package trevni_test

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
)

// TestFeaturesJudged has Java's reader look at random files that all have one feature: 2 of each, or ARROWIO_TREVNI_SAMPLES. Java reads no
// checksums of the name crc-32.
func TestFeaturesJudged(t *testing.T) {
	jar := os.Getenv("ARROWIO_JUDGE_JAR")
	if jar == "" {
		t.Fatal("ARROWIO_JUDGE_JAR is not set: make interop does")
	}
	n := 2
	if s := os.Getenv("ARROWIO_TREVNI_SAMPLES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	mem := memory.NewGoAllocator()
	for _, feature := range []struct {
		name string
		set  func(r *randomizer, s *sample)
	}{
		{"runs of ones", func(_ *randomizer, s *sample) { s.options.Options["trevni-lengths"] = "runs" }},
		{"Java's lengths", func(_ *randomizer, s *sample) { s.options.Options["trevni-lengths"] = "java" }},
		{"first values", func(_ *randomizer, s *sample) { s.options.Options["trevni-values"] = "*" }},
		{"codecs of columns", func(r *randomizer, s *sample) {
			if s.schema.NumFields() > 0 {
				s.options.Options["trevni-codec"] = s.schema.Field(r.Intn(s.schema.NumFields())).Name + "=" + pick(r, "none", "snappy", "deflate:9")
			}
		}},
		{"size of blocks", func(r *randomizer, s *sample) {
			s.options.Options["trevni-block-bytes"] = fmt.Sprint(1024 + r.Intn(100_000))
		}},
		{"fixed integers", func(_ *randomizer, s *sample) { s.options.Options["trevni-integers"] = "fixed" }},
		{"statistics", func(_ *randomizer, s *sample) { s.options.Options["trevni-statistics"] = "blocks" }},
		{"not null", func(_ *randomizer, s *sample) { giveNullable(s) }},
		{"microseconds", func(r *randomizer, s *sample) { giveNanoseconds(r, s, mem, false) }},
		{"digits that are cut off", func(r *randomizer, s *sample) { giveNanoseconds(r, s, mem, true) }},
		{"no checksums", func(_ *randomizer, s *sample) { s.options.Options["trevni-checksum"] = "null" }},
	} {
		t.Run(feature.name, func(t *testing.T) {
			j := judge{dir: t.TempDir(), of: map[string]*sample{}}
			for seed := range n {
				r := newRandomizer(rand.NewSource(int64(50_000+seed)), mem)
				s := r.sample(500)
				s.name = fmt.Sprintf("random-%d", seed)
				feature.set(r, s)
				for _, w := range writeSample(t, s) {
					j.add(t, s, w)
					readBack(t, w, mem)
				}
				s.release()
			}
			j.run(t, jar)
		})
	}
}
