package bitpack

// Shuffle takes the bits of len(src)/width elements of width bytes apart: it is the reverse of Unshuffle, and asks for the
// same: a width of 1, 2, 4, 8 or 16, a multiple of eight elements, dst as long as src, and no overlap. What lies behind
// that in dst stays as it is. Anything else is a bug of the caller, and panics.
func Shuffle(dst, src []byte, width int) {
	dst = dst[:len(src)]
	st := stride(len(src), width)
	switch {
	case st == 0:
	case st < wordTurn:
		shuffleFew(dst, src, st, width)
	case shuffleVectors(dst, src, st, width):
	default:
		shuffleWords(dst, src, st, width)
	}
}

// shuffleFew is for planes that are shorter than a word.
func shuffleFew(dst, src []byte, st, width int) {
	var planes, elements [8 * 16 * wordTurn]byte
	copy(elements[:], src)
	shuffleWords(planes[:8*width*wordTurn], elements[:8*width*wordTurn], wordTurn, width)
	for p := range 8 * width {
		copy(dst[p*st:(p+1)*st], planes[p*wordTurn:])
	}
}
