package hivetable

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/metastore"
)

// acid says as of which write ids a directory is read. It is part of the JSON of a member.
type acid struct {
	Server string `json:"server"` // that is asked what was compacted meanwhile
	Writes string `json:"writes"` // HIGHEST:OPEN,…:ABORTED,…
	High   int64  `json:"high"`
}

// openACID opens a directory of an ACID table; nil = it is empty.
func (s *settings) openACID(ctx context.Context, format arrowio.Format, dir string, a *acid, o arrowio.OpenOptions) (f arrowio.File, err error) {
	tree, err := s.tree(dir)
	if err != nil {
		return nil, err
	}
	c, err := metastore.Dial(ctx, a.Server, s.metastore)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := c.Close(); e != nil && f != nil {
			err = errors.Join(e, f.Close())
			f = nil
		}
	}()
	err = s.settled(ctx, c, tree, a.High, func(txns string) error {
		if f != nil {
			if err := f.Close(); err != nil {
				return err
			}
			f = nil
		}
		names, err := visible(ctx, tree)
		if err != nil || len(names) == 0 {
			return err
		}
		o.Options["orc-write-ids"], o.Options["orc-transactions"] = a.Writes, txns
		f, err = format.OpenTree(ctx, tree, o)
		return err
	})
	if err != nil && f != nil {
		err = errors.Join(err, f.Close())
		f = nil
	}
	return f, absent(err, dir)
}

// attempts is how often a directory is looked at that changes meanwhile, halfAttempts how often one that is compacted by half: ten seconds.
const (
	attempts     = 4
	halfAttempts = 100
	halfWait     = 100 * time.Millisecond
)

// settled calls look, which chooses among the directories of tree, with the transactions that count. What Hive's compactor is about to
// write does not count, and what it has finished replaces directories that its cleaner then deletes. So look is called again if a
// compaction was finished, or a directory has vanished, while look was at work. high is the highest write id that is read.
func (s *settings) settled(ctx context.Context, c *metastore.Client, tree arrowio.Tree, high int64, look func(txns string) error) error {
	var last error
	for i, half := 0, 0; i < attempts; {
		before, err := c.Transactions(ctx)
		if err != nil {
			return err
		}
		names, err := visible(ctx, tree)
		if err != nil {
			return err
		}
		if err := overwritten(names, high); err != nil {
			return err
		}
		looked := look(before.Text())
		if looked != nil && !errors.Is(looked, fs.ErrNotExist) {
			return looked
		}
		after, err := c.Transactions(ctx)
		if err != nil {
			return err
		}
		now, err := visible(ctx, tree)
		if err != nil {
			return err
		}
		if same(names, now, before, after) {
			if half == halfAttempts || !halfCompacted(names) {
				return looked
			}
			half++
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(halfWait):
			}
			continue
		}
		i++
		last = looked
	}
	return errors.Join(errs.Errorf(errs.ErrUnsupported, "the directory was compacted each of the %d times that it was looked at: read the table again later", attempts), last)
}

// visible lists the directories and files of a tree that are not hidden.
func visible(ctx context.Context, tree arrowio.Tree) (names []string, err error) {
	entries, err := tree.List(ctx, "")
	for _, e := range entries {
		if e.Name != "" && e.Name[0] != '_' && e.Name[0] != '.' {
			names = append(names, e.Name)
		}
	}
	return names, err
}

// patterns are those of the names of directories.
var patterns = sync.OnceValues(func() (compacted, written *regexp.Regexp) {
	return regexp.MustCompile(`^(?:base|delta|delete_delta)_.*_v(\d{1,18})$`), regexp.MustCompile(`^base_(\d{1,18})$`)
})

// several is the pattern of directories of several write ids, as the compactor of Hive 3 names them: it does not say when they were finished.
var several = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:delete_)?delta_(\d{1,18})_(\d{1,18})$`) })

// isSeveral reports whether a directory is one of several write ids.
func isSeveral(name string) bool {
	m := several().FindStringSubmatch(name)
	return m != nil && number(m[1]) != number(m[2])
}

// halfCompacted reports whether the compactor of Hive 3, which moves its two directories into place one after the other, may have moved that
// of the rows and not yet that of the deletes, or the other way round: there are still directories that the one to come replaces. Where only
// what aborted transactions have written is left, there is none to wait for.
func halfCompacted(names []string) bool {
	const deletes = "delete_"
	for _, name := range names {
		made := several().FindStringSubmatch(name)
		if made == nil || !isSeveral(name) {
			continue
		}
		rows, isDeletes := strings.CutPrefix(name, deletes)
		other := rows
		if !isDeletes {
			other = deletes + name
		}
		if slices.Contains(names, other) {
			continue
		}
		for _, n := range names {
			m := single().FindStringSubmatch(n)
			if m != nil && strings.HasPrefix(n, deletes) != isDeletes && number(m[1]) >= number(made[1]) && number(m[2]) <= number(made[2]) {
				return true
			}
		}
	}
	return false
}

// single is the pattern of directories of rows or of deletes, with any write ids.
var single = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:delete_)?delta_(\d{1,18})_(\d{1,18})(?:_\d{1,9})?$`)
})

func number(digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil { // it has at most 18 digits
		return -1
	}
	return n
}

// overwritten returns an error for a base that INSERT OVERWRITE has written after the table was listed: what it replaces may have been
// deleted, so that rows as of the list may be missing.
func overwritten(names []string, high int64) error {
	_, written := patterns()
	for _, name := range names {
		if m := written.FindStringSubmatch(name); m != nil {
			if n, err := strconv.ParseInt(m[1], 10, 64); err == nil && n > high {
				return errs.Errorf(errs.ErrUnsupported, "%s was written after the table was opened, and may replace rows of it: read the table again", name)
			}
		}
	}
	return nil
}

// same reports whether nothing that matters has changed between two looks at a directory.
func same(names, now []string, before, after *metastore.IDs) bool {
	compacted, _ := patterns()
	for _, name := range names {
		if !slices.Contains(now, name) {
			return false
		}
	}
	for _, name := range now {
		if (strings.HasPrefix(name, "base_") || isSeveral(name)) && !slices.Contains(names, name) {
			return false // what it replaces may be half deleted by now
		}
		if m := compacted.FindStringSubmatch(name); m != nil {
			n, err := strconv.ParseInt(m[1], 10, 64)
			if err != nil || before.Valid(n) != after.Valid(n) && n != 0 {
				return false
			}
		}
	}
	return true
}
