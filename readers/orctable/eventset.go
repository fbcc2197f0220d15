package orctable

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/gonerows"
	"github.com/arrowio/arrowio/readers/orc"
)

// eventSet is a set of row ids, of the rows that delete events took away: a sorted list of row numbers for each write id
// and bucket. Events of Hive's files come sorted, and then one takes 8 bytes; at worst, where each has a write id or a
// bucket of its own, it takes 24.
type eventSet struct {
	groups []eventGroup // sorted, no two alike, once done
	rows   []int64
	most   int // events
}

// eventGroup is the rows of one write id and bucket: those of eventSet.rows from start to where the next group starts.
type eventGroup struct {
	write  int64
	bucket int32
	start  uint32
}

// add appends events, columns of the same length. The set is not to be asked before finish.
func (s *eventSet) add(write []int64, bucket []int32, row []int64) error {
	if n := len(s.rows) + len(row); n > s.most || n > math.MaxUint32-1 {
		return errs.Errorf(errs.ErrLimit, "more than %d delete events: %w allows more, of up to 24 bytes each", s.most, errs.Opt("orc-delete-events", ""))
	}
	for i := 0; i < len(row); {
		w, b := write[i], bucket[i]
		k := i + 1
		for k < len(row) && write[k] == w && bucket[k] == b {
			k++
		}
		if n := len(s.groups); n == 0 || s.groups[n-1].write != w || s.groups[n-1].bucket != b {
			if err := checkBucket(b); err != nil {
				return err
			}
			s.groups = append(s.groups, eventGroup{w, b, uint32(len(s.rows))})
		}
		s.rows = append(s.rows, row[i:k]...)
		i = k
	}
	return nil
}

func compareGroups(a, b eventGroup) int {
	return cmp.Or(cmp.Compare(a.write, b.write), cmp.Compare(a.bucket, b.bucket))
}

// finish sorts what was added.
func (s *eventSet) finish() {
	if slices.IsSortedFunc(s.groups, compareGroups) && s.groupsDiffer() {
		for i := range s.groups {
			if rows := s.of(i); !slices.IsSorted(rows) {
				slices.Sort(rows)
			}
		}
		return
	}
	// Each group moves, with its rows, to where it belongs.
	order := make([]uint32, len(s.groups))
	for i := range order {
		order[i] = uint32(i)
	}
	sort.Slice(order, func(a, b int) bool {
		return cmp.Or(compareGroups(s.groups[order[a]], s.groups[order[b]]), cmp.Compare(order[a], order[b])) < 0
	})
	rows := make([]int64, 0, len(s.rows))
	groups := make([]eventGroup, 0, len(s.groups))
	for _, i := range order {
		g := s.groups[i]
		if n := len(groups); n == 0 || compareGroups(groups[n-1], g) != 0 {
			groups = append(groups, eventGroup{g.write, g.bucket, uint32(len(rows))})
		}
		rows = append(rows, s.of(int(i))...)
	}
	s.groups, s.rows = groups, rows
	for i := range s.groups {
		if rows := s.of(i); !slices.IsSorted(rows) {
			slices.Sort(rows)
		}
	}
}

func (s *eventSet) groupsDiffer() bool {
	for i := 1; i < len(s.groups); i++ {
		if compareGroups(s.groups[i-1], s.groups[i]) == 0 {
			return false
		}
	}
	return true
}

// of returns the rows of a group.
func (s *eventSet) of(i int) []int64 {
	end := uint32(len(s.rows))
	if i+1 < len(s.groups) {
		end = s.groups[i+1].start
	}
	return s.rows[s.groups[i].start:end]
}

// len returns how many events there are, those counted that name the same row.
func (s *eventSet) len() int { return len(s.rows) }

// distinct returns how many rows the events name, once the set is finished.
func (s *eventSet) distinct() int {
	n := 0
	for i := range s.groups {
		for k, rows := 0, s.of(i); k < len(rows); k++ {
			if k == 0 || rows[k] != rows[k-1] {
				n++
			}
		}
	}
	return n
}

// find returns the rows of a write id and a bucket.
func (s *eventSet) find(write int64, bucket int32) []int64 {
	i, ok := slices.BinarySearchFunc(s.groups, eventGroup{write: write, bucket: bucket}, compareGroups)
	if !ok {
		return nil
	}
	return s.of(i)
}

// box bounds row ids.
type box struct {
	write, bucket, row [2]int64
}

// mostProbed bounds how many write ids and buckets are looked at to do without a stripe's row ids.
const mostProbed = 4096

// may reports whether some event may be about a row in a box.
func (s *eventSet) may(b box) bool {
	first, _ := slices.BinarySearchFunc(s.groups, b.write[0], func(g eventGroup, w int64) int { return cmp.Compare(g.write, w) })
	for i := first; i < len(s.groups) && s.groups[i].write <= b.write[1]; i++ {
		if i-first > mostProbed {
			return true // reading the row ids is no more work
		}
		if k := int64(s.groups[i].bucket); k < b.bucket[0] || k > b.bucket[1] {
			continue
		}
		rows := s.of(i)
		if at, _ := slices.BinarySearch(rows, b.row[0]); at < len(rows) && rows[at] <= b.row[1] {
			return true
		}
	}
	return false
}

// matcher tells which rows of a file a set names, as they come. Rows of Hive's files are sorted.
type matcher struct {
	set    *eventSet
	write  int64
	bucket int32
	rows   []int64 // of the set, for these
	at     int     // the first of rows that is not behind
	last   int64
	began  bool
}

// one says that all rows are of a write id and a bucket.
func (m *matcher) one(write int64, bucket int32) error {
	m.began, m.write, m.bucket = true, write, bucket
	m.rows, m.at, m.last = m.set.find(write, bucket), 0, math.MinInt64
	return checkBucket(bucket)
}

// match calls gone with the positions of rows, counted from first, that the set names.
func (m *matcher) match(write []int64, bucket []int32, row []int64, first int64, gone func(pos int64)) error {
	for i := 0; i < len(row); {
		w, b := write[i], bucket[i]
		if !m.began || w != m.write || b != m.bucket {
			if err := m.one(w, b); err != nil {
				return err
			}
		}
		k := i + 1
		for k < len(row) && write[k] == w && bucket[k] == b {
			k++
		}
		if len(m.rows) > 0 {
			m.matchRows(row[i:k], first+int64(i), gone)
		}
		i = k
	}
	return nil
}

// take notes as gone what the set names of row ids, all of the write id and bucket that one has said; pos is the position
// of the first.
func (m *matcher) take(gone *gonerows.Rows, ids orc.RowIDs, pos int64) {
	if ids.Values != nil {
		m.matchSome(ids.Values, pos, func(pos int64) { gone.Add(uint32(pos)) })
		return
	}
	found := m.counted(ids.First, ids.Count)
	gone.Grow(len(found))
	distinct(found, func(row int64) { gone.Add(uint32(pos + row - ids.First)) })
}

// counted returns the rows of the set, perhaps several alike, that are among n > 0 rows numbered through from first on.
func (m *matcher) counted(first int64, n int) []int64 {
	i, _ := slices.BinarySearch(m.rows, first)
	last := first + int64(n-1)
	k := sort.Search(len(m.rows), func(k int) bool { return m.rows[k] > last })
	return m.rows[i:k]
}

// matchSome is matchRows, quicker where rows are numbered through, as they are where none has been deleted before.
func (m *matcher) matchSome(row []int64, first int64, gone func(pos int64)) {
	if !consecutive(row) {
		m.matchRows(row, first, gone)
		return
	}
	distinct(cut(m.rows, row[0], row[0]+int64(len(row))), func(r int64) { gone(first + r - row[0]) })
}

// distinct yields sorted rows, each once: a row may be deleted twice.
func distinct(rows []int64, yield func(row int64)) {
	for i, r := range rows {
		if i == 0 || r != rows[i-1] {
			yield(r)
		}
	}
}

// consecutive reports whether each row is the next of the one before.
func consecutive(row []int64) bool {
	n := int64(len(row))
	if n == 0 || row[0] < 0 || row[n-1]-row[0] != n-1 || row[0] > math.MaxInt64-n {
		return false
	}
	bad, want := int64(0), row[0]
	for _, r := range row {
		bad |= r ^ want
		want++
	}
	return bad == 0
}

// matchRows is match within one write id and bucket.
func (m *matcher) matchRows(row []int64, first int64, gone func(pos int64)) {
	rows, at, last := m.rows, m.at, m.last
	next := int64(math.MaxInt64) // rows[at], or, behind the last, what no row is above
	if at < len(rows) {
		next = rows[at]
	}
	for i, r := range row {
		if r >= last && r < next {
			last = r
			continue
		}
		if r < last { // not sorted after all
			at, _ = slices.BinarySearch(rows, r)
		} else if at < len(rows) && next < r {
			at = gallop(rows, at, r)
		}
		last, next = r, math.MaxInt64
		if at < len(rows) {
			if next = rows[at]; next == r {
				gone(first + int64(i))
			}
		}
	}
	m.at, m.last = at, last
}

// gallop returns the first of rows, from at on, that is not below r.
func gallop(rows []int64, at int, r int64) int {
	step := 1
	for at+step < len(rows) && rows[at+step] < r {
		at += step
		step *= 2
	}
	i, _ := slices.BinarySearch(rows[at:min(at+step+1, len(rows))], r)
	return at + i
}
