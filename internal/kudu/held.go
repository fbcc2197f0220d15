package kudu

import (
	"bytes"
	"context"
	"io"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Tablet is what a stopped server has of one tablet, for programs that add rows to it. It
// belongs to one goroutine.
type Tablet struct {
	Super    *kuduwire.SuperBlock
	Schema   *kuduwire.Schema // the newer one of the superblock's and the log's
	RowSets  []*HeldRowSet    // in the order of the superblock
	Segments int              // of the write-ahead log
	// LastRowSet is the greatest id of a rowset that the superblock has or that the log mentions, whether or not it is
	// there still; -1 = none. What the log says of a rowset is done to any of that id.
	LastRowSet int64

	file   *File
	watch  *logWatch
	logged []uint32 // its keys, sorted
}

// logWatch notes what a replay comes by.
type logWatch struct {
	lastRowSet int64
	keys       keyTable // of rows that the replay touched
	result     kuduwire.Result
}

// commit notes the rowsets that a result, a TxResultPB, mentions.
func (w *logWatch) commit(result []byte) error {
	results := kuduwire.ParseResults(result)
	for results.Next(&w.result) {
		for _, s := range w.result.Stores {
			w.lastRowSet = max(w.lastRowSet, s.RowSet)
		}
	}
	return results.Err()
}

func (w *logWatch) touch(key []byte) error {
	_, _, err := w.keys.add(key)
	return err
}

// OpenTablet reads the superblock of a tablet, the ends of its rowsets, and replays its log, as a starting server would:
// with every operation whose fate is not known. Damage is an error, as in Open. The blocks must stay open.
func OpenTablet(ctx context.Context, dirs *Dirs, blocks *Blocks, id string, limits arrowio.Limits) (*Tablet, error) {
	super, err := dirs.SuperBlock(id)
	if err != nil {
		return nil, err
	}
	w := &logWatch{lastRowSet: -1}
	w.keys = newKeyTable(&arena{bound: &memoryBound{limit: defaultWALMemory}})
	f := &File{dirs: dirs, blocks: blocks, limits: limits.WithDefaults(), opt: Options{Uncommitted: "apply", watch: w}, sizes: usualSizes, table: super.TableName}
	t := &tablet{id: id, super: super}
	if err := f.openTablet(ctx, t); err != nil {
		return nil, inTablet(err, t)
	}
	out := &Tablet{Super: super, Schema: t.schema, Segments: t.log.segments, LastRowSet: w.lastRowSet, file: f, watch: w}
	for _, rs := range t.rowsets {
		h, err := rs.held(ctx)
		if err != nil {
			return nil, inRowSet(err, rs)
		}
		out.RowSets = append(out.RowSets, h)
		out.LastRowSet = max(out.LastRowSet, h.ID)
	}
	for i := range w.keys.keys {
		out.logged = append(out.logged, uint32(i))
	}
	w.keys.sort(out.logged)
	return out, nil
}

// Warnings returns the reasons to doubt that the data of the tablet is complete and right.
func (t *Tablet) Warnings() []arrowio.Warning { return t.file.Warnings() }

// LoggedKeys returns how many keys a server will touch when it replays the log: of rows that it inserts, and of rows that
// it changes or deletes, in memory or on disk. All of these are in the log's hands, the rows that are gone at its end, too.
func (t *Tablet) LoggedKeys() int { return len(t.logged) }

// LoggedKey returns the i-th of those keys in their order, encoded.
func (t *Tablet) LoggedKey(i int) []byte { return t.watch.keys.key(int(t.logged[i])) }

// KeyText returns an encoded primary key of the table as text, for messages.
func (t *Tablet) KeyText(key []byte) string { return keyText(t.Schema, key) }

// HeldRowSet is a rowset on disk.
type HeldRowSet struct {
	ID       int64
	Rows     int64  // stored, those that are gone included
	Min, Max []byte // the least and the greatest encoded key; nil = not known

	rs *rowset
}

// held reads where the keys of a rowset begin and end.
func (rs *rowset) held(ctx context.Context) (*HeldRowSet, error) {
	id, what, ok := rs.keyBlock()
	if !ok {
		return nil, errs.Errorf(errs.ErrCorrupt, "it has no file of keys")
	}
	r, closer, err := rs.file.block(ctx, id, what)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	h := &HeldRowSet{ID: rs.meta.ID, Rows: rs.rows, rs: rs}
	for _, x := range []struct {
		to   *[]byte
		name string
	}{{&h.Min, cfilewire.MetaMinKey}, {&h.Max, cfilewire.MetaMaxKey}} {
		if key, ok := r.Footer().Lookup(x.name); ok {
			*x.to = bytes.Clone(key)
		}
	}
	return h, nil
}

// Keys are the encoded keys of all stored rows of a rowset, in order. They belong to one goroutine, which closes them.
//
//	for k.Next() {
//		… k.Row, k.Key
//	}
//	return k.Err
type Keys struct {
	Row int64
	Key []byte // valid until the next Next
	Err error

	keys   *cfile.Keys
	closer io.Closer
}

// Next moves to the next key; false at the end and after an error.
func (k *Keys) Next() bool {
	ok := k.keys.Next()
	k.Row, k.Key, k.Err = k.keys.Row, k.keys.Key, k.keys.Err
	return ok
}

// Close closes the block that has the keys.
func (k *Keys) Close() error { return k.closer.Close() }

// Keys opens the keys of the rowset, before the first. The caller closes them.
func (h *HeldRowSet) Keys(ctx context.Context) (*Keys, error) {
	id, what, _ := h.rs.keyBlock()
	r, closer, err := h.rs.file.block(ctx, id, what)
	if err != nil {
		return nil, inRowSet(err, h.rs)
	}
	keys, err := r.NewKeys(ctx)
	if err != nil {
		_ = closer.Close()
		return nil, inRowSet(h.rs.file.inBlock(err, id, what), h.rs)
	}
	return &Keys{keys: keys, closer: closer}, nil
}

// Live reports whether a row exists after all changes on disk and in the log. It keeps what it has read, for calls with rows
// nearby; Forget frees it.
func (h *HeldRowSet) Live(ctx context.Context, row int64) (bool, error) {
	if row < 0 || row >= h.Rows {
		return false, inRowSet(errs.Errorf(errs.ErrCorrupt, "a key of row %d, the rowset has %d", row, h.Rows), h.rs)
	}
	return h.rs.live(ctx, row)
}

// Forget frees the memory that Live keeps.
func (h *HeldRowSet) Forget() { h.rs.endLookup() }
