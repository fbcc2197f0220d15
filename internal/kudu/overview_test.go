package kudu

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/readall"
)

func TestOverview(t *testing.T) {
	for _, manager := range managers {
		s := readOnlyServer(t, manager)
		v := s.must(arrowio.ForInfo)
		info := infoOf(t, v, arrowio.InfoOptions{})
		if len(v.Splits()) != 0 || v.Schema().NumFields() != 0 || info.Bytes != v.(arrowio.ByteCounter).BytesStored() || info.Bytes == 0 {
			t.Errorf("%+v", info)
		}
		if _, err := v.Read(t.Context(), arrowio.Split{}, nil, arrowio.Projection{}, arrowbuf.Shared()); !errors.Is(err, errs.ErrOption) {
			t.Error(err)
		}
		tables := map[string]arrowio.MemberInfo{}
		tablets := map[string][]arrowio.MemberInfo{}
		for _, m := range info.Members {
			switch m.Kind {
			case kindTable:
				tables[m.Name] = m
			case kindTablet:
				tablets[m.Name] = append(tablets[m.Name], m)
			default:
				t.Errorf("%+v", m)
			}
		}
		all := realTables(t, manager)
		if len(all) != len(tables) {
			t.Errorf("%d tables, want %d", len(tables), len(all))
		}
		for _, x := range all {
			m, list := tables[x.Table], tablets[x.Table]
			live := int64(0)
			if len(list) != len(x.Tablets) || m.Parts != int64(len(list)) {
				t.Errorf("%s: %+v, %+v", x.Table, m, list)
				continue
			}
			for i, want := range x.Tablets {
				rows := int64(0)
				for _, rs := range want.RowSets {
					rows += rs[0]
				}
				live += rows
				if want.State != "ready" {
					rows = -1
				}
				if list[i].State != want.State || list[i].Parts != int64(len(want.RowSets)) || list[i].Rows != rows {
					t.Errorf("%s: %+v, want %+v", x.Table, list[i], want)
				}
			}
			if m.Rows != live || len(m.Open) != 1 || m.Open[0] != (arrowio.Choice{Option: "kudu-table", Value: x.Table}) {
				t.Errorf("%s: %+v, want %d rows", x.Table, m, live)
			}
			if x.Table != "tombstoned" { // it can be opened as it says
				s.must(arrowio.ForRows, m.Open[0].Option+"="+m.Open[0].Value)
				s.must(arrowio.ForRows, list[0].Open[0].Option+"="+list[0].Open[0].Value)
			}
		}
		if _, err := s.openAs(arrowio.ForRows); !errors.Is(err, errs.ErrOption) {
			t.Errorf("without a name: %v", err)
		}
		if _, ok := s.must(arrowio.ForInfo, "kudu-table=changed").(*File); !ok {
			t.Error("a table that was named is an overview")
		}
	}
}

// A table alone needs no name; one that is damaged, or without rows, is listed.
func TestOverviewOfFew(t *testing.T) {
	s := newRealServer(t, "log")
	keep := s.table("types").tablets[0].id
	entries, err := os.ReadDir(s.path("wal", "tablet-meta"))
	if err != nil {
		t.Fatal(err)
	}
	gone := ""
	for _, e := range entries {
		b, err := kuduwire.ParseSuperBlock(readBytes(t, s.superPath(e.Name())), arrowio.Limits{}.WithDefaults())
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case b.State != kuduwire.TabletReady:
			gone = e.Name()
		case e.Name() != keep:
			s.removeTablet(e.Name())
		}
	}
	if _, ok := s.must(arrowio.ForInfo).(*Overview); !ok {
		t.Error("two tables are none to choose from")
	}
	info := infoOf(t, s.must(arrowio.ForInfo), arrowio.InfoOptions{Blocks: true})
	unused := 0
	for _, m := range info.Members {
		if m.Kind == kindBlock {
			unused++
		}
	}
	if unused == 0 || !anyHas(info.Notes, "belong to no tablet") {
		t.Errorf("%d blocks of no tablet: %q", unused, info.Notes)
	}
	s.removeTablet(gone)
	if f, ok := s.must(arrowio.ForInfo).(*File); !ok || f.table != "types" {
		t.Error("one table is an overview")
	}
	if err := os.WriteFile(s.superPath(madeTablet), []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := s.must(arrowio.ForInfo)
	info = infoOf(t, v, arrowio.InfoOptions{})
	if w := told(v.(arrowio.Warner)); len(w) != 1 || !anyHas(w, madeTablet) || len(info.Members) != 3 || info.Members[2].State != "superblock unreadable" {
		t.Errorf("%q, %+v", w, info.Members)
	}
}

func readBytes(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Without superblocks there are blocks, each of which can be read by itself.
func TestBlocksWithoutSuperBlocks(t *testing.T) {
	for _, manager := range managers {
		s := newRealServer(t, manager)
		named := s.table("types")
		amount := named.tablets[0].super.RowSets[0].Columns[12]
		if c := named.columns[12]; c.Type.Decimal() == 0 || c.Scale == 0 {
			t.Fatalf("%+v", c)
		}
		name := kuduwire.BlockName(amount.Block)
		f := s.must(arrowio.ForRows, "kudu-block="+name)
		info := infoOf(t, f, arrowio.InfoOptions{})
		if got, want := f.Schema().Field(0).Type, named.Schema().Field(12).Type; got.String() != want.String() {
			t.Errorf("a block of a table is %v, want %v", got, want)
		}
		if !strings.Contains(fact(info, "is"), "of table types: "+named.columns[12].Name) || fact(info, "block") != name {
			t.Errorf("%+v", info.Facts)
		}

		if err := os.RemoveAll(s.path("wal", "tablet-meta")); err != nil {
			t.Fatal(err)
		}
		if _, err := s.openAs(arrowio.ForRows); err == nil || !strings.Contains(err.Error(), "--kudu-block") {
			t.Errorf("no superblocks: %v", err)
		}
		v := s.must(arrowio.ForInfo)
		kinds, blocks := infoOf(t, v, arrowio.InfoOptions{}), infoOf(t, v, arrowio.InfoOptions{Blocks: true})
		parts, bytes := int64(0), int64(0)
		for _, m := range kinds.Members {
			parts, bytes = parts+m.Parts, bytes+m.Bytes
			if m.Kind != kindBlocks || len(m.Open) != 1 {
				t.Errorf("%+v", m)
			}
		}
		if parts != int64(len(blocks.Members)) || bytes != kinds.Bytes || parts == 0 || blocks.Bytes != bytes {
			t.Errorf("%d blocks of %d, %d bytes of %d and %d", parts, len(blocks.Members), bytes, kinds.Bytes, blocks.Bytes)
		}
		for _, m := range blocks.Members {
			f := s.must(arrowio.ForRows, m.Open[0].Option+"="+m.Open[0].Value)
			b := f.(*blockFile)
			if b.Rows() != m.Rows || b.BytesStored() != m.Bytes {
				t.Errorf("%+v: %d rows, %d bytes", m, b.Rows(), b.BytesStored())
			}
			if err := b.Verify(t.Context(), func(err error) { t.Errorf("%s: %v", m.ID, err) }); err != nil {
				t.Error(err)
			}
			if b.Kind() == cfilewire.BloomFile {
				continue
			}
			rows := int64(0)
			p, err := arrowio.Project(f.Schema(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, sp := range f.Splits() {
				rows += sp.Rows.Len()
				if err := readall.Split(t.Context(), f, sp, p, 1000); err != nil {
					t.Errorf("%+v: %v", m, err)
				}
			}
			if rows != m.Rows || b.BytesRead() == 0 {
				t.Errorf("%+v: %d rows read, %d bytes", m, rows, b.BytesRead())
			}
		}
	}
}

func TestOpenBlockMistakes(t *testing.T) {
	s := readOnlyServer(t, "file")
	for options, want := range map[string]error{
		"kudu-block=x": errs.ErrOption, "kudu-block=-1": errs.ErrOption, "kudu-block=7": os.ErrNotExist,
	} {
		if _, err := s.openAs(arrowio.ForRows, options); !errors.Is(err, want) {
			t.Errorf("%s: %v", options, err)
		}
	}
	for _, more := range []string{"kudu-table=changed", "kudu-tablet=x", "kudu-snapshot=5"} {
		if _, err := s.openAs(arrowio.ForInfo, "kudu-block=7", more); !errors.Is(err, errs.ErrOption) {
			t.Errorf("%s: %v", more, err)
		}
	}
}
