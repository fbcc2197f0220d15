package trevni

import (
	"io"
	"sync"

	"github.com/arrowio/arrowio/arrowio"
)

// storage keeps packed blocks until the row group is written: in memory up to a bound, then in a scratch file. Columns
// put blocks concurrently.
type storage struct {
	mu      sync.Mutex
	store   arrowio.Store
	memory  int64 // what may be held
	held    int64
	scratch arrowio.ScratchFile
	at      int64
	total   int64 // bytes put, wherever they are
}

// chunk is where a block's bytes are: in memory, or in the scratch file.
type chunk struct {
	bytes []byte
	off   int64
	len   int
}

// put stores a copy of b.
func (s *storage) put(b []byte) (chunk, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total += int64(len(b))
	if s.held+int64(len(b)) <= s.memory {
		s.held += int64(len(b))
		return chunk{bytes: append([]byte(nil), b...), len: len(b)}, nil
	}
	if s.scratch == nil {
		f, err := s.store.Scratch()
		if err != nil {
			return chunk{}, err
		}
		s.scratch = f
	}
	if _, err := s.scratch.Write(b); err != nil {
		return chunk{}, err
	}
	c := chunk{off: s.at, len: len(b)}
	s.at += int64(len(b))
	return c, nil
}

// copy writes the bytes of chunks to w; those that lie one after another in the scratch file in one piece.
func (s *storage) copy(w io.Writer, blocks []packedBlock) error {
	for i := 0; i < len(blocks); {
		c := blocks[i].chunk
		if c.bytes != nil || c.len == 0 {
			if _, err := w.Write(c.bytes); err != nil {
				return err
			}
			i++
			continue
		}
		n := int64(c.len)
		for i++; i < len(blocks) && blocks[i].bytes == nil && blocks[i].off == c.off+n; i++ {
			n += int64(blocks[i].len)
		}
		if _, err := io.Copy(w, io.NewSectionReader(s.scratch, c.off, n)); err != nil {
			return err
		}
	}
	return nil
}

// reset forgets everything: the next row group begins.
func (s *storage) reset() error {
	var err error
	if s.scratch != nil {
		err = s.scratch.Close()
	}
	s.scratch, s.at, s.held, s.total = nil, 0, 0, 0
	return err
}
