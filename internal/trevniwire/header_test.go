package trevniwire

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

var limits = errs.Limits{}.WithDefaults()

// oneColumn is a header written by hand from the specification: five rows, one column of long, named x, in deflate.
const oneColumn = "Trv\x02" +
	"\x05\x00\x00\x00\x00\x00\x00\x00" + "\x01\x00\x00\x00" + // rows, columns
	"\x02" + "\x18trevni.codec" + "\x0edeflate" + // file metadata: one pair
	"\x06" + "\x16trevni.name" + "\x02x" + "\x16trevni.type" + "\x08long" + "\x08mine" + "\x04\xff\x00" +
	"\x59\x00\x00\x00\x00\x00\x00\x00" // start

func TestHeader(t *testing.T) {
	h, err := ParseHeader([]byte(oneColumn), 1000, limits)
	if err != nil {
		t.Fatal(err)
	}
	if h.Version != 2 || h.Rows != 5 || len(h.Columns) != 1 || h.Size != int64(len(oneColumn)) {
		t.Errorf("%+v", h)
	}
	c := h.Columns[0]
	if c.Name != "x" || c.Type != Long || c.Array || c.Values || c.Parent != -1 || c.Codec != blockcodec.Deflate || c.Checksum != NoChecksum || c.Start != 0x59 {
		t.Errorf("%+v", c)
	}
	if u := c.Meta.User(); len(u) != 1 || u[0].Key != "mine" || string(u[0].Value) != "\xff\x00" {
		t.Errorf("user metadata %q", u)
	}
	h.Columns[0].Start -= h.Size
	if got := string(AppendHeader(nil, h)); got != oneColumn {
		t.Errorf("written again: %q", got)
	}
}

// A header that is cut anywhere is short while the file goes on, and corrupt where it does not.
func TestHeaderCut(t *testing.T) {
	for _, path := range files(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		h, err := ParseHeader(b, int64(len(b)), limits)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		for n := int64(0); n < min(h.Size, 2000); n++ {
			if _, err := ParseHeader(b[:n:n], n, limits); !errors.Is(err, errs.ErrCorrupt) {
				t.Errorf("%s: a file of %d bytes: %v", path, n, err)
			}
			if _, err := ParseHeader(b[:n:n], h.Size, limits); n >= 4 && !errors.Is(err, ErrShort) {
				t.Errorf("%s: the first %d bytes: %v", path, n, err)
			}
		}
		if _, err := ParseHeader(b[:h.Size], int64(len(b)), limits); err != nil {
			t.Errorf("%s: nothing but the header: %v", path, err)
		}
	}
}

// files returns the smaller fixtures.
func files(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"java-1.12.1", "foreign"} {
		paths, err := filepath.Glob("../../testdata/trevni/" + pattern + "/*.trv")
		if err != nil || len(paths) == 0 {
			t.Fatalf("no fixtures: %v", err)
		}
		for _, p := range paths {
			if fi, err := os.Stat(p); err == nil && fi.Size() < 4<<10 {
				out = append(out, p)
			}
		}
	}
	return out
}

func meta(kv ...string) (m Meta) {
	for i := 0; i < len(kv); i += 2 {
		m = append(m, Pair{kv[i], []byte(kv[i+1])})
	}
	return m
}

// parse writes a header of columns with the given metadata and reads it back.
func parse(file Meta, columns ...Meta) (*Header, error) {
	h := &Header{Rows: 1, Meta: file}
	for _, m := range columns {
		h.Columns = append(h.Columns, Column{Meta: m})
	}
	b := AppendHeader(nil, h)
	return ParseHeader(b, int64(len(b)), limits)
}

func TestColumns(t *testing.T) {
	for _, x := range []struct {
		name    string
		file    Meta
		columns []Meta
		err     error // of the last column; nil = fine
		check   func(h *Header) bool
	}{
		{"plain", nil, []Meta{meta(KeyName, "a", KeyType, "int")}, nil, func(h *Header) bool { return h.Columns[0].Type == Int }},
		{"case is folded", nil, []Meta{meta(KeyName, "a", KeyType, "FIXED32")}, nil, func(h *Header) bool { return h.Columns[0].Type == Fixed32 }},
		{"any order, unknown keys", nil, []Meta{meta("trevni.future", "1", KeyType, "int", "", "", KeyName, "")}, nil, func(h *Header) bool { return h.Columns[0].Name == "" }},
		{"the last of a key counts", nil, []Meta{meta(KeyName, "a", KeyType, "int", KeyType, "long")}, nil, func(h *Header) bool { return h.Columns[0].Type == Long }},
		{"flags are there or not", nil, []Meta{meta(KeyName, "a", KeyType, "int", KeyArray, "false")}, nil, func(h *Header) bool { return h.Columns[0].Array }},
		{
			"the file's codec and checksum", meta(KeyCodec, "snappy", KeyChecksum, "crc32"),
			[]Meta{meta(KeyName, "a", KeyType, "int")},
			nil,
			func(h *Header) bool { return h.Columns[0].Codec == blockcodec.Snappy && h.Columns[0].Checksum == CRC32 },
		},
		{
			"its own codec and checksum", meta(KeyCodec, "snappy", KeyChecksum, "crc32"),
			[]Meta{meta(KeyName, "a", KeyType, "int", KeyCodec, "null", KeyChecksum, "null")},
			nil,
			func(h *Header) bool {
				return h.Columns[0].Codec == blockcodec.None && h.Columns[0].Checksum == NoChecksum
			},
		},
		{"the specification's name of the checksum", nil, []Meta{meta(KeyName, "a", KeyType, "int", KeyChecksum, "crc-32")}, nil, func(h *Header) bool { return h.Columns[0].Checksum == SpecCRC32 }},
		{
			"parent", nil,
			[]Meta{meta(KeyName, "a", KeyType, "null", KeyArray, ""), meta(KeyName, "b", KeyType, "int", KeyParent, "a")},
			nil,
			func(h *Header) bool { return h.Columns[1].Parent == 0 && h.Columns[0].Children[0] == 1 },
		},
		{
			"names twice: the parent is the nearer", nil,
			[]Meta{meta(KeyName, "a", KeyType, "int"), meta(KeyName, "a", KeyType, "null", KeyArray, ""), meta(KeyName, "b", KeyType, "int", KeyParent, "a")},
			nil,
			func(h *Header) bool { return h.Columns[2].Parent == 1 },
		},
		{"no name", nil, []Meta{meta(KeyType, "int")}, errs.ErrCorrupt, nil},
		{"no type", nil, []Meta{meta(KeyName, "a")}, errs.ErrCorrupt, nil},
		{"type", nil, []Meta{meta(KeyName, "a", KeyType, "int32")}, errs.ErrCorrupt, nil},
		{"type with space", nil, []Meta{meta(KeyName, "a", KeyType, "int ")}, errs.ErrCorrupt, nil},
		{"codec", nil, []Meta{meta(KeyName, "a", KeyType, "int", KeyCodec, "Deflate")}, errs.ErrUnsupported, nil},
		{"checksum", meta(KeyChecksum, "md5"), []Meta{meta(KeyName, "a", KeyType, "int")}, errs.ErrUnsupported, nil},
		{"parent unknown", nil, []Meta{meta(KeyName, "a", KeyType, "int", KeyParent, "b")}, errs.ErrCorrupt, nil},
		{"own parent", nil, []Meta{meta(KeyName, "a", KeyType, "null", KeyArray, "", KeyParent, "a")}, errs.ErrCorrupt, nil},
		{"parent is no array", nil, []Meta{meta(KeyName, "a", KeyType, "int"), meta(KeyName, "b", KeyType, "int", KeyParent, "a")}, errs.ErrCorrupt, nil},
		{"first values of arrays", nil, []Meta{meta(KeyName, "a", KeyType, "int", KeyArray, "", KeyValues, "")}, errs.ErrCorrupt, nil},
		{"impala levels", nil, []Meta{meta(KeyName, "a", KeyType, "int", "trevni.repetition", "")}, errs.ErrUnsupported, nil},
		{"impala type", nil, []Meta{meta(KeyName, "a", KeyType, "fixed8")}, errs.ErrUnsupported, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			h, err := parse(x.file, x.columns...)
			if !errors.Is(err, x.err) {
				t.Fatalf("%v, want %v", err, x.err)
			}
			if x.err == nil && !x.check(h) {
				t.Errorf("%+v", h.Columns)
			}
			var e *errs.Error
			if errors.As(err, &e) && (!strings.HasPrefix(e.Op, "metadata of column") || e.Off < 0) {
				t.Errorf("no place: %v", err)
			}
		})
	}
}

func TestHeaderLimits(t *testing.T) {
	rows := func(n string) string { return "Trv\x02" + n + "\x00\x00\x00\x00\x00" }
	for _, x := range []struct {
		text string
		kind errs.Kind
	}{
		{"Trv\x03" + strings.Repeat("\x00", 20), errs.ErrUnsupported},
		{"Trx\x02" + strings.Repeat("\x00", 20), errs.ErrCorrupt},
		{"trv\x02" + strings.Repeat("\x00", 20), errs.ErrCorrupt},
		{rows("\xff\xff\xff\xff\xff\xff\xff\xff"), errs.ErrCorrupt},
		{"Trv\x02\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\x7f\x00", errs.ErrLimit},
		{"Trv\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00", errs.ErrCorrupt},
		{"Trv\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xfe\xff\xff\xff\x0f", errs.ErrCorrupt}, // pairs
		{"Trv\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\xfe\xff\xff\xff\x0f", errs.ErrCorrupt},
		{"Trv\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x01\x00", errs.ErrCorrupt},
		{"Trv\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x82\x80\x80\x80\x80\x00", errs.ErrCorrupt},
	} {
		if _, err := ParseHeader([]byte(x.text), int64(len(x.text)), limits); !errors.Is(err, x.kind) {
			t.Errorf("%q: %v, want %v", x.text, err, x.kind)
		}
	}
	for _, version := range []string{"\x00", "\x01", "\x02"} {
		h, err := ParseHeader([]byte("Trv"+version+strings.Repeat("\x00", 13)), 17, limits)
		if err != nil || h.Version != version[0] || h.Size != 17 {
			t.Errorf("version %q: %+v, %v", version, h, err)
		}
	}
	// a negative count of pairs is none, as in Java
	if h, err := ParseHeader([]byte("Trv\x02"+strings.Repeat("\x00", 12)+"\x05"), 17, limits); err != nil || len(h.Meta) != 0 {
		t.Errorf("-3 pairs: %v", err)
	}
}

// A header may have any number of pairs, and the beginning of it is no reason to call it corrupt.
func TestManyPairs(t *testing.T) {
	const n = 200_000
	var m Meta
	for i := range n {
		m = append(m, Pair{fmt.Sprint(i % (n / 2)), nil})
	}
	b := AppendHeader(nil, &Header{Meta: m})
	if _, err := ParseHeader(b[:1000], int64(len(b)), limits); !errors.Is(err, ErrShort) {
		t.Errorf("the first 1000 bytes: %v", err)
	}
	h, err := ParseHeader(b, int64(len(b)), limits)
	if err != nil {
		t.Fatal(err)
	}
	if u := h.Meta.User(); len(u) != n/2 {
		t.Errorf("%d keys of users", len(u))
	}
	lim := limits
	lim.MetadataBytes = 1 << 20
	if _, err := ParseHeader(b, int64(len(b)), lim); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("over the limit: %v", err)
	}
}

func TestMatch(t *testing.T) {
	for text, want := range map[string]bool{"Trv\x00": true, "Trv\x01": true, "Trv\x02": true, "Trv\x02more": true, "Trv\x03": false, "Trv": false, "": false, "Obj\x01": false} {
		if Match([]byte(text)) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}
