package kudu

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// ofTablets calls do with each file that a pattern names below the directories of a server.
func ofTablets(t *testing.T, server, pattern string, do func(path string) error) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(server, pattern))
	if err != nil || len(names) == 0 {
		t.Fatal("nothing is ", pattern, err)
	}
	for _, name := range names {
		if err := do(name); err != nil {
			t.Fatal(err)
		}
	}
}

// change rewrites a file.
func change(path string, how func([]byte) []byte) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, how(b), 0o600)
}

// TestReplicasNewerDamaged damages the two newer of three servers. The third, which was killed long before, is whole: its rows must not
// pass for those of the table.
func TestReplicasNewerDamaged(t *testing.T) {
	told := readAcknowledged(t, realReplicas+"replicas.json")
	for _, c := range []struct {
		what, pattern string
		do            func(path string) error
		all           bool // the rows are all in files: merged, none is missing
	}{
		{"logs that are cut off", "wal/wals/*/wal-*", func(p string) error { return change(p, func(b []byte) []byte { return b[:len(b)/4] }) }, true},
		{"logs whose tail is zeros", "wal/wals/*/wal-*", func(p string) error {
			return change(p, func(b []byte) []byte { clear(b[len(b)/4:]); return b })
		}, true},
		{"logs with a damaged byte", "wal/wals/*/wal-*", func(p string) error {
			return change(p, func(b []byte) []byte { b[len(b)/2] ^= 0xff; return b })
		}, true},
		{"no logs", "wal/wals/*", os.RemoveAll, true},
		{"no directory of logs", "wal/wals", os.RemoveAll, true},
		{"no superblocks", "wal/tablet-meta/*", os.Remove, false},
		{"superblocks that are cut off", "wal/tablet-meta/*", func(p string) error { return change(p, func(b []byte) []byte { return b[:len(b)/2] }) }, false},
		{"a file in the place of the superblocks", "wal/tablet-meta", func(p string) error {
			if err := os.RemoveAll(p); err != nil {
				return err
			}
			return os.WriteFile(p, nil, 0o600)
		}, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			root := t.TempDir()
			fixtures.UnpackInto(t, root, realReplicas+"replicas.tar.gz")
			dirs := serversIn(root)
			for _, d := range dirs[:2] {
				ofTablets(t, d, c.pattern, c.do)
			}
			for _, o := range []Options{{}, {Salvage: true}, {Merge: true}} {
				f, err := openServersOf(t, dirs, o)
				if err != nil {
					if !o.Salvage && !o.Merge { // a salvage must go on
						continue
					}
					t.Fatal(err)
				}
				n, wrong := told.exact(lenientRows(t, f, o.Salvage))
				warnings := arrowio.WarningsOf(f)
				if !slices.ContainsFunc(warnings, func(w arrowio.Warning) bool { return w.Kind == arrowio.WarnLost }) {
					t.Errorf("merge %v, salvage %v: %d right and %d wrong rows, and no loss is told", o.Merge, o.Salvage, n, len(wrong))
				}
				if o.Merge && c.all && len(wrong) > 0 {
					t.Errorf("merged, %d rows are wrong, such as %s", len(wrong), wrong[0])
				}
			}
		})
	}
}

// TestReplicaAlone reads one of three servers: that others may have more is a doubt, told once.
func TestReplicaAlone(t *testing.T) {
	dirs := serversIn(unpackShared(t, "../replicas-1.17.1/replicas.tar.gz"))
	f, err := OpenTable(t.Context(), dirs[2], arrowio.Limits{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if w := arrowio.WarningsOf(f); len(w) != 1 || w[0].Kind != arrowio.WarnDoubt || !strings.Contains(w[0].Text, "3 voting replicas") {
		t.Errorf("%+v", w)
	}
}

// TestReplicasListedEmpty lists servers of which one has containers whose data is gone: what their records say is not there.
func TestReplicasListedEmpty(t *testing.T) {
	root := t.TempDir()
	fixtures.UnpackInto(t, root, realReplicas+"replicas.tar.gz")
	dirs := serversIn(root)
	ofTablets(t, dirs[0], "data/data/*.data", func(p string) error { return os.Truncate(p, 0) })
	l, err := ListReplicas(t.Context(), dirs[0], arrowio.Limits{}, Options{Servers: dirs[1:]})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range l.Tables[0].Tablets {
		first, last := x.Replicas[0], x.Replicas[2]
		if first.Server.Path != dirs[1] || last.Server.Path != dirs[0] || last.Bytes != 0 || !strings.Contains(last.Why, "blocks are missing") {
			t.Errorf("%+v", x.Replicas)
		}
	}
}

// TestDataDirUnreadable has a data directory that is there and cannot be looked into, which is not one that is missing.
func TestDataDirUnreadable(t *testing.T) {
	root := t.TempDir()
	fixtures.UnpackInto(t, root, realReplicas+"replicas.tar.gz")
	data := filepath.Join(root, "0", "data", "data")
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("data", data); err != nil {
		t.Fatal(err)
	}
	_, err := OpenTable(t.Context(), filepath.Join(root, "0"), arrowio.Limits{}, Options{})
	if err == nil || !strings.Contains(err.Error(), "cannot be read") || !strings.Contains(err.Error(), data) {
		t.Error(err)
	}
	if !isOfFile(&fs.PathError{Op: "open", Path: data, Err: fs.ErrPermission}) {
		t.Error("a file without permission is taken for one that is missing")
	}
}
