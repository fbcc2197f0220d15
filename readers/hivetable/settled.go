package hivetable

import (
	"context"
	"errors"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/metastore"
)

// Hive 4 names a directory that compaction made after the compaction's transaction, so that it counts when that is committed. Hive 3 moves it
// into place, and that is all:
//
//	delta_1_1_0  delta_2_2_0  delete_delta_2_2_0  _tmp_ID/delta_1_2  _tmp_ID/delete_delta_1_2   the job is done
//	… delta_1_2                                   _tmp_ID/delete_delta_1_2                     half: the deletes of 1 and 2 are missing
//	… delta_1_2  delete_delta_1_2                                                              _tmp_ID goes
//	delta_2_2_0  delete_delta_2_2_0  delta_1_2  delete_delta_1_2                               the cleaner is at work
//	delta_1_2  delete_delta_1_2
//
// The two directories come in any order. A compaction of the same write ids that is done again deletes each of them before it moves the new
// one. A base is moved before (3.1.0 to 3.1.2) or after (3.1.3) it has a mark inside that tells it from one of INSERT OVERWRITE.
//
// The cleaner deletes what newer directories stand for, unless readers hold a lock; here none is held. What it deletes is never read as long as
// the newer directory is seen, and counts for the write ids that are read. Whatever is newer and does not count is therefore an error: read the
// table again, with newer write ids.

// watched is a directory of a table that others may compact.
type watched struct {
	client          *metastore.Client
	tree            arrowio.Tree
	database, table string
	writes          *metastore.IDs // as of which it is read
}

// attempts is how often a directory is looked at that changes meanwhile; waits is how often, and wait how long, one is waited for that is compacted
// by half: ten seconds in all.
const (
	attempts = 4
	waits    = 100
	wait     = 100 * time.Millisecond
)

// settled calls look, which chooses among the directories of the tree, with the transactions that count, and tells it whether there is nothing to
// choose from. It waits while a compaction is there by
// half, and calls look again if one was finished, or a directory has vanished, while look was at work.
func (w *watched) settled(ctx context.Context, look func(txns string, empty bool) error) error {
	var last error
	for i, waited := 0, 0; i < attempts; {
		before, seen, err := w.see(ctx)
		if err != nil {
			return err
		}
		half, err := seen.half(ctx, w.tree, w.writes)
		if err != nil {
			return err
		}
		if half != "" {
			if waited == waits {
				return errs.Errorf(errs.ErrUnsupported, "%s: read the table again later; if it stays so, the compaction was broken off, and the directory has to be repaired", half)
			}
			waited++
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(wait):
			}
			continue
		}
		looked := look(before.Text(), len(seen.names) == 0)
		after, now, err := w.see(ctx)
		if err != nil {
			return err
		}
		if seen.same(now, before, after, w.writes) {
			return looked
		}
		i++
		last = looked
	}
	return errors.Join(errs.Errorf(errs.ErrUnsupported, "the directory was compacted each of the %d times that it was looked at: read the table again later", attempts), last)
}

// see looks at what the directory holds, and asks which transactions count. It returns an error if there are rows that are newer than those that
// are read, and may have replaced them.
func (w *watched) see(ctx context.Context) (txns *metastore.IDs, seen *glance, err error) {
	if txns, err = w.client.Transactions(ctx); err != nil {
		return nil, nil, err
	}
	if seen, err = glanceAt(ctx, w.tree); err != nil {
		return nil, nil, err
	}
	var current *metastore.IDs
	for _, d := range seen.dirs {
		if d.kind != base || d.compacted >= 0 && !txns.Valid(d.compacted) {
			continue
		}
		why := ""
		switch opened := w.writes; {
		case d.isCompacted() && !opened.SettledUpTo(d.max):
			why = "was compacted"
		case !d.isCompacted() && d.max > opened.High:
			why = "was written"
		case !d.isCompacted() && opened.IsOpen(d.max): // an INSERT OVERWRITE was at work: is it still?
			if current == nil {
				if current, err = w.client.WriteIDs(ctx, w.database, w.table, txns); err != nil {
					return nil, nil, err
				}
			}
			if current.Valid(d.max) {
				why = "was committed"
			}
		}
		if why != "" {
			return nil, nil, errs.Errorf(errs.ErrUnsupported, "%s %s after the table was opened, and may replace rows of it: read the table again", d.name, why)
		}
	}
	return txns, seen, nil
}
