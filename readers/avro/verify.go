package avro

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowtype"
	"github.com/arrowio/arrowio/internal/avrowire"
)

// Verify checks every block: its checksum if the codec has one, that its rows fill it exactly, and all values of them. A block that is
// damaged does not hide the next.
func (f *file) Verify(ctx context.Context, report func(error)) error {
	if f.damage != nil {
		report(locate(f.damage))
	}
	if err := arrowtype.CheckMaps(f.schema); err != nil {
		return locate(err)
	}
	p, err := arrowio.Project(f.schema, nil)
	if err != nil {
		return err
	}
	var row int64
	return f.each(ctx, func(b block) error {
		err := f.verifyBlock(ctx, b, row, p)
		row += b.Rows
		if isKind(err) {
			report(locate(err))
			return nil
		}
		return err
	})
}

// verifyBytes is about how much of a block is decoded at a time.
const verifyBytes = 16 << 20

// verifyBlock decodes a block that begins with a row.
func (f *file) verifyBlock(ctx context.Context, b block, row int64, p arrowio.Projection) error {
	if b.Rows == 0 {
		return f.verifyEmpty(ctx, b)
	}
	s := arrowio.Split{Ordinal: -1, Rows: arrowio.RowRange{Start: row, End: row + b.Rows}, Bytes: b.end() - b.off}
	r, err := f.reader(ctx, s, b.off, b.end(), p, arrowbuf.Shared())
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	for left := b.Rows; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := r.Fit(int(min(left, 1<<16)), verifyBytes)
		if _, err := r.Read(n); err != nil {
			return err
		}
		var rec arrow.Record
		if rec, err = r.Take(); err != nil {
			return err
		}
		rec.Release()
		left -= int64(n)
	}
	return nil
}

// verifyEmpty checks a block without rows: it stores nothing.
func (f *file) verifyEmpty(ctx context.Context, b block) error {
	if b.Packed == 0 {
		return nil
	}
	packed, err := arrowio.ReadRanges(ctx, f.src, []arrowio.ByteRange{{Off: b.data(), Len: b.Packed}})
	if err != nil {
		return err
	}
	var d avrowire.Decoder
	raw, err := d.Unpack(f.header.Codec, nil, packed[0], f.limits.BlockBytes)
	if err == nil && len(raw) > 0 {
		err = errs.Errorf(errs.ErrCorrupt, "%d bytes in a block without rows", len(raw))
	}
	return errs.Locate(err, errs.At{Op: "block", Off: errs.N(b.off)})
}

// CountChecksums implements arrowio.ChecksumCounter: only blocks that snappy packed have checksums.
func (f *file) CountChecksums(ctx context.Context) (arrowio.Checksums, error) {
	c := arrowio.Checksums{Unit: "block"}
	err := f.each(ctx, func(block) error {
		c.Parts++
		if f.header.Codec.Checked() {
			c.With++
		}
		return nil
	})
	return c, err
}

var (
	_ arrowio.Verifier        = (*file)(nil)
	_ arrowio.ChecksumCounter = (*file)(nil)
)
