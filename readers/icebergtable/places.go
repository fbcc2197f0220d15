package icebergtable

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/iceberg"
)

// move says that paths that begin with From are now below To.
type move struct{ From, To string }

// places says where the files of a table are whose paths stand in its metadata.
type places struct {
	moves   []move
	roots   []string // forms of the path of the table's directory
	outside bool     // files outside of it are read
	said    string   // where the table says that it lies
}

func newPlaces(dir, said string, o tableOptions) *places {
	p := &places{moves: o.moves, outside: o.outside, said: said}
	p.roots = append(p.roots, absolute(dir))
	if isURL(dir) {
		return p
	}
	real, err := filepath.EvalSymlinks(p.roots[0])
	if err != nil {
		return p
	}
	real = filepath.ToSlash(real)
	if real != p.roots[0] {
		p.roots = append(p.roots, real)
	}
	if home := absolute(said); !isURL(home) { // it may be the same directory by another name
		if is, err := filepath.EvalSymlinks(filepath.FromSlash(home)); err == nil && filepath.ToSlash(is) == real {
			p.roots = append(p.roots, home)
		}
	}
	return p
}

func isURL(name string) bool { return strings.Contains(name, "://") }

// absolute returns one form for the ways to write a path.
func absolute(name string) string {
	name = iceberg.PlainPath(name)
	if isURL(name) {
		return name
	}
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	return filepath.ToSlash(name)
}

// find returns where a file is. A path outside of the table's directory that no move is about is an error.
func (p *places) find(name string) (string, error) {
	if strings.ContainsRune(name, 0) || name == "" {
		return "", corrupt("%q is no path", name)
	}
	for _, m := range p.moves {
		rest, ok := cutPrefix(name, m.From)
		if !ok {
			continue
		}
		to := strings.TrimRight(m.To, "/")
		found := iceberg.PlainPath(to + "/" + rest)
		if !below(found, iceberg.PlainPath(m.To)) {
			return "", errs.Errorf(errs.ErrUnsupported, "path %q in the metadata leads out of %s", name, m.To)
		}
		return found, nil
	}
	found := absolute(name)
	for _, root := range p.roots {
		if below(found, root) {
			return found, nil
		}
	}
	if p.outside {
		return found, nil
	}
	from := path.Dir(iceberg.PlainPath(name))
	if _, ok := cutPrefix(name, p.said); ok {
		from = p.said
	} else if i := strings.IndexByte(from, '='); i > 0 { // directories KEY=VALUE are below that of data files
		from = path.Dir(from[:i])
	}
	return "", errs.Errorf(errs.ErrOption, "the metadata name the file %s, which is not in the table's directory %s: %w says where such files are now, and %w reads them there",
		name, p.roots[0], errs.Opt(optionRelocate, from+"=DIRECTORY"), errs.Opt(optionOutside, "read"))
}

// cutPrefix returns a path without the directories at its beginning. Both may be written in several ways.
func cutPrefix(name, dir string) (rest string, ok bool) {
	for _, form := range []func(string) string{func(s string) string { return s }, iceberg.PlainPath} {
		n, d := form(name), strings.TrimRight(form(dir), "/")
		if rest, ok := strings.CutPrefix(n, d); ok && (rest == "" || rest[0] == '/') {
			return strings.TrimLeft(rest, "/"), true
		}
	}
	return "", false
}

// below reports whether a path leads into a directory.
func below(name, dir string) bool {
	return dir == "." && !path.IsAbs(name) && name != ".." && !strings.HasPrefix(name, "../") ||
		strings.HasPrefix(name, strings.TrimRight(dir, "/")+"/")
}
