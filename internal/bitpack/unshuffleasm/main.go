// Command unshuffleasm writes the AVX2 kernels of package bitpack that put bit-shuffled elements together. It is a
// module of its own so that what it needs is nobody else's dependency.
package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A turn takes 32 bytes of every plane, 256 elements. One byte of them (eight planes, eight registers) is put together
// by three exchanges of bits and three interleavings. It ends in eight slots of 32 bytes; slot s holds the byte of
// elements 16s to 16s+15 in its lower half, and of 128+16s to 128+16s+15 in its upper half, because AVX2 interleaves
// halves apart. Elements of more bytes put their slots on the stack, one byte after another, and interleave them slot
// by slot: the two halves get their places when they are stored.
const (
	turn     = 32
	slots    = 8
	slotSize = 32
	elements = 8 * turn
)

func main() {
	build.ConstraintExpr("!purego")
	low := [3]operand.Mem{mask("lowOf8", 0x0f0f0f0f0f0f0f0f), mask("lowOf4", 0x3333333333333333), mask("lowOf2", 0x5555555555555555)}
	for _, width := range []int{1, 2, 4, 8, 16} {
		build.TEXT(fmt.Sprintf("unshuffle%dAVX2", width), 0, "func(dst, src *byte, stride int)")
		build.Pragma("noescape")
		build.Doc(fmt.Sprintf("unshuffle%dAVX2 puts 8*stride elements together, of bytes: %d; stride is at least %d.", width, width, turn))
		k := begin(low, width)
		k.turns(width*elements, func(dst reg.Register) { k.unshuffle(dst) })
	}
	for _, width := range []int{1, 2} {
		build.TEXT(fmt.Sprintf("codes%dAVX2", width), 0, "func(dst *int32, src *byte, stride int)")
		build.Pragma("noescape")
		build.Doc(fmt.Sprintf("codes%dAVX2 does that for bytes: %d, and widens the elements.", width, width))
		k := begin(low, width)
		narrow := scratch(width * elements)
		k.turns(4*elements, func(dst reg.Register) {
			k.unshuffle(narrow)
			k.widen(dst, narrow)
		})
	}
	build.Generate()
}

func mask(name string, word uint64) operand.Mem {
	m := build.GLOBL(name, build.RODATA|build.NOPTR)
	for i := 0; i < slotSize; i += 8 {
		build.DATA(i, operand.U64(word))
	}
	return m
}

// scratch returns the address of size bytes of the stack, aligned to a vector.
func scratch(size int) reg.Register {
	m := build.AllocLocal(size + slotSize)
	p := build.GP64()
	build.LEAQ(m, p)
	build.ADDQ(operand.Imm(slotSize-1), p)
	build.ANDQ(operand.I8(-slotSize), p)
	return p
}

// kernel is what stays in registers.
type kernel struct {
	width            int
	dst, src, g      reg.Register // g is how much of each plane is done
	stride, stride3  reg.Register
	bytes            reg.Register // slots of all bytes of a turn
	low8, low4, low2 reg.VecVirtual
}

func begin(low [3]operand.Mem, width int) *kernel {
	k := &kernel{
		width:   width,
		dst:     build.Load(build.Param("dst"), build.GP64()),
		src:     build.Load(build.Param("src"), build.GP64()),
		stride:  build.Load(build.Param("stride"), build.GP64()),
		stride3: build.GP64(),
		g:       build.GP64(),
	}
	build.LEAQ(operand.Mem{Base: k.stride, Index: k.stride, Scale: 2}, k.stride3)
	build.XORQ(k.g, k.g)
	for i, r := range []*reg.VecVirtual{&k.low8, &k.low4, &k.low2} {
		*r = build.YMM()
		build.VMOVDQU(low[i], *r)
	}
	if width > 1 {
		k.bytes = scratch(width * elements)
	}
	return k
}

// turns calls body for every turn, of which one gives size bytes of output. The last one starts early where stride is no
// multiple of a turn.
func (k *kernel) turns(size int, body func(dst reg.Register)) {
	last := build.GP64()
	build.LEAQ(operand.Mem{Base: k.stride, Disp: -turn}, last)
	build.Label("turn")
	out := build.GP64()
	build.MOVQ(k.g, out)
	build.SHLQ(operand.Imm(uint64(bits.TrailingZeros(uint(size/turn)))), out)
	build.ADDQ(k.dst, out)
	body(out)
	build.CMPQ(k.g, last)
	build.JAE(operand.LabelRef("end"))
	build.ADDQ(operand.Imm(turn), k.g)
	build.CMPQ(k.g, last)
	build.CMOVQGT(last, k.g)
	build.JMP(operand.LabelRef("turn"))
	build.Label("end")
	build.VZEROUPPER()
	build.RET()
}

// unshuffle does one turn.
func (k *kernel) unshuffle(dst reg.Register) {
	p := build.GP64()
	build.LEAQ(operand.Mem{Base: k.src, Index: k.g, Scale: 1}, p)
	if k.width == 1 {
		k.join(p, func(s int, v reg.VecVirtual) {
			build.VMOVDQU(v.AsX(), operand.Mem{Base: dst, Disp: 16 * s})
			build.VEXTRACTI128(operand.U8(1), v, operand.Mem{Base: dst, Disp: elements/2 + 16*s})
		})
		return
	}
	at, to, count := build.GP64(), build.GP64(), build.GP64()
	build.MOVQ(k.bytes, at)
	build.MOVQ(operand.U32(k.width), count)
	build.Label("join")
	k.join(p, func(s int, v reg.VecVirtual) {
		build.VMOVDQA(v, operand.Mem{Base: at, Disp: slotSize * s})
	})
	build.LEAQ(operand.Mem{Base: p, Index: k.stride, Scale: 4}, p)
	build.ADDQ(operand.U32(elements), at)
	build.DECQ(count)
	build.JNZ(operand.LabelRef("join"))

	build.MOVQ(k.bytes, at)
	build.MOVQ(dst, to)
	build.MOVQ(operand.U32(slots), count)
	build.Label("slot")
	half := elements / 2 * k.width
	switch k.width {
	case 2:
		store(to, 0, half, pair(at, 0, 0), pair(at, 0, 1))
	case 4:
		for h := range 2 {
			lo, hi := quad(at, 0, h)
			store(to, 32*h, half, lo, hi)
		}
	case 8:
		for h := range 2 {
			v := octet(at, 0, h)
			store(to, 64*h, half, v[0], v[1])
			store(to, 64*h+32, half, v[2], v[3])
		}
	case 16:
		for h := range 2 {
			v, w := octet(at, 0, h), octet(at, 8, h)
			for i := range v {
				lo, hi := build.YMM(), build.YMM()
				build.VPUNPCKLQDQ(w[i], v[i], lo)
				build.VPUNPCKHQDQ(w[i], v[i], hi)
				store(to, 128*h+32*i, half, lo, hi)
			}
		}
	}
	build.ADDQ(operand.Imm(slotSize), at)
	build.ADDQ(operand.U32(16*k.width), to)
	build.DECQ(count)
	build.JNZ(operand.LabelRef("slot"))
}

// join puts one byte of 256 elements together, from eight planes at p, and gives out its slots. p ends four planes on.
func (k *kernel) join(p reg.Register, out func(s int, v reg.VecVirtual)) {
	var a [8]reg.VecVirtual
	for i := range a {
		a[i] = build.YMM()
		m := operand.Mem{Base: p}
		switch i % 4 {
		case 1, 2:
			m.Index, m.Scale = k.stride, uint8(i%4)
		case 3:
			m.Index, m.Scale = k.stride3, 1
		}
		build.VMOVDQU(m, a[i])
		if i == 3 {
			build.LEAQ(operand.Mem{Base: p, Index: k.stride, Scale: 4}, p)
		}
	}
	t := build.YMM()
	for _, x := range []struct {
		shift uint64
		low   reg.VecVirtual
		apart int
	}{{4, k.low8, 4}, {2, k.low4, 2}, {1, k.low2, 1}} {
		for i := range a {
			if i&x.apart == 0 {
				cross(a[i], a[i+x.apart], t, x.shift, x.low)
			}
		}
	}
	// a[i] holds elements i, i+8, i+16 … of each half: interleave bytes, words, double words.
	for i := 0; i < 8; i += 2 {
		build.VPUNPCKHBW(a[i+1], a[i], t)
		build.VPUNPCKLBW(a[i+1], a[i], a[i])
		build.VMOVDQA(t, a[i+1])
	}
	for h := range 2 {
		x, y, z, w := build.YMM(), build.YMM(), build.YMM(), build.YMM()
		build.VPUNPCKLWD(a[2+h], a[h], x)
		build.VPUNPCKHWD(a[2+h], a[h], y)
		build.VPUNPCKLWD(a[6+h], a[4+h], z)
		build.VPUNPCKHWD(a[6+h], a[4+h], w)
		build.VPUNPCKLDQ(z, x, t)
		build.VPUNPCKHDQ(z, x, x)
		build.VPUNPCKLDQ(w, y, z)
		build.VPUNPCKHDQ(w, y, y)
		for i, v := range []reg.VecVirtual{t, x, z, y} {
			out(4*h+i, v)
		}
	}
}

// cross exchanges the upper halves of the fields in a with the lower halves of those in b.
func cross(a, b, t reg.VecVirtual, shift uint64, low reg.VecVirtual) {
	build.VPSRLQ(operand.U8(shift), a, t)
	build.VPXOR(b, t, t)
	build.VPAND(low, t, t)
	build.VPXOR(t, b, b)
	build.VPSLLQ(operand.U8(shift), t, t)
	build.VPXOR(t, a, a)
}

// pair, quad and octet interleave 2, 4 and 8 bytes of the elements in the slot at p, the first of them byte b. Of the
// eight elements of each half they give the lower (h 0) or upper (h 1) ones of every pair that bytes interleave to.
func pair(p reg.Register, b, h int) reg.VecVirtual {
	v := build.YMM()
	build.VMOVDQA(operand.Mem{Base: p, Disp: elements * b}, v)
	second := operand.Mem{Base: p, Disp: elements * (b + 1)}
	if h == 0 {
		build.VPUNPCKLBW(second, v, v)
	} else {
		build.VPUNPCKHBW(second, v, v)
	}
	return v
}

func quad(p reg.Register, b, h int) (lo, hi reg.VecVirtual) {
	x, y := pair(p, b, h), pair(p, b+2, h)
	lo, hi = build.YMM(), build.YMM()
	build.VPUNPCKLWD(y, x, lo)
	build.VPUNPCKHWD(y, x, hi)
	return lo, hi
}

func octet(p reg.Register, b, h int) (v [4]reg.VecVirtual) {
	x, y := quad(p, b, h)
	z, w := quad(p, b+4, h)
	for i := range v {
		v[i] = build.YMM()
	}
	build.VPUNPCKLDQ(z, x, v[0])
	build.VPUNPCKHDQ(z, x, v[1])
	build.VPUNPCKLDQ(w, y, v[2])
	build.VPUNPCKHDQ(w, y, v[3])
	return v
}

// store puts the lower halves of two neighbours at dst+off and the upper ones half bytes behind.
func store(dst reg.Register, off, half int, a, b reg.VecVirtual) {
	t := build.YMM()
	build.VPERM2I128(operand.U8(0x20), b, a, t)
	build.VMOVDQU(t, operand.Mem{Base: dst, Disp: off})
	build.VPERM2I128(operand.U8(0x31), b, a, t)
	build.VMOVDQU(t, operand.Mem{Base: dst, Disp: half + off})
}

// widen turns the 256 elements at src into 32-bit ones at dst.
func (k *kernel) widen(dst, src reg.Register) {
	for i := 0; i < elements; i += 8 {
		v := build.YMM()
		m := operand.Mem{Base: src, Disp: k.width * i}
		if k.width == 1 {
			build.VPMOVZXBD(m, v)
		} else {
			build.VPMOVZXWD(m, v)
		}
		build.VMOVDQU(v, operand.Mem{Base: dst, Disp: 4 * i})
	}
}
