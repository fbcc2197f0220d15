package trevni

import (
	"sort"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// blockBytes is where Java's writer closes a block: before a row begins, if so much is buffered.
const blockBytes = 64 << 10

// maxBlockRows bounds blocks of columns that take no bytes.
const maxBlockRows = 1 << 30

// column collects one stored column: the open block, and the packed blocks of the row group.
type column struct {
	*trevniwire.Column
	level   int
	codec   blockcodec.Encoder
	storage *storage

	buf    []byte // open block
	spare  int    // boolean columns: unused bits of buf's last byte
	run    int    // equal lengths not written yet
	runLen int32
	rows   int
	begin  []byte // first value of the open block

	packed []byte // scratch
	blocks []packedBlock
	raw    int64 // unpacked bytes of all closed blocks
	stored int64 // bytes of the column so far: descriptors and blocks
	sorted sortedness
}

// packedBlock is a finished block: its descriptor and where its bytes wait.
type packedBlock struct {
	descriptor []byte
	chunk
}

// append encodes rows of a batch. ends[i] is the number of entries (or values) of the rows up to and with row i; nil is
// one each. For an array column, offs are the prefix sums of the entries' lengths, from 0; otherwise nil.
func (c *column) append(rows int, ends, offs []int32, v values) error {
	entry := func(row int) int {
		if ends == nil || row == 0 {
			return row
		}
		return int(ends[row-1])
	}
	bound := v.bound
	if c.Array {
		bound = func(a, b int) int { return (b-a)*bitpack.MaxVarint32 + v.bound(int(offs[a]), int(offs[b])) }
	}
	if c.Values {
		c.sorted.see(v, rows)
	}
	for row := 0; row < rows; {
		if len(c.buf) >= blockBytes || c.rows >= maxBlockRows {
			if err := c.close(); err != nil {
				return err
			}
		}
		if c.rows == 0 && c.Values {
			c.begin = v.first(row)
		}
		// As many rows as are sure to stay below the edge, and at least one.
		from, room := entry(row), blockBytes-len(c.buf)
		n := 1
		if left := rows - row; bound(from, entry(rows)) <= room {
			n = left
		} else if k := sort.Search(left, func(k int) bool { return bound(from, entry(row+k+1)) > room }); k > 1 {
			n = k
		}
		n = min(n, maxBlockRows-c.rows)
		to := entry(row + n)
		c.reserve(bound(from, to))
		if c.Array {
			c.entries(offs, from, to, v)
		} else {
			v.put(c, from, to)
		}
		c.rows += n
		row += n
	}
	return nil
}

// reserve makes room for n more bytes, the wide stores behind them, and a run of lengths that is still open.
func (c *column) reserve(n int) {
	if need := len(c.buf) + n + 4*bitpack.VarintRoom; cap(c.buf) < need {
		buf := make([]byte, len(c.buf), need+need/4)
		copy(buf, c.buf)
		c.buf = buf
	}
}

// entries encodes entries of an array column: lengths, each with its values behind it.
func (c *column) entries(offs []int32, from, to int, v values) {
	for e := from; e < to; {
		n := offs[e+1] - offs[e]
		k := e + 1
		if n <= 1 {
			for k < to && offs[k+1]-offs[k] == n {
				k++
			}
		}
		switch {
		case n == 0:
			c.lengths(0, k-e)
		case c.Type == trevniwire.Null && n == 1:
			c.lengths(1, k-e)
		default:
			c.flush()
			if n == 1 {
				v.ones(c, int(offs[e]), int(offs[k]))
				break
			}
			c.buf = bitpack.AppendZigzag(c.buf, n)
			c.spare = 0
			v.put(c, int(offs[e]), int(offs[e+1]))
		}
		e = k
	}
}

// lengths adds k entries of length 0 or 1 to the open run. A run ends at another length, at the end of the block, and
// before any value.
func (c *column) lengths(n int32, k int) {
	if c.run > 0 && c.runLen != n {
		c.flush()
	}
	for k > maxRun-c.run {
		k -= maxRun - c.run
		c.run, c.runLen = maxRun, n
		c.flush()
	}
	c.run, c.runLen = c.run+k, n
}

// maxRun is the longest run whose code fits an int.
const maxRun = 1 << 30

// flush writes the open run: 3-2n for n zeros, 2-2n for n ones, a single one as the length that it is.
func (c *column) flush() {
	switch {
	case c.run == 0:
		return
	case c.run == 1:
		c.buf = bitpack.AppendZigzag(c.buf, c.runLen)
	default:
		c.buf = bitpack.AppendZigzag(c.buf, int32(3-2*c.run)-c.runLen)
	}
	c.run, c.spare = 0, 0
}

// close finishes the open block: packs it, adds the checksum, stores it.
func (c *column) close() error {
	c.flush()
	if c.rows == 0 {
		return nil
	}
	packed := c.buf
	if c.Codec != blockcodec.None {
		var err error
		if packed, err = c.codec.Encode(c.Codec, c.level, c.packed[:0], c.buf); err != nil {
			return err
		}
	} else {
		packed = append(c.packed[:0], c.buf...)
	}
	size := len(packed)
	packed = trevniwire.AppendSum(packed, c.Checksum, c.buf)
	c.packed = packed
	at, err := c.storage.put(packed)
	if err != nil {
		return err
	}
	d := trevniwire.AppendDescriptor(nil, c.rows, len(c.buf), size, c.begin)
	c.blocks = append(c.blocks, packedBlock{d, at})
	c.raw += int64(len(c.buf))
	c.stored += int64(len(d) + len(packed))
	c.buf, c.spare, c.rows, c.begin = c.buf[:0], 0, 0, nil
	return nil
}

// sortedness watches whether a column's values ascend through the whole row group.
type sortedness struct {
	broken bool
	seen   bool
	last   sortKey
}

// sortKey is one value in a form that compares as the column's type does.
type sortKey struct {
	i int64
	f float64
	s string
}

func (k sortKey) less(o sortKey) bool { return k.i < o.i || k.f < o.f || k.s < o.s }

func (s *sortedness) see(v values, rows int) {
	if rows == 0 || s.broken {
		return
	}
	s.broken = !v.ascending() || s.seen && v.key(0).less(s.last)
	if !s.broken {
		s.seen, s.last = true, v.key(rows-1)
	}
}
