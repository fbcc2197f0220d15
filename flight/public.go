package flight

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/stores"
)

// What clients are told has no paths of the server, only names inside of a dataset: those that the dataset is known to lie in
// are replaced wherever they stand in a text, and then what else looks like an absolute path.

// place is a path and what clients are told instead.
type place struct{ path, name string }

// places returns the paths of a dataset, in the order in which they are to be replaced.
func (d *served) places() []place {
	var out []place
	add := func(path, name string) {
		if strings.Contains(path, "/") && strings.Trim(path, "./") != "" {
			out = append(out, place{path, name})
		}
	}
	for _, root := range d.roots {
		add(root, d.name+"/")
	}
	for _, p := range d.spec.Paths {
		add(strings.TrimRight(p, "/"), d.name)
	}
	for _, p := range d.namedByOptions() {
		add(p, d.name+"/"+path.Base(p))
	}
	for _, p := range append(slices.Clone(d.roots), d.namedByOptions()...) { // a format may read what lies beside
		if !strings.Contains(p, "://") {
			add(strings.TrimSuffix(path.Dir(strings.TrimSuffix(p, "/")), "/")+"/", d.name+"/")
		}
	}
	return out
}

// namedByOptions returns the files and directories that options of the dataset name, the longest first.
func (d *served) namedByOptions() []string {
	var out []string
	for _, f := range d.spec.formats() {
		for _, o := range f.Options {
			for _, value := range strings.Split(d.spec.Read.Options[o.Name], "\n") {
				value = filepath.ToSlash(value)
				json := strings.HasPrefix(value, "{") || strings.HasPrefix(value, "[")
				if path.IsAbs(value) || (o.Files || strings.HasSuffix(o.Name, "-dir")) && value != "" && !json {
					out = append(out, path.Clean(value))
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return slices.Compact(out)
}

// publicText returns a text without where the dataset lies: neither directories nor servers of a store.
func (d *served) publicText(text string) string {
	for _, p := range d.places() {
		text = replacePath(text, p.path, p.name)
	}
	if slices.ContainsFunc(d.spec.Paths, func(p string) bool { _, local := stores.Local(p); return !local }) {
		text = address().ReplaceAllString(text, "(its store)")
	}
	return absolute().ReplaceAllStringFunc(text, func(found string) string {
		before := found[:strings.IndexAny(found, `/\:`)]
		if n := len(before); n > 0 && strings.HasPrefix(found[n:], ":") { // the letter of a volume
			before = before[:n-1]
		}
		return before + d.name + "/" + found[strings.LastIndexAny(found, `/\`)+1:]
	})
}

// absolute is an absolute path of two names at least, without spaces. What stands in quotes may be a value of a row.
var absolute = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[\s(\[=,;])([A-Za-z]:[/\\]|/)[^\s/\\"'` + "`" + `():;,\]]+([/\\][^\s/\\"'` + "`" + `():;,\]]+)+`)
})

// public returns err without where the dataset lies.
func (d *served) public(err error) error { return renamedError(err, d.publicText) }

// renamedError returns err with the text that rename makes, in which no path is left that the error itself is known to have.
func renamedError(err error, rename func(string) string) error {
	if err == nil {
		return nil
	}
	before := err.Error()
	text := rename(before)
	at, _ := errs.Where(err)
	for _, p := range append(pathsOf(err), at.File) {
		if filepath.IsAbs(p) {
			text = strings.ReplaceAll(text, p, filepath.Base(p))
		}
	}
	if text == before {
		return err
	}
	return &renamed{text, err}
}

// pathsOf returns the paths of files that an error and those that it wraps are about.
func pathsOf(err error) (out []string) {
	switch x := err.(type) { //nolint:errorlint // every error of the chain is looked at
	case *fs.PathError:
		out = append(out, x.Path)
	case *os.LinkError:
		out = append(out, x.Old, x.New)
	case *errs.Error:
		out = append(out, x.File)
	}
	switch x := err.(type) { //nolint:errorlint // as above
	case interface{ Unwrap() error }:
		out = append(out, pathsOf(x.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, e := range x.Unwrap() {
			out = append(out, pathsOf(e)...)
		}
	}
	return out
}

// gone reports whether err says that a file is not there, and nothing about the content of others.
func gone(err error) bool {
	var kind errs.Kind
	return errors.Is(err, fs.ErrNotExist) && !errors.As(err, &kind)
}

// renamed is an error with another text.
type renamed struct {
	text string
	err  error
}

func (e *renamed) Error() string { return e.text }
func (e *renamed) Unwrap() error { return e.err }

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
var address = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://[^\s"']+`) })
