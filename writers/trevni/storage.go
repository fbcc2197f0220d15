package trevni

import (
	"fmt"
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
}

// blockMemory is about what a packedBlock and its descriptor take, which stay in memory wherever the block is.
const blockMemory = 96

// chunk is where a block's bytes are: in memory, or in the scratch file.
type chunk struct {
	bytes []byte
	off   int64
	len   int
}

// put stores a copy of a block and its checksum.
func (s *storage) put(block, sum []byte) (chunk, error) {
	n := len(block) + len(sum)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held += blockMemory
	if s.held+int64(n) <= s.memory {
		s.held += int64(n)
		b := make([]byte, 0, n)
		return chunk{bytes: append(append(b, block...), sum...), len: n}, nil
	}
	if s.scratch == nil {
		f, err := s.store.Scratch()
		if err != nil {
			return chunk{}, err
		}
		s.scratch = f
	}
	c := chunk{off: s.at, len: n}
	for _, b := range [][]byte{block, sum} {
		if len(b) == 0 {
			continue
		}
		if _, err := s.scratch.Write(b); err != nil {
			return chunk{}, err
		}
	}
	s.at += int64(n)
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
		if k, err := io.Copy(w, io.NewSectionReader(s.scratch, c.off, n)); err != nil {
			return err
		} else if k < n {
			return fmt.Errorf("scratch file: %w", io.ErrUnexpectedEOF)
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
	s.scratch, s.at, s.held = nil, 0, 0
	return err
}
