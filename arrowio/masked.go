package arrowio

import (
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
)

// maskedRows is rows of a split in order, as bits: those of scattered rows take less room and time than their runs.
type maskedRows struct {
	marks  bitpack.Marks
	pieces []maskedPiece
	part   bitpack.Marks // scratch
	n      int64         // rows that are marked
}

// maskedPiece is rows of which some are marked, the first and the last among them.
type maskedPiece struct {
	rows RowRange
	slot int // of marks, of the first row
}

// maskedGap is how many rows without marks may be between those of a piece.
const maskedGap = 4096

func (m *maskedRows) reset() { m.marks, m.pieces, m.n = m.marks[:0], m.pieces[:0], 0 }

// add appends those rows of got that are marked; marks has its n slots in the order of got, which are behind all rows of m.
func (m *maskedRows) add(marks bitpack.Marks, got RowSet) {
	slot := 0
	for _, r := range got {
		m.addRange(marks, slot, r)
		slot += int(r.Len())
	}
}

// addRange appends those rows of r that are marked, from slot on.
func (m *maskedRows) addRange(marks bitpack.Marks, slot int, r RowRange) {
	n := int(r.Len())
	k := marks.CountPart(slot, n)
	if k == 0 {
		return
	}
	first, _ := marks.NextRun(slot)
	last, _ := marks.Find(slot, n, k)
	r = RowRange{r.Start + int64(first-slot), r.Start + int64(last)}
	if i := len(m.pieces) - 1; i < 0 || r.Start-m.pieces[i].rows.End > maskedGap {
		m.pieces = append(m.pieces, maskedPiece{r, 64 * len(m.marks)})
	}
	p := &m.pieces[len(m.pieces)-1]
	p.rows.End = r.End
	at := p.slot + int(r.Start-p.rows.Start)
	for words := bitpack.MarkWords(p.slot + int(p.rows.Len())); len(m.marks) < words; {
		m.marks = append(m.marks, 0)
	}
	m.part = bitpack.AppendPart(m.part[:0], marks, first, int(r.Len()))
	m.marks.Add(at, m.part, int(r.Len()))
	m.n += int64(k)
}

// closed returns the rows with the gaps of up to so many rows between them.
func (m *maskedRows) closed(gap int64) RowSet {
	var out RowSet
	for _, p := range m.pieces {
		m.runs(p, p.rows.Start, gap, func(r RowRange) {
			if n := len(out); n > 0 && r.Start-out[n-1].End <= gap {
				out[n-1].End = r.End
			} else {
				out = append(out, r)
			}
		})
	}
	return out
}

// runs calls do for the rows of p from a row on. What is between rows of one word counts as a row where gaps are so long.
func (m *maskedRows) runs(p maskedPiece, from, gap int64, do func(r RowRange)) {
	row := func(slot int) int64 { return p.rows.Start + int64(slot-p.slot) }
	at, end := p.slot+int(from-p.rows.Start), p.slot+int(p.rows.Len())
	marks := m.marks[:bitpack.MarkWords(end)]
	for {
		first, last := marks.NextRun(at)
		if first == last {
			return
		}
		if gap >= 64 {
			last = max(last, marks.WordEnd(last-1))
		}
		do(RowRange{row(first), row(last)})
		at = last
	}
}

// from returns the rows from a row of piece i on.
func (m *maskedRows) from(i int, row int64) RowSet {
	var out RowSet
	for ; i < len(m.pieces); i++ {
		p := m.pieces[i]
		m.runs(p, max(row, p.rows.Start), 0, func(r RowRange) { out = out.Add(r) })
	}
	return out
}

// cursor is rows of maskedRows that are still to be read. The zero value has none.
type cursor struct {
	of    *maskedRows
	piece int
	row   int64 // from which on they are
	left  int64 // how many there are
}

// rows returns them as ranges.
func (c *cursor) rows() RowSet { return c.of.from(c.piece, c.row) }

// maskReader is a RunReader that takes bits, too: see there.
type maskReader interface {
	ReadMask(mask []uint64, off, n int) error
}

// longRun is how many rows runs have, on average, at least, where they are not read as bits.
const longRun = 64

// readMasked has b read rows, which must stay as they are until then, after those before.
func (b *batcher) readMasked(rows *maskedRows) {
	c := cursor{of: rows, left: rows.n}
	if _, ok := b.r.(maskReader); !ok || rows.n >= longRun*int64(rows.marks.Runs()) {
		b.rows = c.rows()
		return
	}
	b.masked = c
}

// skipToMasked passes over the rows before the next piece.
func (b *batcher) skipToMasked() error {
	c := &b.masked
	c.row = max(c.row, c.of.pieces[c.piece].rows.Start)
	if ok, err := b.skipTo(c.row); err != nil || ok {
		return err
	}
	return errs.Errorf(errs.ErrInternal, "the split ended before row %d", c.row)
}

// readMask reads n of the masked rows.
func (b *batcher) readMask(n int) error {
	reader, c := b.r.(maskReader), &b.masked
	for n > 0 {
		if err := b.skipToMasked(); err != nil {
			return err
		}
		p := c.of.pieces[c.piece]
		slot, rows := p.slot+int(c.row-p.rows.Start), int(p.rows.End-c.row)
		rows, k := c.of.marks.Find(slot, rows, n)
		if err := reader.ReadMask(c.of.marks, slot, rows); err != nil {
			return err
		}
		first, _ := c.of.marks.NextRun(slot)
		b.at = c.row + int64(rows)
		b.span(RowRange{c.row + int64(first-slot), b.at})
		c.left -= int64(k)
		if n, c.row = n-k, b.at; c.row == p.rows.End {
			c.piece++
		}
	}
	return nil
}

// span notes that rows of r were read, its first and its last among them, and which others masks tell.
func (b *batcher) span(r RowRange) {
	if len(b.got) > 0 {
		r.Start = b.got[0].Start
	}
	b.got = append(b.got[:0], r)
}
