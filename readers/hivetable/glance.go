package hivetable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/internal/metastore"
)

// kind is what a directory of write ids holds.
type kind uint8

const (
	base kind = iota
	rows
	deletes
)

// idDir is a directory of write ids, by its name.
type idDir struct {
	name      string
	kind      kind
	min, max  int64 // write ids; of a base min is the lowest number
	statement bool  // it is of one statement of a transaction
	compacted int64 // transaction that compacted it; -1 = the name does not say one
	changed   time.Time
	marked    bool // a base of the compactor of Hive 3
}

// namePattern is that of the names of directories of write ids.
var namePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:base_(-?\d{1,19})|(delete_)?delta_(\d{1,18})_(\d{1,18})(_\d{1,9})?)(?:_v(\d{1,18}))?$`)
})

func parseName(name string) (d idDir, ok bool) {
	m := namePattern().FindStringSubmatch(name)
	if m == nil {
		return d, false
	}
	d = idDir{name: name, compacted: -1, min: math.MinInt64}
	number := func(digits string, to *int64) {
		n, err := strconv.ParseInt(digits, 10, 64)
		ok = ok && err == nil
		*to = n
	}
	ok = true
	if m[1] != "" {
		number(m[1], &d.max)
	} else {
		if d.kind = rows; m[2] != "" {
			d.kind = deletes
		}
		number(m[3], &d.min)
		number(m[4], &d.max)
		d.statement = m[5] != ""
	}
	if m[6] != "" {
		number(m[6], &d.compacted)
	}
	return d, ok
}

// isCompacted reports whether a base came of compaction, not of INSERT OVERWRITE.
func (d *idDir) isCompacted() bool { return d.marked || d.compacted >= 0 || d.max == math.MinInt64 }

// isMoved reports whether a directory has a name that the compactor of Hive 3 gives. Those of some writers are the same.
func (d *idDir) isMoved() bool { return !d.statement && d.compacted < 0 }

// glance is what a directory of an ACID table held at a moment.
type glance struct {
	names []string // that are not hidden
	dirs  []idDir  // those of write ids
	// inside has the directories that are in those of compactors of Hive 3 (_tmp_ID): they are made there, and moved here when all are whole.
	// Names without parents.
	inside    []idDir
	moved     bool // there is such a directory without any in it
	piecemeal bool // the store deletes a directory file by file, or moves it so
}

// tmpPrefix begins the names of the directories in which compactors of Hive 3 write.
const tmpPrefix = "_tmp_"

// mark is the file that the compactor of Hive 3 puts into a base.
const mark = "_metadata_acid"

func glanceAt(ctx context.Context, tree arrowio.Tree) (*glance, error) {
	g := &glance{piecemeal: !strings.HasPrefix(tree.Path(""), "hdfs://")}
	entries, err := listTop(ctx, tree)
	if err != nil {
		return nil, err
	}
	list := func(dir string) ([]arrowio.TreeEntry, error) {
		sub, err := tree.List(ctx, dir)
		if errors.Is(err, fs.ErrNotExist) { // was deleted meanwhile, which the next glance will show
			err = nil
		}
		return sub, err
	}
	for _, e := range entries {
		if e.Name == "" || e.Name[0] == '_' || e.Name[0] == '.' {
			continue
		}
		g.names = append(g.names, e.Name)
		d, ok := parseName(e.Name)
		if !ok || !e.Dir {
			continue
		}
		d.changed = e.ModTime
		if d.kind == base && d.compacted < 0 {
			sub, err := list(e.Name)
			if err != nil {
				return nil, err
			}
			d.marked = slices.ContainsFunc(sub, func(x arrowio.TreeEntry) bool { return x.Name == mark })
		}
		g.dirs = append(g.dirs, d)
	}
	for _, e := range entries { // afterwards: what is not in them any more is in the directory, if only since it was listed
		if !e.Dir || !strings.HasPrefix(e.Name, tmpPrefix) {
			continue
		}
		sub, err := list(e.Name)
		if err != nil {
			return nil, err
		}
		g.moved = g.moved || len(sub) == 0
		for _, x := range sub {
			if d, ok := parseName(x.Name); ok && x.Dir {
				g.inside = append(g.inside, d)
			}
		}
	}
	return g, nil
}

// half tells in which way a compaction of Hive 3 is there by half; "" = it is not.
func (g *glance) half(ctx context.Context, tree arrowio.Tree, writes *metastore.IDs) (string, error) {
	for i := range g.dirs {
		d := &g.dirs[i]
		if !d.isMoved() {
			continue
		}
		if d.kind == base {
			if g.moved && !d.isCompacted() && writes.Valid(d.max) != writes.SettledUpTo(d.max) {
				return fmt.Sprintf("a compaction is at work, and %s may be of it", d.name), nil
			}
		} else if other := (idDir{kind: rows + deletes - d.kind, min: d.min, max: d.max, compacted: -1}); !g.has(&other) && !g.replaced(d, writes) {
			if slices.ContainsFunc(g.inside, other.like) {
				return fmt.Sprintf("a compaction is at work: %s is in place, and what belongs to it is in a directory %s…", d.name, tmpPrefix), nil
			}
			left, err := g.left(ctx, tree, d, writes)
			if left != "" || err != nil {
				return fmt.Sprintf("a compaction is at work, or was broken off: %s is in place without what is to replace %s", d.name, left), err
			}
		}
		if g.piecemeal && slices.ContainsFunc(g.inside, d.like) {
			return fmt.Sprintf("a compaction is at work: %s is being moved from a directory %s…, or is about to be deleted and made anew", d.name, tmpPrefix), nil
		}
	}
	return "", nil
}

// like reports whether two directories are of one kind and the same write ids, and may both come of a compactor of Hive 3.
func (d *idDir) like(x idDir) bool {
	return x.kind == d.kind && x.min == d.min && x.max == d.max && x.isMoved() && d.isMoved()
}

func (g *glance) has(d *idDir) bool { return slices.ContainsFunc(g.dirs, d.like) }

// replaced reports whether a delta does not count, because a base or a wider delta does.
func (g *glance) replaced(d *idDir, writes *metastore.IDs) bool {
	return slices.ContainsFunc(g.dirs, func(x idDir) bool {
		switch {
		case x.compacted >= 0: // may not be finished
			return false
		case x.kind == base:
			return x.max >= d.max && (x.isCompacted() || writes.Valid(x.max))
		}
		return x.isMoved() && x.min <= d.min && x.max >= d.max && x.max-x.min > d.max-d.min
	})
}

// left returns the name of a directory with files that a compaction which made d must have put into a second one.
func (g *glance) left(ctx context.Context, tree arrowio.Tree, d *idDir, writes *metastore.IDs) (string, error) {
	for i := range g.dirs {
		x := &g.dirs[i]
		if x.kind == base || x.kind == d.kind || x.compacted >= 0 || x.min < d.min || x.max > d.max || !writes.AnyValid(x.min, x.max) {
			continue
		}
		files, err := tree.List(ctx, x.name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		for _, f := range files {
			if f.Dir || f.Size > 0 && f.Name[0] != '_' && f.Name[0] != '.' {
				return x.name, nil
			}
		}
	}
	return "", nil
}

// same reports whether nothing that matters to who reads as of writes has changed between two glances.
func (g *glance) same(now *glance, before, after, writes *metastore.IDs) bool {
	for _, name := range g.names {
		if !slices.Contains(now.names, name) {
			return false
		}
	}
	for i := range now.dirs {
		d := &now.dirs[i]
		if d.compacted > 0 && before.Valid(d.compacted) != after.Valid(d.compacted) {
			return false
		}
		k := slices.IndexFunc(g.dirs, func(x idDir) bool { return x.name == d.name })
		if k < 0 && g.mayReplace(d, writes) {
			return false // what it replaces may be half deleted by now
		}
		if k >= 0 && d.isMoved() && d.counts(writes) && (d.marked != g.dirs[k].marked || !d.changed.Equal(g.dirs[k].changed)) {
			return false // it was made anew
		}
	}
	return true
}

// counts reports whether anything in a directory may be read as of writes.
func (d *idDir) counts(writes *metastore.IDs) bool {
	if d.kind == base {
		return d.isCompacted() || writes.Valid(d.max)
	}
	return writes.AnyValid(d.min, d.max)
}

// mayReplace reports whether a directory that was not there may have been made of others.
func (g *glance) mayReplace(d *idDir, writes *metastore.IDs) bool {
	if d.kind == base {
		return true
	}
	return d.isMoved() && d.counts(writes) && (d.min != d.max || slices.ContainsFunc(g.dirs, func(x idDir) bool { return x.min == d.min && x.max == d.max }))
}
