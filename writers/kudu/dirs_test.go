package kudu

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	reader "github.com/arrowio/arrowio/internal/kudu"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// addDir gives a server a second data directory, with nothing in it, and all its tablets too.
func (s *server) addDir(name string) {
	s.t.Helper()
	first := s.dirs().Data[0].UUID
	second := strings.Repeat("5", 32)
	both := append(text(2, first), text(2, second)...)
	typ := s.dirs().Data[0].Type
	if err := os.MkdirAll(s.path(name, "data"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	for _, file := range []string{"instance", filepath.Join("data", lockName)} {
		b, err := os.ReadFile(s.path("data", file))
		if err == nil {
			err = os.WriteFile(s.path(name, file), b, 0o600)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	for _, x := range []struct{ root, uuid string }{{"data", first}, {name, second}} {
		dirSet := text(1, string(append(text(1, x.uuid), both...)))
		s.edit(s.path(x.root, "data", lockName), func(b []byte) []byte {
			c, err := kuduwire.OpenContainer(b)
			if err != nil {
				s.t.Fatal(err)
			}
			m := append(dirSet, append(text(2, typ), number(3, 4096)...)...)
			return kuduwire.AppendRecord(b[:c.Good:c.Good], c.Version, m)
		})
	}
	ids, err := s.dirs().Tablets()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, id := range ids {
		s.edit(s.path("wal", "tablet-meta", id), appendFields(s.t, text(15, string(text(1, second)))))
	}
}

// TestTwoDirectories: blocks go where most is free, and are found where Kudu looks for them.
func TestTwoDirectories(t *testing.T) {
	for _, manager := range managers {
		t.Run(manager, func(t *testing.T) {
			s := newServer(t, manager)
			s.addDir("more")
			b := s.tablet("changed")
			set := setFor(t, b, span(5000, 3000, 1))
			o := s.options(set, b.TabletID)
			s.refuses(o, errs.ErrSchema, "are not among --data-dir", strings.Repeat("5", 32))
			o.Data = []string{s.path("data"), s.path("more")}
			for _, c := range []struct {
				free    [2]int64 // of the two
				disks   [2]uint64
				in      [2]bool // what has got blocks
				refused bool
			}{
				{[2]int64{1 << 40, 1 << 20}, [2]uint64{1, 2}, [2]bool{true, false}, false},
				{[2]int64{1 << 20, 1 << 40}, [2]uint64{1, 2}, [2]bool{false, true}, false},
				{[2]int64{1 << 40, 1 << 40}, [2]uint64{1, 1}, [2]bool{true, true}, false},
				{[2]int64{1 << 17, 1 << 17}, [2]uint64{1, 2}, [2]bool{true, true}, false},
				{[2]int64{1 << 12, 1 << 12}, [2]uint64{1, 2}, [2]bool{}, true},
			} {
				o.DryRun = true
				o.ops.disk = func(dir string) (int64, uint64, error) {
					i := 0
					if strings.HasPrefix(dir, s.path("more")) {
						i = 1
					}
					return c.free[i], c.disks[i], nil
				}
				r, err := Import(t.Context(), o)
				if (err != nil) != c.refused {
					t.Errorf("%v: %v", c.free, err)
				}
				if err != nil {
					continue
				}
				in := [2]bool{}
				for _, rs := range r.RowSets {
					for _, x := range rs.Blocks {
						i := 0
						if strings.HasPrefix(x.Path, s.path("more")) {
							i = 1
						}
						in[i] = true
						if high := x.id >> 48; manager == "file" && high != uint64(i) {
							t.Errorf("block %s in directory %d", x.ID, i)
						}
					}
				}
				if in != c.in {
					t.Errorf("%v, %v: blocks in %v", c.free, c.disks, in)
				}
			}
			o.DryRun = false
			o.ops.disk = func(string) (int64, uint64, error) { return 1 << 40, 1, nil }
			r, err := Import(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			d, err := reader.OpenDirs(reader.DirOptions{Wal: o.Wal, Data: o.Data})
			if err != nil {
				t.Fatal(err)
			}
			blocks, err := reader.OpenBlocks(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			defer blocks.Close()
			for _, rs := range r.RowSets {
				for _, x := range rs.Blocks {
					path, at, err := blocks.At(x.id)
					if err != nil || path != x.Path || at.Off != x.Offset || at.Len != x.Bytes || blocks.Check(x.id) != nil {
						t.Errorf("%+v: %s, %+v, %v", x, path, at, err)
					}
				}
			}
		})
	}
}

// TestNewIDs: ids that nobody has used, whatever is in use.
func TestNewIDs(t *testing.T) {
	for _, c := range []struct {
		file bool
		last uint64
		used []uint64
		want []uint64
	}{
		{false, 0, nil, []uint64{1, 2, 3}},
		{false, 77, nil, []uint64{78, 79, 80}},
		{true, 5, []uint64{5, 7, 8}, []uint64{3<<48 | 6, 3<<48 | 9, 3<<48 | 10}},
		{true, lowID - 1, []uint64{lowID - 1, 1}, []uint64{3<<48 | lowID, 3<<48 | 2, 3<<48 | 3}},
	} {
		n := &newIDs{file: c.file, last: c.last, used: map[uint64]bool{}}
		for _, id := range c.used {
			n.used[id] = true
		}
		var got []uint64
		for range 3 {
			id, err := n.next(3)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, id)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %s", c, fmt.Sprint(got))
		}
	}
	n := &newIDs{last: 1 << 62}
	if _, err := n.next(0); err == nil {
		t.Error("no end to ids")
	}
}

// TestOrphans: ids that a superblock is about to delete are not used again, nor those of blocks that were deleted.
func TestOrphans(t *testing.T) {
	for _, manager := range managers {
		s := newServer(t, manager)
		b := s.tablet("changed")
		set := setFor(t, b, span(5000, 20, 1))
		o := s.options(set, b.TabletID)
		o.DryRun = true
		first, err := Import(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		taken := map[string]bool{}
		other := s.path("wal", "tablet-meta", s.tablet("tombstoned").TabletID)
		for _, rs := range first.RowSets {
			for _, x := range rs.Blocks {
				taken[x.ID] = true
				id := []byte{9, byte(x.id), byte(x.id >> 8), byte(x.id >> 16), byte(x.id >> 24), byte(x.id >> 32), byte(x.id >> 40), byte(x.id >> 48), byte(x.id >> 56)}
				s.edit(other, appendFields(t, text(11, string(id))))
			}
		}
		second, err := Import(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, rs := range second.RowSets {
			for _, x := range rs.Blocks {
				if taken[x.ID] {
					t.Errorf("%s: block %s is about to be deleted", manager, x.ID)
				}
			}
		}
	}
}
