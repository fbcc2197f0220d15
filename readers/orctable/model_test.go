package orctable

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/readers/orc"
)

// history is a table in the making: what Hive would write of it, and what it means.
type history struct {
	t    *testing.T
	rng  *rand.Rand
	tree memTree

	rows    []event // inserted
	gone    []event // deleted
	over    []int64 // write ids of INSERT OVERWRITE
	aborted []int64
	next    int64 // write id
	nextID  int64
	txn     int64
	floor   int64   // nothing of it may be taken back: the files are not there any more
	bases   []int64 // compacted
}

// visible returns what is there as of a list, by what happened alone.
func (h *history) visible(ids *writeIDs) []event {
	after := int64(-1)
	for _, w := range h.over {
		if ids.valid(w) {
			after = max(after, w)
		}
	}
	deleted := map[triple]bool{}
	for _, e := range h.gone {
		if ids.valid(e.current) {
			deleted[triple{e.write, e.bucket, e.id}] = true
		}
	}
	var out []event
	for _, e := range h.rows {
		if ids.valid(e.current) && e.write >= after && !deleted[triple{e.write, e.bucket, e.id}] {
			out = append(out, e)
		}
	}
	return out
}

// settled is the list of all that was committed.
func (h *history) settled() *writeIDs {
	w := &writeIDs{high: h.next - 1, aborted: slices.Clone(h.aborted)}
	slices.Sort(w.aborted)
	return w
}

func (h *history) write(dir string, bucket int, events []event) {
	slices.SortStableFunc(events, func(a, b event) int {
		return compareTriples(triple{a.write, a.bucket, a.id}, triple{b.write, b.bucket, b.id})
	})
	h.tree[fmt.Sprintf("%s/bucket_%05d", dir, bucket)] = eventsFile(h.t, events, nil)
}

// transaction runs some statements under one write id.
func (h *history) transaction() {
	w := h.next
	h.next++
	if h.rng.Intn(8) == 0 && w > 1 { // INSERT OVERWRITE
		h.over = append(h.over, w)
		dir := fmt.Sprintf("base_%07d", w)
		h.tree[dir+"/"] = nil
		h.insert(w, 0, dir, 1+h.rng.Intn(6))
	} else {
		own := append([]event{}, h.visible(h.settled())...)
		for stmt := range 1 + h.rng.Intn(3) {
			suffix := fmt.Sprintf("_%07d_%07d_%04d", w, w, stmt)
			if h.rng.Intn(3) > 0 {
				own = append(own, h.insert(w, int64(stmt), "delta"+suffix, h.rng.Intn(7))...)
			}
			if len(own) > 0 && h.rng.Intn(2) == 0 {
				h.rng.Shuffle(len(own), func(i, k int) { own[i], own[k] = own[k], own[i] })
				n := 1 + h.rng.Intn(min(len(own), 5))
				for bucket := range 2 {
					var gone []event
					for _, e := range own[:n] {
						if int(e.bucket>>16&0xfff) == bucket {
							gone = append(gone, deletes(w, e.write, e.bucket, e.id)...)
						}
					}
					if len(gone) > 0 {
						h.gone = append(h.gone, gone...)
						h.write("delete_delta"+suffix, bucket, gone)
					}
				}
				own = own[n:]
			}
		}
	}
	if h.rng.Intn(6) == 0 {
		h.aborted = append(h.aborted, w)
	}
}

// insert adds rows to two buckets.
func (h *history) insert(w, stmt int64, dir string, n int) (out []event) {
	for bucket := range int64(2) {
		bits, _ := bucketBits(bucket, stmt)
		events := inserts(w, bits, h.nextID, n)
		h.nextID += int64(n)
		if n > 0 || h.rng.Intn(2) == 0 {
			h.write(dir, int(bucket), events)
		}
		out = append(out, events...)
	}
	h.rows = append(h.rows, out...)
	return out
}

// dirs returns the directories that are there.
func (h *history) dirs() (names []string, all []candidate) {
	entries, err := h.tree.List(context.Background(), "")
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range entries {
		if d, _ := parseDir(e.Name); d.kind != notAcid {
			names = append(names, e.Name)
			all = append(all, candidate{name: e.Name, dirName: d})
		}
	}
	return names, all
}

// compact writes what a compactor would: of what is committed, the events as they are, or the rows that are left.
func (h *history) compact(major bool) {
	after := int64(0)
	for _, w := range h.over {
		if !slices.Contains(h.aborted, w) {
			after = max(after, w)
		}
	}
	for _, w := range h.bases {
		after = max(after, w)
	}
	lo, hi := after+1, h.next-1
	if lo > hi || !major && lo == hi {
		return
	}
	h.txn++
	settled := h.settled()
	if major {
		dir := fmt.Sprintf("base_%07d_v%07d", hi, h.txn)
		h.tree[dir+"/"] = nil
		for bucket := range 2 {
			var left []event
			for _, e := range h.visible(settled) {
				if int(e.bucket>>16&0xfff) == bucket {
					left = append(left, e)
				}
			}
			h.write(dir, bucket, left)
		}
		h.bases = append(h.bases, hi)
		return
	}
	for bucket := range 2 {
		within := func(all []event) (out []event) {
			for _, e := range all {
				if e.current >= lo && e.current <= hi && settled.valid(e.current) && int(e.bucket>>16&0xfff) == bucket && !slices.Contains(h.over, e.current) {
					out = append(out, e)
				}
			}
			return out
		}
		suffix := fmt.Sprintf("_%07d_%07d_v%07d", lo, hi, h.txn)
		h.write("delta"+suffix, bucket, within(h.rows))
		if gone := within(h.gone); len(gone) > 0 {
			h.write("delete_delta"+suffix, bucket, gone)
		}
	}
}

// clean removes what a reader that sees all that is committed does not need.
func (h *history) clean() {
	names, all := h.dirs()
	c, err := choose(all, h.settled(), everything)
	if err != nil {
		h.t.Fatal(err)
	}
	for i, name := range names {
		if c.hidden[i] == "" {
			continue
		}
		for f := range h.tree {
			if strings.HasPrefix(f, name+"/") {
				delete(h.tree, f)
			}
		}
	}
	h.floor = h.next - 1
}

// list draws a list of write ids that somebody could have.
func (h *history) list() *writeIDs {
	w := h.settled()
	if h.rng.Intn(3) > 0 {
		w.high = h.floor + h.rng.Int63n(h.next-h.floor)
		w.aborted = slices.DeleteFunc(w.aborted, func(n int64) bool { return n > w.high })
	}
	for n := h.floor + 1; n <= w.high; n++ {
		if h.rng.Intn(6) == 0 && !has(w.aborted, n) {
			w.open = append(w.open, n)
		}
	}
	return w
}

// Whatever happens to a table, it reads as what happened, under any list of write ids; or, where compaction has left
// nothing of what is asked for, not at all.
func TestHistories(t *testing.T) {
	compared, refused := 0, 0
	for seed := range int64(150) {
		h := &history{t: t, rng: rand.New(rand.NewSource(seed)), tree: memTree{}, next: 1}
		for range 2 + h.rng.Intn(10) {
			switch h.rng.Intn(8) {
			case 0:
				h.compact(true)
			case 1:
				h.compact(false)
			case 2:
				h.clean()
			default:
				h.transaction()
			}
		}
		lists := []*writeIDs{h.settled(), h.list(), h.list(), h.list()}
		if len(h.aborted) == 0 {
			lists = append(lists, everything)
		}
		for _, ids := range lists {
			f, err := Open(context.Background(), h.tree, arrowio.Limits{}, Options{WriteIDs: ids.text(), RowIDs: true}, orc.Options{})
			if err != nil {
				names, all := h.dirs()
				unsettled := slices.ContainsFunc(all, func(c candidate) bool { return c.kind == base && c.compacted() && invalidBase(&c, ids) != "" })
				if !unsettled || !strings.Contains(err.Error(), "not enough history") {
					t.Fatalf("seed %d, %q, %q: %v", seed, ids.text(), names, err)
				}
				refused++
				continue
			}
			var want []string
			for _, e := range h.visible(ids) {
				want = append(want, fmt.Sprintf(`{"id":%d,"row__id":{"bucketid":%d,"rowid":%d,"writeid":%d},"s":"row %d"}`, e.row.id, e.bucket, e.id, e.write, e.row.id))
			}
			var got []string
			if len(f.Splits()) > 0 {
				got = linesOf(t, f, arrowio.ScanOptions{Parallelism: 1 + int(seed%2)})
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				names, _ := h.dirs()
				t.Fatalf("seed %d, %q, %q:\n%s\nwant\n%s", seed, ids.text(), names, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			compared++
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d tables compared, %d refused", compared, refused)
	if compared < 300 || refused == 0 {
		t.Errorf("%d tables compared, %d refused", compared, refused)
	}
}
