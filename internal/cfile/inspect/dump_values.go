package inspect

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/pierrec/lz4/v4"

	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// Bounds of what is shown of a block of values.
const (
	shownValues = 4
	shownInLine = 8
	shownRuns   = 6
	shownChunks = 3
)

// values prints a block of values and returns where it stopped.
func (d *dumper) values(x body) (at int, err error) {
	f := d.f.Footer
	switch {
	case f.Array:
		at, err = d.arrays(x)
	case f.Nullable:
		at, err = d.nulls(x)
	}
	if err != nil {
		return at, err
	}
	encoding := f.Encoding
	if encoding == cfilewire.EncodingDict {
		mode, _, err := cfilewire.ParseDictMode(x.raw[at:])
		if err != nil {
			return at, err
		}
		if mode == cfilewire.DictCodes {
			d.say(x, at, at+4, "mode: codes of the dictionary")
			return d.shuffled(x, at+4, cfilewire.UInt32, 4)
		}
		d.say(x, at, at+4, "mode: plain, strings as they are")
		at, encoding = at+4, cfilewire.EncodingPlain
	}
	switch w := f.Type.Width(); {
	case encoding == cfilewire.EncodingPrefix:
		return d.prefixed(x, at)
	case f.Type.Binary():
		return d.strings(x, at, d.f.Kind == cfilewire.DeltaFile)
	case encoding == cfilewire.EncodingBitShuffle:
		return d.shuffled(x, at, f.Type, w)
	case encoding == cfilewire.EncodingGroupVarint:
		return d.groups(x, at)
	case encoding == cfilewire.EncodingRLE && f.Type == cfilewire.Bool:
		return d.runs(x, at, 1)
	case encoding == cfilewire.EncodingRLE:
		return d.runs(x, at, 8*w)
	default:
		return d.plain(x, at, w)
	}
}

// words prints fields of four bytes, by their names.
func (d *dumper) words(x body, at int, names ...string) (values []uint32, end int, err error) {
	for _, name := range names {
		if len(x.raw)-at < 4 {
			return values, at, errCut
		}
		v := binary.LittleEndian.Uint32(x.raw[at:])
		d.say(x, at, at+4, "%s: %d", name, v)
		values = append(values, v)
		at += 4
	}
	return values, at, nil
}

// varint prints a number, unless there is none.
func (d *dumper) varint(x body, at int, name string) (v uint64, end int, err error) {
	v, n := binary.Uvarint(x.raw[at:])
	if n <= 0 {
		return 0, at, errCut
	}
	d.say(x, at, at+n, "%s: %d", name, v)
	return v, at + n, nil
}

// stream prints runs that take a number of bytes.
func (d *dumper) stream(x body, at int, name string, n, width int) (end int, err error) {
	size, at, err := d.varint(x, at, "bytes of the "+name)
	if err != nil {
		return at, err
	}
	if size > uint64(len(x.raw)-at) {
		return at, errCut
	}
	end = at + int(size)
	if size == 0 {
		return end, nil
	}
	d.Section("%s", name)
	defer d.End()
	at = d.runsOf(body{x.raw[:end], x.off}, at, n, width)
	d.rest(x, at, end, "the rest")
	return end, nil
}

// nulls prints the null header.
func (d *dumper) nulls(x body) (at int, err error) {
	n, at, err := d.varint(x, 0, "rows")
	if err != nil {
		return at, err
	}
	return d.stream(x, at, "null bitmap", clampInt(n), 1)
}

// arrays prints what is before the elements.
func (d *dumper) arrays(x body) (at int, err error) {
	elements, at, err := d.varint(x, 0, "elements")
	if err != nil {
		return at, err
	}
	n, at, err := d.varint(x, at, "arrays")
	if err != nil {
		return at, err
	}
	if at, err = d.stream(x, at, "bitmap of elements", clampInt(elements), 1); err != nil {
		return at, err
	}
	if at, err = d.stream(x, at, "lengths", clampInt(n), 16); err != nil {
		return at, err
	}
	return d.stream(x, at, "null bitmap", clampInt(n), 1)
}

func clampInt(v uint64) int { return int(min(v, 1<<31-1)) }

// cell renders a value of the column.
func (d *dumper) cell(b []byte) string { return CellText(d.f.Footer.Type, d.scale, b) }

// plain prints values of a fixed width, or bits.
func (d *dumper) plain(x body, at, width int) (int, error) {
	head, at, err := d.words(x, at, "values", "first row")
	if err != nil {
		return at, err
	}
	bits := uint64(8 * width)
	if d.f.Footer.Type == cfilewire.Bool {
		bits = 1
	}
	if need := (uint64(head[0])*bits + 7) / 8; need != uint64(len(x.raw)-at) {
		d.Note("! those take %d bytes, there are %d", need, len(x.raw)-at)
	}
	if bits == 1 {
		if at < len(x.raw) {
			d.say(x, at, len(x.raw), "bits, lowest first: %s", bitsText(x.raw[at:], int(head[0])))
		}
		return len(x.raw), nil
	}
	for i := 0; i < shownValues && i < int(head[0]) && len(x.raw)-at >= width; i++ {
		d.say(x, at, at+width, "%s", d.cell(x.raw[at:at+width]))
		at += width
	}
	return at, nil
}

// bitsText shows the first bits of some.
func bitsText(b []byte, n int) string {
	const most = 32
	var s strings.Builder
	for i := 0; i < min(n, most, 8*len(b)); i++ {
		s.WriteByte('0' + b[i/8]>>(i%8)&1)
	}
	if n > most {
		s.WriteString("…")
	}
	return s.String()
}

// strings prints a PLAIN block of strings, or of changes.
func (d *dumper) strings(x body, at int, deltas bool) (int, error) {
	start := at
	head, at, err := d.words(x, at, "first row", "values", "offset of the offsets")
	if err != nil {
		return at, err
	}
	var s cfilewire.Strings
	if _, err := s.OpenPlain(x.raw[start:]); err != nil {
		return at, err
	}
	n := s.Len()
	for i := 0; i < n && i < shownValues; i++ {
		v := s.At(i)
		switch {
		case deltas:
			d.delta(x, at, v)
		case len(v) > 0:
			d.say(x, at, at+len(v), "%s", d.text(v))
		default:
			d.Note("an empty one")
		}
		at += len(v)
	}
	end := start + int(head[2]) // within the block, or OpenPlain had failed
	if at < end {
		d.say(x, at, end, "%d more", n-shownValues)
	}
	if end < len(x.raw) {
		d.say(x, end, len(x.raw), "offsets, in groups of four")
	}
	return len(x.raw), nil
}

// text renders a string of the column; keys of a rowset are bytes.
func (d *dumper) text(b []byte) string {
	if t := d.f.Footer.Type; t.Binary() {
		return bytesText(b, t != cfilewire.Binary)
	}
	return bytesText(b, true)
}

// delta prints a change that is at a byte of x.
func (d *dumper) delta(x body, at int, b []byte) {
	key, change, err := cfilewire.ParseDeltaKey(b)
	if err != nil {
		d.say(x, at, at+len(b), "! %v", err)
		return
	}
	end := at + len(b)
	from := end - len(change)
	d.say(x, at, from, "row %d at %s", key.Row, cfilewire.TimeText(key.Time))
	op, cells, err := cfilewire.ParseChange(change)
	if err != nil {
		d.say(x, from, end, "! %v", err)
		return
	}
	d.say(x, from, from+1, "%s", op)
	p := from + 1
	for i := 0; cells.Next(); i++ {
		size := 1 // of a null's length
		if !cells.Null {
			size = varintLen(uint64(len(cells.Value))+1) + len(cells.Value)
		}
		// Varints may be longer than they need be: then the cells are not where they are thought to be.
		next := p + varintLen(uint64(cells.Column)) + size
		if i == shownValues || next > end {
			break
		}
		if cells.Null {
			d.say(x, p, next, "column id %d: null", cells.Column)
		} else {
			d.say(x, p, next, "column id %d: x%x%s", cells.Column, Brief(cells.Value), longer(cells.Value))
		}
		p = next
	}
	if cells.Err != nil {
		d.Note("! %v", cells.Err)
	}
	d.rest(x, p, end, "the rest of the change")
}

func longer(b []byte) string {
	if n := len(b); n > len(Brief(b)) {
		return fmt.Sprintf("… (%d bytes)", n)
	}
	return ""
}

func varintLen(v uint64) int {
	var b [binary.MaxVarintLen64]byte
	return binary.PutUvarint(b[:], v)
}

// shuffled prints a BIT_SHUFFLE block of values of a type.
func (d *dumper) shuffled(x body, at int, t cfilewire.DataType, width int) (int, error) {
	start := at
	head, at, err := d.words(x, at, "first row", "values", "bytes of the block", "values with padding", "bytes of a value")
	if err != nil {
		return at, err
	}
	left, elem := uint64(head[3]), uint64(head[4])
	if elem == 0 || elem > 16 {
		return at, nil
	}
	first := d.firstShuffled(x.raw[start:], t, width)
	for k := 0; left > 0; k++ {
		if len(x.raw)-at < 4 {
			return at, errCut
		}
		n := min(left, 8192/elem)
		size := uint64(binary.BigEndian.Uint32(x.raw[at:]))
		if size > uint64(len(x.raw)-at-4) {
			d.say(x, at, at+4, "! a chunk of %d bytes, %d are left", size, len(x.raw)-at-4)
			return at + 4, nil
		}
		if k == shownChunks {
			d.Note("%d values more", left)
			return at, nil
		}
		d.say(x, at, at+4, "chunk of %d bytes (big-endian)", size)
		packed := x.raw[at+4 : at+4+int(size)]
		if _, err := lz4.UncompressBlock(packed, make([]byte, n*elem)); err != nil {
			d.say(x, at+4, at+4+int(size), "! lz4: %v", err)
		} else {
			d.say(x, at+4, at+4+int(size), "lz4: the bits of %d values, transposed%s", n, first)
		}
		first = ""
		at += 4 + int(size)
		left -= n
	}
	return at, nil
}

// firstShuffled renders the first values.
func (d *dumper) firstShuffled(b []byte, t cfilewire.DataType, width int) string {
	var s cfilewire.BitShuffle
	if _, err := s.Open(b, width, t == cfilewire.UInt32); err != nil {
		return ""
	}
	n := min(s.Left(), shownInLine)
	cells := make([]byte, n*width)
	more := s.Left() > n
	if n == 0 || s.Next(cells) != nil {
		return ""
	}
	return ": " + d.listed(cells, t, width, more)
}

// listed renders cells on one line.
func (d *dumper) listed(cells []byte, t cfilewire.DataType, width int, more bool) string {
	var parts []string
	for i := 0; i+width <= len(cells); i += width {
		parts = append(parts, CellText(t, d.scale, cells[i:i+width]))
	}
	if more {
		parts = append(parts, "…")
	}
	return strings.Join(parts, " ")
}

// runs prints a block of runs.
func (d *dumper) runs(x body, at, width int) (int, error) {
	head, at, err := d.words(x, at, "values", "first row")
	if err != nil {
		return at, err
	}
	return d.runsOf(x, at, clampInt(uint64(head[0])), width), nil
}

// runsOf prints the first runs of n values, and returns where it stopped.
func (d *dumper) runsOf(x body, at, n, width int) int {
	for run := 0; run < shownRuns && n > 0 && at < len(x.raw); run++ {
		v, used := binary.Uvarint(x.raw[at:])
		if used <= 0 {
			d.Note("! here is no run")
			return at
		}
		from := at
		left := uint64(len(x.raw) - at - used)
		if v&1 == 0 {
			size := (width + 7) / 8
			if uint64(size) > left {
				d.Note("! the run is cut off")
				return at
			}
			at += used + size
			d.say(x, from, at, "run: %d times %s", v>>1, d.runValue(x.raw[at-size:at], width))
			n -= int(min(v>>1, uint64(n)))
			continue
		}
		groups := min(v>>1, left/uint64(width)+1)
		size := min(groups*uint64(width), left)
		count := int(min(groups*8, uint64(n)))
		at += used + int(size)
		d.say(x, from, at, "literals, %s of 8: %s", groupsText(v>>1), d.literals(x.raw[at-int(size):at], count, width))
		n -= count
	}
	return at
}

func groupsText(n uint64) string {
	if n == 1 {
		return "1 group"
	}
	return strconv.FormatUint(n, 10) + " groups"
}

// runValue renders a value of a run: of the column, or of a bitmap or lengths.
func (d *dumper) runValue(b []byte, width int) string {
	switch {
	case width == 1:
		return strconv.Itoa(int(b[0] & 1))
	case d.f.Footer.Array && width == 16:
		return strconv.Itoa(int(binary.LittleEndian.Uint16(b)))
	}
	return d.cell(b)
}

func (d *dumper) literals(b []byte, n, width int) string {
	if width == 1 {
		return bitsText(b, n)
	}
	var parts []string
	w := width / 8
	for i := 0; i < n && i < shownInLine && (i+1)*w <= len(b); i++ {
		parts = append(parts, d.runValue(b[i*w:(i+1)*w], width))
	}
	if n > shownInLine {
		parts = append(parts, "…")
	}
	return strings.Join(parts, " ")
}

// prefixed prints a PREFIX block.
func (d *dumper) prefixed(x body, at int) (int, error) {
	var head [4]uint32
	n, err := bitpack.DecodeGroupVarint(head[:], x.raw[at:])
	if err != nil {
		return at, cfilewire.Kinded(err)
	}
	d.say(x, at, at+n, "%d values from row %d, a restart every %d", head[0], head[1], head[2])
	at += n
	if len(x.raw)-at < 4 {
		return at, errCut
	}
	restarts := uint64(binary.LittleEndian.Uint32(x.raw[len(x.raw)-4:]))
	end := len(x.raw) - 4
	if restarts > uint64(end-at)/4 {
		d.Note("! %d restarts", restarts)
		return at, nil
	}
	end -= 4 * int(restarts)
	last := []byte(nil)
	for i := 0; i < shownValues && i < int(head[0]); i++ {
		shared, a := binary.Uvarint(x.raw[at:end])
		if a <= 0 {
			return at, errCut
		}
		own, b := binary.Uvarint(x.raw[at+a : end])
		if b <= 0 || own > uint64(end-at-a-b) || shared > uint64(len(last)) {
			return at, errCut
		}
		from := at
		at += a + b + int(own)
		last = append(last[:shared:shared], x.raw[at-int(own):at]...)
		d.say(x, from, at, "%d bytes of the one before, and %d: %s", shared, own, d.text(last))
	}
	if at < end {
		d.say(x, at, end, "%d more", int64(head[0])-shownValues)
	}
	if restarts > 0 {
		d.say(x, end, len(x.raw)-4, "offsets of restarts")
	}
	d.say(x, len(x.raw)-4, len(x.raw), "%d restarts behind the first", restarts)
	return len(x.raw), nil
}

// groups prints a GROUP_VARINT block.
func (d *dumper) groups(x body, at int) (int, error) {
	var head [4]uint32
	n, err := bitpack.DecodeGroupVarint(head[:], x.raw[at:])
	if err != nil {
		return at, cfilewire.Kinded(err)
	}
	d.say(x, at, at+n, "%d values from row %d, the least is %d", head[0], head[2], head[1])
	at += n
	for i := 0; i < shownValues && 4*i < int(head[0]); i++ {
		var four [4]uint32
		n, err := bitpack.DecodeGroupVarint(four[:], x.raw[at:])
		if err != nil {
			return at, cfilewire.Kinded(err)
		}
		d.say(x, at, at+n, "above the least: %d %d %d %d", four[0], four[1], four[2], four[3])
		at += n
	}
	return at, nil
}
