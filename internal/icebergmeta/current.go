package icebergmeta

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// Dir is the directory of a table's metadata.
const Dir = "metadata"

// HintFile names the current version of a table that no catalog keeps.
const HintFile = "version-hint.text"

// versionForm is the name of a file of metadata: v3.metadata.json of tables without a catalog, 00003-UUID.metadata.json of others.
var versionForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:v(\d{1,18})|(\d{1,18})-.*?)(?:\.gz)?\.metadata\.json(?:\.gz)?$`)
})

func isMetadata(e arrowio.TreeEntry) bool {
	return !e.Dir && (strings.HasSuffix(e.Name, ".metadata.json") || strings.HasSuffix(e.Name, ".metadata.json.gz"))
}

// versions are the files of metadata in a table, as a listing shows them.
type versions struct {
	hinted  bool               // the table has a file HintFile
	files   map[int64][]string // names by version
	highest int64              // -1 = there is none
}

func listed(entries []arrowio.TreeEntry) versions {
	v := versions{files: map[int64][]string{}, highest: -1}
	for _, e := range entries {
		if e.Dir {
			continue
		}
		v.hinted = v.hinted || e.Name == HintFile && e.Size < 1<<10
		m := versionForm().FindStringSubmatch(e.Name)
		if m == nil {
			continue
		}
		n, err := strconv.ParseInt(m[1]+m[2], 10, 64)
		if err != nil {
			continue
		}
		v.files[n] = append(v.files[n], e.Name)
		v.highest = max(v.highest, n)
	}
	return v
}

// Current returns the name of the file with the current metadata in t. version-hint.text says which; a later version that was
// written without it counts, too. Without the hint it is the file with the highest version. A hint may be behind, but a version that it
// names must be there, and so must all from there to the highest: else the state is not known, which is errs.ErrCorrupt.
// fs.ErrNotExist = there are no metadata.
func Current(ctx context.Context, t arrowio.Tree) (string, error) {
	const listings = 5 // a listing, or the next, may miss a file that is made at the same time
	for n := 1; ; n++ {
		entries, err := t.List(ctx, Dir)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !slices.ContainsFunc(entries, isMetadata) {
			return "", fmt.Errorf("this is no Iceberg table: it has no file %s/*.metadata.json: %w", Dir, fs.ErrNotExist)
		}
		if err != nil {
			return "", err
		}
		v := listed(entries)
		hinted := ""
		if v.hinted {
			if hinted, err = hint(ctx, t); err != nil {
				return "", err
			}
		}
		name, err := v.current(hinted)
		if err == nil || n == listings || !errors.Is(err, errs.ErrCorrupt) {
			return name, err
		}
	}
}

// current returns the name of the file with the current metadata; hinted is what the table's hint says, "" = there is none.
func (v versions) current(hinted string) (string, error) {
	at := v.highest
	n, err := strconv.ParseInt(hinted, 10, 64)
	switch {
	case hinted == "":
	case err != nil:
		for _, names := range v.files {
			for _, name := range names {
				if name == hinted || strings.TrimSuffix(name, ".metadata.json") == hinted {
					return Dir + "/" + name, nil
				}
			}
		}
		return "", v.missing(fmt.Sprintf("%s/%s names %.100q, which is not there", Dir, HintFile, hinted))
	case len(v.files[n]) == 0:
		return "", v.missing(fmt.Sprintf("%s/%s says that version %d of the table is current, and its file of metadata (v%d.metadata.json) is not there", Dir, HintFile, n, n))
	default:
		for at = n; len(v.files[at+1]) > 0; {
			at++
		}
		if at < v.highest {
			return "", v.missing(fmt.Sprintf("%s has version %d of the table, and the file of version %d (v%d.metadata.json) is not there", Dir, v.highest, at+1, at+1))
		}
	}
	switch found := v.files[at]; {
	case len(found) == 0:
		return "", errs.Errorf(errs.ErrUnsupported, "no file in metadata/ has a version in its name: name the file *.metadata.json itself")
	case len(found) > 1:
		slices.Sort(found)
		return "", errs.Errorf(errs.ErrOption, "the files %s in metadata/ have the same version, and only a catalog tells which one counts: name one of them", strings.Join(found[:min(len(found), 4)], " and "))
	default:
		return Dir + "/" + found[0], nil
	}
}

// missing returns an error about metadata that are lost, with what may be read all the same.
func (v versions) missing(what string) error {
	if v.highest < 0 {
		return corrupt("%s: the table's current state is lost. To read an older state, name its file *.metadata.json", what)
	}
	names := slices.Clone(v.files[v.highest])
	slices.Sort(names)
	return corrupt("%s: the table's current state is not known. To read the newest state that is there, name %s/%s; a table with a lost version is not written", what, Dir, names[0])
}

// hint returns the content of version-hint.text.
func hint(ctx context.Context, t arrowio.Tree) (string, error) {
	src, err := t.Open(ctx, Dir+"/"+HintFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.NewSectionReader(src, 0, min(src.Size(), 1<<10)))
	return strings.TrimSpace(string(b)), errors.Join(err, src.Close())
}

// Read returns the JSON of a file of metadata, which may be compressed with gzip, and closes it.
func Read(src arrowio.OpenSource, most int64) ([]byte, error) {
	b, err := Whole(src, most)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(b, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, corrupt("%w", err)
		}
		if b, err = io.ReadAll(io.LimitReader(z, most+1)); err != nil {
			return nil, corrupt("%w", err)
		}
		if int64(len(b)) > most {
			return nil, errs.Errorf(errs.ErrLimit, "more than %d bytes of metadata (Limits.MetadataBytes)", most)
		}
	}
	return b, nil
}

func corrupt(format string, args ...any) error { return errs.Errorf(errs.ErrCorrupt, format, args...) }

// Whole returns what a source holds, and closes it. More than most bytes are errs.ErrLimit.
func Whole(src arrowio.OpenSource, most int64) (b []byte, err error) {
	defer func() { err = errors.Join(err, src.Close()) }()
	if n := src.Size(); n > most {
		return nil, errs.Errorf(errs.ErrLimit, "%d bytes of metadata; the most is %d (Limits.MetadataBytes)", n, most)
	}
	b = make([]byte, src.Size())
	if _, err := io.ReadFull(io.NewSectionReader(src, 0, int64(len(b))), b); err != nil {
		return nil, err
	}
	return b, nil
}
