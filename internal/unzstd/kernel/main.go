// Command kernel writes the assembly of package unzstd for amd64 with AVX2 and BMI2. It is a module of its own so that
// what it needs is nobody else's dependency.
package main

import (
	"flag"
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The layout of a Decoder, which package unzstd checks when it is compiled.
const (
	literalsAt = 0 // the tables
	offsetsAt  = 4096
	matchesAt  = 8192
	statesAt   = 12288
	posAt      = statesAt + 24
	repeatsAt  = statesAt + 32
	fromAt     = statesAt + 56
	outAt      = statesAt + 64
	limitAt    = statesAt + 72
	literalAt  = statesAt + 80
	endAt      = statesAt + 88
	leftAt     = statesAt + 96
	windowAt   = statesAt + 104
	whyAt      = statesAt + 112
	streamsAt  = statesAt + 120
	huffmanAt  = streamsAt + 64
)

const (
	quarter  = 32<<10 + 64
	codeMask = 1<<11 - 1
	symbolAt = 16
)

// Why executing sequences ended for good.
const (
	whyCorrupt = 1 + iota
	whyLarge
	whyZero
)

func main() {
	flag.Parse()
	build.ConstraintExpr("!purego")
	reverse()
	for _, n := range []int{5, 6, 7} {
		huffman(4, n)
	}
	huffman(1, 5)
	sequences()
	build.Generate()
}

func at(r reg.Register, off int) operand.Mem { return operand.Mem{Base: r, Disp: off} }

func to(label string) operand.LabelRef { return operand.LabelRef(label) }

// local is a word of the frame.
func local(i int) operand.Mem { return operand.Mem{Base: reg.StackPointer, Disp: 8 * i} }

func imm(v uint64) operand.Constant {
	if v < 128 {
		return operand.U8(v)
	}
	return operand.U32(v)
}

// table32 makes read-only data of 16 bytes, twice.
func table32(name string, f func(k int) uint8) operand.Mem {
	m := build.GLOBL(name, attr.RODATA|attr.NOPTR)
	for k := range 32 {
		build.DATA(k, operand.U8(f(k%16)))
	}
	return m
}

func reverse() {
	build.TEXT("reverseAVX2", build.NOSPLIT, "func(dst *byte, src *byte, n int)")
	build.Pragma("noescape")
	build.Doc("reverseAVX2 writes the bits of n bytes to dst, the last one first; n is a multiple of 32, and above 0.")
	dst, src, n := build.Load(build.Param("dst"), build.GP64()), build.Load(build.Param("src"), build.GP64()), build.Load(build.Param("n"), build.GP64())
	low, high, order, mask := build.YMM(), build.YMM(), build.YMM(), build.YMM()
	build.VMOVDQU(table32("reversedLow", func(k int) uint8 { return bits.Reverse8(uint8(k)) }), low)
	build.VMOVDQU(table32("reversedHigh", func(k int) uint8 { return bits.Reverse8(uint8(k) << 4) }), high)
	build.VMOVDQU(table32("lastFirst", func(k int) uint8 { return uint8(15 - k) }), order)
	build.VMOVDQU(table32("nibbles", func(int) uint8 { return 15 }), mask)
	build.Label("more")
	v, h := build.YMM(), build.YMM()
	build.VPERMQ(operand.Imm(0x4e), at(src, 0), v)
	build.VPSHUFB(order, v, v)
	build.VPSRLW(operand.Imm(4), v, h)
	build.VPAND(mask, v, v)
	build.VPAND(mask, h, h)
	build.VPSHUFB(v, low, v)
	build.VPSHUFB(h, high, h)
	build.VPOR(v, h, v)
	build.VMOVDQU(v, operand.Mem{Base: dst, Index: n, Scale: 1, Disp: -32})
	build.ADDQ(imm(32), src)
	build.SUBQ(imm(32), n)
	build.JNE(to("more"))
	build.VZEROUPPER()
	build.RET()
}

// huffman writes a function that decodes streams. Symbols of four streams take turns, so that one stream's are looked up while
// another's are waited for. The index of the next symbol comes from the old hold, so that shifting is not waited for.
func huffman(streams, perLoad int) {
	name := fmt.Sprintf("huffman%dx%dAVX2", streams, perLoad)
	build.TEXT(name, build.NOSPLIT, "func(d *uint64, dst *byte, src *byte, n int)")
	build.Pragma("noescape")
	if streams == 1 {
		build.Doc(fmt.Sprintf("%s decodes n symbols of the first stream of the Decoder at d to dst; n is a multiple of %d.", name, perLoad))
	} else {
		build.Doc(fmt.Sprintf("%s decodes n symbols of each stream of the Decoder at d, to dst and places a quarter further on each; n is a multiple of %d.", name, perLoad))
	}
	build.AllocLocal(48)
	const end = 4
	hold := []reg.GPPhysical{reg.R8, reg.R9, reg.R10, reg.R11}[:streams]
	have := []reg.GPPhysical{reg.R12, reg.R13, reg.R14, reg.R15}
	index := []reg.GPPhysical{reg.RCX, reg.RDX, reg.RBX, reg.RBP}
	table, dst, e := reg.RDI, reg.RSI, reg.RAX
	build.Load(build.Param("d"), table)
	build.Load(build.Param("src"), dst)
	for i := range hold {
		build.MOVQ(at(table, streamsAt+16*i), reg.RCX)
		build.MOVQ(reg.RCX, reg.RDX)
		build.SHRQ(imm(3), reg.RDX)
		build.ADDQ(dst, reg.RDX)
		build.ANDL(imm(7), reg.ECX)
		build.SHRXQ(reg.RCX, at(reg.RDX, 0), hold[i])
		build.MOVL(operand.U32(64), have[i].As32())
		build.SUBQ(reg.RCX, have[i])
		build.ADDQ(imm(8), reg.RDX)
		build.MOVQ(reg.RDX, local(i))
	}
	build.Load(build.Param("dst"), dst)
	build.Load(build.Param("n"), e)
	build.ADDQ(dst, e)
	build.MOVQ(e, local(end))
	build.ADDQ(operand.U32(huffmanAt), table)
	next := func(i int) {
		build.MOVL(hold[i].As32(), index[i].As32())
		build.ANDL(imm(codeMask), index[i].As32())
	}
	for i := range hold {
		next(i)
	}
	build.Label("turn")
	for k := range perLoad {
		for i := range hold {
			build.MOVL(operand.Mem{Base: table, Index: index[i], Scale: 4}, e.As32())
			if k < perLoad-1 {
				build.BEXTRQ(e, hold[i], index[i])
			}
			build.SHRXQ(e, hold[i], hold[i])
			build.SUBL(e.As32(), have[i].As32())
			build.SHRL(imm(symbolAt), e.As32())
			build.MOVB(e.As8(), at(dst, i*quarter+k))
			if k < perLoad-1 {
				continue
			}
			in, x := e, index[i]
			build.MOVQ(local(i), in)
			build.SHLXQ(have[i], at(in, 0), x)
			build.ORQ(x, hold[i])
			build.RORXL(imm(3), have[i].As32(), x.As32())
			build.ANDL(imm(7), x.As32())
			build.ADDQ(imm(7), in)
			build.SUBQ(x, in)
			build.MOVQ(in, local(i))
			build.ORQ(imm(56), have[i])
			next(i)
		}
	}
	build.ADDQ(imm(uint64(perLoad)), dst)
	build.CMPQ(dst, local(end))
	build.JB(to("turn"))
	build.Load(build.Param("d"), table)
	build.Load(build.Param("src"), dst)
	for i := range hold {
		build.MOVQ(local(i), e)
		build.SUBQ(dst, e)
		build.SHLQ(imm(3), e)
		build.MOVBLZX(have[i].As8(), have[i].As32())
		build.SUBQ(have[i], e)
		build.MOVQ(e, at(table, streamsAt+16*i))
	}
	build.RET()
}

// sequences writes the function that executes sequences.
func sequences() {
	build.TEXT("sequencesAVX2", build.NOSPLIT, "func(d *uint64, dst *byte, src *byte, lits *byte)")
	build.Pragma("noescape")
	build.Doc("sequencesAVX2 executes sequences of the Decoder at d until one is left, or one needs care, of which nothing is done then.")
	build.AllocLocal(64)
	const bitsBase, outEnd, literalEnd, outStart, left, repeat2, repeat3, window = 0, 1, 2, 3, 4, 5, 6, 7
	d, pos := reg.RDI, reg.RSI
	litState, matchState, offState := reg.R8, reg.R9, reg.R10
	out, lit, repeat1 := reg.R11, reg.R12, reg.R13
	a, b, c, h, t := reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.R14
	match, literal := reg.R15, reg.RBP
	half := reg.X0
	entry := func(table int, state reg.Register, off int) operand.Mem {
		return operand.Mem{Base: d, Index: state, Scale: 8, Disp: table + off}
	}

	build.Load(build.Param("d"), d)
	for _, k := range []struct {
		to   reg.GPPhysical
		from int
	}{{litState, statesAt}, {offState, statesAt + 8}, {matchState, statesAt + 16}, {pos, posAt}, {repeat1, repeatsAt}, {out, outAt}, {lit, literalAt}} {
		build.MOVQ(at(d, k.from), k.to)
	}
	for _, k := range []struct{ to, from int }{{left, leftAt}, {repeat2, repeatsAt + 8}, {repeat3, repeatsAt + 16}, {window, windowAt}} {
		build.MOVQ(at(d, k.from), a)
		build.MOVQ(a, local(k.to))
	}
	build.DECQ(local(left))
	build.Load(build.Param("src"), a)
	build.MOVQ(a, local(bitsBase))
	build.Load(build.Param("dst"), a)
	build.ADDQ(a, out)
	build.MOVQ(at(d, limitAt), b)
	build.ADDQ(a, b)
	build.MOVQ(b, local(outEnd))
	build.ADDQ(at(d, fromAt), a)
	build.MOVQ(a, local(outStart))
	build.Load(build.Param("lits"), a)
	build.ADDQ(a, lit)
	build.ADDQ(at(d, endAt), a)
	build.MOVQ(a, local(literalEnd))

	// The bits of the sequence are in h. c counts those that are left, in its lowest 6 bits.
	build.Label("sequence")
	build.MOVQ(pos, b)
	build.SHRQ(imm(3), b)
	build.ADDQ(local(bitsBase), b)
	build.MOVQ(at(b, -7), h)
	build.MOVL(entry(literalsAt, litState, 0), a.As32())
	build.ADDL(entry(matchesAt, matchState, 0), a.As32())
	build.MOVQ(pos, c)
	build.ORQ(imm(56), c)
	all := func() { // the sum of all bits to b
		build.MOVBLZX(reg.AH, b.As32())
		build.MOVBLZX(a.As8(), t.As32())
		build.ADDL(t.As32(), b.As32())
	}
	value := func(table int, state, v reg.GPPhysical) {
		build.MOVBLZX(entry(table, state, 1), b.As32())
		build.SUBL(b.As32(), c.As32())
		build.SHRXQ(c, h, v)
		build.BZHIQ(b, v, v)
		build.ADDL(entry(table, state, 4), v.As32())
	}
	advance := func(table int, state reg.GPPhysical) {
		build.MOVL(entry(table, state, 0), b.As32())
		build.SUBL(b.As32(), c.As32())
		build.SHRXQ(c, h, t)
		build.BZHIQ(b, t, state)
		build.SHRL(imm(16), b.As32())
		build.ADDL(b.As32(), state.As32())
	}
	build.TESTL(operand.U32(0xff00), a.As32())
	build.JNE(to("extra"))
	build.ADDL(entry(offsetsAt, offState, 0), a.As32()) // at most 56 bits in all
	all()
	build.SUBQ(b, pos)
	build.JCS(to("corrupt"))
	value(offsetsAt, offState, a)
	build.MOVL(entry(matchesAt, matchState, 4), match.As32())
	build.MOVL(entry(literalsAt, litState, 4), literal.As32())
	build.Label("states")
	advance(literalsAt, litState)
	advance(matchesAt, matchState)
	advance(offsetsAt, offState)

	build.LEAQ(at(a, -3), c)
	build.CMPQ(a, imm(3))
	build.JLS(to("repeated"))
	build.MOVQ(local(repeat2), t)
	build.MOVQ(t, local(repeat3))
	build.MOVQ(repeat1, local(repeat2))
	build.MOVQ(c, repeat1)
	build.Label("execute")
	build.VMOVDQU(at(lit, 0), half)
	build.VMOVDQU(half, at(out, 0))
	build.LEAQ(operand.Mem{Base: out, Index: literal, Scale: 1}, a)
	build.LEAQ(operand.Mem{Base: a, Index: match, Scale: 1}, b)
	build.ADDQ(literal, lit)
	build.CMPQ(lit, local(literalEnd))
	build.JA(to("corrupt"))
	build.CMPQ(b, local(outEnd))
	build.JA(to("large"))
	build.CMPQ(literal, imm(16))
	build.JA(to("literals"))
	build.Label("match")
	build.MOVQ(a, out)
	build.SUBQ(c, a) // where the match is
	build.JCS(to("corrupt"))
	build.CMPQ(a, local(outStart))
	build.JCS(to("corrupt"))
	build.CMPQ(c, local(window))
	build.JA(to("corrupt"))
	build.CMPQ(match, imm(16))
	build.JA(to("long"))
	build.CMPQ(c, match)
	build.JB(to("overlap"))
	build.VMOVDQU(at(a, 0), half)
	build.VMOVDQU(half, at(out, 0))
	build.MOVQ(b, out)
	build.Label("next")
	build.DECQ(local(left))
	build.JNE(to("sequence"))
	build.XORL(h.As32(), h.As32())
	build.JMP(to("done"))

	// Lengths with extra bits.
	build.Label("extra")
	build.ADDL(entry(offsetsAt, offState, 0), a.As32())
	all()
	build.CMPL(b.As32(), imm(56))
	build.JA(to("care"))
	build.SUBQ(b, pos)
	build.JCS(to("corrupt"))
	value(offsetsAt, offState, a)
	value(matchesAt, matchState, match)
	value(literalsAt, litState, literal)
	build.JMP(to("states"))

	// One of the last offsets, or the last but one less: b says which; c, h and t are then the last three.
	build.Label("repeated")
	build.XORL(b.As32(), b.As32())
	build.TESTL(literal.As32(), literal.As32())
	build.SETEQ(b.As8())
	build.LEAQ(operand.Mem{Base: a, Index: b, Scale: 1, Disp: -1}, b)
	build.LEAQ(at(repeat1, -1), c)
	build.MOVQ(local(repeat3), h)
	build.MOVQ(local(repeat2), t)
	build.CMPQ(b, imm(2))
	build.CMOVQEQ(h, c)
	build.CMOVQCC(t, h)
	build.CMPQ(b, imm(1))
	build.CMOVQEQ(t, c)
	build.CMOVQCS(repeat1, c)
	build.CMOVQCC(repeat1, t)
	build.MOVQ(h, local(repeat3))
	build.MOVQ(t, local(repeat2))
	build.MOVQ(c, repeat1)
	build.JMP(to("execute"))

	build.Label("literals")
	build.SUBQ(literal, lit)
	build.ADDQ(lit, literal) // where they end
	build.Label("literalsMore")
	build.ADDQ(imm(16), lit)
	build.ADDQ(imm(16), out)
	build.VMOVDQU(at(lit, 0), half)
	build.VMOVDQU(half, at(out, 0))
	build.LEAQ(at(out, 16), t)
	build.CMPQ(t, a)
	build.JB(to("literalsMore"))
	build.MOVQ(literal, lit)
	build.JMP(to("match"))

	build.Label("long")
	build.CMPQ(c, imm(32))
	build.JCC(to("copy32"))
	build.Label("overlap")
	build.CMPQ(c, imm(16))
	build.JB(to("near"))
	copies("copy16", a, out, b, half, 16)
	copies("copy32", a, out, b, reg.Y0, 32)

	// Of an offset below 16 the bytes are repeated within a vector, as often as they go in whole.
	patterns := build.GLOBL("patterns", attr.RODATA|attr.NOPTR)
	for k := range 256 {
		build.DATA(k, operand.U8(uint8(k%16%max(k/16, 1))))
	}
	periods := build.GLOBL("periods", attr.RODATA|attr.NOPTR)
	for dist := range 16 {
		build.DATA(dist, operand.U8(uint8(16-16%max(dist, 1))))
	}
	build.Label("near")
	build.TESTQ(c, c)
	build.JEQ(to("zero"))
	build.VMOVDQU(at(a, 0), half)
	build.LEAQ(periods, h)
	build.MOVBLZX(operand.Mem{Base: h, Index: c, Scale: 1}, t.As32())
	build.SHLL(imm(4), c.As32())
	build.LEAQ(patterns, h)
	build.VPSHUFB(operand.Mem{Base: h, Index: c, Scale: 1}, half, half)
	build.Label("repeat")
	build.VMOVDQU(half, at(out, 0))
	build.ADDQ(t, out)
	build.CMPQ(out, b)
	build.JB(to("repeat"))
	build.MOVQ(b, out)
	build.JMP(to("next"))

	build.Label("corrupt")
	build.MOVL(operand.U32(whyCorrupt), h.As32())
	build.JMP(to("done"))
	build.Label("large")
	build.MOVL(operand.U32(whyLarge), h.As32())
	build.JMP(to("done"))
	build.Label("zero")
	build.MOVL(operand.U32(whyZero), h.As32())
	build.JMP(to("done"))
	build.Label("care")
	build.XORL(h.As32(), h.As32())
	build.Label("done")
	build.MOVQ(h, at(d, whyAt))
	build.Load(build.Param("dst"), a)
	build.SUBQ(a, out)
	build.Load(build.Param("lits"), a)
	build.SUBQ(a, lit)
	build.INCQ(local(left))
	for _, k := range []struct {
		from reg.GPPhysical
		to   int
	}{{litState, statesAt}, {offState, statesAt + 8}, {matchState, statesAt + 16}, {pos, posAt}, {repeat1, repeatsAt}, {out, outAt}, {lit, literalAt}} {
		build.MOVQ(k.from, at(d, k.to))
	}
	for _, k := range []struct{ from, to int }{{left, leftAt}, {repeat2, repeatsAt + 8}, {repeat3, repeatsAt + 16}} {
		build.MOVQ(local(k.from), a)
		build.MOVQ(a, at(d, k.to))
	}
	build.VZEROUPPER()
	build.RET()
}

// copies copies from from to to until end, size bytes at a time.
func copies(name string, from, to_, end reg.GPPhysical, v reg.VecPhysical, size uint64) {
	build.Label(name)
	build.VMOVDQU(at(from, 0), v)
	build.VMOVDQU(v, at(to_, 0))
	build.ADDQ(imm(size), from)
	build.ADDQ(imm(size), to_)
	build.CMPQ(to_, end)
	build.JB(to(name))
	build.MOVQ(end, to_)
	build.JMP(to("next"))
}
