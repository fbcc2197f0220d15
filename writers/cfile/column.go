package cfile

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// window is how many rows are looked at at a time: what is checked or converted is still near when it is encoded.
const window = 4096

// place is where rows stand, for errors.
type place struct {
	format string
	row    int64 // of all that are written
}

// refuse says that the value of a row cannot be written.
func (p place) refuse(column string, i int, format string, args ...any) error {
	e := errs.Errorf(errs.ErrSchema, "row %d: %w", p.row+int64(i), fmt.Errorf(format, args...))
	e.Format, e.Column = p.format, column
	return e
}

// columnOut writes the file of a column.
type columnOut struct {
	*column
	out  cfilewire.ColumnOut
	file fileOut
}

// put writes rows of an array; p is that of the first.
func (c *columnOut) put(arr arrow.Array, from, to int, s *scratch, p place) error {
	for from < to {
		r, err := s.rows(arr, from, min(to-from, window))
		if err == nil {
			err = c.putRows(&r, s, p)
		}
		if err != nil {
			return c.file.located(err, c.wire.Name, p.format)
		}
		from += r.n
		p.row += int64(r.n)
	}
	return nil
}

func (c *columnOut) putRows(r *rows, s *scratch, p place) error {
	if err := c.checkNulls(r, p); err != nil {
		return err
	}
	switch {
	case c.wire.Type == cfilewire.Bool:
		return c.out.PutBits(r.bits, r.bitOff, r.n, r.valid, r.off)
	case !c.wire.Type.Binary():
		values, err := c.values(r, s, p)
		if err != nil {
			return err
		}
		return c.out.PutFixed(values, r.n, r.valid, r.off)
	case r.at == nil:
		if err := c.checkStrings(r.offsets, r.data, r, 0, p); err != nil {
			return err
		}
		return c.out.PutStrings(r.offsets, r.data, r.valid, r.off)
	}
	for i := 0; i < r.n; {
		offsets, data, n := s.flatten(r, i)
		if err := c.checkStrings(offsets, data, r, i, p); err != nil {
			return err
		}
		if err := c.out.PutStrings(offsets, data, r.valid, r.off+i); err != nil {
			return err
		}
		i += n
	}
	return nil
}

// checkNulls refuses nulls that there is no place for.
func (c *column) checkNulls(r *rows, p place) error {
	if c.wire.Nullable {
		return nil
	}
	i := r.firstNull()
	switch {
	case i < 0:
		return nil
	case c.wire.Key:
		return p.refuse(c.wire.Name, i, "a null in a column of the key")
	}
	return p.refuse(c.wire.Name, i, "a null in a column that is declared to have none")
}

// firstNull returns the first slot that is null, -1 if none is.
func (r *rows) firstNull() int {
	if r.valid == nil {
		return -1
	}
	runs := bitpack.NewRuns(r.valid, r.off, r.n)
	switch start, n := runs.Next(); {
	case start > 0 || n == 0:
		return 0
	case n < r.n:
		return n
	}
	return -1
}

// each calls f for the runs of slots from one on that are not null, until it says no.
func (r *rows) each(from, n int, f func(start, n int) bool) {
	if r.valid == nil {
		f(0, n)
		return
	}
	for runs := bitpack.NewRuns(r.valid, r.off+from, n); ; {
		start, n := runs.Next()
		if n == 0 || !f(start, n) {
			return
		}
	}
}

// values returns numbers as they are stored.
func (c *column) values(r *rows, s *scratch, p place) ([]byte, error) {
	conv := c.form.conv
	if conv == nil {
		return r.fixed, nil
	}
	width := c.wire.Type.Width()
	do := func(start, n int) (bad int) {
		src := r.fixed[start*conv.from : (start+n)*conv.from]
		if conv.to == nil {
			return conv.check(src)
		}
		return conv.to(s.out[start*width:(start+n)*width], src)
	}
	values := r.fixed
	if conv.to != nil {
		s.out = grow(s.out, r.n*width)
		values = s.out
	}
	bad := do(0, r.n)
	if bad < 0 {
		return values, nil
	}
	if r.valid != nil { // what lies beneath nulls may be anything
		bad = -1
		r.each(0, r.n, func(start, n int) bool {
			if k := do(start, n); k >= 0 {
				bad = start + k
			}
			return bad < 0
		})
		if bad < 0 {
			return values, nil
		}
	}
	return nil, p.refuse(c.wire.Name, bad, "%s", conv.say(r.fixed[bad*conv.from:(bad+1)*conv.from]))
}

// checkStrings checks strings, which are those of slots from one on.
func (c *column) checkStrings(offsets []int32, data []byte, r *rows, from int, p place) error {
	if c.form.text && bitpack.FirstNotUTF8(offsets, data) >= 0 {
		if i := firstOf(offsets, data, r, from, bitpack.FirstNotUTF8); i >= 0 {
			return p.refuse(c.wire.Name, from+i, "a string is not UTF-8, which Arrow's type promises: cast the column to binary")
		}
	}
	if c.form.chars == 0 {
		return nil
	}
	tooLong := func(offsets []int32, data []byte) int { return firstTooLong(offsets, data, c.form.chars) }
	if tooLong(offsets, data) < 0 {
		return nil
	}
	if i := firstOf(offsets, data, r, from, tooLong); i >= 0 {
		return p.refuse(c.wire.Name, from+i, "a string of %d characters for %s", characters(data[offsets[i]:offsets[i+1]]), typeName(&c.wire))
	}
	return nil
}

// firstOf looks where the first string is that find finds among those that are not null.
func firstOf(offsets []int32, data []byte, r *rows, from int, find func(offsets []int32, data []byte) int) int {
	at := -1
	r.each(from, len(offsets)-1, func(start, n int) bool {
		if k := find(offsets[start:start+n+1], data); k >= 0 {
			at = start + k
		}
		return at < 0
	})
	return at
}

// firstTooLong returns the first string of more than so many characters, -1 if there is none.
func firstTooLong(offsets []int32, data []byte, chars int) int {
	most := int32(0)
	for i := 1; i < len(offsets); i++ {
		most = max(most, offsets[i]-offsets[i-1])
	}
	if int(most) <= chars {
		return -1
	}
	for i := 1; i < len(offsets); i++ {
		if v := data[offsets[i-1]:offsets[i]]; len(v) > chars && characters(v) > chars {
			return i - 1
		}
	}
	return -1
}

// characters counts those of a string as Kudu does: bytes that begin one.
func characters(v []byte) (n int) {
	for _, b := range v {
		if int8(b) >= -64 {
			n++
		}
	}
	return n
}
