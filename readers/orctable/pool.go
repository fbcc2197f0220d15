package orctable

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/readers/orc"
)

// keptFiles is how many files that are not being read stay open.
const keptFiles = 16

// pool opens the files of a table, and closes them when they are not being read any more. It may be used concurrently.
type pool struct {
	tree   arrowio.Tree
	limits arrowio.Limits
	opt    orc.Options
	events bool // show events as they are, not the rows that they are about

	mu     sync.Mutex
	open   map[*dataFile]*handle
	idle   []*handle // the latest last
	read   int64     // bytes, of what is closed
	closed bool
}

// handle is an open file. Who holds it gives it back.
type handle struct {
	*orc.File
	pool  *pool
	of    *dataFile
	src   arrowio.OpenSource
	count *arrowio.CountingSource
	users int

	load sync.Mutex
}

// acquire returns a file, opened if it is not.
func (p *pool) acquire(ctx context.Context, f *dataFile) (*handle, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed
	}
	h := p.open[f]
	if h == nil {
		h = &handle{pool: p, of: f}
		p.open[f] = h
	} else if i := slices.Index(p.idle, h); i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
	}
	h.users++
	p.mu.Unlock()
	if err := h.begin(ctx); err != nil {
		return nil, errors.Join(err, h.release())
	}
	return h, nil
}

var errClosed = errors.New("orc: the table is closed")

// begin opens the file, once.
func (h *handle) begin(ctx context.Context) error {
	h.load.Lock()
	defer h.load.Unlock()
	if h.File != nil {
		return nil
	}
	p := h.pool
	src, err := p.tree.Open(ctx, h.of.path)
	if err != nil {
		return err
	}
	if d := h.of; d.splits != nil && d.flush == nil && src.Size() != d.size {
		return at(d.path, errors.Join(errReplaced, src.Close()))
	}
	if n := h.of.length; n < src.Size() {
		src = &shortened{src, n}
	}
	count := arrowio.NewCountingSource(src)
	f, err := orc.Open(ctx, count, p.limits, p.opt)
	if err == nil && f.IsEvents() && !p.events {
		err = f.ShowRows()
	}
	if d := h.of; err == nil && d.splits != nil && (f.Rows() != d.rows || !slices.Equal(f.Splits(), d.splits)) {
		err = errors.Join(errReplaced, f.Close())
	}
	if err != nil {
		if errors.Is(err, errs.ErrCorrupt) && !begins(src) {
			err = errs.Errorf(errs.ErrCorrupt, "the file is not ORC (%w)", err)
		}
		_ = src.Close() // it was only read
		return at(h.of.path, err)
	}
	h.src, h.count, h.File = src, count, f
	return nil
}

// errReplaced is about a file under whose name there is another one now: a compaction of the same write ids that is done again gives its files
// the names of the old ones.
var errReplaced = errs.Errorf(errs.ErrUnsupported, "the file was replaced since the table was opened: read the table again")

// begins reports whether a file begins as ORC files do, or cannot be read there.
func begins(src arrowio.Source) bool {
	head := make([]byte, 3)
	_, err := src.ReadAt(head, 0)
	return err != nil || orc.Match(head, nil)
}

// release gives the file back.
func (h *handle) release() error {
	p := h.pool
	p.mu.Lock()
	h.users--
	var last *handle
	if h.users == 0 {
		if h.File == nil { // it could not be opened: the next one may try again
			delete(p.open, h.of)
		} else {
			p.idle = append(p.idle, h)
			if len(p.idle) > keptFiles || p.closed {
				last = p.idle[0]
				p.idle = slices.Delete(p.idle, 0, 1)
				delete(p.open, last.of)
			}
		}
	}
	p.mu.Unlock()
	if last == nil {
		return nil
	}
	return last.end()
}

// end closes the file, which is not being read.
func (h *handle) end() error {
	err := errors.Join(h.File.Close(), h.src.Close())
	h.pool.mu.Lock()
	defer h.pool.mu.Unlock()
	h.pool.read += h.count.Bytes()
	return err
}

// drop closes the files that are not being read.
func (p *pool) drop() error {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	for _, h := range idle {
		delete(p.open, h.of)
	}
	p.mu.Unlock()
	var all []error
	for _, h := range idle {
		all = append(all, h.end())
	}
	return errors.Join(all...)
}

// close closes the files that are not being read, and the others as they are given back.
func (p *pool) close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	return p.drop()
}

// bytes returns how many stored bytes were read.
func (p *pool) bytes() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.read
	for _, h := range p.open {
		if h.load.TryLock() {
			if h.count != nil {
				n += h.count.Bytes()
			}
			h.load.Unlock()
		}
	}
	return n
}

// shortened is a source up to a length: what comes behind it is not the file's.
type shortened struct {
	arrowio.OpenSource
	n int64
}

func (s *shortened) Size() int64 { return s.n }

func (s *shortened) ReadAt(p []byte, off int64) (int, error) {
	if off >= 0 && off < s.n && int64(len(p)) > s.n-off {
		n, err := s.OpenSource.ReadAt(p[:s.n-off], off)
		if err == nil {
			err = io.EOF
		}
		return n, err
	}
	if off >= s.n && len(p) > 0 {
		return 0, io.EOF
	}
	return s.OpenSource.ReadAt(p, off)
}

// flushed returns how much of a file its side file vouches for: streaming writers append the length to it, eight bytes
// big-endian, each time the file is whole up to there. Of an empty side file, nothing.
func (p *pool) flushed(ctx context.Context, f *flushFile) (n int64, err error) {
	src, err := p.tree.Open(ctx, f.path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	whole := src.Size() / 8 * 8
	if whole == 0 {
		return 0, nil
	}
	var last [8]byte
	if _, err := src.ReadAt(last[:], whole-8); err != nil {
		return 0, notEnd(err)
	}
	v := int64(binary.BigEndian.Uint64(last[:]))
	if v < 0 {
		return 0, at(f.path, errs.Errorf(errs.ErrCorrupt, "a length of %d", v))
	}
	return v, nil
}

// withoutMetadata returns a schema without what a file says of itself, which is different for each.
func withoutMetadata(s *arrow.Schema) *arrow.Schema { return arrow.NewSchema(s.Fields(), nil) }
