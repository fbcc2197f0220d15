// Command sums writes the kernels of package bitpack that add up with AVX2.
package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	build.ConstraintExpr("!purego")
	sums32()
	sums64()
	build.Generate()
}

// sums32 adds within each half of a register, then the end of the lower half to the upper one, then what came before. Only that last addition
// waits for the turn before.
func sums32() {
	build.TEXT("sums32AVX2", 0, "func(dst *byte, eights int, start uint32) (signs uint64)")
	build.Pragma("noescape")
	build.Doc("sums32AVX2 replaces eights, at least one, of eight numbers of 32 bits by start and all numbers up to and with them. signs has bits from 0 on if a number",
		"has its top bit set, and bits from 8 on if a sum has.")
	to, eights, start := param("dst"), param("eights"), build.GP32()
	build.Load(build.Param("start"), start)
	before, seen, sums, last, lower := build.YMM(), build.YMM(), build.YMM(), build.YMM(), build.YMM()
	build.VMOVD(start, before.AsX())
	build.VPBROADCASTD(before.AsX(), before)
	build.VPXOR(seen, seen, seen)
	build.VPXOR(sums, sums, sums)
	build.VPCMPEQD(last, last, last)
	build.VPSRLD(operand.Imm(29), last, last) // 7 in each lane
	build.VPSRLD(operand.Imm(1), last, lower) // 3 in each lane
	x, t, total := build.YMM(), build.YMM(), build.YMM()
	zero := build.YMM()
	build.VPXOR(zero, zero, zero)
	build.Label("eight")
	build.VMOVDQU(operand.Mem{Base: to}, x)
	build.VPOR(x, seen, seen)
	build.VPSLLDQ(operand.Imm(4), x, t)
	build.VPADDD(t, x, x)
	build.VPSLLDQ(operand.Imm(8), x, t)
	build.VPADDD(t, x, x)
	build.VPERMD(x, lower, t)
	build.VPBLENDD(operand.Imm(0xf0), t, zero, t)
	build.VPADDD(t, x, x)
	build.VPERMD(x, last, total)
	build.VPADDD(before, x, x)
	build.VPADDD(total, before, before)
	build.VPOR(x, sums, sums)
	build.VMOVDQU(x, operand.Mem{Base: to})
	build.ADDQ(operand.Imm(32), to)
	build.DECQ(eights)
	build.JNZ(operand.LabelRef("eight"))
	signs, high := build.GP64(), build.GP64()
	build.VMOVMSKPS(seen, signs.As32())
	build.VMOVMSKPS(sums, high.As32())
	build.SHLQ(operand.Imm(8), high)
	build.ORQ(high, signs)
	build.Store(signs, build.ReturnIndex(0))
	build.VZEROUPPER()
	build.RET()
}

func sums64() {
	build.TEXT("sums64AVX2", 0, "func(dst *byte, fours int, start uint64, flip uint64)")
	build.Pragma("noescape")
	build.Doc("sums64AVX2 replaces fours, at least one, of four numbers of 64 bits by start and all numbers up to and with them, which are added if flip is 0, and",
		"taken away if it has all bits.")
	to, fours := param("dst"), param("fours")
	before, flip := build.YMM(), build.YMM()
	build.VPBROADCASTQ(parameter("start"), before)
	build.VPBROADCASTQ(parameter("flip"), flip)
	x, t, total, zero := build.YMM(), build.YMM(), build.YMM(), build.YMM()
	build.VPXOR(zero, zero, zero)
	build.Label("four")
	build.VMOVDQU(operand.Mem{Base: to}, x)
	build.VPXOR(flip, x, x)
	build.VPSUBQ(flip, x, x)
	build.VPSLLDQ(operand.Imm(8), x, t)
	build.VPADDQ(t, x, x)
	build.VPERMQ(operand.Imm(0x55), x, t)
	build.VPBLENDD(operand.Imm(0xf0), t, zero, t)
	build.VPADDQ(t, x, x)
	build.VPERMQ(operand.Imm(0xff), x, total)
	build.VPADDQ(before, x, x)
	build.VPADDQ(total, before, before)
	build.VMOVDQU(x, operand.Mem{Base: to})
	build.ADDQ(operand.Imm(32), to)
	build.DECQ(fours)
	build.JNZ(operand.LabelRef("four"))
	build.VZEROUPPER()
	build.RET()
}

func parameter(name string) operand.Op {
	b, err := build.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

func param(name string) reg.GPVirtual {
	r := build.GP64()
	build.Load(build.Param(name), r)
	return r
}
