package inflate

import "math/bits"

// A symbol is found by indexing a table with the next rootBits bits of input. Codes that are longer have an entry there
// that points to a subtable, which is indexed with the bits that follow.
//
// The sizes of the subtables have a bound. A subtable of 1<<s entries holds a complete set of codes of up to s bits,
// that is, s+1 codes at least, and takes four entries at least. Of literal/length codes there are 288 and s <= 4, so
// 288/5*16 < 1024 entries do; of distance codes there are 32 and s <= 6: 32/7*64 < 512.
const (
	litBits  = 11
	distBits = 9
	clBits   = 7
	litMask  = 1<<litBits - 1
	distMask = 1<<distBits - 1
	clMask   = 1<<clBits - 1
	litSize  = 1<<litBits + 1024
	distSize = 1<<distBits + 512

	maxCodeLen = 15
)

// An entry holds all that is needed to act on a symbol. Both kinds have
//
//	bits 0..7    bits to consume: code and extra bits. The fast loops subtract whole entries from their bit
//	             counts, so nothing may borrow from here: the count is at most 15+13.
//	bits 8..11   bits of the code alone; in a pointer to a subtable, log2 of its size
//	bits 12, 13  zero
//
// and then, of literals and lengths (32 bits):
//
//	bit 14       special, and bits 16..23 are above every length: with bit 20 a pointer to a subtable, its place in
//	             bits 24..31; with bit 21 the end of the block; with bit 22 not legal; otherwise the length 258
//	bit 15       literal
//	bits 16..23  base length; 1 of a literal
//	bits 24..31  mask of the extra bits; the byte of a literal
//
// of distances (64 bits):
//
//	bits 16..31  base distance; 0 if special
//	bits 32..47  mask of the extra bits
//	bit 48       special: with bit 49 a pointer to a subtable, its place in bits 50 and up, and nothing to
//	             consume; otherwise not legal
//
// The place of a subtable is counted from the end of the root, in units of four entries.
const (
	litLiteral = 1 << 15
	litSpecial = 1<<14 | 1<<23
	litSub     = 1 << 20
	litEnd     = 1 << 21
	litBad     = 1 << 22
	litPlace   = 24

	distSpecial = 1 << 48
	distSub     = 1 << 49
	distPlace   = 50

	isSpecial = 1 << 14 // tells litSpecial

	// What a length's base and its extra bits give for 258 has to be raised by so much.
	toLongest = 258 - 1<<7

	clBad = 31 << 16

	codeLen = 1<<8 | 1 // adds one bit to both counts of an entry
)

// litSymbols and distSymbols are the entries of the symbols less the lengths of their codes; clSymbols are those of the
// code length alphabet, with the symbol in bits 16 and up.
var (
	litSymbols  = makeLitSymbols()
	distSymbols = makeDistSymbols()
	clSymbols   = makeCLSymbols()
)

func makeLitSymbols() (t [288]uint32) {
	for i := range 256 {
		t[i] = litLiteral | 1<<16 | uint32(i)<<24
	}
	t[256] = litSpecial | litEnd
	base := uint32(3)
	for i := uint32(0); i < 28; i++ {
		extra := uint32(0)
		if i >= 8 {
			extra = i/4 - 1
		}
		t[257+i] = base<<16 | (1<<extra-1)<<24 | extra
		base += 1 << extra
	}
	t[285] = litSpecial // out of line: 284 could say 258 too
	t[286] = litSpecial | litBad
	t[287] = litSpecial | litBad
	return t
}

func makeDistSymbols() (t [32]uint64) {
	base := uint64(1)
	for i := uint64(0); i < 30; i++ {
		extra := uint64(0)
		if i >= 4 {
			extra = i/2 - 1
		}
		t[i] = base<<16 | (1<<extra-1)<<32 | extra
		base += 1 << extra
	}
	t[30] = distSpecial
	t[31] = distSpecial
	return t
}

func makeCLSymbols() (t [19]uint32) {
	for i := range t {
		t[i] = uint32(i) << 16
	}
	return t
}

// code describes a canonical prefix code: its symbols in the order of their codes, and how many have each length.
type code struct {
	count [maxCodeLen + 1]uint16
	syms  [288]uint16
}

// set sorts the symbols. It returns how many there are, and whether their codes use up the code space exactly; fits
// is false if they need more than there is.
func (c *code) set(lens []uint8) (used int, complete, fits bool) {
	c.count = [maxCodeLen + 1]uint16{}
	for _, l := range lens {
		c.count[l&maxCodeLen]++
	}
	used = len(lens) - int(c.count[0])
	c.count[0] = 0
	left := 1
	var next [maxCodeLen + 2]uint16
	for l := 1; l <= maxCodeLen; l++ {
		left = left<<1 - int(c.count[l])
		if left < 0 {
			return used, false, false
		}
		next[l+1] = next[l] + c.count[l]
	}
	for s, l := range lens {
		if l != 0 {
			c.syms[next[l&maxCodeLen]] = uint16(s)
			next[l&maxCodeLen]++
		}
	}
	return used, left == 0, true
}

// build fills table, whose root has 1<<root entries, for the codes of the given lengths. bad is the entry of bits that
// are no code; sub is that of a pointer to a subtable at 0, and at shifts a place into position. It says whether the
// lengths make a legal code.
func build[E uint32 | uint64](c *code, table []E, root uint, lens []uint8, symbols []E, bad, sub E, at uint) bool {
	used, complete, fits := c.set(lens)
	if !fits {
		return false
	}
	if !complete {
		// No symbols, or one with a code of one bit: refused only where a missing code is met.
		if used > 1 || used == 1 && c.count[1] != 1 {
			return false
		}
		table = table[:1<<root]
		for i := range table {
			table[i] = bad | E(used)*codeLen
		}
		if used == 1 {
			e := symbols[c.syms[0]] + codeLen
			for i := 0; i < len(table); i += 2 {
				table[i] = e
			}
		}
		return true
	}
	// Codes are taken in order of their lengths. The first size entries are filled for codes of up to log2(size)
	// bits; a further bit doubles them.
	var (
		reversed uint // the next code, its first bit lowest, as it comes from the input
		si       int
		size     = uint(1)
		l        = uint(1)
	)
	for ; l <= root; l++ {
		copy(table[size:2*size], table[:size])
		size *= 2
		for n := c.count[l]; n > 0; n-- {
			table[reversed] = symbols[c.syms[si]] + E(l)*codeLen
			si++
			if reversed == 1<<l-1 { // the last code of all
				for ; l < root; l++ {
					copy(table[size:2*size], table[:size])
					size *= 2
				}
				return true
			}
			reversed = increment(reversed, l)
		}
	}
	place, entries := uint(1)<<root, uint(0) // of the subtable being filled
	prefix := ^uint(0)
	for ; l <= maxCodeLen; l++ {
		for n := c.count[l]; n > 0; n-- {
			if p := reversed & (1<<root - 1); p != prefix {
				prefix = p
				place += (entries + 3) &^ 3
				// The subtable is as large as its longest code wants: take in lengths until the codes that
				// are left fill it.
				b := l - root
				for space := uint(n); space < 1<<b; {
					b++
					space = space<<1 + uint(c.count[(root+b)&maxCodeLen])
				}
				entries = 1 << b
				table[p] = sub | E((place-1<<root)/4)<<at | E(b)<<8
			}
			e := symbols[c.syms[si]] + E(l-root)*codeLen
			si++
			for i := reversed >> root; i < entries; i += 1 << (l - root) {
				table[place+i] = e
			}
			if reversed == 1<<l-1 {
				return true
			}
			reversed = increment(reversed, l)
		}
	}
	return true
}

// increment adds one to a code of l bits that is stored in reverse.
func increment(reversed, l uint) uint {
	b := uint(1) << (bits.Len(reversed^(1<<l-1)) - 1)
	return reversed&(b-1) | b
}

func (d *Decoder) buildLit(lens []uint8) bool {
	return build(&d.code, d.lit[:], litBits, lens, litSymbols[:], litSpecial|litBad, litSpecial|litSub|litBits, litPlace)
}

func (d *Decoder) buildDist(lens []uint8) bool {
	return build(&d.code, d.dist[:], distBits, lens, distSymbols[:], distSpecial, distSpecial|distSub, distPlace)
}

func (d *Decoder) buildCL(lens []uint8) bool {
	return build(&d.code, d.cl[:], clBits, lens, clSymbols[:], clBad, 0, 0)
}

// buildFixed makes the tables of the fixed codes unless they are there.
func (d *Decoder) buildFixed() {
	if d.fixed {
		return
	}
	lens := &d.lens
	for i := range 288 {
		switch {
		case i < 144:
			lens[i] = 8
		case i < 256:
			lens[i] = 9
		case i < 280:
			lens[i] = 7
		default:
			lens[i] = 8
		}
	}
	d.buildLit(lens[:288])
	for i := range 32 {
		lens[i] = 5
	}
	d.buildDist(lens[:32])
	d.fixed = true
}
