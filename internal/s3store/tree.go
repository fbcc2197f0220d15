package s3store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/arrowio/arrowio/arrowio"
)

// list pages through the keys of a bucket.
func (s *session) list(ctx context.Context, bucket string, o minio.ListObjectsOptions) iter.Seq[minio.ObjectInfo] {
	o.FetchOwner = new(bool)
	return func(yield func(minio.ObjectInfo) bool) {
		for i := range s.api.ListObjectsIter(ctx, bucket, o) {
			if !yield(i) {
				return
			}
		}
		if err := ctx.Err(); err != nil { // minio-go ends without a word
			yield(minio.ObjectInfo{Err: err})
		}
	}
}

// tree is a prefix as a directory.
type tree struct {
	c *Client
	l location // of the top
}

// Tree returns the keys that begin with a URL, and a slash, as a tree. Nothing is asked of the store yet.
func (c *Client) Tree(url string) (arrowio.Tree, error) {
	l, err := parse(url)
	if err != nil {
		return nil, err
	}
	return &tree{c, l}, nil
}

func (t *tree) Path(name string) string {
	if name == "" {
		return t.l.String()
	}
	return t.l.with(t.l.prefix() + name)
}

func (t *tree) key(op, name string) (string, error) {
	if name == "" {
		return t.l.prefix(), nil
	}
	if name == "." || !fs.ValidPath(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	return t.l.prefix() + name, nil
}

func (t *tree) List(ctx context.Context, dir string) ([]arrowio.TreeEntry, error) {
	prefix, err := t.key("list", dir)
	if err != nil {
		return nil, err
	}
	if prefix != "" && !strings.HasSuffix(prefix, "/") {
		prefix += "/"
	}
	s, err := t.c.session(ctx)
	if err != nil {
		return nil, err
	}
	var out []arrowio.TreeEntry
	there := prefix == "" // the bucket itself
	for o := range s.list(ctx, t.l.bucket, minio.ListObjectsOptions{Prefix: prefix}) {
		if o.Err != nil {
			return nil, s.fail("list", t.l.with(prefix), o.Err)
		}
		there = true
		name, isDir := strings.CutSuffix(strings.TrimPrefix(o.Key, prefix), "/")
		switch {
		case o.Key == prefix: // an empty object that stands for the directory
			continue
		case !plainName(name):
			return nil, t.odd(o.Key)
		case isDir:
			out = append(out, arrowio.TreeEntry{Name: name, Dir: true})
		default:
			out = append(out, entryOf(o, name))
		}
	}
	if !there {
		return nil, &fs.PathError{Op: "list", Path: t.l.with(prefix), Err: fs.ErrNotExist}
	}
	sortEntries(out)
	return out, nil
}

func sortEntries(entries []arrowio.TreeEntry) {
	slices.SortFunc(entries, func(a, b arrowio.TreeEntry) int { return cmp.Compare(a.Name, b.Name) })
}

// plainName tells whether a part of a key is one that a directory can hold.
func plainName(name string) bool {
	return name != "." && fs.ValidPath(name) && !strings.Contains(name, "/")
}

// odd refuses keys that only programs make by mistake: they would be passed over otherwise.
func (t *tree) odd(key string) error {
	return &fs.PathError{Op: "list", Path: t.l.with(key), Err: errors.New(`a part of the key is empty, "." or ".."; such keys cannot be read as directories, only one by one`)}
}

func (t *tree) Open(ctx context.Context, name string) (arrowio.OpenSource, error) {
	key, err := t.key("open", name)
	if err != nil {
		return nil, err
	}
	src, err := t.c.Open(ctx, t.l.with(key))
	if err != nil {
		return nil, err
	}
	return src, nil
}

// snapshotKeys is how many keys a snapshot holds at most: some ten MB of names.
const snapshotKeys = 100_000

// Snapshot lists all that is below the top at once, a thousand keys a request, and returns a tree that answers List from
// memory; nil where there are too many keys for that.
func (t *tree) Snapshot(ctx context.Context) (arrowio.Tree, error) {
	s, err := t.c.session(ctx)
	if err != nil {
		return nil, err
	}
	prefix := t.l.prefix()
	snap := &snapshot{tree: t, dirs: map[string][]arrowio.TreeEntry{}}
	n := 0
	for o := range s.list(ctx, t.l.bucket, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if o.Err != nil {
			return nil, s.fail("list", t.l.String(), o.Err)
		}
		if n++; n > snapshotKeys {
			return nil, nil
		}
		name := strings.TrimPrefix(o.Key, prefix)
		if name == "" {
			snap.there = true
			continue
		}
		dir, isDir := strings.CutSuffix(name, "/")
		if !fs.ValidPath(dir) || dir == "." {
			return nil, t.odd(o.Key)
		}
		if isDir {
			snap.enter(dir)
			continue
		}
		parent, base := splitName(name)
		snap.enter(parent)
		snap.dirs[parent] = append(snap.dirs[parent], entryOf(o, base))
	}
	if len(snap.dirs) == 0 && !snap.there && prefix != "" {
		return nil, &fs.PathError{Op: "list", Path: t.l.String(), Err: fs.ErrNotExist}
	}
	snap.enter("")
	for _, entries := range snap.dirs {
		sortEntries(entries)
	}
	return snap, nil
}

// snapshot is a tree whose directories are in memory.
type snapshot struct {
	*tree
	dirs  map[string][]arrowio.TreeEntry
	there bool
}

func splitName(name string) (dir, base string) {
	i := strings.LastIndexByte(name, '/')
	return name[:max(i, 0)], name[i+1:]
}

// enter makes a directory known, and those above it.
func (s *snapshot) enter(dir string) {
	for {
		if _, ok := s.dirs[dir]; ok {
			return
		}
		s.dirs[dir] = []arrowio.TreeEntry{}
		if dir == "" {
			return
		}
		parent, base := splitName(dir)
		s.enter(parent)
		s.dirs[parent] = append(s.dirs[parent], arrowio.TreeEntry{Name: base, Dir: true})
		dir = parent
	}
}

func (s *snapshot) List(ctx context.Context, dir string) ([]arrowio.TreeEntry, error) {
	if _, err := s.key("list", dir); err != nil {
		return nil, err
	}
	entries, ok := s.dirs[dir]
	if !ok {
		return nil, &fs.PathError{Op: "list", Path: s.Path(dir), Err: fs.ErrNotExist}
	}
	return slices.Clone(entries), ctx.Err()
}
