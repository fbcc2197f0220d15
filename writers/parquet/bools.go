package parquet

import (
	"github.com/apache/arrow/go/v15/arrow"
)

// bools are the values of a BOOLEAN column: bits, the lowest of a byte first. They have no dictionary.
type bools struct {
	leaf *leaf
	v    []byte // loaded: bytes of 0 or 1
	n    int    // bits of the open page
	out  bounds
}

func (b *bools) load(w *worker, arr arrow.Array, p positions) error {
	b.v = sized(&w.wide, p.n)
	d := arr.Data()
	if p.n == 0 {
		return nil
	}
	bits := d.Buffers()[1].Bytes()
	for i := range b.v {
		at := d.Offset() + p.first + i
		if p.at != nil {
			at = d.Offset() + int(p.at[i])
		}
		b.v[i] = bits[at>>3] >> (at & 7) & 1
	}
	return nil
}

func (b *bools) size(from, to int) int { return (to - from + 7) / 8 }

func (b *bools) plain(dst []byte, from, to int) []byte {
	if len(dst) == 0 {
		b.n = 0
	}
	var seen [2]bool
	for _, v := range b.v[from:to] {
		if b.n&7 == 0 {
			dst = append(dst, 0)
		}
		dst[len(dst)-1] |= v << (b.n & 7)
		seen[v] = true
		b.n++
	}
	for v, ok := range seen {
		if ok {
			b.out.add(b.leaf, []byte{byte(v)}, []byte{byte(v)})
		}
	}
	return dst
}

func (b *bools) stats() *bounds { return &b.out }

func (b *bools) index(dst []uint32, _, _ int) []uint32 { return dst }
func (b *bools) dictionary() (entries, size int)       { return 0, 0 }
func (b *bools) entry(int) uint32                      { return 0 }
func (b *bools) lookup(dst []byte, _ []uint32) []byte  { return dst }
func (b *bools) appendDictionary(dst []byte) []byte    { return dst }
func (b *bools) observe([]uint32)                      {}
func (b *bools) reset()                                {}
func (b *bools) hash()                                 {}
func (b *bools) hashes() *[]uint64                     { return new([]uint64) }
