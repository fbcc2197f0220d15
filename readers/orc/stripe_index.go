package orc

import (
	"context"
	"errors"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// columnIndex is what the index part of a stripe says about a column. Each half is read when it is first asked for.
type columnIndex struct {
	entries  []orcwire.RowIndexEntry // one for each row group; nil = the stripe has none
	indexErr error                   // why they cannot be used
	hasIndex bool                    // read, if there

	blooms   []orcwire.BloomFilter // one for each row group; nil = the stripe has none
	utf8     bool                  // of the second generation
	bloomErr error
	hasBloom bool
}

// groups returns how many row groups the stripe has; 0 = it has no index.
func (s *stripe) groups() int {
	stride := int64(s.file.footer.RowIndexStride)
	if stride <= 0 {
		return 0
	}
	return int((s.info.Rows + stride - 1) / stride)
}

// readIndex reads the row index of some columns and the bloom filters of some, those that are not there yet, in one
// coalesced read. An index that cannot be understood is kept as an error in its columnIndex: rows can be read without
// it. The error returned is one of the source.
func (s *stripe) readIndex(ctx context.Context, columns, blooms []int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index == nil {
		s.index = map[int]*columnIndex{}
	}
	var ranges []arrowio.ByteRange
	var then []func(b []byte)
	add := func(x stream, use func(*columnIndex, []byte, error)) {
		c := s.index[x.column]
		if x.len > s.file.limits.MetadataBytes {
			use(c, nil, errs.Errorf(errs.ErrLimit, "%d bytes are over the limit MetadataBytes = %d", x.len, s.file.limits.MetadataBytes))
			return
		}
		ranges = append(ranges, arrowio.ByteRange{Off: x.off, Len: x.len})
		then = append(then, func(b []byte) {
			if x.key != nil {
				clear := make([]byte, len(b))
				x.key.XOR(clear, b, 0)
				b = clear
			}
			raw, err := s.file.unpack(b)
			use(c, raw, s.located(err, x.kind.String()+" stream", x.off))
		})
	}
	for _, id := range columns {
		c := s.column(id)
		if x, ok := s.find(id, orcwire.RowIndex); ok && !c.hasIndex {
			add(x, s.useIndex)
		}
		c.hasIndex = true
	}
	for _, id := range blooms {
		c := s.column(id)
		if !c.hasBloom {
			if x, ok := s.find(id, orcwire.BloomFilterUTF8); ok {
				c.utf8 = true
				add(x, s.useBloom)
			} else if x, ok := s.find(id, orcwire.BloomFilterOriginal); ok {
				add(x, s.useBloom)
			}
		}
		c.hasBloom = true
	}
	pieces, err := s.readIndexRanges(ctx, ranges)
	if err != nil {
		clear(s.index) // what was marked as read is not
		return ioError{err}
	}
	for i, use := range then {
		use(pieces[i])
	}
	return nil
}

// readIndexRanges reads ranges of the index, unless they came with the footer.
func (s *stripe) readIndexRanges(ctx context.Context, ranges []arrowio.ByteRange) ([][]byte, error) {
	pieces := make([][]byte, len(ranges))
	for i, r := range ranges {
		var ok bool
		if pieces[i], ok = s.cameAhead(r); !ok {
			pieces, _, err := arrowio.ReadRangesInto(ctx, s.file.src, ranges, nil, bitpack.SrcSlack)
			return pieces, err
		}
	}
	return pieces, nil
}

// column returns the entry of a column; s.mu is held.
func (s *stripe) column(id int) *columnIndex {
	c := s.index[id]
	if c == nil {
		c = &columnIndex{}
		s.index[id] = c
	}
	return c
}

var errGroups = errors.New("orc: the index has not one entry for each row group")

func (s *stripe) useIndex(c *columnIndex, raw []byte, err error) {
	if err == nil {
		c.entries, err = orcwire.ParseRowIndex(raw, s.groups())
	}
	if err == nil && len(c.entries) != s.groups() {
		c.entries, err = nil, errGroups
	}
	c.indexErr = err
}

func (s *stripe) useBloom(c *columnIndex, raw []byte, err error) {
	if err == nil {
		c.blooms, err = orcwire.ParseBloomIndex(raw, s.groups())
	}
	if err == nil && len(c.blooms) != s.groups() {
		c.blooms, err = nil, errGroups
	}
	c.bloomErr = err
}

// columnIndex returns what readIndex has found about a column; it does not change any more.
func (s *stripe) columnIndex(id int) columnIndex {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.index[id]; c != nil {
		return *c
	}
	return columnIndex{}
}

// loadIndex reads the row index of the columns that nodes decode.
func (s *stripe) loadIndex(ctx context.Context, nodes []*node) error {
	columns := make([]int, len(nodes))
	for i, n := range nodes {
		columns[i] = n.typ.ID
	}
	return s.readIndex(ctx, columns, nil)
}

// entries returns the row index of a column; nil where it is not there or was not read.
func (s *stripe) entries(id int) ([]orcwire.RowIndexEntry, error) {
	c := s.columnIndex(id)
	return c.entries, c.indexErr
}

// seekable reports whether the positions of all nodes are there and have not proved wrong.
func (s *stripe) seekable(nodes []*node) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrong {
		return false
	}
	for _, n := range nodes {
		if c := s.index[n.typ.ID]; c == nil || c.entries == nil {
			return false
		}
	}
	return true
}

// distrust gives up the positions of the row index.
func (s *stripe) distrust() {
	s.mu.Lock()
	s.wrong = true
	s.mu.Unlock()
}
