// Command times writes the kernel of package bitpack that makes timestamps with AVX2.
package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Where the fields of a TimeRule begin, whose order this is; each but the last has eight bytes.
const (
	epoch = 8 * iota
	kept
	least
	most
	perSecond
	recip
	shift
	zeros // eight numbers of 32 bits
)

func main() {
	build.ConstraintExpr("!purego")
	build.TEXT("timesAVX2", 0, "func(dst, secs, nanos *int64, n int, by *byte) (bad uint64)")
	build.Pragma("noescape")
	build.Doc("timesAVX2 is Times for n values, n a multiple of four from four on. by is a TimeRule. The top bit of bad is set if some value",
		"needs a closer look; then the results are void.")
	dst, secs, nanos, n, by := param("dst"), param("secs"), param("nanos"), param("n"), param("by")
	field := func(at int) reg.VecVirtual {
		v := build.YMM()
		build.VPBROADCASTQ(operand.Mem{Base: by, Disp: at}, v)
		return v
	}
	wrong, zero := build.YMM(), build.YMM()
	build.VPXOR(wrong, wrong, wrong)
	build.VPXOR(zero, zero, zero)
	scale := build.YMM()
	build.VMOVDQU(operand.Mem{Base: by, Disp: zeros}, scale)
	unit, part := field(perSecond), field(recip)
	count := build.XMM()
	build.VMOVQ(operand.Mem{Base: by, Disp: shift}, count)

	x, s, t := build.YMM(), build.YMM(), build.YMM()
	bound := build.YMM()
	build.Label("four")
	// The nanoseconds, without the zeros that were cut off, times those.
	build.VMOVDQU(operand.Mem{Base: nanos}, x)
	build.VPSRLQ(operand.Imm(3), x, t)
	build.VPSRLQ(operand.Imm(33), x, bound) // more than 30 bits
	build.VPSUBQ(bound, zero, bound)
	build.VPOR(bound, wrong, wrong)
	build.VPSLLQ(operand.Imm(61), x, x)
	build.VPSRLQ(operand.Imm(61), x, x)
	build.VPERMD(scale, x, x)
	build.VPMULUDQ(x, t, x)
	build.VPBROADCASTQ(second(), t)
	build.VPSUBQ(x, t, t)
	build.VPOR(t, wrong, wrong)
	// The seconds, one less where the writer rounded towards zero.
	build.VMOVDQU(operand.Mem{Base: secs}, s)
	build.VPBROADCASTQ(farthest(), bound)
	build.VPADDQ(bound, s, t)
	build.VPOR(t, wrong, wrong)
	build.VPSUBQ(s, bound, t)
	build.VPOR(t, wrong, wrong)
	build.VPBROADCASTQ(operand.Mem{Base: by, Disp: epoch}, t)
	build.VPADDQ(t, s, s)
	build.VPBROADCASTQ(operand.Mem{Base: by, Disp: kept}, t)
	build.VPCMPGTQ(t, x, t)
	build.VPCMPGTQ(s, zero, bound)
	build.VPAND(bound, t, t)
	build.VPADDQ(t, s, s)
	build.VPBROADCASTQ(operand.Mem{Base: by, Disp: least}, t)
	build.VPSUBQ(t, s, t)
	build.VPOR(t, wrong, wrong)
	build.VPBROADCASTQ(operand.Mem{Base: by, Disp: most}, t)
	build.VPSUBQ(s, t, t)
	build.VPOR(t, wrong, wrong)
	// The unit.
	build.VPMULUDQ(part, x, x)
	build.VPSRLQ(count, x, x)
	build.VPSRLQ(operand.Imm(32), s, t)
	build.VPMULUDQ(unit, t, t)
	build.VPSLLQ(operand.Imm(32), t, t)
	build.VPMULUDQ(unit, s, s)
	build.VPADDQ(t, s, s)
	build.VPADDQ(x, s, s)
	build.VMOVDQU(s, operand.Mem{Base: dst})
	for _, p := range []reg.GPVirtual{dst, secs, nanos} {
		build.ADDQ(operand.Imm(32), p)
	}
	build.SUBQ(operand.Imm(4), n)
	build.JNZ(operand.LabelRef("four"))

	top := build.GP32()
	build.VMOVMSKPD(wrong, top)
	bad := build.GP64()
	build.XORQ(bad, bad)
	build.NEGL(top) // the carry says that there is one
	build.SBBQ(bad, bad)
	build.Store(bad, build.ReturnIndex(0))
	build.VZEROUPPER()
	build.RET()
	build.Generate()
}

var constants = map[string]operand.Mem{}

func constant(name string, v uint64) operand.Mem {
	m, ok := constants[name]
	if !ok {
		m = build.GLOBL(name, build.RODATA|build.NOPTR)
		build.DATA(0, operand.U64(v))
		constants[name] = m
	}
	return m
}

// second is the most nanoseconds; farthest is beyond any time.
func second() operand.Mem   { return constant("second", 999_999_999) }
func farthest() operand.Mem { return constant("farthest", 1<<62) }

func param(name string) reg.GPVirtual {
	r := build.GP64()
	build.Load(build.Param(name), r)
	return r
}
