package orc_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// streamsOf returns the streams of a column in a stripe of a file without a codec.
func streamsOf(t *testing.T, b []byte, stripe, column int) map[orcwire.StreamKind]string {
	t.Helper()
	foot, stripes := layout(t, b)
	streams, at := map[orcwire.StreamKind]string{}, foot.Stripes[stripe].Offset
	for _, s := range stripes[stripe].Streams {
		if s.Column == column {
			streams[s.Kind] = string(b[at : at+s.Length])
		}
		at += s.Length
	}
	return streams
}

// stringRecord is a record of one column of strings.
func stringRecord(values []string) (*arrow.Schema, arrow.Record) {
	s := schemaOf(field("s", arrow.BinaryTypes.String))
	return s, build(memory.NewGoAllocator(), s, len(values), func(b *array.RecordBuilder, i int) {
		b.Field(0).(*array.StringBuilder).Append(values[i])
	})
}

// TestStringExamples: the examples of the specification ("String, Char, and VarChar Columns") for a direct and for a sorted dictionary encoding.
// Lengths and numbers of words are direct runs of version 2.
func TestStringExamples(t *testing.T) {
	for _, c := range []struct {
		values  []string
		options map[string]string
		want    map[orcwire.StreamKind]string
		kind    string
	}{
		{
			[]string{"Nevada", "California"},
			map[string]string{"orc-dictionary": "0", "orc-encoding-strategy": "compression"},
			map[orcwire.StreamKind]string{orcwire.Data: "NevadaCalifornia", orcwire.Length: "\x46\x01\x6a"}, // 4 bits: 6, 10
			"DIRECT_V2",
		},
		{
			[]string{"Nevada", "California", "Nevada", "California", "Florida"},
			map[string]string{"orc-dictionary": "1", "orc-dictionary-sort": "true", "orc-encoding-strategy": "compression"},
			map[orcwire.StreamKind]string{
				orcwire.DictionaryData: "CaliforniaFloridaNevada", orcwire.Length: "\x46\x02\xa7\x60", // 4 bits: 10, 7, 6
				orcwire.Data: "\x42\x04\x88\x40", // 2 bits: 2, 0, 2, 0, 1
			},
			"DICTIONARY_V2",
		},
	} {
		c.options["orc-row-index-stride"] = "0"
		s, rec := stringRecord(c.values)
		objects := write(t, s, []arrow.Record{rec}, arrowio.WriteOptions{Compression: "none", Options: c.options})
		check(t, objects, rec)
		rec.Release()
		b := one(t, objects)
		if got := encodings(t, b)[1]; got != c.kind {
			t.Errorf("%v: the encoding is %s, want %s", c.values, got, c.kind)
		}
		if got := streamsOf(t, b, 0, 1); !maps.Equal(got, c.want) {
			t.Errorf("%v: the streams are %q, want %q", c.values, got, c.want)
		}
	}
}

// TestDictionarySort: words with a common beginning, with zero bytes and with high ones, in row groups and stripes, come back as they were, and
// lie in the order of their bytes.
func TestDictionarySort(t *testing.T) {
	values := make([]string, 3000)
	for i := range values {
		k := i * 7919 % 211
		values[i] = [...]string{
			fmt.Sprintf("a common beginning %d", k), strings.Repeat("\x00", k%12), fmt.Sprintf("\U0010ffff%d", k), fmt.Sprintf("é%d", k), "",
		}[i%5]
	}
	s, rec := stringRecord(values)
	defer rec.Release()
	for _, version := range []string{"0.11", "0.12"} {
		objects := write(t, s, []arrow.Record{rec}, arrowio.WriteOptions{Compression: "none", Options: map[string]string{
			"orc-version": version, "orc-dictionary-sort": "true", "orc-row-index-stride": "100", "orc-stripe-rows": "1000",
		}})
		check(t, objects, rec)
		b := one(t, objects)
		for stripe := range 3 {
			words := slices.Clone(values[1000*stripe : 1000*(stripe+1)])
			slices.Sort(words)
			if got, want := streamsOf(t, b, stripe, 1)[orcwire.DictionaryData], strings.Join(slices.Compact(words), ""); got != want {
				t.Errorf("version %s, stripe %d: the dictionary is %q, want %q", version, stripe, got, want)
			}
		}
	}
}
