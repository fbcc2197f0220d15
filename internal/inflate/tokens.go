package inflate

// A token is what the next litBits bits begin with: a literal, or a whole match, its length with the extra bits and the
// code of its distance. Columnar data is full of matches that are coded so briefly. To find a token takes one look into
// a table, where a match otherwise takes two, each of which waits for the one before.
//
// The entry of a token (32 bits):
//
//	bits 0..5    bits before the extra bits of the distance
//	bit 6        literal
//	bits 8..15   the byte of a literal
//	bits 16..23  length, 1 of a literal; 255: not a token
//	bits 24..31  twice the symbol of the distance, noLink for literals
//
// What is not a token: codes that do not fit, lengths above mostCopy, matches that may overlap their own output, the end
// of the block, and what is not legal.
//
// Which token comes next must be known as early as possible, so the number of bits to consume has a table of its own: in
// bits 0..7, zero if it is not a token, and litBits in bits 8..15, as the instruction wants it that finds the next index.
type tokens struct {
	links [32]link // by symbol of the distance
	steps [1 << litBits]uint16
	table [1 << litBits]uint32
}

// link leads from the place in the output to the bytes to copy: add base, and the inverse of the extra bits under mask.
type link struct{ mask, base int64 }

const (
	mostCopy     = 32
	tokenLiteral = 1 << 6
	tokenSlow    = 0xff << 16
	noLink       = 30
)

var links = makeLinks()

func makeLinks() (t [32]link) {
	for i, e := range distSymbols[:30] {
		mask := int64(e >> 32 & 0xffff)
		t[i] = link{mask: mask, base: -int64(e>>16&0xffff) - mask}
	}
	t[noLink].base = -mostCopy
	return t
}
