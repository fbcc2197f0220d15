//go:build interop

package cfile_test

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	writer "github.com/arrowio/arrowio/writers/cfile"
)

// TestFeaturesJudged has Kudu print random files that all have one feature: 4 of each, or ARROWIO_CFILE_SAMPLES.
func TestFeaturesJudged(t *testing.T) {
	n := 4
	if s := os.Getenv("ARROWIO_CFILE_SAMPLES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	keys := []kuduType{
		{"int16", arrow.PrimitiveTypes.Int16, "", ofInts},
		{"int32", arrow.PrimitiveTypes.Int32, "", ofInts},
		{"int64", arrow.PrimitiveTypes.Int64, "", ofInts},
		{"string", arrow.BinaryTypes.String, "", ofStrings},
		{"binary", arrow.BinaryTypes.Binary, "", ofStrings},
	}
	for _, feature := range []struct {
		name  string
		write func(t *testing.T, j *judge, r *randomizer, i int)
	}{
		{"index of values", func(t *testing.T, j *judge, r *randomizer, i int) {
			k := pick(r, keys...)
			c := sampleColumn{name: "k", encoding: pick(r, k.encodings...), codec: pick(r, codecs...), kind: k}
			s, rec := keyed(t, k.arrow, 1+r.Intn(5000))
			defer rec.Release()
			c.values = rec.Column(1)
			o := indexed("cfile-compression", c.codec, "cfile-encoding", "k="+c.encoding, "cfile-block-size", fmt.Sprint(512+r.Intn(10_000)), "cfile-index-block-size", fmt.Sprint(512+r.Intn(10_000)))
			dir := filepath.Join(j.dir, fmt.Sprint(i))
			writeSet(t, writer.Format(), dir, s, o, func(w arrowio.Writer) error { return w.Write(rec) })
			j.add(c.judged(filepath.Join(dir, "k.cfile")))
		}},
		{"size of index blocks", func(t *testing.T, j *judge, r *randomizer, i int) {
			k := pick(r, tableTypes...)
			c := sampleColumn{
				name: "c", encoding: pick(r, k.encodings...), codec: pick(r, codecs...), kind: k, nullable: r.Intn(2) > 0,
				block: 512 + r.Intn(1000), index: 512 + r.Intn(1000),
			}
			c.values = newMaker(r.Int63()).column(&k, r.Intn(5000)+1, c.nullable)
			j.write(t, fmt.Sprint(i), []sampleColumn{c})
		}},
		{"encodings and codecs", func(t *testing.T, j *judge, r *randomizer, i int) {
			k := pick(r, append(tableTypes[:len(tableTypes):len(tableTypes)], loneTypes...)...)
			c := sampleColumn{name: "c", encoding: pick(r, k.encodings...), codec: pick(r, codecs...), kind: k, nullable: r.Intn(2) > 0, block: pick(r, 0, 512, 4096, 100_000)}
			c.values = newMaker(r.Int63()).column(&k, r.Intn(5000)+1, c.nullable)
			j.write(t, fmt.Sprint(i), []sampleColumn{c})
		}},
	} {
		t.Run(feature.name, func(t *testing.T) {
			j := newJudge(t)
			r := newRandomizer(rand.NewSource(77))
			for i := range n {
				feature.write(t, j, r, i)
			}
			j.run(t)
		})
	}
}

// judged returns the file of the column with what Kudu must print of it.
func (c *sampleColumn) judged(path string) judged {
	text := kuduText(c.kind.name, c.values)
	want := make([]string, c.values.Len())
	for k := range want {
		want[k] = text(k)
	}
	return judged{path: path, about: filepath.Base(filepath.Dir(path)) + "/" + c.name, want: want, facts: c.facts()}
}
