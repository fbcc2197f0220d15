package kudu

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// withState gives all tablets of a server a state, as it is in their superblocks.
func withState(t *testing.T, server string, state kuduwire.TabletState) {
	t.Helper()
	ofTablets(t, server, "wal/tablet-meta/*", func(path string) error {
		return change(path, func(b []byte) []byte {
			c, err := kuduwire.OpenContainer(b)
			if err != nil {
				t.Fatal(err)
			}
			m, ok := c.Next()
			if !ok {
				t.Fatal(c.Err)
			}
			number := int64(state) - int64(kuduwire.TabletCopying) // TABLET_DATA_COPYING is 0
			return protoContainer(c.Type, withoutField(t, bytes.Clone(m), 10).num(10, number))
		})
	})
}

// A replica that was being copied, or was given up, is not chosen where another is ready, and the list says why. It is that of the
// server which is read otherwise.
func TestReplicaStates(t *testing.T) {
	told := readAcknowledged(t, realReplicas+"replicas.json")
	for _, c := range []struct {
		state kuduwire.TabletState
		says  string
	}{{kuduwire.TabletCopying, "copying"}, {kuduwire.TabletTombstoned, "tombstoned"}, {kuduwire.TabletDeleted, "deleted"}} {
		root := t.TempDir()
		fixtures.UnpackInto(t, root, realReplicas+"replicas.tar.gz")
		dirs := serversIn(root)
		withState(t, dirs[0], c.state)
		f, err := openServersOf(t, dirs, Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.says, err)
		}
		if n, wrong := told.exact(readRows(t, f, false)); len(wrong) > 0 { // server 1 has all that server 0 had
			t.Errorf("%s: %d rows as told, %q", c.says, n, wrong)
		}
		_ = f.Close()
		l, err := ListReplicas(t.Context(), filepath.Join(dirs[0], "wal"), arrowio.Limits{}, Options{Servers: []string{filepath.Join(dirs[1], "wal"), filepath.Join(dirs[2], "wal")}})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range l.Tables[0].Tablets {
			last := x.Replicas[len(x.Replicas)-1]
			if !x.Replicas[0].Chosen || x.Replicas[0].State != "ready" || last.Chosen || last.State != c.says || !strings.Contains(last.Why, "it is "+c.says) {
				t.Errorf("%s: %+v", c.says, x)
			}
		}
		// Asked for, what was copied so far is read by a salvage only; where the server has given it up, another is read.
		asked := Options{Replica: filepath.Join(dirs[0], "wal")}
		f, err = openServersOf(t, dirs, asked)
		if c.state != kuduwire.TabletCopying {
			if err != nil || !strings.Contains(strings.Join(f.(*Cluster).allNotes(), "\n"), "its log goes furthest") {
				t.Errorf("%s, asked for: %v", c.says, err)
			}
			continue
		}
		if err == nil || !anyHas([]string{err.Error()}, "copying", "not complete", "--kudu-salvage") {
			t.Errorf("%s, asked for: %v", c.says, err)
		}
		asked.Salvage = true
		if f, err = openServersOf(t, dirs, asked); err != nil || !anyHas(warningTexts(f), "copying", "not complete") {
			t.Errorf("%s, salvaged: %v", c.says, err)
		}
	}
}

// warningTexts returns the texts of the warnings of a table of several servers.
func warningTexts(f arrowio.File) (out []string) {
	for _, w := range arrowio.WarningsOf(f) {
		out = append(out, w.Text)
	}
	return out
}

// Damage in the middle of a column is an error that names other replicas; where all columns are read first, another replica is chosen.
func TestReplicaCheck(t *testing.T) {
	told := readAcknowledged(t, realReplicas+"replicas.json")
	root := t.TempDir()
	fixtures.UnpackInto(t, root, realReplicas+"replicas.tar.gz")
	dirs := serversIn(root)
	whole, err := openServersOf(t, dirs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	read := whole.(*Cluster).files[0].server // of which a column is damaged
	_ = whole.Close()
	damageColumns(t, read)
	f, err := openServersOf(t, dirs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{})
	if err == nil {
		for r.Next() {
		}
		err = r.Err()
		r.Release()
	}
	if !errors.Is(err, errs.ErrCorrupt) || !anyHas([]string{err.Error()}, "--kudu-replica=", "--kudu-check", "--kudu-salvage") || strings.Contains(err.Error(), "--kudu-replica="+read.dirs.UUID) {
		t.Errorf("without a check: %v", err)
	}
	_ = f.Close()
	if f, err = openServersOf(t, dirs, Options{Check: true}); err != nil {
		t.Fatal(err)
	}
	if n, wrong := told.exact(readRows(t, f, false)); len(wrong) > 0 {
		t.Errorf("%d rows as told, %q", n, wrong)
	}
	if w := warningTexts(f); !anyHas(w, "the replica of server "+read.dirs.UUID+" is damaged") {
		t.Errorf("%q", w)
	}
	_ = f.Close()
	for _, s := range f.(*Cluster).all {
		if s.dirs.UUID != read.dirs.UUID {
			damageColumns(t, s)
		}
	}
	if _, err = openServersOf(t, dirs, Options{Check: true}); !errors.Is(err, errs.ErrCorrupt) || strings.Contains(err.Error(), "--kudu-check") {
		t.Errorf("all are damaged: %v", err)
	}
}

// damageColumns damages the columns of all tablets of a server: a bit of a value, which a checksum shows.
func damageColumns(t *testing.T, s *server) {
	t.Helper()
	b, err := OpenBlocks(t.Context(), s.dirs)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	ids, err := s.dirs.Tablets()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, id := range ids {
		sb, err := s.dirs.SuperBlock(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, rs := range sb.RowSets {
			path, place, err := b.At(rs.Columns[1].Block)
			if err != nil {
				t.Fatal(err)
			}
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file[place.Off+40] ^= 1
			if err := os.WriteFile(path, file, 0o600); err != nil {
				t.Fatal(err)
			}
			n++
		}
	}
	if n == 0 {
		t.Fatal("no rowsets")
	}
}

// A replica whose index tells of operations that its log does not have is not whole: another is read.
func TestReplicaIndex(t *testing.T) {
	told := readAcknowledged(t, realReplicas+"replicas.json")
	root := t.TempDir()
	fixtures.UnpackInto(t, root, realReplicas+"replicas.tar.gz")
	dirs := serversIn(root)
	var entries []kuduwire.LogIndexEntry
	for range 500 {
		entries = append(entries, kuduwire.LogIndexEntry{Term: 9, Segment: 1, Offset: 1 << 30})
	}
	ofTablets(t, dirs[0], "wal/wals/*", func(path string) error {
		return os.WriteFile(filepath.Join(path, "index.000000000"), indexOf(entries...), 0o600)
	})
	f, err := openServersOf(t, dirs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n, wrong := told.exact(readRows(t, f, false)); len(wrong) > 0 {
		t.Errorf("%d rows as told, %q", n, wrong)
	}
	_ = f.Close()
	l, err := ListReplicas(t.Context(), filepath.Join(dirs[0], "wal"), arrowio.Limits{}, Options{Servers: []string{filepath.Join(dirs[1], "wal"), filepath.Join(dirs[2], "wal")}})
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	for _, x := range l.Tables[0].Tablets {
		for i, r := range x.Replicas {
			if strings.Contains(r.Why, "as its index says") {
				said++
				if r.Chosen || i == 0 {
					t.Errorf("%+v", r)
				}
			}
		}
	}
	if said == 0 {
		t.Errorf("%+v", l.Tables[0].Tablets)
	}
}
