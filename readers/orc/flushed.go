package orc

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
)

// flushSuffix ends the names of side files: Hive's streaming writers append the length of their file to it, eight bytes
// big-endian, each time the file is whole up to there.
const flushSuffix = "_flush_length"

// FlushedLength returns how much of the file at path its side file vouches for; ok is false where there is none. Behind
// that length lies what a writer had not finished.
func FlushedLength(path string) (n int64, ok bool, err error) {
	f, err := os.Open(path + flushSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return 0, false, err
	}
	if !fi.Mode().IsRegular() || fi.Size() < 8 {
		return 0, false, nil // nothing was flushed
	}
	var last [8]byte
	if _, err := f.ReadAt(last[:], (fi.Size()-8)/8*8); err != nil {
		return 0, false, err
	}
	v := binary.BigEndian.Uint64(last[:])
	return int64(min(v, 1<<62)), true, nil
}
