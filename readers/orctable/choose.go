package orctable

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// candidate is a directory of a partition, by its name.
type candidate struct {
	name string
	dirName
	marked bool // it holds compactedMark
}

// compacted reports whether a base came of compaction, not of INSERT OVERWRITE.
func (c *candidate) compacted() bool { return c.txn != none || c.marked || c.min == beforeAll }

// choice says which directories of a partition make up its rows.
type choice struct {
	base      int            // of the candidates; -1 = none
	deltas    []int          // deltas and delete deltas, in the order in which they came about
	originals bool           // files outside of all of them count
	hidden    map[int]string // the others, and why
}

// choose picks the directories that hold what was valid, following Hive's AcidUtils.getAcidState: the newest base, and of
// the deltas the widest, without those that a base or a wider delta stands for. Two that cannot both be right are an error
// that names them; so is a list of write ids that asks for what compaction has left nothing of.
//
// What a transaction of txns that is not valid has compacted does not count.
func choose(dirs []candidate, ids, txns *writeIDs) (choice, error) {
	c := choice{base: -1, hidden: map[int]string{}}
	for i := range dirs {
		if d := &dirs[i]; d.txn != none && !txns.valid(d.txn) {
			c.hidden[i] = fmt.Sprintf("transaction %d, which compacted, %s", d.txn, txns.why(d.txn))
		}
	}
	if err := c.chooseBase(dirs, ids, txns); err != nil {
		return c, err
	}
	current := int64(0)
	if c.base >= 0 {
		current = dirs[c.base].min
	}
	c.originals = c.base < 0
	var order []int
	for i := range dirs {
		d := &dirs[i]
		switch {
		case d.kind == base, c.hidden[i] != "":
		case !ids.any(d.min, d.max):
			c.hidden[i] = invalidRange(d, ids)
		default:
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return before(&dirs[a], &dirs[b]) })
	w := walk{dirs: dirs, ids: ids, choice: &c, current: current, by: c.base, prev: -1, stmt: none}
	for _, i := range order {
		if err := w.step(i); err != nil {
			return c, err
		}
	}
	return c, nil
}

// invalidRange tells why nothing of a delta is valid.
func invalidRange(d *candidate, ids *writeIDs) string {
	if d.min == d.max {
		return fmt.Sprintf("write id %d %s", d.min, ids.why(d.min))
	}
	return fmt.Sprintf("its write ids are all invalid: %d %s", d.min, ids.why(d.min))
}

// before orders deltas: by the first write id, the widest first, by statement, and by name. Of several with all of that
// in common the one that was compacted last comes first.
func before(a, b *candidate) int {
	return cmp.Or(cmp.Compare(a.min, b.min), cmp.Compare(b.max, a.max), cmp.Compare(a.stmt, b.stmt), cmp.Compare(a.kind, b.kind),
		cmp.Compare(b.txn, a.txn), cmp.Compare(a.name, b.name))
}

// chooseBase picks the valid base of the highest write id.
func (c *choice) chooseBase(dirs []candidate, ids, txns *writeIDs) error {
	oldest := -1
	for i := range dirs {
		d := &dirs[i]
		if d.kind != base || c.hidden[i] != "" {
			continue
		}
		if oldest < 0 || olderBase(d, &dirs[oldest]) < 0 {
			oldest = i
		}
		if why := invalidBase(d, ids); why != "" {
			c.hidden[i] = why
			continue
		}
		if c.base >= 0 {
			o := &dirs[c.base]
			if o.min == d.min && o.compacted() == d.compacted() && o.txn == d.txn {
				return errs.Errorf(errs.ErrCorrupt, "%s and %s are bases of one write id", o.name, d.name)
			}
			if olderBase(d, o) < 0 {
				c.hidden[i] = o.name + " is newer"
				continue
			}
			c.hidden[c.base] = d.name + " is newer"
		}
		c.base = i
	}
	if c.base >= 0 {
		for i := range dirs { // whatever was newest meanwhile
			if d := &dirs[i]; d.kind == base && i != c.base && invalidBase(d, ids) == "" && (d.txn == none || txns.valid(d.txn)) {
				c.hidden[i] = dirs[c.base].name + " is newer"
			}
		}
		return nil
	}
	if oldest >= 0 && dirs[oldest].compacted() {
		return errs.Errorf(errs.ErrOption, "%w is %q: there is not enough history: %s, the oldest base, %s", errs.Opt("orc-write-ids", ""), ids.text(), dirs[oldest].name, c.hidden[oldest])
	}
	return nil
}

// olderBase orders bases by write id; of one write id the compacted one is newer, and of these the one compacted last.
func olderBase(a, b *candidate) int {
	return cmp.Or(cmp.Compare(a.min, b.min), cmp.Compare(btoi(a.compacted()), btoi(b.compacted())), cmp.Compare(a.txn, b.txn))
}

// invalidBase tells why a base does not count; "" = it does. What compaction puts together must be settled: nothing of it
// open, nothing above the highest write id; what was aborted it has left out. INSERT OVERWRITE is a write like any other.
func invalidBase(d *candidate, ids *writeIDs) string {
	if !d.compacted() {
		if ids.valid(d.min) {
			return ""
		}
		return fmt.Sprintf("write id %d, of the INSERT OVERWRITE, %s", d.min, ids.why(d.min))
	}
	if d.min > ids.high {
		return fmt.Sprintf("it holds write ids up to %d, which is newer than the list", d.min)
	}
	if len(ids.open) > 0 && ids.open[0] <= d.min {
		return fmt.Sprintf("it holds write id %d, which was open", ids.open[0])
	}
	return ""
}

// walk goes through the deltas in order.
type walk struct {
	dirs    []candidate
	ids     *writeIDs
	choice  *choice
	current int64 // everything up to this write id is accounted for
	by      int   // which directory accounts for it; -1 = none
	prev    int   // taken last; -1 = none
	stmt    int64 // of the delta that raised current
}

func (w *walk) step(i int) error {
	d := &w.dirs[i]
	twin := w.prev >= 0 && w.dirs[w.prev].min == d.min && w.dirs[w.prev].max == d.max && w.dirs[w.prev].stmt == d.stmt
	if twin && w.dirs[w.prev].kind == d.kind {
		p := &w.dirs[w.prev]
		if p.txn == d.txn {
			return errs.Errorf(errs.ErrCorrupt, "%s and %s are deltas of the same write ids", p.name, d.name)
		}
		w.choice.hidden[i] = p.name + " is the same, compacted later"
		return nil
	}
	switch {
	case d.max > w.current:
		// Nothing is valid beyond what is accounted for.
		if !w.ids.any(w.current+1, d.max) {
			w.choice.hidden[i] = w.accounted()
			return nil
		}
		if w.by >= 0 && d.min <= w.current {
			return errs.Errorf(errs.ErrCorrupt, "%s and %s overlap, and neither holds all of the other", w.dirs[w.by].name, d.name)
		}
		w.current, w.by, w.stmt = d.max, i, d.stmt
	case d.max == w.current && w.stmt >= 0: // a further statement of the transaction
	case twin: // the deletes that belong to the rows, or the reverse
	default:
		w.choice.hidden[i] = w.accounted()
		return nil
	}
	w.choice.deltas = append(w.choice.deltas, i)
	w.prev = i
	return nil
}

func (w *walk) accounted() string {
	if w.by < 0 {
		return "its write ids are of rows from before the table was an ACID table"
	}
	return w.dirs[w.by].name + " stands for it"
}
