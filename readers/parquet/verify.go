package parquet

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowcheck"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// Verify implements arrowio.Verifier. It decodes every page of every column chunk, checks the CRC of those that have one,
// the numbers of values and nulls, the page index against the pages, and that bloom filters can be read.
func (f *parquetFile) Verify(ctx context.Context, report func(error)) error {
	if f.rowsFault != nil {
		report(errs.Locate(f.rowsFault, errs.At{Format: "parquet", Op: "verify"}))
	}
	for g := range f.footer.Groups {
		if f.footer.Groups[g].Rows == 0 {
			continue
		}
		for _, n := range f.leaves {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f.verifyChunk(ctx, g, n); err != nil {
				if isIO(err) {
					return err
				}
				report(errs.Locate(err, errs.At{Format: "parquet", Op: "verify", Column: f.paths[n.column], Split: errs.N(g)}))
			}
		}
	}
	return f.verifyNested(ctx, report)
}

// verifyNested decodes fields with children as a scan does: some faults show only when they are put together.
func (f *parquetFile) verifyNested(ctx context.Context, report func(error)) error {
	for i, n := range f.nodes {
		if n.shape == leafShape {
			continue
		}
		p, err := arrowio.Project(f.schema, []string{f.schema.Field(i).Name})
		if err != nil || len(p.Fields) != 1 {
			continue // several columns have this name
		}
		for _, s := range f.splits {
			if err := f.verifyField(ctx, s, p); err != nil {
				if isIO(err) || ctx.Err() != nil {
					return err
				}
				report(err)
			}
		}
	}
	return nil
}

func (f *parquetFile) verifyField(ctx context.Context, s arrowio.Split, p arrowio.Projection) error {
	r, err := f.Read(ctx, s, arrowio.RowSet{}.Add(s.Rows), p, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	defer r.Close()
	for left := s.Rows.Len(); left > 0; {
		n, err := r.Read(int(min(left, batchRows)))
		if err != nil {
			return err
		}
		rec, err := r.Take()
		if err != nil {
			return err
		}
		err = arrowcheck.Record(rec)
		rec.Release()
		if err != nil {
			return errs.Locate(err, errs.At{Format: "parquet", Op: "verify", Split: errs.N(s.Ordinal)})
		}
		left -= int64(n)
	}
	return nil
}

// verifyChunk decodes a column chunk.
func (f *parquetFile) verifyChunk(ctx context.Context, group int, n *node) error {
	id := chunkID{group, n.column}
	c := f.chunk(id)
	if err := checkCodec(c.Codec); err != nil {
		return err
	}
	g := &rowGroup{f: f, split: f.splits[group], mem: &arrowbuf.Arena{Allocator: memory.DefaultAllocator}}
	t := g.grow(n, &f.footer.Groups[group])
	defer t.release()
	col := t.column
	col.pages.data.ctx, col.pages.data.src = ctx, f.src
	left, nulls := f.footer.Groups[group].Rows, int64(0)
	for left > 0 {
		k := min(left, batchRows)
		if c.Raw > batchBytes {
			k = min(k, max(int64(float64(batchBytes)/float64(c.Raw)*float64(g.split.Rows.Len())), 64))
		}
		if err := col.read(k); err != nil {
			return err
		}
		nulls += int64(col.nulls)
		d, err := col.take()
		if err != nil {
			return err
		}
		d.Release()
		left -= k
	}
	if got := col.pages.levels; got != c.Values {
		return corrupt("%d values in the pages, %d in the metadata", got, c.Values)
	}
	if col.maxRep == 0 && f.countsNulls(n) && c.Stats.Nulls >= 0 && c.Stats.Nulls != nulls {
		return corrupt("%d nulls, the statistics say %d", nulls, c.Stats.Nulls)
	}
	if err := f.verifyIndex(ctx, id); err != nil {
		return err
	}
	_, err := f.readBloom(ctx, c)
	return err
}

// verifyIndex compares the offset index of a column chunk with its pages.
func (f *parquetFile) verifyIndex(ctx context.Context, id chunkID) error {
	c := f.chunk(id)
	if c.OffsetIndex.Len == 0 {
		return nil
	}
	if !f.within(c.OffsetIndex) {
		return corrupt("an offset index of %d bytes at %d, in front of a footer at %d", c.OffsetIndex.Len, c.OffsetIndex.Off, f.end)
	}
	b := make([]byte, c.OffsetIndex.Len)
	if err := readAt(ctx, f.src, b, c.OffsetIndex.Off); err != nil {
		return err
	}
	pages, err := decode.ParseOffsetIndex(b, f.limits.MetadataBytes)
	if err != nil {
		return corrupt("offset index: %w", err)
	}
	if err := f.checkOffsets(id, pages); err != nil {
		return err
	}
	i := 0
	err = f.eachPage(ctx, c, func(p *page, _ *pageReader) error {
		if p.Kind != decode.DataPage && p.Kind != decode.DataPageV2 {
			return nil
		}
		if i >= len(pages) || pages[i].Off != p.off {
			return corrupt("the offset index does not have the data page at %d", p.off)
		}
		i++
		return nil
	})
	if err == nil && i != len(pages) {
		err = corrupt("%d data pages, the offset index has %d", i, len(pages))
	}
	if err != nil || c.ColumnIndex.Len == 0 {
		return err
	}
	if !f.within(c.ColumnIndex) {
		return corrupt("a column index of %d bytes at %d, in front of a footer at %d", c.ColumnIndex.Len, c.ColumnIndex.Off, f.end)
	}
	b = make([]byte, c.ColumnIndex.Len)
	if err := readAt(ctx, f.src, b, c.ColumnIndex.Off); err != nil {
		return err
	}
	bounds, err := decode.ParseColumnIndex(b, f.limits.MetadataBytes)
	if err != nil {
		return corrupt("column index: %w", err)
	}
	if len(bounds.NullPages) != len(pages) {
		return corrupt("a column index of %d pages, the offset index has %d", len(bounds.NullPages), len(pages))
	}
	return nil
}

// eachPage calls use for every page of a column chunk, in order.
func (f *parquetFile) eachPage(ctx context.Context, c *decode.Chunk, use func(*page, *pageReader) error) error {
	r := pageReader{chunk: c, limits: f.limits, dec: new(blockcodec.Decoder), off: c.Start()}
	r.data = chunkBytes{ctx: ctx, src: f.src, end: c.Start() + c.Stored}
	for {
		p, ok, err := r.header()
		if err != nil || !ok {
			return err
		}
		if err := use(&p, &r); err != nil {
			return errs.Locate(err, errs.At{Off: errs.N(p.off)})
		}
	}
}

// checksums reads every page of a column and says in c what their CRCs say.
func (f *parquetFile) checksums(ctx context.Context, column int, c *arrowio.ColumnInfo) error {
	pages, with, wrong := 0, 0, 0
	var verdicts []string
	for g := range f.footer.Groups {
		if f.footer.Groups[g].Rows == 0 {
			continue
		}
		err := f.eachPage(ctx, f.chunk(chunkID{g, column}), func(p *page, r *pageReader) error {
			pages++
			if !p.HasCRC {
				return nil
			}
			with++
			_, err := r.stored(p)
			if err != nil && !isIO(err) {
				wrong++
				return nil
			}
			return err
		})
		if err != nil {
			if isIO(err) {
				return err
			}
			if v := "the pages cannot be read"; !slices.Contains(verdicts, v) {
				verdicts = append(verdicts, v)
			}
		}
	}
	switch {
	case with == 0:
		c.Checksum, c.Verdict = "none", ""
	case with < pages:
		c.Checksum, c.Verdict = "crc32, of some pages", "ok"
	default:
		c.Checksum, c.Verdict = "crc32", "ok"
	}
	if wrong > 0 {
		c.Verdict = "wrong"
	}
	if len(verdicts) > 0 {
		c.Verdict = verdicts[0]
	}
	return nil
}
