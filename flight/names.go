package flight

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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

// replacePath replaces a path where it is not a part of a longer one.
func replacePath(text, from, to string) string {
	var b strings.Builder
	for last := rune(' '); ; {
		i := strings.Index(text, from)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		if i > 0 {
			last, _ = utf8.DecodeLastRuneInString(text[:i])
		}
		next, _ := utf8.DecodeRuneInString(text[i+len(from):])
		b.WriteString(text[:i])
		if ofName(last) || !strings.HasSuffix(from, "/") && next != '/' && ofName(next) {
			b.WriteString(from)
		} else {
			b.WriteString(to)
		}
		last, _ = utf8.DecodeLastRuneInString(from)
		text = text[i+len(from):]
	}
}

// ofName reports whether a rune goes on with a name, or follows one within a path.
func ofName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' || r == '/'
}

// address is what the libraries of stores name their servers by.
var address = regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://[^\s"']+`)

// publicText is a text without where the dataset lies: neither directories nor servers of a store.
func (d *served) publicText(text string) string {
	far := false
	for i, root := range append(slices.Clone(d.roots), d.spec.Paths...) {
		far = far || strings.Contains(root, "://")
		to := d.name + "/"
		if i >= len(d.roots) {
			root, to = strings.TrimRight(root, "/"), d.name
		}
		if strings.Contains(root, "/") && strings.Trim(root, "./") != "" {
			text = replacePath(text, root, to)
		}
	}
	if far {
		text = address.ReplaceAllString(text, "(its store)")
	}
	return text
}
