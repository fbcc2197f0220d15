package kudu

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// TestForeignSuperblocks gives a server the superblocks of another, which has replicas of the same tablets: blocks of the same ids are
// of other rows there.
func TestForeignSuperblocks(t *testing.T) {
	root := t.TempDir()
	fixtures.UnpackInto(t, root, realReplicas+"replicas.tar.gz")
	dirs := serversIn(root)
	for _, folder := range []string{tabletMetaName, consensusName} {
		mine := filepath.Join(dirs[1], "wal", folder)
		if err := errors.Join(os.RemoveAll(mine), os.CopyFS(mine, os.DirFS(filepath.Join(dirs[2], "wal", folder)))); err != nil {
			t.Fatal(err)
		}
	}
	ids, err := os.ReadDir(filepath.Join(dirs[1], "wal", tabletMetaName))
	if err != nil || len(ids) != 2 {
		t.Fatal(ids, err)
	}
	for _, o := range []Options{{}, {Salvage: true}, {Table: "metrics"}, {Tablet: ids[0].Name(), Salvage: true}} {
		if f, err := Open(t.Context(), dirs[1], arrowio.Limits{}, o); err == nil {
			_ = f.Close()
			t.Errorf("%+v: %d rows are read", o, f.rows())
		} else if !errors.Is(err, errs.ErrCorrupt) || !errors.Is(err, errForeign) || !strings.Contains(err.Error(), "--kudu-rebuild") {
			t.Errorf("%+v: %v", o, err)
		}
	}

	// Among others it is not read, though its log goes further than that of the last.
	f, err := openServersOf(t, []string{dirs[1], dirs[2]}, Options{Salvage: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, read := range f.(*Cluster).files {
		if !read.server.is(dirs[2]) {
			t.Errorf("read from %s", read.server.path)
		}
	}
	w := lossesOf(arrowio.WarningsOf(f))
	if !anyHas(w, "its superblock is of another server", "--kudu-rebuild") || slices.ContainsFunc(w, func(s string) bool { return strings.Contains(s, "--kudu-merge") }) {
		t.Errorf("%q", w)
	}
}
