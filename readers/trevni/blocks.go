package trevni

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/farread"
	"github.com/arrowio/arrowio/internal/trevniwire"
	"github.com/arrowio/arrowio/internal/workers"
)

// Sizes of a split: large enough that blocks decoded twice at its edges do not matter, small enough that a few of them
// fit in memory and every core gets its share of a file.
const (
	splitBytes = 8 << 20
	splitRows  = 1 << 20

	// smallBlock is the size of small blocks of a wide column: writers fill 64 KiB before they compress them.
	smallBlock = 16 << 10

	// Of a far source larger ones are fetched: blocks at the edges are fetched twice, and bytes between close ones along with them.
	farSplitBytes = 32 << 20
)

// columnBlocks returns the blocks of column i, read from the file the first time.
func (f *File) columnBlocks(ctx context.Context, i int) ([]trevniwire.Block, error) {
	f.mu.Lock()
	b := f.blocks[i]
	f.mu.Unlock()
	if b != nil {
		return b, nil
	}
	parse := parseBlocks(trevniwire.ParseDescriptors)
	if f.salvaged && f.reachesEnd(i) {
		parse = trevniwire.CutDescriptors
	}
	b, err := f.readDescriptors(ctx, i, parse)
	if err != nil {
		return nil, errs.Locate(err, errs.At{Format: Name, Op: "block descriptors", Column: f.header.Columns[i].Name, Off: errs.N(f.header.Columns[i].Start)})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.blocks[i] != nil {
		return f.blocks[i], nil
	}
	// Columns may lie about sharing one place: each list counts.
	if f.known += int64(len(b)); f.known > f.limits.MetadataBytes/trevniwire.DescriptorSize {
		f.known -= int64(len(b))
		return nil, errs.Errorf(errs.ErrLimit, "descriptors of all columns are over the limit MetadataBytes = %d", f.limits.MetadataBytes)
	}
	f.blocks[i] = b
	return b, nil
}

// farColumns is how many columns' descriptors are asked for at once.
const farColumns = 16

// loadBlocks reads the descriptors of columns of a far source several at a time. What is wrong with them, columnBlocks tells.
func (f *File) loadBlocks(ctx context.Context, columns []*column) error {
	if arrowio.Near(f.src) {
		return nil
	}
	return workers.Each(farColumns, len(columns), func(i int) error {
		if _, err := f.columnBlocks(ctx, columns[i].index); err != nil && !isKind(err) {
			return err
		}
		return nil
	})
}

// reachesEnd reports whether no other column begins between column i and the end of the file: if the file was cut off, then within it.
func (f *File) reachesEnd(i int) bool {
	start := f.header.Columns[i].Start
	return !slices.ContainsFunc(f.header.Columns, func(c trevniwire.Column) bool { return c.Start > start && c.Start < f.src.Size() })
}

// within returns an error about a block that lies behind the end of a file that was cut off.
func (f *File) within(b *trevniwire.Block, c trevniwire.Checksum) error {
	if size := f.src.Size(); b.Off+b.Packed+c.Size() > size {
		return errs.Errorf(errs.ErrCorrupt, "a block of %d bytes at %d, but the file ends at %d: it was cut off", b.Packed+c.Size(), b.Off, size)
	}
	return nil
}

// startField returns the offset of the header's field that says where column i starts.
func (f *File) startField(i int) int64 { return f.header.Size - 8*int64(len(f.header.Columns)-i) }

// parseBlocks is trevniwire.ParseDescriptors, or AllDescriptors.
type parseBlocks func(b []byte, col *trevniwire.Column, rows, size int64, lim arrowio.Limits) ([]trevniwire.Block, error)

func (f *File) readDescriptors(ctx context.Context, i int, parse parseBlocks) ([]trevniwire.Block, error) {
	col, size := &f.header.Columns[i], f.src.Size()
	if col.Start < f.header.Size || col.Start > size-4 {
		e := errs.Errorf(errs.ErrCorrupt, "the column starts at %d, the header ends at %d and the file at %d", col.Start, f.header.Size, size)
		e.Op, e.Off = "column start", f.startField(i)
		return nil, e
	}
	n := int64(4 << 10)
	if w, bytes := f.widest(); farread.Spans(f.src) && i == w {
		n = max(n, min(bytes/smallBlock*trevniwire.DescriptorSize, 64<<10)) // most likely all of them
	}
	for ; ; n *= 4 {
		n = min(n, size-col.Start)
		b, err := readAt(ctx, f.src, col.Start, n)
		if err != nil {
			return nil, err
		}
		blocks, err := parse(b, col, f.header.Rows, size, f.limits)
		if !errors.Is(err, trevniwire.ErrShort) {
			return blocks, err
		}
		if n == size-col.Start {
			return nil, errs.Errorf(errs.ErrCorrupt, "the file ends within the descriptors")
		}
		// the count, which the parser has checked against the file's size, says how much is sure to be needed
		n = max(n, (4+trevniwire.DescriptorSize*int64(binary.LittleEndian.Uint32(b)))/4)
	}
}

// cut lists the splits: equal numbers of rows, moved to block edges of the widest column.
func (f *File) cut(ctx context.Context) ([]arrowio.Split, error) {
	rows, size := f.header.Rows, f.src.Size()
	if rows == 0 {
		return nil, nil
	}
	if err := f.checkRows(ctx); err != nil {
		return nil, err
	}
	count := max(size/f.splitBytes, rows/f.splitRows, 1)
	count = min(count, int64(f.limits.Splits), rows)
	var edges []int64
	if w, _ := f.widest(); w >= 0 {
		blocks, err := f.columnBlocks(ctx, w)
		if err != nil && !isKind(err) {
			return nil, err
		} // a column that is damaged is for those to know who read it
		edges = make([]int64, len(blocks))
		for i := range blocks {
			edges[i] = blocks[i].End()
		}
	}
	var splits []arrowio.Split
	for start := int64(0); start < rows; {
		end := start + (rows-start)/(count-int64(len(splits)))
		if i, found := slices.BinarySearch(edges, end); !found && i < len(edges) {
			// the nearer edge, but never an empty split, and none that a huge block would swell
			if i > 0 && edges[i-1] > start && end-edges[i-1] < edges[i]-end {
				end = edges[i-1]
			} else if edges[i]-end < end-start {
				end = edges[i]
			}
		}
		if int64(len(splits)) == count-1 {
			end = rows
		}
		splits = append(splits, arrowio.Split{Ordinal: len(splits), Rows: arrowio.RowRange{Start: start, End: end}})
		start = end
	}
	for i := range splits {
		splits[i].Bytes = int64(float64(size) * float64(splits[i].Rows.Len()) / float64(rows))
	}
	return splits, nil
}

// checkSize refuses a header without columns that bytes follow: its number of columns is damaged, not zero.
func checkSize(h *trevniwire.Header, size int64) error {
	if len(h.Columns) > 0 || size == h.Size {
		return nil
	}
	e := errs.Errorf(errs.ErrCorrupt, "the header says 0 columns, but %d bytes follow it", size-h.Size)
	e.Op, e.Off = "header", 12
	return e
}

// checkRows refuses more rows than Limits.BatchElements of which the file stores nothing, and numbers of rows that its
// bytes cannot plausibly stand for.
func (f *File) checkRows(ctx context.Context) error {
	rows, size := f.header.Rows, f.src.Size()
	if rows <= f.limits.BatchElements || rows>>16 <= size {
		return nil
	}
	fail := func(text string) error {
		e := errs.Errorf(errs.ErrLimit, text, rows, size, f.limits.BatchElements)
		e.Op, e.Off = "header", 4
		return e
	}
	if rows > 1<<34 {
		return fail("%d rows in a file of %d bytes are more than 65536 rows a byte, and over the limit BatchElements = %d")
	}
	for i := range f.header.Columns {
		blocks, err := f.columnBlocks(ctx, i)
		if err != nil && !isKind(err) {
			return err
		}
		if slices.ContainsFunc(blocks, func(b trevniwire.Block) bool { return b.Raw > 0 }) {
			return nil
		}
	}
	return fail("%d rows for which the file of %d bytes stores no value are more than the limit BatchElements = %d")
}

// confirmRows compares the header's number of rows with the blocks of a column, for reads that use none: with the first
// one whose descriptors are sound. A file of no columns has only its header.
func (f *File) confirmRows(ctx context.Context) error {
	var first error
	for i := range f.header.Columns {
		_, err := f.columnBlocks(ctx, i)
		if err == nil || !isKind(err) {
			return err
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// secondBytes is how far behind the last column another file is looked for.
const secondBytes = 1 << 20

// findSecond returns an error if another Trevni file begins at end or up to secondBytes behind it, or what kept it from being read.
func (f *File) findSecond(ctx context.Context, end int64) (second, err error) {
	left := f.src.Size() - end
	if left < 4 { // magic and version
		return nil, nil
	}
	b, err := readAt(ctx, f.src, end, min(left, secondBytes))
	if err != nil {
		return nil, err
	}
	for at := 0; ; at++ {
		i := bytes.Index(b[at:], []byte(trevniwire.Magic))
		if i < 0 {
			return nil, nil
		}
		if at += i; trevniwire.Match(b[at:]) {
			at := end + int64(at)
			second = errs.Errorf(errs.ErrCorrupt, "another Trevni file begins behind the last column, and its %d bytes are not read: rows may be missing", f.src.Size()-at)
			return errs.Locate(second, errs.At{Format: Name, Op: "end", Off: errs.N(at)}), nil
		}
	}
}

// doubtEnd looks for a second file behind the last column. It asks a source that is not near only if it knows the blocks of that
// column already.
func (f *File) doubtEnd(ctx context.Context) error {
	order := f.byStart()
	if len(order) == 0 {
		return nil
	}
	last := order[len(order)-1]
	if f.blocks[last] == nil && !arrowio.Near(f.src) {
		return nil
	}
	blocks, err := f.columnBlocks(ctx, last)
	if err == nil {
		f.second, err = f.findSecond(ctx, columnEnd(&f.header.Columns[last], blocks))
	}
	if err != nil && isKind(err) {
		return nil // a column that is damaged is for those to know who read it
	}
	return err
}

// byStart returns the columns in the order in which they lie in the file.
func (f *File) byStart() []int {
	order := make([]int, len(f.header.Columns))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(f.header.Columns[a].Start, f.header.Columns[b].Start)
	})
	return order
}

// widest returns the column with the most bytes, going by where columns start, and these; -1 without columns.
func (f *File) widest() (best int, most int64) {
	order := f.byStart()
	best, most = -1, -1
	for k, i := range order {
		end := f.src.Size()
		if k+1 < len(order) {
			end = f.header.Columns[order[k+1]].Start
		}
		if n := end - f.header.Columns[i].Start; n > most {
			best, most = i, n
		}
	}
	return best, most
}
