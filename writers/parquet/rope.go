package parquet

import "io"

// rope is bytes in blocks that grow with it and are kept for the next row group.
type rope struct {
	blocks [][]byte // all but the last used one are full
	used   int
	n      int64
}

const (
	smallBlock = 1 << 12
	largeBlock = 1 << 18
)

func (r *rope) append(b []byte) {
	r.n += int64(len(b))
	for len(b) > 0 {
		if r.used == 0 || len(r.blocks[r.used-1]) == cap(r.blocks[r.used-1]) {
			if r.used == len(r.blocks) {
				size := int(min(max(r.n, smallBlock), largeBlock))
				r.blocks = append(r.blocks, make([]byte, 0, size))
			}
			r.used++
		}
		last := &r.blocks[r.used-1]
		k := min(cap(*last)-len(*last), len(b))
		*last = append(*last, b[:k]...)
		b = b[k:]
	}
}

func (r *rope) writeTo(w io.Writer) error {
	for _, b := range r.blocks[:r.used] {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

func (r *rope) reset() {
	for i := range r.blocks {
		r.blocks[i] = r.blocks[i][:0]
	}
	r.used, r.n = 0, 0
}
