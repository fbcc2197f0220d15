package parquet

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/parquetwire/decode"
)

// Files that were joined end to end are a file whose footer is that of the last one. Its offsets count from where that one begins, so
// that what lies there is of the first.

const (
	leastFile  = 12       // bytes that every file has: magic, length of the footer, magic
	joinWindow = 64 << 10 // bytes in front of the footer of which nothing may tell what they are, such as padding
)

// findJoined finds out whether another file lies in front of this one. If so, it moves the footer's offsets to where the parts of this
// one are, and adds a doubt.
func (f *parquetFile) findJoined(ctx context.Context) error {
	most := f.end - f.lastByte() // if nothing else is between the last part and the footer, the file begins here
	if most < leastFile {
		return nil
	}
	from := max(most-joinWindow, leastFile)
	b := make([]byte, most-from+leastFile)
	if err := readAt(ctx, f.src, b, from-8); err != nil {
		return err
	}
	for len(b) >= leastFile {
		i := bytes.LastIndex(b, []byte(magic+magic)) - 4 // of the length of the first file's footer
		if i < 0 {
			return nil
		}
		begin := from + int64(i)
		if n := int64(binary.LittleEndian.Uint32(b[i:])); n > 0 && n <= begin-leastFile {
			f.move(begin)
			f.doubts = append(f.doubts, errs.Locate(corrupt("another Parquet file ends here, and its %d bytes are not read: rows may be missing", begin), errs.At{Format: "parquet", Op: "layout", Off: errs.N(begin)}))
			return nil
		}
		b = b[:i+4+len(magic)]
	}
	return nil
}

// extents calls use for each part of the file that the footer names and that lies in it.
func (f *parquetFile) extents(use func(off *int64, n int64)) {
	part := func(off *int64, n int64) {
		if *off >= int64(len(magic)) && *off <= f.end && n >= 0 && n <= f.end-*off {
			use(off, n)
		}
	}
	for i := range f.footer.Groups {
		for k := range f.footer.Groups[i].Chunks {
			c := &f.footer.Groups[i].Chunks[k]
			if c.Elsewhere {
				continue
			}
			start, stored := c.Start(), c.Stored
			if part(&c.DataPage, max(0, stored-(c.DataPage-start))); c.Dictionary > 0 {
				part(&c.Dictionary, 0)
			}
			part(&c.Bloom, 0)
			for _, x := range []*decode.Extent{&c.OffsetIndex, &c.ColumnIndex} {
				part(&x.Off, int64(x.Len))
			}
		}
	}
}

// lastByte returns where the last part that the footer names ends.
func (f *parquetFile) lastByte() int64 {
	end := int64(len(magic))
	f.extents(func(off *int64, n int64) { end = max(end, *off+n) })
	return end
}

// move adds n to the offsets of all parts.
func (f *parquetFile) move(n int64) {
	f.begin = n
	f.extents(func(off *int64, _ int64) { *off += n })
}
