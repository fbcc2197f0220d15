package kudu

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// blockStore is where a File has its blocks.
type blockStore interface {
	open(ctx context.Context, id uint64) (arrowio.Source, io.Closer, error)
	At(id uint64) (path string, at arrowio.ByteRange, err error)
	Close() error
}

// Blocks finds the blocks of a server by their ids; each block is a CFile. It shows the directories as they were when it was
// opened. All methods except Close may be called concurrently.
type Blocks struct {
	dirs  *Dirs
	files []*DataDir // of the file block manager
	log   logBlocks  // of the log block manager
	notes []string
	// doubts are warnings about all that is in some directory.
	doubts []string
}

// OpenBlocks reads the records of all containers of the log block manager; for the file block manager it reads nothing. Damage is
// no error of OpenBlocks, since most of it concerns other tablets: Notes lists it, and opening a damaged block fails. Blocks
// takes 32 bytes of memory for each block.
func OpenBlocks(ctx context.Context, d *Dirs) (*Blocks, error) {
	b := &Blocks{dirs: d}
	var logs []*DataDir
	for i := range d.Data {
		dir := &d.Data[i]
		if dir.Type == kuduwire.DirLog || dir.Type == kuduwire.DirRocks {
			logs = append(logs, dir)
		} else {
			b.files = append(b.files, dir)
		}
	}
	if err := b.log.open(ctx, d, logs); err != nil {
		return nil, err
	}
	b.notes, b.doubts = b.log.notes(), b.log.doubts()
	return b, nil
}

// Notes returns what is wrong with the block managers' files, each kind of damage once.
func (b *Blocks) Notes() []string { return slices.Clone(b.notes) }

// Close frees the memory. No other method may be called during or after it. Sources that were opened stay open until their own
// closers are called.
func (b *Blocks) Close() error {
	b.log = logBlocks{}
	b.files = nil
	return nil
}

// place is where a block was found: a file of its own, or records of containers.
type place struct {
	file *DataDir
	log  *logPlace
}

// find returns all places where a block is. There should be one.
func (b *Blocks) find(id uint64) ([]place, error) {
	var found []place
	var failed error
	for _, dir := range b.files {
		ok, err := haveBlockFile(dir, id)
		if err != nil {
			failed = err // of a dead disk, which matters only if no other has the block
		}
		if ok {
			found = append(found, place{file: dir})
		}
	}
	for _, p := range b.log.find(id) {
		found = append(found, place{log: p})
	}
	if len(found) > 0 {
		failed = nil
	}
	return found, failed
}

// one returns the only place of a block, or says what is wrong.
func (b *Blocks) one(id uint64) (place, error) {
	found, err := b.find(id)
	switch {
	case err != nil:
		return place{}, err
	case len(found) == 0:
		return place{}, b.missing(id)
	case len(found) > 1:
		var where []string
		for _, p := range found[:min(len(found), 4)] {
			where = append(where, b.where(id, p))
		}
		return place{}, blockError(id, "it is in several places, and nothing tells which is right: %s", strings.Join(where, "; "))
	}
	return found[0], nil
}

// Has reports whether a block is known, in exactly one place. Check reports whether all its bytes exist.
func (b *Blocks) Has(id uint64) bool {
	_, err := b.one(id)
	return err == nil
}

// Open returns the bytes of a block as a source that is arrowio.Near. The caller calls the closer once. If the block is not
// found, the error wraps fs.ErrNotExist and names the places that were searched. A block in several places, or beyond the end of
// its container, is ErrCorrupt.
func (b *Blocks) Open(id uint64) (arrowio.Source, io.Closer, error) {
	p, err := b.one(id)
	if err != nil {
		return nil, nil, err
	}
	if p.log != nil {
		return b.log.openBlock(*p.log)
	}
	src, err := b.dirs.openFile(BlockPath(p.file, id))
	if err != nil {
		return nil, nil, errs.Locate(err, errs.At{Format: Name, Op: "block " + kuduwire.BlockName(id)})
	}
	return src, src, nil
}

func (b *Blocks) open(_ context.Context, id uint64) (arrowio.Source, io.Closer, error) {
	return b.Open(id)
}

// Check returns nil if a block exists, has all its bytes, and begins like a CFile. It does not read the rest.
func (b *Blocks) Check(id uint64) error {
	src, c, err := b.Open(id)
	if err != nil {
		return err
	}
	defer c.Close()
	head := make([]byte, min(8, src.Size()))
	if n, err := src.ReadAt(head, 0); n < len(head) {
		return fmt.Errorf("block %s: %w", kuduwire.BlockName(id), err)
	}
	switch {
	case len(head) < 8:
		return blockError(id, "it has %d bytes", src.Size())
	case string(head) == "\x00\x00\x00\x00\x00\x00\x00\x00":
		return blockError(id, "it begins with zeros: its place was given back to the file system, or never written")
	case string(head[:7]) != "kuducfi" && string(head[:7]) != "kuducfl":
		return blockError(id, "it begins with %q, which no CFile does", head)
	}
	return nil
}

// At returns the path of the file in which a block lies, and its range of bytes there.
func (b *Blocks) At(id uint64) (path string, at arrowio.ByteRange, err error) {
	p, err := b.one(id)
	if err != nil {
		return "", at, err
	}
	if p.log != nil {
		return b.log.containers[p.log.container].base + dataSuffix, arrowio.ByteRange{Off: max(0, p.log.off), Len: p.log.length}, nil
	}
	path = BlockPath(p.file, id)
	fi, err := os.Stat(path)
	if err != nil {
		return "", at, fmt.Errorf("block %s: %w", kuduwire.BlockName(id), err)
	}
	return path, b.dirs.contentAt(fi.Size()), nil
}

// sizeOf returns how many bytes the blocks of a tablet have, and how many blocks are not there or have none.
func sizeOf(b blockStore, s *kuduwire.SuperBlock) (bytes int64, missing int) {
	for _, u := range s.Blocks() {
		_, at, err := b.At(u.Block)
		if err != nil || at.Len == 0 {
			missing++
		}
		bytes += at.Len
	}
	return bytes, missing
}

// Where returns, for messages, where a block is, or why it cannot be opened.
func (b *Blocks) Where(id uint64) string {
	p, err := b.one(id)
	if err != nil {
		return err.Error()
	}
	return b.where(id, p)
}

func (b *Blocks) where(id uint64, p place) string {
	if p.log != nil {
		return b.log.where(*p.log)
	}
	return BlockPath(p.file, id)
}

// IDs returns the ids of all blocks, sorted, each once, whether or not they can be opened. For the file block manager it walks
// all folders. Some blocks may belong to no tablet, for example because a deletion was lost.
func (b *Blocks) IDs(ctx context.Context) ([]uint64, error) {
	ids := b.log.ids()
	for _, dir := range b.files {
		var err error
		if ids, err = walkBlockFiles(ctx, dir, b.dirs.salvage, ids); err != nil {
			return nil, err
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// Unread returns how many containers of the log block manager, or parts of a database of records, have records that could not be
// read; Notes names them. A record
// that was being written when the server stopped does not count.
func (b *Blocks) Unread() int {
	n := len(b.log.lost)
	for _, c := range b.log.containers {
		if !c.whole() {
			n++
		}
	}
	return n
}

// LastRecorded returns the greatest id in the records of the log block manager's containers, whether or not the block still
// exists; 0 = none.
func (b *Blocks) LastRecorded() uint64 { return b.log.last }

// missing says that a block is nowhere, and what may be the cause.
func (b *Blocks) missing(id uint64) error {
	var at []string
	for i := range b.dirs.Data {
		at = append(at, b.dirs.Data[i].Path)
	}
	if len(at) == 0 {
		return blockError(id, "%w", absent("it cannot be found: no data directory is here"))
	}
	why := ""
	if n := len(b.dirs.Missing); n > b.dirs.unknown() {
		why += fmt.Sprintf("; %d data directories of the server are not here: %s", n, strings.Join(b.dirs.Missing, ", "))
	}
	if len(b.files) > 0 {
		why += fmt.Sprintf("; its id says directory %d of the server, from 0", id>>48)
	}
	why += b.log.suspects()
	return blockError(id, "%w", absent(fmt.Sprintf("it is not in %s%s", strings.Join(at, ", "), why)))
}

// absent is fs.ErrNotExist in words that say what is not there.
type absent string

func (a absent) Error() string        { return string(a) }
func (a absent) Is(target error) bool { return target == fs.ErrNotExist }

func blockError(id uint64, format string, args ...any) error {
	return &errs.Error{
		Kind: errs.ErrCorrupt, Format: "kudu", Op: "block " + kuduwire.BlockName(id), Split: -1, Off: -1,
		Err: fmt.Errorf(format, args...),
	}
}
