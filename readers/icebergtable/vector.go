package icebergtable

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/view"
	"github.com/arrowio/arrowio/internal/puffinwire"
)

// vector is where a deletion vector is in its file.
type vector struct {
	Offset int64 `json:"offset"`
	Size   int64 `json:"size"`
}

// vectorOf returns the positions of a deletion vector. The file is not read apart from it.
func (t *table) vectorOf(ctx context.Context, d *deleteFile) (positions []int64, err error) {
	src, err := t.open(ctx, d.Path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	return t.readVector(ctx, src, d)
}

func (t *table) readVector(ctx context.Context, src arrowio.Source, d *deleteFile) ([]int64, error) {
	if d.Rows < 0 || d.Rows > int64(t.held.most) || d.Vector.Size > rowBytes*int64(t.held.most) {
		return nil, errs.Errorf(errs.ErrLimit, "a deletion vector of %d rows in %d bytes; %w allows more", d.Rows, d.Vector.Size, errs.Opt(optionDeletes, ""))
	}
	b, err := arrowio.ReadRanges(ctx, src, []arrowio.ByteRange{{Off: d.Vector.Offset, Len: d.Vector.Size}})
	if err != nil {
		return nil, err
	}
	positions, err := puffinwire.Vector(b[0], d.Rows)
	return positions, errs.Locate(err, errs.At{Off: errs.N(d.Vector.Offset)})
}

// checkedVectors is a Puffin file that is verified.
type checkedVectors struct {
	view.Empty
	p    *planner
	list []*deleted // in it

	strange int    // vectors about files that the snapshot does not have
	first   string // the first of these files
}

// BytesStored implements arrowio.ByteCounter.
func (c *checkedVectors) BytesStored() int64 { return c.list[0].entry.Bytes }

// Verify implements arrowio.Verifier: the footer lists the deletion vectors as the manifests do, and the rows that they name are there.
func (c *checkedVectors) Verify(ctx context.Context, report func(error)) (err error) {
	src, err := c.p.table.open(ctx, c.list[0].file.Path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	for _, d := range c.list {
		if d.entry.Bytes != src.Size() {
			report(corrupt("the file has %d bytes, and the manifest says %d", src.Size(), d.entry.Bytes))
			break
		}
	}
	blobs, err := c.footer(ctx, src)
	listed := err == nil
	if errors.Is(err, errs.ErrCorrupt) {
		report(err)
		err = nil
	}
	if err != nil {
		return err
	}
	rows := c.p.rowsOfData()
	for _, d := range c.list {
		fault := func(format string, args ...any) {
			report(errs.Locate(corrupt(format, args...), errs.At{Off: errs.N(d.entry.Offset)}))
		}
		if listed {
			checkBlob(blobs, d.entry, fault)
		}
		stored, known := rows[pathKey(d.entry.About)]
		if !known {
			if c.strange++; c.first == "" {
				c.first = d.entry.About
			}
		}
		positions, err := c.p.table.readVector(ctx, src, d.file)
		switch {
		case errors.Is(err, errs.ErrCorrupt):
			report(err)
		case err != nil:
			return err
		case known && len(positions) > 0 && positions[len(positions)-1] >= stored:
			fault("row %d of %s is deleted, which has %d rows", positions[len(positions)-1], d.entry.About, stored)
		}
	}
	return nil
}

// Warnings implements arrowio.Warner.
func (c *checkedVectors) Warnings() []arrowio.Warning {
	return strangers(int64(c.strange), "deletion vectors", c.first)
}

// footer returns what the file says of its blobs.
func (c *checkedVectors) footer(ctx context.Context, src arrowio.Source) ([]puffinwire.Blob, error) {
	size, most := src.Size(), c.p.table.limits.MetadataBytes
	n := min(size, int64(puffinwire.TailSize))
	b, err := arrowio.ReadRanges(ctx, src, []arrowio.ByteRange{{Off: size - n, Len: n}})
	if err != nil {
		return nil, err
	}
	if n, err = puffinwire.FooterSize(b[0], size); err != nil {
		return nil, err
	}
	if n > most {
		return nil, errs.Errorf(errs.ErrLimit, "a footer of %d bytes; the most is %d (Limits.MetadataBytes)", n, most)
	}
	if b, err = arrowio.ReadRanges(ctx, src, []arrowio.ByteRange{{Off: size - n, Len: n}}); err != nil {
		return nil, err
	}
	return puffinwire.ParseFooter(b[0], most)
}

// checkBlob compares what the footer and a manifest say of a deletion vector.
func checkBlob(blobs []puffinwire.Blob, e *entry, fault func(format string, args ...any)) {
	i := slices.IndexFunc(blobs, func(b puffinwire.Blob) bool { return b.Offset == e.Offset })
	if i < 0 {
		fault("the manifest says that a deletion vector is at %d, and the footer lists no blob there", e.Offset)
		return
	}
	b := blobs[i]
	if b.Type != puffinwire.VectorType || b.Codec != "" {
		fault("the footer says that the blob has the type %.40q and the codec %.40q; deletion vectors have the type %q and none", b.Type, b.Codec, puffinwire.VectorType)
	}
	if b.Length != e.Size {
		fault("content_size_in_bytes in the manifest is %d, and the footer says %d", e.Size, b.Length)
	}
	if n := b.Properties[puffinwire.PropertyCardinality]; n != strconv.FormatInt(e.Rows, 10) {
		fault("record_count in the manifest is %d, and cardinality in the footer is %.40q", e.Rows, n)
	}
	if of := b.Properties[puffinwire.PropertyDataFile]; of != e.About {
		fault("referenced_data_file in the manifest is %s, and %.1000s in the footer", e.About, of)
	}
}
