package trevni

import (
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// entries reads the lengths of len(lens) entries and hands their values to s; a nil s passes over them.
// It returns the number of elements.
//
// Nearly all lengths are below 64 and take one byte. Loops for the two usual kinds of array column, without values and
// with strings, do those and leave everything else (long lengths, runs, the end of the block) to the general one.
func (c *column) entries(lens []int32, s sink) (int, error) {
	total := int64(0)
	text, _ := s.(*bytesSink)
	for i := 0; i < len(lens); {
		if c.run == 0 {
			k, n, err := 0, int64(0), error(nil)
			switch {
			case c.Type == trevniwire.Null:
				k, n = c.shortLengths(lens[i:])
				err = c.admit(n)
			case text != nil:
				k, n, err = c.shortStrings(lens[i:], text)
			}
			total += n
			if i += k; err != nil {
				return int(total), err
			}
			if i == len(lens) {
				break
			}
		}
		k, n, err := c.group(len(lens) - i)
		if err != nil {
			return 0, err
		}
		fill(lens[i:i+k], n)
		i += k
		if n == 0 {
			continue
		}
		more := int64(k) * int64(n)
		total += more
		if err := c.admit(more); err != nil {
			return 0, err
		}
		if s == nil {
			err = c.pass(int(more))
		} else {
			err = s.plain(c, int(more))
		}
		if err != nil {
			return 0, err
		}
	}
	return int(total), c.settle()
}

// passEntries passes over n entries and their values. It returns the number of elements.
func (c *column) passEntries(n int64) (int64, error) {
	total := int64(0)
	for n > 0 {
		if c.Type == trevniwire.Null && c.run == 0 {
			k, more := c.passLengths(n)
			total += more
			if n -= k; n == 0 {
				break
			}
		}
		k, l, err := c.group(int(min(n, math.MaxInt32)))
		if err != nil {
			return 0, err
		}
		n -= int64(k)
		total += int64(k) * int64(l)
		if err := c.skip(int64(k) * int64(l)); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// passLengths is shortLengths for up to most entries that are not wanted one by one.
func (c *column) passLengths(most int64) (k, n int64) {
	src := c.raw[c.p:]
	p := 0
	for k < most && p < len(src) && src[p] < 0x80 {
		b := src[p]
		p++
		if b&1 == 0 {
			n += int64(b >> 1)
			k++
			continue
		}
		count, one := int64(b>>2)+2, int32(b>>1&1)
		if count > most-k {
			c.run, c.runLen = int(count-(most-k)), one
			count = most - k
		}
		n += count * int64(one)
		k += count
	}
	c.p += p
	return k, n
}

// fill sets a short run of lengths; long ones are cleared or doubled.
func fill(lens []int32, n int32) {
	if n == 0 {
		clear(lens)
		return
	}
	for i := range lens {
		lens[i] = n
	}
}

// shortLengths reads lengths, and runs of them, of one byte that no values follow; k of them, of n elements in all.
func (c *column) shortLengths(lens []int32) (k int, n int64) {
	src := c.raw[c.p:]
	p := 0
	for k < len(lens) && p < len(src) {
		b := src[p]
		if b >= 0x80 {
			break
		}
		p++
		if b&1 == 0 {
			lens[k] = int32(b >> 1)
			n += int64(b >> 1)
			k++
			continue
		}
		count, one := int(b>>2)+2, int32(b>>1&1) // see group
		if count > len(lens)-k {
			c.run, c.runLen = count-(len(lens)-k), one
			count = len(lens) - k
		}
		n += int64(count) * int64(one)
		if count <= 4 && k+4 <= len(lens) {
			*(*[4]int32)(lens[k:]) = [4]int32{one, one, one, one}
		} else {
			fill(lens[k:k+count], one)
		}
		k += count
	}
	c.p += p
	return k, n
}

// stringRoom is what the loop below reads for a string of up to 63 bytes, copying 32 at a time: so far no branch depends
// on the length.
const stringRoom = 1 + 64 + 32

// shortStrings reads entries of short strings: each a length of one byte, then as many strings. It returns how many
// entries it read, k, and the strings in them, n.
func (c *column) shortStrings(lens []int32, s *bytesSink) (k int, n int64, err error) {
	src := c.raw[c.p:]
	src = src[:min(len(src), wholeBlock)]
	limit := len(src) - stringRoom
	if limit <= 0 {
		return 0, 0, nil
	}
	s.begin()
	if int64(s.data.Len())+int64(len(src)) > math.MaxInt32-stringRoom {
		return 0, 0, nil // the general loop says so if it comes to that
	}
	// A string takes a byte or more, and its bytes come out of src: that bounds both buffers.
	ends := s.offsets.Tail(limit)
	s.data.Tail(len(src) + stringRoom)
	data := s.data.Room()
	p, q, e := 0, s.data.Len(), 0
entries:
	for k < len(lens) && p < limit {
		b := src[p]
		if b&0x81 != 0 {
			if b >= 0x80 { // a long length, or a long run
				break
			}
			// a run: 1, 5, 9, … are 2, 3, 4, … zeros, and 3, 7, 11, … are so many ones
			many := int(b>>2) + 2
			p++
			if b&2 == 0 {
				if many > len(lens)-k {
					c.run, c.runLen = many-(len(lens)-k), 0
					many = len(lens) - k
				}
				clear(lens[k : k+many])
				k += many
				continue
			}
			for ; many > 0 && k < len(lens) && p < limit; many-- {
				b := src[p]
				if b&0x81 != 0 {
					break
				}
				m := int(b >> 1)
				p++
				*(*[16]byte)(data[q:]) = *(*[16]byte)(src[p:])
				*(*[16]byte)(data[q+16:]) = *(*[16]byte)(src[p+16:])
				for x := 32; x < m; x += 16 {
					*(*[16]byte)(data[q+x:]) = *(*[16]byte)(src[p+x:])
				}
				p += m
				q += m
				ends[e] = int32(q)
				e++
				lens[k] = 1
				k++
			}
			if many > 0 { // the batch is full, or the general loop has to read the next one
				c.run, c.runLen = many, 1
				break
			}
			continue
		}
		count := int(b >> 1)
		at := p
		from, was := q, e
		p++
		for range count {
			if p >= limit {
				p, q, e = at, from, was
				break entries
			}
			b := src[p]
			if b&0x81 != 0 { // a long string, or a bad one
				p, q, e = at, from, was
				break entries
			}
			m := int(b >> 1)
			p++
			*(*[16]byte)(data[q:]) = *(*[16]byte)(src[p:])
			*(*[16]byte)(data[q+16:]) = *(*[16]byte)(src[p+16:])
			for x := 32; x < m; x += 16 {
				*(*[16]byte)(data[q+x:]) = *(*[16]byte)(src[p+x:])
			}
			p += m
			q += m
			ends[e] = int32(q)
			e++
		}
		lens[k] = int32(count)
		k++
	}
	c.p += p
	taken := int64(q-s.data.Len()) + int64(e)*c.width
	s.offsets.Extend(e)
	s.data.Extend(q - s.data.Len())
	return k, int64(e), c.charge(taken)
}

// admit checks, before anything is sized by it, that n more values can be in the rest of the block and fit the batch.
func (c *column) admit(n int64) error {
	if c.Type == trevniwire.Null {
		if c.free += n; c.free > c.batch.elements {
			return c.fail(errs.Errorf(errs.ErrLimit, "more than %d elements that take no bytes in one batch: over the limit BatchElements", c.batch.elements))
		}
		return nil
	}
	if err := c.room(n); err != nil {
		return err
	}
	return c.charge(n * c.width)
}

// charge counts bytes of the batch being built, few at a time: all columns count together, which takes longer than decoding a value.
func (c *column) charge(n int64) error {
	if c.owed += n; c.owed < chargeStep {
		return nil
	}
	return c.settle()
}

// chargeStep is how many bytes of a column may not have been counted while it is decoded.
const chargeStep = 4 << 10

// settle counts what charge has not counted yet.
func (c *column) settle() error {
	n := c.owed
	c.owed = 0
	if err := c.batch.take(n); err != nil {
		return c.fail(err)
	}
	return nil
}

// room checks that n more values can be in the rest of the block; all but nulls take some of it.
func (c *column) room(n int64) error {
	left := int64(len(c.raw) - c.p)
	var fit int64
	switch c.Type {
	case trevniwire.Boolean:
		fit = int64(len(c.raw))*8 - int64(c.bits)
	case trevniwire.Fixed32, trevniwire.Float:
		fit = left / 4
	case trevniwire.Fixed64, trevniwire.Double:
		fit = left / 8
	default:
		fit = left
	}
	if n > fit {
		return c.fail(errShort(n, left))
	}
	return nil
}
