package kudu

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// refuses checks that an import ends with an error that says some words, and that nothing has changed.
func (s *server) refuses(o ImportOptions, kind error, words ...string) {
	s.t.Helper()
	before := contents(s.t, s.root)
	r, err := Import(context.Background(), o)
	if err == nil || r != nil && r.Done {
		s.t.Errorf("not refused: %s", words)
		return
	}
	if !errors.Is(err, kind) {
		s.t.Errorf("%v is not %v", err, kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			s.t.Errorf("%q does not say %q", err, w)
		}
	}
	for name, b := range contents(s.t, s.root) {
		if before[name] != b {
			s.t.Errorf("%s: %s has changed", words, name)
		}
	}
}

// edit changes a file of the server until the test ends.
func (s *server) edit(path string, change func(b []byte) []byte) (restore func()) {
	s.t.Helper()
	old, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(bytes.Clone(old)), 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return func() {
		if err := os.WriteFile(path, old, 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
}

// append changes a container's only message: fields put behind it count last.
func appendFields(t testing.TB, fields []byte) func(b []byte) []byte {
	return func(b []byte) []byte {
		t.Helper()
		c, err := kuduwire.OpenContainer(b)
		if err != nil {
			t.Fatal(err)
		}
		head := bytes.Clone(b[:c.Good])
		m, ok := c.Next()
		if !ok {
			t.Fatal(c.Err)
		}
		return kuduwire.AppendRecord(head, c.Version, append(bytes.Clone(m), fields...))
	}
}

func number(field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, field, protowire.VarintType), v)
}

func text(field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, field, protowire.BytesType), s)
}

// TestRefusesTargets: tablets and directories that nobody may change.
func TestRefusesTargets(t *testing.T) {
	t.Parallel()
	for _, manager := range managers {
		t.Run(manager, func(t *testing.T) {
			s := newServer(t, manager)
			b := s.tablet("changed")
			good := s.options(setFor(t, b, span(5000, 20, 1)), b.TabletID)
			super := s.path("wal", "tablet-meta", b.TabletID)
			cmeta := s.path("wal", "consensus-meta", b.TabletID)

			o := good
			o.Wal = ""
			s.refuses(o, errs.ErrOption, "--wal-dir")
			o = good
			o.Wal = filepath.Join(t.TempDir(), "nowhere")
			s.refuses(o, fs.ErrNotExist)
			o = good
			o.Wal = t.TempDir()
			s.refuses(o, errs.ErrOption, "not the directory of a server")
			o = good
			o.Wal = s.path("data") // an instance file, and no logs
			s.refuses(o, errs.ErrOption, "no write-ahead logs")
			o = good
			o.Data = []string{s.path("nowhere")}
			s.refuses(o, fs.ErrNotExist)
			o = good
			o.Metadata = s.path("data")
			s.refuses(o, errs.ErrOption, "tablet-meta")
			o = good
			o.Tablet = ""
			s.refuses(o, errs.ErrOption, "--tablet")
			o.Tablet = "../" + b.TabletID
			s.refuses(o, errs.ErrOption, "32 hex digits")
			o.Tablet = strings.Repeat("a", 32)
			s.refuses(o, errs.ErrOption, "no tablet aaaa", s.tablet("tombstoned").TabletID+" of tombstoned")
			o.Tablet = masterTablet
			s.refuses(o, errs.ErrUnsupported, "catalog of a master")
			o.Tablet = s.tablet("tombstoned").TabletID
			s.refuses(o, errs.ErrUnsupported, "tombstoned")

			for _, c := range []struct {
				path   string
				change func(b []byte) []byte
				kind   error
				says   string
			}{
				{super, appendFields(t, number(10, 0)), errs.ErrUnsupported, "copying"},
				{super, appendFields(t, number(19, 1)), errs.ErrUnsupported, "states of transactions"},
				{super, appendFields(t, text(20, "")), errs.ErrUnsupported, "transactions over several rows"},
				{super, appendFields(t, text(15, string(text(1, "another")))), errs.ErrSchema, "another"},
				{super, appendFields(t, text(14, string(text(1, "")))), errs.ErrCorrupt, "partition schema"},
				{super, func(b []byte) []byte { return b[:len(b)-1] }, errs.ErrCorrupt, "container"},
				{s.path("data", "data", lockName), func([]byte) []byte { return []byte("no container") }, errs.ErrCorrupt, lockName},
				{s.path("data", "data", lockName), func(b []byte) []byte {
					return bytes.Replace(b, []byte("kuducntr"), []byte("kuduencr"), 1)
				}, errs.ErrUnsupported, "encrypted"},
				{s.path("wal", "instance"), appendFields(t, text(3, "a key")), errs.ErrUnsupported, "encrypted"},
				{s.path("wal", "instance"), appendFields(t, text(1, "of another server")), errs.ErrOption, "different servers"},
				{cmeta, func(b []byte) []byte { return b[:40] }, errs.ErrCorrupt, "consensus"},
			} {
				restore := s.edit(c.path, c.change)
				s.refuses(good, c.kind, c.says)
				forced := good
				forced.Force = true
				s.refuses(forced, c.kind, c.says)
				restore()
			}
			for _, path := range []string{cmeta, s.path("wal", "instance"), s.path("data", "data", lockName), s.path("wal", "wals", b.TabletID, "wal-000000001")} {
				away := filepath.Join(t.TempDir(), "away")
				if err := os.Rename(path, away); err != nil {
					t.Fatal(err)
				}
				forced := good
				forced.Force = true
				s.refuses(forced, errs.ErrSchema)
				if err := os.Rename(away, path); err != nil {
					t.Fatal(err)
				}
			}
			// A log that is damaged: Kudu would not open the tablet.
			restore := s.edit(s.path("wal", "wals", b.TabletID, "wal-000000001"), func(b []byte) []byte {
				b[len(b)/2] ^= 1
				return b
			})
			s.refuses(good, errs.ErrCorrupt)
			restore()
			s.imports(setFor(t, b, span(5000, 20, 1)), b.TabletID)
		})
	}
}

// TestDoubts: what Force overrules, and nothing else does.
func TestDoubts(t *testing.T) {
	t.Parallel()
	s := newServer(t, "log")
	b := s.tablet("changed")
	path := s.path("wal", "consensus-meta", b.TabletID)
	peer := func(uuid string) []byte { return text(3, string(append(text(1, uuid), number(2, 1)...))) }
	restore := s.edit(path, appendFields(t, text(1, string(append(peer(s.dirs().UUID), peer("another")...)))))
	set := setFor(t, b, span(5000, 20, 1))
	o := s.options(set, b.TabletID)
	s.refuses(o, errs.ErrSchema, "replicas", "another", "--force")
	o.DryRun = true
	r, err := Import(t.Context(), o)
	if err == nil || r == nil || r.Done || len(r.Doubts) != 1 || len(r.RowSets) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	o.Force = true
	if r, err = Import(t.Context(), o); err != nil || len(r.Doubts) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	o.DryRun = false
	if r, err = Import(t.Context(), o); err != nil || !r.Done || len(r.Doubts) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	restore()

	// One of its data directories is not here, but the tablet has nothing there.
	for _, name := range []string{"log", "file"} {
		s = newServer(t, name)
		b = s.tablet("changed")
		dirSet := append(text(1, s.dirs().Data[0].UUID), append(text(2, s.dirs().Data[0].UUID), text(2, "lost disk")...)...)
		s.edit(s.path("data", "data", lockName), appendFields(t, text(1, string(dirSet))))
		o = s.options(setFor(t, b, span(5000, 20, 1)), b.TabletID)
		s.refuses(o, errs.ErrSchema, "lost disk")
		o.Force = true
		if name == "file" {
			s.refuses(o, errs.ErrSchema, "starts only with all of them")
			continue
		}
		if r, err := Import(t.Context(), o); err != nil || !r.Done {
			t.Errorf("%+v, %v", r, err)
		}
	}

	// Another tablet's superblock is damaged: its blocks are not known.
	s = newServer(t, "log")
	b = s.tablet("changed")
	s.edit(s.path("wal", "tablet-meta", s.tablet("merged").TabletID), func(b []byte) []byte { return b[:100] })
	o = s.options(setFor(t, b, span(5000, 20, 1)), b.TabletID)
	s.refuses(o, errs.ErrSchema, "superblock of tablet", "--force")

	// Records of a container are damaged.
	s = newServer(t, "log")
	b = s.tablet("changed")
	used := map[string]bool{}
	im := newImporter(t, s)
	for _, u := range b.Blocks() {
		where, _, err := im.blocks.At(u.Block)
		if err != nil {
			t.Fatal(err)
		}
		used[strings.TrimSuffix(where, dataSuffix)] = true
	}
	damaged := false
	entries, _ := filepath.Glob(s.path("data", "data", "*"+metadataSuffix))
	for _, e := range entries {
		if !used[strings.TrimSuffix(e, metadataSuffix)] && !damaged {
			damaged = true
			s.edit(e, func(b []byte) []byte {
				b[len(b)-6] ^= 1
				return b
			})
		}
	}
	if !damaged {
		t.Fatal("all containers have blocks of the tablet")
	}
	o = s.options(setFor(t, b, span(5000, 20, 1)), b.TabletID)
	s.refuses(o, errs.ErrSchema, "some records of 1 container cannot be read", "--force")
}

// TestRefusesSchemas: columns that do not fit.
func TestRefusesSchemas(t *testing.T) {
	t.Parallel()
	s := newServer(t, "file")
	for _, c := range []struct {
		table  string
		change func(c []kuduwire.Column) []kuduwire.Column
		says   []string
	}{
		{"changed", func(c []kuduwire.Column) []kuduwire.Column { c[1].Name = "other"; return c }, []string{"no column other"}},
		{"changed", func(c []kuduwire.Column) []kuduwire.Column { c[1].Type = cfilewire.Int32; return c }, []string{"column number: int32 in the set, int64 in the table"}},
		{"changed", func(c []kuduwire.Column) []kuduwire.Column { c[2].Nullable = true; return c }, []string{"column word: nullable in the set"}},
		{"changed", func(c []kuduwire.Column) []kuduwire.Column { return c[:2] }, []string{"lacks column word", "lacks column flag"}},
		{"changed", func(c []kuduwire.Column) []kuduwire.Column { c[4].Scale++; return c }, []string{"column amount: decimal(20, 5) in the set, decimal(20, 4)"}},
		{"changed", func(c []kuduwire.Column) []kuduwire.Column { c[4].Precision--; return c }, []string{"column amount: decimal(19, 4)"}},
		{"changed", func(c []kuduwire.Column) []kuduwire.Column {
			c[2].Key, c[2].Nullable = true, false
			c[1], c[2] = c[2], c[1]
			return c
		}, []string{"sorted by (id, word), the table's key is (id)", "--kudu-key id"}},
		{"types", func(c []kuduwire.Column) []kuduwire.Column {
			return longer(c, 1)
		}, []string{"column varchar: varchar("}},
		{"types", func(c []kuduwire.Column) []kuduwire.Column {
			return longer(c, -1000)
		}, []string{"column varchar: varchar(0) in the set"}},
		{"types", func(c []kuduwire.Column) []kuduwire.Column {
			for i := range c {
				if c[i].Type == cfilewire.Varchar {
					c[i].Type, c[i].Length = cfilewire.String, 0
				}
			}
			return c
		}, []string{"column varchar: string in the set, varchar in the table"}},
	} {
		b := s.tablet(c.table)
		set := newSet(t, c.table, c.change(columnsOf(b.Schema))...)
		set.add(someRows(set.columns, span(5000, 9, 1)...))
		o := s.options(set, b.TabletID)
		o.Force = true
		s.refuses(o, errs.ErrSchema, append(c.says, "does not fit table "+c.table)...)
	}
	// A shorter varchar fits.
	b := s.tablet("types")
	set := newSet(t, "types", longer(columnsOf(b.Schema), -1)...)
	set.add(someRows(set.columns, span(5000, 9, 1)...))
	s.imports(set, b.TabletID)
}

func longer(c []kuduwire.Column, by int32) []kuduwire.Column {
	for i := range c {
		if c[i].Type == cfilewire.Varchar {
			c[i].Length = max(0, c[i].Length+by)
		}
	}
	return c
}

// TestRefusesSets: sets that are not what they say.
func TestRefusesSets(t *testing.T) {
	t.Parallel()
	s := newServer(t, "log")
	b := s.tablet("changed")
	refuses := func(kind error, says string, change func(set *madeSet)) {
		t.Helper()
		set := setFor(t, b, span(5000, 200, 1))
		change(set)
		o := s.options(set, b.TabletID)
		o.Force = true
		s.refuses(o, kind, says)
	}
	describe := func(change func(x *kuduwire.Set)) func(set *madeSet) {
		return func(set *madeSet) {
			change(&set.set)
			set.describe()
		}
	}
	o := s.options(setFor(t, b, span(5000, 20, 1)), b.TabletID)
	o.Set = ""
	s.refuses(o, errs.ErrOption, "which set")
	o.Set = t.TempDir()
	s.refuses(o, fs.ErrNotExist)
	refuses(errs.ErrCorrupt, "schema.json", func(set *madeSet) { set.write(kuduwire.SetFileName, []byte("{")) })
	refuses(errs.ErrUnsupported, "schema.json", func(set *madeSet) { set.write(kuduwire.SetFileName, []byte("{}")) })
	refuses(errs.ErrSchema, "no rows", describe(func(x *kuduwire.Set) { x.RowSets = nil }))
	refuses(errs.ErrSchema, "has no key", describe(func(x *kuduwire.Set) {
		x.Schema.Columns[0].Key = false
		for i := range x.RowSets {
			x.RowSets[i].Bloom = nil
		}
	}))
	refuses(errs.ErrCorrupt, "it has 100 rows, the rowset 101", describe(func(x *kuduwire.Set) { x.RowSets[1].Rows++ }))
	refuses(errs.ErrCorrupt, "bytes, it has", describe(func(x *kuduwire.Set) { x.RowSets[1].Columns[2].Bytes++ }))
	refuses(fs.ErrNotExist, "nowhere", describe(func(x *kuduwire.Set) { x.RowSets[1].Columns[2].Name = "nowhere" }))
	refuses(errs.ErrCorrupt, "min_key", describe(func(x *kuduwire.Set) { x.RowSets[0].MinKey[0]++ }))
	refuses(errs.ErrCorrupt, "max_key", describe(func(x *kuduwire.Set) { x.RowSets[0].MaxKey[0]++ }))
	refuses(errs.ErrCorrupt, "it is of type", describe(func(x *kuduwire.Set) {
		c := x.RowSets[0].Columns
		c[1], c[2] = c[2], c[1]
	}))
	refuses(errs.ErrCorrupt, "not one of a column", describe(func(x *kuduwire.Set) {
		r := &x.RowSets[0]
		*r.Bloom, r.Columns[1] = r.Columns[1], *r.Bloom
	}))
	refuses(errs.ErrCorrupt, "lacks 100 keys of 100", func(set *madeSet) {
		// the filters of another rowset
		set.set.RowSets[0].Bloom, set.set.RowSets[1].Bloom = set.set.RowSets[1].Bloom, set.set.RowSets[0].Bloom
		set.describe()
	})
	refuses(errs.ErrCorrupt, "no min_key", func(set *madeSet) {
		cells := [][]byte{}
		for _, row := range set.rows[:100] {
			cells = append(cells, row[0])
		}
		settings := cfilewire.ColumnSettings(cfilewire.Int32, cfilewire.EncodingAuto, 0, false, true)
		settings.Bounds = false
		set.set.RowSets[0].Columns[0] = set.file("rowset-00000/id.cfile", columnFile(t, settings, cells))
		set.describe()
	})
	refuses(errs.ErrCorrupt, "no index of keys", func(set *madeSet) {
		cells := [][]byte{}
		for _, row := range set.rows[:100] {
			cells = append(cells, row[0])
		}
		set.set.RowSets[0].Columns[0] = set.file("rowset-00000/id.cfile", columnFile(t, cfilewire.ColumnSettings(cfilewire.Int32, cfilewire.EncodingAuto, 0, false, false), cells))
		set.describe()
	})
	refuses(errs.ErrCorrupt, "may hold nulls", func(set *madeSet) {
		cells := [][]byte{}
		for _, row := range set.rows[:100] {
			cells = append(cells, row[2])
		}
		set.set.RowSets[0].Columns[2] = set.file("rowset-00000/word.cfile", columnFile(t, cfilewire.ColumnSettings(cfilewire.String, cfilewire.EncodingAuto, 0, true, false), cells))
		set.describe()
	})
	refuses(errs.ErrCorrupt, "is not above the one before", func(set *madeSet) { // not sorted
		set.addSorted(someRows(set.columns, 9000, 9002, 9001, 9003))
	})
	refuses(errs.ErrCorrupt, "key", func(set *madeSet) { // a key twice
		set.addSorted(someRows(set.columns, 9000, 9001, 9001, 9003))
	})
	refuses(errs.ErrCorrupt, "5150", func(set *madeSet) { set.add(someRows(set.columns, 4000, 5150)) }) // a key in two rowsets
	// A bit anywhere in any file.
	for _, name := range []string{"id", "number", "word", "flag", "amount", "bloom"} {
		set := setFor(t, b, span(5000, 200, 1))
		path := filepath.Join(set.dir, "rowset-00001", name+".cfile")
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for at := 1; at < len(whole); at += 1 + len(whole)*sampled/46 {
			bad := bytes.Clone(whole)
			bad[at] ^= 4
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if r, err := Import(t.Context(), s.options(set, b.TabletID)); err == nil || r != nil {
				t.Errorf("%s: a bit at %d is not noticed", name, at)
			}
		}
	}
	// What is empty is left out.
	set := setFor(t, b, span(5000, 20, 1))
	before := s.rows("changed")
	set.add(nil)
	set.add(someRows(set.columns, 6000))
	if r := s.imports(set, b.TabletID); len(r.RowSets) != 3 || !strings.Contains(r.Notes[0], "rowset 2 of the set has no rows") {
		t.Errorf("%+v", r)
	}
	s.hasRows("changed", before, set)
}

// TestChangedMeanwhile: what was checked is what is copied.
func TestChangedMeanwhile(t *testing.T) {
	for _, manager := range managers {
		s := newServer(t, manager)
		b := s.tablet("changed")
		set := setFor(t, b, span(5000, 200, 1))
		path := filepath.Join(set.dir, "rowset-00001", "word.cfile")
		o := s.options(set, b.TabletID)
		done := false
		o.ops.hook = func(string, string) error {
			if done {
				return nil
			}
			done = true
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			whole[len(whole)/2] ^= 1
			return os.WriteFile(path, whole, 0o600)
		}
		s.refuses(o, errs.ErrCorrupt, "changed since it was checked", "word.cfile")
	}
}

// TestSuperBlockChangedMeanwhile: a tool that takes no locks has edited it.
func TestSuperBlockChangedMeanwhile(t *testing.T) {
	s := newServer(t, "log")
	b := s.tablet("changed")
	set := setFor(t, b, span(5000, 20, 1))
	path := s.path("wal", "tablet-meta", b.TabletID)
	o := s.options(set, b.TabletID)
	done := false
	o.ops.hook = func(string, string) error {
		if !done {
			done = true
			s.edit(path, appendFields(t, text(7, "renamed")))
		}
		return nil
	}
	if r, err := Import(t.Context(), o); err == nil || r.Done || !strings.Contains(err.Error(), "has changed since it was read") {
		t.Errorf("%+v, %v", r, err)
	}
	if err := s.startable(); err != nil {
		t.Error(err)
	}
}

// TestDiskFull: there is not enough room, or none is left on the way.
func TestDiskFull(t *testing.T) {
	for _, manager := range managers {
		s := newServer(t, manager)
		b := s.tablet("changed")
		set := setFor(t, b, span(5000, 200, 1))
		o := s.options(set, b.TabletID)
		o.ops.disk = func(string) (int64, uint64, error) { return 5000, 1, nil }
		s.refuses(o, syscall.ENOSPC, "free for Kudu")
		o.ops.disk = nil
		o.ops.hook = func(op, _ string) error {
			if op == "write" {
				return syscall.ENOSPC
			}
			return nil
		}
		s.refuses(o, syscall.ENOSPC)
	}
}

// TestCancelled: an import that is called off leaves nothing.
func TestCancelled(t *testing.T) {
	for _, manager := range managers {
		s := newServer(t, manager)
		b := s.tablet("changed")
		set := setFor(t, b, span(5000, 2000, 1))
		for n := 0; n < 60; n += 7 {
			before := contents(t, s.root)
			ctx, cancel := context.WithCancel(t.Context())
			k := 0
			o := s.options(set, b.TabletID)
			o.Progress = func(int64, int64) {
				if k++; k > n {
					cancel()
				}
			}
			r, err := Import(ctx, o)
			cancel()
			if err == nil {
				if k > n {
					t.Errorf("not cancelled after %d of %d", n, k)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || r != nil && r.Done {
				t.Errorf("%v, %+v", err, r)
			}
			for name, x := range contents(t, s.root) {
				if before[name] != x {
					t.Errorf("cancelled after %d: %s", n, name)
				}
			}
		}
	}
}
