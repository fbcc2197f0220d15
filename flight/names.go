package flight

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/stores"
)

// rootsOf returns the directories that paths and URLs are, or are in as far as they are no pattern: as files below them are
// named, with a slash behind; "" = where the program runs.
func rootsOf(paths []string) []string {
	var out []string
	for _, p := range paths {
		scheme := ""
		if local, ok := stores.Local(p); ok {
			p = filepath.ToSlash(filepath.Clean(local))
		} else {
			s, rest, _ := strings.Cut(p, "://")
			scheme, p = s+"://", strings.TrimRight(rest, "/")
		}
		for i := strings.IndexAny(p, "*?["); i >= 0; i = strings.IndexAny(p, "*?[") {
			dir, _, _ := cutLast(p[:i])
			p = dir
		}
		switch {
		case p == "." || p == "" && scheme == "":
			p = ""
		case !strings.HasSuffix(p, "/"):
			p += "/"
		}
		out = append(out, scheme+p)
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // the nearest counts
	return slices.Compact(out)
}

// cutLast cuts around the last slash; without one all of s stands behind it.
func cutLast(s string) (dir, name string, ok bool) {
	i := strings.LastIndexByte(s, '/')
	if i == 0 {
		return "/", s[1:], true
	}
	return s[:max(i, 0)], s[i+1:], i > 0
}

// publicName is a file's name without where the dataset lies. Files of different directories have different ones.
func (d *served) publicName(file string, i int) string {
	if file == "" {
		return d.name + "/" + fmt.Sprint(i)
	}
	file = filepath.ToSlash(file)
	for _, root := range d.roots {
		if below, ok := strings.CutPrefix(file, root); ok && below != "" && !path.IsAbs(below) && !strings.Contains(below, "://") {
			return d.name + "/" + below
		}
	}
	return d.name + "/" + path.Base(file)
}
