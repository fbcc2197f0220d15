package kudu

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/arrowio/arrowio/internal/kuduwire"
)

// BlockPath returns the path of a block in the file block manager. The name of the file is the id in decimal. It lies in folders
// named by the third, fourth and fifth byte of the id, counted from the highest, in hexadecimal. The first two bytes are the
// number of the data directory among the server's.
//
//	id 24366458335372 = 00 00 16 29 42 17 f0 8c   ->   data/16/29/42/0024366458335372
func BlockPath(dir *DataDir, id uint64) string {
	hex := func(shift uint) string { return fmt.Sprintf("%02x", byte(id>>shift)) }
	return filepath.Join(dir.Path, hex(40), hex(32), hex(24), kuduwire.BlockName(id))
}

func haveBlockFile(dir *DataDir, id uint64) (bool, error) {
	switch _, err := os.Stat(BlockPath(dir, id)); {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	default:
		return false, fmt.Errorf("block %s: %w", kuduwire.BlockName(id), err)
	}
}

// walkBlockFiles appends the ids of a directory's blocks. What is not where its name says is passed over: Kudu does not
// find it either.
func walkBlockFiles(ctx context.Context, dir *DataDir, salvage bool, ids []uint64) ([]uint64, error) {
	err := filepath.WalkDir(dir.Path, func(path string, e fs.DirEntry, err error) error {
		if cause := ctx.Err(); cause != nil {
			return cause
		}
		if err != nil {
			if salvage && path != dir.Path {
				return nil
			}
			return err
		}
		if e.IsDir() {
			return nil
		}
		id, err := strconv.ParseUint(e.Name(), 10, 64)
		if err == nil && path == BlockPath(dir, id) {
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}
