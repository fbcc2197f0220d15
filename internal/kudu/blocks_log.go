package kudu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/kuduwire"
	"github.com/arrowio/arrowio/internal/workers"
)

const (
	metadataSuffix = ".metadata"
	dataSuffix     = ".data"
)

// logBlocks are the blocks of the log block manager: parts of the data files of containers.
type logBlocks struct {
	dirs       *Dirs
	places     []logPlace // by id
	last       uint64     // the greatest id of a record, deleted blocks included
	containers []*container
	lost       []error  // of databases of records
	guessed    []error  // of databases of which it is not known which files are in use
	torn       []string // write-ahead logs of databases whose writers did not finish them
}

// logPlace is a record of a block that exists. There may be very many of them.
type logPlace struct {
	id        uint64
	off       int64 // -1: the records contradict themselves
	length    int64
	container uint32
}

// container is a pair of files. The data file is open while any block of it is.
type container struct {
	base    string // path without suffix
	hasData bool
	hasMeta bool
	rocks   bool // the records are in RocksDB
	live    int
	damage  kuduwire.BlockDamage
	err     error // the records could not be read at all

	mu   sync.Mutex
	refs int
	f    diskFile
}

// whole reports whether all records could be read. One that is torn belongs to a block that was never finished.
func (c *container) whole() bool { return c.err == nil && c.hasMeta && c.damage.Skipped == 0 }

// open lists the containers and reads their records, several at a time: there may be tens of thousands, on many disks,
// and their files are small.
func (l *logBlocks) open(ctx context.Context, d *Dirs, dirs []*DataDir) error {
	l.dirs = d
	for _, dir := range dirs {
		if err := l.list(d, dir); err != nil {
			return err
		}
	}
	const perDir = 4
	readers := min(perDir*len(dirs), 32, len(l.containers))
	found := make([][]logPlace, readers)
	last := make([]uint64, readers)
	var next atomic.Int64
	err := workers.Each(readers, readers, func(w int) error {
		r := recordReader{dirs: d, limit: d.lim.MetadataBytes}
		for {
			i := int(next.Add(1) - 1)
			if i >= len(l.containers) {
				break
			}
			err := ctx.Err()
			if err == nil {
				err = r.read(l.containers[i], uint32(i))
			}
			if err != nil {
				next.Store(int64(len(l.containers))) // the others end
				return err
			}
		}
		found[w], last[w] = r.places, r.last
		return nil
	})
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if dir.Type == kuduwire.DirRocks {
			places, err := l.rocksRecords(ctx, dir)
			if err != nil {
				return err
			}
			found = append(found, places)
		}
	}
	n := 0
	for _, f := range found {
		n += len(f)
	}
	for _, id := range last {
		l.last = max(l.last, id)
	}
	l.places = make([]logPlace, 0, n)
	for i := range found {
		l.places = append(l.places, found[i]...)
		found[i] = nil
	}
	slices.SortFunc(l.places, func(a, b logPlace) int {
		if c := cmp.Compare(a.id, b.id); c != 0 {
			return c
		}
		return cmp.Compare(a.container, b.container)
	})
	return nil
}

// list finds the containers of a directory by the names of their files.
func (l *logBlocks) list(d *Dirs, dir *DataDir) error {
	entries, err := os.ReadDir(dir.Path)
	if err != nil {
		// What could be listed before the error is still good.
		if err := d.orNote(err); err != nil {
			return err
		}
	}
	start := len(l.containers)
	for _, e := range entries { // by name: the two files of a container come together
		name, isMeta := strings.CutSuffix(e.Name(), metadataSuffix)
		isData := false
		if !isMeta {
			name, isData = strings.CutSuffix(e.Name(), dataSuffix)
		}
		if !isMeta && !isData || name == "" || name[0] == '.' {
			continue
		}
		base := filepath.Join(dir.Path, name)
		if n := len(l.containers); n == start || l.containers[n-1].base != base {
			rocks := dir.Type == kuduwire.DirRocks
			l.containers = append(l.containers, &container{base: base, rocks: rocks, hasMeta: rocks})
		}
		c := l.containers[len(l.containers)-1]
		c.hasMeta, c.hasData = c.hasMeta || isMeta, c.hasData || isData
	}
	return nil
}

// recordReader reads containers' records one after another, in one goroutine.
type recordReader struct {
	dirs    *Dirs
	limit   int64
	buf     []byte
	records []kuduwire.BlockRecord
	places  []logPlace
	last    uint64
}

// read adds the blocks of a container. Only an encrypted container whose key is not known is an error of all.
func (r *recordReader) read(c *container, number uint32) error {
	if c.rocks {
		return nil // they are read for all containers of the directory
	}
	if !c.hasMeta {
		c.hasMeta = c.empty(r.dirs)
		return nil
	}
	path := c.base + metadataSuffix
	b, err := r.dirs.readSmall(path, r.limit, r.buf)
	if isDenied(err) {
		return err
	}
	if err != nil {
		c.err = err
		return nil
	}
	r.buf = b
	r.records, c.damage, err = kuduwire.ParseBlockRecords(b, r.records[:0])
	if err != nil {
		err = inFile(err, path)
		if errors.Is(err, errs.ErrUnsupported) {
			return err
		}
		c.err = err
		return nil
	}
	if err := r.dirs.pass(c.damage.Head, path); err != nil {
		c.err = err
		return nil
	}
	c.damage.Err = inFile(c.damage.Err, path)
	if c.damage.NoHead && c.hasData && !c.empty(r.dirs) {
		c.err = errs.Errorf(errs.ErrCorrupt, "kudu: %s: %d bytes and no records, though there is data", path, len(b))
	}
	for i := range r.records {
		r.last = max(r.last, r.records[i].ID)
	}
	live := kuduwire.LiveBlocks(r.records, &c.damage)
	c.live = len(live)
	for i := range live {
		r.places = append(r.places, logPlace{id: live[i].ID, off: live[i].Off, length: live[i].Length, container: number})
	}
	return nil
}

// empty reports whether the data file has no bytes, as one that was just made when the server stopped.
func (c *container) empty(d *Dirs) bool {
	fi, err := os.Stat(c.base + dataSuffix)
	return err == nil && d.contentAt(fi.Size()).Len == 0
}

// find returns the records of a block that exists, of all containers.
func (l *logBlocks) find(id uint64) []*logPlace {
	i, _ := slices.BinarySearchFunc(l.places, id, func(p logPlace, id uint64) int { return cmp.Compare(p.id, id) })
	var found []*logPlace
	for ; i < len(l.places) && l.places[i].id == id; i++ {
		found = append(found, &l.places[i])
	}
	return found
}

func (l *logBlocks) ids() []uint64 {
	ids := make([]uint64, len(l.places))
	for i := range l.places {
		ids[i] = l.places[i].id
	}
	return ids
}

func (l *logBlocks) where(p logPlace) string {
	return fmt.Sprintf("%s%s, %d bytes at %d", l.containers[p.container].base, dataSuffix, p.length, p.off)
}

func (l *logBlocks) openBlock(p logPlace) (arrowio.Source, io.Closer, error) {
	c := l.containers[p.container]
	if p.off < 0 {
		return nil, nil, blockError(p.id, "the records in %s do not say where it is, or say it twice", c.records())
	}
	f, err := c.acquire(l.dirs, p.off)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, blockError(p.id, "its container has no data file: %w", err)
		}
		return nil, nil, errs.Locate(err, errs.At{Format: Name, Op: "block " + kuduwire.BlockName(p.id)})
	}
	src, err := section(f, arrowio.ByteRange{Off: p.off, Len: p.length})
	if err != nil {
		size := f.Size()
		_ = c.release() // it was opened for nothing
		return nil, nil, blockError(p.id, "its container has lost its end: %s, of %d: %w", l.where(p), size, io.ErrUnexpectedEOF)
	}
	return src, &blockCloser{c: c}, nil
}

// acquire opens the container's data file, or shares it with other blocks. One is at off.
func (c *container) acquire(d *Dirs, off int64) (diskFile, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.f == nil {
		f, err := d.openContainer(c.base+dataSuffix, off)
		if err != nil {
			return nil, err
		}
		c.f = f
	}
	c.refs++
	return c.f, nil
}

// release closes the data file when no block of it is open any more.
func (c *container) release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refs--; c.refs > 0 {
		return nil
	}
	f := c.f
	c.f = nil
	return f.Close()
}

// blockCloser gives back a container, once.
type blockCloser struct {
	c    *container
	done atomic.Bool
}

func (b *blockCloser) Close() error {
	if b.done.Swap(true) {
		return nil
	}
	return b.c.release()
}

// suspects names the containers that a missing block may have been recorded in.
func (l *logBlocks) suspects() (text string) {
	for _, x := range []struct {
		what string
		is   func(*container) bool
	}{
		{"containers whose records are missing", func(c *container) bool { return c.err == nil && !c.hasMeta }},
		{"containers whose records are damaged", func(c *container) bool { return !c.whole() && (c.err != nil || c.hasMeta) }},
		{"containers whose last record is torn", func(c *container) bool { return c.whole() && c.damage.Torn }},
	} {
		var names []string
		n := 0
		for _, c := range l.containers {
			if x.is(c) {
				if n++; len(names) < 3 {
					names = append(names, c.records())
				}
			}
		}
		if n > 0 {
			in := "a container " + strings.TrimPrefix(x.what, "containers ")
			if n > 1 {
				in = fmt.Sprintf("one of the %d %s", n, x.what)
			}
			text += fmt.Sprintf("; its record may have been in %s (%s)", in, more(names, n))
		}
	}
	if n := len(l.lost); n > 0 {
		text += fmt.Sprintf("; its record may have been in what could not be read of RocksDB (%s)", l.lost[0])
	}
	return text
}

// notes says what is wrong with containers, each kind of damage once, with examples.
func (l *logBlocks) notes() []string {
	var notes []string
	say := func(what string, is func(*container) bool, detail func(*container) string) {
		var names []string
		n := 0
		for _, c := range l.containers {
			if is(c) {
				if n++; len(names) < 3 {
					names = append(names, detail(c))
				}
			}
		}
		if n > 0 {
			notes = append(notes, fmt.Sprintf("%s: %d of %d containers (%s)", what, n, len(l.containers), more(names, n)))
		}
	}
	name := func(c *container) string { return c.base }
	say("records could not be read, the blocks in them are lost", func(c *container) bool { return c.err != nil }, func(c *container) string { return c.err.Error() })
	say("data without records, the blocks in it are lost", func(c *container) bool { return !c.hasMeta }, name)
	say("records of blocks, but no data file", func(c *container) bool { return c.live > 0 && !c.hasData }, name)
	say("damaged records were passed over", func(c *container) bool { return c.damage.Skipped > 0 }, func(c *container) string {
		s := fmt.Sprintf("%d: %v", c.damage.Skipped, c.damage.Err)
		if c.damage.Cut {
			s += ", and what follows could not be read"
		}
		return s
	})
	say("the last record is torn, which an abrupt stop of the server explains", func(c *container) bool { return c.err == nil && c.damage.Torn }, name)
	say("blocks created twice at different places", func(c *container) bool { return c.damage.Doubled > 0 }, name)
	say("blocks deleted that were not there", func(c *container) bool { return c.damage.Unknown > 0 }, name)
	return append(append(notes, l.rocksNotes()...), l.doubles()...)
}

// doubles notes blocks that several containers have.
func (l *logBlocks) doubles() []string {
	var names []string
	n := 0
	for i := 1; i < len(l.places); i++ {
		p := l.places[i]
		if p.id != l.places[i-1].id || i > 1 && p.id == l.places[i-2].id {
			continue
		}
		if n++; len(names) < 3 {
			names = append(names, kuduwire.BlockName(p.id))
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("blocks in several containers, of which it is not known which is right: %d (%s)", n, more(names, n))}
}

// more joins examples of n things.
func more(examples []string, n int) string {
	s := strings.Join(examples, "; ")
	if n > len(examples) {
		s += "; …"
	}
	return s
}
