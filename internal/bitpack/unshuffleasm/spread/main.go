// Command spread writes the kernels of package bitpack that move values to their slots with AVX2.
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	slots = 64
	none  = 8 // the place of a null slot's value
)

func main() {
	build.ConstraintExpr("!purego")
	kernel(4, 8)
	kernel(8, 4)
	ends()
	build.Generate()
}

// kernel fills a vector of slots a turn: the table has, for their validity bits, the place of each slot's value among the next values.
func kernel(width, lanes int) {
	name := fmt.Sprintf("spread%dAVX2", 8*width)
	build.TEXT(name, 0, "func(dst, src *byte, valid uint64, by *byte)")
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("%s fills %d slots of %d bits with the values at src of those whose bits are set; others become zero. It reads %d values from", name, slots, 8*width, lanes),
		fmt.Sprintf("where the next one is, for each %d slots. dst may lie before src. by has %d bytes for each value of %d bits.", lanes, 8, lanes))
	dst, src, valid, by := param("dst"), param("src"), param("valid"), param("by")
	null := build.YMM()
	eight := build.GP32()
	build.MOVL(operand.U32(none), eight)
	build.VMOVD(eight, null.AsX())
	build.VPBROADCASTD(null.AsX(), null)
	bits, count := build.GP64(), build.GP64()
	turns := build.GP64()
	build.MOVQ(operand.I32(slots/lanes), turns)

	build.Label("turn")
	if lanes == 8 {
		build.MOVBQZX(valid.As8(), bits)
	} else {
		build.MOVQ(valid, bits)
		build.ANDQ(operand.Imm(uint64(1)<<lanes-1), bits)
	}
	build.POPCNTQ(bits, count)
	place, v, kept := build.YMM(), build.YMM(), build.YMM()
	build.VPMOVZXBD(operand.Mem{Base: by, Index: bits, Scale: 8}, place)
	build.VMOVDQU(operand.Mem{Base: src}, v)
	build.VPERMD(v, place, v)
	build.VPCMPGTD(place, null, kept)
	build.VPAND(kept, v, v)
	build.VMOVDQU(v, operand.Mem{Base: dst})
	build.LEAQ(operand.Mem{Base: src, Index: count, Scale: uint8(width)}, src)
	build.ADDQ(operand.Imm(uint64(width*lanes)), dst)
	build.SHRQ(operand.Imm(uint64(lanes)), valid)
	build.DECQ(turns)
	build.JNZ(operand.LabelRef("turn"))
	build.VZEROUPPER()
	build.RET()
}

// ends fills a vector of eight ends of slots a turn: the table has, for their validity bits, which of the next ends each slot has, -1 for that
// of the slot before them.
func ends() {
	build.TEXT("spreadEndsAVX2", 0, "func(dst, src *int32, valid uint64, by *int8)")
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("spreadEndsAVX2 fills the ends of %d slots: those at src+1 of the slots whose bits are set, of others that of the slot before; src has", slots),
		"the end of the slot before all. It reads 9 ends from where that of the slot before is, for each 8 slots. dst may lie before src+1. by has",
		"8 bytes for each value of 8 bits.")
	dst, src, valid, by := param("dst"), param("src"), param("valid"), param("by")
	bits, count := build.GP64(), build.GP64()
	turns := build.GP64()
	build.MOVQ(operand.I32(slots/8), turns)

	build.Label("turn")
	build.MOVBQZX(valid.As8(), bits)
	build.POPCNTQ(bits, count)
	place, v, before := build.YMM(), build.YMM(), build.YMM()
	build.VPMOVSXBD(operand.Mem{Base: by, Index: bits, Scale: 8}, place)
	build.VPBROADCASTD(operand.Mem{Base: src}, before)
	build.VPERMD(operand.Mem{Base: src, Disp: 4}, place, v)
	build.VBLENDVPS(place, before, v, v)
	build.VMOVDQU(v, operand.Mem{Base: dst})
	build.LEAQ(operand.Mem{Base: src, Index: count, Scale: 4}, src)
	build.ADDQ(operand.Imm(32), dst)
	build.SHRQ(operand.Imm(8), valid)
	build.DECQ(turns)
	build.JNZ(operand.LabelRef("turn"))
	build.VZEROUPPER()
	build.RET()
}

func param(name string) reg.GPVirtual {
	r := build.GP64()
	build.Load(build.Param(name), r)
	return r
}
