package trevni

import (
	"bytes"
	"math"
	"sort"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/trevniwire"
)

// javaBlock is where Java's writer closes a block: before a row begins, if so much is buffered.
const javaBlock = 64 << 10

// maxBlockRows bounds blocks of columns that take no bytes.
const maxBlockRows = 1 << 30

// column collects one stored column: the open block, and the packed blocks of the row group.
type column struct {
	*trevniwire.Column
	level   int
	block   int // bytes at which a block ends
	packers packers
	storage *storage

	buf       []byte // open block
	spare     int    // boolean columns: unused bits of buf's last byte
	run       int    // lengths not written yet, all of them
	runLen    int    // 0, or 1 in a column without values
	ones      ones   // at the end of buf
	mixed     *mixed // array columns: scratch
	watch     bool   // whether the values ascend, for first values and bounds
	bounded   bool   // bounds are kept: there is at most one value in a row
	java      bool   // runs of ones only where Java writes them: in columns without values
	rows      int
	unmatched bool   // the block before was not made shorter
	begin     []byte // first value of the open block
	open      bounds // of the values of the open block

	blocks []packedBlock
	bounds []byte // of the blocks, one behind another
	firsts int    // bytes of the blocks' first values
	raw    int64  // unpacked bytes of all closed blocks
	stored int64  // bytes of the column so far: descriptors and blocks
	sorted sortedness
}

// packedBlock is a finished block: what its descriptor says and where its bytes wait.
type packedBlock struct {
	rows, raw, packed int
	first             []byte // nil = none, or too long to be stored unasked
	chunk
}

// maxFirst bounds first values that nobody has asked for.
const maxFirst = 64

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
	if (c.Values || c.watch) && c.Type != trevniwire.Bytes { // bytes may be decimals, which have an order of their own
		c.sorted.see(v, rows)
	}
	ascending := c.watch && c.sorted.seen && !c.sorted.broken
	for row := 0; row < rows; {
		if len(c.buf) >= c.block || c.rows >= maxBlockRows {
			if err := c.close(); err != nil {
				return err
			}
		}
		if c.rows == 0 && (c.Values || ascending) {
			c.begin = append(c.begin[:0], v.first(row)...)
		}
		// As many rows as are sure to stay below the edge, and at least one. The row behind one that reaches it belongs to
		// the next block, even if it takes no bytes.
		from, room := entry(row), c.block-len(c.buf)
		n := 1
		if left := rows - row; bound(from, entry(rows)) < room {
			n = left
		} else {
			for 2*n < left && bound(from, entry(row+2*n)) < room { // the places it looks at are near
				n *= 2
			}
			n += sort.Search(min(n, left-n), func(k int) bool { return bound(from, entry(row+n+k+1)) >= room })
		}
		n = min(n, maxBlockRows-c.rows)
		to := entry(row + n)
		c.reserve(bound(from, to))
		if c.Array {
			c.putEntries(v, offs, from, to)
		} else {
			v.put(c, from, to)
		}
		if c.bounded {
			if c.Array {
				from, to = int(offs[from]), int(offs[to])
			}
			if c.open.nulls += int64(n - (to - from)); from < to {
				v.bounds(&c.open, from, to, ascending)
			}
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

// flush writes the open run of lengths. A run ends at another length, at the end of the block, and before any value.
func (c *column) flush() {
	c.buf = c.buf[:putRun(c.buf[:cap(c.buf)], len(c.buf), c.runLen, c.run)]
	c.run, c.spare, c.ones = 0, 0, ones{}
}

// close finishes the open block: packs it, adds the checksum, stores it.
func (c *column) close() error {
	c.flush()
	if c.rows == 0 {
		return nil
	}
	p := c.packers.get()
	defer c.packers.put(p)
	packed, err := p.pack(c.Codec, c.level, c.buf, c.unmatched)
	if err != nil {
		return err
	}
	if max(len(c.buf), len(packed)) > math.MaxInt32 {
		return errs.Errorf(errs.ErrLimit, "a block of %d bytes, which one row takes, is more than the format can describe", len(c.buf))
	}
	sum := trevniwire.AppendSum(nil, c.Checksum, c.buf)
	at, err := c.storage.put(packed, sum)
	if err != nil {
		return err
	}
	c.unmatched = (c.Type == trevniwire.Int || c.Type == trevniwire.Long) && len(packed) >= len(c.buf) // in others the search ends soon
	b := packedBlock{rows: c.rows, raw: len(c.buf), packed: len(packed), chunk: at}
	c.stored += int64(trevniwire.DescriptorSize + len(packed) + len(sum))
	if c.Values || len(c.begin) <= maxFirst {
		b.first = bytes.Clone(c.begin)
		c.firsts += len(c.begin)
	}
	if c.Values {
		c.stored += int64(len(c.begin))
	}
	c.blocks = append(c.blocks, b)
	c.raw += int64(len(c.buf))
	if c.bounded {
		c.bounds = c.open.append(c.bounds, c.Type)
	}
	c.buf, c.spare, c.rows, c.begin = c.buf[:0], 0, 0, c.begin[:0]
	return nil
}

// packer is an encoder and its output. Encoders are large, so there is one for each worker and not for each column.
type packer struct {
	codec blockcodec.Encoder
	out   []byte
}

// pack returns what b becomes: b itself without a codec, else bytes that are valid until the next call. unmatched = the block before
// became no shorter.
func (p *packer) pack(c blockcodec.Codec, level int, b []byte, unmatched bool) ([]byte, error) {
	if c == blockcodec.None {
		return b, nil
	}
	encode := p.codec.Encode
	if unmatched {
		encode = p.codec.EncodeUnmatched
	}
	var err error
	p.out, err = encode(c, level, p.out[:0], b)
	return p.out, err
}

// packers are those that are not in use.
type packers chan *packer

func (s packers) get() *packer {
	select {
	case p := <-s:
		return p
	default:
		return &packer{}
	}
}

func (s packers) put(p *packer) {
	select {
	case s <- p:
	default:
	}
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
