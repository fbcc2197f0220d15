package orc

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/orcwire"
)

func info(t testing.TB, f *File, o arrowio.InfoOptions) *arrowio.Info {
	t.Helper()
	i, err := f.Info(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// The numbers of rootInt, as its bytes have them (see testdata/dump/root-int.txt).
func TestInfo(t *testing.T) {
	i := info(t, showBytes(t, rootInt, Options{}), arrowio.InfoOptions{Blocks: true})
	if i.Format != Name || i.Version != "0.12" || i.Writer != "ORC Java 2.3.1" || i.Rows != 70 || i.Bytes != 302 || len(i.Columns) != 1 {
		t.Errorf("%+v", i)
	}
	c := i.Columns[0]
	if c.Path != orcwire.RootName || c.Type != "int32" || c.Stored != "int" || c.Codec != "zlib" || c.Bytes != 36+115 || c.Blocks != 2 ||
		!slices.Equal(c.Encodings, []string{"DIRECT_V2"}) || c.Index != "row groups of 1000" {
		t.Errorf("%+v", c)
	}
	want := arrowio.ColumnStats{Values: 70, Min: "-1635912833", Max: "2072350518", Sum: "3235897351"}
	if *c.Stats != want {
		t.Errorf("%+v, want %+v", *c.Stats, want)
	}
	blocks := []arrowio.BlockInfo{
		{Kind: "ROW_INDEX", Rows: 70, Off: 3, Bytes: 36},
		{Kind: "DATA", Encoding: "DIRECT_V2", Rows: 70, Off: 39, Bytes: 115},
	}
	if !slices.Equal(c.BlockList, blocks) {
		t.Errorf("%+v, want %+v", c.BlockList, blocks)
	}
	if len(i.Groups) != 1 || i.Groups[0].Off != 3 || i.Groups[0].Bytes != 36+115+23 || i.Groups[0].Index != 36 {
		t.Errorf("%+v", i.Groups)
	}
	if len(i.Notes) > 0 {
		t.Errorf("notes: %q", i.Notes)
	}
}

// The streams of all columns, and what is not a stream, are the file.
func TestInfoBytes(t *testing.T) {
	for _, path := range soundFiles(t) {
		f := showFile(t, path, Options{})
		if f.footer.Encryption != nil || strings.Contains(path, "gaps") {
			continue
		}
		i := info(t, f, arrowio.InfoOptions{Blocks: true})
		sum := f.src.Size() - f.tail.metadata.Off
		if len(i.Groups) > 0 {
			sum += i.Groups[0].Off
		} else {
			sum += 3
		}
		listed := int64(0)
		for _, c := range i.Columns {
			sum += c.Bytes
			for _, b := range c.BlockList {
				listed += b.Bytes
			}
			listed -= c.Bytes
		}
		for _, s := range f.footer.Stripes {
			sum += s.FooterLength
		}
		fi, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if sum != fi.Size() || listed != 0 {
			t.Errorf("%s: %d bytes of %d; blocks have %d more than columns", path, sum, fi.Size(), listed)
		}
	}
}

// What a careful user is told.
func TestInfoNotes(t *testing.T) {
	for _, x := range []struct{ file, note string }{
		{"foreign/no-zone.orc", "no writer time zone: timestamps are read as of UTC"},
		{"foreign/hive-0.11.0.orc", "statistics are not used"},
		{"foreign/no-statistics.orc", "no statistics of stripes"},
		{"java-2.3.1/no-index.orc", "no row index"},
		{"java-2.3.1/encrypted-0-none.orc", "shown masked"},
	} {
		notes := info(t, showFile(t, fixtureDir+x.file, Options{}), arrowio.InfoOptions{}).Notes
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, x.note) }) {
			t.Errorf("%s: %q lack %q", x.file, notes, x.note)
		}
	}
}

// With the key of an encrypted column, its statistics are those of what it reads; without, of the mask.
func TestInfoEncrypted(t *testing.T) {
	path := fixtureDir + "java-2.3.1/encrypted-0-none.orc"
	without := info(t, showFile(t, path, Options{}), arrowio.InfoOptions{})
	with := info(t, showFile(t, path, Options{Keys: testKeys(t)}), arrowio.InfoOptions{})
	hidden := 0
	for k, c := range without.Columns {
		d := with.Columns[k]
		if (c.Secret == "") != (d.Secret == "") {
			t.Errorf("%s: %q and %q", c.Path, c.Secret, d.Secret)
		}
		if c.Secret == "" {
			continue
		}
		hidden++
		if !strings.Contains(c.Secret, ", masked by ") || !strings.HasSuffix(d.Secret, ", readable") {
			t.Errorf("%s: %q and %q", c.Path, c.Secret, d.Secret)
		}
	}
	if hidden == 0 {
		t.Error("no column is encrypted")
	}
}

func TestInfoCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := showBytes(t, rootInt, Options{}).Info(ctx, arrowio.InfoOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A stripe that cannot be read does not hide the rest of the file.
func TestInfoDamagedStripe(t *testing.T) {
	i := info(t, showBytes(t, altered(158, 0xff), Options{}), arrowio.InfoOptions{})
	if i.Columns[0].Stats.Values != 70 || len(i.Notes) != 2 || !strings.Contains(i.Notes[0], "stripe footer") {
		t.Errorf("%+v", i)
	}
}
