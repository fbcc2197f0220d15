package dataset

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// passedOver are the files of a directory that are not read, though their names do not say that they are hidden.
type passedOver struct{ files, loose, links []string }

func (p *passedOver) link(name string) { p.links = append(p.links, name) }

func (p *passedOver) file(name string) {
	if !aboutOthers(path.Base(name)) {
		p.files = append(p.files, name)
	}
}

// looseFile is file for one that looseName is true of.
func (p *passedOver) looseFile(name string) { p.loose = append(p.loose, name) }

// tell warns of them: a part of a table whose first bytes are gone looks like any file that is not of it.
func (p *passedOver) tell(o Options, dir string) {
	if o.Warn == nil {
		return
	}
	warn := func(names []string, text string, named ...errs.Option) {
		if len(names) > 0 {
			w := arrowio.Warnf(arrowio.WarnDoubt, fmt.Sprintf("%s: %s", text, someNames(names)))
			w.File, w.Options = dir, named
			o.Warn(w)
		}
	}
	from := errs.Opt("from", "FORMAT")
	how := from.Error()
	if o.Format != "" {
		how = "a pattern, such as " + strings.TrimSuffix(dir, "/") + "/*" + ","
	}
	what := "1 file is passed over, because neither its name nor its content tells the format"
	if n := len(p.files); n != 1 {
		what = fmt.Sprintf("%d files are passed over, because neither their names nor their contents tell the format", n)
	}
	warn(p.files, what+"; "+how+" reads such files", from)
	what = "1 file named .json is passed over, because it may describe the files of other formats beside it"
	if n := len(p.loose); n != 1 {
		what = fmt.Sprintf("%d files named .json are passed over, because they may describe the files of other formats beside them", n)
	}
	warn(p.loose, what+"; a file that is named itself is read")
	warn(p.links, "links to directories are not followed; name the directories to read what is in them")
}

// aboutOthers tells whether a file says something about the files beside it, and holds no rows: by its name.
func aboutOthers(name string) bool {
	upper := strings.ToUpper(name)
	for _, prefix := range []string{"README", "LICENSE", "NOTICE", "CHANGELOG"} {
		if strings.HasPrefix(upper, prefix) {
			return true
		}
	}
	return slices.Contains([]string{".md", ".crc", ".md5", ".sha1", ".sha256", ".sha512"}, strings.ToLower(path.Ext(name)))
}

// looseName tells whether the name of a file is that of rows as well as of what describes rows: in a directory of other files it is
// not read.
func looseName(name string) bool {
	name = strings.ToLower(name)
	for _, packed := range []string{".gz", ".bz2", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	return path.Ext(name) == ".json"
}

// knownPacked tells whether the name is that of a compressed file of a known format, such as rows.orc.gz, which opening it
// refuses.
func (x expansion) knownPacked(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	if !slices.Contains([]string{".gz", ".bz2", ".xz", ".zst", ".zip"}, ext) {
		return false
	}
	_, known := byExtension(x.formats, name[:len(name)-len(ext)])
	return known
}
