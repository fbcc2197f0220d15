package trevni

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
)

func info(t *testing.T, f *File, o arrowio.InfoOptions) *arrowio.Info {
	t.Helper()
	i, err := f.Info(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// What the checksums of a column say, in words.
func TestVerdicts(t *testing.T) {
	for _, x := range []struct{ path, column, want string }{
		{data + "java-1.12.1/prim-deflate-crc32.trv", "string", "ok"},
		{data + "java-1.12.1/prim-deflate-null.trv", "string", ""},
		{data + "java-1.12.1/prim-null-crc32.trv", "null", "ok"}, // 0 is the CRC of nothing
		{data + "java-1.12.1/prim-null-crc32.trv", "string", "1 absent (stored 0 under codec null)"},
		{data + "foreign/null-codec-true-crc.trv", "string", "ok"},
		{data + "foreign/crc-little-endian.trv", "string", "1 ok (little-endian)"},
		{data + "foreign/crc-32-name.trv", "string", "ok"},
		{data + "foreign/crc-32-name-little-endian.trv", "string", "1 ok (little-endian)"},
		{data + "java-1.12.1/rows0.trv", "string", "no blocks"},
		{corrupt + "crc-snappy.trv", "string", "1 wrong"},
		{corrupt + "crc-snappy.trv", "bytes", "ok"},
		{corrupt + "bit-bzip2.trv", "string", "1 wrong"}, // cannot be unpacked at all
	} {
		i := info(t, openFile(t, x.path, Options{}), arrowio.InfoOptions{Checksums: true, Blocks: true})
		k := slices.IndexFunc(i.Columns, func(c arrowio.ColumnInfo) bool { return c.Path == x.column })
		if k < 0 {
			t.Errorf("%s: no column %s", x.path, x.column)
			continue
		}
		c := i.Columns[k]
		if c.Verdict != x.want {
			t.Errorf("%s: %s: %q, want %q", x.path, x.column, c.Verdict, x.want)
		}
		if len(c.BlockList) != c.Blocks || x.want == "1 wrong" && c.BlockList[0].Verdict == "ok" {
			t.Errorf("%s: %s: blocks %v", x.path, x.column, c.BlockList)
		}
	}
	// one block of several is wrong
	b := build(4, "", builtColumn{name: "a", typ: "fixed32", checksum: "crc32", blocks: []builtBlock{block(2, make([]byte, 8)...), block(2, 1, 2, 3, 4, 5, 6, 7, 8)}})
	b[len(b)-1] ^= 1
	f, err := openBytes(t, b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := info(t, f, arrowio.InfoOptions{Checksums: true}).Columns[0].Verdict; v != "1 ok, 1 wrong" {
		t.Errorf("%q", v)
	}
}

// The parts of a file add up to it.
func TestInfoBytes(t *testing.T) {
	for _, path := range sound(t) {
		f := openFile(t, path, Options{})
		i := info(t, f, arrowio.InfoOptions{})
		sum := f.header.Size
		for _, c := range i.Columns {
			sum += c.Bytes
		}
		fi, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if sum != fi.Size() && !strings.Contains(path, "order-gaps-tail") {
			t.Errorf("%s: %d bytes of %d", path, sum, fi.Size())
		}
		if i.Bytes != fi.Size() || i.Format != Name || i.Rows != f.header.Rows {
			t.Errorf("%s: %+v", path, i)
		}
	}
}

func TestInfoColumns(t *testing.T) {
	i := info(t, openFile(t, data+"java-1.12.1/avro-maps.trv", Options{}), arrowio.InfoOptions{})
	for _, c := range i.Columns {
		if c.Type == "" || c.Stored == "" || c.Codec == "" {
			t.Errorf("%+v", c)
		}
		if strings.HasSuffix(c.Path, ">key") && (c.Stored != "string" || c.Type != "utf8" || c.Parent != strings.TrimSuffix(c.Path, "key")) {
			t.Errorf("%+v", c)
		}
		if strings.HasSuffix(c.Path, ">") && !slices.Contains(c.Encodings, "lengths") {
			t.Errorf("%+v", c)
		}
	}
	if !slices.Contains(i.Notes, "view: records") || !bytes.Contains(i.Metadata["avro.schema"], []byte("map")) {
		t.Errorf("notes %q, metadata %q", i.Notes, i.Metadata)
	}
	i = info(t, openFile(t, data+"java-1.12.1/overrides.trv", Options{}), arrowio.InfoOptions{})
	if string(i.Metadata["user.text"]) != "Zürich" || string(i.Metadata["user.number"]) != "-77" {
		t.Errorf("metadata %q", i.Metadata)
	}
	i = info(t, openFile(t, data+"java-1.12.1/first-values.trv", Options{}), arrowio.InfoOptions{Blocks: true})
	for _, c := range i.Columns {
		if !slices.Contains(c.Encodings, "first values") || c.Blocks < 2 || len(c.BlockList) != c.Blocks {
			t.Errorf("%+v", c)
		}
		if c.Path == "int" && (c.BlockList[0].First != "1000000000" || c.BlockList[0].Rows == 0) {
			t.Errorf("%+v", c.BlockList[0])
		}
		if c.Path == "string" && c.BlockList[0].First != `"key-00000000"` {
			t.Errorf("%+v", c.BlockList[0])
		}
	}
}

// What cannot be shown as records is shown as columns, with a note that says why.
func TestInfoNotes(t *testing.T) {
	for _, x := range []struct{ path, note string }{
		{corrupt + "schema-not-json.trv", "avro.schema"},
		{corrupt + "schema-other.trv", "avro.schema wants"},
		{corrupt + "schema-recursive.trv", "recursive"},
		{corrupt + "schema-deep.trv", "Depth"},
		{corrupt + "decimal-wide.trv", "decimal precision"},
	} {
		f := openFile(t, x.path, Options{})
		if i := info(t, f, arrowio.InfoOptions{}); !strings.Contains(strings.Join(i.Notes, "\n"), x.note) {
			t.Errorf("%s: notes %q", x.path, i.Notes)
		}
		if strings.Contains(x.path, "schema") {
			if _, err := openBytes(t, fixtures.Read(t, x.path), Options{View: "records"}); !errors.Is(err, errs.ErrSchema) {
				t.Errorf("%s, records wanted: %v", x.path, err)
			}
		}
	}
}

// Trouble with reading is an error of its own, never a verdict on the file.
func TestReadErrors(t *testing.T) {
	for _, path := range []string{data + "java-1.12.1/prim-snappy-crc32.trv", data + "java-1.12.1/avro-logical.trv", data + "java-1.12.1/first-values.trv"} {
		src := &failingSource{Source: local.NewBytesSource(fixtures.Read(t, path))}
		f, err := Open(context.Background(), src, arrowio.Limits{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, warm := range []bool{false, true} {
			if warm { // with all descriptors at hand
				src.fail = false
				info(t, f, arrowio.InfoOptions{})
			}
			src.fail = true
			if _, err := f.Info(context.Background(), arrowio.InfoOptions{Checksums: true}); !errors.Is(err, errFailing) && strings.Contains(path, "crc32") {
				t.Errorf("%s: info: %v", path, err)
			}
			err := f.Verify(context.Background(), func(err error) { t.Errorf("%s: a fault: %v", path, err) })
			if !errors.Is(err, errFailing) {
				t.Errorf("%s: verify: %v", path, err)
			}
		}
	}
}

// Options by name, as a command line gives them.
func TestFormatOptions(t *testing.T) {
	src := local.NewBytesSource(fixtures.Read(t, data+"java-1.12.1/avro-logical.trv"))
	for _, x := range []struct {
		o    map[string]string
		kind error
	}{
		{nil, nil},
		{map[string]string{"trevni-view": "records", "trevni-decimals": "bytes", "trevni-sorted": "*"}, nil},
		{map[string]string{"trevni-view": "rows"}, errs.ErrOption},
		{map[string]string{"trevni-decimals": "float"}, errs.ErrOption},
		{map[string]string{"trevni-sorted": "nowhere"}, errs.ErrOption},
	} {
		f, err := Format().Open(context.Background(), src, arrowio.OpenOptions{Options: x.o})
		if !errors.Is(err, x.kind) {
			t.Errorf("%v: %v", x.o, err)
		}
		if err == nil {
			f.Close()
		}
	}
	head := fixtures.Read(t, data+"java-1.12.1/rows1.trv")[:64]
	if !Format().Match(head, nil) || Format().Match([]byte("ORC"), nil) {
		t.Error("match")
	}
}

// Decimals that do not keep to their precision are shown as bytes, or refused where the caller insists.
func TestDecimals(t *testing.T) {
	wide := []byte{6, 0x7f, 0xff, 0xff} // 8388607
	schema := `{"type":"record","name":"R","fields":[{"name":"d","type":{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}}]}`
	good := build(2, schema, builtColumn{name: "d", typ: "bytes", blocks: []builtBlock{block(2, 4, 0x27, 0x0f, 4, 0xd8, 0xf1)}}) // 9999, -9999
	early := build(2, schema, builtColumn{name: "d", typ: "bytes", blocks: []builtBlock{{rows: 1, raw: wide}, block(1, 2, 1)}})
	late := build(2, schema, builtColumn{name: "d", typ: "bytes", blocks: []builtBlock{block(1, 2, 1), {rows: 1, raw: wide}}})
	for _, x := range []struct {
		name     string
		b        []byte
		decimals string
		typ      string
		kind     error
	}{
		{"good", good, "", "decimal(4, 2)", nil},
		{"good", good, "bytes", "binary", nil},
		{"early", early, "", "binary", nil},
		{"early", early, "decimal", "decimal(4, 2)", errs.ErrSchema},
		{"late", late, "", "decimal(4, 2)", errs.ErrSchema},
		{"late", late, "bytes", "binary", nil},
	} {
		f, err := openBytes(t, x.b, Options{Decimals: x.decimals})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Schema().Field(0).Type.String(); got != x.typ {
			t.Errorf("%s, %q: %s, want %s", x.name, x.decimals, got, x.typ)
		}
		if err := everythingOf(f); !errors.Is(err, x.kind) {
			t.Errorf("%s, %q: %v", x.name, x.decimals, err)
		}
	}
}
