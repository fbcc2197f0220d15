package trevni_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/plans"
	"github.com/arrowio/arrowio/internal/trevniwire"
	reader "github.com/arrowio/arrowio/readers/trevni"
)

// written is one file that the writer made of a sample, and the texts that a reader must see in it.
type written struct {
	name  string
	bytes []byte
	raw   []string // canonical text of the stored columns, with the line about the file
	avro  []string // of the records; nil without avro.schema
}

// fitting returns a schema without the names of extension types whose values come back as another type: the files do not have
// those.
func fitting(t testing.TB, s *arrow.Schema, objects map[string][]byte) *arrow.Schema {
	t.Helper()
	for _, b := range objects {
		f, err := reader.Open(t.Context(), local.NewBytesSource(b), arrowio.Limits{}, reader.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if bare, lost := plans.WithoutLost(s, f.Schema().Fields()); lost != nil {
			s = bare
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		break // the others have the same schema
	}
	return s
}

// writeSample writes s and works out, from the Arrow data alone, what the files must hold. How the rows are divided
// among files is the one thing taken from them.
func writeSample(t testing.TB, s *sample) []written {
	t.Helper()
	in := given{s.schema, s.recs}
	if s.given != nil {
		in = *s.given
	}
	objects := write(t, in.schema, in.recs, s.options)
	var schema *trevniwire.Avro
	var columns []*stored
	if s.plain {
		for _, f := range s.schema.Fields() {
			columns = append(columns, plainColumn(f, ""))
		}
	} else {
		var err error
		if schema, _, err = trevniwire.AvroOf(fitting(t, s.schema, objects)); err != nil {
			t.Fatal(err)
		}
		columns = shredSchema(schema, "")
	}
	x := texts{codec: codecName(s.options.Compression), sum: s.options.Options["trevni-checksum"], values: s.options.Options["trevni-values"], columns: columns}
	if x.sum == "" {
		x.sum = "crc32"
	}
	x.meta = map[string]string{"trevni.codec": x.codec}
	if x.sum != "null" {
		x.meta["trevni.checksum"] = x.sum
	}
	if s.options.Options["trevni-integers"] == "fixed" {
		fixIntegers(columns)
	}
	md := s.schema.Metadata()
	for i, k := range md.Keys() {
		name, own := strings.CutPrefix(k, "trevni.")
		if x.meta[name] = md.Values()[i]; !own {
			x.meta["arrowio.keys"] = `["other"]` // the only one of such keys that samples have
		}
	}
	if schema != nil {
		x.meta["avro.schema"] = string(schema.JSON())
	}
	var data [][]any
	var records []string
	for _, rec := range s.recs {
		for i := range int(rec.NumRows()) {
			if schema == nil {
				var row []any
				for k, f := range s.schema.Fields() {
					row = append(row, plainData(f, rec.Column(k), i))
				}
				data = append(data, row)
				continue
			}
			d := recordDatum(schema, rec, i)
			data = append(data, shred(schema, d))
			records = append(records, avroLine(schema, d))
		}
	}
	var out []written
	at := 0
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		w := written{name: name, bytes: objects[name]}
		h, err := trevniwire.ParseHeader(w.bytes, int64(len(w.bytes)), arrowio.Limits{}.WithDefaults())
		if err != nil {
			t.Fatal(err)
		}
		n := int(h.Rows)
		if n > len(data)-at || n == 0 && len(data) > 0 {
			t.Fatalf("%s has %d rows, %d are left", name, n, len(data)-at)
		}
		if delete(x.meta, "arrowio.checksums"); x.sum != "null" && (x.codec == "null" || slices.ContainsFunc(h.Columns, func(c trevniwire.Column) bool { return c.Codec == blockcodec.None })) {
			x.meta["arrowio.checksums"] = "stored" // where Java's writer stores none
		}
		w.raw = x.raw(h, data[at:at+n])
		if schema != nil {
			w.avro = []string{string(append(appendText([]byte(`{"avro":{"schema":`), x.meta["avro.schema"]), "}}"...))}
			w.avro = append(w.avro, records[at:at+n]...)
		}
		at += n
		out = append(out, w)
	}
	if at != len(data) {
		t.Fatalf("%d rows in the files, %d written", at, len(data))
	}
	return out
}

func recordDatum(s *trevniwire.Avro, rec arrow.Record, i int) any {
	d := make([]any, len(s.Fields))
	for k, f := range s.Fields {
		d[k] = datumOf(f.Type, rec.Column(k), i)
	}
	return d
}

func fixIntegers(columns []*stored) {
	for _, c := range columns {
		switch c.typ {
		case "int":
			c.typ = "fixed32"
		case "long":
			c.typ = "fixed64"
		}
		fixIntegers(c.children)
	}
}

func codecName(compression string) string {
	name, _, _ := strings.Cut(compression, ":")
	switch name {
	case "":
		return "snappy"
	case "none":
		return "null"
	}
	return name
}

// texts makes canonical text of data that was shredded.
type texts struct {
	codec, sum, values string
	meta               map[string]string
	columns            []*stored
}

func (x *texts) raw(h *trevniwire.Header, data [][]any) []string {
	lines := make([]string, 1, len(data)+1)
	for _, row := range data {
		lines = append(lines, rawLine(x.columns, row))
	}
	codecOf := func(name string) string {
		k := slices.IndexFunc(h.Columns, func(c trevniwire.Column) bool { return c.Name == name })
		return trevniwire.CodecName(h.Columns[k].Codec)
	}
	lines[0] = headLine(len(data), x.meta, x.columns, codecOf, x.sum, func(name string) (has, sorted bool) {
		k := slices.IndexFunc(x.columns, func(c *stored) bool { return c.name == name })
		c := x.columns[k]
		asked := x.values == "*" || x.values != "" && slices.Contains(strings.Split(x.values, ","), name)
		if c.typ == "boolean" || c.typ == "null" || !asked && c.typ == "bytes" {
			return false, false
		}
		var values []any
		for _, row := range data {
			values = append(values, row[k])
		}
		sorted = c.typ != "bytes" && ascends(values)
		if !asked { // files have them unasked where they take little, and only if the values ascend
			sorted = sorted && slices.ContainsFunc(h.Columns, func(c trevniwire.Column) bool { return c.Name == name && c.Values })
			return sorted, sorted
		}
		return true, sorted
	}, func(name string) (stats []byte) {
		for _, c := range h.Columns {
			if c.Name == name {
				stats, _ = c.Meta.Get(trevniwire.KeyStats) // TestStatistics looks at them
			}
		}
		return stats
	})
	return lines
}
