package orc_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/conformance"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/orcwire"
	"github.com/arrowio/arrowio/internal/race"
	reader "github.com/arrowio/arrowio/readers/orc"
	writer "github.com/arrowio/arrowio/writers/orc"
)

const keysFile = "../../testdata/orc/keys.json"

// readKeys returns the keys of the fixtures, those of some names or all.
func readKeys(t testing.TB, names ...string) reader.Keys {
	t.Helper()
	b, err := os.ReadFile(keysFile)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return len(names) > 0 && !slices.Contains(names, name) })
	if b, err = json.Marshal(all); err != nil {
		t.Fatal(err)
	}
	keys, err := reader.ParseKeys(b)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// secretSample is a sample of which some columns are encrypted.
type secretSample struct {
	*sample
	types []*orcwire.Type
	masks map[int]string // by the type ids of the roots
}

// encryptSample has some columns of a sample encrypted, each with a mask that is for it; nil if there are none.
func encryptSample(t testing.TB, r *randomizer, s *sample) *secretSample {
	t.Helper()
	types, _, _, err := orcwire.TypesFromArrow(s.schema, orcwire.OutOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.schema.Fields()) == 1 && types[0].Kind == orcwire.Struct && s.schema.Field(0).Metadata.FindKey(orcwire.MetaRoot) >= 0 {
		return nil // a struct that is said to be the root and is not
	}
	x := &secretSample{s, types, map[int]string{}}
	s.options.Options["orc-keys"] = keysFile
	var parts []string
	for range 12 {
		root := types[r.Intn(len(types))]
		m := pick(r, "nullify", "sha256", "redact")
		path := quotedPath(root)
		if path == "" || m == "redact" && hasTimes(root) {
			continue
		}
		part := pick(r, "pii", "credit") + ":" + path
		if m != "nullify" || r.OneOf(2) {
			part += ":" + m
		}
		o := s.options
		o.Options = map[string]string{"orc-keys": keysFile, "orc-encrypt": strings.Join(append(slices.Clone(parts), part), pick(r, ";", "\n"))}
		if _, err := writer.Plan(s.schema, o); errors.Is(err, errs.ErrOption) {
			continue // twice, or no mask for it
		} else if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
		for _, same := range types { // there may be two fields of one name
			if quotedPath(same) == path {
				x.masks[same.ID] = m
			}
		}
		if len(parts) == 4 {
			break
		}
	}
	if len(parts) == 0 {
		return nil
	}
	s.options.Options["orc-encrypt"] = strings.Join(parts, pick(r, ";", "\n"))
	return x
}

func quotedPath(t *orcwire.Type) string {
	var names []string
	for ; t != nil && (t.Parent != nil || t.Kind != orcwire.Struct); t = t.Parent {
		names = append(names, `"`+strings.ReplaceAll(t.Name(), `"`, `""`)+`"`)
	}
	slices.Reverse(names)
	return strings.Join(names, ".")
}

func hasTimes(t *orcwire.Type) bool {
	return t.Kind == orcwire.Timestamp || t.Kind == orcwire.TimestampInstant || slices.ContainsFunc(t.Children, hasTimes)
}

// masked returns rows as those without keys must see them.
func (x *secretSample) masked(t testing.TB, rows []string) []string {
	t.Helper()
	return changedRows(t, rows, func(v any) any { return maskValue(v, x.types[0], x.masks, "") })
}

// changedRows changes rows, and writes what is long in short.
func changedRows(t testing.TB, rows []string, change func(any) any) []string {
	t.Helper()
	out := make([]string, len(rows))
	for i, row := range rows {
		d := json.NewDecoder(strings.NewReader(row))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", row, err)
		}
		out[i] = rowText(change(v))
	}
	return out
}

// readSecret compares what the reader makes of a file, with keys and without, with what it must hold, and has it
// verified both ways.
func readSecret(t testing.TB, x *secretSample, w written) {
	t.Helper()
	for _, view := range []struct {
		name string
		keys reader.Keys
		want []string
	}{
		{"with keys", readKeys(t), w.rows},
		{"without keys", reader.Keys{}, x.masked(t, w.rows)},
		{"with one of the keys", readKeys(t, "pii"), nil},
	} {
		o := reader.Options{Keys: view.keys}
		if x.far {
			second := arrow.Second
			o.Unit = &second
		}
		recs := scan(t, w.bytes, o, arrowio.ScanOptions{BatchRows: 70, Parallelism: 1})
		var got []string
		for _, rec := range recs {
			if err := conformance.ValidateRecord(rec); err != nil {
				t.Errorf("%s, %s: %v", w.name, view.name, err)
			}
			got = append(got, expectedRows(rec, false)...)
		}
		release(recs)
		switch {
		case x.far || view.want == nil:
			if len(got) != len(w.rows) {
				t.Errorf("%s, %s: %d rows, want %d", w.name, view.name, len(got), len(w.rows))
			}
		default:
			if view.name == "without keys" {
				got = changedRows(t, got, func(v any) any { return v })
			}
			sameLines(t, w.name+" "+view.name, withoutNullUnions(got), withoutNullUnions(view.want))
		}
		f := open(t, w.name, w.bytes, reader.Options{Keys: view.keys})
		if err := f.(arrowio.Verifier).Verify(context.Background(), func(err error) { t.Errorf("%s, %s: %v", w.name, view.name, err) }); err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		f.Close()
	}
}

// TestRandomSecrets writes samples of every type and layout with some columns encrypted.
func TestRandomSecrets(t *testing.T) {
	t.Parallel()
	masks := map[string]int{}
	samples := int64(150)
	if race.Enabled {
		samples = 20
	}
	for seed := int64(0); seed < samples; seed += sampled {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		r := newRandomizer(50_000+seed, memory.NewGoAllocator())
		s := r.sample(800)
		s.name = fmt.Sprint(seed)
		s.options.Allocator = mem
		if x := encryptSample(t, r, s); x != nil {
			for _, w := range writeSample(t, s) {
				readSecret(t, x, w)
			}
			for id, m := range x.masks {
				masks[m+" of "+x.types[id].Kind.String()]++
			}
			if t.Failed() {
				t.Fatalf("seed %d: %s\n%+v", seed, s.schema, s.options)
			}
		}
		s.release()
		mem.AssertSize(t, 0)
	}
	least := 40
	if sampled > 1 {
		least = 30
	}
	if len(masks) < least && !race.Enabled {
		t.Errorf("only %d sorts of masks: %v", len(masks), masks)
	}
}

// flatSample is a few thousand rows of two columns, and of one that is encrypted, whose nulls are 30%.
func flatSample(t testing.TB, rows int) (*arrow.Schema, arrow.Record) {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "card", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), s)
	defer b.Release()
	for i := range rows {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		if i%10 < 3 {
			b.Field(1).AppendNull()
			b.Field(2).AppendNull()
			continue
		}
		b.Field(1).(*array.Int64Builder).Append(int64(i) * 7919 % 100_000)
		b.Field(2).(*array.StringBuilder).Append(fmt.Sprintf("name %d", i%37))
	}
	return s, b.NewRecord()
}

func encryptOptions(more ...string) map[string]string {
	o := map[string]string{"orc-keys": keysFile, "orc-row-index-stride": "100", "orc-stripe-rows": "1000", "orc-block-size": "1024"}
	for i := 0; i < len(more); i += 2 {
		o[more[i]] = more[i+1]
	}
	return o
}

// clearPart is what a file has in clear: the streams, encodings and statistics of the column that are not encrypted.
func clearPart(t testing.TB, b []byte) (parts []string) {
	t.Helper()
	ps, foot, meta := tailOf(t, b)
	for i := range foot.Stripes {
		s := &foot.Stripes[i]
		sf, err := orcwire.ParseStripeFooter(b[s.End()-s.FooterLength:s.End()], len(foot.Types), s.IndexLength+s.DataLength)
		if err != nil {
			t.Fatal(err)
		}
		streams, encodings, err := sf.Directory(foot.Encryption, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range streams {
			parts = append(parts, fmt.Sprintf("stripe %d: %s of %d: %x", i, x.Kind, x.Column, b[s.Offset+x.Offset:][:x.Length]))
		}
		parts = append(parts, fmt.Sprint(encodings))
	}
	parts = append(parts, fmt.Sprintf("%x", meta), fmt.Sprint(ps.Compression))
	for id := range foot.Types {
		c, err := foot.Stats.At(id)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, fmt.Sprintf("%x", orcwire.AppendColumnStats(nil, &c)))
	}
	return parts
}

// tailOf parses the tail of a file without compression.
func tailOf(t testing.TB, b []byte) (*orcwire.PostScript, *orcwire.Footer, []byte) {
	t.Helper()
	n := len(b) - 1 - int(b[len(b)-1])
	ps, err := orcwire.ParsePostScript(b[n : len(b)-1])
	if err != nil {
		t.Fatal(err)
	}
	f := n - int(ps.FooterLength)
	foot, err := orcwire.ParseFooter(b[f:n], arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return ps, foot, b[f-int(ps.MetadataLength) : f]
}

// What stands in clear is, byte for byte, what a file has that was written of nothing but the masked values.
func TestClearIsOfMasks(t *testing.T) {
	s, rec := flatSample(t, 2500)
	defer rec.Release()
	nulls := array.MakeArrayOfNull(memory.NewGoAllocator(), arrow.BinaryTypes.String, 2500)
	defer nulls.Release()
	b := array.NewInt64Builder(memory.NewGoAllocator())
	defer b.Release()
	for i := range 2500 {
		if v := int64(i) * 7919 % 100_000; i%10 < 3 {
			b.AppendNull()
		} else {
			nine := int64(9)
			for ; v >= 10; v /= 10 {
				nine = nine*10 + 9
			}
			b.Append(nine)
		}
	}
	card := b.NewArray()
	defer card.Release()
	masked := array.NewRecord(s, []arrow.Array{rec.Column(0), card, nulls}, 2500)
	defer masked.Release()
	write := func(rec arrow.Record, o map[string]string) []byte {
		files, err := writeRecords(s, []arrow.Record{rec}, arrowio.WriteOptions{Compression: "none", Options: o})
		if err != nil {
			t.Fatal(err)
		}
		return files["part-00000.orc"]
	}
	secret := write(rec, encryptOptions("orc-encrypt", "pii:name;credit:card:redact"))
	plain := write(masked, encryptOptions())
	got, want := clearPart(t, secret), clearPart(t, plain)
	if !slices.Equal(got, want) {
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("part %d: %s\nwant %s", i, got[i], want[i])
			}
		}
		t.Fatalf("%d parts, want %d", len(got), len(want))
	}
	if bytes.Contains(secret, []byte("name 3")) || !bytes.Contains(write(rec, encryptOptions()), []byte("name 3")) {
		t.Error("names in clear")
	}
	_, foot, _ := tailOf(t, secret)
	e := foot.Encryption
	if len(e.Keys) != 2 || e.Keys[0] != (orcwire.Key{Name: "credit", Algorithm: 2}) || e.Keys[1] != (orcwire.Key{Name: "pii", Algorithm: 1}) || e.Provider != orcwire.ProviderHadoop {
		t.Errorf("keys %+v, provider %d", e.Keys, e.Provider)
	}
	if len(e.Variants) != 2 || e.Variants[0].Root != 2 || e.Variants[0].Key != 0 || e.Variants[1].Root != 3 || e.Variants[1].Key != 1 {
		t.Errorf("variants %+v", e.Variants)
	}
	if fmt.Sprint(e.Masks) != "[{nullify [] [3]} {redact [] [2]}]" {
		t.Errorf("masks %v", e.Masks)
	}
	for i, st := range foot.Stripes {
		if st.EncryptStripeID != int64(i)+1 || len(st.EncryptedLocalKeys) != 2 || len(st.EncryptedLocalKeys[0]) != 32 || len(st.EncryptedLocalKeys[1]) != 16 {
			t.Errorf("stripe %d: %+v", i, st)
		}
	}
}

// Local keys are of one file and one variant.
func TestLocalKeys(t *testing.T) {
	s, rec := flatSample(t, 5000)
	defer rec.Release()
	seen := map[string]int{}
	n := 0
	for range 3 {
		files, err := writeRecords(s, []arrow.Record{rec}, arrowio.WriteOptions{Compression: "none", MaxFileBytes: 1, Options: encryptOptions("orc-encrypt", "pii:name;pii:card")})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range files {
			_, foot, _ := tailOf(t, b)
			for i, v := range foot.Encryption.Variants {
				seen[string(v.EncryptedKey)]++
				n++
				for _, st := range foot.Stripes {
					if !bytes.Equal(st.EncryptedLocalKeys[i], v.EncryptedKey) {
						t.Error("another key in a stripe")
					}
				}
			}
		}
	}
	if n < 30 || len(seen) != n {
		t.Errorf("%d keys of %d variants of files", len(seen), n)
	}
}

// Files of no rows, of no index, of a root that is no struct, and of the older version.
func TestSmallSecrets(t *testing.T) {
	s, rec := flatSample(t, 1200)
	defer rec.Release()
	root := arrow.NewSchema([]arrow.Field{{Name: "_root", Type: arrow.BinaryTypes.String, Nullable: true, Metadata: arrow.MetadataFrom(map[string]string{orcwire.MetaRoot: "true"})}}, nil)
	one := array.NewRecord(root, []arrow.Array{rec.Column(2)}, 1200)
	defer one.Release()
	both := "pii:name:sha256;credit:card"
	for name, c := range map[string]struct {
		schema  *arrow.Schema
		recs    []arrow.Record
		options map[string]string
		masks   map[int]string
	}{
		"no rows":     {s, nil, encryptOptions("orc-encrypt", both), map[int]string{3: "sha256", 2: "nullify"}},
		"no index":    {s, []arrow.Record{rec}, encryptOptions("orc-encrypt", both, "orc-row-index-stride", "0"), map[int]string{3: "sha256", 2: "nullify"}},
		"version":     {s, []arrow.Record{rec}, encryptOptions("orc-encrypt", both, "orc-version", "0.11"), map[int]string{3: "sha256", 2: "nullify"}},
		"root":        {root, []arrow.Record{one}, encryptOptions("orc-encrypt", "credit:_root:sha256"), map[int]string{0: "sha256"}},
		"root hidden": {root, []arrow.Record{one}, encryptOptions("orc-encrypt", "credit:_root", "orc-bloom", "*"), map[int]string{0: "nullify"}},
	} {
		for _, codec := range []string{"none", "zstd"} {
			x := &secretSample{sample: &sample{name: name, schema: c.schema, recs: c.recs, options: arrowio.WriteOptions{Compression: codec, Options: c.options}}, masks: c.masks}
			var err error
			if x.types, _, _, err = orcwire.TypesFromArrow(c.schema, orcwire.OutOptions{}); err != nil {
				t.Fatal(err)
			}
			for _, w := range writeSample(t, x.sample) {
				readSecret(t, x, w)
			}
		}
	}
}

// Filters look at what is read: the index and the bloom filters of the same copy.
func TestFilterSecrets(t *testing.T) {
	s, rec := flatSample(t, 5000)
	defer rec.Release()
	files, err := writeRecords(s, []arrow.Record{rec}, arrowio.WriteOptions{Options: encryptOptions("orc-encrypt", "pii:name:sha256;credit:card:redact", "orc-bloom", "name,card")})
	if err != nil {
		t.Fatal(err)
	}
	hash := fmt.Sprintf("%X", sha256.Sum256([]byte("name 3")))
	for _, c := range []struct {
		where         string
		with, without int
	}{
		{"name = 'name 3'", 95, 0},
		{"name = '" + hash + "'", 0, 95},
		{"card = 23757", 1, 0},
		{"card > 99990 and card < 99999", 0, 0},
		{"card = 99999", 0, 3151},
		{"card is null", 1500, 1500},
	} {
		for keys, want := range map[bool]int{true: c.with, false: c.without} {
			var o reader.Options
			if keys {
				o.Keys = readKeys(t)
			}
			where, err := expr.Parse(c.where)
			if err != nil {
				t.Fatal(err)
			}
			recs := scan(t, files["part-00000.orc"], o, arrowio.ScanOptions{Filter: where})
			n := 0
			for _, r := range recs {
				n += int(r.NumRows())
			}
			release(recs)
			if n != want {
				t.Errorf("%s, keys %v: %d rows, want %d", c.where, keys, n, want)
			}
		}
	}
}

// A key that is not the one gives errors, nothing else.
func TestWrongKey(t *testing.T) {
	s, rec := flatSample(t, 3000)
	defer rec.Release()
	other, err := reader.ParseKeys([]byte(`{"pii": {"algorithm": "AES_CTR_128", "key": "ffffffffffffffffffffffffffffffff"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, codec := range []string{"none", "zlib", "snappy", "lz4", "zstd", "brotli"} {
		files, err := writeRecords(s, []arrow.Record{rec}, arrowio.WriteOptions{Compression: codec, Options: encryptOptions("orc-encrypt", "pii:name,card", "orc-bloom", "*")})
		if err != nil {
			t.Fatal(err)
		}
		f := open(t, codec, files["part-00000.orc"], reader.Options{Keys: other})
		faults := 0
		if err := f.(arrowio.Verifier).Verify(context.Background(), func(error) { faults++ }); err != nil || faults == 0 {
			t.Errorf("%s: %d faults, %v", codec, faults, err)
		}
		f.Close()
	}
}

func TestEncryptOptions(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int32},
		{Name: "b.c", Type: arrow.BinaryTypes.String},
		{Name: `d:,;"`, Type: arrow.BinaryTypes.String},
		{Name: "m", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64)},
		{Name: "n", Type: arrow.MapOf(arrow.PrimitiveTypes.Int32, arrow.StructOf(arrow.Field{Name: "x", Type: arrow.BinaryTypes.String}))},
		{Name: "l", Type: arrow.ListOf(arrow.BinaryTypes.String)},
		{Name: "small", Type: &arrow.Decimal128Type{Precision: 18, Scale: 2}},
		{Name: "large", Type: &arrow.Decimal128Type{Precision: 19, Scale: 2}},
	}, nil)
	const material = "000102030405060708090a0b0c0d0e0f"
	inline := `{"pii": {"algorithm": "AES_CTR_128", "key": "` + material + `"}}`
	plan := func(keys, encrypt string) (*arrowio.WritePlan, error) {
		return writer.Plan(s, arrowio.WriteOptions{Options: map[string]string{"orc-keys": keys, "orc-encrypt": encrypt}})
	}
	for encrypt, want := range map[string]string{
		"":                                   "",
		"none":                               "",
		"pii:a":                              "a pii nulls",
		"pii:a;":                             "a pii nulls",
		`pii:"b.c":sha256`:                   `"b.c" pii its SHA-256`,
		"pii:`b.c`:nullify\ncredit:a:redact": `a credit redacted|"b.c" pii nulls`,
		`"pii":"d:,;""",a`:                   `a pii nulls|"d:,;""" pii nulls`,
		"pii:`d:,;\"`":                       `"d:,;""" pii nulls`,
		"credit:m:sha256":                    "m credit how it is nested|m.key credit its SHA-256|m.value credit nulls",
		"credit:m.key:sha256;pii:m.value":    "m.key credit its SHA-256|m.value pii nulls",
		"pii:n.value.x,l.item;credit:n.key:redact": "n.key credit redacted|n.value.x pii nulls|l.item pii nulls",
		"pii:large:redact":                         "large pii redacted",
	} {
		for _, keys := range []string{keysFile, inline} {
			if keys == inline && strings.Contains(encrypt, "credit") {
				continue
			}
			p, err := plan(keys, encrypt)
			if err != nil {
				t.Errorf("%s: %v", encrypt, err)
				continue
			}
			var got []string
			for _, c := range p.Columns {
				if _, how, ok := strings.Cut(c.Encoding, "encrypted with key "); ok {
					got = append(got, c.Path+" "+strings.Replace(how, ", in clear", "", 1))
				}
			}
			if strings.Join(got, "|") != want {
				t.Errorf("%s: %s, want %s", encrypt, strings.Join(got, "|"), want)
			}
			told, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{string(told), fmt.Sprintf("%v %+v %#v", p.Driver, p.Driver, p.Driver), fmt.Sprintf("%+v", p.Columns)} {
				for _, leak := range []string{material, "0 1 2 3 4 5", "0x0, 0x1, 0x2", "\x00\x01\x02\x03"} {
					if strings.Contains(text, leak) {
						t.Errorf("%s: the plan tells the key: %s", encrypt, text)
					}
				}
			}
		}
	}
	for encrypt, want := range map[string]string{
		"pii":                   "is not KEY:COLUMN",
		":":                     "no key",
		"pii:a:nullify:x":       "is not KEY:COLUMN",
		"pii:a:mask":            "no mask",
		"pii:":                  "no column",
		"pii:a,":                "no column",
		"pii:b.c":               "no column",
		`pii:"a`:                "not closed",
		`pii:"a"x`:              "not one quoted name",
		"other:a":               "no key",
		"pii:a,a":               "twice",
		"pii:a;credit:a":        "twice",
		"pii:m.key:sha256,m":    "no mask",
		"pii:m.value;pii:m":     "twice",
		"pii:n.value,n.value.x": "encrypted whole",
		"pii:m.key":             "null keys",
		"pii:n:sha256":          "null keys",
		"pii:l:redact":          "not for text",
		"pii:small:redact":      "18 digits",
	} {
		if _, err := plan(keysFile, encrypt); !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", encrypt, err)
		}
	}
	for keys, want := range map[string]string{
		"": "orc-keys", "none": "orc-keys", t.TempDir() + "/none": "no such file", `{"pii": {"algorithm": "AES_CTR_256", "key": "` + material + `"}}`: "64 hexadecimal digits",
		`{"pii": "` + material + `"}`: "want version",
	} {
		_, err := plan(keys, "pii:a")
		if !errors.Is(err, errs.ErrOption) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), material) {
			t.Errorf("%s: %v", keys, err)
		}
	}
}
