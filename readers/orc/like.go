package orc

import (
	"strconv"

	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// WriteOptions returns options of a writer, by the names of the command's flags, that make a file of the same shape: its codec, the bytes
// that are compressed at a time, and the rows of a row group. What cannot be written is left out.
func (f *File) WriteOptions() map[string]string {
	o := map[string]string{"orc-row-index-stride": strconv.Itoa(int(f.footer.RowIndexStride))}
	if f.ps.Compression == orcwire.CompressionNone {
		o["compression"] = "none"
		return o
	}
	if n := f.packing.BlockSize; n >= 1<<10 && n < 1<<23 {
		o["orc-block-size"] = strconv.Itoa(n)
	}
	if f.packing.Codec != blockcodec.LZO {
		o["compression"] = f.ps.Compression.String()
	}
	return o
}
