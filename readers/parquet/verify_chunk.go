package parquet

import (
	"bytes"
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
	"github.com/arrowio/arrowio/internal/wkb"
)

// chunkCheck decodes a column chunk page by page, with the decoder that scans use, and compares what is told of it with
// what it holds.
type chunkCheck struct {
	f       *parquetFile
	n       *node
	c       *decode.Chunk
	col     *column
	ordered bool
	report  func(error)

	offsets []decode.Location   // nil = there is none, or none that can be used
	bounds  *decode.ColumnIndex // likewise
	bloom   decode.Bloom
	missing bool // a value is not in the bloom filter
	// distinct are the hashes of the values, where the statistics tell their number; nil = not counted.
	distinct map[uint64]struct{}
	shapes   *wkb.Check // geometries and geographies of which statistics tell something; nil = none

	all  tally
	rows int64 // in front of the page
	data int   // data pages so far
}

// mostDistinct is how many different values of a column chunk are counted.
const mostDistinct = 1 << 20

// verifyChunk reports what is wrong with a column chunk.
func (f *parquetFile) verifyChunk(ctx context.Context, group int, n *node, report func(error)) error {
	id := chunkID{group, n.column}
	c := f.chunk(id)
	if err := checkCodec(c.Codec); err != nil {
		return err
	}
	g := &rowGroup{f: f, split: f.splits[group], mem: &arrowbuf.Arena{Allocator: memory.DefaultAllocator}}
	nullable := *n // a required column has nulls where a struct around it is null
	nullable.field.Nullable = true
	t := g.grow(&nullable, &f.footer.Groups[group])
	defer t.release()
	g.batch = batchRows
	if c.Raw > batchBytes {
		g.batch = min(g.batch, max(int64(float64(batchBytes)/float64(c.Raw)*float64(g.split.Rows.Len())), 64))
	}
	v := &chunkCheck{f: f, n: n, c: c, col: t.column, ordered: f.ordered(n), report: report}
	v.col.pages.data.ctx, v.col.pages.data.src = ctx, f.src
	if c.Stats.Distinct >= 0 {
		v.distinct = map[uint64]struct{}{}
	}
	if v.c.Geo != nil && (n.elem.Kind == decode.Geometry || n.elem.Kind == decode.Geography) {
		v.shapes = &wkb.Check{}
	}
	var err error
	if v.bloom, err = f.readBloom(ctx, c); err != nil {
		if isIO(err) {
			return err
		}
		v.fault(err, "bloom filter", c.Bloom)
	}
	if err := v.loadIndex(ctx, id); err != nil {
		if isIO(err) {
			return err
		}
		v.fault(err, "page index", c.OffsetIndex.Off)
		v.offsets, v.bounds = nil, nil
	}
	if err := v.pages(g); err != nil {
		return errs.Locate(err, errs.At{Off: errs.N(v.col.pages.at)})
	}
	v.chunk(g.split.Rows.Len())
	return nil
}

// fault reports what is wrong in a place, at an offset that counts where it lies in the file.
func (v *chunkCheck) fault(err error, op string, off int64) {
	if off < 0 || off > v.f.src.Size() {
		off = v.f.end
	}
	v.report(errs.Locate(err, errs.At{Op: op, Off: errs.N(off)}))
}

// loadIndex reads the offset index and the column index.
func (v *chunkCheck) loadIndex(ctx context.Context, id chunkID) error {
	c := v.c
	if c.OffsetIndex.Len == 0 {
		return nil
	}
	b, err := v.f.readExtent(ctx, c.OffsetIndex, "offset index")
	if err != nil {
		return err
	}
	if v.offsets, err = v.f.parseOffsets(b); err != nil {
		return corrupt("offset index: %w", err)
	}
	if err := v.f.checkOffsets(id, v.offsets); err != nil || c.ColumnIndex.Len == 0 {
		return err
	}
	if b, err = v.f.readExtent(ctx, c.ColumnIndex, "column index"); err != nil {
		return err
	}
	if v.bounds, err = decode.ParseColumnIndex(b, v.f.limits.MetadataBytes); err != nil {
		return errs.Locate(corrupt("column index: %w", err), errs.At{Off: errs.N(c.ColumnIndex.Off)})
	}
	if n := len(v.bounds.NullPages); n != len(v.offsets) {
		return errs.Locate(corrupt("a column index of %d pages, the offset index has %d", n, len(v.offsets)), errs.At{Off: errs.N(c.ColumnIndex.Off)})
	}
	return nil
}

// readExtent reads an index, which must lie in front of the footer.
func (f *parquetFile) readExtent(ctx context.Context, e decode.Extent, name string) ([]byte, error) {
	if !f.within(e) {
		return nil, corrupt("the %s has %d bytes at %d, in front of a footer at %d", name, e.Len, e.Off, f.end)
	}
	b := make([]byte, e.Len)
	return b, readAt(ctx, f.src, b, e.Off)
}

// pages decodes every page. An error ends the column chunk; faults of statistics do not.
func (v *chunkCheck) pages(g *rowGroup) error {
	r := &v.col.pages
	end := v.c.Start() + v.c.Stored
	for r.off < end || r.levels < v.c.Values {
		p, ok, err := r.header()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		s := &p.Stats // views of what the next read overwrites
		s.Min, s.Max, s.OldMin, s.OldMax = bytes.Clone(s.Min), bytes.Clone(s.Max), bytes.Clone(s.OldMin), bytes.Clone(s.OldMax)
		var passed int64
		err = v.col.begin(&p, 0, &passed)
		if err == nil && (p.Kind == decode.DataPage || p.Kind == decode.DataPageV2) {
			err = v.page(g, &p, r.off)
		}
		if err != nil {
			return errs.Locate(damaged(err), errs.At{Off: errs.N(p.off)})
		}
	}
	if r.levels != v.c.Values {
		return errs.Locate(corrupt("%d values in the pages, %d in the metadata", r.levels, v.c.Values), errs.At{Off: errs.N(v.c.Start())})
	}
	return nil
}

// page decodes the values of a data page that was begun, and compares them with what is told of it.
func (v *chunkCheck) page(g *rowGroup, p *page, end int64) error {
	var t tally
	rows := int64(0)
	first := true
	for v.col.left > 0 {
		k := int(min(int64(v.col.left), g.rowsPerBatch()))
		if v.col.maxRep > 0 {
			for i, r := range v.col.reps[v.col.pos:][:k] {
				if r == 0 {
					rows++
				} else if first && i == 0 && v.rows == 0 {
					return corrupt("a row begins inside a list")
				}
			}
		} else {
			rows += int64(k)
		}
		first = false
		part := tally{entries: int64(k)}
		if !v.col.simple() && v.col.maxDef > 0 {
			for _, d := range v.col.defs[v.col.pos:][:k] {
				if d == v.col.maxDef {
					part.values++
				}
			}
		}
		if err := v.col.entries(k); err != nil {
			return err
		}
		if v.col.simple() || v.col.maxDef == 0 {
			part.values = int64(k - v.col.nulls)
		}
		d, err := v.col.take()
		if err != nil {
			return err
		}
		a := array.MakeFromData(d)
		d.Release()
		part.lo, part.hi = extremes(a)
		v.hash(a)
		v.shape(a)
		a.Release()
		t.add(part)
	}
	v.pageStats(p, &t, rows)
	v.pageIndex(p, &t, end-p.off)
	v.all.add(t)
	v.rows += rows
	v.data++
	return nil
}

// hash looks values up in the bloom filter, and counts different ones.
func (v *chunkCheck) hash(a arrow.Array) {
	if !v.bloom.Known() && v.distinct == nil {
		return
	}
	known := eachHash(a, v.n.elem.Type, func(h uint64) {
		if !v.bloom.MayContain(h) {
			v.missing = true
		}
		if v.distinct != nil && len(v.distinct) <= mostDistinct {
			v.distinct[h] = struct{}{}
		}
	})
	if !known {
		v.distinct = nil
	}
}
