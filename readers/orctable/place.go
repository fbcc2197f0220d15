package orctable

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers/orc"
)

// partition is a directory that is chosen by itself: a partition, or a table without.
type partition struct {
	path   string // in the tree
	keys   []string
	values []partitionValue
	dirs   []*acidDir
	loose  []*dataFile // outside of them: originals
	choice choice
}

// partitionValue is that of a partition column, the same in all rows.
type partitionValue struct {
	text string
	null bool
}

// acidDir is a base or a delta.
type acidDir struct {
	candidate
	path  string
	files []*dataFile // sorted by path
}

// dataFile is a file that may hold rows or events.
type dataFile struct {
	path     string
	dir      *acidDir // nil = an original
	size     int64
	modified time.Time
	version  string
	flush    *flushFile // nil = all of the file counts
	// bucket that the name tells; bucketKnown = it does.
	bucket      int64
	bucketKnown bool

	described
	raw rawRows
}

// flushFile is a side file that says how much of a streaming writer's file is whole.
type flushFile struct {
	path string
	size int64
}

// explorer lists a tree. Names count against a limit, since a tree may have any number of them.
type explorer struct {
	tree   arrowio.Tree
	limits arrowio.Limits
	names  int
	parts  []*partition
}

// explore finds the partitions of a tree, sorted by path.
func explore(ctx context.Context, t arrowio.Tree, limits arrowio.Limits) ([]*partition, error) {
	e := explorer{tree: t, limits: limits}
	if err := e.partitions(ctx, &partition{}, 0); err != nil {
		return nil, err
	}
	for _, p := range e.parts[min(1, len(e.parts)):] {
		if !slices.EqualFunc(p.keys, e.parts[0].keys, strings.EqualFold) {
			return nil, errs.Errorf(errs.ErrUnsupported, "%s and %s are not partitioned by the same columns", e.parts[0].path, p.path)
		}
	}
	return e.parts, nil
}

func (e *explorer) list(ctx context.Context, dir string, depth int) ([]arrowio.TreeEntry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if depth > e.limits.Depth {
		return nil, errs.Errorf(errs.ErrLimit, "%s: directories are nested deeper than the limit Depth = %d", dir, e.limits.Depth)
	}
	entries, err := e.tree.List(ctx, dir)
	if err != nil {
		return nil, err
	}
	if e.names += len(entries); e.names > e.limits.Splits {
		return nil, errs.Errorf(errs.ErrLimit, "the table has more files and directories than the limit Splits = %d", e.limits.Splits)
	}
	return entries, nil
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// partitions goes down to where the directories of bases and deltas are, or the files.
func (e *explorer) partitions(ctx context.Context, p *partition, depth int) error {
	entries, err := e.list(ctx, p.path, depth)
	if err != nil {
		return err
	}
	below := !slices.ContainsFunc(entries, func(x arrowio.TreeEntry) bool {
		if x.Dir {
			_, _, _, ok := partitionOf(x.Name)
			return !ok && !hidden(x.Name)
		}
		return !hidden(x.Name)
	})
	if !below {
		return e.partition(ctx, p, entries, depth)
	}
	for _, x := range entries {
		key, value, null, ok := partitionOf(x.Name)
		if !x.Dir || !ok {
			continue
		}
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			return errs.Errorf(errs.ErrUnsupported, "the directory's name %q is not UTF-8", join(p.path, x.Name))
		}
		sub := &partition{path: join(p.path, x.Name), keys: append(slices.Clone(p.keys), key)}
		sub.values = append(slices.Clone(p.values), partitionValue{value, null})
		if err := e.partitions(ctx, sub, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// partition lists what a partition holds.
func (e *explorer) partition(ctx context.Context, p *partition, entries []arrowio.TreeEntry, depth int) error {
	for _, x := range entries {
		path := join(p.path, x.Name)
		if hidden(x.Name) || !x.Dir {
			continue
		}
		d, why := parseDir(x.Name)
		switch {
		case why != "":
			return at(path, errs.Errorf(errs.ErrCorrupt, "this is not a name that Hive gives to directories: %s", why))
		case d.kind == notAcid:
			if _, _, _, ok := partitionOf(x.Name); ok {
				return at(path, errs.Errorf(errs.ErrUnsupported, "a partition beside files or deltas that are in none"))
			}
			sub, err := e.list(ctx, path, depth+1)
			if err != nil {
				return err
			}
			if p.loose, err = e.files(ctx, p.loose, nil, path, sub, depth+1); err != nil {
				return err
			}
		default:
			a := &acidDir{path: path, candidate: candidate{name: x.Name, dirName: d}}
			sub, err := e.list(ctx, path, depth+1)
			if err != nil {
				return err
			}
			a.marked = slices.ContainsFunc(sub, func(x arrowio.TreeEntry) bool { return x.Name == compactedMark })
			if a.files, err = e.files(ctx, nil, a, path, sub, depth+1); err != nil {
				return err
			}
			p.dirs = append(p.dirs, a)
		}
	}
	p.loose = e.dataFiles(p.loose, nil, p.path, entries)
	for _, d := range p.dirs {
		sortFiles(d.files)
	}
	sortFiles(p.loose)
	if len(p.dirs) > 0 || len(p.loose) > 0 {
		e.parts = append(e.parts, p)
	}
	return nil
}

// sortFiles puts files in the order of Hive: that of their paths as texts.
func sortFiles(files []*dataFile) {
	slices.SortFunc(files, func(a, b *dataFile) int { return strings.Compare(a.path, b.path) })
}

// files adds the data files in a directory and those below it. A base or a delta does not stand there: moving a directory
// to where one is already leaves it so, and with it rows that would be read twice.
func (e *explorer) files(ctx context.Context, to []*dataFile, of *acidDir, dir string, entries []arrowio.TreeEntry, depth int) ([]*dataFile, error) {
	for _, x := range entries {
		if !x.Dir || hidden(x.Name) {
			continue
		}
		path := join(dir, x.Name)
		if d, _ := parseDir(x.Name); d.kind != notAcid {
			return nil, at(path, errs.Errorf(errs.ErrCorrupt, "a base or a delta within another directory of the table: a move that went wrong"))
		}
		sub, err := e.list(ctx, path, depth+1)
		if err != nil {
			return nil, err
		}
		if to, err = e.files(ctx, to, of, path, sub, depth+1); err != nil {
			return nil, err
		}
	}
	return e.dataFiles(to, of, dir, entries), nil
}

// dataFiles adds the data files of a listing, each with its side file.
func (e *explorer) dataFiles(to []*dataFile, of *acidDir, dir string, entries []arrowio.TreeEntry) []*dataFile {
	for _, x := range entries {
		if x.Dir || hidden(x.Name) || strings.HasSuffix(x.Name, flushSuffix) {
			continue
		}
		f := &dataFile{path: join(dir, x.Name), dir: of, size: x.Size, modified: x.ModTime, version: x.Version}
		f.bucket, f.bucketKnown = bucketOf(x.Name)
		if i, ok := slices.BinarySearchFunc(entries, x.Name+flushSuffix, func(x arrowio.TreeEntry, name string) int { return strings.Compare(x.Name, name) }); ok && !entries[i].Dir {
			f.flush = &flushFile{path: f.path + flushSuffix, size: entries[i].Size}
		}
		to = append(to, f)
	}
	return to
}

// Bounds of telling whether a tree is a table: how many directories are listed, and how deep.
const (
	mostLooked = 1 << 14
	mostDeep   = 64
)

// Match reports whether a tree is an ACID table: it has base or delta directories, at its top or in its partitions, and the first
// file in them, if there is one, is empty or begins like an ORC file.
func Match(ctx context.Context, t arrowio.Tree) (bool, error) {
	looked := 0
	return match(ctx, t, "", 0, &looked)
}

func match(ctx context.Context, t arrowio.Tree, dir string, depth int, looked *int) (bool, error) {
	if *looked++; *looked > mostLooked || depth > mostDeep {
		return false, nil
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	entries, err := t.List(ctx, dir)
	if err != nil {
		return false, err
	}
	found := false
	for _, x := range entries {
		if d, _ := parseDir(x.Name); !x.Dir || d.kind == notAcid {
			continue
		}
		found = true
		if told, is, err := isORC(ctx, t, join(dir, x.Name), depth, looked); told || err != nil {
			return is, err
		}
	}
	if found {
		return true, nil
	}
	for _, x := range entries {
		if _, _, _, ok := partitionOf(x.Name); !ok || !x.Dir {
			continue
		}
		if ok, err := match(ctx, t, join(dir, x.Name), depth+1, looked); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// isORC looks at the first file in a directory, or below it, that is not empty; told = there is one.
func isORC(ctx context.Context, t arrowio.Tree, dir string, depth int, looked *int) (told, is bool, err error) {
	if *looked++; *looked > mostLooked || depth > mostDeep {
		return false, false, nil
	}
	entries, err := t.List(ctx, dir)
	if err != nil {
		return false, false, err
	}
	for _, x := range entries {
		switch path := join(dir, x.Name); {
		case hidden(x.Name) || strings.HasSuffix(x.Name, flushSuffix):
		case x.Dir:
			if told, is, err = isORC(ctx, t, path, depth+1, looked); told || err != nil {
				return told, is, err
			}
		case x.Size > 0:
			src, err := t.Open(ctx, path)
			if err != nil {
				return false, false, err
			}
			head := make([]byte, 3)
			_, err = src.ReadAt(head, 0)
			if err = errors.Join(notEnd(err), src.Close()); err != nil {
				return false, false, err
			}
			return true, orc.Match(head, nil), nil
		}
	}
	return false, false, nil
}

func notEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
