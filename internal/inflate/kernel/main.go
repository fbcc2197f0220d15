// Command kernel writes the assembly of package inflate for amd64 with AVX2 and BMI2. It is a module of its own so that
// what it needs is nobody else's dependency.
package main

import (
	"flag"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The layout of a Decoder, which package inflate checks when it is compiled.
const (
	litBits  = 11
	distBits = 9

	litAt     = 0
	distAt    = 4 * (1<<litBits + 1024)
	inAt      = distAt + 8*(1<<distBits+512)
	outAt     = inAt + 8
	holdAt    = inAt + 16
	nAt       = inAt + 24
	lastInAt  = inAt + 32
	lastOutAt = inAt + 40
	whyAt     = inAt + 48
	linksAt   = inAt + 56
	stepsAt   = linksAt + 16*32
	tokensAt  = stepsAt + 2*(1<<litBits)
)

// Parts of entries, as in tables.go and tokens.go.
const (
	litLiteral  = 1 << 15
	litSpecial  = 1 << 14
	litSub      = 1 << 20
	litEnd      = 1 << 21
	litBad      = 1 << 22
	litPlace    = 24
	distSpecial = 48
	distSub     = 49
	distPlace   = 50

	mostCopy     = 32
	tokenLiteral = 1 << 6
	tokenSlow    = 0xff << 16
	noLink       = 30
)

// Why the loop ended.
const (
	whyRoom = 1 + iota
	whyEnd
	whyCorrupt
)

func main() {
	flag.Parse()
	build.ConstraintExpr("!purego")
	tokens()
	decode()
	build.Generate()
}

// vector makes 32 bytes of read-only data of eight numbers.
func vector(name string, f func(k int) uint32) operand.Mem {
	m := build.GLOBL(name, attr.RODATA|attr.NOPTR)
	for k := range 8 {
		build.DATA(4*k, operand.U32(f(k)))
	}
	return m
}

// tokens writes the function that makes the tables of tokens, eight entries a turn.
func tokens() {
	build.TEXT("tokensAVX2", build.NOSPLIT, "func(d *uint32)")
	build.Pragma("noescape")
	build.Doc("tokensAVX2 makes the tables of tokens of the Decoder at d.")
	d := build.Load(build.Param("d"), build.GP64())
	same := func(v uint32) func(int) uint32 { return func(int) uint32 { return v } }
	resident := func(m operand.Mem) reg.VecVirtual {
		v := build.YMM()
		build.VMOVDQU(m, v)
		return v
	}
	at := resident(vector("first", func(k int) uint32 { return uint32(k) })) // the indexes of the entries
	eight := vector("eight", same(8))
	low8 := resident(vector("low8", same(255)))
	low4 := resident(vector("low4", same(15)))
	low9 := resident(vector("low9", same(1<<distBits-1)))
	root := resident(vector("root", same(litBits)))
	most := resident(vector("most", same(mostCopy)))
	slow := resident(vector("slow", same(tokenSlow)))
	one := vector("one", same(1))
	literal := vector("literal", same(tokenLiteral|1<<16|2*noLink<<24))
	width := vector("width", same(litBits<<8))

	i := build.GP64()
	build.XORL(i.As32(), i.As32())
	build.Label("turn")
	entries := operand.Mem{Base: d, Disp: litAt, Index: i, Scale: 4}
	e, l, code, length, t := build.YMM(), build.YMM(), build.YMM(), build.YMM(), build.YMM()
	build.VMOVDQU(entries, e)
	build.VPAND(low8, e, l)
	build.VPSRLD(operand.Imm(8), e, code)
	build.VPAND(low4, code, code)
	build.VPSRLVD(code, at, length) // the index behind the code begins with the extra bits
	build.VPSRLD(operand.Imm(24), e, t)
	build.VPAND(t, length, length)
	build.VPSRLD(operand.Imm(16), e, t)
	build.VPAND(low8, t, t)
	build.VPADDD(t, length, length)

	rest, lo := build.YMM(), build.YMM()
	build.VPSRLVD(l, at, rest)
	build.VPAND(low9, rest, rest)
	build.VPCMPEQD(t, t, t)
	build.VPGATHERDD(t, operand.Mem{Base: d, Disp: distAt, Index: rest, Scale: 8}, lo)
	token, total, base := rest, build.YMM(), build.YMM()
	build.VPAND(low8, lo, total)
	build.VPSRLD(operand.Imm(16), lo, base)
	build.VPSRLD(operand.Imm(8), lo, token)
	build.VPAND(low4, token, token)
	build.VPSUBD(token, total, lo) // extra bits
	build.VPADDD(l, total, total)
	build.VPADDD(l, token, token) // bits before the extra bits of the distance
	bad := build.YMM()
	build.VPCMPGTD(root, token, bad)
	build.VPCMPGTD(most, length, t)
	build.VPOR(t, bad, bad)
	build.VPCMPGTD(base, length, t) // base is 0 of what is special
	build.VPOR(t, bad, bad)
	build.VPSLLD(operand.Imm(16), length, length)
	build.VPOR(length, token, token)
	build.VPSUBD(one, base, base)
	build.VPSRLVD(lo, base, base)
	build.VPADDD(lo, base, base)
	build.VPADDD(lo, base, base) // the symbol
	build.VPSLLD(operand.Imm(25), base, base)
	build.VPOR(base, token, token)
	build.VPBLENDVB(bad, slow, token, token)
	build.VPANDN(total, bad, total)

	lits := lo
	build.VMOVDQU(entries, e)
	build.VPSLLD(operand.Imm(16), e, lits)
	build.VPSRAD(operand.Imm(31), lits, lits)
	build.VPSRLD(operand.Imm(24), e, t)
	build.VPSLLD(operand.Imm(8), t, t)
	build.VPOR(literal, t, t)
	build.VPBLENDVB(lits, t, token, token)
	build.VPBLENDVB(lits, l, total, total)
	build.VPOR(width, total, total)

	build.VMOVDQU(token, operand.Mem{Base: d, Disp: tokensAt, Index: i, Scale: 4})
	build.VEXTRACTI128(operand.Imm(1), total, t.AsX())
	build.VPACKUSDW(t.AsX(), total.AsX(), t.AsX())
	build.VMOVDQU(t.AsX(), operand.Mem{Base: d, Disp: stepsAt, Index: i, Scale: 2})
	build.VPADDD(eight, at, at)
	build.ADDQ(operand.Imm(8), i)
	build.CMPQ(i, operand.U32(1<<litBits))
	build.JB(operand.LabelRef("turn"))
	build.VZEROUPPER()
	build.RET()
}

// The registers of the loop.
var (
	d, in, out, hold, n    = reg.RDI, reg.R8, reg.R9, reg.R10, reg.R11
	start, lastIn, lastOut = reg.R12, reg.R13, reg.R14
	index, e, p            = reg.RAX, reg.RDX, reg.R15
	x, y, i                = reg.RCX, reg.RBX, reg.RSI
	wide, half             = reg.Y0, reg.X0
)

func field(at int) operand.Mem { return operand.Mem{Base: d, Disp: at} }

func table(at int, index reg.Register, scale uint8) operand.Mem {
	return operand.Mem{Base: d, Disp: at, Index: index, Scale: scale}
}

func at(r reg.Register, off int) operand.Mem { return operand.Mem{Base: r, Disp: off} }

func to(label string) operand.LabelRef { return operand.LabelRef(label) }

func imm(v uint64) operand.Constant {
	if v < 128 {
		return operand.U8(v)
	}
	return operand.U32(v)
}

// decode writes the function that decodes symbols.
func decode() {
	build.TEXT("decodeAVX2", build.NOSPLIT, "func(d *uint32, dst *byte, src *byte)")
	build.Pragma("noescape")
	build.Doc("decodeAVX2 is Decoder.portable; the tables of tokens must have been made.")
	build.Load(build.Param("d"), d)
	build.Load(build.Param("src"), in)
	build.Load(build.Param("dst"), start)
	build.MOVQ(field(lastInAt), lastIn)
	build.ADDQ(in, lastIn)
	build.ADDQ(field(inAt), in)
	build.MOVQ(field(lastOutAt), lastOut)
	build.ADDQ(start, lastOut)
	build.MOVQ(field(outAt), out)
	build.ADDQ(start, out)
	build.MOVQ(field(holdAt), hold)
	build.MOVQ(field(nAt), n)

	build.Label("begin")
	check()
	build.MOVL(hold.As32(), index.As32())
	build.ANDL(imm(1<<litBits-1), index.As32())
	build.JMP(to("turn"))
	build.Label("loop")
	check()
	build.Label("turn")
	token("First")
	token("Second")
	build.JMP(to("loop"))
	low("First")
	low("Second")
	slow()

	build.Label("end")
	build.SHRXQ(e, hold, hold)
	build.SUBQ(e, n)
	build.MOVL(operand.U32(whyEnd), x.As32())
	build.JMP(to("stop"))
	build.Label("corrupt")
	build.MOVL(operand.U32(whyCorrupt), x.As32())
	build.JMP(to("stop"))
	build.Label("room")
	build.MOVL(operand.U32(whyRoom), x.As32())
	build.Label("stop")
	build.MOVQ(x, field(whyAt))
	build.Load(build.Param("src"), p)
	build.SUBQ(p, in)
	build.MOVQ(in, field(inAt))
	build.SUBQ(start, out)
	build.MOVQ(out, field(outAt))
	build.MOVQ(hold, field(holdAt))
	build.MOVQ(n, field(nAt))
	build.VZEROUPPER()
	build.RET()
}

// check ends the loop near an end of src or dst, and loads input.
func check() {
	build.CMPQ(in, lastIn)
	build.JA(to("room"))
	build.CMPQ(out, lastOut)
	build.JA(to("room"))
	refill()
}

// refill makes 56 bits or more count. All 64 are right.
func refill() {
	build.SHLXQ(n, at(in, 0), x)
	build.ORQ(x, hold)
	build.RORXL(imm(3), n.As32(), x.As32())
	build.ANDL(imm(7), x.As32())
	build.ADDQ(imm(7), in)
	build.SUBQ(x, in)
	build.ORQ(imm(56), n)
}

// token does what a token says, without a branch that depends on what that is. The index of the next one comes from the
// old hold, so that shifting is not waited for.
func token(name string) {
	build.MOVWLZX(table(stepsAt, index, 2), e.As32())
	build.LEAQ(table(tokensAt+1, index, 4), p)
	build.BEXTRQ(e, hold, index)
	build.MOVBLZX(at(p, -1), y.As32())
	build.SHRXQ(y, hold, y)
	build.SHRXQ(e, hold, hold)
	build.SUBQ(e, n)
	build.MOVBLZX(at(p, 2), i.As32())
	build.MOVBLZX(at(p, 1), x.As32())
	build.ANDNL(table(linksAt, i, 8), y.As32(), y.As32())
	build.ADDQ(table(linksAt+8, i, 8), y)
	build.ADDQ(out, y)
	build.CMPL(x.As32(), imm(mostCopy))
	build.JA(to("slow"))
	build.CMPQ(y, start)
	build.JB(to("low" + name))
	build.Label("copy" + name)
	build.TESTB(imm(tokenLiteral), at(p, -1))
	build.CMOVQNE(p, y)
	build.VMOVDQU(at(y, 0), wide)
	build.VMOVDQU(wide, at(out, 0))
	build.ADDQ(x, out)
}

// low lets literals go on, which have a distance that may be too far.
func low(name string) {
	build.Label("low" + name)
	build.TESTB(imm(tokenLiteral), at(p, -1))
	build.JNE(to("copy" + name))
	build.JMP(to("corrupt"))
}

// slow decodes a symbol that is no token: nothing of it has been consumed.
func slow() {
	flagged := func(bits uint32) { build.TESTL(operand.U32(bits), e.As32()) }
	build.Label("slow")
	refill()
	build.MOVL(hold.As32(), p.As32())
	build.ANDL(imm(1<<litBits-1), p.As32())
	build.LEAQ(table(litAt+2, p, 4), p)
	build.MOVL(at(p, -2), e.As32())
	flagged(litSpecial)
	build.JZ(to("symbol"))
	flagged(litSub)
	build.JZ(to("special"))
	build.SHRQ(imm(litBits), hold)
	build.SUBQ(imm(litBits), n)
	subtable(litPlace, 1<<litBits)
	build.LEAQ(table(litAt+2, i, 4), p)
	build.MOVL(at(p, -2), e.As32())
	flagged(litSpecial)
	build.JZ(to("symbol"))
	build.Label("special")
	flagged(litEnd)
	build.JNZ(to("end"))
	flagged(litBad)
	build.JNZ(to("corrupt"))
	build.SHRXQ(e, hold, hold)
	build.SUBQ(e, n)
	build.MOVL(operand.U32(258), x.As32())
	build.JMP(to("distance"))

	build.Label("symbol")
	flagged(litLiteral)
	build.JZ(to("length"))
	build.SHRXQ(e, hold, hold)
	build.SUBQ(e, n)
	build.SHRL(imm(24), e.As32())
	build.MOVB(e.As8(), at(out, 0))
	build.INCQ(out)
	build.JMP(to("begin"))

	build.Label("length")
	take(x)
	build.MOVBLZX(at(p, 0), e.As32())
	build.ADDL(e.As32(), x.As32())

	build.Label("distance")
	build.MOVL(hold.As32(), i.As32())
	build.ANDL(imm(1<<distBits-1), i.As32())
	build.MOVQ(table(distAt, i, 8), e)
	build.BTQ(imm(distSpecial), e)
	build.JCC(to("match"))
	build.BTQ(imm(distSub), e)
	build.JCC(to("corrupt"))
	build.SHRQ(imm(distBits), hold)
	build.SUBQ(imm(distBits), n)
	subtable(distPlace, 1<<distBits)
	build.MOVQ(table(distAt, i, 8), e)
	build.BTQ(imm(distSpecial), e)
	build.JCS(to("corrupt"))
	build.Label("match")
	take(y)
	build.MOVWLZX(table(distAt+2, i, 8), i.As32())
	build.ADDL(i.As32(), y.As32())
	build.MOVQ(out, i)
	build.SUBQ(y, i)
	build.CMPQ(i, start)
	build.JB(to("corrupt"))
	build.ADDQ(out, x) // the end
	build.CMPL(y.As32(), imm(16))
	build.JB(to("near"))
	build.CMPL(y.As32(), imm(32))
	build.JB(to("copy16"))
	copies("copy32", wide, 32)
	copies("copy16", half, 16)

	// Of a distance below 16 the bytes are repeated within a vector, as often as they go in whole.
	patterns := build.GLOBL("patterns", attr.RODATA|attr.NOPTR)
	for k := 0; k < 256; k += 8 {
		var v uint64
		for b := range 8 {
			v |= uint64((k+b)%16%max(k/16, 1)) << (8 * b)
		}
		build.DATA(k, operand.U64(v))
	}
	periods := build.GLOBL("periods", attr.RODATA|attr.NOPTR)
	for dist := range 16 {
		build.DATA(dist, operand.U8(uint8(16-16%max(dist, 1))))
	}
	build.Label("near")
	build.VMOVDQU(at(i, 0), half)
	build.LEAQ(periods, p)
	build.MOVBLZX(operand.Mem{Base: p, Index: y, Scale: 1}, i.As32())
	build.SHLL(imm(4), y.As32())
	build.LEAQ(patterns, p)
	build.VPSHUFB(operand.Mem{Base: p, Index: y, Scale: 1}, half, half)
	build.Label("repeat")
	build.VMOVDQU(half, at(out, 0))
	build.ADDQ(i, out)
	build.CMPQ(out, x)
	build.JB(to("repeat"))
	build.MOVQ(x, out)
	build.JMP(to("begin"))
}

// take takes the bits of entry e from hold; what lies behind the code ends in r. e is lost.
func take(r reg.GPPhysical) {
	build.BZHIQ(e, hold, r)
	build.SHRXQ(e, hold, hold)
	build.SUBQ(e, n)
	build.SHRL(imm(8), e.As32())
	build.SHRXQ(e, r, r)
}

// subtable leaves in i the index that the pointer e and hold lead to.
func subtable(place uint64, root uint64) {
	build.MOVL(e.As32(), y.As32())
	build.SHRL(imm(8), y.As32())
	build.ANDL(imm(15), y.As32())
	build.BZHIQ(y, hold, y)
	build.SHRQ(imm(place), e)
	build.LEAQ(operand.Mem{Base: y, Index: e, Scale: 4, Disp: int(root)}, i)
}

func copies(name string, v reg.VecPhysical, size uint64) {
	build.Label(name)
	build.VMOVDQU(at(i, 0), v)
	build.VMOVDQU(v, at(out, 0))
	build.ADDQ(imm(size), i)
	build.ADDQ(imm(size), out)
	build.CMPQ(out, x)
	build.JB(to(name))
	build.MOVQ(x, out)
	build.JMP(to("begin"))
}
