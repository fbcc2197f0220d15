package cfile

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/cfile/inspect"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// Finder finds rows by their encoded key in a file with a value index: the column of a key of one column, or the key
// index of a rowset. It keeps the block that it looked into last: keys in order are found fastest. It belongs to one
// goroutine.
type Finder struct {
	ctx     context.Context
	file    *Reader
	entries []entry
	codec   blockcodec.Decoder
	scratch []byte

	open    int   // entry whose block is open; -1 = none
	first   int64 // its first row
	n       int   // its values
	strings cfilewire.Strings
	cells   []byte // values of a fixed width
	codes   []int32
	key     []byte
}

// NewFinder reads the value index.
func (f *Reader) NewFinder(ctx context.Context) (*Finder, error) {
	if f.footer.Val == nil || f.kind == cfilewire.BloomFile || f.kind == cfilewire.DeltaFile || f.footer.Nullable || f.footer.Array {
		return nil, f.inFooter(errs.Errorf(errs.ErrCorrupt, "no index of keys in a %v", f.kind))
	}
	entries, err := f.values(ctx)
	if err != nil {
		return nil, locate(err)
	}
	return &Finder{ctx: ctx, file: f, entries: entries, open: -1}, nil
}

// Find returns the row with a key; false = there is none.
func (d *Finder) Find(key []byte) (row int64, ok bool, err error) {
	i := sort.Search(len(d.entries), func(i int) bool { return bytes.Compare(d.entries[i].key, key) > 0 }) - 1
	if i < 0 {
		return 0, false, nil
	}
	if i != d.open {
		if err := d.load(i); err != nil {
			d.open = -1
			return 0, false, errs.Locate(cfilewire.Kinded(err), errs.At{Format: Name, Op: "keys", Off: errs.N(d.entries[i].ptr.Off)})
		}
	}
	k := sort.Search(d.n, func(k int) bool { return bytes.Compare(d.at(k), key) >= 0 })
	if k == d.n || !bytes.Equal(d.at(k), key) {
		return 0, false, nil
	}
	return d.first + int64(k), true, nil
}

// at returns the encoded key of value k of the open block, valid until the next call.
func (d *Finder) at(k int) []byte {
	f := d.file.footer
	var cell []byte
	switch w := f.Type.Width(); {
	case w > 0:
		cell = d.cells[k*w : (k+1)*w]
	case d.codes != nil:
		cell = d.file.dict.entries.At(int(d.codes[k]))
	default:
		cell = d.strings.At(k)
	}
	if d.file.kind == cfilewire.KeyIndexFile {
		return cell
	}
	// The type is one of keys: load has encoded a value.
	d.key, _ = cfilewire.AppendKey(d.key[:0], f.Type, cell, true)
	return d.key
}

// load unpacks the block of an entry.
func (d *Finder) load(i int) error {
	stored, err := inspect.ReadAt(d.ctx, d.file.src, d.entries[i].ptr.Off, int64(d.entries[i].ptr.Size))
	if err != nil {
		return err
	}
	var raw []byte
	if raw, d.scratch, err = d.file.frame.Open(stored, d.scratch, &d.codec); err != nil {
		return err
	}
	h, err := d.decode(raw)
	if err != nil {
		return err
	}
	d.first, d.n, d.open = int64(h.Ordinal), int(h.Count), i
	if d.n > 0 && d.file.kind != cfilewire.KeyIndexFile {
		if _, err := cfilewire.AppendKey(nil, d.file.footer.Type, make([]byte, d.file.footer.Type.Width()), true); err != nil {
			return err
		}
	}
	if d.first+int64(d.n) > d.file.footer.Values {
		return errs.Errorf(errs.ErrCorrupt, "%d rows from %d on, of %d", d.n, d.first, d.file.footer.Values)
	}
	if d.file.kind == cfilewire.ColumnFile {
		return d.checkRows(d.entries[i].ptr.Off)
	}
	return nil
}

// checkRows compares what the open block says of its rows with what the positional index says.
func (d *Finder) checkRows(off int64) error {
	blocks, err := d.file.positions(d.ctx)
	if err != nil {
		return err
	}
	j, ok := slices.BinarySearchFunc(blocks, off, func(b block, off int64) int { return cmp.Compare(b.ptr.Off, off) })
	if want := (arrowio.RowRange{Start: d.first, End: d.first + int64(d.n)}); !ok || blocks[j].rows != want {
		return errs.Errorf(errs.ErrCorrupt, "the block has rows %d to %d, which is not what the positional index says", want.Start, want.End)
	}
	return nil
}

func (d *Finder) decode(raw []byte) (h cfilewire.Head, err error) {
	f := d.file.footer
	d.codes = nil
	if w := f.Type.Width(); w > 0 {
		return d.decodeFixed(raw, w)
	}
	switch f.Encoding {
	case cfilewire.EncodingPrefix:
		return d.strings.OpenPrefix(raw, d.file.frame.Limit)
	case cfilewire.EncodingPlain:
		return d.strings.OpenPlain(raw)
	}
	mode, raw, err := cfilewire.ParseDictMode(raw)
	if err != nil || mode == cfilewire.DictPlain {
		if err == nil {
			h, err = d.strings.OpenPlain(raw)
		}
		return h, err
	}
	dict, err := d.file.dictionary(d.ctx)
	if err != nil {
		return h, err
	}
	var codes cfilewire.BitShuffle
	if h, err = codes.Open(raw, 4, true); err != nil {
		return h, err
	}
	if err := d.checkLength(h, 4); err != nil {
		return h, err
	}
	d.codes = make([]int32, h.Count)
	if err := codes.NextCodes(d.codes); err != nil {
		return h, err
	}
	_, err = dict.entries.Size(d.codes) // are all of them there?
	return h, err
}

// checkLength tests that the values of a block, which may be packed, take no more than a block may.
func (d *Finder) checkLength(h cfilewire.Head, w int) error {
	if n := int64(h.Count) * int64(w); n > d.file.frame.Limit {
		return errs.Errorf(errs.ErrLimit, "keys of %d bytes are over the limit BlockBytes = %d", n, d.file.frame.Limit)
	}
	return nil
}

func (d *Finder) decodeFixed(raw []byte, w int) (h cfilewire.Head, err error) {
	switch d.file.footer.Encoding {
	case cfilewire.EncodingBitShuffle:
		var s cfilewire.BitShuffle
		if h, err = s.Open(raw, w, false); err == nil {
			err = d.checkLength(h, w)
		}
		if err == nil {
			d.cells = grow(d.cells, int(h.Count)*w)
			err = s.Next(d.cells)
		}
		return h, err
	case cfilewire.EncodingRLE:
		switch w {
		case 1:
			return decodeRuns[int8](d, raw)
		case 2:
			return decodeRuns[int16](d, raw)
		case 4:
			return decodeRuns[int32](d, raw)
		case 8:
			return decodeRuns[int64](d, raw)
		}
		return h, errs.Errorf(errs.ErrUnsupported, "runs of %d bytes", w)
	case cfilewire.EncodingGroupVarint:
		var g cfilewire.GroupVarint
		if h, err = g.Open(raw); err == nil {
			err = d.checkLength(h, w)
		}
		if err == nil {
			values := make([]uint32, h.Count)
			err = g.Next(values)
			d.cells = arrowbuf.AsBytes(values)
		}
		return h, err
	}
	var p cfilewire.PlainFixed
	if h, err = p.Open(raw, w); err == nil {
		d.cells = grow(d.cells, int(h.Count)*w)
		err = p.Next(d.cells)
	}
	return h, err
}

// decodeRuns decodes keys, which differ: there are no runs worth the name, and no more keys than bytes.
func decodeRuns[T int8 | int16 | int32 | int64](d *Finder, raw []byte) (h cfilewire.Head, err error) {
	var r cfilewire.RLE[T]
	if h, err = r.Open(raw); err != nil {
		return h, err
	}
	if int64(h.Count) > int64(len(raw)) {
		return h, errs.Errorf(errs.ErrCorrupt, "%d keys in %d bytes", h.Count, len(raw))
	}
	values := make([]T, h.Count)
	err = r.Next(values)
	d.cells = arrowbuf.AsBytes(values)
	return h, err
}

// MayContainKey asks the bloom filters of a rowset for an encoded key; false is certain.
func (f *Reader) MayContainKey(ctx context.Context, key []byte) (bool, error) {
	if f.kind != cfilewire.BloomFile {
		return true, nil
	}
	entries, err := f.values(ctx)
	if err != nil {
		return false, locate(err)
	}
	i := sort.Search(len(entries), func(i int) bool { return bytes.Compare(entries[i].key, key) > 0 }) - 1
	if i < 0 {
		return false, nil
	}
	var codec blockcodec.Decoder
	raw, err := f.readBlock(ctx, entries[i].ptr, &codec)
	if err == nil {
		var b cfilewire.Bloom
		if b, err = cfilewire.ParseBloom(raw); err == nil {
			return b.MayContain(cfilewire.HashKey(key)), nil
		}
	}
	return false, errs.Locate(err, errs.At{Format: Name, Op: "bloom filter", Off: errs.N(entries[i].ptr.Off)})
}
