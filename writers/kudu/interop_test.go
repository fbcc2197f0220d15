//go:build interop

package kudu_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// prepared is a table that is to be imported: the set, and what the table must hold then.
type prepared struct {
	*table
	set   string
	model *model
}

func prepare(t *testing.T, x *table) *prepared {
	t.Helper()
	source, m := x.source(t)
	return &prepared{table: x, set: x.set(t, source), model: m}
}

// TestRealServers puts sets into tablets of a real tablet server, of each block manager, and has Kudu do everything with the
// rows that it does with its own: scan them, find them by key, say that they are there already, change and delete them,
// compact them. A million rows with a key of one column, a million with one of three, and tables of all types, of all types
// in keys, of keys that fill blocks, and of four tablets.
func TestRealServers(t *testing.T) {
	var all []*prepared
	for _, x := range append(bigTables(1_000_000), typed(20_000), keyed(20_000), deep(2000), wider(10_000), small("ghosts", 10_000)) {
		all = append(all, prepare(t, x))
	}
	parted := hashed(40_000)
	source, m := parted.source(t)
	whole := parted.set(t, source)
	for _, manager := range []string{"file", "log"} {
		t.Run(manager, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, manager, filepath.Join(t.TempDir(), "server"))
			s.more = true
			s.start(t)
			tablets := map[string][]string{}
			for _, p := range all {
				tablets[p.name] = s.create(t, p.table)
			}
			tablets[parted.name] = s.create(t, parted)
			models := map[string]*model{}
			for _, p := range all {
				models[p.name] = p.model.clone()
			}
			single, ghosts := all[0], all[len(all)-1]
			// Rows that are there before: behind those of the set, on disk, in memory and in the log.
			s.client.insert(t, models[single.name], evens(single.rows, 200))
			// Rows that were there, and of which Kudu keeps what they were.
			gone := ghosts.lines(ghosts.spread(50, 0, false), 3)
			s.client.apply(t, newModel(ghosts.table), nil, gone, "insert")
			s.client.do(t, "flush")
			s.client.apply(t, newModel(ghosts.table), gone, nil, "delete")
			s.client.do(t, "flush")
			s.client.do(t, "hold")
			s.client.insert(t, models[single.name], evens(single.rows+200, 100))
			places := s.client.place(t, parted)
			s.refuses(t, "must be stopped first", single.set, tablets[single.name][0])
			s.stop(t)

			s.refuses(t, "column", all[2].set, tablets[single.name][0])
			s.refuses(t, "belong to", whole, tablets[parted.name][0])
			before := tree(t, s.dir)
			command(t, s.importing(single.set, tablets[single.name][0], "--dry-run")...)
			if after := tree(t, s.dir); after != before {
				t.Errorf("a dry run has changed\n%s\ninto\n%s", before, after)
			}
			s.refuses(t, "--force", ghosts.set, tablets[ghosts.name][0])
			for _, p := range all {
				var flags []string
				if p == ghosts {
					flags = append(flags, "--force")
				}
				command(t, s.importing(p.set, tablets[p.name][0], flags...)...)
			}
			s.refuses(t, "keys of the set", single.set, tablets[single.name][0])
			s.refuses(t, "log", single.part(t, evens(single.rows+290, 20)), tablets[single.name][0])
			divided := s.split(t, parted.name, whole)
			for _, tablet := range tablets[parted.name] {
				set := filepath.Join(divided, tablet+".kudu")
				if got := strings.Count(command(t, "cat", "--columns", parted.keys()[0], "--format", "jsonl", set), "\n"); got != len(places[tablet]) {
					t.Errorf("tablet %s gets %d rows, Kudu's client says %d", tablet, got, len(places[tablet]))
				}
				command(t, s.importing(set, tablet)...)
			}
			models[parted.name] = m.clone()
			s.check(t, false)
			s.dumped(t, all[3], tablets[all[3].name][0])
			imported := s.rowsets(t, tablets[single.name][0])

			s.start(t)
			tables := append(all[:len(all):len(all)], &prepared{table: parted})
			for _, p := range tables {
				t.Run(p.name, func(t *testing.T) { s.client.change(t, models[p.name]) })
			}
			s.client.do(t, "flush")
			s.client.do(t, "compact")
			for _, p := range tables {
				m := models[p.name]
				s.client.scan(t, m)
				s.client.counts(t, m)
			}
			s.stop(t)
			s.check(t, false)
			// The rows that were inserted lie between all others, so compaction had to take rowsets that were imported.
			left := s.rowsets(t, tablets[single.name][0])
			if slices.ContainsFunc(imported, func(id int64) bool { return slices.Contains(left, id) }) {
				t.Errorf("rowsets %v were there before the compaction, %v are now", imported, left)
			}
			for _, p := range tables {
				s.read(t, models[p.name])
			}
		})
	}
}

// create makes a table, and returns its tablets.
func (s *server) create(t *testing.T, x *table) []string {
	t.Helper()
	words := []string{"create", x.name, x.parts}
	for i := range x.columns {
		words = append(words, x.columns[i].words)
	}
	s.client.do(t, append(words, x.more...)...)
	return s.client.do(t, "tablets", x.name)
}

// dumped has Kudu's tool read the rowsets of a tablet of a server that has ended.
func (s *server) dumped(t *testing.T, p *prepared, tablet string) {
	t.Helper()
	out := s.tool(t, "local_replica", "dump", "rowset", tablet)
	if n := strings.Count(out, "RowIdxInBlock: "); n != p.rows {
		t.Errorf("table %s: Kudu's tool sees %d rows, not %d: %.1000s", p.name, n, p.rows, out)
	}
}

// rowsets are the ids of a tablet's rowsets on disk.
func (s *server) rowsets(t *testing.T, tablet string) (ids []int64) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.metadata(), "tablet-meta", tablet))
	if err != nil {
		t.Fatal(err)
	}
	super, err := kuduwire.ParseSuperBlock(b, arrowio.Limits{}.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	for i := range super.RowSets {
		ids = append(ids, super.RowSets[i].ID)
	}
	return ids
}

// evens are the numbers of n rows that are there to begin with, from row k on; odds are those of rows beside them.
func evens(k, n int) (numbers []int) {
	for i := range n {
		numbers = append(numbers, 2*(k+i))
	}
	return numbers
}

// spread are n numbers all over the table, the i-th of several such choices; with odd set of rows that are not there.
func (x *table) spread(n, i int, odd bool) (numbers []int) {
	step := x.rows / n
	for k := range n {
		j := 2 * (k*step + i%step)
		if odd {
			j++
		}
		numbers = append(numbers, j)
	}
	return numbers
}

func (c *client) insert(t *testing.T, m *model, numbers []int) {
	t.Helper()
	c.apply(t, m, nil, m.table.lines(numbers, 0), "insert")
}

// apply does the same with many rows, of which the model has the old ones and shall have the new ones.
func (c *client) apply(t *testing.T, m *model, before, after []string, operation string) {
	t.Helper()
	rows := after
	if rows == nil {
		rows = before
	}
	var lines []string
	for _, r := range rows {
		lines = append(lines, operation+"\t"+r)
	}
	c.do(t, "apply", m.table.name, writeLines(t, lines))
	if strings.HasSuffix(operation, "!") {
		return
	}
	for _, l := range before {
		m.remove(l)
	}
	for _, l := range after {
		m.add(l)
	}
}

// find looks up rows by their keys.
func (c *client) find(t *testing.T, x *table, numbers []int, version int, there bool) {
	t.Helper()
	var lines []string
	rows := x.lines(numbers, version)
	for i, k := range x.keyLines(numbers) {
		if there {
			lines = append(lines, k+"\t"+rows[i])
		} else {
			lines = append(lines, k+"\t")
		}
	}
	c.do(t, "find", x.name, writeLines(t, lines))
}

// change does with a table what clients do. The big tables get as many operations as are asked of them, others a tenth.
func (c *client) change(t *testing.T, m *model) {
	x := m.table
	n := 1000
	if x.rows < 100_000 {
		n = 100
	}
	c.scan(t, m)
	c.find(t, x, x.spread(n, 1, false), 0, true)
	c.find(t, x, x.spread(n, 2, true), 0, false)
	// Keys that are there are found by what inserts ask, filters and indexes of keys; those that are not, are not.
	c.apply(t, m, nil, x.lines(x.spread(n, 3, false), 1), "insert!")
	c.apply(t, m, nil, x.lines(x.spread(n, 4, true), 1), "update!")
	update, remove, insert := x.spread(n, 5, false), x.spread(n/2, 6, false), x.spread(n/2, 7, true)
	c.apply(t, m, x.lines(update, 0), x.lines(update, 1), "update")
	c.apply(t, m, x.lines(remove, 0), nil, "delete")
	c.apply(t, m, nil, x.lines(insert, 2), "insert")
	c.find(t, x, update[:50], 1, true)
	c.find(t, x, remove[:50], 0, false)
	c.find(t, x, insert[:50], 2, true)
	c.scan(t, m)
}

// counts waits until the server's statistics, which are some seconds old, have the right number of rows.
func (c *client) counts(t *testing.T, m *model) {
	t.Helper()
	got := ""
	for range 60 {
		if got = c.do(t, "live", m.table.name)[0]; got == strconv.Itoa(m.rows) {
			return
		}
		time.Sleep(500 * time.Millisecond)
	}
	t.Errorf("table %s: the server counts %s rows, not %d", m.table.name, got, m.rows)
}

// place asks the client to which tablet each row of a table belongs.
func (c *client) place(t *testing.T, x *table) map[string][]int {
	t.Helper()
	out := filepath.Join(t.TempDir(), "places")
	numbers := evens(0, x.rows)
	c.do(t, "place", x.name, writeLines(t, x.lines(numbers, 0)), out)
	places := map[string][]int{}
	for i, tablet := range readLines(t, out) {
		places[tablet] = append(places[tablet], numbers[i])
	}
	return places
}

// split divides a set among the tablets of its table.
func (s *server) split(t *testing.T, table, set string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "tablets")
	args := []string{"kudu", "split", "--progress", "never", "--wal-dir", s.wal(), "--table", table, set, out}
	if s.more {
		args = append(args, "--metadata-dir", s.metadata())
	}
	command(t, args...)
	return out
}

// part makes a set of some rows.
func (x *table) part(t *testing.T, numbers []int) string {
	t.Helper()
	rec := x.record(numbers, 0)
	defer rec.Release()
	source := filepath.Join(t.TempDir(), "part.arrow")
	w := writeArrow(t, source, rec.Schema())
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	w.close(t)
	return x.set(t, source)
}

// read has arrowio read a table from the directories of a server that has ended.
func (s *server) read(t *testing.T, m *model) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "table.arrow")
	args := []string{"convert", "--progress", "never", "--from", "kudu", "--kudu-data-dir", s.data(), "--kudu-table", m.table.name}
	if s.more {
		args = append(args, "--kudu-data-dir", filepath.Join(s.dir, "data2"), "--kudu-metadata-dir", s.metadata())
	}
	command(t, append(args, s.wal(), out)...)
	got := newModel(m.table)
	arrowLines(t, out, got.add)
	var sample []string
	for l := range got.sample {
		sample = append(sample, l)
	}
	m.compare(t, fmt.Sprint(got.rows), fmt.Sprintf("%016x", got.sum), sample)
}
