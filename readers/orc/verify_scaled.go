package orc

import (
	"errors"
	"math"
	"math/bits"

	"github.com/arrowio/arrowio/internal/orcwire"
)

// checkTimes adds up seconds and nanoseconds by the rules of the format.
type checkTimes struct {
	data, second *input
	secs, nanos  *orcwire.Ints[int64]
	zone         *orcwire.Zone
	utf8         bool
	finely       bool
	room, low    checkRoom
}

func (c *checkTimes) read(n int, t *tally) error {
	if err := c.secs.Next(c.room[:n]); err != nil {
		return c.data.fail(err)
	}
	if err := c.nanos.Next(c.low[:n]); err != nil {
		return c.second.fail(err)
	}
	for i, v := range c.room[:n] {
		nanos := c.low[i] >> 3 // of C++: also below 0
		if z := c.low[i] & 7; z > 0 {
			for range z + 1 {
				nanos *= 10
			}
		}
		if nanos <= -1e9 || nanos >= 1e9 {
			return c.second.fail(corrupt("%d nanoseconds", nanos))
		}
		instant := v + c.zone.Epoch()
		rounded := nanos > 999_999 || c.finely && nanos > 0
		if instant < 0 && rounded {
			instant--
		}
		unsure := instant == 0 && rounded
		wall := instant + int64(c.zone.Offset(instant))
		if wall > math.MaxInt64/1000-1 || wall < math.MinInt64/1000+1 {
			t.broken = true
		}
		ms := nanos / 1e6
		if nanos%1e6 < 0 {
			ms--
		}
		t.time(moment{wall*1000 + ms, int32(nanos - ms*1e6)}, instant*1000+ms, c.utf8, unsure)
	}
	return nil
}

func (c *checkTimes) seek(p *orcwire.Positions) error {
	if err := c.secs.Seek(p); err != nil {
		return err
	}
	return c.nanos.Seek(p)
}

func (c *checkTimes) end() error {
	if err := ended(c.data, c.secs); err != nil {
		return err
	}
	return ended(c.second, c.nanos)
}

// checkDecimals reads digits and scales.
type checkDecimals struct {
	data, second *input
	scales       *orcwire.Ints[int64]
	scale        int64
	room         checkRoom
}

func (c *checkDecimals) read(n int, t *tally) error {
	if err := c.scales.Next(c.room[:n]); err != nil {
		return c.second.fail(err)
	}
	for _, s := range c.room[:n] {
		v, err := c.digits()
		if err != nil {
			return c.data.fail(err)
		}
		if s < -1000 || s > 1000 {
			return c.second.fail(corrupt("a scale of %d", s))
		}
		ok := true
		for ; s < c.scale && ok; s++ {
			v, ok = v.ten()
		}
		for ; s > c.scale && ok; s-- {
			v, ok = v.tenth()
		}
		t.decimal(v, ok, int(c.scale))
	}
	return nil
}

var errDigits = errors.New("a decimal of over 127 bits")

// digits reads a signed varint of up to 128 bits.
func (c *checkDecimals) digits() (int128, error) {
	const most = 19
	if err := c.data.Need(most); err != nil {
		return int128{}, err
	}
	w := c.data.Window()
	var hi, lo uint64
	for i, b := range w {
		if i == most {
			return int128{}, errDigits
		}
		v, shift := uint64(b&127), 7*i
		if shift < 64 {
			lo |= v << shift
			if shift > 57 {
				hi |= v >> (64 - shift)
			}
		} else {
			if bits.Len64(v)+shift > 128 {
				return int128{}, errDigits
			}
			hi |= v << (shift - 64)
		}
		if b < 128 {
			c.data.Advance(i + 1)
			sign := -(lo & 1)
			return int128{int64(hi>>1 ^ sign), (lo>>1 | hi<<63) ^ sign}, nil
		}
	}
	return int128{}, orcwire.ErrEnd
}

func (c *checkDecimals) seek(p *orcwire.Positions) error {
	if err := c.data.Seek(p); err != nil {
		return err
	}
	return c.scales.Seek(p)
}

func (c *checkDecimals) end() error {
	if err := drained(c.data); err != nil {
		return err
	}
	return ended(c.second, c.scales)
}

// checkDecimal64 is for decimals whose digits are integers, all at one scale.
type checkDecimal64 struct {
	in    *input
	runs  *orcwire.Ints[int64]
	scale int
	room  checkRoom
}

func (c *checkDecimal64) read(n int, t *tally) error {
	if err := c.runs.Next(c.room[:n]); err != nil {
		return c.in.fail(err)
	}
	for _, v := range c.room[:n] {
		t.decimal(int128{v >> 63, uint64(v)}, true, c.scale)
	}
	return nil
}

func (c *checkDecimal64) seek(p *orcwire.Positions) error { return c.runs.Seek(p) }
func (c *checkDecimal64) end() error                      { return ended(c.in, c.runs) }
