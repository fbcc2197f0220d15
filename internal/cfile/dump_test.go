package cfile

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/internal/annotate/golden"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/fixtures"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
)

func dumpOf(t testing.TB, f *File) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Dump(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func checkDump(t *testing.T, name string, f *File) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		golden.Check(t, filepath.Join("testdata", "dump", name+".txt"), []byte(dumpOf(t, f)))
	})
}

// Files of Kudu's, of all kinds.
func TestDumpGoldenFixtures(t *testing.T) {
	for _, name := range []string{
		"key-index", "delta-redo-update", "delta-undo", "bool-rle-zlib-nulls", "int32-rle-lz4", "int32-bitshuffle-snappy-nulls",
		"binary-prefix-none-nulls", "all-null-string-dict", "dict-codes-2", "date-plain-none",
	} {
		f, err := Open(context.Background(), local.NewBytesSource(fixtures.Read(t, byKudu+name+".cfile")), arrowio.Limits{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkDump(t, name, f)
	}
}

// What Kudu writes no more, or not yet, and what is broken.
func TestDumpGoldenBuilt(t *testing.T) {
	word := func(v byte) []byte { return []byte{v, 0, 0, 0} }
	strings := [][]byte{[]byte("abc"), nil, []byte("abd"), {}, []byte("\xff")}
	for _, x := range []struct {
		name string
		f    *built
	}{
		{"keys", numberKeys()},
		{"arrays", &built{typ: cfilewire.Int8, encoding: cfilewire.EncodingPlain, arrays: [][][]byte{{{1}, nil, {3}}, nil, {}, {{4}}}}},
		{"group-varint", &built{typ: cfilewire.UInt32, encoding: cfilewire.EncodingGroupVarint, rows: [][]byte{word(7), word(5), word(200), {0, 1, 0, 0}, word(9)}}},
		{"version-1", &built{typ: cfilewire.UInt32, encoding: cfilewire.EncodingPlain, compression: cfilewire.Snappy, version: 1, rows: [][]byte{word(1), word(1), word(1)}}},
		{"no-checksums", &built{typ: cfilewire.String, encoding: cfilewire.EncodingPlain, plainSums: true, nullable: true, rows: strings}},
		{"bits", &built{typ: cfilewire.Bool, encoding: cfilewire.EncodingPlain, rows: [][]byte{{1}, {0}, {1}}}},
		{"bloom", bloomFile([][]byte{[]byte("a"), []byte("b"), []byte("c")}, 2)},
		{"stored", &built{typ: cfilewire.Float, encoding: cfilewire.EncodingBitShuffle, compression: cfilewire.LZ4, stored: true, rows: [][]byte{{0, 0, 0x80, 0x3f}, {0, 0, 0, 0xc0}}}},
	} {
		checkDump(t, x.name, openBuilt(t, x.f, Options{StringsBinary: true}))
	}
	// broken
	f := numberKeys()
	b := f.build(t)
	b[f.data[0].Off+9] ^= 1 // not what its checksum says
	b[f.data[1].Off] = 5    // values that are not there
	reseal(b, f.data[1])
	file, err := Open(context.Background(), local.NewBytesSource(b), arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkDump(t, "broken-blocks", file)
	g := &built{typ: cfilewire.Int8, encoding: cfilewire.EncodingBitShuffle, perBlock: 3, rows: [][]byte{{1}, {2}, {3}, {4}}}
	g.onBlock = func(k int, raw []byte) []byte {
		raw[20+3*k] ^= 0x7f
		return raw
	}
	checkDump(t, "broken-chunks", openBuilt(t, g, Options{}))
	h := numberKeys()
	h.keyed = false
	h.onEntry = func(_ string, e *builtEntry) { // block 1 is left out, block 2 is there twice
		if e.ptr.Off == 44 {
			e.ptr.Off = 72
		}
	}
	checkDump(t, "broken-index", openBuilt(t, h, Options{}))
}

// The dump says something about every byte; no byte of a sound file is in two ranges.
func TestDumpEveryFixture(t *testing.T) {
	for _, x := range manifest(t) {
		s := dumpOf(t, openFixture(t, x))
		if strings.Contains(s, " ! ") {
			t.Errorf("%s: a fault in\n%s", x.name(), s)
		}
		if strings.Contains(s, "not explained") {
			t.Errorf("%s: bytes that are not explained in\n%s", x.name(), s)
		}
	}
	variants(30, func(_ int, name string, f *built) {
		s := dumpOf(t, openBuilt(t, f, Options{StringsBinary: true}))
		if strings.Contains(s, " ! ") || strings.Contains(s, "not explained") {
			t.Errorf("%s:\n%s", name, s)
		}
	})
}

// fullDisk takes some bytes and no more.
type fullDisk int

var errDiskFull = errors.New("disk full")

func (d *fullDisk) Write(b []byte) (int, error) {
	if int(*d) < len(b) {
		return 0, errDiskFull
	}
	*d -= fullDisk(len(b))
	return len(b), nil
}

func TestDumpErrors(t *testing.T) {
	f := openBuilt(t, numberKeys(), Options{})
	disk := fullDisk(100)
	if err := f.Dump(context.Background(), &disk); !errors.Is(err, errDiskFull) {
		t.Errorf("a full disk: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.Dump(ctx, &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
