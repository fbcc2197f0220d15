package kudu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Nothing is wrong with what Kudu wrote.
func TestVerifyRealServers(t *testing.T) {
	for _, manager := range managers {
		s := readOnlyServer(t, manager)
		for _, x := range realTables(t, manager) {
			if x.Table == "tombstoned" {
				continue
			}
			if faults := s.verify("kudu-table=" + x.Table); len(faults) > 0 {
				t.Errorf("%s, %s: %s", manager, x.Table, strings.Join(faults, "\n"))
			}
			f := s.must(arrowio.ForVerify, "kudu-table="+x.Table).(*File)
			if err := f.Verify(t.Context(), func(error) {}); err != nil {
				t.Error(err)
			}
			if w := told(f); len(w) != 1 || !anyHas(w, "not closed", f.tablets[0].id, "whether more operations followed") { // the fixture has no indexes
				t.Errorf("%s, %s: %q", manager, x.Table, w)
			}
		}
	}
}

// anyHas reports whether any of the lines has all the words.
func anyHas(lines []string, words ...string) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(line, w) })
	})
}

// Every byte of every block matters, and the fault says which block.
func TestVerifyFlips(t *testing.T) {
	s := newRealServer(t, "file")
	for _, name := range []string{"changed", "partitioned"} {
		f := s.table(name)
		var uses []kuduwire.BlockUse
		owner := map[uint64]*tablet{}
		for _, x := range f.tablets {
			for _, u := range x.super.Blocks() {
				uses, owner[u.Block] = append(uses, u), x
			}
		}
		for i, u := range uses {
			path, at, err := f.blocks.At(u.Block)
			if err != nil {
				t.Fatal(err)
			}
			for k := range int64(3) {
				if (i+int(k))%sampled > 0 {
					continue
				}
				off := (at.Len*k/3 + int64(i*7)) % at.Len
				s.saved([]string{path}, func() {
					s.edit(path, func(b []byte) []byte { b[off] ^= 0x11; return b })
					faults := s.verify("kudu-table=" + name)
					if !anyHas(faults, "block "+kuduwire.BlockName(u.Block), owner[u.Block].id, fmt.Sprintf("rowset %d", u.RowSet)) {
						t.Errorf("%s, %v, a flip at %d of %d: %q", name, u, off, at.Len, faults)
					}
				})
			}
			if i%sampled > 0 {
				continue
			}
			s.saved([]string{path}, func() {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
				if faults := s.verify("kudu-table=" + name); !anyHas(faults, kuduwire.BlockName(u.Block), "it is not in") {
					t.Errorf("%s, %v, without the file: %q", name, u, faults)
				}
			})
		}
	}
}

// roles returns the blocks of each role of a rowset.
func roles(rs *kuduwire.RowSet) map[string]uint64 {
	out := map[string]uint64{}
	for i, c := range rs.Columns {
		out[fmt.Sprintf("column %d", i)] = c.Block
	}
	if len(rs.Redo) > 0 {
		out["redo"] = rs.Redo[0]
	}
	if len(rs.Undo) > 0 {
		out["undo"] = rs.Undo[0]
	}
	if rs.HasBloom {
		out["bloom"] = rs.Bloom
	}
	if rs.HasAdHoc {
		out["index"] = rs.AdHoc
	}
	return out
}

// Blocks that are whole, but not what the superblock says.
func TestVerifyOtherBlocks(t *testing.T) {
	s := newRealServer(t, "file")
	f := s.table("changed")
	x := f.tablets[0]
	big, small := roles(&x.super.RowSets[0]), roles(&x.super.RowSets[1])
	for _, c := range []struct {
		put, from uint64
		words     []string
	}{
		{big["column 0"], small["column 0"], []string{"rows, another column of the rowset"}},
		{big["column 1"], small["column 1"], []string{"rows, another column of the rowset"}},
		{big["column 0"], big["undo"], []string{"it is a delta file"}},
		{big["bloom"], small["bloom"], []string{"the filter lacks", "bloom filters, block " + kuduwire.BlockName(big["bloom"])}},
		{big["bloom"], big["column 0"], []string{"bloom filters"}},
		{small["redo"], big["redo"], []string{"redo deltas, block " + kuduwire.BlockName(small["redo"])}},
		{big["redo"], big["column 1"], []string{"redo deltas"}},
	} {
		path, _, _ := f.blocks.At(c.put)
		from, _, _ := f.blocks.At(c.from)
		b := fixtures.Read(t, from)
		s.saved([]string{path}, func() {
			s.edit(path, func([]byte) []byte { return b })
			if faults := s.verify("kudu-table=changed"); !anyHas(faults, c.words...) {
				t.Errorf("%d in the place of %d: %q, want %q", c.from, c.put, faults, c.words)
			}
		})
	}
	// A key of several columns has an index, which must be that of the rows.
	p := s.table("partitioned")
	one, two := roles(&p.tablets[0].super.RowSets[0]), roles(&p.tablets[1].super.RowSets[0])
	if one["index"] == 0 {
		t.Fatal("no key index")
	}
	path, _, _ := p.blocks.At(one["index"])
	from, _, _ := p.blocks.At(two["index"])
	b := fixtures.Read(t, from)
	s.saved([]string{path}, func() {
		s.edit(path, func([]byte) []byte { return b })
		if faults := s.verify("kudu-table=partitioned"); !anyHas(faults, "key index, block "+kuduwire.BlockName(one["index"])) {
			t.Errorf("another index of keys: %q", faults)
		}
	})
}

// Superblocks that say what is not so.
func TestVerifySuperBlocks(t *testing.T) {
	s := newRealServer(t, "file")
	f := s.table("changed")
	x := f.tablets[0]
	first := &x.super.RowSets[0]
	onFirst := func(change func(v protoMsg) protoMsg) func(m protoMsg) protoMsg {
		return func(m protoMsg) protoMsg {
			return eachField(t, m, 6, func(i int, v []byte) []byte {
				if i > 0 {
					return v
				}
				return change(v)
			})
		}
	}
	for _, c := range []struct {
		what   string
		change func(m protoMsg) protoMsg
		words  []string
	}{
		{"live rows", onFirst(func(v protoMsg) protoMsg { return v.num(10, first.LiveRows+1) }), []string{"the superblock counts", "live rows"}},
		{"least key", onFirst(func(v protoMsg) protoMsg { return v.str(8, "\x00\x00\x00\x01") }), []string{"the least key"}},
		{"greatest key", onFirst(func(v protoMsg) protoMsg { return v.str(9, "\xff\xff\xff\xff") }), []string{"the greatest key"}},
		{"orphan", func(m protoMsg) protoMsg { return m.block(11, first.Columns[0].Block) }, []string{"orphaned, and it is used", kuduwire.BlockName(first.Columns[0].Block)}},
	} {
		s.saved([]string{s.superPath(x.id)}, func() {
			s.editSuper(x.id, c.change)
			if faults := s.verify("kudu-table=changed"); len(faults) != 1 || !anyHas(faults, append(c.words, x.id)...) {
				t.Errorf("%s: %q", c.what, faults)
			}
		})
	}
}

// Two tablets with the same blocks.
func TestVerifySharedBlocks(t *testing.T) {
	s := newRealServer(t, "file")
	x := s.table("changed").tablets[0]
	const other = madeTablet
	b := fixtures.Read(t, s.superPath(x.id))
	if err := os.WriteFile(s.superPath(other), b, 0o600); err != nil {
		t.Fatal(err)
	}
	s.editSuper(other, func(m protoMsg) protoMsg { return m.str(2, other).str(1, other).str(7, "other") })
	faults := s.verify("kudu-table=changed")
	if n := len(x.super.Blocks()); len(faults) != n || !anyHas(faults, "it is also column", "of tablet "+other+" of table other") {
		t.Errorf("%d faults for %d blocks: %q", len(faults), n, faults)
	}
}

// A rowset that is there twice, under blocks of its own: each of its rows is live twice, but for those that the log has
// deleted; what it has moved is live in the new place.
func TestVerifyLiveTwice(t *testing.T) {
	s := newRealServer(t, "file")
	rows := realRows(t)
	for _, name := range []string{"changed", "unflushed"} {
		f := s.table(name)
		x := f.tablets[0]
		s.copyRowSet(f, x)
		want := int(x.super.RowSets[0].LiveRows)
		if name == "unflushed" { // the rowset had all rows of the first snapshot
			want = 0
			latest := realKeys(t, rows, name)
			for k := range realKeys(t, rows, name+"@1") {
				if latest[k] {
					want++
				}
			}
		}
		faults := s.verify("kudu-table=" + name)
		got := 0
		for _, line := range faults {
			var n int
			if _, text, ok := strings.Cut(line, x.id+": "); ok && anyHas(faults, "live both in rowset", "and in rowset 77") {
				_, _ = fmt.Sscanf(text, "%d keys", &n)
			}
			got += n
		}
		if got != want || len(faults) > 2 {
			t.Errorf("%s, %d keys: %q", name, want, faults)
		}
		f = s.must(arrowio.ForVerify, "kudu-table="+name, "kudu-wal=skip").(*File)
		if err := f.Verify(t.Context(), func(err error) { t.Error(err) }); err != nil || !anyHas(told(f), "was not checked") {
			t.Errorf("%s, without the log: %v, %q", name, err, told(f))
		}
	}
}

// copyRowSet gives a tablet a copy of its first rowset, with the id 77, in blocks of its own.
func (s *realServer) copyRowSet(f *File, x *tablet) {
	s.t.Helper()
	again := func(id uint64) uint64 {
		from, _, err := f.blocks.At(id)
		if err != nil {
			s.t.Fatal(err)
		}
		id |= 1 << 40
		to := BlockPath(&f.dirs.Data[0], id)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(to, fixtures.Read(s.t, from), 0o600); err != nil {
			s.t.Fatal(err)
		}
		return id
	}
	s.editSuper(x.id, func(m protoMsg) protoMsg {
		rs := &x.super.RowSets[0]
		c := protoMsg{}.num(1, 77).num(2, rs.LastDurableDMS).num(10, rs.LiveRows).block(6, again(rs.Bloom))
		for _, k := range rs.Columns {
			c = c.str(3, string(protoMsg{}.block(2, again(k.Block)).num(4, int64(k.ID))))
		}
		for _, b := range rs.Redo {
			c = c.str(4, string(protoMsg{}.block(2, again(b))))
		}
		for _, b := range rs.Undo {
			c = c.str(5, string(protoMsg{}.block(2, again(b))))
		}
		return m.str(6, string(c))
	})
}

// Logs: damage is one fault, with the segment and the offset; an end that was not finished is none.
func TestVerifyLog(t *testing.T) {
	s := newRealServer(t, "log")
	x := s.table("unflushed").tablets[0]
	path := s.path("wal", "wals", x.id, "wal-000000001")
	size := len(fixtures.Read(t, path))
	head := 12 + int(fixtures.Read(t, path)[8]) + int(fixtures.Read(t, path)[9])<<8
	for off := head; off < size-200; off += 611 {
		s.saved([]string{path}, func() {
			s.edit(path, func(b []byte) []byte { b[off] ^= 4; return b })
			faults := s.verify("kudu-table=unflushed")
			if !anyHas(faults, "tablet "+x.id, "wal-000000001", " at ") {
				t.Errorf("a flip at %d of %d: %q", off, size, faults)
			}
		})
	}
	s.saved([]string{path}, func() {
		s.edit(path, func(b []byte) []byte { b[0] ^= 4; return b })
		if faults := s.verify("kudu-table=unflushed"); !anyHas(faults, x.id, "wal-000000001", "magic") {
			t.Errorf("no magic: %q", faults)
		}
		if faults := s.verify("kudu-table=unflushed", "kudu-wal=skip"); len(faults) > 0 {
			t.Errorf("without the log: %q", faults)
		}
	})
	// A segment that was closed, and says in its footer what is not so.
	s.saved([]string{path}, func() {
		s.edit(path, func(b []byte) []byte { return closeSegment(t, b, 0) })
		if faults := s.verify("kudu-table=unflushed"); len(faults) > 0 {
			t.Errorf("closed: %q", faults)
		}
		if w := told(s.table("unflushed")); !anyHas(w, x.id, "is closed") {
			t.Errorf("no open segment: %q", w)
		}
	})
	s.saved([]string{path}, func() {
		s.edit(path, func(b []byte) []byte { return closeSegment(t, b, 3) })
		if faults := s.verify("kudu-table=unflushed"); len(faults) != 1 || !anyHas(faults, x.id, "wal-000000001 at ", "the footer says that operations") {
			t.Errorf("closed wrongly: %q", faults)
		}
	})
}

// closeSegment adds a footer to an open segment. Its least index is off by so much.
func closeSegment(t *testing.T, b []byte, off int64) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wal-000000001")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	files := (&Dirs{}).logFolder(filepath.Dir(path))
	s, err := openSegment(files, "wal-000000001")
	if err != nil {
		t.Fatal(err)
	}
	src, err := local.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := &segmentReader{ctx: t.Context(), limit: 1 << 20, bound: &memoryBound{}, report: &logReport{}}
	entries, end := int64(0), s.start
	least, greatest := int64(1<<62), int64(0)
	_, err = r.read(s, src, func(x *batch, at int64) error {
		for _, e := range x.entries {
			if entries++; e.Type == kuduwire.EntryReplicate {
				least, greatest = min(least, e.ID.Index), max(greatest, e.ID.Index)
			}
		}
		head, _ := s.head.ParseEntryHead(b[at:])
		end = at + int64(s.head.EntryHeadSize()) + int64(head.Stored)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	footer := protoMsg{}.num(1, entries).num(2, least+off).num(3, greatest)
	out := append(bytes.Clone(b[:end]), footer...)
	out = append(out, "closedls"...)
	return append(out, byte(len(footer)), 0, 0, 0)
}

// Delta files whose cells do not fit the columns.
func TestVerifyDeltaCells(t *testing.T) {
	s := newRealServer(t, "file")
	x := s.table("changed").tablets[0]
	// Columns take each other's ids: what was a number is a string now, and the key has changes.
	swap := map[uint64]uint64{}
	for i, c := range x.super.Schema.Columns {
		swap[uint64(c.ID)] = uint64(x.super.Schema.Columns[len(x.super.Schema.Columns)-1-i].ID)
	}
	s.editSuper(x.id, func(m protoMsg) protoMsg {
		m = eachField(t, m, 8, func(_ int, v []byte) []byte {
			return eachField(t, v, 1, func(_ int, c []byte) []byte { return setID(t, c, 1, swap) })
		})
		return eachField(t, m, 6, func(_ int, v []byte) []byte {
			return eachField(t, v, 3, func(_ int, c []byte) []byte { return setID(t, c, 4, swap) })
		})
	})
	faults := s.verify("kudu-table=changed", "kudu-wal=skip")
	if !anyHas(faults, "redo deltas, block", "which is of the key") && !anyHas(faults, "redo deltas, block", "bytes for type") {
		t.Errorf("%q", faults)
	}
}

// setID changes the number in a field of a message.
func setID(t *testing.T, m protoMsg, field protowire.Number, to map[uint64]uint64) protoMsg {
	t.Helper()
	out, id := protoMsg{}, uint64(0)
	for len(m) > 0 {
		num, typ, n := protowire.ConsumeField(m)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		if num == field && typ == protowire.VarintType {
			_, _, k := protowire.ConsumeTag(m)
			id, _ = protowire.ConsumeVarint(m[k:])
		} else {
			out = append(out, m[:n]...)
		}
		m = m[n:]
	}
	return out.num(field, int64(to[id]))
}

// Where too many rowsets overlap to compare them all, that is said.
func TestVerifyLiveOfTooMany(t *testing.T) {
	f := readOnlyServer(t, "log").table("changed")
	v := &verifier{File: f, ctx: t.Context(), report: func(err error) { t.Error(err) }, bad: map[uint64]bool{}, ways: 1}
	if err := v.liveOnce(f.tablets[0]); err != nil || len(told(f)) != 1 || !anyHas(told(f), "more than 1 of its rowsets", "was not checked") {
		t.Errorf("%v, %q", err, told(f))
	}
}

// What ends a check is not taken for a fault.
func TestVerifyCancelled(t *testing.T) {
	f := readOnlyServer(t, "log").table("changed")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Verify(ctx, func(err error) { t.Error(err) }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
