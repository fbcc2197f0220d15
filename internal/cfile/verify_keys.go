package cfile

import (
	"bytes"
	"context"
	"sort"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile/inspect"
	"github.com/arrowio/arrowio/internal/cfilewire"
)

// Keys walks over the encoded keys of a file with a value index, in row order: of the column of a key of one column, or
// of the key index of a rowset. It holds one block at a time and belongs to one goroutine.
//
//	for k.Next() {
//		… k.Row, k.Key
//	}
//	return k.Err
type Keys struct {
	Row int64
	Key []byte // valid until the next Next
	Err error

	finder *Finder
	i, n   int // entry, and value of its block
}

// NewKeys reads the value index. A file without keys is errs.ErrCorrupt.
func (f *Reader) NewKeys(ctx context.Context) (*Keys, error) {
	d, err := f.NewFinder(ctx)
	if err != nil {
		return nil, err
	}
	return &Keys{finder: d, i: -1}, nil
}

// Next moves to the next key; false at the end and after an error.
func (k *Keys) Next() bool {
	d := k.finder
	for k.Err == nil {
		if k.i >= 0 && k.n < d.n {
			k.Row, k.Key = d.first+int64(k.n), d.at(k.n)
			k.n++
			return true
		}
		if k.i++; k.i >= len(d.entries) {
			return false
		}
		if err := d.load(k.i); err != nil {
			k.Err = errs.Locate(cfilewire.Kinded(err), errs.At{Format: Name, Op: "keys", Off: errs.N(d.entries[k.i].ptr.Off)})
		}
		k.n = 0
	}
	return false
}

// keys checks the blocks of a file with a value index: that keys ascend, that those of each block are between its own in
// the index and the next block's, and that the first and the last are those of the footer.
func (v *verifier) keys() error {
	if v.kind == cfilewire.ColumnFile && (v.footer.Nullable || v.footer.Array || !v.footer.Type.IsKey()) {
		return v.fault("footer", v.footer.FooterOff, corrupt("a value index of a column that cannot be a key"))
	}
	c := keyCheck{verifier: v, finder: &Finder{ctx: v.ctx, file: v.Reader, open: -1}}
	if v.dict != nil { // which may not be what another has read, and Finder asks for it there
		c.finder.file = &Reader{src: v.src, footer: v.footer, frame: v.Reader.frame, limits: v.limits, kind: v.kind, dict: v.dict}
	} else if v.footer.Dict != nil {
		return nil // reported
	}
	t := &v.layout.Val
	end := int64(0)
	for i := range t.Leaves {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		e := &t.Leaves[i]
		if e.Ptr.Off < end {
			c.before = nil
			c.lost = true
			continue
		}
		end = e.Ptr.End()
		if err := c.block(e, i); err != nil {
			return err
		}
	}
	if c.lost || !t.Whole {
		return nil
	}
	return c.footer()
}

// keyCheck is one run of keys.
type keyCheck struct {
	*verifier
	finder *Finder
	rows   int64
	first  []byte // the first key; nil = there was none
	before []byte // the last key so far; nil = not known
	lost   bool   // a block could not be read
}

// block checks the keys of a block.
func (c *keyCheck) block(e *inspect.Leaf, i int) error {
	d := c.finder
	d.entries = []entry{{key: e.Key, ptr: e.Ptr}}
	err := d.load(0)
	if err == nil && c.kind == cfilewire.KeyIndexFile && !c.lost && d.first != c.rows {
		err = corrupt("the block begins at row %d, the one before ends at %d", d.first, c.rows)
	}
	if err != nil {
		c.lost, c.before = true, nil
		if c.kind == cfilewire.ColumnFile {
			if !inspect.IsFault(cfilewire.Kinded(err)) {
				return err
			}
			return nil // its rows have been read, and reported
		}
		return c.fault("block", e.Ptr.Off, err)
	}
	c.rows = d.first + int64(d.n)
	if d.n == 0 {
		return c.fault("block", e.Ptr.Off, corrupt("a block without keys"))
	}
	key := d.at(0)
	switch {
	case bytes.Compare(e.Key, key) > 0:
		err = corrupt("the key of the index, %x, is above the first of the block, %x", inspect.Brief(e.Key), inspect.Brief(key))
	case c.before != nil && bytes.Compare(e.Key, c.before) <= 0 && bytes.Compare(key, c.before) > 0:
		err = corrupt("the key of the index, %x, is not above the last of the block before, %x", inspect.Brief(e.Key), inspect.Brief(c.before))
	}
	if err := c.fault("value index, entry "+itoa(i), e.In, err); err != nil {
		return err
	}
	if i == 0 {
		c.first = bytes.Clone(key)
		if c.first == nil {
			c.first = []byte{}
		}
	}
	said := false
	for k := range d.n {
		key = d.at(k)
		if c.before != nil && bytes.Compare(key, c.before) <= 0 && !said {
			said = true
			if err := c.fault("block", e.Ptr.Off, corrupt("the key of row %d, %x, is not above the one before, %x", d.first+int64(k), inspect.Brief(key), inspect.Brief(c.before))); err != nil {
				return err
			}
		}
		if c.before == nil {
			c.before = []byte{}
		}
		c.before = append(c.before[:0], key...)
	}
	return nil
}

// footer compares what the footer says with what was found.
func (c *keyCheck) footer() error {
	off := c.verifier.footer.FooterOff
	if all := c.verifier.footer.Values; c.rows != all {
		if err := c.fault("footer", off, corrupt("%d keys, there are %d", all, c.rows)); err != nil {
			return err
		}
	}
	for _, x := range []struct {
		meta string
		is   []byte
	}{{cfilewire.MetaMinKey, c.first}, {cfilewire.MetaMaxKey, c.before}} {
		said, ok := c.verifier.footer.Lookup(x.meta)
		if ok && !bytes.Equal(said, x.is) {
			if err := c.fault("footer", off, corrupt("%s is %x, it is %x", x.meta, inspect.Brief(said), inspect.Brief(x.is))); err != nil {
				return err
			}
		}
	}
	return nil
}

// filters checks the blocks of a bloom file.
func (v *verifier) filters() error {
	end := int64(0)
	for _, e := range v.layout.Val.Leaves {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		if e.Ptr.Off < end {
			continue // reported
		}
		end = e.Ptr.End()
		raw, err := v.blocks.Read(e.Ptr)
		if err == nil {
			_, err = cfilewire.ParseBloom(raw)
		}
		if err := v.fault("bloom filter", e.Ptr.Off, err); err != nil {
			return err
		}
	}
	return nil
}

// CheckBloom checks that the filters of a bloom file hold every key of keys, which is the column of a key of one column
// or the key index of the same rowset. report is called once for each filter that lacks some, and for the first block of
// keys, or filter, that cannot be read. An error is one of reading.
func CheckBloom(ctx context.Context, bloom, keys *Reader, report func(error)) error {
	bloom, keys = bloom.checking(), keys.checking()
	v := &verifier{Reader: bloom, ctx: ctx, report: report, blocks: inspect.NewBlocks(ctx, bloom.inspect())}
	if bloom.kind != cfilewire.BloomFile {
		return v.fault("footer", bloom.footer.FooterOff, corrupt("a %v, where bloom filters were looked for", bloom.kind))
	}
	entries, err := bloom.values(ctx)
	if err != nil {
		return v.fault(inspect.OpValue, -1, err)
	}
	k, err := keys.NewKeys(ctx)
	if err != nil {
		return v.fault("keys", -1, err)
	}
	var filter cfilewire.Bloom
	open, missed, asked := -1, 0, 0
	done := func() error {
		n, of := missed, asked
		missed, asked = 0, 0
		if n == 0 {
			return nil
		}
		off := int64(-1)
		if open >= 0 {
			off = entries[open].ptr.Off
		}
		return v.fault("bloom filter", off, corrupt("the filter lacks %d keys of %d", n, of))
	}
	for k.Next() {
		i := open
		if i < 0 || i+1 < len(entries) && bytes.Compare(entries[i+1].key, k.Key) <= 0 || bytes.Compare(entries[i].key, k.Key) > 0 {
			i = sort.Search(len(entries), func(i int) bool { return bytes.Compare(entries[i].key, k.Key) > 0 }) - 1
		}
		if i != open {
			if err := done(); err != nil {
				return err
			}
			if open = i; i >= 0 {
				raw, err := v.blocks.Read(entries[i].ptr)
				if err == nil {
					filter, err = cfilewire.ParseBloom(raw)
				}
				if err != nil {
					return v.fault("bloom filter", entries[i].ptr.Off, err)
				}
			}
		}
		if asked++; i < 0 || !filter.MayContain(cfilewire.HashKey(k.Key)) {
			missed++
		}
	}
	if err := done(); err != nil {
		return err
	}
	return v.fault("keys", -1, k.Err)
}
