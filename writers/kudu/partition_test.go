package kudu

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	reader "github.com/arrowio/arrowio/internal/kudu"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// storedKeys returns the keys of all rows that a tablet has or had, on disk and in its log.
func storedKeys(t testing.TB, s *server, id string) (keys [][]byte) {
	t.Helper()
	im := newImporter(t, s)
	x, err := reader.OpenTablet(im.ctx, im.dirs, im.blocks, id, arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range x.RowSets {
		k, err := h.Keys(im.ctx)
		if err != nil {
			t.Fatal(err)
		}
		for k.Next() {
			keys = append(keys, bytes.Clone(k.Key))
		}
		if k.Err != nil {
			t.Fatal(k.Err)
		}
		k.Close()
	}
	for i := range x.LoggedKeys() {
		keys = append(keys, x.LoggedKey(i))
	}
	return keys
}

// TestRowsBelongWhereKuduPutThem: Kudu has decided for each stored row which tablet it is of, and so do we.
func TestRowsBelongWhereKuduPutThem(t *testing.T) {
	for _, manager := range managers {
		s := newServer(t, manager)
		d := s.dirs()
		ids, err := d.Tablets()
		if err != nil {
			t.Fatal(err)
		}
		hashed, foreign := 0, 0
		for _, id := range ids {
			b, err := d.SuperBlock(id)
			if err != nil || b.State != kuduwire.TabletReady {
				continue
			}
			how, err := kuduwire.ParsePartitioning(b.Partitioning, b.Schema, arrowio.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			own, router := b.Partition(), how.NewRouter()
			others := slices.DeleteFunc(s.tablets(b.TableName), func(x *kuduwire.SuperBlock) bool { return x.TabletID == id })
			for _, key := range storedKeys(t, s, id) {
				if err := router.Route(key); err != nil {
					t.Fatal(err)
				}
				if !router.In(&own) {
					t.Errorf("%s: %s does not belong to its tablet", b.TableName, (&reader.Tablet{Schema: b.Schema}).KeyText(key))
				}
				if len(own.Buckets) > 0 {
					hashed++
				}
				for _, other := range others {
					if x := other.Partition(); router.In(&x) {
						foreign++
					}
				}
			}
		}
		if hashed < 80 || foreign > 0 {
			t.Errorf("%s: %d rows of hash partitions, %d of two tablets", manager, hashed, foreign)
		}
	}
}

// partitionedRows makes rows of the table "partitioned", whose key has eight columns.
func partitionedRows(columns []kuduwire.Column, n int) (rows [][][]byte) {
	for i := range n {
		row := [][]byte{}
		for j := range columns {
			c := &columns[j]
			switch {
			case c.Type.Binary():
				row = append(row, []byte(strings.Repeat("\x00z", (i+j)%3)+string(rune('a'+i%7))))
			case j == 1:
				row = append(row, le(c.Type, int64(1_000_000+i)))
			default:
				row = append(row, le(c.Type, int64(i%5-2)))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// TestPartition: rows of another tablet are refused, with where they belong; each tablet takes its own.
func TestPartition(t *testing.T) {
	t.Parallel()
	for _, manager := range managers {
		s := newServer(t, manager)
		tablets := s.tablets("partitioned")
		before := s.rows("partitioned")
		rows := partitionedRows(columnsOf(tablets[0].Schema), 400)
		all := newSet(t, "partitioned", columnsOf(tablets[0].Schema)...)
		all.add(slices.Clone(rows))
		other := tablets[1].TabletID
		s.refuses(s.options(all, tablets[0].TabletID), errs.ErrSchema, "of 400 rows do not belong to tablet "+tablets[0].TabletID, "which is one of tablet "+other, "belong to tablet "+other)
		how, err := kuduwire.ParsePartitioning(tablets[0].Partitioning, tablets[0].Schema, arrowio.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var sets []*madeSet
		for _, b := range tablets {
			own, router := b.Partition(), how.NewRouter()
			set := newSet(t, "partitioned", columnsOf(b.Schema)...)
			var mine [][][]byte
			for _, row := range rows {
				if err := router.Route(set.key(row)); err != nil {
					t.Fatal(err)
				}
				if router.In(&own) {
					mine = append(mine, row)
				}
			}
			if len(mine) < 100 {
				t.Errorf("%d rows of 400", len(mine))
			}
			set.add(mine)
			s.imports(set, b.TabletID)
			sets = append(sets, set)
		}
		s.hasRows("partitioned", before, sets...)
		// A tablet of a range.
		b := s.tablet("empty")
		set := setFor(t, b, span(0, 20, 1))
		bound := func(n byte) string { return string([]byte{0x80, 0, 0, n}) }
		restore := s.edit(s.path("wal", "tablet-meta", b.TabletID), appendFields(t, text(13, string(append(text(2, bound(5)), text(3, bound(19))...)))))
		s.refuses(s.options(set, b.TabletID), errs.ErrSchema, "6 of 20 rows do not belong", "the first 0", "belong to no tablet of the table that this server has")
		fits := setFor(t, b, span(5, 14, 1))
		s.imports(fits, b.TabletID)
		restore()
	}
}
