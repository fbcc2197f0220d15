package icebergtable_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2/roaring64"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers"
)

// puffin writes a Puffin file with a deletion vector for each data file, as https://iceberg.apache.org/puffin-spec/ has it, and lists
// them with a sequence number.
func (b *builder) puffin(name string, sequence int64, of []string, positions ...[]uint64) {
	b.t.Helper()
	out := []byte("PFA1")
	var blobs []any
	for i, rows := range positions {
		m := roaring64.New()
		m.AddMany(rows)
		bitmap, err := m.ToBytes()
		if err != nil {
			b.t.Fatal(err)
		}
		body := append([]byte{0xd1, 0xd3, 0x39, 0x64}, bitmap...)
		at := len(out)
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(body))), body...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
		blobs = append(blobs, map[string]any{
			"type": "deletion-vector-v1", "fields": []int{2147483545}, "snapshot-id": -1, "sequence-number": -1, "offset": at, "length": len(out) - at,
			"properties": map[string]string{"referenced-data-file": b.said + "/data/" + of[i], "cardinality": strconv.Itoa(len(rows))},
		})
		b.entries = append(b.entries, fileEntry{
			name: name, format: "puffin", content: 1, rows: len(rows), sequence: sequence, about: of[i], offset: int64(at), size: int64(len(out) - at),
		})
	}
	footer, err := json.Marshal(map[string]any{"blobs": blobs})
	if err != nil {
		b.t.Fatal(err)
	}
	out = append(append(out, "PFA1"...), footer...)
	out = append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), "\x00\x00\x00\x00PFA1"...)
	b.write("data/"+name, out)
}

// vectorTable is a table with a deletion vector for two of its three data files.
func vectorTable(t testing.TB) *builder {
	b := newBuilder(t)
	b.version, b.together = 3, true
	b.schema = idAndDay
	b.file(fileEntry{name: "a.orc", sequence: 1}, column{"id", 1, i64, `[0,1,2,3,4]`})
	b.file(fileEntry{name: "b.parquet", sequence: 1}, column{"id", 1, i64, `[10,11,12]`})
	b.file(fileEntry{name: "c.orc", sequence: 2}, column{"id", 1, i64, `[20,21]`})
	b.puffin("dv.puffin", 3, []string{"a.orc", "b.parquet"}, []uint64{1, 3}, []uint64{0})
	return b
}

// TestVectors leaves out the rows that deletion vectors name. A vector takes the place of position deletes of its file, of any
// sequence number, and not that of deletes by values.
func TestVectors(t *testing.T) {
	want := []string{`[0,null]`, `[2,null]`, `[4,null]`, `[11,null]`, `[12,null]`, `[20,null]`, `[21,null]`}
	check := func(what, dir string, want []string) {
		t.Helper()
		got, _, err := rowsOf(t, dir, readers.Options{}, "")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q: %v", what, got, want, err)
		}
	}
	check("vectors", vectorTable(t).build(), want)
	b := vectorTable(t)
	b.deleting("old.parquet", "a.orc", `[0]`)
	b.deleting("all.parquet", "c.orc", `[1]`)
	b.file(fileEntry{name: "e.orc", sequence: 4, content: 2, equality: []int32{1}}, column{"id", 1, i64, `[4]`})
	check("with other deletes", b.build(), []string{`[0,null]`, `[2,null]`, `[11,null]`, `[12,null]`, `[20,null]`})
	b = vectorTable(t)
	for i := range b.entries {
		b.entries[i].sequence = 3
	}
	check("of one snapshot", b.build(), want)
}

// TestVectorCounts tells how many rows a file with a deletion vector has without opening it.
func TestVectorCounts(t *testing.T) {
	o := readers.Defaults(readers.Options{})
	inputs, err := dataset.List(context.Background(), vectorTable(t).build(), o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.New(context.Background(), inputs, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var rows []int64
	for _, f := range d.Fragments {
		rows = append(rows, f.Rows)
	}
	if !slices.Equal(rows, []int64{3, 2, 2}) {
		t.Errorf("%d rows", rows)
	}
}

// TestVectorsRefused refuses deletion vectors that are not what the manifest says, or not what a table may have.
func TestVectorsRefused(t *testing.T) {
	for _, c := range []struct {
		name    string
		options map[string]string
		kind    errs.Kind
		change  func(b *builder)
	}{
		{"two of one file", nil, errs.ErrCorrupt, func(b *builder) { b.puffin("two.puffin", 4, []string{"a.orc"}, []uint64{0}) }},
		{"older than the file", nil, errs.ErrCorrupt, func(b *builder) { b.entries[0].sequence = 5 }},
		{"no data file", nil, errs.ErrCorrupt, func(b *builder) { b.entries[3].about = "" }},
		{"no offset", nil, errs.ErrCorrupt, func(b *builder) { b.entries[3].offset = nil }},
		{"no size", nil, errs.ErrCorrupt, func(b *builder) { b.entries[3].size = nil }},
		{"a negative offset", nil, errs.ErrCorrupt, func(b *builder) { b.entries[3].offset = int64(-4) }},
		{"beyond the file", nil, errs.ErrCorrupt, func(b *builder) { b.entries[3].offset = int64(1 << 40) }},
		{"another size", nil, errs.ErrCorrupt, func(b *builder) { b.entries[3].size = b.entries[3].size.(int64) - 1 }},
		{"a size that overflows", nil, errs.ErrLimit, func(b *builder) { b.entries[3].size = int64(1<<63 - 1) }},
		{"more rows", nil, errs.ErrCorrupt, func(b *builder) { b.entries[3].rows = 3 }},
		{"fewer rows", nil, errs.ErrCorrupt, func(b *builder) { b.entries[3].rows = 1 }},
		{"too many rows", map[string]string{"iceberg-delete-rows": "1"}, errs.ErrLimit, func(*builder) {}},
		{"deletes by values", nil, errs.ErrCorrupt, func(b *builder) { b.entries[3].content = 2 }},
		{"damaged", nil, errs.ErrCorrupt, func(b *builder) {
			name := filepath.Join(b.dir, "data", "dv.puffin")
			all, err := os.ReadFile(name)
			if err != nil {
				b.t.Fatal(err)
			}
			all[20] ^= 1
			b.write("data/dv.puffin", all)
		}},
		{"encrypted", nil, errs.ErrUnsupported, func(b *builder) { b.entries[3].key = []byte("k") }},
	} {
		b := vectorTable(t)
		c.change(b)
		if _, _, err := rowsOf(t, b.build(), readers.Options{Options: c.options}, ""); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v, not %v", c.name, err, c.kind)
		}
	}
}

// TestVerifyVectors finds in what a Puffin file differs from the manifest.
func TestVerifyVectors(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(b *builder)
		fault  string
		text   string
	}{
		{"nothing wrong", func(*builder) {}, "", ""},
		{"rows in the footer", func(b *builder) {
			all, err := os.ReadFile(filepath.Join(b.dir, "data", "dv.puffin"))
			if err != nil {
				b.t.Fatal(err)
			}
			b.write("data/dv.puffin", bytes.Replace(all, []byte(`"cardinality":"2"`), []byte(`"cardinality":"3"`), 1))
		}, "dv.puffin", "cardinality"},
		{"another file", func(b *builder) { b.entries[3].about = "c.orc" }, "dv.puffin", "referenced_data_file"},
		{"rows that are not there", func(b *builder) { b.puffin("x.puffin", 3, []string{"c.orc"}, []uint64{2}) }, "x.puffin", "row 2"},
		{"a file that is not there", func(b *builder) { b.puffin("x.puffin", 3, []string{"d.orc"}, []uint64{2}) }, "x.puffin warning", "d.orc"},
	} {
		b := vectorTable(t)
		c.change(b)
		got, texts := faultsOf(t, b.build())
		all := strings.Join(texts, "\n")
		if c.fault == "" && len(got) > 0 || c.fault != "" && !slices.Contains(got, c.fault) || !strings.Contains(all, c.text) {
			t.Errorf("%s: %q %q, not %q %q", c.name, got, texts, c.fault, c.text)
		}
	}
	// A size that is wrong, and a footer that is damaged, are found without hiding what else is wrong.
	b := vectorTable(t)
	name := filepath.Join(b.dir, "data", "dv.puffin")
	all, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := b.build()
	b.write("data/dv.puffin", append(all, '?'))
	if got, texts := faultsOf(t, dir); !slices.Equal(got, []string{"dv.puffin", "dv.puffin"}) {
		t.Errorf("%q %q", got, texts)
	}
}

// TestVectorParts reads a file with a deletion vector in another process, and tells it from the same file with another one.
func TestVectorParts(t *testing.T) {
	ctx := context.Background()
	o := readers.Defaults(readers.Options{})
	identities := map[string]bool{}
	for _, rows := range [][]uint64{{1, 3}, {1, 2}} {
		b := newBuilder(t)
		b.schema, b.version = idAndDay, 3
		b.file(fileEntry{name: "a.orc", sequence: 1}, column{"id", 1, i64, `[0,1,2,3,4]`})
		b.puffin(strconv.Itoa(int(rows[1]))+".puffin", 2, []string{"a.orc"}, rows)
		dir := b.build()
		inputs, err := dataset.List(ctx, dir, o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(inputs)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(dir, "metadata")); err != nil {
			t.Fatal(err)
		}
		var received []dataset.Input
		if err := json.Unmarshal(text, &received); err != nil {
			t.Fatal(err)
		}
		f, err := dataset.OpenInput(ctx, received[0], o)
		if err != nil {
			t.Fatal(err)
		}
		if s := f.Splits(); len(s) != 1 || s[0].Rows.Len() != 3 {
			t.Errorf("%v", s)
		}
		id, err := arrowio.Identity(ctx, f)
		if err != nil || identities[id] {
			t.Errorf("%s is the identity of a file with other deletes: %v", id, err)
		}
		identities[id] = true
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
