package hivetable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/metastore"
)

// Commit implements arrowio.Store: readers of the table see the rows. If it fails, Abort takes everything back.
func (t *Table) Commit() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return errs.Errorf(errs.ErrInternal, "commit: %w", errDone)
	}
	if len(t.made) == 0 {
		t.done = true
		return nil
	}
	if err := t.ask(t.ctx, t.prepare); err != nil {
		return err
	}
	for _, f := range t.made {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		if err := f.st.Commit(); err != nil {
			return err
		}
		f.shown = true
	}
	err := t.ask(t.ctx, t.add)
	if err == nil {
		t.done = true
	}
	return err
}

// prepare looks whether the table is as it was, and removes the statistics of what gets rows.
func (t *Table) prepare(c *metastore.Client) error {
	now, err := c.StoredTable(t.ctx, t.meta.Named())
	if err != nil {
		return err
	}
	if err := unchanged(&t.meta.Table, &now.Table); err != nil {
		return err
	}
	t.meta = now
	if t.keys == nil {
		if metastore.Counted(now.Parameters) {
			return c.ForgetTable(t.ctx, now)
		}
		return nil
	}
	var names []string
	for name, p := range t.parts {
		if p.found {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	found, err := c.StoredPartitions(t.ctx, now, names)
	if err != nil {
		return err
	}
	if len(found) != len(names) {
		return errs.Errorf(errs.ErrOption, "%d partitions were dropped meanwhile: write the rows again", len(names)-len(found))
	}
	return t.uncount(c, found)
}

// uncount removes the statistics of partitions that get rows, and looks whether they are where the rows were written.
func (t *Table) uncount(c *metastore.Client, found []metastore.StoredPartition) error {
	var counted []metastore.StoredPartition
	for _, f := range found {
		if err := t.inPlace(&f); err != nil {
			return err
		}
		if metastore.Counted(f.Parameters) {
			counted = append(counted, f)
		}
	}
	return c.ForgetPartitions(t.ctx, t.meta, counted)
}

// inPlace returns an error for a partition that is not where the rows were written.
func (t *Table) inPlace(f *metastore.StoredPartition) error {
	for _, p := range t.parts {
		if slices.Equal(p.values, f.Values) {
			if at := strings.TrimRight(f.Storage.Location, "/"); at != p.location {
				return errs.Errorf(errs.ErrOption, "the partition %s is in %s meanwhile, and was in %s: write the rows again", p.name, at, p.location)
			}
			return sameStorage(&t.meta.Table, &f.Partition)
		}
	}
	return nil
}

// unchanged returns an error for a table that is another one than it was.
func unchanged(was, now *metastore.Table) error {
	if err := writable(now); err != nil {
		return err
	}
	same := was.Storage.Location == now.Storage.Location && was.Storage.InputFormat == now.Storage.InputFormat && was.Storage.SerDe == now.Storage.SerDe &&
		slices.Equal(was.Storage.Columns, now.Storage.Columns) && slices.Equal(was.Keys, now.Keys)
	if !same {
		return errs.Errorf(errs.ErrOption, "the table was changed meanwhile: write the rows again")
	}
	return nil
}

// attempts is how often partitions are added that somebody else adds, too.
const attempts = 5

// add adds the new partitions.
func (t *Table) add(c *metastore.Client) error {
	for try := 1; ; try++ {
		var add []metastore.NewPartition
		var names []string
		for name, p := range t.parts {
			if !p.found && t.keys != nil {
				add, names = append(add, metastore.NewPartition{Values: p.values, Location: p.location}), append(names, name)
			}
		}
		if len(add) == 0 {
			return nil
		}
		err := c.AddPartitions(t.ctx, t.meta, add)
		var refused *metastore.Refused
		const exists = 2
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &refused):
			t.done = true // Abort must remove nothing
			return fmt.Errorf("perhaps the table has the rows, perhaps not: look for the partition %s before you write them again. The files stay, %s and others: %w", names[0], t.made[0].path, err)
		case refused.Exception != exists || try == attempts:
			return err
		}
		found, ferr := c.StoredPartitions(t.ctx, t.meta, names)
		if ferr != nil {
			return errors.Join(err, ferr)
		}
		if err := t.uncount(c, found); err != nil {
			return err
		}
		for _, p := range t.parts {
			p.found = p.found || slices.ContainsFunc(found, func(f metastore.StoredPartition) bool { return slices.Equal(f.Values, p.values) })
		}
	}
}

// Abort implements arrowio.Store: it removes all files that were written, unless the table may have them.
func (t *Table) Abort() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return nil
	}
	t.done = true
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), time.Minute)
	defer cancel()
	var all []error
	for _, f := range t.made {
		err := f.st.Abort() // does nothing once it is committed
		if f.shown {
			if err = t.o.Stores.Remove(ctx, f.path); errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
		}
		if err != nil && len(all) < 3 {
			all = append(all, fmt.Errorf("the file %s is left, remove it: %w", f.path, err))
		}
	}
	slices.SortFunc(t.fresh, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range t.fresh {
		_ = os.Remove(dir) // not if somebody else has put something there
	}
	return errors.Join(all...)
}
