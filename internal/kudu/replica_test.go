package kudu

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

const realReplicas = "../../testdata/kudu/replicas-1.17.1/"

// acknowledged is what a client of three servers was told of, and what it was not: see testdata/kudu/replicas.py.
type acknowledged struct {
	rows   map[string]string   // by key; "" = deleted
	unsure map[string][]string // operations without an answer, likewise
}

func readAcknowledged(t testing.TB, path string) acknowledged {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var j struct {
		Rows   map[string][]any
		Unsure map[string][][]any
	}
	if err := json.Unmarshal(b, &j); err != nil {
		t.Fatal(err)
	}
	text := func(row []any) string {
		if row == nil {
			return ""
		}
		return fmt.Sprint(row...)
	}
	out := acknowledged{map[string]string{}, map[string][]string{}}
	for k, r := range j.Rows {
		out.rows[k] = text(r)
	}
	for k, rows := range j.Unsure {
		for _, r := range rows {
			out.unsure[k] = append(out.unsure[k], text(r))
		}
	}
	return out
}

// readRows returns the rows of the table by key, each as fmt prints it.
// Where a salvage has lost deletions a key may be there twice.
func readRows(t testing.TB, f arrowio.File, salvaged bool) map[string]string {
	t.Helper()
	out := map[string]string{}
	r, err := arrowio.Scan(t.Context(), f, arrowio.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		rec := r.Record()
		keys, texts, numbers := rec.Column(0).(*array.Int32), rec.Column(1).(*array.String), rec.Column(2).(*array.Int64)
		for i := range int(rec.NumRows()) {
			if keys.IsNull(i) { // a salvage has lost it
				continue
			}
			k := strconv.Itoa(int(keys.Value(i)))
			if _, twice := out[k]; twice && !salvaged {
				t.Errorf("key %s is there twice", k)
			}
			var n any
			if numbers.IsValid(i) {
				n = float64(numbers.Value(i))
			}
			out[k] = fmt.Sprint(texts.Value(i), n)
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// exact counts the rows that are as the client was told, and returns what is wrong: rows that are missing, old, or never were.
func (a acknowledged) exact(rows map[string]string) (n int, wrong []string) {
	for k, want := range a.rows {
		got := rows[k]
		if got == want || slices.Contains(a.unsure[k], got) {
			n++
		} else {
			wrong = append(wrong, fmt.Sprintf("key %s: %q, not %q", k, got, want))
		}
	}
	for k, got := range rows {
		if _, known := a.rows[k]; !known && !slices.Contains(a.unsure[k], got) {
			wrong = append(wrong, fmt.Sprintf("key %s: %q, which never was", k, got))
		}
	}
	return n, wrong
}

func openServersOf(t testing.TB, dirs []string, o Options) (arrowio.File, error) {
	t.Helper()
	o.Servers = dirs[1:]
	f, err := OpenTable(t.Context(), dirs[0], arrowio.Limits{}, o)
	if err == nil {
		t.Cleanup(func() { _ = f.Close() })
	}
	return f, err
}

func serversIn(root string) []string {
	return []string{filepath.Join(root, "0"), filepath.Join(root, "1"), filepath.Join(root, "2")}
}

// TestReplicas reads three servers that were killed at different times: all that the client was told of must be there.
func TestReplicas(t *testing.T) {
	root := unpackShared(t, "../replicas-1.17.1/replicas.tar.gz")
	told := readAcknowledged(t, realReplicas+"replicas.json")
	checkReplicas(t, root, told)

	dirs := serversIn(root)
	f, err := openServersOf(t, dirs, Options{Replica: dirs[2]})
	if err != nil {
		t.Fatal(err)
	}
	if n, wrong := told.exact(readRows(t, f, false)); len(wrong) == 0 || n == 0 {
		t.Errorf("the first server that was killed has all rows")
	}
	if w := arrowio.WarningsOf(f); len(w) == 0 || w[0].Kind != arrowio.WarnMissing || !strings.Contains(w[0].Text, "another was asked for") {
		t.Errorf("no word of what the replica lacks: %+v", w)
	}
	for _, x := range []struct {
		dirs []string
		o    Options
		want string
	}{
		{[]string{dirs[0], dirs[1], dirs[0]}, Options{}, "was named before"},
		{dirs, Options{Replica: "nobody"}, "neither the uuid nor the directory"},
		{dirs, Options{Replica: dirs[0], Merge: true}, "reads all replicas"},
		{dirs, Options{Rebuild: "sure"}, "is for one server"},
		{dirs, Options{Merge: true, Snapshot: 1 << 60}, "newest rows"},
		{dirs[:2], Options{Data: []string{filepath.Join(dirs[2], "data")}}, "none of those that are named"},
	} {
		if _, err := openServersOf(t, x.dirs, x.o); err == nil || !strings.Contains(err.Error(), x.want) || !errors.Is(err, errs.ErrOption) {
			t.Errorf("%+v: %v", x.o, err)
		}
	}
}

// checkReplicas reads the servers in every order, by choice and merged.
func checkReplicas(t *testing.T, root string, told acknowledged) {
	t.Helper()
	dirs := serversIn(root)
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		for _, merge := range []bool{false, true} {
			var in, data []string
			for _, i := range order {
				in = append(in, dirs[i])
				data = append(data, filepath.Join(dirs[2-i], "data"))
			}
			f, err := openServersOf(t, in, Options{Merge: merge, Data: data})
			if err != nil {
				t.Fatal(err)
			}
			if _, wrong := told.exact(readRows(t, f, false)); len(wrong) > 0 {
				t.Errorf("order %v, merge %v: %d wrong rows, such as %s", order, merge, len(wrong), wrong[0])
			}
			if w := arrowio.WarningsOf(f); slices.ContainsFunc(w, func(w arrowio.Warning) bool { return w.Kind == arrowio.WarnLost }) {
				t.Errorf("order %v, merge %v: %+v", order, merge, w)
			}
		}
	}
}

// TestReplicasDamaged damages two of three servers, each container of one in turn, and the logs of the other. The third was killed
// long before. By choice, or merged, there must be no fewer right rows than any replica has, and every loss is told.
func TestReplicasDamaged(t *testing.T) {
	told := readAcknowledged(t, realReplicas+"replicas.json")
	root := t.TempDir()
	fixtures.UnpackInto(t, root, realReplicas+"replicas.tar.gz")
	dirs := serversIn(root)
	logs, err := filepath.Glob(filepath.Join(dirs[1], "wal/wals/*/wal-*"))
	if err != nil || len(logs) == 0 {
		t.Fatal("no logs", err)
	}
	for _, name := range logs {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	containers := []string{}
	err = filepath.WalkDir(filepath.Join(dirs[0], "data"), func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, dataSuffix) {
			containers = append(containers, path)
		}
		return err
	})
	if err != nil || len(containers) == 0 {
		t.Fatal("no containers", err)
	}
	better := 0
	for _, name := range containers {
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		best := 0
		for _, d := range dirs {
			f, err := openServersOf(t, dirs, Options{Replica: d, Salvage: true})
			if err != nil {
				t.Fatal(err)
			}
			n, _ := told.exact(lenientRows(t, f, true))
			best = max(best, n)
		}
		f, err := openServersOf(t, dirs, Options{Merge: true})
		if err != nil {
			t.Fatal(err)
		}
		n, wrong := told.exact(lenientRows(t, f, false))
		if n < best {
			t.Errorf("%s: merged %d right rows, one replica has %d", filepath.Base(name), n, best)
		}
		if n > best {
			better++
		}
		lost := slices.ContainsFunc(arrowio.WarningsOf(f), func(w arrowio.Warning) bool { return w.Kind == arrowio.WarnLost })
		if len(wrong) > 0 && !lost {
			t.Errorf("%s: %d wrong rows, such as %s, and no loss is reported", filepath.Base(name), len(wrong), wrong[0])
		}
		if err := os.WriteFile(name, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if better == 0 {
		t.Error("merging has never found more than one replica has")
	}
}

// lenientRows is readRows, without rows that a salvage shows as null.
func lenientRows(t testing.TB, f arrowio.File, salvaged bool) map[string]string {
	t.Helper()
	rows := readRows(t, f, salvaged)
	for k, r := range rows {
		if strings.HasPrefix(r, " ") || strings.HasPrefix(r, "<nil>") {
			delete(rows, k)
		}
	}
	return rows
}

// TestUncommitted has logs of three voters: what no COMMIT tells of is applied where the newest log of a majority has it.
func TestUncommitted(t *testing.T) {
	log := func(term, index int64) *replica {
		return &replica{log: logSurvey{last: kuduwire.OpID{Term: term, Index: index}}}
	}
	old, same, newest := log(1, 9), log(2, 8), log(2, 9)
	for _, c := range []struct {
		r      *replica
		quorum bool
		asked  string
		want   string
	}{
		{newest, true, "", "apply"},
		{same, true, "", "apply"},
		{old, true, "", "skip"},
		{old, true, "apply", "apply"},
		{newest, true, "skip", "skip"},
		{newest, false, "", ""},
	} {
		x := &replicas{all: []*replica{old, same, newest}, quorum: c.quorum}
		if got := x.uncommitted(c.r, c.asked); got != c.want {
			t.Errorf("%v, quorum %v, asked %q: %q, not %q", c.r.log.last, c.quorum, c.asked, got, c.want)
		}
	}
}

// TestMergeDecides has the versions of one key, as replicas in the order of their ranks have them.
func TestMergeDecides(t *testing.T) {
	for _, c := range []struct {
		what                         string
		versions                     []version
		shown                        int // rank; -1 = none
		conflicts, deleted, replaced int64
	}{
		{"the newest", []version{{rank: 0, time: 5, live: true}, {rank: 1, time: 7, live: true}}, 1, 1, 0, 0},
		{"the same", []version{{rank: 1, time: 7, live: true}, {rank: 0, time: 7, live: true}}, 0, 0, 0, 0},
		{"deleted later", []version{{rank: 0, time: 5, live: true}, {rank: 1, time: 7}}, -1, 1, 1, 0},
		{"inserted again", []version{{rank: 0, time: 5}, {rank: 1, time: 7, live: true}}, 1, 1, 0, 0},
		{"only one has it", []version{{rank: 1, time: 7, live: true}}, 1, 0, 0, 0},
		{"the best does not know when", []version{{rank: 0, live: true}, {rank: 1, time: 7, live: true}}, 0, 1, 0, 0},
		{"another does not know when", []version{{rank: 0, time: 5, live: true}, {rank: 1, live: true}}, 0, 1, 0, 0},
		{"the newest is damaged", []version{{rank: 0, time: 7, live: true, bad: true}, {rank: 1, time: 5, live: true}}, 1, 1, 0, 1},
		{"one copy is damaged", []version{{rank: 0, time: 7, live: true, bad: true}, {rank: 1, time: 7, live: true}}, 1, 0, 0, 0},
		{"all are damaged", []version{{rank: 0, time: 7, live: true, bad: true}, {rank: 1, time: 5, live: true, bad: true}}, 0, 1, 0, 0},
	} {
		m := &merger{taken: make([]int64, 2), alone: make([]int64, 2)}
		shown := map[int]*rowset{}
		for _, v := range c.versions {
			shown[v.rank] = &rowset{rows: 1}
			v.src = &mergeSource{rs: shown[v.rank]}
			m.add(v)
		}
		m.decide()
		got := -1
		for rank, rs := range shown {
			for _, v := range c.versions {
				if v.rank == rank && v.live && rs.hidden == nil {
					got = rank
				}
			}
		}
		if got != c.shown || m.conflicts != c.conflicts || m.deleted != c.deleted || m.replaced != c.replaced {
			t.Errorf("%s: shown %d, %d conflicts, %d deleted, %d replaced", c.what, got, m.conflicts, m.deleted, m.replaced)
		}
	}
}
