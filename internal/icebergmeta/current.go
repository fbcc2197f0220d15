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

// Current returns the name of the file with the current metadata in t. version-hint.text says which; a later version that was
// written without it counts, too. Without the hint it is the file with the highest version. fs.ErrNotExist = there are none.
func Current(ctx context.Context, t arrowio.Tree) (string, error) {
	entries, err := t.List(ctx, Dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !slices.ContainsFunc(entries, isMetadata) {
		return "", fmt.Errorf("this is no Iceberg table: it has no file %s/*.metadata.json: %w", Dir, fs.ErrNotExist)
	}
	if err != nil {
		return "", err
	}
	byVersion := map[int64][]string{}
	highest := int64(-1)
	hinted := ""
	for _, e := range entries {
		if e.Dir {
			continue
		}
		if e.Name == HintFile && e.Size < 1<<10 {
			if hinted, err = hint(ctx, t); err != nil {
				return "", err
			}
		}
		m := versionForm().FindStringSubmatch(e.Name)
		if m == nil {
			continue
		}
		v, err := strconv.ParseInt(m[1]+m[2], 10, 64)
		if err != nil {
			continue
		}
		byVersion[v] = append(byVersion[v], e.Name)
		highest = max(highest, v)
	}
	v := highest
	if n, err := strconv.ParseInt(hinted, 10, 64); err == nil && len(byVersion[n]) > 0 {
		for v = n; len(byVersion[v+1]) > 0; {
			v++
		}
	} else if hinted != "" {
		for _, names := range byVersion {
			for _, name := range names {
				if name == hinted || strings.TrimSuffix(name, ".metadata.json") == hinted {
					return Dir + "/" + name, nil
				}
			}
		}
	}
	switch found := byVersion[v]; {
	case len(found) == 0:
		return "", errs.Errorf(errs.ErrUnsupported, "no file in metadata/ has a version in its name: name the file *.metadata.json itself")
	case len(found) > 1:
		slices.Sort(found)
		return "", errs.Errorf(errs.ErrOption, "the files %s in metadata/ have the same version, and only a catalog tells which one counts: name one of them", strings.Join(found[:min(len(found), 4)], " and "))
	default:
		return Dir + "/" + found[0], nil
	}
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
