package orc

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// Bounds of what is shown of the values of a stream.
const (
	shownRuns   = 6
	shownValues = 8 // of a run
)

// values prints the first runs or values of a stream and returns where it stopped.
func (d *dumper) values(c *unpacked, t *orcwire.Type, kind orcwire.StreamKind, e orcwire.EncodingKind) int {
	v2 := e.V2()
	switch kind {
	case orcwire.Present:
		return d.byteRuns(c, bitText)
	case orcwire.Length:
		return d.intRuns(c, v2, false, plainText)
	case orcwire.DictionaryData:
		return d.text(c)
	case orcwire.Secondary:
		if t.Kind == orcwire.Decimal {
			return d.intRuns(c, v2, true, plainText)
		}
		return d.intRuns(c, v2, false, nanosText)
	case orcwire.Data:
	default:
		return 0
	}
	switch t.Kind {
	case orcwire.Boolean:
		return d.byteRuns(c, bitText)
	case orcwire.Byte:
		return d.byteRuns(c, func(b byte) string { return strconv.Itoa(int(int8(b))) })
	case orcwire.Union:
		return d.byteRuns(c, func(b byte) string { return strconv.Itoa(int(b)) })
	case orcwire.Short, orcwire.Int, orcwire.Long, orcwire.Date, orcwire.Timestamp, orcwire.TimestampInstant:
		return d.intRuns(c, v2, true, plainText)
	case orcwire.Float:
		return d.floats(c, 4)
	case orcwire.Double:
		return d.floats(c, 8)
	case orcwire.Decimal:
		if d.f.wholeDecimals(t) {
			return d.intRuns(c, true, true, plainText)
		}
		return d.varints(c)
	case orcwire.String, orcwire.Varchar, orcwire.Char:
		if e.IsDictionary() {
			return d.intRuns(c, v2, false, plainText)
		}
		return d.text(c)
	}
	return 0
}

func plainText(v int64) string { return strconv.FormatInt(v, 10) }
func bitText(b byte) string    { return fmt.Sprintf("%08b", b) }

// nanosText shows nanoseconds, whose low three bits say how many zeros were taken out.
func nanosText(v int64) string {
	n := v >> 3
	if z := v & 7; z > 0 {
		for range z + 1 {
			n *= 10
		}
	}
	return strconv.FormatInt(n, 10) + " ns"
}

// listed joins the first values, and says how many there are if those are not all.
func listed[T any](values []T, n int, text func(T) string) string {
	var b strings.Builder
	for i, v := range values {
		if i == shownValues {
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(text(v))
	}
	if n > shownValues {
		b.WriteString(" …")
	}
	return b.String()
}

// byteRuns prints runs of bytes.
func (d *dumper) byteRuns(c *unpacked, text func(byte) string) int {
	p := 0
	for run := 0; run < shownRuns && p < len(c.raw); run++ {
		h := c.raw[p]
		n, size := int(h)+3, 2
		if h >= 128 {
			n = 256 - int(h)
			size = n + 1
		}
		if size > len(c.raw)-p {
			return d.broken(c, p)
		}
		if h < 128 {
			d.say(c, p, p+size, "%d times %s", n, text(c.raw[p+1]))
		} else {
			d.say(c, p, p+size, "%d bytes: %s", n, listed(c.raw[p+1:p+size], n, text))
		}
		p += size
	}
	return p
}

// broken says that a run is not complete, unless more of the stream follows.
func (d *dumper) broken(c *unpacked, p int) int {
	if !c.cut {
		d.Note("! the run is cut off")
	}
	return p
}

// intRuns prints runs of integers.
func (d *dumper) intRuns(c *unpacked, v2, signed bool, text func(int64) string) int {
	p := 0
	for run := 0; run < shownRuns && p < len(c.raw); run++ {
		r, ok := parseRun(c.raw[p:], v2)
		if !ok {
			return d.broken(c, p)
		}
		values, err := runValues(c.raw[p:p+r.size], r.n, v2, signed)
		if err != nil {
			d.say(c, p, p+r.size, "! %s: %v", r.text, err)
			return p + r.size
		}
		d.say(c, p, p+r.size, "%s: %s", r.text, listed(values, r.n, text))
		p += r.size
	}
	return p
}

// run is what the header of a run of integers says.
type run struct {
	n, size int // values, bytes
	text    string
}

// runWidths are the bits that the 5-bit codes of widths stand for (specification, "Run Length Encoding version 2").
var runWidths = [32]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 26, 28, 30, 32, 40, 48, 56, 64}

// parseRun reads the header of the run that b begins with; false if b ends before the run does.
func parseRun(b []byte, v2 bool) (run, bool) {
	if v2 {
		return parseRun2(b)
	}
	h := b[0]
	if h < 128 {
		r := run{n: int(h) + 3}
		if len(b) < 3 {
			return r, false
		}
		_, v := binary.Uvarint(b[2:])
		r.size = 2 + v
		r.text = fmt.Sprintf("run of %d, step %d", r.n, int8(b[1]))
		return r, v > 0
	}
	r := run{n: 256 - int(h), size: 1}
	for range r.n {
		_, v := binary.Uvarint(b[r.size:])
		if v <= 0 {
			return r, false
		}
		r.size += v
	}
	r.text = fmt.Sprintf("%d values", r.n)
	return r, true
}

func parseRun2(b []byte) (run, bool) {
	h := b[0]
	if h>>6 == 0 {
		width := int(h>>3&7) + 1
		r := run{n: int(h&7) + 3, size: 1 + width}
		r.text = fmt.Sprintf("short repeat of %d, %s", r.n, count(width, "byte"))
		return r, r.size <= len(b)
	}
	if len(b) < 2 {
		return run{}, false
	}
	code := int(h >> 1 & 31)
	width := runWidths[code]
	r := run{n: (int(h&1)<<8 | int(b[1])) + 1, size: 2}
	switch h >> 6 {
	case 1:
		r.size += bytesOf(r.n * width)
		r.text = fmt.Sprintf("direct, %d of %s", r.n, count(width, "bit"))
	case 2:
		if len(b) < 4 {
			return r, false
		}
		base, patch := int(b[2]>>5)+1, runWidths[b[2]&31]
		gap, patches := int(b[3]>>5)+1, int(b[3]&31)
		r.size = 4 + base + bytesOf(r.n*width) + bytesOf(patches*closestWidth(gap+patch))
		r.text = fmt.Sprintf("patched base, %d of %s, base of %s, %d patches of %d bits, gaps of %d",
			r.n, count(width, "bit"), count(base, "byte"), patches, patch, gap)
	default:
		for range 2 {
			_, v := binary.Uvarint(b[min(r.size, len(b)):])
			if v <= 0 {
				return r, false
			}
			r.size += v
		}
		if code == 0 {
			r.text = fmt.Sprintf("delta, %d, the step stays", r.n)
		} else {
			r.size += bytesOf(max(r.n-2, 0) * width)
			r.text = fmt.Sprintf("delta, %d, steps of %s", r.n, count(width, "bit"))
		}
	}
	return r, r.size <= len(b)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func bytesOf(bits int) int { return (bits + 7) >> 3 }

// closestWidth returns the least width of the table that holds so many bits.
func closestWidth(bits int) int {
	for _, w := range runWidths {
		if w >= bits {
			return w
		}
	}
	return 64
}

// runValues decodes a whole run.
func runValues(b []byte, n int, v2, signed bool) ([]int64, error) {
	var in orcwire.Bytes
	var sc orcwire.Scratch
	in.Open(int64(len(b)), inMemory(b), orcwire.Packing{}, &sc)
	var r orcwire.Ints[int64]
	r.Open(&in, v2, signed)
	dst := make([]int64, n, n+bitpack.DstSlack)
	err := r.Next(dst)
	return dst, err
}

// floats prints the first values of float and double.
func (d *dumper) floats(c *unpacked, width int) int {
	p := 0
	for i := 0; i < shownValues && len(c.raw)-p >= width; i++ {
		v := 0.0
		bitSize := 8 * width
		if width == 4 {
			v = float64(math.Float32frombits(binary.LittleEndian.Uint32(c.raw[p:])))
		} else {
			v = math.Float64frombits(binary.LittleEndian.Uint64(c.raw[p:]))
		}
		d.say(c, p, p+width, "%s", strconv.FormatFloat(v, 'g', -1, bitSize))
		p += width
	}
	return p
}

// varints prints the first digits of decimals.
func (d *dumper) varints(c *unpacked) int {
	p := 0
	for i := 0; i < shownValues && p < len(c.raw); i++ {
		end := p
		for end < len(c.raw) && c.raw[end] >= 128 {
			end++
		}
		if end == len(c.raw) {
			return d.broken(c, p)
		}
		end++
		v := new(big.Int)
		if end-p > 64 {
			d.say(c, p, end, "! a number of %d bytes", end-p)
			p = end
			continue
		}
		for k := end - 1; k >= p; k-- {
			v.Or(v.Lsh(v, 7), big.NewInt(int64(c.raw[k]&127)))
		}
		neg := v.Bit(0) == 1
		if v.Rsh(v, 1); neg {
			v.Not(v)
		}
		d.say(c, p, end, "%s", v)
		p = end
	}
	return p
}

// text prints bytes of strings, which follow each other without a mark.
func (d *dumper) text(c *unpacked) int {
	if len(c.raw) == 0 {
		return 0
	}
	d.say(c, 0, len(c.raw), "%s", brief(string(c.raw)))
	return len(c.raw)
}
