package blockcodec

import (
	"bytes"
	"sync"
	"testing"
)

// Decoders that leave their state to one another, in several goroutines, decode what was packed, after damaged blocks too.
func TestRelease(t *testing.T) {
	t.Parallel()
	var e Encoder
	type block struct {
		codec       Codec
		raw, packed []byte
	}
	var blocks []block
	for _, c := range []Codec{Deflate, Zlib, Zstd, Snappy, LZ4, Brotli} {
		for i := range 8 {
			raw := bytes.Repeat([]byte{byte(i), 'a', byte(c), 'b'}, 1+200*i)
			packed, err := e.Encode(c, DefaultLevel, nil, raw)
			if err != nil {
				t.Fatal(err)
			}
			blocks = append(blocks, block{c, raw, packed})
		}
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			var d Decoder
			for range 20 {
				for _, b := range blocks {
					got, err := d.Decode(b.codec, nil, b.packed, len(b.raw), true)
					if err != nil || !bytes.Equal(got, b.raw) {
						t.Errorf("%s: %d bytes, want %d, %v", b.codec, len(got), len(b.raw), err)
						return
					}
					if len(b.packed) > 8 {
						_, _ = d.Decode(b.codec, nil, b.packed[:len(b.packed)-5], len(b.raw), true) // what state damage leaves is the next one's
					}
					d.Release()
				}
			}
		})
	}
	all.Wait()
}
