// Command unpack writes the kernels of package bitpack that unpack integers with AVX2.
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	build.ConstraintExpr("!purego")
	for _, zigzag := range []bool{false, true} {
		for _, width := range []int{2, 4, 8} {
			kernel(width, zigzag)
		}
		wide(zigzag)
	}
	build.Generate()
}

// kernel unpacks a group a turn. Its first four values come to the lower half of a register and the others to the upper one, each is
// brought to a lane of 32 bits with what else is in its bytes, and two shifts leave its own bits.
func kernel(width int, zigzag bool) {
	name, coded := fmt.Sprintf("unpackGroups%d", 8*width), ""
	if zigzag {
		name, coded = fmt.Sprintf("unpackZigzagGroups%d", 8*width), ", zig-zag coded,"
	}
	build.TEXT(name, 0, "func(dst *byte, groups int, src *byte, size, half int, by *byte)")
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("%s unpacks groups, at least one, of eight values%s to %d bits each. A group has size bytes, and its fifth value begins in", name, coded, 8*width),
		"the byte half. It reads half+16 bytes from the beginning of a group on. by is lanes.")
	to, groups, from, size, half, by := param("dst"), param("groups"), param("src"), param("size"), param("half"), param("by")
	build.ADDQ(from, half)
	order, left, right, v := build.YMM(), build.YMM(), build.YMM(), build.YMM()
	build.VMOVDQU(operand.Mem{Base: by}, order)
	build.VMOVDQU(operand.Mem{Base: by, Disp: 32}, left)
	build.VMOVDQU(operand.Mem{Base: by, Disp: 64}, right)
	zero, one := build.YMM(), build.YMM()
	if zigzag {
		build.VPXOR(zero, zero, zero)
		build.VPCMPEQD(one, one, one)
		build.VPSRLD(operand.Imm(31), one, one)
	}

	build.Label("group")
	build.VMOVDQU(operand.Mem{Base: from}, v.AsX())
	build.VINSERTI128(operand.Imm(1), operand.Mem{Base: half}, v, v)
	build.VPSHUFB(order, v, v)
	build.VPSLLVD(left, v, v)
	build.VPSRLVD(right, v, v)
	if zigzag {
		sign := build.YMM()
		build.VPAND(one, v, sign)
		build.VPSUBD(sign, zero, sign)
		build.VPSRLD(operand.Imm(1), v, v)
		build.VPXOR(sign, v, v)
	}
	store(width, zigzag, to, v)
	build.ADDQ(size, from)
	build.ADDQ(size, half)
	build.ADDQ(operand.Imm(uint64(8*width)), to)
	build.DECQ(groups)
	build.JNZ(operand.LabelRef("group"))
	build.VZEROUPPER()
	build.RET()
}

// wide unpacks values of 40, 48, 56 and 64 bits, which are bytes in another order: four a turn.
func wide(zigzag bool) {
	name, coded := "unpackWide", ""
	if zigzag {
		name, coded = "unpackZigzagWide", ", zig-zag coded,"
	}
	build.TEXT(name, 0, "func(dst *byte, fours int, src *byte, two int, by *byte)")
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("%s unpacks fours, at least one, of four values%s of whole bytes to 64 bits each. Two values have two bytes. It reads two+16", name, coded),
		"bytes from the beginning of the four on. by is the order of the bytes of four.")
	to, fours, from, two, by := param("dst"), param("fours"), param("src"), param("two"), param("by")
	order, v := build.YMM(), build.YMM()
	build.VMOVDQU(operand.Mem{Base: by}, order)
	zero, one := build.YMM(), build.YMM()
	if zigzag {
		build.VPXOR(zero, zero, zero)
		build.VPCMPEQD(one, one, one)
		build.VPSRLQ(operand.Imm(63), one, one)
	}
	build.Label("four")
	build.VMOVDQU(operand.Mem{Base: from}, v.AsX())
	build.VINSERTI128(operand.Imm(1), operand.Mem{Base: from, Index: two, Scale: 1}, v, v)
	build.VPSHUFB(order, v, v)
	if zigzag {
		sign := build.YMM()
		build.VPAND(one, v, sign)
		build.VPSUBQ(sign, zero, sign)
		build.VPSRLQ(operand.Imm(1), v, v)
		build.VPXOR(sign, v, v)
	}
	build.VMOVDQU(v, operand.Mem{Base: to})
	build.LEAQ(operand.Mem{Base: from, Index: two, Scale: 2}, from)
	build.ADDQ(operand.Imm(32), to)
	build.DECQ(fours)
	build.JNZ(operand.LabelRef("four"))
	build.VZEROUPPER()
	build.RET()
}

func store(width int, signed bool, to reg.Register, v reg.VecVirtual) {
	switch width {
	case 2:
		high := build.XMM()
		build.VPSLLD(operand.Imm(16), v, v) // what does not fit is lost
		build.VPSRLD(operand.Imm(16), v, v)
		build.VEXTRACTI128(operand.Imm(1), v, high)
		build.VPACKUSDW(high, v.AsX(), high)
		build.VMOVDQU(high, operand.Mem{Base: to})
		return
	case 4:
		build.VMOVDQU(v, operand.Mem{Base: to})
		return
	}
	widen := build.VPMOVZXDQ
	if signed {
		widen = build.VPMOVSXDQ
	}
	low, high := build.YMM(), build.YMM()
	widen(v.AsX(), low)
	build.VEXTRACTI128(operand.Imm(1), v, high.AsX())
	widen(high.AsX(), high)
	build.VMOVDQU(low, operand.Mem{Base: to})
	build.VMOVDQU(high, operand.Mem{Base: to, Disp: 32})
}

func param(name string) reg.GPVirtual {
	r := build.GP64()
	build.Load(build.Param(name), r)
	return r
}
