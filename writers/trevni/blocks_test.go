package trevni_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// layout returns the header of a file and the blocks of its columns.
func layout(t testing.TB, b []byte) (*trevniwire.Header, [][]trevniwire.Block) {
	t.Helper()
	lim := arrowio.Limits{}.WithDefaults()
	h, err := trevniwire.ParseHeader(b, int64(len(b)), lim)
	if err != nil {
		t.Fatal(err)
	}
	blocks := make([][]trevniwire.Block, len(h.Columns))
	for i := range h.Columns {
		c := &h.Columns[i]
		if blocks[i], err = trevniwire.ParseDescriptors(b[c.Start:], c, h.Rows, int64(len(b)), lim); err != nil {
			t.Fatal(err)
		}
	}
	return h, blocks
}

func unpack(t testing.TB, file []byte, c *trevniwire.Column, k trevniwire.Block) []byte {
	t.Helper()
	var d blockcodec.Decoder
	raw, err := d.Decode(c.Codec, nil, file[k.Off:k.Off+k.Packed], int(k.Raw), true)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestJavaBlocks writes the data of files that Java wrote: blocks must end at the same rows and unpack to the same
// bytes if lengths are stored as Java stores them, and where Java packed nothing and added no checksums, all behind the header must be the same.
func TestJavaBlocks(t *testing.T) {
	testJavaBlocks(t, "../../testdata/trevni/java-1.12.1/*.trv", 10)
}

func testJavaBlocks(t *testing.T, files string, atLeast int) {
	paths, err := filepath.Glob(files)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	same := 0
	for _, p := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(p), ".trv"), func(t *testing.T) {
			b, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			theirs, theirBlocks := layout(t, b)
			o := arrowio.WriteOptions{Compression: "none", Options: map[string]string{"trevni-checksum": "null", "trevni-lengths": "java", "trevni-statistics": "none"}}
			var values []string
			plain := theirs.Meta.Text(trevniwire.KeyCodec) == "" || theirs.Meta.Text(trevniwire.KeyCodec) == "null"
			for _, c := range theirs.Columns {
				if c.Values && c.Type != trevniwire.Boolean && c.Type != trevniwire.Null {
					values = append(values, c.Name)
				}
				plain = plain && c.Codec == blockcodec.None && c.Checksum == trevniwire.NoChecksum && c.Values == slices.Contains(values, c.Name)
			}
			o.Options["trevni-values"] = strings.Join(values, ",")
			schema, recs := scan(t, b, "", memory.DefaultAllocator, 1000)
			objects := write(t, schema, recs, o)
			release(recs)
			out := slices.Collect(maps.Values(objects))[0]
			ours, ourBlocks := layout(t, out)
			if len(ours.Columns) != len(theirs.Columns) {
				t.Fatalf("%d columns, Java has %d", len(ours.Columns), len(theirs.Columns))
			}
			ordered := true // as the tree is walked
			for i, c := range theirs.Columns {
				at := slices.IndexFunc(ours.Columns, func(o trevniwire.Column) bool { return o.Name == c.Name })
				if at < 0 {
					t.Fatalf("no column %s", c.Name)
				}
				ordered = ordered && at == i
				x, y := ourBlocks[at], theirBlocks[i]
				if len(x) != len(y) {
					t.Fatalf("column %s: %d blocks, Java has %d", c.Name, len(x), len(y))
				}
				for k := range x {
					if x[k].Rows != y[k].Rows || x[k].Raw != y[k].Raw || values != nil && plain && !bytes.Equal(x[k].First, y[k].First) {
						t.Fatalf("column %s: block %d has %d rows, %d bytes; Java's %d, %d", c.Name, k, x[k].Rows, x[k].Raw, y[k].Rows, y[k].Raw)
					}
					if !bytes.Equal(unpack(t, out, &ours.Columns[at], x[k]), unpack(t, b, &c, y[k])) {
						t.Fatalf("column %s: block %d has other bytes", c.Name, k)
					}
				}
			}
			if plain && ordered {
				same++
				if !bytes.Equal(out[ours.Size:], b[theirs.Size:]) {
					t.Error("the columns are not the same bytes")
				}
			}
		})
	}
	if same < atLeast {
		t.Errorf("%d files compared byte for byte, expected %d at least", same, atLeast)
	}
}
