package kudu

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kudu/rocks"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// rocksName is the folder of a data directory that has the records of blocks of the block manager logr. A key is CONTAINER.BLOCK, and
// its value the record with which the block was created; deleted blocks have none. RocksDB's files are never encrypted.
const rocksName = "rdb"

// rocksPlace is an entry of the database.
type rocksPlace struct {
	logPlace
	seq     uint64
	deleted bool
}

// rocksRecords reads the records of a directory's containers, which have been listed, and adds those that have no data file.
func (l *logBlocks) rocksRecords(ctx context.Context, dir *DataDir) ([]logPlace, error) {
	byName := map[string]uint32{}
	for i, c := range l.containers {
		if c.rocks && filepath.Dir(c.base) == filepath.Clean(dir.Path) {
			byName[filepath.Base(c.base)] = uint32(i)
		}
	}
	var all []rocksPlace
	path := filepath.Join(dir.Path, rocksName)
	skipped, first := 0, error(nil)
	damage, err := rocks.Read(ctx, path, l.dirs.lim, func(e rocks.Entry) error {
		name, block, ok := bytes.Cut(e.Key, []byte("."))
		id, err := strconv.ParseUint(string(block), 10, 64)
		if !ok || err != nil || len(name) == 0 || name[0] == '.' || bytes.ContainsAny(name, `/\`) {
			err = corrupt("key %.64q is not of a block in a container", e.Key)
		}
		p := rocksPlace{logPlace: logPlace{id: id, off: -1}, seq: e.Seq, deleted: e.Deleted}
		if err == nil && !e.Deleted {
			var r kuduwire.BlockRecord
			r, err = kuduwire.ParseBlockRecord(e.Value)
			if err == nil && (r.ID != id || r.Op != kuduwire.BlockCreate) {
				err = corrupt("the record of key %.64q is of block %s", e.Key, kuduwire.BlockName(r.ID))
			}
			p.off, p.length = r.Off, r.Length
		}
		if err != nil {
			if skipped++; first == nil {
				first = err
			}
			return nil
		}
		number, known := byName[string(name)]
		if !known {
			number = uint32(len(l.containers))
			byName[string(name)] = number
			l.containers = append(l.containers, &container{base: filepath.Join(dir.Path, string(name)), rocks: true, hasMeta: true})
		}
		p.container = number
		l.last = max(l.last, id)
		all = append(all, p)
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.lost = append(l.lost, corrupt("%s: %w", path, absent("the database of records is not there")))
		return nil, nil
	case err != nil:
		return nil, errs.Locate(err, errs.At{Format: Name})
	}
	l.lost = append(l.lost, damage.Lost...)
	if damage.Guessed != nil {
		l.guessed = append(l.guessed, damage.Guessed)
	}
	if skipped > 0 {
		l.lost = append(l.lost, corrupt("%s: %s passed over: %w", path, count(int64(skipped), "entry"), first))
	}
	if damage.Torn != "" {
		l.torn = append(l.torn, filepath.Join(path, damage.Torn))
	}
	return l.newest(all), nil
}

// newest returns the blocks that exist, by the last entry of each.
func (l *logBlocks) newest(all []rocksPlace) (live []logPlace) {
	slices.SortFunc(all, func(a, b rocksPlace) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.container, b.container), cmp.Compare(b.seq, a.seq))
	})
	for i := range all {
		p := &all[i]
		if i > 0 && all[i-1].id == p.id && all[i-1].container == p.container || p.deleted {
			continue
		}
		l.containers[p.container].live++
		live = append(live, p.logPlace)
	}
	return live
}

// records is where the records of a container are.
func (c *container) records() string {
	if c.rocks {
		return filepath.Join(filepath.Dir(c.base), rocksName)
	}
	return c.base + metadataSuffix
}

// doubts says where it is not known which files of a database are in use.
func (l *logBlocks) doubts() (out []string) {
	for _, err := range l.guessed {
		out = append(out, fmt.Sprintf("which files of RocksDB are in use is not known, and all are read, so that records of blocks that were deleted may be there again: %v", err))
	}
	return out
}

// rocksNotes says what is wrong with databases.
func (l *logBlocks) rocksNotes() (notes []string) {
	if n := len(l.lost); n > 0 {
		var texts []string
		for _, err := range l.lost[:min(n, 3)] {
			texts = append(texts, err.Error())
		}
		notes = append(notes, fmt.Sprintf("records in RocksDB could not be read, the blocks in them are lost: %d (%s)", n, more(texts, n)))
	}
	for _, name := range l.torn {
		notes = append(notes, fmt.Sprintf("%s: the last record is torn, which an abrupt stop of the server explains", name))
	}
	return notes
}
