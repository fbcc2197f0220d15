// Command gather writes the kernels of package bitpack that copy entries of a dictionary with AVX2.
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	build.ConstraintExpr("!purego")
	for _, width := range []int{1, 16, 32} {
		cells(width)
	}
	long()
	most()
	build.Generate()
}

const unrolled = 4

// cells copies a cell of width bytes for each id, and goes on behind the bytes that are of the entry.
func cells(width int) {
	name := fmt.Sprintf("gather%dAVX2", width)
	build.TEXT(name, 0, "func(dst *byte, ends, ids *int32, n int, cells *byte, lens *uint8, end int) int")
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("%s copies the cells of n ids, of %d bytes each, one behind the other as far as lens says, and adds up their ends from", name, width),
		fmt.Sprintf("end on. It returns the last. %d bytes behind the start of each entry are written.", width))
	dst, ends, ids, n, cells, lens, end := param("dst"), param("ends"), param("ids"), param("n"), param("cells"), param("lens"), param("end")
	id, at, k := build.GP64(), build.GP64(), build.GP64()
	byIDs(n, ids, ends, func(i int) {
		build.MOVL(operand.Mem{Base: ids, Disp: 4 * i}, id.As32())
		build.MOVBQZX(operand.Mem{Base: lens, Index: id, Scale: 1}, k)
		switch width {
		case 1:
			build.MOVBQZX(operand.Mem{Base: cells, Index: id, Scale: 1}, at)
			build.MOVB(at.As8(), operand.Mem{Base: dst})
		case 16:
			build.SHLQ(operand.Imm(4), id)
			v := build.XMM()
			build.VMOVDQU(operand.Mem{Base: cells, Index: id, Scale: 1}, v)
			build.VMOVDQU(v, operand.Mem{Base: dst})
		case 32:
			build.SHLQ(operand.Imm(5), id)
			v := build.YMM()
			build.VMOVDQU(operand.Mem{Base: cells, Index: id, Scale: 1}, v)
			build.VMOVDQU(v, operand.Mem{Base: dst})
		}
		build.ADDQ(k, dst)
		build.ADDQ(k, end)
		build.MOVL(end.As32(), operand.Mem{Base: ends, Disp: 4 * i})
	})
	if width > 1 {
		build.VZEROUPPER()
	}
	build.Store(end, build.ReturnIndex(0))
	build.RET()
}

// long copies blocks of 32 bytes for each id.
func long() {
	build.TEXT("gatherLongAVX2", 0, "func(dst *byte, ends, ids *int32, n int, offsets *int32, entries *byte, blocks, last, end int) (int, int)")
	build.Pragma("noescape")
	build.Doc("gatherLongAVX2 copies the entries of n ids, at entries between offsets, one behind the other, and adds up their ends from end on. It stops at an",
		"entry that begins behind last. It returns how many ids are left, and the last end. blocks of 32 bytes are read from where each entry begins,",
		"and written.")
	dst, ends, ids, n, offsets, entries, last, end := param("dst"), param("ends"), param("ids"), param("n"), param("offsets"), param("entries"), param("last"), param("end")
	blocks := param("blocks")
	id, from, to, k := build.GP64(), build.GP64(), build.GP64(), build.GP64()
	src, out := build.GP64(), build.GP64()
	v := build.YMM()
	build.TESTQ(n, n)
	build.JZ(operand.LabelRef("done"))
	build.Label("turn")
	build.MOVL(operand.Mem{Base: ids}, id.As32())
	build.MOVLQSX(operand.Mem{Base: offsets, Index: id, Scale: 4}, from)
	build.MOVLQSX(operand.Mem{Base: offsets, Index: id, Scale: 4, Disp: 4}, to)
	build.CMPQ(from, last)
	build.JG(operand.LabelRef("done"))
	build.LEAQ(operand.Mem{Base: entries, Index: from, Scale: 1}, src)
	build.MOVQ(dst, out)
	build.MOVQ(blocks, k)
	build.Label("block")
	build.VMOVDQU(operand.Mem{Base: src}, v)
	build.VMOVDQU(v, operand.Mem{Base: out})
	build.ADDQ(operand.Imm(32), src)
	build.ADDQ(operand.Imm(32), out)
	build.DECQ(k)
	build.JNZ(operand.LabelRef("block"))
	build.SUBQ(from, to)
	build.ADDQ(to, dst)
	build.ADDQ(to, end)
	build.MOVL(end.As32(), operand.Mem{Base: ends})
	build.ADDQ(operand.Imm(4), ids)
	build.ADDQ(operand.Imm(4), ends)
	build.DECQ(n)
	build.JNZ(operand.LabelRef("turn"))
	build.Label("done")
	build.VZEROUPPER()
	build.Store(n, build.ReturnIndex(0))
	build.Store(end, build.ReturnIndex(1))
	build.RET()
}

// byIDs calls one for four ids a turn, and then for one.
func byIDs(n, ids, ends reg.GPVirtual, one func(i int)) {
	build.SUBQ(operand.Imm(unrolled), n)
	build.JL(operand.LabelRef("rest"))
	build.Label("turn")
	for i := range unrolled {
		one(i)
	}
	build.ADDQ(operand.Imm(4*unrolled), ids)
	build.ADDQ(operand.Imm(4*unrolled), ends)
	build.SUBQ(operand.Imm(unrolled), n)
	build.JGE(operand.LabelRef("turn"))
	build.Label("rest")
	build.ADDQ(operand.Imm(unrolled), n)
	build.JZ(operand.LabelRef("done"))
	build.Label("single")
	one(0)
	build.ADDQ(operand.Imm(4), ids)
	build.ADDQ(operand.Imm(4), ends)
	build.DECQ(n)
	build.JNZ(operand.LabelRef("single"))
	build.Label("done")
}

// most is the greatest of 32 numbers a turn.
func most() {
	build.TEXT("mostAVX2", 0, "func(ids *int32, turns int) uint32")
	build.Pragma("noescape")
	build.Doc("mostAVX2 returns the greatest of 32 numbers for each turn, taken as having no sign.")
	ids, turns := param("ids"), param("turns")
	var v [4]reg.VecVirtual
	for i := range v {
		v[i] = build.YMM()
		build.VPXOR(v[i], v[i], v[i])
	}
	build.TESTQ(turns, turns)
	build.JZ(operand.LabelRef("done"))
	build.Label("turn")
	for i := range v {
		build.VPMAXUD(operand.Mem{Base: ids, Disp: 32 * i}, v[i], v[i])
	}
	build.ADDQ(operand.U32(128), ids)
	build.DECQ(turns)
	build.JNZ(operand.LabelRef("turn"))
	build.Label("done")
	build.VPMAXUD(v[1], v[0], v[0])
	build.VPMAXUD(v[3], v[2], v[2])
	build.VPMAXUD(v[2], v[0], v[0])
	x, y := v[0].AsX(), build.XMM()
	build.VEXTRACTI128(operand.Imm(1), v[0], y)
	build.VPMAXUD(y, x, x)
	build.VPSHUFD(operand.Imm(0x4e), x, y)
	build.VPMAXUD(y, x, x)
	build.VPSHUFD(operand.Imm(0xb1), x, y)
	build.VPMAXUD(y, x, x)
	out := build.GP32()
	build.VMOVD(x, out)
	build.VZEROUPPER()
	build.Store(out, build.ReturnIndex(0))
	build.RET()
}

func param(name string) reg.GPVirtual {
	r := build.GP64()
	build.Load(build.Param(name), r)
	return r
}
