package readers

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
)

// OpenDataset makes one dataset of what paths stand for (see Expand), in that order. Files whose columns differ read as
// one schema, see arrowio.NewDataset; their columns are matched as o.Match says, or the option of a format that ends in
// "-by". Every file is opened once here, for its schema, and again when a scan gets there.
func OpenDataset(ctx context.Context, paths []string, o Options) (*arrowio.Dataset, error) {
	files, err := Expand(paths, o)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, arrowio.Errorf(arrowio.ErrOption, "no files were named")
	}
	by, err := Match(o.Options)
	if err != nil {
		return nil, err
	}
	fragments := make([]arrowio.Fragment, len(files))
	for i, path := range files {
		fragments[i] = arrowio.Fragment{
			Name: path,
			Open: func(ctx context.Context) (arrowio.File, error) { return OpenFile(ctx, path, o) },
		}
	}
	return arrowio.NewDataset(ctx, fragments, arrowio.DatasetOptions{Match: max(by, o.Match), Columns: o.Columns})
}

// Match returns how the columns of several files are matched, which is an option of the formats that offer it
// (arrowio.MatchOption).
func Match(options map[string]string) (by arrowio.Match, err error) {
	for name, value := range options {
		if strings.HasSuffix(name, "-by") {
			m, err := arrowio.MatchOf(value)
			if err != nil {
				return by, arrowio.Errorf(arrowio.ErrOption, "%s: %w", name, err)
			}
			by = max(by, m)
		}
	}
	return by, nil
}

// Expand returns the files that paths stand for when they are opened with o. A file stands for itself. A directory stands
// for the files below it that have a readable format's ending or content, sorted by path; names that start with a dot or
// an underscore are passed over. A path that does not exist but is a pattern (see filepath.Match) stands for what it
// matches, sorted, passing over the same names unless it says their first character. A directory that is of a format as a
// whole (see Tree) stands for itself, also below another one. A directory or pattern that stands
// for nothing is an error, and so is a directory that looks like a Kudu tablet server's where o names no format.
//
// Where o names a format that is a directory (see Directory), every path stands for itself.
func Expand(paths []string, o Options) ([]string, error) {
	d, err := Directory(o)
	if err != nil {
		return nil, err
	}
	if d.OpenPath != nil {
		return slices.Clone(paths), nil
	}
	x := expansion{o: o, formats: o.formats(), told: o.Format != ""}
	var out []string
	for _, p := range paths {
		files, err := x.expand(p)
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
}

// expansion says how paths are made into files.
type expansion struct {
	o       Options
	formats []arrowio.Format
	told    bool // which of them it is
}

func (x expansion) expand(path string) ([]string, error) {
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(path, "*?["):
		return x.glob(path, err)
	case err != nil:
		return nil, err
	case !fi.IsDir():
		return []string{path}, nil
	}
	return x.walk(path)
}

func (x expansion) glob(pattern string, missing error) ([]string, error) {
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return nil, arrowio.Errorf(arrowio.ErrOption, "%s: %w", pattern, err)
	}
	if len(matches) == 0 {
		return nil, missing
	}
	slices.Sort(matches)
	var out []string
	for _, m := range matches {
		if first := filepath.Base(m)[0]; hidden(first) && first != filepath.Base(pattern)[0] {
			continue
		}
		fi, err := os.Stat(m)
		if err != nil {
			return nil, err
		}
		if !fi.IsDir() {
			out = append(out, m)
			continue
		}
		files, err := x.walk(m)
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

// hidden tells names that are passed over by how they start.
func hidden(first byte) bool { return first == '.' || first == '_' }

func (x expansion) walk(dir string) ([]string, error) {
	if !x.told && tabletServer(dir) {
		return nil, arrowio.Errorf(arrowio.ErrUnsupported, "%s: this looks like a directory of a Kudu tablet server, which is read as one: say so with --from kudu", dir)
	}
	ctx := context.Background() // local directories do not keep one waiting
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != dir && hidden(d.Name()[0]) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			f, err := matchTree(ctx, arrowio.DirTree(path), x.o)
			if err == nil && f.OpenTree != nil {
				out = append(out, path)
				err = fs.SkipDir
			}
			return err
		}
		ok, err := readable(path, d, x.formats)
		if ok {
			out = append(out, path)
		}
		return err
	})
	if err == nil && len(out) == 0 {
		err = arrowio.Errorf(arrowio.ErrUnsupported, "%s: no file in it has a readable format's ending or content", dir)
	}
	return out, err
}

// readable tells whether a file in a directory is meant.
func readable(path string, d fs.DirEntry, formats []arrowio.Format) (bool, error) {
	if d.Type()&fs.ModeSymlink != 0 {
		fi, err := os.Stat(path)
		if err != nil || !fi.Mode().IsRegular() {
			return false, err
		}
	} else if !d.Type().IsRegular() {
		return false, nil
	}
	if _, ok := byExtension(formats, path); ok {
		return true, nil
	}
	src, err := arrowio.OpenFile(path)
	if err != nil {
		return false, err
	}
	defer src.Close()
	head, tail, err := readEnds(src)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(formats, func(f arrowio.Format) bool { return matchesBytes(f, head, tail) }), nil
}
