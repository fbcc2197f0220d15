package cfile

import (
	"context"
	"encoding/binary"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/cfile/inspect"
	"github.com/arrowio/arrowio/internal/cfilewire"
	"github.com/arrowio/arrowio/internal/pb"
)

// DeltaOrder is how the changes of one row follow each other in a delta file. The file itself does not say.
type DeltaOrder uint8

// Orders.
const (
	AnyOrder DeltaOrder = iota // one way or the other, the same in all of the file
	Forward                    // by time upwards: a file of REDOs
	Backward                   // by time downwards: a file of UNDOs
)

// CheckOptions says what is known of a file from elsewhere.
type CheckOptions struct {
	Field arrow.Field // what a column is read as; without a type: its own, see cfilewire.ArrowField
	Order DeltaOrder  // of a delta file
	Rows  int64       // of the rowset that a delta file is of: no change is of a row behind; 0 = not known
	// Cell checks a cell that a change of a delta file sets, little-endian or bytes as in cfilewire.Changes; nil = it is
	// not checked. What it returns is a fault.
	Cell func(column int32, value []byte, null bool) error
}

// Verify checks all that the file says against all that it holds. See Reader.Check.
func (f *File) Verify(ctx context.Context, report func(error)) error {
	return f.Check(ctx, CheckOptions{Field: f.field()}, report)
}

// CountChecksums implements arrowio.ChecksumCounter: all blocks of a file have checksums, or none has.
func (f *File) CountChecksums(context.Context) (arrowio.Checksums, error) {
	n := arrowio.Checksums{Unit: "file", Parts: 1}
	if f.footer.Checksums {
		n.With = 1
	}
	return n, nil
}

// Check checks the frame of the file, the checksums of all blocks, and that nothing lies between them; of the indexes the
// order of keys and what each entry leads to; of the blocks ordinals, counts, and every value. In a file with a value
// index the keys ascend, are bounded by those of the index, and begin and end with the least and the greatest key of the
// footer; the changes of a delta file are in order and as many as its statistics say; filters can be used.
//
// report is called once for each fault, which is an *errs.Error with the offset of the block, or of the footer. What a
// fault hides is not checked. An error is one of reading, or the end of ctx.
func (f *Reader) Check(ctx context.Context, o CheckOptions, report func(error)) error {
	f = f.checking()
	v := &verifier{Reader: f, ctx: ctx, o: o, report: report, blocks: inspect.NewBlocks(ctx, f.inspect())}
	if o.Field.Type == nil && f.kind == cfilewire.ColumnFile {
		var err error
		if v.o.Field, err = cfilewire.ArrowField(f.footer, cfilewire.ArrowOptions{}); err != nil {
			return v.fault("footer", f.footer.FooterOff, err)
		}
	}
	return v.run()
}

// verifier is one run of Check.
type verifier struct {
	*Reader
	ctx    context.Context
	o      CheckOptions
	report func(error)
	blocks *inspect.Blocks
	layout *inspect.Layout
	dict   *dictionary
	field  arrow.Field // what a column is decoded as
}

// fault reports what is wrong with the file. It returns what says nothing about the file: the end of ctx, trouble with
// reading.
func (v *verifier) fault(op string, off int64, err error) error {
	if err = cfilewire.Kinded(err); err == nil || !inspect.IsFault(err) {
		return err
	}
	v.report(errs.Locate(err, errs.At{Format: Name, Op: op, Off: errs.N(off)}))
	return nil
}

func corrupt(format string, args ...any) error {
	return errs.Errorf(errs.ErrCorrupt, format, args...)
}

func (v *verifier) run() error {
	if err := v.frame(); err != nil {
		return err
	}
	var err error
	v.layout, err = v.inspect().Survey(v.ctx, func(err error) error { return v.fault("", -1, err) })
	if err != nil {
		return err
	}
	if err := v.gaps(); err != nil {
		return err
	}
	if err := v.order(); err != nil {
		return err
	}
	if err := v.dictionary(); err != nil {
		return err
	}
	switch v.kind {
	case cfilewire.DeltaFile:
		return v.deltas()
	case cfilewire.BloomFile:
		return v.filters()
	case cfilewire.KeyIndexFile:
		return v.keys()
	}
	if err := v.column(); err != nil || v.footer.Val == nil {
		return err
	}
	return v.keys()
}

// frame checks what opening the file does not: it takes a compression that is not known for none, as Kudu does, and lets
// header and footer disagree about the version.
func (v *verifier) frame() error {
	n := v.src.Size() - v.footer.FooterOff
	b, err := inspect.ReadAt(v.ctx, v.src, v.footer.FooterOff, n)
	if err != nil {
		return err
	}
	tail := b[len(b)-cfilewire.TailSize:]
	magic := cfilewire.MagicV2
	if v.footer.Version == 1 {
		magic = cfilewire.MagicV1
	}
	if got := string(tail[:len(magic)]); got != magic {
		if err := v.fault("footer", v.footer.FooterOff, corrupt("the magic is %q, that of the header is %q", got, magic)); err != nil {
			return err
		}
	}
	m := pb.New(b[v.inspect().SumSize() : len(b)-cfilewire.TailSize])
	for m.Next() {
		if m.Num == 6 && m.Uint64() > uint64(cfilewire.Zlib) {
			if err := v.fault("footer", v.footer.FooterOff, corrupt("compression %d is not known, and taken for none", m.Val)); err != nil {
				return err
			}
		}
	}
	if v.footer.Dict != nil && v.footer.Encoding != cfilewire.EncodingDict {
		return v.fault("footer", v.footer.FooterOff, corrupt("a dictionary, which encoding %v has no use for", v.footer.Encoding))
	}
	return nil
}

// gaps reports bytes of no block, and of two.
func (v *verifier) gaps() error {
	whole := v.layout.Pos.Complete(v.footer.Pos) && v.layout.Val.Complete(v.footer.Val)
	return v.layout.Gaps(v.inspect(), func(off, n int64, twice bool) error {
		switch {
		case twice:
			return v.fault("blocks", off, corrupt("%d bytes are in two blocks", n))
		case whole:
			return v.fault("blocks", off, corrupt("%d bytes belong to no block", n))
		}
		return nil
	})
}

// order checks that the entries of each index ascend, as the blocks do that they lead to; and that both lead to the same
// blocks where there are both.
func (v *verifier) order() error {
	for _, t := range []*inspect.Tree{&v.layout.Pos, &v.layout.Val} {
		for i := 1; i < len(t.Leaves); i++ {
			a, b := &t.Leaves[i-1], &t.Leaves[i]
			var err error
			switch {
			case t.Kind == inspect.PositionBlock && b.Row <= a.Row:
				err = corrupt("row %d after row %d", b.Row, a.Row)
			case t.Kind == inspect.ValueBlock && v.kind != cfilewire.DeltaFile && string(b.Key) <= string(a.Key):
				err = corrupt("key %x after key %x", inspect.Brief(b.Key), inspect.Brief(a.Key))
			case b.Ptr.Off <= a.Ptr.Off:
				err = corrupt("a block at %d after one at %d", b.Ptr.Off, a.Ptr.Off)
			}
			if err := v.fault(t.Kind.String(), b.In, err); err != nil {
				return err
			}
		}
	}
	p, k := &v.layout.Pos, &v.layout.Val
	if v.footer.Pos == nil || v.footer.Val == nil || !p.Whole || !k.Whole {
		return nil
	}
	for i := range min(len(p.Leaves), len(k.Leaves)) {
		if a, b := p.Leaves[i].Ptr, k.Leaves[i].Ptr; a != b {
			return v.fault(inspect.OpValue, k.Leaves[i].In, corrupt("entry %d leads to %d, the entry of the positional index to %d", i, b.Off, a.Off))
		}
	}
	if len(p.Leaves) != len(k.Leaves) {
		return v.fault(inspect.OpValue, v.footer.Val.Off, corrupt("%d blocks, by the positional index there are %d", len(k.Leaves), len(p.Leaves)))
	}
	return nil
}

// dictionary reads the dictionary, of which the blocks of codes are then checked.
func (v *verifier) dictionary() error {
	p := v.footer.Dict
	if p == nil {
		return nil
	}
	raw, err := v.blocks.Read(*p)
	if err == nil && len(raw) >= 4 && binary.LittleEndian.Uint32(raw) != 0 {
		err = corrupt("the dictionary begins at row %d", binary.LittleEndian.Uint32(raw))
	}
	if err == nil {
		v.dict, err = v.readDictionary(v.ctx)
	}
	return v.fault("dictionary", p.Off, err)
}
