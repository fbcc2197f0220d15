package local

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// OutputNames returns the paths of all files and directories below a directory that contains only an output of this module.
// Paths have slashes, and the content of a directory comes before the directory. An output is one of these: files part-* and
// schema.json; schema.json with *.cfile, and with directories rowset-NNNNN of *.cfile; directories NAME=VALUE that contain
// parts, at any depth. For anything else the error is of kind errs.ErrOption and names it. list lists a directory by its path
// below the whole, which is "". In a partial output, which was not finished, schema.json may be missing.
func OutputNames(list func(dir string) ([]arrowio.TreeEntry, error), partial bool) ([]string, error) {
	entries, err := list("")
	if err != nil {
		return nil, err
	}
	if len(entries) > 0 && partitionColumn(entries[0]) != "" {
		return partitionNames(list, "", entries)
	}
	columns := partial || slices.ContainsFunc(entries, func(e arrowio.TreeEntry) bool { return e.Name == "schema.json" })
	var names []string
	for _, e := range entries {
		switch {
		case !e.Dir && (e.Name == "schema.json" || strings.HasPrefix(e.Name, "part-") || isColumn(e.Name) && columns):
		case e.Dir && rowsetName().MatchString(e.Name) && columns:
			files, err := list(e.Name)
			if err != nil {
				return nil, err
			}
			for _, f := range files {
				name := path.Join(e.Name, f.Name)
				if f.Dir || !isColumn(f.Name) {
					return nil, NotOurs(name)
				}
				names = append(names, name)
			}
		default:
			return nil, NotOurs(e.Name)
		}
		names = append(names, e.Name)
	}
	return names, nil
}

// rowsetName is of the directories of a set that has several.
var rowsetName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^rowset-[0-9]{5,}$`) })

func isColumn(name string) bool { return strings.HasSuffix(name, ".cfile") }

// partName is of the files in directories NAME=VALUE.
var partName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^part-[0-9]{5,}\.[a-z0-9]+$`) })

// partitionColumn returns NAME of a directory NAME=VALUE, "" of anything else.
func partitionColumn(e arrowio.TreeEntry) string {
	name, _, ok := strings.Cut(e.Name, "=")
	if !ok || !e.Dir {
		return ""
	}
	return name
}

// partitionNames is OutputNames for an output with directories NAME=VALUE: each directory has either such directories, of one
// NAME, or parts. entries are those of the directory at below.
func partitionNames(list func(dir string) ([]arrowio.TreeEntry, error), below string, entries []arrowio.TreeEntry) ([]string, error) {
	var names []string
	for _, e := range entries {
		name, column := path.Join(below, e.Name), partitionColumn(e)
		switch {
		case column != partitionColumn(entries[0]), column == "" && (e.Dir || !partName().MatchString(e.Name)):
			return nil, NotOurs(name)
		case column != "":
			inner, err := list(name)
			if err != nil {
				return nil, err
			}
			more, err := partitionNames(list, name, inner)
			if err != nil {
				return nil, err
			}
			names = append(names, more...)
		}
		names = append(names, name)
	}
	return names, nil
}

// NotOurs returns the error that a directory contains name, which is not an output of this module.
func NotOurs(name string) error {
	return errs.Errorf(errs.ErrOption, "the directory holds %q, which does not look like output of this program; remove it first", name)
}
