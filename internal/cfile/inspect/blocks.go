package inspect

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// Complete reports whether nothing of a tree is missing, of one that is there.
func (t *Tree) Complete(root *cfilewire.BlockPointer) bool { return root == nil || t.Whole }

// Gaps calls do for each range of bytes between header and footer that is in no block, and for each that is in two.
func (l *Layout) Gaps(f *File, do func(off, n int64, twice bool) error) error {
	at := f.Footer.HeaderSize
	for _, p := range l.Places {
		if f.Footer.CheckPointer(p.ptr) != nil {
			continue
		}
		var err error
		switch {
		case p.ptr.Off > at:
			err = do(at, p.ptr.Off-at, false)
		case p.ptr.Off < at:
			err = do(p.ptr.Off, min(at, p.ptr.End())-p.ptr.Off, true)
		}
		if err != nil {
			return err
		}
		at = max(at, p.ptr.End())
	}
	if end := f.Footer.FooterOff; at < end {
		return do(at, end-at, false)
	}
	return nil
}

// uncovered returns how many bytes between header and footer are in no block.
func (l *Layout) uncovered(f *File) (sum int64) {
	_ = l.Gaps(f, func(_, n int64, twice bool) error { // its errors are those of the function, which has none
		if !twice {
			sum += n
		}
		return nil
	})
	return sum
}

// Blocks reads blocks one by one, for inspection. What it returns is good until the next call.
type Blocks struct {
	ctx context.Context
	f   *File

	fetch, raw []byte
	codec      blockcodec.Decoder
}

// NewBlocks returns what reads the blocks of f.
func NewBlocks(ctx context.Context, f *File) *Blocks { return &Blocks{ctx: ctx, f: f} }

// stored returns a block as it is in the file.
func (r *Blocks) stored(p cfilewire.BlockPointer) ([]byte, error) {
	if err := r.f.Footer.CheckPointer(p); err != nil {
		return nil, err
	}
	pieces, buf, err := arrowio.ReadRangesInto(r.ctx, r.f.Src, []arrowio.ByteRange{{Off: p.Off, Len: int64(p.Size)}}, r.fetch, bitpack.SrcSlack)
	r.fetch = buf
	if err != nil {
		return nil, err
	}
	return pieces[0], nil
}

// open unpacks a stored block.
func (r *Blocks) open(stored []byte) (raw []byte, err error) {
	raw, r.raw, err = r.f.Frame.Open(stored, r.raw, &r.codec)
	return raw, err
}

// Read returns a block as it is once it is unpacked.
func (r *Blocks) Read(p cfilewire.BlockPointer) ([]byte, error) {
	stored, err := r.stored(p)
	if err != nil {
		return nil, err
	}
	return r.open(stored)
}

const checksumSize = 4

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// checksums returns the checksum behind a stored block, and what it should be.
func checksums(stored []byte) (said, is uint32) {
	b, sum := stored[:len(stored)-checksumSize], stored[len(stored)-checksumSize:]
	return binary.LittleEndian.Uint32(sum), crc32.Checksum(b, crcTable)
}

// dictionaryLen returns how many entries the dictionary has.
func (f *File) dictionaryLen(ctx context.Context) (int, error) {
	var codec blockcodec.Decoder
	raw, err := f.ReadBlock(ctx, *f.Footer.Dict, &codec)
	if err != nil {
		return 0, err
	}
	var s cfilewire.Strings
	if _, err := s.OpenPlain(raw); err != nil {
		return 0, err
	}
	return s.Len(), nil
}

func (f *File) readBloom(ctx context.Context, p cfilewire.BlockPointer) (cfilewire.Bloom, error) {
	var codec blockcodec.Decoder
	raw, err := f.ReadBlock(ctx, p, &codec)
	if err != nil {
		return cfilewire.Bloom{}, err
	}
	return cfilewire.ParseBloom(raw)
}

// glance is what the headers of a data block say.
type glance struct {
	rows     int64 // nulls counted; 0 in a bloom file
	values   int64 // stored
	ordinal  int64 // of the first row; -1 = arrays do not say
	encoding string
}

// glance reads the headers of an opened data block.
func (f *File) glance(raw []byte) (g glance, err error) {
	ft := f.Footer
	g = glance{rows: -1, ordinal: -1, encoding: ft.Encoding.String()}
	if f.Kind == cfilewire.BloomFile {
		b, err := cfilewire.ParseBloom(raw)
		return glance{ordinal: -1, encoding: fmt.Sprintf("bloom, %d hash functions", b.Hashes)}, err
	}
	switch {
	case ft.Array:
		a, err := cfilewire.ParseArrays(raw)
		if err != nil {
			return g, err
		}
		g.rows, raw = int64(a.Count), a.Values
	case ft.Nullable:
		rows, _, rest, err := cfilewire.ParseNulls(raw)
		if err != nil {
			return g, err
		}
		g.rows, raw = int64(rows), rest
	}
	h, err := f.head(raw, &g)
	if g.values = int64(h.Count); g.rows < 0 {
		g.rows = g.values
	}
	if !ft.Array {
		g.ordinal = int64(h.Ordinal)
	}
	return g, err
}

// head reads the header of a block of values.
func (f *File) head(raw []byte, g *glance) (h cfilewire.Head, err error) {
	encoding := f.Footer.Encoding
	if encoding == cfilewire.EncodingDict {
		mode, rest, err := cfilewire.ParseDictMode(raw)
		if err != nil {
			return h, err
		}
		raw, encoding, g.encoding = rest, cfilewire.EncodingPlain, "dict: plain"
		if mode == cfilewire.DictCodes {
			encoding, g.encoding = cfilewire.EncodingBitShuffle, "dict: codes"
		}
	}
	var words [4]uint32
	switch encoding {
	case cfilewire.EncodingPrefix, cfilewire.EncodingGroupVarint:
		if _, err := bitpack.DecodeGroupVarint(words[:], raw); err != nil {
			return h, cfilewire.Kinded(err)
		}
		if encoding == cfilewire.EncodingPrefix {
			return cfilewire.Head{Count: words[0], Ordinal: words[1]}, nil
		}
		return cfilewire.Head{Count: words[0], Ordinal: words[2]}, nil
	}
	if len(raw) < 8 {
		return h, errs.Errorf(errs.ErrCorrupt, "block of values ends within its header")
	}
	a, b := binary.LittleEndian.Uint32(raw), binary.LittleEndian.Uint32(raw[4:])
	if encoding == cfilewire.EncodingBitShuffle || f.Footer.Type.Binary() {
		return cfilewire.Head{Ordinal: a, Count: b}, nil
	}
	return cfilewire.Head{Count: a, Ordinal: b}, nil
}

// sums counts the blocks whose checksums are right and those whose are not, and what cannot be unpacked though its
// checksum is right.
type sums struct{ ok, wrong, broken int }

func (s sums) String() string {
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{{s.ok, "ok"}, {s.wrong, "wrong"}, {s.broken, "ok, but cannot be unpacked"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	switch {
	case len(parts) == 0:
		return "no blocks"
	case s.wrong+s.broken == 0:
		return "ok"
	}
	return strings.Join(parts, ", ")
}

// blocks adds up the blocks, and reads them if that was asked for.
func (d *describer) blocks(l *Layout) error {
	c := &d.Column
	c.Blocks = len(l.Places)
	for _, p := range l.Places {
		c.Bytes += int64(p.ptr.Size)
	}
	if !d.o.Blocks && !d.o.Checksums {
		return nil
	}
	r := Blocks{ctx: d.ctx, f: d.f}
	var s sums
	var keys map[int64][]byte
	if d.o.Blocks {
		keys = l.keysOf()
	}
	end, nulls, known := int64(0), int64(0), true
	for _, p := range l.Places {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		b := arrowio.BlockInfo{Kind: p.kind.String(), Off: p.ptr.Off, Bytes: int64(p.ptr.Size)}
		if p.ptr.Off < end || d.f.Footer.CheckPointer(p.ptr) != nil {
			b.Verdict = "not the block's own bytes" // and reading them again and again is what a hostile file wants
			known = false
		} else {
			g, raw, err := d.block(&r, p, &b, &s)
			if err != nil {
				return err
			}
			known = known && g.rows >= 0
			nulls += g.rows - g.values
			c.RawBytes += raw
			end = p.ptr.End()
		}
		if d.o.Blocks {
			if k, ok := keys[p.ptr.Off]; ok && p.kind == dataBlock {
				b.First = d.f.keyText(d.scale, k)
			}
			c.BlockList = append(c.BlockList, b)
		}
	}
	if d.o.Checksums && d.f.Footer.Checksums {
		c.Verdict = s.String()
	}
	if known && d.f.Kind == cfilewire.ColumnFile && d.f.Footer.Nullable && !d.f.Footer.Array {
		c.Stats.Nulls, c.Stats.Values = nulls, d.f.Footer.Values-nulls
	}
	return nil
}

// keysOf returns the key that the value index has for each block.
func (l *Layout) keysOf() map[int64][]byte {
	keys := make(map[int64][]byte, len(l.Val.Leaves))
	for _, e := range l.Val.Leaves {
		keys[e.Ptr.Off] = e.Key
	}
	return keys
}

// block reads a block.
func (d *describer) block(r *Blocks, p place, b *arrowio.BlockInfo, s *sums) (g glance, size int64, err error) {
	bad := glance{rows: -1}
	stored, err := r.stored(p.ptr)
	if err != nil {
		return bad, 0, d.fault(err)
	}
	if d.f.Footer.Checksums {
		if said, is := checksums(stored); said != is {
			s.wrong++
			b.Verdict = "wrong"
			return bad, 0, nil
		}
		b.Verdict = "ok"
	}
	raw, err := r.open(stored)
	if err == nil {
		s.ok++
		b.RawBytes, size = int64(len(raw)), int64(len(raw))
		switch p.kind {
		case dataBlock:
			g, err = d.f.glance(raw)
			b.Rows, b.Encoding = max(g.rows, 0), g.encoding
		case dictionaryBlock:
			b.Encoding = cfilewire.EncodingPlain.String()
		default:
			b.Encoding, err = indexText(raw)
		}
	} else {
		s.broken++
	}
	if err != nil {
		g = bad
		b.Verdict = err.Error()
	}
	if !IsFault(err) {
		return g, size, err
	}
	return g, size, nil
}

// indexText says what kind of block of an index it is.
func indexText(raw []byte) (string, error) {
	x, err := cfilewire.ParseIndex(raw)
	if err != nil {
		return "", err
	}
	kind := "inner"
	if x.Leaf {
		kind = "leaf"
	}
	return kind + ", " + plural(x.Len(), "entry", "entries"), nil
}
