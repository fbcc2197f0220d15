// Command pick writes the kernels of package bitpack that move marked values together with AVX2.
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	slots   = 64 // of a word of marks
	vector  = 32 // bytes
	text    = 64 // bytes that are copied of a text at once
	entries = 8  // bytes of a table for each value of its index
)

func main() {
	build.ConstraintExpr("!purego")
	narrow(1)
	narrow(2)
	wide(4)
	wide(8)
	wide(16)
	texts()
	build.Generate()
}

// wide picks the values of a vector a turn: the table has, for their marks, the halves, of 32 bits, of those that are marked.
func wide(width int) {
	lanes := vector / width
	g := begin(width, lanes, entries)
	place, v := build.YMM(), build.YMM()
	g.turns(func(bits reg.GPVirtual) {
		build.VPMOVZXBD(operand.Mem{Base: g.by, Index: bits, Scale: entries}, place)
		build.VPERMD(operand.Mem{Base: g.src}, place, v)
		build.VMOVDQU(v, operand.Mem{Base: g.dst})
	})
}

// narrow picks eight values a turn: the table has, for their marks, the bytes of those that are marked.
func narrow(width int) {
	g := begin(width, 8, 8*width)
	place, v, at := build.XMM(), build.XMM(), build.GP64()
	g.turns(func(bits reg.GPVirtual) {
		if width == 1 {
			build.VMOVQ(operand.Mem{Base: g.by, Index: bits, Scale: 8}, place)
			build.VMOVQ(operand.Mem{Base: g.src}, v)
			build.VPSHUFB(place, v, v)
			build.VMOVQ(v, operand.Mem{Base: g.dst})
			return
		}
		build.MOVQ(bits, at)
		build.SHLQ(operand.Imm(4), at)
		build.VMOVDQU(operand.Mem{Base: g.src}, v)
		build.VPSHUFB(operand.Mem{Base: g.by, Index: at, Scale: 1}, v, v)
		build.VMOVDQU(v, operand.Mem{Base: g.dst})
	})
}

type picker struct {
	width, lanes              int
	dst, src, marks, left, by reg.GPVirtual
}

func begin(width, lanes, entry int) *picker {
	name := fmt.Sprintf("pick%dAVX2", 8*width)
	build.TEXT(name, 0, "func(dst, src *byte, marks *uint64, words int, by *byte) (bytes int)")
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("%s moves those of %d values of %d bits for each word of marks whose bits are set to dst, and returns how many bytes they have. It writes", name, slots, 8*width),
		fmt.Sprintf("%d values from where the next one goes, for each %d values. dst may be src, or lie before it. by has %d bytes for each value of %d bits.", lanes, lanes, entry, lanes))
	return &picker{width, lanes, param("dst"), param("src"), param("marks"), param("words"), param("by")}
}

// turns writes a loop over words of marks; turn moves the values of lanes bits.
func (g *picker) turns(turn func(bits reg.GPVirtual)) {
	word, bits, count := build.GP64(), build.GP64(), build.GP64()
	first := build.GP64()
	build.MOVQ(g.dst, first)
	build.Label("word")
	build.TESTQ(g.left, g.left)
	build.JZ(operand.LabelRef("done"))
	build.MOVQ(operand.Mem{Base: g.marks}, word)
	for range slots / g.lanes {
		if g.lanes == 8 {
			build.MOVBQZX(word.As8(), bits)
		} else {
			build.MOVQ(word, bits)
			build.ANDQ(operand.Imm(uint64(1)<<g.lanes-1), bits)
		}
		turn(bits)
		build.POPCNTQ(bits, count)
		if g.width == 16 {
			build.SHLQ(operand.Imm(4), count)
			build.ADDQ(count, g.dst)
		} else {
			build.LEAQ(operand.Mem{Base: g.dst, Index: count, Scale: uint8(g.width)}, g.dst)
		}
		build.ADDQ(operand.Imm(uint64(g.width*g.lanes)), g.src)
		build.SHRQ(operand.Imm(uint64(g.lanes)), word)
	}
	build.ADDQ(operand.Imm(8), g.marks)
	build.DECQ(g.left)
	build.JMP(operand.LabelRef("word"))
	build.Label("done")
	build.VZEROUPPER()
	build.SUBQ(first, g.dst)
	build.Store(g.dst, build.ReturnIndex(0))
	build.RET()
}

// texts copies texts of up to 64 bytes one behind another.
func texts() {
	build.TEXT("pickTextsAVX2", 0, "func(dst *byte, at, lastDst int, src *byte, lastSrc int, starts, stops *int32, n, shift int) (done, to int)")
	build.Pragma("noescape")
	build.Doc("pickTextsAVX2 copies texts from src one behind another to dst, from byte at on, up to one that is longer than 64 bytes, begins behind lastSrc, or would",
		"begin behind lastDst. Each is 64 bytes from there. What a text ends at, and shift, replaces its stop. It returns how many texts it copied, and where they end.")
	dst, at, lastDst, src, lastSrc := param("dst"), param("at"), param("lastDst"), param("src"), param("lastSrc")
	starts, stops, n, shift := param("starts"), param("stops"), param("n"), param("shift")
	i, from, size := build.GP64(), build.GP64(), build.GP64()
	low, high := build.YMM(), build.YMM()
	build.XORQ(i, i)
	build.Label("text")
	build.CMPQ(i, n)
	build.JGE(operand.LabelRef("end"))
	build.MOVLQSX(operand.Mem{Base: starts, Index: i, Scale: 4}, from)
	build.MOVLQSX(operand.Mem{Base: stops, Index: i, Scale: 4}, size)
	build.SUBQ(from, size)
	build.CMPQ(size, operand.Imm(text))
	build.JHI(operand.LabelRef("end"))
	build.CMPQ(from, lastSrc)
	build.JHI(operand.LabelRef("end"))
	build.CMPQ(at, lastDst)
	build.JHI(operand.LabelRef("end"))
	build.VMOVDQU(operand.Mem{Base: src, Index: from, Scale: 1}, low)
	build.VMOVDQU(operand.Mem{Base: src, Index: from, Scale: 1, Disp: vector}, high)
	build.VMOVDQU(low, operand.Mem{Base: dst, Index: at, Scale: 1})
	build.VMOVDQU(high, operand.Mem{Base: dst, Index: at, Scale: 1, Disp: vector})
	build.ADDQ(size, at)
	build.LEAQ(operand.Mem{Base: at, Index: shift, Scale: 1}, size)
	build.MOVL(size.As32(), operand.Mem{Base: stops, Index: i, Scale: 4})
	build.INCQ(i)
	build.JMP(operand.LabelRef("text"))
	build.Label("end")
	build.VZEROUPPER()
	build.Store(i, build.ReturnIndex(0))
	build.Store(at, build.ReturnIndex(1))
	build.RET()
}

func param(name string) reg.GPVirtual {
	r := build.GP64()
	build.Load(build.Param(name), r)
	return r
}
