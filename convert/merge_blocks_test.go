package convert_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/convert"
	"github.com/arrowio/arrowio/internal/writertest"
	"github.com/arrowio/arrowio/readers"
)

// Stripes that are copied lie within blocks of the store, or of the size that was asked for, as far as they fit; a Trevni file is one
// block. Rows are the same.
func TestMergeWithinBlocks(t *testing.T) {
	const orc, trevni = "../testdata/orc/java-2.3.1/many-stripes.orc", "../testdata/trevni/java-1.12.1/arrays-all-types.trv"
	for _, c := range []struct {
		path           string
		store, padding int64
		block, asked   int64 // within which stripes lie, and that the store was asked for; 0 = none
	}{
		{orc, 0, 0, 0, 0},
		{orc, 1 << 10, 0, 1 << 10, 0},
		{orc, 1 << 10, -1, 0, 0},
		{orc, 1 << 10, 700, 700, 700},
		{orc, 64, 0, 0, 0}, // stripes are larger
		{trevni, 1 << 10, 0, 0, 1},
	} {
		name := fmt.Sprintf("%s in blocks of %d with %d", filepath.Base(c.path), c.store, c.padding)
		store := writertest.NewBlockStore(c.store)
		var st arrowio.Store = store
		if c.store == 0 {
			st = store.MemStore
		}
		if _, err := convert.Merge(t.Context(), mergeInput(c.path, c.path, c.path), st, convert.MergeOptions{Extension: filepath.Ext(c.path), BlockBytes: c.padding}); err != nil {
			t.Fatal(err)
		}
		for object, b := range store.Objects() {
			path := filepath.Join(t.TempDir(), "merged"+filepath.Ext(c.path))
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			verified(t, path)
			rows := rowsOf(t, c.path)
			sameRows(t, path, slices.Concat(rows, rows, rows))
			asked := store.Asked[object]
			if c.asked == 1 {
				asked = min(asked, 1)
			}
			if asked != c.asked {
				t.Errorf("%s: asked for blocks of %d", name, store.Asked[object])
			}
			f, err := readers.OpenFile(t.Context(), path, readers.Options{})
			if err != nil {
				t.Fatal(err)
			}
			info, err := f.Info(t.Context(), arrowio.InfoOptions{Blocks: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			across := 0
			for _, g := range info.Groups {
				if block := max(cmp.Or(c.block, c.store), 1); g.Off/block != (g.Off+g.Bytes-1)/block {
					across++
				}
			}
			if c.path == orc && c.store > 0 && (across > 0) != (c.block == 0) {
				t.Errorf("%s: %d of %d stripes lie across the edges of blocks", name, across, len(info.Groups))
			}
		}
	}
}
