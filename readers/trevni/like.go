package trevni

import (
	"slices"

	"github.com/arrowio/arrowio/internal/blockcodec"
)

// WriteOptions returns options of a writer, by the names of the command's flags, that make a file of the same shape: the codec of its
// columns. What cannot be written is left out. Where damaged values are shown as null, an Avro schema gives them a place.
func (f *File) WriteOptions() map[string]string {
	out := f.codecOption()
	if f.nulls {
		out["trevni-schema"] = "avro"
	}
	return out
}

func (f *File) codecOption() map[string]string {
	for _, c := range f.header.Columns {
		if c.Codec != blockcodec.None {
			if !slices.Contains([]blockcodec.Codec{blockcodec.Deflate, blockcodec.Snappy}, c.Codec) {
				return map[string]string{} // what the writer takes
			}
			return map[string]string{"compression": c.Codec.String()}
		}
	}
	return map[string]string{"compression": "none"}
}
