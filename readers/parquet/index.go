package parquet

import (
	"context"
	"errors"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// chunkID names a column chunk.
type chunkID struct{ group, column int }

// index is what was read about a column chunk beside the footer. Indexes that are damaged are as good as none: Verify
// reports them.
type index struct {
	offsets  []decode.Location // nil = there are none
	pages    *decode.ColumnIndex
	bloom    decode.Bloom
	hasPages bool // offsets and pages were looked for
	hasBloom bool // bloom was looked for
}

// indexOf returns what is known of a column chunk. f.mu must be held.
func (f *parquetFile) indexOf(id chunkID) *index {
	x := f.indexes[id]
	if x == nil {
		x = &index{}
		f.indexes[id] = x
	}
	return x
}

// within reports whether an index lies in front of the footer.
func (f *parquetFile) within(e decode.Extent) bool {
	return e.Off >= 4 && e.Len > 0 && e.Off <= f.end && int64(e.Len) <= f.end-e.Off && int64(e.Len) <= f.limits.MetadataBytes
}

// loadPages reads the offset indexes and column indexes of columns of a row group, those that are not known yet.
func (f *parquetFile) loadPages(ctx context.Context, group int, columns []int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var ids []chunkID
	var ranges []arrowio.ByteRange
	for _, column := range columns {
		id := chunkID{group, column}
		x, c := f.indexOf(id), f.chunk(id)
		if x.hasPages {
			continue
		}
		x.hasPages = true
		if !f.within(c.OffsetIndex) {
			continue
		}
		ids = append(ids, id)
		ranges = append(ranges, arrowio.ByteRange{Off: c.OffsetIndex.Off, Len: int64(c.OffsetIndex.Len)})
		bounds := arrowio.ByteRange{}
		if f.within(c.ColumnIndex) {
			bounds = arrowio.ByteRange{Off: c.ColumnIndex.Off, Len: int64(c.ColumnIndex.Len)}
		}
		ranges = append(ranges, bounds)
	}
	if len(ids) == 0 {
		return nil
	}
	pieces, err := arrowio.ReadRanges(ctx, f.src, ranges)
	if err != nil {
		for _, id := range ids {
			f.indexOf(id).hasPages = false
		}
		return err
	}
	for i, id := range ids {
		x := f.indexOf(id)
		offsets, err := f.parseOffsets(pieces[2*i])
		if err == nil {
			err = f.checkOffsets(id, offsets)
		}
		if err != nil || shareRows(offsets) {
			continue
		}
		x.offsets = offsets
		if len(pieces[2*i+1]) > 0 {
			bounds, err := decode.ParseColumnIndex(append([]byte(nil), pieces[2*i+1]...), f.limits.MetadataBytes)
			if err == nil && len(bounds.NullPages) == len(offsets) {
				x.pages = bounds
			}
		}
	}
	return nil
}

// parseOffsets parses an offset index.
func (f *parquetFile) parseOffsets(b []byte) ([]decode.Location, error) {
	pages, err := decode.ParseOffsetIndex(b, f.limits.MetadataBytes)
	for i := range pages {
		if p := &pages[i]; p.Off <= f.end { // others are damaged
			p.Off += f.begin
		}
	}
	return pages, err
}

func (f *parquetFile) chunk(id chunkID) *decode.Chunk {
	return &f.footer.Groups[id.group].Chunks[id.column]
}

// checkOffsets checks that the pages of an offset index follow each other in the column chunk, and their rows in the row
// group.
func (f *parquetFile) checkOffsets(id chunkID, pages []decode.Location) error {
	c := f.chunk(id)
	at, end := c.Start(), c.Start()+c.Stored
	row, rows := int64(0), f.footer.Groups[id.group].Rows
	if len(pages) == 0 {
		return corrupt("an offset index without pages")
	}
	for i, p := range pages {
		if p.Off < at || p.Off > end || p.Bytes <= 0 || int64(p.Bytes) > end-p.Off || p.FirstRow < row || p.FirstRow >= rows || i == 0 && p.FirstRow != 0 {
			return corrupt("page %d of the offset index has %d bytes at %d, from row %d on", i, p.Bytes, p.Off, p.FirstRow)
		}
		at, row = p.Off+int64(p.Bytes), p.FirstRow
	}
	return nil
}

// shareRows reports whether a row goes on from one page to the next: such pages cannot be read by themselves.
func shareRows(pages []decode.Location) bool {
	for i := 1; i < len(pages); i++ {
		if pages[i].FirstRow == pages[i-1].FirstRow {
			return true
		}
	}
	return false
}

// pagesOf returns the data pages of a column chunk, nil where they are not known.
func (f *parquetFile) pagesOf(group, column int) []decode.Location {
	f.mu.Lock()
	defer f.mu.Unlock()
	if x := f.indexes[chunkID{group, column}]; x != nil {
		return x.offsets
	}
	return nil
}

// bloomOf returns the bloom filter of a column chunk.
func (f *parquetFile) bloomOf(ctx context.Context, id chunkID) (decode.Bloom, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := f.indexOf(id)
	if x.hasBloom {
		return x.bloom, nil
	}
	b, err := f.readBloom(ctx, f.chunk(id))
	if err != nil && isIO(err) {
		return decode.Bloom{}, err
	}
	x.bloom, x.hasBloom = b, true
	return b, nil
}

// isIO reports whether an error is one of the source: those about a file's content have a kind.
func isIO(err error) bool {
	var e *errs.Error
	return !errors.As(err, &e)
}

// maxBloomHeader is more than the header of a bloom filter takes.
const maxBloomHeader = 256

// bloomAt reads the header of a bloom filter, and returns where its bits are and how many bytes they take.
func (f *parquetFile) bloomAt(ctx context.Context, off int64) (at int64, size int, err error) {
	b := make([]byte, min(maxBloomHeader, f.end-off))
	if err := readAt(ctx, f.src, b, off); err != nil {
		return 0, 0, err
	}
	n, size, err := decode.ParseBloomHeader(b)
	if err != nil {
		return 0, 0, corrupt("bloom filter: %w", err)
	}
	at = off + int64(n)
	if int64(size) > f.end-at || int64(size) > f.limits.MetadataBytes {
		return 0, 0, corrupt("a bloom filter of %d bytes at %d, in front of a footer at %d", size, at, f.end)
	}
	return at, size, nil
}

func (f *parquetFile) readBloom(ctx context.Context, c *decode.Chunk) (decode.Bloom, error) {
	if c.Bloom < 4 || c.Bloom >= f.end {
		return decode.Bloom{}, nil
	}
	at, size, err := f.bloomAt(ctx, c.Bloom)
	if err != nil {
		return decode.Bloom{}, err
	}
	bits := make([]byte, size)
	if err := readAt(ctx, f.src, bits, at); err != nil {
		return decode.Bloom{}, err
	}
	return decode.NewBloom(bits), nil
}
