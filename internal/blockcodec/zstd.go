package blockcodec

import (
	"errors"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/arrowio/arrowio/internal/unzstd"
)

// zstdDecoder decodes zstd: by package unzstd where that has assembly for the machine, otherwise by klauspost's decoder. The zero
// value is ready.
type zstdDecoder struct {
	own   *unzstd.Decoder
	stock *zstd.Decoder
}

// ownZstds and stockZstds are what released decoders have left.
var ownZstds, stockZstds sync.Pool

func (d *zstdDecoder) release() {
	if d.own != nil {
		ownZstds.Put(d.own)
		d.own = nil
	}
	if d.stock != nil {
		stockZstds.Put(d.stock)
		d.stock = nil
	}
}

// decode decodes one frame after another: RFC 8878 makes a concatenation of frames the content of all of them.
func (d *zstdDecoder) decode(dst, src []byte, size int) (int, error) {
	if !unzstd.Fast() {
		return d.byStock(dst, src, size)
	}
	if d.own == nil {
		if d.own, _ = ownZstds.Get().(*unzstd.Decoder); d.own == nil {
			d.own = new(unzstd.Decoder)
		}
	}
	return d.own.Decode(dst, src, size)
}

// byStock is decode with klauspost's decoder. With a capacity limit it refuses a declared content size before it allocates, and goes
// at most one block (128 KiB) over where none is declared.
func (d *zstdDecoder) byStock(dst, src []byte, size int) (int, error) {
	if d.stock == nil {
		if d.stock, _ = stockZstds.Get().(*zstd.Decoder); d.stock == nil {
			var err error
			d.stock, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
			if err != nil {
				return 0, err
			}
		}
	}
	b, err := d.stock.DecodeAll(src, dst[:0])
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded) || len(b) > size:
		return 0, errOverflow
	case err != nil:
		return 0, err
	case len(b) > 0 && &b[0] != &dst[0]:
		copy(dst, b)
	}
	return len(b), nil
}
