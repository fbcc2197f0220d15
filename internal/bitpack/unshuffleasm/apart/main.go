// Command apart writes the AVX2 kernels of package bitpack that take elements apart into planes of bits: the reverse of
// what its parent writes.
package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A turn takes 32 elements, four bytes of every plane. Lanes of 16 bytes are shuffled so that the first bytes of their
// elements come together, then the second ones, and so on; and as many lanes as an element has bytes are transposed,
// which leaves a vector for each byte of the 32 elements. The sign bits of its bytes are four bytes of a plane. AVX2
// does both halves of a vector apart, so the upper ones hold the lanes of elements 16 to 31.
const (
	turn     = 4
	elements = 8 * turn
	lane     = 16
)

func main() {
	build.ConstraintExpr("!purego")
	orders := map[int]operand.Mem{2: order(2), 4: order(4), 8: order(8)}
	for _, width := range []int{1, 2, 4, 8, 16} {
		build.TEXT(fmt.Sprintf("shuffle%dAVX2", width), 0, "func(dst, src *byte, stride int)")
		build.Pragma("noescape")
		build.Doc(fmt.Sprintf("shuffle%dAVX2 takes 8*stride elements apart, of bytes: %d; stride is at least %d.", width, width, turn))
		k := kernel{
			dst:    build.Load(build.Param("dst"), build.GP64()),
			src:    build.Load(build.Param("src"), build.GP64()),
			stride: build.Load(build.Param("stride"), build.GP64()),
			leap:   build.GP64(),
		}
		build.MOVQ(k.stride, k.leap)
		build.SHLQ(operand.Imm(4), k.leap)
		if width > 1 {
			k.order = build.YMM()
			build.VMOVDQU(orders[min(width, 8)], k.order)
		}
		k.turns(width)
	}
	build.Generate()
}

// order is the shuffle of a lane's bytes that brings together those of the same place in elements of width bytes.
func order(width int) operand.Mem {
	m := build.GLOBL(fmt.Sprintf("apart%d", width), build.RODATA|build.NOPTR)
	for half := range 2 {
		for i := range lane {
			per := lane / width
			build.DATA(lane*half+i, operand.U8(i%per*width+i/per))
		}
	}
	return m
}

type kernel struct {
	dst, src, stride reg.Register
	leap             reg.Register // from behind the first plane of a byte to the last one of the next
	order            reg.VecVirtual
}

// turns writes the loop. The last turn starts early where stride is no multiple of a turn.
func (k *kernel) turns(width int) {
	g, last, from, to := build.GP64(), build.GP64(), build.GP64(), build.GP64()
	build.XORQ(g, g)
	build.LEAQ(operand.Mem{Base: k.stride, Disp: -turn}, last)
	build.Label("turn")
	build.MOVQ(g, from)
	build.SHLQ(operand.Imm(uint64(bits.TrailingZeros(uint(8*width)))), from)
	build.ADDQ(k.src, from)
	build.LEAQ(operand.Mem{Base: k.dst, Index: k.stride, Scale: 8}, to)
	build.SUBQ(k.stride, to)
	build.ADDQ(g, to) // in the last plane of the first byte
	if width == 1 {
		v := build.YMM()
		build.VMOVDQU(operand.Mem{Base: from}, v)
		k.planes(v, to)
	}
	v, t := make([]reg.VecVirtual, min(width, 8)), build.YMM()
	for i := range v {
		v[i] = build.YMM()
	}
	for half := 0; width == 16 && half < 2; half++ {
		for i, v := range v {
			halves(from, i, 8*half, v, t)
			build.VPSHUFB(k.order, v, v)
		}
		k.parts(to, transpose(v, t))
	}
	if width > 1 && width < 16 {
		for i, v := range v {
			build.VMOVDQU(operand.Mem{Base: from, Disp: lane * i}, v.AsX())
			build.VINSERTI128(operand.U8(1), operand.Mem{Base: from, Disp: lane * (i + width)}, v, v)
			build.VPSHUFB(k.order, v, v)
		}
		k.parts(to, transpose(v, t))
	}
	build.CMPQ(g, last)
	build.JAE(operand.LabelRef("end"))
	build.ADDQ(operand.Imm(turn), g)
	build.CMPQ(g, last)
	build.CMOVQGT(last, g)
	build.JMP(operand.LabelRef("turn"))
	build.Label("end")
	build.VZEROUPPER()
	build.RET()
}

// halves loads the eight bytes at off of two elements of 16 bytes, and of the two that are 16 elements behind them.
func halves(from reg.Register, i, off int, v, upper reg.VecVirtual) {
	for _, x := range []struct {
		v  reg.VecVirtual
		at int
	}{{v, 2 * lane * i}, {upper, lane*elements/2 + 2*lane*i}} {
		build.VMOVQ(operand.Mem{Base: from, Disp: x.at + off}, x.v.AsX())
		build.VPINSRQ(operand.U8(1), operand.Mem{Base: from, Disp: x.at + lane + off}, x.v.AsX(), x.v.AsX())
	}
	build.VINSERTI128(operand.U8(1), upper.AsX(), v, v)
}

// transpose makes vectors of the first, second … parts of the halves of n vectors, each of which has n parts.
func transpose(v []reg.VecVirtual, t reg.VecVirtual) []reg.VecVirtual {
	type interleave func(secondFirstTo ...operand.Op)
	steps := []struct{ low, high interleave }{
		{build.VPUNPCKLWD, build.VPUNPCKHWD}, {build.VPUNPCKLDQ, build.VPUNPCKHDQ}, {build.VPUNPCKLQDQ, build.VPUNPCKHQDQ},
	}
	n := len(v)
	for s, apart := len(steps)-bits.TrailingZeros(uint(n)), 1; apart < n; s, apart = s+1, 2*apart {
		w := make([]reg.VecVirtual, n)
		// Vectors i to i+apart-1 hold parts of the same vectors, the later ones later parts.
		for i := 0; i < n; i += 2 * apart {
			for j := range apart {
				lo, hi := v[i+j], v[i+apart+j]
				steps[s].high(hi, lo, t)
				steps[s].low(hi, lo, lo)
				build.VMOVDQA(t, hi)
				w[i+2*j], w[i+2*j+1] = lo, hi
			}
		}
		v = w
	}
	return v
}

// parts writes the planes of bytes one after the other.
func (k *kernel) parts(to reg.Register, v []reg.VecVirtual) {
	for _, v := range v {
		k.planes(v, to)
	}
}

// planes writes four bytes of the eight planes of a byte, the last one first, and moves to on to the next byte.
func (k *kernel) planes(v reg.VecVirtual, to reg.Register) {
	for i := range 8 {
		m := build.GP32()
		build.VPMOVMSKB(v, m)
		build.MOVL(m, operand.Mem{Base: to})
		build.SUBQ(k.stride, to)
		if i < 7 {
			build.VPADDB(v, v, v)
		}
	}
	build.ADDQ(k.leap, to)
}
