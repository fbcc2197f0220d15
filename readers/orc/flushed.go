package orc

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
)

// flushSuffix ends the names of side files: Hive's streaming writers append the length of their file to it, eight bytes
// big-endian, each time the file is whole up to there.
const flushSuffix = "_flush_length"

// Finished returns the length up to which a file is complete, in bytes, as its side file says; ok is false if it has no side
// file. The bytes after that length were not finished by the writer. See arrowio.Format.Finished.
func Finished(ctx context.Context, name string, open func(ctx context.Context, name string) (arrowio.OpenSource, error)) (n int64, ok bool, err error) {
	scheme, _, remote := strings.Cut(name, "://")
	if remote && (scheme != "hdfs" || !strings.HasPrefix(path.Base(name), "bucket_")) {
		return 0, false, nil // Hive's writers leave such files in HDFS only, in the directory of their buckets
	}
	side, err := open(ctx, name+flushSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	n, ok, err = lastLength(side)
	return n, ok, errors.Join(err, side.Close())
}

// lastLength reads a side file: lengths of 8 bytes, of which the last counts.
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
