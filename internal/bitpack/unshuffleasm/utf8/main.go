// Command utf8 writes the kernel of package bitpack that checks UTF-8 with AVX2.
package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var low, three, four, top, before, wrong, first, second, third reg.VecVirtual

func main() {
	build.ConstraintExpr("!purego")
	build.TEXT("utf8AVX2", 0, "func(src *byte, blocks int, tail *byte, by *byte) (good uint64)")
	build.Pragma("noescape")
	build.Doc("utf8AVX2 reports, by 1 or 0, whether blocks of 64 bytes at src and the 64 bytes at tail behind them are UTF-8 and no character goes on behind",
		"these. by is pairFaults.")
	src, blocks, tail, by := param("src"), param("blocks"), param("tail"), param("by")
	first, second, third = table(by, 0), table(by, 16), table(by, 32)
	low, three, four, top = bytes("nibble", 0x0f), bytes("three", 0xe0-0x80), bytes("four", 0xf0-0x80), bytes("top", 0x80)
	before, wrong = build.YMM(), build.YMM()
	build.VPXOR(before, before, before)
	build.VPXOR(wrong, wrong, wrong)

	build.TESTQ(blocks, blocks)
	build.JZ(operand.LabelRef("tail"))
	build.Label("block")
	block(src, "next")
	build.Label("next")
	build.ADDQ(operand.Imm(64), src)
	build.DECQ(blocks)
	build.JNZ(operand.LabelRef("block"))
	build.Label("tail")
	block(tail, "end")
	build.Label("end")

	good := build.GP64()
	build.XORQ(good, good)
	build.VPTEST(wrong, wrong)
	build.SETEQ(good.As8())
	build.Store(good, build.ReturnIndex(0))
	build.VZEROUPPER()
	build.RET()
	build.Generate()
}

// block checks 64 bytes, or goes on at next if they are ASCII and the 32 before them are.
func block(at reg.Register, next string) {
	x, y, all := build.YMM(), build.YMM(), build.YMM()
	build.VMOVDQU(operand.Mem{Base: at}, x)
	build.VMOVDQU(operand.Mem{Base: at, Disp: 32}, y)
	build.VPOR(x, before, all)
	build.VPOR(y, all, all)
	build.VPTEST(top, all)
	build.JZ(operand.LabelRef(next))
	check(x, before)
	check(y, x)
	build.VMOVDQA(y, before)
}

// check adds the faults of 32 bytes to wrong. A fault of two bytes in a row has a bit in the three tables that say what halves of these
// have it. The bit 0x80 is of two continuations in a row, which is a fault unless the byte is the third or the fourth of a character, and the
// other way round.
func check(x, before reg.VecVirtual) {
	joined := build.YMM()
	build.VPERM2I128(operand.Imm(0x21), x, before, joined) // the upper half of what was before, and the lower of this
	one := build.YMM()
	build.VPALIGNR(operand.Imm(15), joined, x, one)
	fault, t := build.YMM(), build.YMM()
	build.VPSRLW(operand.Imm(4), one, t)
	build.VPAND(low, t, t)
	build.VPSHUFB(t, first, fault)
	build.VPAND(low, one, t)
	build.VPSHUFB(t, second, t)
	build.VPAND(t, fault, fault)
	build.VPSRLW(operand.Imm(4), x, t)
	build.VPAND(low, t, t)
	build.VPSHUFB(t, third, t)
	build.VPAND(t, fault, fault)
	long := build.YMM()
	build.VPALIGNR(operand.Imm(14), joined, x, t)
	build.VPSUBUSB(three, t, long)
	build.VPALIGNR(operand.Imm(13), joined, x, t)
	build.VPSUBUSB(four, t, t)
	build.VPOR(t, long, long)
	build.VPAND(top, long, long)
	build.VPXOR(long, fault, fault)
	build.VPOR(fault, wrong, wrong)
}

func table(by reg.Register, at int) reg.VecVirtual {
	v := build.YMM()
	build.VBROADCASTI128(operand.Mem{Base: by, Disp: at}, v)
	return v
}

// bytes is a register full of one byte.
func bytes(name string, b uint8) reg.VecVirtual {
	m := build.GLOBL(name, build.RODATA|build.NOPTR)
	build.DATA(0, operand.U8(b))
	v := build.YMM()
	build.VPBROADCASTB(m, v)
	return v
}

func param(name string) reg.GPVirtual {
	r := build.GP64()
	build.Load(build.Param(name), r)
	return r
}
