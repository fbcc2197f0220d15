package parquet

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowcheck"
	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// Verify implements arrowio.Verifier. It decodes every page of every column chunk, checks the CRC of those that have one,
// and compares the values with everything that filters rely on: the statistics of column chunks and of pages, the page
// index, and the bloom filters; and the Parquet schema with the Arrow schema in the metadata.
func (f *parquetFile) Verify(ctx context.Context, report func(error)) error {
	if f.int96.unit != "us" && slices.ContainsFunc(f.leaves, func(n *node) bool { return n.elem.Type == decode.Int96 }) {
		coarse, err := open(ctx, f.src, f.limits, int96Options{unit: "us"}) // times that nanoseconds cannot hold are no fault of the file
		if err != nil {
			return err
		}
		return coarse.Verify(ctx, report)
	}
	if f.rowsFault != nil {
		report(errs.Locate(f.rowsFault, errs.At{Format: "parquet", Op: "verify", Off: errs.N(f.end)}))
	}
	for _, err := range slices.Concat(f.doubts, f.schemaFaults) {
		report(errs.Locate(err, errs.At{Format: "parquet", Op: "footer", Off: errs.N(f.end)}))
	}
	for g := range f.footer.Groups {
		if f.footer.Groups[g].Rows == 0 {
			continue
		}
		for _, n := range f.leaves {
			if err := ctx.Err(); err != nil {
				return err
			}
			at := errs.At{Format: "parquet", Op: "verify", Column: f.paths[n.column], Split: errs.N(g), Off: f.chunkOff(g, n.column)}
			if n.refused != "" {
				if f.chunk(chunkID{g, n.column}).Encrypted && f.footer.Algorithm == "" {
					report(errs.Locate(corrupt("the column chunk is said to be encrypted, but the file names no algorithm: the footer is damaged"), at))
				}
				continue // Info notes it
			}
			if err := f.verifyChunk(ctx, g, n, func(err error) { report(errs.Locate(err, at)) }); err != nil {
				if isIO(err) {
					return err
				}
				report(errs.Locate(err, at))
			}
		}
	}
	return f.verifyNested(ctx, report)
}

// verifyNested decodes fields with children as a scan does: some faults show only when they are put together.
func (f *parquetFile) verifyNested(ctx context.Context, report func(error)) error {
	for i, n := range f.nodes {
		if _, why := n.refusal(); n.shape == leafShape || why != "" {
			continue
		}
		p := arrowio.Projection{Schema: arrow.NewSchema([]arrow.Field{f.schema.Field(i)}, nil), Fields: []arrowio.ProjectedField{{Index: i}}}
		for _, s := range f.splits {
			if err := f.verifyField(ctx, s, p, f.chunkOff(s.Ordinal, n.short.column)); err != nil {
				if isIO(err) || ctx.Err() != nil {
					return err
				}
				report(err)
			}
		}
	}
	return nil
}

func (f *parquetFile) verifyField(ctx context.Context, s arrowio.Split, p arrowio.Projection, off errs.Number) error {
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
			return errs.Locate(err, errs.At{Format: "parquet", Op: "verify", Split: errs.N(s.Ordinal), Off: off})
		}
		left -= int64(n)
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

// CountChecksums implements arrowio.ChecksumCounter. It reads the header of every page.
func (f *parquetFile) CountChecksums(ctx context.Context) (arrowio.Checksums, error) {
	sums := arrowio.Checksums{Unit: "page"}
	for g := range f.footer.Groups {
		if f.footer.Groups[g].Rows == 0 {
			continue
		}
		for _, n := range f.leaves {
			if n.refused != "" {
				continue
			}
			err := f.eachPage(ctx, f.chunk(chunkID{g, n.column}), func(p *page, _ *pageReader) error {
				sums.Parts++
				if p.HasCRC {
					sums.With++
				}
				return nil
			})
			if err != nil {
				return sums, err
			}
		}
	}
	for _, n := range f.nodes {
		sums.Undecoded = n.allRefused(sums.Undecoded, nil)
	}
	return sums, nil
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
