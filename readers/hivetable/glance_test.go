package hivetable

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/metastore"
	"github.com/arrowio/arrowio/internal/metastorefake"
)

// makeDirs makes directories with a file each. Those with a ~ behind their name have none, bases with a * the mark of a compactor.
func makeDirs(t *testing.T, dir, names string) {
	t.Helper()
	for _, name := range strings.Fields(names) {
		file := "bucket_00000"
		name, empty := strings.CutSuffix(name, "~")
		name, marked := strings.CutSuffix(name, "*")
		at := filepath.Join(dir, name)
		err := os.MkdirAll(at, 0o700)
		if marked {
			err = errors.Join(err, os.WriteFile(filepath.Join(at, mark), []byte("{}"), 0o600))
		}
		if !empty {
			err = errors.Join(err, os.WriteFile(filepath.Join(at, file), []byte("x"), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func parsed(t *testing.T, ids string) *metastore.IDs {
	t.Helper()
	l, err := metastore.ParseIDs(ids)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// treeAt is a tree at another place.
type treeAt struct {
	arrowio.Tree
	at string
}

func (t treeAt) Path(name string) string { return t.at + name }

// TestHalf has what a reader may see while compactors of Hive 3 move what they have made into place, and what only looks like that.
func TestHalf(t *testing.T) {
	const all = "9::"
	for _, c := range []struct {
		what, dirs, ids, want string
	}{
		{"before", "delta_1_1_0 delta_2_2_0 delete_delta_2_2_0 _tmp_x/delta_1_2 _tmp_x/delete_delta_1_2", all, ""},
		{"the rows were moved", "delta_1_1_0 delta_2_2_0 delete_delta_2_2_0 delta_1_2 _tmp_x/delete_delta_1_2", all, "delta_1_2"},
		{"the deletes were moved", "delta_1_1_0 delta_2_2_0 delete_delta_2_2_0 delete_delta_1_2 _tmp_x/delta_1_2", all, "delete_delta_1_2"},
		{"both were moved", "delta_1_1_0 delta_2_2_0 delete_delta_2_2_0 delta_1_2 delete_delta_1_2 _tmp_x~", all, ""},
		{"nothing is to be deleted, and the deletes come", "delta_1_1_0 delta_2_2_0 delta_1_2 _tmp_x/delete_delta_1_2", all, "delta_1_2"},
		{"statements of one write id", "delta_2_2_0 delta_2_2_1 delete_delta_2_2_1 delta_2_2 _tmp_x/delete_delta_2_2", all, "delta_2_2"},
		{"the rows are made anew", "delete_delta_1_2 _tmp_x/delta_1_2", all, "delete_delta_1_2"},
		{"the deletes are made anew", "delta_1_2 _tmp_x/delete_delta_1_2", all, "delta_1_2"},
		{"a job for both makes them anew", "delta_1_2 delete_delta_1_2 _tmp_x/delete_delta_1_2 _tmp_x/delta_1_2", all, ""},
		{"numbers with zeroes", "delta_0000001_0000001_0000 delta_0000001_0000002 _tmp_x/delete_delta_0000001_0000002", all, "delta_0000001_0000002"},
		{"broken off, and the rest is gone: the rows", "delta_1_1_0 delta_2_2_0 delete_delta_2_2_0 delta_1_2", all, "broken off"},
		{"broken off, and the rest is gone: the deletes", "delta_1_1_0 delta_2_2_0 delete_delta_2_2_0 delete_delta_1_2", all, "broken off"},
		{"what is left was aborted", "delete_delta_2_2_0 delta_1_2", "9::2", ""},
		{"what is left is newer", "delete_delta_2_2_0 delta_1_2", "1::", ""},
		{"what is left is empty", "delete_delta_2_2_0~ delta_1_2", all, ""},
		{"what is left is not of it", "delta_1_2 delete_delta_3_3_0", all, ""},
		{"the same for rows", "delete_delta_1_2 delta_3_3_0", all, ""},
		{"a wider one", "delta_1_2 delete_delta_1_2 delta_3_3 delete_delta_3_3 delete_delta_1_3", all, "delete_delta_1_3"},
		{"the cleaner is at work behind a wider one", "delta_1_2 delete_delta_2_2_0 delta_1_3 delete_delta_1_3", all, ""},
		{"and behind a base", "base_3* delta_1_2 delete_delta_2_2_0", all, ""},
		{"and behind that of INSERT OVERWRITE", "base_3 delta_1_2 delete_delta_2_2_0", all, ""},
		{"which was aborted", "base_3 delta_1_2 delete_delta_2_2_0", "9::3", "broken off"},
		{"behind a base", "base_2* delta_3_3_0 delta_4_4_0 delete_delta_4_4_0 delta_3_4", all, "delta_3_4"},
		{"Hive 4 says what is finished", "delta_1_1_0 delta_2_2_0 delete_delta_2_2_0 delta_1_2_v0000007", all, ""},
		{"streaming", "delta_1_10 delta_11_11_0 delete_delta_11_11_0", all, ""},
		{"a base without its mark, the same whoever made it", "base_3 _tmp_x~", all, ""},
		{"one that would not count if compacted", "base_3 delta_1_1_0 _tmp_x~", "9:2:", "base_3"},
		{"one that would count if compacted", "base_3 delta_1_1_0 _tmp_x~", "9::3", "base_3"},
		{"one of INSERT OVERWRITE", "base_3 delta_1_1_0", "9:2:", ""},
		{"with a mark", "base_3* _tmp_x~", "9::3", ""},
		{"strangers", "delta_1_x base_ delta_1_2_3_4 base_99999999999999999999 delta_1_1_0", all, ""},
	} {
		dir := t.TempDir()
		makeDirs(t, dir, c.dirs)
		tree := treeAt{local.DirTree(dir), "hdfs://h/"}
		g, err := glanceAt(t.Context(), tree)
		if err != nil {
			t.Fatal(err)
		}
		got, err := g.half(t.Context(), tree, parsed(t, c.ids))
		if err != nil || got == "" != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", c.what, got, err, c.want)
		}
	}
	// HDFS deletes and moves a directory at once.
	dir := t.TempDir()
	makeDirs(t, dir, "delta_1_2 delete_delta_1_2 base_3 _tmp_x/delta_1_2")
	for at, want := range map[string]string{"s3://b/": "anew", "file:///b/": "anew", "hdfs://h/": ""} {
		tree := treeAt{local.DirTree(dir), at}
		g, err := glanceAt(t.Context(), tree)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := g.half(t.Context(), tree, parsed(t, all)); err != nil || !strings.Contains(got, want) || got == "" != (want == "") {
			t.Errorf("%s: %q, %v", at, got, err)
		}
	}
	const missing = "s3://b/"
	if g, err := glanceAt(t.Context(), treeAt{local.DirTree(filepath.Join(dir, "none")), missing}); err != nil || len(g.names) != 0 {
		t.Error(g, err)
	}
	if _, err := glanceAt(t.Context(), local.DirTree(filepath.Join(dir, "none"))); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestSame changes a directory between two glances.
func TestSame(t *testing.T) {
	for _, c := range []struct {
		what, dirs, then string // "-NAME" goes
		ids              string
		want             bool
	}{
		{"nothing", "delta_1_1_0 base_1*", "", "9::", true},
		{"a newer delta", "delta_1_1_0", "delta_10_10_0 delta_11_11", "9::", true},
		{"one is gone", "delta_1_1_0 delta_2_2_0", "-delta_1_1_0", "9::", false},
		{"a file is gone", "delta_1_1_0 file", "-file", "9::", false},
		{"a base", "delta_1_1_0", "base_1", "9::", false},
		{"a wide delta", "delta_1_1_0", "delta_1_2", "9::", false},
		{"one that is newer", "delta_1_1_0", "delta_10_12", "9::", true},
		{"one of statements", "delta_2_2_0 delta_2_2_1", "delta_2_2", "9::", false},
		{"a delta of a writer without statements", "delta_1_1", "delta_2_2", "9::", true},
		{"made anew", "delta_1_2 delete_delta_1_2", "-delta_1_2 delta_1_2", "9::", false},
		{"written to", "delta_1_2", "delta_1_2/more", "9::", false},
		{"written to while it is open", "delta_10_12 base_4", "delta_10_12/more base_4/more", "9:4:", true},
		{"a mark", "base_4", "base_4*~", "9::", false},
		{"a compaction by Hive 4 that was finished", "delta_1_1_0 delta_1_2_v7", "", "9::", false},
		{"one that was finished before", "delta_1_1_0 delta_1_2_v6", "", "9::", true},
	} {
		dir := t.TempDir()
		look := func() *glance {
			g, err := glanceAt(t.Context(), local.DirTree(dir))
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		makeDirs(t, dir, c.dirs)
		old := time.Now().Add(-time.Hour)
		for _, d := range strings.Fields(c.dirs) {
			if err := os.Chtimes(filepath.Join(dir, strings.TrimRight(d, "*~")), old, old); err != nil {
				t.Fatal(err)
			}
		}
		before := look()
		for _, x := range strings.Fields(c.then) {
			if gone, ok := strings.CutPrefix(x, "-"); ok {
				if err := os.RemoveAll(filepath.Join(dir, gone)); err != nil {
					t.Fatal(err)
				}
			} else {
				makeDirs(t, dir, x)
			}
		}
		if got := before.same(look(), parsed(t, "7:7:"), parsed(t, "7::"), parsed(t, c.ids)); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

// TestNewer reads a directory as of write ids that newer directories do not let tell apart any more.
func TestNewer(t *testing.T) {
	for _, c := range []struct{ what, dirs, ids, now, want string }{
		{"a compacted base", "base_4*", "4::", "4::", ""},
		{"with a newer write id", "base_4* delta_3_3_0", "3::", "4::", "base_4 was compacted"},
		{"with one that was open", "base_4* delta_3_3_0", "4:2:", "4::", "base_4 was compacted"},
		{"with one that was aborted", "base_4* delta_3_3_0", "4::2", "4::2", ""},
		{"of Hive 4, in front of an older one", "base_2_v5 base_4_v6 delta_3_3_0", "3::", "4::", "base_4_v6 was compacted"},
		{"the same that is not finished", "base_2_v5 base_4_v7 delta_3_3_0", "3::", "4::", ""},
		{"an overwrite", "base_4", "5::", "5::", ""},
		{"a newer one", "base_4", "3::", "4::", "base_4 was written"},
		{"one that is at work", "base_4", "5:4:", "5:4:", ""},
		{"one that was aborted meanwhile", "base_4", "5:4:", "5::4", ""},
		{"one that was committed meanwhile", "base_4", "5:4:", "5::", "base_4 was committed"},
		{"the first base of a converted table", "base_-9223372036854775808", "5:1:", "5::", ""},
	} {
		dir := t.TempDir()
		makeDirs(t, dir, c.dirs)
		s := &metastorefake.Server{Transactions: *parsed(t, "7:7:"), WriteIDs: map[string]metastore.IDs{"d.t": *parsed(t, c.now)}}
		client, err := metastore.Dial(t.Context(), s.Start(t), metastore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := watched{client: client, tree: local.DirTree(dir), database: "d", table: "t", writes: parsed(t, c.ids)}
		_, _, err = w.see(t.Context())
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, errs.ErrUnsupported) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.what, err)
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A compaction that is there by half is waited for.
func TestHalfIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	makeDirs(t, dir, "delta_1_1_0 delta_2_2_0 delta_1_2 _tmp_x/delete_delta_1_2")
	looks := 0
	s := &metastorefake.Server{Transactions: *parsed(t, "7::")}
	s.Look = func(string) {
		if looks++; looks == 3 {
			if err := os.Rename(filepath.Join(dir, "_tmp_x/delete_delta_1_2"), filepath.Join(dir, "delete_delta_1_2")); err != nil {
				t.Error(err)
			}
		}
	}
	client, err := metastore.Dial(t.Context(), s.Start(t), metastore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	w := watched{client: client, tree: local.DirTree(dir), writes: parsed(t, "2::")}
	err = w.settled(t.Context(), func(string, bool) error {
		entries, err := w.tree.List(t.Context(), "")
		if !slices.ContainsFunc(entries, func(e arrowio.TreeEntry) bool { return e.Name == "delete_delta_1_2" }) {
			t.Error("it was looked at while it was there by half")
		}
		return err
	})
	if err != nil || looks < 4 {
		t.Errorf("%v, %d looks", err, looks)
	}
}
