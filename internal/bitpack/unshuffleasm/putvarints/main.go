// Command putvarints writes the kernels of package bitpack that write zig-zag varints with BMI2.
package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// atOnce is how many values a turn has while there is room for all of them.
const atOnce = 4

func main() {
	build.ConstraintExpr("!purego")
	// By the leading zeros of a value: which bytes of its varint have the top bit set, and how many bytes there are.
	more := build.GLOBL("varintMore", build.RODATA|build.NOPTR)
	sizes := make([]uint64, 65)
	for zeros := range sizes {
		size := max((64-zeros+6)/7, 1)
		sizes[zeros] = uint64(size)
		build.DATA(8*zeros, operand.U64(0x8080808080808080&(1<<(8*min(size, 8)-8)-1)))
	}
	size := build.GLOBL("varintSize", build.RODATA|build.NOPTR)
	for zeros, n := range sizes {
		build.DATA(zeros, operand.U8(n))
	}
	for _, k := range []struct {
		name  string
		bytes int
		what  string
	}{{"putZigzag32BMI2", 4, "values of 32 bits"}, {"putZigzag64BMI2", 8, "values of 64 bits"}, {"putZigzag128BMI2", 16, "values of 128 bits"}} {
		kernel(k.name, k.bytes, k.what, more, size)
	}
	build.Generate()
}

// kernel writes varints without a branch that depends on their sizes. Where the next begins hangs on the sizes alone, which are known
// long before the bytes are.
func kernel(name string, bytes int, what string, moreTable, sizeTable operand.Mem) {
	build.TEXT(name, 0, "func(dst *byte, room int, src *byte, n int) (values, size int)")
	build.Pragma("noescape")
	build.Doc(fmt.Sprintf("%s writes %s as zig-zag varints, n of them at the most, up to one that takes more than 56 bits, or that would begin at room or", name, what),
		"behind. It writes eight bytes at each. It returns how many values it wrote, and the bytes they take.")
	param := func(name string) reg.GPVirtual {
		r := build.GP64()
		build.Load(build.Param(name), r)
		return r
	}
	dst, room, src, n := param("dst"), param("room"), param("src"), param("n")
	begin, left := build.GP64(), build.GP64()
	build.MOVQ(dst, begin)
	build.ADDQ(dst, room) // where room ends
	build.MOVQ(n, left)
	more, size, sevens := build.GP64(), build.GP64(), build.GP64()
	build.LEAQ(moreTable, more)
	build.LEAQ(sizeTable, size)
	build.MOVQ(operand.Imm(0x7f7f7f7f7f7f7f7f), sevens)
	value := func(i int, stop string) {
		x, y, zeros := build.GP64(), build.GP64(), build.GP64()
		if bytes == 4 {
			build.MOVLQSX(operand.Mem{Base: src, Disp: bytes * i}, x)
		} else {
			build.MOVQ(operand.Mem{Base: src, Disp: bytes * i}, x)
		}
		build.LEAQ(operand.Mem{Base: x, Index: x, Scale: 1}, y)
		build.SARQ(operand.Imm(63), x)
		if bytes == 16 {
			build.CMPQ(x, operand.Mem{Base: src, Disp: bytes*i + 8})
			build.JNE(operand.LabelRef(stop))
		}
		build.XORQ(x, y)
		build.LZCNTQ(y, zeros)
		if bytes > 4 {
			build.CMPQ(zeros, operand.Imm(8))
			build.JB(operand.LabelRef(stop))
		}
		build.PDEPQ(sevens, y, y)
		build.ORQ(operand.Mem{Base: more, Index: zeros, Scale: 8}, y)
		build.MOVQ(y, operand.Mem{Base: dst})
		build.MOVBQZX(operand.Mem{Base: size, Index: zeros, Scale: 1}, zeros)
		build.ADDQ(zeros, dst)
	}
	last := build.GP64() // from which on a turn of several has no room
	build.LEAQ(operand.Mem{Base: room, Disp: -8 * atOnce}, last)
	build.Label("several")
	build.CMPQ(left, operand.Imm(atOnce))
	build.JB(operand.LabelRef("next"))
	build.CMPQ(dst, last)
	build.JA(operand.LabelRef("next"))
	for i := range atOnce {
		value(i, fmt.Sprintf("stop%d", i))
	}
	build.ADDQ(operand.Imm(uint64(bytes*atOnce)), src)
	build.SUBQ(operand.Imm(atOnce), left)
	build.JMP(operand.LabelRef("several"))

	build.Label("next")
	build.TESTQ(left, left)
	build.JZ(operand.LabelRef("stop0"))
	build.CMPQ(dst, room)
	build.JAE(operand.LabelRef("stop0"))
	value(0, "stop0")
	build.ADDQ(operand.Imm(uint64(bytes)), src)
	build.DECQ(left)
	build.JMP(operand.LabelRef("next"))

	// Of a turn that ended at a value some are written.
	if bytes > 4 {
		for i := atOnce - 1; i > 0; i-- {
			build.Label(fmt.Sprintf("stop%d", i))
			build.DECQ(left)
		}
	}
	build.Label("stop0")
	build.SUBQ(begin, dst)
	build.SUBQ(left, n)
	build.Store(n, build.ReturnIndex(0))
	build.Store(dst, build.ReturnIndex(1))
	build.RET()
}
