package cfilewire_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/bitpack"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// A file of Kudu's, taken apart by the decoders.
type kuduFile struct {
	footer cfilewire.Footer
	blocks []kuduBlock // of data, in the order of the file
	dict   []byte
	spans  [][2]int64 // of all blocks
}

// kuduBlock is a data block: its bytes, and its rows in Arrow's layout, without room for what is null.
type kuduBlock struct {
	at      cfilewire.BlockPointer
	raw     []byte
	ordinal uint32
	rows    int
	valid   []byte // nil = no null header
	count   int    // values
	values  []byte // of numbers: little-endian; of booleans: bits
	offsets []int32
	data    []byte
	mode    cfilewire.DictMode
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// takeApart decodes a file.
func takeApart(tb testing.TB, b []byte) *kuduFile {
	tb.Helper()
	f, err := cfilewire.ParseFooter(b, int64(len(b)))
	must(tb, err)
	must(tb, cfilewire.ParseHeader(b, f))
	k := &kuduFile{footer: *f}
	fr := f.Frame(errs.Limits{})
	var d blockcodec.Decoder
	open := func(p cfilewire.BlockPointer) []byte {
		raw, _, err := fr.Open(b[p.Off:p.End()], nil, &d)
		must(tb, err)
		return bytes.Clone(raw)
	}
	var leaves []cfilewire.BlockPointer
	var walk func(p cfilewire.BlockPointer, keep bool)
	walk = func(p cfilewire.BlockPointer, keep bool) {
		k.spans = append(k.spans, [2]int64{p.Off, p.End()})
		x, err := cfilewire.ParseIndex(open(p))
		must(tb, err)
		for i := range x.Len() {
			_, p := x.Entry(i)
			if !x.Leaf {
				walk(p, keep)
			} else if keep {
				leaves = append(leaves, p)
			}
		}
	}
	if f.Pos != nil {
		walk(*f.Pos, true)
	}
	if f.Val != nil {
		walk(*f.Val, f.Pos == nil)
	}
	var words cfilewire.Strings
	if f.Dict != nil {
		k.dict = open(*f.Dict)
		_, err := words.OpenPlain(k.dict)
		must(tb, err)
	}
	for _, p := range leaves {
		if f.Kind() == cfilewire.BloomFile {
			k.blocks = append(k.blocks, kuduBlock{at: p, raw: open(p)})
			continue
		}
		k.blocks = append(k.blocks, takeBlockApart(tb, f, p, open(p), &words))
	}
	return k
}

// takeBlockApart decodes a data block.
func takeBlockApart(tb testing.TB, f *cfilewire.Footer, p cfilewire.BlockPointer, raw []byte, words *cfilewire.Strings) kuduBlock {
	tb.Helper()
	k := kuduBlock{at: p, raw: raw, rows: -1}
	b := raw
	if f.Nullable {
		rows, bitmap, rest, err := cfilewire.ParseNulls(b)
		must(tb, err)
		k.rows, b, k.valid = int(rows), rest, make([]byte, (rows+7)/8)
		var bits cfilewire.RLEBits
		bits.OpenStream(bitmap, int(rows))
		must(tb, bits.Next(k.valid, 0, int(rows)))
	}
	var h cfilewire.Head
	var err error
	width := f.Type.Width()
	if f.Type.Binary() {
		var s cfilewire.Strings
		switch f.Encoding {
		case cfilewire.EncodingPrefix:
			h, err = s.OpenPrefix(b, 1<<30)
		case cfilewire.EncodingDict:
			k.mode, b, err = cfilewire.ParseDictMode(b)
			must(tb, err)
			if k.mode == cfilewire.DictCodes {
				var codes cfilewire.BitShuffle
				h, err = codes.Open(b, 4, true)
				must(tb, err)
				c := make([]int32, h.Count)
				must(tb, codes.NextCodes(c))
				k.offsets = []int32{0}
				for _, c := range c {
					k.data = append(k.data, words.At(int(c))...)
					k.offsets = append(k.offsets, int32(len(k.data)))
				}
				break
			}
			fallthrough
		default:
			h, err = s.OpenPlain(b)
		}
		must(tb, err)
		if k.mode != cfilewire.DictCodes {
			k.offsets = make([]int32, h.Count+1)
			k.data = make([]byte, s.Size(int(h.Count)))
			must(tb, s.Next(k.offsets, k.data))
		}
	} else {
		k.values = make([]byte, width)
		var next func() error
		switch {
		case f.Type == cfilewire.Bool && f.Encoding == cfilewire.EncodingPlain:
			var r cfilewire.PlainBits
			h, err = r.Open(b)
			next = func() error { return r.Next(k.values, 0, int(h.Count)) }
			width = 1
		case f.Type == cfilewire.Bool:
			var r cfilewire.RLEBits
			h, err = r.Open(b)
			next = func() error { return r.Next(k.values, 0, int(h.Count)) }
		case f.Encoding == cfilewire.EncodingPlain:
			var r cfilewire.PlainFixed
			h, err = r.Open(b, width)
			next = func() error { return r.Next(k.values) }
		case f.Encoding == cfilewire.EncodingBitShuffle:
			var r cfilewire.BitShuffle
			h, err = r.Open(b, width, f.Type == cfilewire.UInt32)
			next = func() error { return r.Next(k.values) }
		default:
			h, next, err = openRuns(b, width, &k.values)
		}
		must(tb, err)
		k.values = make([]byte, int(h.Count)*width)
		must(tb, next())
	}
	k.ordinal, k.count = h.Ordinal, int(h.Count)
	if k.rows < 0 {
		k.rows = k.count
	}
	return k
}

func openRuns(b []byte, width int, dst *[]byte) (h cfilewire.Head, next func() error, err error) {
	switch width {
	case 1:
		return openRunsOf[uint8](b, width, dst)
	case 2:
		return openRunsOf[uint16](b, width, dst)
	case 4:
		return openRunsOf[uint32](b, width, dst)
	}
	return openRunsOf[uint64](b, width, dst)
}

func openRunsOf[T cfilewire.RLEValue](b []byte, width int, dst *[]byte) (cfilewire.Head, func() error, error) {
	var r cfilewire.RLE[T]
	h, err := r.Open(b)
	return h, func() error {
		v := make([]T, h.Count)
		if err := r.Next(v); err != nil {
			return err
		}
		for i, v := range v {
			var w [8]byte
			binary.LittleEndian.PutUint64(w[:], uint64(v))
			copy((*dst)[i*width:(i+1)*width], w[:])
		}
		return nil
	}, err
}

// spread gives the rows of a block their places: what is null is anything.
func (k *kuduBlock) spread(width int) (values []byte, offsets []int32, data []byte) {
	at := 0
	if k.offsets != nil {
		offsets, data = []int32{0}, []byte{}
		for i := range k.rows {
			if k.valid == nil || bitOf(k.valid, i) == 1 {
				data = append(data, k.data[k.offsets[at]:k.offsets[at+1]]...)
				at++
			} else if i%3 == 0 {
				data = append(data, "nothing"...)
			}
			offsets = append(offsets, int32(len(data)))
		}
		return nil, offsets, data
	}
	for i := range k.rows {
		if k.valid == nil || bitOf(k.valid, i) == 1 {
			values = append(values, k.values[at*width:(at+1)*width]...)
			at++
		} else {
			values = append(values, bytes.Repeat([]byte{byte(i)}, width)...)
		}
	}
	return values, nil, nil
}

// spreadBits is spread for booleans.
func (k *kuduBlock) spreadBits() []byte {
	out, at := make([]byte, (k.rows+7)/8), 0
	for i := range k.rows {
		v := i%2 == 0
		if k.valid == nil || bitOf(k.valid, i) == 1 {
			v = bitOf(k.values, at) == 1
			at++
		}
		bitpack.FillBits(out, i, 1, v)
	}
	return out
}

// putInto puts the rows of a block, some at a time.
func (k *kuduBlock) putInto(c *cfilewire.ColumnOut, f *cfilewire.Footer, step int) error {
	width := f.Type.Width()
	var values, data []byte
	var offsets []int32
	if f.Type == cfilewire.Bool {
		values = k.spreadBits()
	} else {
		values, offsets, data = k.spread(width)
	}
	for at := 0; at < k.rows; {
		n := min(step, k.rows-at)
		var err error
		switch {
		case f.Type.Binary():
			err = c.PutStrings(offsets[at:at+n+1], data, k.valid, at)
		case f.Type == cfilewire.Bool:
			err = c.PutBits(values, at, n, k.valid, at)
		default:
			err = c.PutFixed(values[at*width:], n, k.valid, at)
		}
		if err != nil {
			return err
		}
		at += n
	}
	return nil
}

// settingsOf are what a file was written with, but for the size of blocks, which it does not say.
func settingsOf(f *cfilewire.Footer) cfilewire.FileSettings {
	var s cfilewire.FileSettings
	switch f.Kind() {
	case cfilewire.DeltaFile:
		s = cfilewire.DeltaSettings()
	case cfilewire.KeyIndexFile:
		s = cfilewire.KeyIndexSettings()
	default:
		s = cfilewire.ColumnSettings(f.Type, f.Encoding, f.Compression, f.Nullable, f.Val != nil)
	}
	return s
}

// rewrite writes the rows of a file again, step at a time; with a step of -1 its blocks end where they did.
func rewrite(tb testing.TB, k *kuduFile, s cfilewire.FileSettings, step int) []byte {
	tb.Helper()
	var out []byte
	var c cfilewire.ColumnOut
	must(tb, c.Open(s, func(b []byte) error { out = append(out, b...); return nil }))
	for i := range k.blocks {
		if step > 0 {
			must(tb, k.blocks[i].putInto(&c, &k.footer, step))
			continue
		}
		must(tb, k.blocks[i].putInto(&c, &k.footer, 1<<20))
		must(tb, c.EndBlock())
	}
	if v, ok := k.footer.Lookup(cfilewire.MetaDeltaStats); ok {
		stats, err := cfilewire.ParseDeltaStats(v)
		must(tb, err)
		c.AddMeta(cfilewire.MetaDeltaStats, cfilewire.AppendDeltaStats(nil, stats))
	}
	_, err := c.Finish()
	must(tb, err)
	if c.Size() != int64(len(out)) {
		tb.Fatalf("%d bytes, says %d", len(out), c.Size())
	}
	return out
}

// What Kudu wrote comes out again when its rows are written: the same bytes, whole files where the bytes of the codec are
// Kudu's too, all data blocks and indexes but for their pointers elsewhere.
func TestRewriteKudu(t *testing.T) {
	files, err := filepath.Glob("../../testdata/cfile/kudu-1.17.1/*.cfile")
	must(t, err)
	if len(files) < 100 {
		t.Fatalf("only %d files", len(files))
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			b, err := os.ReadFile(name)
			must(t, err)
			if why := rewritten(t, b); why != "" {
				t.Error(why)
			}
		})
	}
}

// blockSizes are those that files may have been written with.
var blockSizes = []int{0, 512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 1 << 20}

// rewritten writes a file again and says what differs.
func rewritten(t *testing.T, b []byte) (why string) {
	k := takeApart(t, b)
	if k.footer.Kind() == cfilewire.BloomFile {
		return ""
	}
	s := settingsOf(&k.footer)
	sizes := blockSizes
	if s.BlockSize != 0 {
		sizes = []int{s.BlockSize}
	}
	least := math.MaxInt
	for _, size := range sizes {
		for _, batch := range []int{100, 35} {
			s.BlockSize, s.Batch = size, batch
			out := rewrite(t, k, s, 1<<20)
			if bytes.Equal(out, b) {
				for _, step := range []int{1, 37, 100} {
					if !bytes.Equal(rewrite(t, k, s, step), out) {
						return fmt.Sprintf("by %d the file differs", step)
					}
				}
				return ""
			}
			got := takeApart(t, out)
			same := 0
			for same < min(len(got.blocks), len(k.blocks)) && bytes.Equal(got.blocks[same].raw, k.blocks[same].raw) {
				same++
			}
			if left := len(k.blocks) - same + len(got.blocks) - same; left < least {
				least = left
				why = fmt.Sprintf("size %d: %d of %d blocks are the same, of %d", size, same, len(k.blocks), len(got.blocks))
				if left == 0 && bytes.Equal(got.dict, k.dict) && (s.Compression == cfilewire.Snappy || s.Compression == cfilewire.Zlib) {
					return ""
				}
			}
		}
	}
	if k.footer.Type.Binary() || k.footer.Encoding == cfilewire.EncodingBitShuffle {
		return why
	}
	// Kudu looks whether these are full after batches of its own choice. All but where they end has to be the same.
	s.BlockSize, s.Batch = cfilewire.MostBlockSize, 0
	out := rewrite(t, k, s, -1)
	if !bytes.Equal(out, b) && (s.Compression == cfilewire.NoCompression || s.Compression == cfilewire.LZ4) {
		return "blocks differ"
	}
	got := takeApart(t, out)
	for i := range k.blocks {
		if !bytes.Equal(got.blocks[i].raw, k.blocks[i].raw) {
			return "blocks differ: " + why
		}
	}
	return ""
}
