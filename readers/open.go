package readers

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/stores"
	"github.com/arrowio/arrowio/readers/orc"
)

// Found is what lies at a path: the bytes of a file, or a directory of a format that reads it as a whole.
type Found struct {
	Source arrowio.OpenSource // nil = a directory; the caller closes it, after the File
	Tree   arrowio.Tree       // of a directory
	Format arrowio.Format     // of a directory
}

// Find opens what lies at a path or URL, to be opened as o says: a file, or a directory that is of a format as a whole
// (arrowio.Format.MatchTree), of the one that o names or of any. Any other directory is an error. Formats with an OpenPath
// are not for Find: see Directory.
func Find(ctx context.Context, path string, o Options) (Found, error) {
	if _, local := stores.Local(path); local {
		t, f, err := Tree(ctx, path, o)
		if err != nil || t != nil {
			return Found{Tree: t, Format: f}, err
		}
		src, err := o.source(ctx, path)
		return Found{Source: src}, err
	}
	// Elsewhere looking costs as much as opening, and most are files.
	src, err := o.source(ctx, path)
	if !errors.Is(err, stores.ErrIsDirectory) {
		return Found{Source: src}, err
	}
	t, f, terr := Tree(ctx, path, o)
	if terr != nil || t != nil {
		return Found{Tree: t, Format: f}, terr
	}
	return Found{}, err
}

// source opens the bytes of a file. Where a side file of Hive's says how much of an ORC file was finished (see
// orc.FlushedLength), the source ends there.
func (o Options) source(ctx context.Context, name string) (arrowio.OpenSource, error) {
	local, ok := stores.Local(name)
	if !ok {
		return o.remoteSource(ctx, name)
	}
	n, flushed, err := orc.FlushedLength(local)
	if err != nil {
		return nil, err
	}
	var src arrowio.OpenSource
	if o.Mapped {
		src, err = mapFile(local)
	} else {
		src, err = o.stores().Open(ctx, local)
	}
	if err == nil && flushed {
		shorten(src, n)
	}
	return src, err
}

func mapFile(path string) (arrowio.OpenSource, error) {
	src, err := arrowio.MapFile(path)
	if err != nil {
		return nil, err
	}
	return src, nil
}

func shorten(src arrowio.Source, n int64) {
	if s, ok := src.(interface{ Shorten(n int64) }); ok {
		s.Shorten(n)
	}
}

// remoteSource opens a file of a store. Hive's writers leave side files beside their buckets in HDFS alone.
func (o Options) remoteSource(ctx context.Context, name string) (arrowio.OpenSource, error) {
	src, err := o.stores().Open(ctx, name)
	if err != nil || stores.Scheme(name) != "hdfs" || !strings.HasPrefix(path.Base(name), "bucket_") {
		return src, err
	}
	side, err := o.stores().Open(ctx, name+"_flush_length")
	if errors.Is(err, fs.ErrNotExist) {
		return src, nil
	}
	if err == nil {
		var n int64
		var ok bool
		if n, ok, err = lastLength(side); ok {
			shorten(src, n)
		}
		err = errors.Join(err, side.Close())
	}
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	return src, nil
}

// lastLength reads a side file: lengths of 8 bytes, big-endian, of which the last counts.
func lastLength(src arrowio.Source) (n int64, ok bool, err error) {
	if src.Size() < 8 {
		return 0, false, nil // nothing was flushed
	}
	var last [8]byte
	if _, err := src.ReadAt(last[:], (src.Size()-8)/8*8); err != nil && err != io.EOF {
		return 0, false, err
	}
	return int64(min(binary.BigEndian.Uint64(last[:]), 1<<62)), true, nil
}

// OpenFile opens the file at a path or URL, or the directory there where that is what the format is. Closing the File
// closes it.
func OpenFile(ctx context.Context, path string, o Options) (arrowio.File, error) {
	d, err := Directory(o)
	if err != nil {
		return nil, err
	}
	if d.OpenPath != nil {
		return openDirectory(ctx, d, path, o)
	}
	b, err := o.besides(ctx)
	if err != nil {
		return nil, err
	}
	found, err := Find(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if found.Tree != nil {
		return found.Format.OpenTree(ctx, found.Tree, o.openOptions())
	}
	f, err := Open(ctx, found.Source, path, o)
	if err != nil {
		// A file that was only read has nothing to lose when it is closed.
		_ = found.Source.Close()
		return nil, err
	}
	return ownBeside(f, found.Source, b), nil
}
