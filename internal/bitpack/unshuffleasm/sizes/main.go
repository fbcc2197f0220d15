// Command sizes writes the kernels of package bitpack that tell with AVX2 how large numbers are.
package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	build.ConstraintExpr("!purego")
	sizes32()
	sizes64()
	within()
	build.Generate()
}

const turn = 128 // bytes

func sizes32() {
	build.TEXT("sizes32AVX2", 0, "func(src *byte, turns int, invert uint32) (all uint32)")
	build.Pragma("noescape")
	build.Doc("sizes32AVX2 combines by or turns, at least one, of 32 numbers of 32 bits, those that are negative xor invert.")
	src, turns := param("src"), param("turns")
	invert, x, sign := build.YMM(), build.YMM(), build.YMM()
	all := []reg.VecVirtual{build.YMM(), build.YMM()}
	build.VMOVD(build.Load(build.Param("invert"), build.GP32()), invert.AsX())
	build.VPBROADCASTD(invert.AsX(), invert)
	for _, a := range all {
		build.VPXOR(a, a, a)
	}
	build.Label("turn")
	for i := range turn / 32 {
		build.VMOVDQU(operand.Mem{Base: src, Disp: 32 * i}, x)
		build.VPSRAD(operand.Imm(31), x, sign)
		build.VPAND(invert, sign, sign)
		build.VPXOR(sign, x, x)
		build.VPOR(x, all[i%2], all[i%2])
	}
	build.ADDQ(operand.Imm(turn), src)
	build.DECQ(turns)
	build.JNZ(operand.LabelRef("turn"))
	build.VPOR(all[0], all[1], x)
	build.VEXTRACTI128(operand.Imm(1), x, sign.AsX())
	build.VPOR(sign.AsX(), x.AsX(), x.AsX())
	build.VPSHUFD(operand.Imm(0x4e), x.AsX(), sign.AsX())
	build.VPOR(sign.AsX(), x.AsX(), x.AsX())
	build.VPSHUFD(operand.Imm(0xb1), x.AsX(), sign.AsX())
	build.VPOR(sign.AsX(), x.AsX(), x.AsX())
	out := build.GP32()
	build.VMOVD(x.AsX(), out)
	build.Store(out, build.ReturnIndex(0))
	build.VZEROUPPER()
	build.RET()
}

func sizes64() {
	build.TEXT("sizes64AVX2", 0, "func(src *byte, turns int, invert uint64) (all uint64)")
	build.Pragma("noescape")
	build.Doc("sizes64AVX2 combines by or turns, at least one, of 16 numbers of 64 bits, those that are negative xor invert.")
	src, turns := param("src"), param("turns")
	invert, zero, x, sign := build.YMM(), build.YMM(), build.YMM(), build.YMM()
	all := []reg.VecVirtual{build.YMM(), build.YMM()}
	build.VPBROADCASTQ(parameter("invert"), invert)
	build.VPXOR(zero, zero, zero)
	for _, a := range all {
		build.VPXOR(a, a, a)
	}
	build.Label("turn")
	for i := range turn / 32 {
		build.VMOVDQU(operand.Mem{Base: src, Disp: 32 * i}, x)
		build.VPCMPGTQ(x, zero, sign)
		build.VPAND(invert, sign, sign)
		build.VPXOR(sign, x, x)
		build.VPOR(x, all[i%2], all[i%2])
	}
	build.ADDQ(operand.Imm(turn), src)
	build.DECQ(turns)
	build.JNZ(operand.LabelRef("turn"))
	build.VPOR(all[0], all[1], x)
	build.VEXTRACTI128(operand.Imm(1), x, sign.AsX())
	build.VPOR(sign.AsX(), x.AsX(), x.AsX())
	build.VPSHUFD(operand.Imm(0x4e), x.AsX(), sign.AsX())
	build.VPOR(sign.AsX(), x.AsX(), x.AsX())
	out := build.GP64()
	build.VMOVQ(x.AsX(), out)
	build.Store(out, build.ReturnIndex(0))
	build.VZEROUPPER()
	build.RET()
}

// within has the low word of a number in one lane and the high word in the next. The high word is to be the sign of the low one.
func within() {
	build.TEXT("withinAVX2", 0, "func(src *byte, turns int, limit uint64) (over uint64)")
	build.Pragma("noescape")
	build.Doc("withinAVX2 looks at turns, at least one, of 8 numbers of two words, the low one first. over is 0 if all of them are -limit to limit, for a limit of up to 63 bits.")
	src, turns := param("src"), param("turns")
	limit, least, zero, x, t := build.YMM(), build.YMM(), build.YMM(), build.YMM(), build.YMM()
	over := []reg.VecVirtual{build.YMM(), build.YMM()}
	wide := []reg.VecVirtual{build.YMM(), build.YMM()}
	build.VPBROADCASTQ(parameter("limit"), limit)
	build.VPXOR(zero, zero, zero)
	build.VPSUBQ(limit, zero, least)
	for i := range over {
		build.VPXOR(over[i], over[i], over[i])
		build.VPXOR(wide[i], wide[i], wide[i])
	}
	build.Label("turn")
	for i := range turn / 32 {
		build.VMOVDQU(operand.Mem{Base: src, Disp: 32 * i}, x)
		build.VPCMPGTQ(limit, x, t)
		build.VPOR(t, over[i%2], over[i%2])
		build.VPCMPGTQ(x, least, t)
		build.VPOR(t, over[i%2], over[i%2])
		build.VPCMPGTQ(x, zero, t)
		build.VPUNPCKLQDQ(t, t, t) // the sign of the low word, in both lanes
		build.VPXOR(x, t, t)
		build.VPOR(t, wide[i%2], wide[i%2])
	}
	build.ADDQ(operand.Imm(turn), src)
	build.DECQ(turns)
	build.JNZ(operand.LabelRef("turn"))
	build.VPOR(over[0], over[1], x)
	build.VPOR(wide[0], wide[1], t)
	build.VPBLENDD(operand.Imm(0xcc), t, x, x) // over of low words, wide of high ones
	build.VEXTRACTI128(operand.Imm(1), x, t.AsX())
	build.VPOR(t.AsX(), x.AsX(), x.AsX())
	build.VPSHUFD(operand.Imm(0x4e), x.AsX(), t.AsX())
	build.VPOR(t.AsX(), x.AsX(), x.AsX())
	out := build.GP64()
	build.VMOVQ(x.AsX(), out)
	build.Store(out, build.ReturnIndex(0))
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
