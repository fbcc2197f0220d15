package kudu

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/expr"
	"github.com/arrowio/arrowio/internal/fixtures"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

func infoOf(t *testing.T, f arrowio.File, o arrowio.InfoOptions) *arrowio.Info {
	t.Helper()
	info, err := f.Info(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// What Info says of tables is what Kudu's own tools and a client have said.
func TestInfoOfRealServers(t *testing.T) {
	for _, manager := range managers {
		s := readOnlyServer(t, manager)
		for _, x := range realTables(t, manager) {
			if x.Table == "tombstoned" {
				continue
			}
			f := s.table(x.Table)
			info := infoOf(t, f, arrowio.InfoOptions{Blocks: true, Checksums: true})
			if info.Format != Name || info.Rows != x.Rows || info.Bytes != f.BytesStored() {
				t.Errorf("%s: %d rows, %d bytes", x.Table, info.Rows, info.Bytes)
			}
			bytes, blocks := int64(0), 0
			for i, c := range info.Columns {
				bytes += c.Bytes
				if len(c.BlockList) != c.Blocks {
					t.Errorf("%s, %s: %d of %d blocks", x.Table, c.Path, len(c.BlockList), c.Blocks)
				}
				if c.Blocks > 0 && c.Verdict != "ok" {
					t.Errorf("%s, %s: checksums %q", x.Table, c.Path, c.Verdict)
				}
				if i < f.schema.NumFields() && (c.Path != f.schema.Field(i).Name || string(c.Metadata["kudu.id"]) != strconv.Itoa(int(f.columns[i].ID))) {
					t.Errorf("%s: column %d is %s, id %s", x.Table, i, c.Path, c.Metadata["kudu.id"])
				}
				for _, b := range c.BlockList {
					blocks++
					file := fixtures.Read(t, b.Where)
					if string(file[b.Off:b.Off+7]) != "kuducfl" || string(file[b.Off+b.Bytes-12:b.Off+b.Bytes-5]) != "kuducfl" {
						t.Errorf("%s, %s: block %s is not in %s at %d", x.Table, c.Path, b.ID, b.Where, b.Off)
					}
				}
			}
			if bytes != info.Bytes {
				t.Errorf("%s: columns of %d bytes, all of %d", x.Table, bytes, info.Bytes)
			}
			g, rowsets, all := 0, 0, 0
			end := int64(0)
			for k, tablet := range f.tablets {
				for i, want := range x.Tablets[k].RowSets {
					meta := &tablet.super.RowSets[i]
					all += len(meta.Columns) + len(meta.Redo) + len(meta.Undo) + 1
					if meta.HasAdHoc {
						all++
					}
					if g >= len(info.Groups) {
						t.Fatalf("%s: %d groups", x.Table, len(info.Groups))
					}
					got := info.Groups[g]
					if got.Rows.Start > end || got.Rows.Len() > want[0] || !strings.Contains(got.Detail, "tablet "+tablet.id) || !strings.Contains(got.Detail, "keys ") {
						t.Errorf("%s: rowset %d is %+v, %d rows were live when it was made", x.Table, i, got, want[0])
					}
					if n := want[3]; n > 0 != strings.Contains(got.Detail, "redo file") {
						t.Errorf("%s: %d REDO files: %s", x.Table, n, got.Detail)
					}
					end = max(end, got.Rows.End)
					g, rowsets = g+1, rowsets+1
				}
				if tablet.mem.len() > 0 {
					if !strings.Contains(info.Groups[g].Detail, "only the log has") || info.Groups[g].Rows.Start != end {
						t.Errorf("%s: %+v", x.Table, info.Groups[g])
					}
					end = info.Groups[g].Rows.End
					g++
				}
			}
			if end != x.Rows || g != len(info.Groups) || blocks != all {
				t.Errorf("%s: groups up to row %d of %d, %d of %d, %d of %d blocks", x.Table, end, x.Rows, g, len(info.Groups), blocks, all)
			}
			short := infoOf(t, f, arrowio.InfoOptions{})
			if len(short.Groups) > 0 || len(short.Columns) != len(info.Columns) || short.Columns[0].Bytes != info.Columns[0].Bytes || short.Columns[0].Verdict != "" {
				t.Errorf("%s: %+v", x.Table, short)
			}
		}
	}
}

// Columns that were dropped take bytes still, those that were added have defaults.
func TestInfoOfColumns(t *testing.T) {
	s := readOnlyServer(t, "log")
	info := infoOf(t, s.table("altered"), arrowio.InfoOptions{})
	dropped, defaults := 0, 0
	for _, c := range info.Columns {
		if strings.HasPrefix(c.Path, "(dropped column, id ") && c.Bytes > 0 && c.Type == "" {
			dropped++
		}
		if strings.Contains(c.Stored, ", default ") || strings.Contains(c.Stored, ", of older rows ") {
			defaults++
		}
	}
	if dropped == 0 || defaults == 0 {
		t.Errorf("%d columns dropped, %d with defaults: %+v", dropped, defaults, info.Columns)
	}
	types := infoOf(t, s.table("types"), arrowio.InfoOptions{})
	want := map[string]string{
		"id": "int32, key, id 0", "varchar": "varchar(12), nullable, id 10", "decimal18": "decimal64(18, 4), nullable, id 12",
	}
	for _, c := range types.Columns {
		if w, ok := want[c.Path]; ok && c.Stored != w {
			t.Errorf("%s is %q, want %q", c.Path, c.Stored, w)
		}
	}
	if c := types.Columns[0]; c.Index != "value index" || c.Encodings[0] != "bitshuffle" || c.Codec != "none" || c.Checksum != "crc32c" {
		t.Errorf("%+v", c)
	}
}

func fact(info *arrowio.Info, name string) string {
	var out []string
	for _, f := range info.Facts {
		if f.Name == name {
			out = append(out, f.Value)
		}
	}
	return strings.Join(out, "\n")
}

func TestInfoFacts(t *testing.T) {
	s := readOnlyServer(t, "log")
	f := s.table("unflushed")
	info := infoOf(t, f, arrowio.InfoOptions{})
	x := f.tablets[0]
	for name, words := range map[string][]string{
		"table":  {"unflushed", x.super.TableID},
		"server": {f.dirs.UUID},
		"blocks": {"log block manager"},
		"tablet": {x.id, "ready", "schema version ", "2 rowsets", "in the log only", "log of 1 segment", "the last 1."},
	} {
		for _, w := range words {
			if !strings.Contains(fact(info, name), w) {
				t.Errorf("%s is %q, not %q", name, fact(info, name), w)
			}
		}
	}
	p := infoOf(t, s.table("partitioned"), arrowio.InfoOptions{})
	if got := fact(p, "tablet"); strings.Count(got, "hash bucket ") != 2 || fact(p, "tablets") != "2" {
		t.Errorf("%s", got)
	}
	old := realTables(t, "log")[2].Snapshots[0].Timestamp
	shot := infoOf(t, s.must(arrowio.ForRows, "kudu-table=changed", "kudu-snapshot="+strconv.FormatUint(old, 10), "kudu-wal=skip"), arrowio.InfoOptions{})
	if !strings.Contains(fact(shot, "snapshot"), strconv.FormatUint(old, 10)) || !strings.Contains(fact(shot, "tablet"), "log not read") {
		t.Errorf("%+v", shot.Facts)
	}
}

// Partitions that the fixtures do not have.
func TestPartitionText(t *testing.T) {
	for _, c := range []struct {
		buckets    []int32
		start, end string
		want       string
	}{
		{nil, "", "", ""},
		{nil, "\x80\x00", "\x90", "range from x8000 to x90"},
		{nil, "", "\x90", "range to x90"},
		{[]int32{1}, "\x00\x00\x00\x01", "\x00\x00\x00\x02", "hash bucket 1"},
		{[]int32{1, 2}, "\x00\x00\x00\x01\x00\x00\x00\x02a", "\x00\x00\x00\x01\x00\x00\x00\x03", "hash bucket 1, 2, range from x61"},
		{[]int32{1}, "\x00", "", "hash bucket 1"},
	} {
		s := &kuduwire.SuperBlock{HashBuckets: c.buckets, PartitionStart: []byte(c.start), PartitionEnd: []byte(c.end)}
		if got := partitionText(s); got != c.want {
			t.Errorf("%v, %q to %q: %q, want %q", c.buckets, c.start, c.end, got, c.want)
		}
	}
}

// A plan is what Prune does, and says by what.
func TestInfoPlan(t *testing.T) {
	s := readOnlyServer(t, "file")
	by := map[string]bool{}
	for _, c := range []struct{ table, where string }{
		{"changed", "id = 3"},
		{"changed", "id > 1000000"},
		{"changed", "id BETWEEN 2 AND 60"},
		{"changed", "number > 0"},
		{"unflushed", "id < 5"},
		{"partitioned", "s = 'nobody'"},
		{"altered", "id = 11"},
	} {
		f := s.table(c.table)
		x, err := expr.Parse(c.where)
		if err != nil {
			t.Fatal(err)
		}
		pred, err := expr.Bind(x, f.Schema())
		if err != nil {
			t.Fatal(err)
		}
		left, planned := int64(0), int64(0)
		for _, sp := range f.Splits() {
			rows, err := f.Prune(context.Background(), sp, pred)
			if err != nil {
				t.Fatal(err)
			}
			left += rows.Len()
		}
		for _, p := range infoOf(t, f, arrowio.InfoOptions{Filter: pred}).Plan {
			planned += p.Left
			for _, b := range p.By {
				by[b] = true
			}
			if p.Left == 0 && len(p.By) == 0 || p.Left > p.Rows.Len() || p.Bytes > p.BytesOf || p.Groups > p.GroupsOf {
				t.Errorf("%s, %s: %+v", c.table, c.where, p)
			}
		}
		if left != planned {
			t.Errorf("%s, %s: %d rows are left, by the plan %d", c.table, c.where, left, planned)
		}
	}
	if !by[byKeyBounds] {
		t.Errorf("%v", by)
	}
}

// Damaged blocks are in notes, and the rest is told.
func TestInfoOfDamage(t *testing.T) {
	s := newRealServer(t, "file")
	f := s.table("changed")
	first := &f.tablets[0].super.RowSets[0]
	for i, c := range first.Columns[1:] {
		path, _, err := f.blocks.At(c.Block)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			err = os.Remove(path)
		} else {
			s.edit(path, func(b []byte) []byte { b[20] ^= 1; return b })
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	info := infoOf(t, f, arrowio.InfoOptions{Blocks: true, Checksums: true})
	if !anyHas(info.Notes, "! ", f.tablets[0].id, kuduwire.BlockName(first.Columns[1].Block)) || !anyHas(info.Notes, "! ", kuduwire.BlockName(first.Columns[2].Block), "checksums: ") {
		t.Errorf("%q", info.Notes)
	}
	if c := info.Columns[2]; c.Verdict != "1 file damaged" || c.BlockList[0].Verdict == "ok" || c.BlockList[1].Verdict != "ok" {
		t.Errorf("%+v", c)
	}
	if c := info.Columns[1]; c.BlockList[0].Verdict != "cannot be read" {
		t.Errorf("%+v", c)
	}
}
