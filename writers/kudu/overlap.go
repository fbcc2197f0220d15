package kudu

import (
	"bytes"
	"container/heap"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/internal/cfile"
	reader "github.com/arrowio/arrowio/internal/kudu"
)

// mergeWays is how many rowsets of the tablet are compared with the set at once: each takes a file and a block of keys.
const mergeWays = 256

// checkOverlap looks for keys of the set that the tablet has, or that its log is about. Ranges of keys may overlap, as
// those of Kudu's own rowsets do.
func (im *importer) checkOverlap() error {
	lo, hi := im.rowsets[0].min, im.rowsets[0].max
	for _, r := range im.rowsets[1:] {
		if bytes.Compare(r.min, lo) < 0 {
			lo = r.min
		}
		if bytes.Compare(r.max, hi) > 0 {
			hi = r.max
		}
	}
	var held []*reader.HeldRowSet
	for _, h := range im.tablet.RowSets {
		if (h.Max == nil || bytes.Compare(lo, h.Max) <= 0) && (h.Min == nil || bytes.Compare(h.Min, hi) <= 0) {
			held = append(held, h)
		}
	}
	o := &overlap{im: im}
	logged := im.tablet.LoggedKeys()
	ways := mergeWays
	if im.ops.ways > 0 {
		ways = im.ops.ways
	}
	for first := true; first || len(held) > 0; first = false {
		n := min(len(held), ways)
		if !first {
			logged = 0 // compared in the first pass
		}
		if n > 0 || logged > 0 {
			if err := o.merge(held[:n], logged); err != nil {
				return err
			}
		}
		held = held[n:]
	}
	return o.result()
}

// keySource is keys in order: of a rowset of the set, of one of the tablet, or of the log.
type keySource struct {
	set      *setRowSet
	held     *reader.HeldRowSet
	tablet   *reader.Tablet // of the log
	keys     *cfile.Keys    // of the set
	heldKeys *reader.Keys   // of the rowset of the tablet
	closer   io.Closer
	row      int64
	key      []byte // the present one; before the source is open, the least
}

// overlap merges keys of the set and of the tablet. It is the heap of the sources that are open.
type overlap struct {
	im     *importer
	active []*keySource
	found  [3]finding
}

// What a key of the set may be in the tablet.
const (
	liveKey   = iota // of a row
	loggedKey        // of a row that the log is about
	ghostKey         // of a row that was deleted
)

// finding is keys of one kind.
type finding struct {
	keys  int64
	first []byte
}

func (o *overlap) Len() int           { return len(o.active) }
func (o *overlap) Less(i, j int) bool { return bytes.Compare(o.active[i].key, o.active[j].key) < 0 }
func (o *overlap) Swap(i, j int)      { o.active[i], o.active[j] = o.active[j], o.active[i] }

// Push implements heap.Interface.
func (o *overlap) Push(x any) { o.active = append(o.active, x.(*keySource)) }

// Pop implements heap.Interface.
func (o *overlap) Pop() any {
	last := o.active[len(o.active)-1]
	o.active = o.active[:len(o.active)-1]
	return last
}

// merge compares all rowsets of the set with some of the tablet's, and with the log where logged keys are in it.
func (o *overlap) merge(held []*reader.HeldRowSet, logged int) (err error) {
	var waiting []*keySource
	for _, r := range o.im.rowsets {
		waiting = append(waiting, &keySource{set: r, key: r.min})
	}
	for _, h := range held {
		waiting = append(waiting, &keySource{held: h, key: h.Min})
		defer h.Forget()
	}
	if logged > 0 {
		waiting = append(waiting, &keySource{tablet: o.im.tablet, row: -1, key: o.im.tablet.LoggedKey(0)})
	}
	slices.SortStableFunc(waiting, func(a, b *keySource) int { return bytes.Compare(a.key, b.key) })
	defer func() {
		for _, s := range o.active {
			err = errors.Join(err, s.close())
		}
		o.active = o.active[:0]
	}()
	sets := len(o.im.rowsets) // that are not at their end
	var same []*keySource     // that have the least key
	for n := 0; sets > 0; n++ {
		if n&1023 == 0 && o.im.ctx.Err() != nil {
			return o.im.ctx.Err()
		}
		for len(waiting) > 0 && (len(o.active) == 0 || bytes.Compare(waiting[0].key, o.active[0].key) <= 0) {
			s := waiting[0]
			waiting = waiting[1:]
			if err := o.im.openSource(s); err != nil {
				return err
			}
			ok, err := s.next()
			if err != nil {
				return errors.Join(o.im.inSource(err, s), s.close())
			}
			if !ok {
				return errors.Join(o.im.inSource(corrupt("no keys"), s), s.close())
			}
			heap.Push(o, s)
		}
		same = same[:0]
		for len(o.active) > 0 && (len(same) == 0 || bytes.Equal(o.active[0].key, same[0].key)) {
			same = append(same, heap.Pop(o).(*keySource))
		}
		if len(same) > 1 {
			if err := o.equal(same); err != nil {
				return errors.Join(err, closeAll(same))
			}
		}
		for i, s := range same {
			ok, err := s.next()
			switch {
			case err != nil:
				return errors.Join(o.im.inSource(err, s), closeAll(same[i:]))
			case ok:
				heap.Push(o, s)
				continue
			case s.set != nil:
				sets--
			}
			if err := s.close(); err != nil {
				return errors.Join(err, closeAll(same[i+1:]))
			}
		}
	}
	return nil
}

func closeAll(sources []*keySource) (err error) {
	for _, s := range sources {
		err = errors.Join(err, s.close())
	}
	return err
}

// openSource opens the keys of a source, before the first.
func (im *importer) openSource(s *keySource) (err error) {
	switch {
	case s.set != nil:
		s.keys, s.closer, err = im.openKeys(im.ctx, s.set)
	case s.held != nil:
		if s.heldKeys, err = s.held.Keys(im.ctx); err == nil {
			s.closer = s.heldKeys
		}
	}
	return err
}

// inSource says where an error of reading keys is.
func (im *importer) inSource(err error, s *keySource) error {
	if s.set != nil {
		return im.inFile(err, s.set.keys)
	}
	return err
}

// next moves to the next key; false at the end.
func (s *keySource) next() (bool, error) {
	if s.tablet != nil {
		if s.row++; s.row >= int64(s.tablet.LoggedKeys()) {
			return false, nil
		}
		s.key = s.tablet.LoggedKey(int(s.row))
		return true, nil
	}
	if k := s.heldKeys; k != nil {
		if !k.Next() {
			return false, k.Err
		}
		s.row, s.key = k.Row, k.Key
		return true, nil
	}
	if !s.keys.Next() {
		return false, s.keys.Err
	}
	s.row, s.key = s.keys.Row, s.keys.Key
	return true, nil
}

func (s *keySource) close() error {
	if s.closer == nil {
		return nil
	}
	c := s.closer
	s.closer = nil
	return c.Close()
}

// equal takes sources that have the same key.
func (o *overlap) equal(same []*keySource) error {
	sets, kind := 0, -1
	for _, s := range same {
		is := -1
		switch {
		case s.set != nil:
			sets++
		case s.tablet != nil:
			is = loggedKey
		default:
			live, err := s.held.Live(o.im.ctx, s.row)
			if err != nil {
				return err
			}
			if is = ghostKey; live {
				is = liveKey
			}
		}
		if is >= 0 && (kind < 0 || is < kind) {
			kind = is
		}
	}
	switch {
	case sets == 0:
	case sets > 1:
		return corrupt("two rowsets of the set have the key %s", o.text(same[0].key))
	case kind >= 0:
		f := &o.found[kind]
		if f.keys++; f.keys == 1 {
			f.first = bytes.Clone(same[0].key)
		}
	}
	return nil
}

func (o *overlap) text(key []byte) string { return o.im.tablet.KeyText(key) }

// result refuses what was found. A key that is live twice is one that Kudu finds once, and counts twice; one that the log
// is about makes the tablet fail when it starts, or does to the new row what was meant for the old one. Both are refused
// whatever is forced. Kudu accepts a new row with the key of a deleted one: only scans as of a time before the deletion show both.
func (o *overlap) result() error {
	var parts []string
	if f := o.found[liveKey]; f.keys > 0 {
		parts = append(parts, sentence("the tablet already has %s of the set (the first is %s)", count(f.keys, "key"), o.text(f.first)))
	}
	if f := o.found[loggedKey]; f.keys > 0 {
		parts = append(parts, sentence("the tablet's write-ahead log, which the server replays when it starts, changes rows with %s of the set (the first is %s)", count(f.keys, "key"), o.text(f.first)))
	}
	if len(parts) > 0 {
		return refuse("%s. Keys are unique: delete those of these rows that exist with a Kudu client, wait until the server has flushed its log, and import again; or write a set without these keys", strings.Join(parts, "; "))
	}
	if f := o.found[ghostKey]; f.keys > 0 {
		o.im.doubt("the tablet has deleted rows with %s of the set (the first is %s): until a compaction, scans as of a time before the deletion "+
			"show both the deleted rows and the imported ones", count(f.keys, "key"), o.text(f.first))
	}
	return nil
}
