// Command varints writes the kernels of package bitpack that decode varints with AVX2 and BMI2.
package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	block = 64 // bytes of varints that are looked at together
	slack = 72 // that can be read from the start of a block on, since a varint is loaded as eight bytes
)

func main() {
	build.ConstraintExpr("!purego")
	for _, width := range []int{4, 8} {
		kernel(width)
	}
	build.Generate()
}

// kernel decodes blocks as long as there is room for one value a byte. The top bits of a block's bytes say where its varints end;
// from one end to the next there is one instruction, and everything else overlaps.
func kernel(width int) {
	name := fmt.Sprintf("varints%dBMI2", 8*width)
	build.TEXT(name, 0, "func(dst *byte, room int, src *byte, size int, most, zigzag uint64) (values, bytes int)")
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("%s decodes varints of at most most bytes to values of %d bits: blocks of 64 bytes, while %d can be read and there is room for", name, 8*width, slack),
		"64 values. It ends before a varint that is longer, and returns how many it decoded, and their bytes. zigzag is 1 or 0.")
	to, last, from, end, most, zigzag := param("dst"), param("room"), param("src"), param("size"), param("most"), param("zigzag")
	first, sevens := build.GP64(), build.GP64()
	build.MOVQ(from, first)
	build.MOVQ(operand.U64(0x7f7f7f7f7f7f7f7f), sevens)
	// last and end become the last places where a block can begin.
	build.LEAQ(operand.Mem{Base: to, Index: last, Scale: uint8(width), Disp: -block * width}, last)
	build.LEAQ(operand.Mem{Base: from, Index: end, Scale: 1, Disp: -slack}, end)
	mask, upper := build.GP64(), build.GP64()

	build.Label("block")
	build.CMPQ(to, last)
	build.JA(operand.LabelRef("done"))
	build.CMPQ(from, end)
	build.JA(operand.LabelRef("done"))
	v := build.YMM()
	build.VMOVDQU(operand.Mem{Base: from}, v)
	build.VPMOVMSKB(v, mask.As32())
	build.VMOVDQU(operand.Mem{Base: from, Disp: block / 2}, v)
	build.VPMOVMSKB(v, upper.As32())
	build.SHLQ(operand.Imm(block/2), upper)
	build.ORQ(upper, mask)
	build.JZ(operand.LabelRef("bytes"))
	build.NOTQ(mask)
	build.TESTQ(mask, mask)
	build.JZ(operand.LabelRef("done"))
	values(width, to, from, mask, most, zigzag, sevens)

	build.Label("bytes")
	singles(width, to, from, zigzag)
	build.JMP(operand.LabelRef("block"))

	build.Label("done")
	build.SUBQ(first, from)
	build.SUBQ(param("dst"), to)
	build.SHRQ(operand.Imm(uint64(bits.TrailingZeros(uint(width)))), to)
	build.VZEROUPPER()
	build.Store(to, build.ReturnIndex(0))
	build.Store(from, build.ReturnIndex(1))
	build.RET()
}

func param(name string) reg.GPVirtual {
	r := build.GP64()
	build.Load(build.Param(name), r)
	return r
}

// values decodes the varints of a block whose last bytes are in mask, which is not empty, and moves to and from behind them.
func values(width int, to, from, mask, most, zigzag, sevens reg.GPVirtual) {
	start, end, n, x, sign, eight := build.GP64(), build.GP64(), build.GP64(), build.GP64(), build.GP64(), build.GP64()
	build.XORQ(start, start)
	build.MOVQ(operand.I32(8), eight)
	build.Label("value")
	build.TZCNTQ(mask, end)
	build.MOVQ(end, n)
	build.SUBQ(start, n) // the length less one
	if width == 4 {
		build.CMPQ(n, most)
	} else {
		build.CMPQ(n, operand.Imm(8))
	}
	build.JAE(operand.LabelRef("long"))
	build.MOVQ(operand.Mem{Base: from, Index: start, Scale: 1}, x)
	build.LEAQ(operand.Mem{Base: eight, Index: n, Scale: 8}, n)
	build.BZHIQ(n, x, x)
	build.PEXTQ(sevens, x, x)
	build.Label("joined")
	build.LEAQ(operand.Mem{Base: end, Disp: 1}, start)
	build.MOVQ(x, sign)
	build.ANDQ(zigzag, sign)
	if width == 4 { // bits that do not fit are dropped
		low, sign := x.As32(), sign.As32()
		build.NEGL(sign)
		build.SHRXL(zigzag.As32(), low, low)
		build.XORL(sign, low)
		build.MOVL(low, operand.Mem{Base: to})
	} else {
		build.NEGQ(sign)
		build.SHRXQ(zigzag, x, x)
		build.XORQ(sign, x)
		build.MOVQ(x, operand.Mem{Base: to})
	}
	build.ADDQ(operand.Imm(uint64(width)), to)
	build.BLSRQ(mask, mask)
	build.JNZ(operand.LabelRef("value"))
	build.ADDQ(start, from)
	build.JMP(operand.LabelRef("block"))
	build.Label("long")
	if width == 8 { // nine bytes or ten, of which the last has one bit
		build.CMPQ(n, most)
		build.JAE(operand.LabelRef("longer"))
		build.MOVQ(operand.Mem{Base: from, Index: start, Scale: 1}, x)
		build.PEXTQ(sevens, x, x)
		build.MOVBQZX(operand.Mem{Base: from, Index: start, Scale: 1, Disp: 8}, sign)
		build.SHLQ(operand.Imm(57), sign) // without its top bit
		build.SHRQ(operand.Imm(1), sign)
		build.ORQ(sign, x)
		build.CMPQ(n, operand.Imm(9))
		build.JNE(operand.LabelRef("joined"))
		build.MOVBQZX(operand.Mem{Base: from, Index: start, Scale: 1, Disp: 9}, sign)
		build.SHLQ(operand.Imm(63), sign)
		build.ORQ(sign, x)
		build.JMP(operand.LabelRef("joined"))
		build.Label("longer")
	}
	build.ADDQ(start, from)
	build.JMP(operand.LabelRef("done"))
}

// singles decodes 64 varints of one byte.
func singles(width int, to, from, zigzag reg.GPVirtual) {
	one, z := build.YMM(), build.YMM()
	build.VMOVQ(zigzag, z.AsX())
	widen, shift, and, negate := build.VPMOVZXBQ, build.VPSRLQ, build.VPAND, build.VPSUBQ
	if width == 4 {
		widen, shift, negate = build.VPMOVZXBD, build.VPSRLD, build.VPSUBD
		build.VPBROADCASTD(z.AsX(), one)
	} else {
		build.VPBROADCASTQ(z.AsX(), one)
	}
	zero := build.YMM()
	build.VPXOR(zero, zero, zero)
	per := 32 / width
	for i := range block / per {
		x, sign := build.YMM(), build.YMM()
		widen(operand.Mem{Base: from, Disp: i * per}, x)
		and(one, x, sign)
		negate(sign, zero, sign)
		shift(z.AsX(), x, x)
		build.VPXOR(sign, x, x)
		build.VMOVDQU(x, operand.Mem{Base: to, Disp: 32 * i})
	}
	build.ADDQ(operand.Imm(block), from)
	build.ADDQ(operand.U32(block*width), to)
}
