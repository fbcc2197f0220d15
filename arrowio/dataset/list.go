package dataset

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/internal/workers"
)

// List returns the files that a path or URL stands for, if they are opened with o:
//
//   - A file stands for itself.
//   - A directory stands for the files below it that have the extension or the content of a readable format, sorted by path.
//     Names that start with a dot or an underscore are skipped, except directories _KEY=VALUE. Other files that are skipped, and
//     links to directories, are a warning (Options.Warn). If o names a format that has a signature, files without an extension are of it.
//   - A path that does not exist, but is a pattern (see path.Match; ** is any number of directories), stands for the sorted names that match it. The same names
//     are skipped, unless the pattern spells out their first character.
//   - A URL that names a table in a catalog (see arrowio.Format.Schemes) stands for the files of the table. If o.Filter is not nil, files
//     that it excludes may be missing.
//   - A directory that is a table (see arrowio.Format.MatchTable), and the file of its metadata, stand for the files of the table.
//     A directory or pattern inside of a table is a warning, unless o names a format: it may stand for more rows than the table has.
//   - A directory that a format reads as a whole (see arrowio.Format.MatchTree) stands for itself, also inside another directory.
//
// A file that an option names (arrowio.Option.Files) is left out of its directory. Errors are: an empty path, a directory or
// pattern that stands for no file, a directory with a table somewhere below it, and a directory that looks like one of a format that must
// be named (arrowio.Format.LooksLike) if o names no format.
//
// If o names a format whose files are directories (see arrowio.Format.OpenPath), every path stands for itself.
func List(ctx context.Context, path string, o Options) ([]Input, error) {
	if path == "" {
		return nil, errs.Errorf(errs.ErrOption, "the name of a file is empty")
	}
	if f := o.catalog(path); f.OpenNamed != nil {
		return listNamed(ctx, f, path, o)
	}
	d, err := o.directory()
	if err != nil {
		return nil, err
	}
	if d.OpenPath != nil {
		return []Input{{Path: path}}, nil
	}
	x := expansion{ctx: ctx, o: o, formats: o.Formats, told: o.Format != "", named: o.named()}
	for _, f := range o.Formats {
		x.all = x.all || f.Name == o.Format && f.Match != nil
	}
	for i, name := range x.named {
		if p, ok := stores.Local(name); ok {
			x.named[i] = filepath.Clean(p)
		}
	}
	if local, ok := stores.Local(path); ok {
		if x.root, err = o.rootOf(local); err != nil {
			return nil, err
		}
		return x.local(local)
	}
	return x.remote(path)
}

// expansion says how a path becomes a list of files.
type expansion struct {
	ctx     context.Context
	o       Options
	formats []arrowio.Format
	all     bool     // files without an extension are of the format that was told
	told    bool     // which of them it is
	named   []string // files that options name, which are no input of a directory that they lie in
	root    string   // see Input
}

// isPattern reports whether a name may be a pattern.
func isPattern(name string) bool { return strings.ContainsAny(name, "*?[") }

// hidden reports whether a name is skipped because of its first character. The rule is that of Hive's tools, including that the
// key of a partition may start with an underscore.
func hidden(name string) bool {
	return name[0] == '.' || name[0] == '_' && !strings.Contains(name, "=")
}

// matches reports whether a pattern matches a name.
func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil && (!hidden(name) || name[0] == pattern[0])
}

func (x expansion) local(name string) ([]Input, error) {
	fi, err := os.Stat(name)
	if err != nil && isPattern(name) && runtime.GOOS == "windows" {
		err = &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist} // a * may be in no name there, and no shell expands it
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && isPattern(name):
		x.warnInside(name)
		return x.localGlob(name, err)
	case err != nil:
		return nil, dangling(name, err)
	case !fi.IsDir():
		if err := inside(x.root, name); err != nil {
			return nil, err
		}
		return x.file(name)
	}
	x.warnInside(name)
	return x.walk(x.localTree(name), nil)
}

func (x expansion) localGlob(pattern string, missing error) ([]Input, error) {
	found, err := filepath.Glob(pattern)
	if err != nil {
		return nil, errs.Errorf(errs.ErrOption, "%s: %w", pattern, err)
	}
	slices.Sort(found)
	parts := strings.Split(filepath.ToSlash(filepath.Clean(pattern)), "/")
	first := slices.IndexFunc(parts, isPattern)
	if slices.Contains(parts, anyDepth) {
		root := filepath.FromSlash(strings.Join(parts[:first], "/"))
		if root == "" {
			root = cmp.Or(filepath.VolumeName(pattern), map[bool]string{true: "/", false: "."}[filepath.IsAbs(pattern)])
		}
		return x.matchAll(x.localTree(root), parts[first:], missing)
	}
	parts = parts[first:]
	var out []Input
	for _, m := range found {
		names := strings.Split(filepath.ToSlash(m), "/")
		names = names[max(0, len(names)-len(parts)):]
		if !allMatch(parts, names) { // of what the system finds, names that are passed over
			continue
		}
		if err := inside(x.root, m); err != nil {
			x.o.leaveOut(m, err)
			continue
		}
		fi, err := os.Stat(m)
		if err = dangling(m, err); x.o.passes(m, err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if !fi.IsDir() {
			out = append(out, Input{Path: m, keys: keysOf(names[:len(names)-1]), root: x.root})
			continue
		}
		files, err := x.walk(x.localTree(m), names)
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	if len(out) == 0 {
		return nil, missing
	}
	return out, nil
}

func allMatch(patterns, names []string) bool {
	if len(patterns) != len(names) {
		return false
	}
	for i, n := range names {
		if !matches(patterns[i], n) {
			return false
		}
	}
	return true
}

func (x expansion) remote(url string) ([]Input, error) {
	e, err := x.stat(url)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isPattern(url):
		x.warnInside(url)
		return x.remoteGlob(url, err)
	case err != nil:
		return nil, err
	case !e.Dir:
		return x.file(url)
	}
	x.warnInside(url)
	t, err := x.tree(url)
	if err != nil {
		return nil, err
	}
	return x.walk(t, nil)
}

// stat returns what is at a URL. If it is most likely a file, it is opened, which takes as long, and held for the next openings.
func (x expansion) stat(url string) (arrowio.TreeEntry, error) {
	_, ok := byExtension(x.formats, url)
	if scheme := stores.Scheme(url); !ok || x.o.Again == nil || isPattern(url) || scheme != "s3" && scheme != "s3a" {
		return x.o.stores().Stat(x.ctx, url)
	}
	src, err := x.o.hold(x.ctx, url, 2) // for the schema and for the rows
	if errors.Is(err, stores.ErrIsDirectory) {
		return arrowio.TreeEntry{Dir: true}, nil
	}
	if err != nil {
		return arrowio.TreeEntry{}, err
	}
	return arrowio.TreeEntry{}, src.Close()
}

// tree returns a directory of a store to be walked.
func (x expansion) tree(url string) (arrowio.Tree, error) {
	t, err := x.o.stores().Tree(url)
	if err != nil {
		return nil, err
	}
	return x.o.stores().Snapshot(x.ctx, t)
}

func (x expansion) remoteGlob(pattern string, missing error) ([]Input, error) {
	scheme, rest, _ := strings.Cut(pattern, "://")
	names := strings.Split(strings.TrimRight(rest, "/"), "/")
	n := slices.IndexFunc(names, isPattern)
	if n <= 0 {
		return nil, missing // the host is none
	}
	for _, p := range names[n:] {
		if _, err := path.Match(p, ""); err != nil {
			return nil, errs.Errorf(errs.ErrOption, "%s: %w", pattern, err)
		}
	}
	t, err := x.o.stores().Tree(scheme + "://" + strings.Join(names[:n], "/") + "/")
	if err == nil && len(names) > n+2 {
		t, err = x.o.stores().Snapshot(x.ctx, t)
	}
	if err != nil {
		return nil, notThere(err, missing)
	}
	return x.matchAll(t, names[n:], missing)
}

// matchAll returns what patterns stand for below a directory, or missing.
func (x expansion) matchAll(t arrowio.Tree, patterns []string, missing error) ([]Input, error) {
	var out []Input
	if err := x.match(t, nil, patterns, &out); err != nil {
		return nil, notThere(err, missing)
	}
	if len(out) == 0 {
		return nil, missing
	}
	slices.SortStableFunc(out, func(a, b Input) int { return cmp.Compare(a.Path, b.Path) })
	return slices.CompactFunc(out, func(a, b Input) bool { return a.Path == b.Path }), nil
}

// notThere is the error of a pattern below a directory that does not exist.
func notThere(err, missing error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return missing
	}
	return err
}

// anyDepth is the pattern of any number of directories.
const anyDepth = "**"

// match adds what patterns stand for below the directory that names lead to.
func (x expansion) match(t arrowio.Tree, names, patterns []string, out *[]Input) error {
	deep := patterns[0] == anyDepth && len(patterns) > 1
	if deep {
		if err := x.match(t, names, patterns[1:], out); err != nil {
			return err
		}
	}
	entries, err := t.List(x.ctx, strings.Join(names, "/"))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !matches(patterns[0], e.Name) {
			continue
		}
		at := append(slices.Clone(names), e.Name)
		switch {
		case deep && e.Dir:
			if err := x.match(t, at, patterns, out); err != nil {
				return err
			}
		case len(patterns) > 1 && e.Dir:
			if err := x.match(t, at, patterns[1:], out); err != nil {
				return err
			}
		case len(patterns) > 1:
		case e.Dir:
			files, err := x.walk(below(t, strings.Join(at, "/")), at)
			if err != nil {
				return err
			}
			*out = append(*out, files...)
		default:
			*out = append(*out, Input{Path: t.Path(strings.Join(at, "/")), keys: keysOf(names), root: x.root})
		}
	}
	return nil
}

// candidate is a file of a directory that may be meant.
type candidate struct {
	name  string // in the tree; of a directory that is read as a whole too
	whole bool   // a directory
	meant bool
	empty bool // nothing tells what it is
	loose bool // meant only if nothing else is: see looseName
}

// walk returns the inputs in a directory, to which names lead from the root of the dataset.
func (x expansion) walk(t arrowio.Tree, names []string) ([]Input, error) {
	var over passedOver
	l, isLocal := t.(localTree)
	if isLocal {
		l.link = over.link
		t = l
	}
	if isLocal && !x.told {
		for _, f := range x.formats {
			if f.LooksLike != nil && f.LooksLike(l.path) {
				return nil, errs.Locate(errs.Errorf(errs.ErrOption, "this looks like a directory of %s, which is read as a whole: name the format with %w", f.Name, errs.Opt("from", f.Name)), errs.At{File: l.path})
			}
		}
	}
	if f, err := x.tableFormat(t); err != nil || f.MatchTable != nil {
		if err != nil {
			return nil, err
		}
		return x.members(f, t, "")
	}
	if i := slices.IndexFunc(x.formats, func(f arrowio.Format) bool { return f.OpenTable != nil && x.told && f.Name == x.o.Format }); i >= 0 {
		return x.members(x.formats[i], t, "") // which tells what was looked for
	}
	all, err := x.collect(t, "", nil)
	if err != nil {
		return nil, err
	}
	if err := x.sniffAll(t, all); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(all, func(c candidate) bool { return c.meant && !c.loose }) {
		for i := range all {
			all[i].meant = all[i].meant && !all[i].loose
		}
	}
	var out []Input
	for _, c := range all {
		switch {
		case c.meant:
		case c.loose && !x.all:
			over.looseFile(c.name)
			continue
		default:
			over.file(c.name)
			continue
		}
		if slices.Contains(x.named, t.Path(c.name)) {
			continue
		}
		dirs := slices.Clone(names)
		if c.name != "" {
			dirs = append(dirs, strings.Split(c.name, "/")...)
		}
		if !c.whole {
			dirs = dirs[:len(dirs)-1]
		}
		out = append(out, Input{Path: t.Path(c.name), keys: keysOf(dirs), root: x.root})
	}
	if len(out) == 0 {
		return nil, errs.Locate(errs.Errorf(errs.ErrUnsupported, "no file in it has a readable format's ending or content; name the format with %w", errs.Opt("from", "")), errs.At{File: t.Path("")})
	}
	over.tell(x.o, t.Path(""))
	return out, nil
}

// collect lists what a directory and those below it hold, in order.
func (x expansion) collect(t arrowio.Tree, dir string, out []candidate) ([]candidate, error) {
	f, err := matchTree(x.ctx, below(t, dir), x.o)
	if err != nil {
		return nil, err
	}
	if f.OpenTree != nil {
		return append(out, candidate{name: dir, whole: true, meant: true}), nil
	}
	entries, err := t.List(x.ctx, dir)
	if err != nil {
		return nil, err
	}
	if dir != "" {
		if err := x.refuseTable(below(t, dir)); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(entries, func(a, b arrowio.TreeEntry) int { return cmp.Compare(a.Name, b.Name) })
	for _, e := range entries {
		if e.Name[0] == '.' || e.Name[0] == '_' && (!e.Dir || x.o.Partitions.Off || hidden(e.Name)) {
			continue
		}
		name := path.Join(dir, e.Name)
		if e.Dir {
			if out, err = x.collect(t, name, out); err != nil {
				return nil, err
			}
			continue
		}
		out = append(out, x.candidate(name, e))
	}
	return out, nil
}

// candidate returns what the name of a file tells.
func (x expansion) candidate(name string, e arrowio.TreeEntry) candidate {
	f, known := byExtension(x.formats, e.Name)
	loose := known && looseName(e.Name)
	known = known && (!loose || !x.all || f.Name == x.o.Format)
	known = known || x.knownPacked(e.Name) || x.all && path.Ext(e.Name) == "" && !aboutOthers(e.Name)
	return candidate{name: name, meant: known, empty: e.Size == 0, loose: loose}
}

// openers is how many files of a store are opened at once where each is only looked at.
const openers = 16

// sniffAll looks into the files whose names tell nothing.
func (x expansion) sniffAll(t arrowio.Tree, all []candidate) error {
	var unknown []*candidate
	for i := range all {
		if !all[i].meant && !all[i].empty {
			unknown = append(unknown, &all[i])
		}
	}
	sniffers := openers
	if _, ok := t.(localTree); ok {
		sniffers = 1
	}
	return workers.Each(sniffers, len(unknown), func(i int) (err error) {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		unknown[i].meant, err = x.sniff(t, unknown[i].name)
		return err
	})
}

// sniff tells whether the content of a file is that of a readable format.
func (x expansion) sniff(t arrowio.Tree, name string) (bool, error) {
	src, err := t.Open(x.ctx, name)
	if err != nil {
		return false, err
	}
	defer src.Close()
	var head, tail []byte
	err = until(x.ctx, src, func() (err error) {
		head, tail, err = readEnds(src)
		return err
	})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(x.formats, func(f arrowio.Format) bool { return matchesBytes(f, head, tail) }), nil
}

// localTree is a directory of this machine to be walked: links to directories, which may lead in a circle, are not
// followed, and a link that leads nowhere is an error unless Options.PassDangling is set.
type localTree struct {
	arrowio.Tree
	path string
	o    Options
	root string            // see Input
	link func(name string) // is called with links to directories; nil = is not
}

func (x expansion) localTree(path string) localTree {
	return localTree{Tree: local.DirTree(path), path: path, o: x.o, root: x.root}
}

func (t localTree) List(ctx context.Context, dir string) ([]arrowio.TreeEntry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(t.Path(dir))
	if err != nil {
		return nil, err
	}
	var out []arrowio.TreeEntry
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, arrowio.TreeEntry{Name: e.Name(), Dir: true})
			continue
		}
		if e.Name()[0] == '.' || e.Name()[0] == '_' || !e.Type().IsRegular() && e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		full := filepath.Join(t.Path(dir), e.Name())
		fi, err := os.Stat(full)
		if err = dangling(full, err); t.o.passes(full, err) {
			continue
		}
		if err == nil && e.Type()&fs.ModeSymlink != 0 {
			if err := inside(t.root, full); err != nil {
				t.o.leaveOut(full, err)
				continue
			}
		}
		if err != nil && t.o.SkipBroken {
			t.o.leaveOut(full, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		if fi.IsDir() && t.link != nil {
			t.link(path.Join(dir, e.Name()))
		}
		if fi.Mode().IsRegular() {
			out = append(out, arrowio.TreeEntry{Name: e.Name(), Size: fi.Size(), ModTime: fi.ModTime()})
		}
	}
	return out, nil
}

// below returns a directory of a tree as a tree.
func below(t arrowio.Tree, dir string) arrowio.Tree {
	if l, ok := t.(localTree); ok {
		return confined(local.DirTree(l.Path(dir)), l.root) // what a format reads as a whole may hold links
	}
	if dir == "" {
		return t
	}
	return subTree{t, dir}
}

type subTree struct {
	arrowio.Tree
	dir string
}

func (t subTree) name(name string) string {
	if name == "" {
		return t.dir
	}
	return t.dir + "/" + name
}

func (t subTree) List(ctx context.Context, dir string) ([]arrowio.TreeEntry, error) {
	return t.Tree.List(ctx, t.name(dir))
}

func (t subTree) Open(ctx context.Context, name string) (arrowio.OpenSource, error) {
	return t.Tree.Open(ctx, t.name(name))
}

func (t subTree) Path(name string) string { return t.Tree.Path(t.name(name)) }
