package kudu

import (
	"path/filepath"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// TestHeldRows: a key that Kudu's client saw is live on disk or in the log's hands, and no other is live on disk.
func TestHeldRows(t *testing.T) {
	rows := realRows(t)
	for _, manager := range managers {
		s := readOnlyServer(t, manager)
		d, err := OpenDirs(DirOptions{Wal: s.root})
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := OpenBlocks(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		defer blocks.Close()
		if n := blocks.Unread(); n != 0 {
			t.Errorf("%d containers could not be read", n)
		}
		ids, err := d.Tablets()
		if err != nil {
			t.Fatal(err)
		}
		logged, gone := 0, 0
		for _, id := range ids {
			super, err := d.SuperBlock(id)
			if err != nil || super.State != kuduwire.TabletReady || super.Schema.Keys() != 1 {
				continue
			}
			for _, u := range super.Blocks() {
				if manager == "log" && u.Block > blocks.LastRecorded() {
					t.Errorf("block %d is above the last one", u.Block)
				}
			}
			if d.SuperBlockPath(id) != filepath.Join(s.root, "wal", "tablet-meta", id) {
				t.Error(d.SuperBlockPath(id))
			}
			x, err := OpenTablet(t.Context(), d, blocks, id, arrowio.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if x.Segments < 1 || len(told(x)) > 0 || x.Super.TabletID != id {
				t.Errorf("%s: %d segments, %s", super.TableName, x.Segments, told(x))
			}
			saw := realKeys(t, rows, super.TableName)
			there := map[string]bool{}
			for i := range x.LoggedKeys() {
				key := "[" + x.KeyText(x.LoggedKey(i))
				there[key] = true
				logged++
				if i > 0 && string(x.LoggedKey(i-1)) >= string(x.LoggedKey(i)) {
					t.Errorf("%s: keys of the log are not sorted", super.TableName)
				}
			}
			for _, h := range x.RowSets {
				if h.ID > x.LastRowSet {
					t.Errorf("%s: rowset %d, the last is %d", super.TableName, h.ID, x.LastRowSet)
				}
				k, err := h.Keys(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				n := int64(0)
				for k.Next() {
					if n == 0 && string(k.Key) != string(h.Min) || n == h.Rows-1 && string(k.Key) != string(h.Max) {
						t.Errorf("%s: row %d of rowset %d is beyond its bounds", super.TableName, n, h.ID)
					}
					n++
					live, err := h.Live(t.Context(), k.Row)
					if err != nil {
						t.Fatal(err)
					}
					key := "[" + x.KeyText(k.Key)
					if live {
						there[key] = true
					}
					if live && !saw[key] {
						t.Errorf("%s: %s is live, and nobody saw it", super.TableName, key)
					}
					if !live {
						gone++
					}
				}
				if k.Err != nil || n != h.Rows {
					t.Errorf("%s: %d of %d rows, %v", super.TableName, n, h.Rows, k.Err)
				}
				if _, err := h.Live(t.Context(), h.Rows); err == nil {
					t.Errorf("%s: a row behind the last", super.TableName)
				}
				h.Forget()
				k.Close()
			}
			for key := range saw {
				if !there[key] {
					t.Errorf("%s: %s was seen, and is nowhere", super.TableName, key)
				}
			}
		}
		if logged < 10 || gone < 10 {
			t.Errorf("%s: %d keys in logs, %d rows that are gone", manager, logged, gone)
		}
	}
}

// TestLastRowSet: the log mentions rowsets that are no more.
func TestLastRowSet(t *testing.T) {
	w := &logWatch{lastRowSet: -1}
	store := func(rowset int64) protoMsg { return protoMsg{}.str(3, string(protoMsg{}.num(2, rowset).num(3, 0))) }
	mem := protoMsg{}.str(3, string(protoMsg{}.num(1, 99)))
	for _, c := range []struct {
		result protoMsg
		want   int64
	}{
		{nil, -1},
		{protoMsg{}.str(1, string(mem)), -1},
		{protoMsg{}.str(1, string(store(4))).str(1, string(append(mem, store(7)...))), 7},
		{protoMsg{}.str(1, string(store(5).num(1, 1))), 7},
		{protoMsg{}.str(1, string(store(12).str(2, string(protoMsg{}.num(1, 5).str(2, "refused"))))), 12},
	} {
		if err := w.commit(c.result); err != nil || w.lastRowSet != c.want {
			t.Errorf("%x: %d, %v, want %d", []byte(c.result), w.lastRowSet, err, c.want)
		}
	}
	if err := w.commit(protoMsg{}.num(1, 1)); err == nil {
		t.Error("no results, and no error")
	}
}
