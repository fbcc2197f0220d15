package orcwire_test

import (
	"errors"
	"math/rand"
)

// The reference: the specification read aloud, a bit at a time.

var errReference = errors.New("reference: not legal")

type bitReader struct {
	b   []byte
	pos int // bits
}

func (r *bitReader) bits(n int) (x uint64) {
	for ; n > 0; n-- {
		if r.pos>>3 >= len(r.b) {
			panic(errReference)
		}
		x = x<<1 | uint64(r.b[r.pos>>3]>>(7-r.pos&7)&1)
		r.pos++
	}
	return x
}

func (r *bitReader) align() { r.pos = (r.pos + 7) &^ 7 }

func (r *bitReader) varint() (x uint64) {
	for shift := 0; ; shift += 7 {
		if shift == 70 {
			panic(errReference)
		}
		b := r.bits(8)
		x |= b & 0x7f << shift
		if b < 0x80 {
			return x
		}
	}
}

func zigzagged(x uint64) uint64 {
	if x&1 == 1 {
		return -(x >> 1) - 1
	}
	return x >> 1
}

func referenceWidth(code uint64) int {
	switch {
	case code <= 23:
		return int(code) + 1
	case code <= 27:
		return []int{26, 28, 30, 32}[code-24]
	default:
		return []int{40, 48, 56, 64}[code-28]
	}
}

// referenceRun decodes the run at the start of b and returns its values and how many bytes it took.
func referenceRun(b []byte, v2, signed bool) (values []uint64, used int, err error) {
	defer func() {
		if e := recover(); e != nil {
			if e != errReference {
				panic(e)
			}
			err = errReference
		}
	}()
	r := &bitReader{b: b}
	value := func(x uint64) uint64 {
		if signed {
			return zigzagged(x)
		}
		return x
	}
	if !v2 {
		if c := int8(r.bits(8)); c >= 0 {
			step := uint64(int8(r.bits(8)))
			v := value(r.varint())
			for range int(c) + 3 {
				values = append(values, v)
				v += step
			}
		} else {
			for range -int(c) {
				values = append(values, value(r.varint()))
			}
		}
		return values, r.pos / 8, nil
	}
	switch r.bits(2) {
	case 0:
		bytes, n := int(r.bits(3))+1, int(r.bits(3))+3
		v := value(r.bits(8 * bytes))
		for range n {
			values = append(values, v)
		}
	case 1:
		width, n := referenceWidth(r.bits(5)), int(r.bits(9))+1
		for range n {
			values = append(values, value(r.bits(width)))
		}
		r.align()
	case 2:
		width, n := referenceWidth(r.bits(5)), int(r.bits(9))+1
		baseBytes, patchWidth := int(r.bits(3))+1, referenceWidth(r.bits(5))
		gapWidth, entries := int(r.bits(3))+1, int(r.bits(5))
		negative := r.bits(1) == 1
		base := r.bits(8*baseBytes - 1)
		if negative {
			base = -base
		}
		for range n {
			values = append(values, r.bits(width))
		}
		r.align()
		if gapWidth+patchWidth > 64 {
			return nil, 0, errReference
		}
		entry := 0
		for code := uint64(0); entry < gapWidth+patchWidth; code++ {
			entry = referenceWidth(code)
		}
		at, last := 0, -1
		for range entries {
			gap := r.bits(entry - patchWidth)
			patch := r.bits(patchWidth)
			at += int(gap)
			if at >= n || patch != 0 && at == last {
				return nil, 0, errReference
			}
			values[at] |= patch << width
			if patch != 0 {
				last = at
			}
		}
		r.align()
		for i := range values {
			values[i] += base
		}
	case 3:
		code, n := r.bits(5), int(r.bits(9))+1
		first := value(r.varint())
		step := zigzagged(r.varint())
		values = append(values, first)
		if code == 0 {
			for range n - 1 {
				values = append(values, values[len(values)-1]+step)
			}
			break
		}
		if n < 2 {
			return nil, 0, errReference
		}
		width := referenceWidth(code)
		values = append(values, first+step)
		for range n - 2 {
			d := r.bits(width)
			if int64(step) < 0 {
				d = -d
			}
			values = append(values, values[len(values)-1]+d)
		}
		r.align()
	}
	return values, r.pos / 8, nil
}

// bitWriter is the reverse of bitReader.
type bitWriter struct {
	b   []byte
	pos int
}

func (w *bitWriter) bits(x uint64, n int) {
	for n--; n >= 0; n-- {
		if w.pos&7 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[w.pos>>3] |= byte(x>>n&1) << (7 - w.pos&7)
		w.pos++
	}
}

func (w *bitWriter) align() { w.pos = len(w.b) * 8 }

func (w *bitWriter) varint(x uint64, padding int) {
	for x >= 0x80 {
		w.bits(x&0x7f|0x80, 8)
		x >>= 7
	}
	for ; padding > 0; padding-- {
		w.bits(x|0x80, 8)
		x = 0
	}
	w.bits(x, 8)
}

// upTo returns a number of at most n bits; any number of bits is as likely as another.
func upTo(r *rand.Rand, n int) uint64 {
	if n = r.Intn(n + 1); n == 0 {
		return 0
	}
	return r.Uint64() >> (64 - n)
}

// length returns a number from 1 to most, the ends and multiples of eight often.
func length(r *rand.Rand, most int) int {
	switch r.Intn(6) {
	case 0:
		return most
	case 1:
		return min(8*(1+r.Intn(8)), most)
	case 2, 3:
		return min(1+r.Intn(20), most)
	}
	return 1 + r.Intn(most)
}

// randomRun returns a legal run of values of about bits bits.
func randomRun(r *rand.Rand, v2 bool, bits int) []byte {
	w := &bitWriter{}
	if !v2 {
		if r.Intn(2) == 0 {
			w.bits(uint64(r.Intn(128)), 8)
			w.bits(r.Uint64()>>uint(r.Intn(8)), 8)
			w.varint(upTo(r, bits), 0)
			return w.b
		}
		n := length(r, 128)
		w.bits(uint64(-n), 8)
		for range n {
			w.varint(upTo(r, bits), 0)
		}
		return w.b
	}
	code := r.Intn(32)
	for referenceWidth(uint64(code)) > bits {
		code = r.Intn(32)
	}
	width := referenceWidth(uint64(code))
	kind := r.Intn(4)
	w.bits(uint64(kind), 2)
	n := length(r, 512)
	switch kind {
	case 0:
		bytes := 1 + r.Intn((bits+7)/8)
		w.bits(uint64(bytes-1), 3)
		w.bits(uint64(r.Intn(8)), 3)
		w.bits(upTo(r, min(8*bytes, bits)), 8*bytes)
	case 1:
		w.bits(uint64(code), 5)
		w.bits(uint64(n-1), 9)
		for range n {
			w.bits(r.Uint64(), width)
		}
	case 2:
		randomPatched(r, w, code, n, bits)
	case 3:
		if r.Intn(3) == 0 {
			code = 0
		}
		if code > 0 {
			n = max(n, 2)
		}
		w.bits(uint64(code), 5)
		w.bits(uint64(n-1), 9)
		w.varint(upTo(r, bits), 0)
		w.varint(upTo(r, bits), 0)
		if code > 0 {
			for range n - 2 {
				w.bits(upTo(r, width), width)
			}
		}
	}
	return w.b
}

func randomPatched(r *rand.Rand, w *bitWriter, code, n, bits int) {
	width := referenceWidth(uint64(code))
	w.bits(uint64(code), 5)
	w.bits(uint64(n-1), 9)
	bytes := 1 + r.Intn((bits+7)/8)
	patch, gap := 0, 1+r.Intn(8)
	for patch == 0 || patch+gap > 64 {
		code = r.Intn(31)
		patch = referenceWidth(uint64(code))
	}
	entry := 0
	for c := uint64(0); entry < gap+patch; c++ {
		entry = referenceWidth(c)
	}
	type patching struct{ gap, patch uint64 }
	var list []patching
	at, want := 0, r.Intn(32)
	for len(list) < want {
		g := r.Intn(1 << gap)
		p := upTo(r, patch)
		if g == 0 && len(list) > 0 {
			p = 0
		}
		if g == 255 && r.Intn(2) == 0 {
			p = 0
		}
		if at += g; at >= n {
			break
		}
		list = append(list, patching{uint64(g), p})
	}
	w.bits(uint64(bytes-1), 3)
	w.bits(uint64(code), 5)
	w.bits(uint64(gap-1), 3)
	w.bits(uint64(len(list)), 5)
	w.bits(uint64(r.Intn(2)), 1)
	w.bits(upTo(r, min(8*bytes-1, bits)), 8*bytes-1)
	for range n {
		w.bits(r.Uint64(), width)
	}
	w.align()
	for _, p := range list {
		w.bits(p.gap, entry-patch)
		w.bits(p.patch, patch)
	}
	w.align()
}
