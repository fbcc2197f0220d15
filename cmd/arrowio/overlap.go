package main

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/arrowio/arrowio/arrowio/stores"
)

// checkOverlap returns an error if OUTPUT is in a directory of INPUTs or matches a pattern of them. The next call of the same
// command would read its own output, and this one might read what it writes.
func checkOverlap(in []string, out string) error {
	if out == "-" {
		return nil
	}
	for _, i := range in {
		if i == "-" || !overlaps(i, out) {
			continue
		}
		if sameLocal(i, out) {
			return usagef("OUTPUT %s is INPUT %s; name an OUTPUT outside of it", out, i)
		}
		return usagef("OUTPUT %s lies in INPUT %s, so that it would be read as well; name an OUTPUT outside of it, or the files of INPUT one by one", out, i)
	}
	return nil
}

// checkRescue returns an error if OUTPUT is a damaged INPUT: what a salvage leaves out could not be looked for again.
func checkRescue(in []string, out string) error {
	for _, i := range in {
		if i != "-" && out != "-" && (i == out || sameFile(i, out)) {
			return usagef("OUTPUT %s is INPUT %s: what is lost now might still be found later; name another OUTPUT", out, i)
		}
	}
	return nil
}

// sameFile reports whether two local paths lead to one file, by links of any kind.
func sameFile(a, b string) bool {
	a, isLocal := stores.Local(a)
	b, isLocalToo := stores.Local(b)
	if !isLocal || !isLocalToo {
		return false
	}
	fa, err := os.Stat(a)
	fb, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(fa, fb)
}

func overlaps(in, out string) bool {
	localIn, isLocal := stores.Local(in)
	localOut, outLocal := stores.Local(out)
	switch {
	case isLocal != outLocal:
		return false
	case !isLocal:
		i, err := url.Parse(in)
		o, err2 := url.Parse(out)
		if err != nil || err2 != nil || !strings.EqualFold(i.Scheme, o.Scheme) || !strings.EqualFold(i.Host, o.Host) {
			return false
		}
		return within(path.Clean("/"+i.Path), path.Clean("/"+o.Path), path.Match) && strings.Trim(i.Path, "/") != strings.Trim(o.Path, "/")
	}
	fi, err := os.Stat(localIn)
	if err == nil && !fi.IsDir() || err != nil && !strings.ContainsAny(localIn, "*?[") { // what is not there is told by who reads it
		return false
	}
	from, to := realPath(localIn), realPath(localOut)
	return within(from, to, filepath.Match) || err == nil && linked(from, to, map[string]bool{})
}

// sameLocal reports whether two local paths are those of one file or directory.
func sameLocal(a, b string) bool {
	a, isLocal := stores.Local(a)
	b, isLocalToo := stores.Local(b)
	return isLocal && isLocalToo && realPath(a) == realPath(b)
}

// linked reports whether a link below a directory leads to a directory that contains path.
func linked(dir, p string, seen map[string]bool) bool {
	if seen[dir] {
		return false
	}
	seen[dir] = true
	found := false
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error { // what cannot be read is told by who reads it
		if err != nil || e.Type()&fs.ModeSymlink == 0 {
			return nil
		}
		to, err := filepath.EvalSymlinks(name)
		if err != nil {
			return nil
		}
		if fi, err := os.Stat(to); err != nil || !fi.IsDir() {
			return nil
		}
		if within(to, p, filepath.Match) || linked(to, p, seen) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// within reports whether a directory or pattern includes a path or a directory above it.
func within(in, p string, match func(pattern, name string) (bool, error)) bool {
	for {
		if p == in {
			return true
		}
		if ok, err := match(in, p); ok && err == nil {
			return true
		}
		above := filepath.Dir(p)
		if above == p {
			return false
		}
		p = above
	}
}

// realPath resolves the links in a path, as far as the path exists.
func realPath(p string) string {
	abs, err := filepath.Abs(p)
	if err != nil {
		return filepath.Clean(p)
	}
	rest := ""
	for {
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			return filepath.Join(real, rest)
		}
		above := filepath.Dir(abs)
		if above == abs {
			return filepath.Join(abs, rest)
		}
		abs, rest = above, filepath.Join(filepath.Base(abs), rest)
	}
}
