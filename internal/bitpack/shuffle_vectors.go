//go:build amd64 && !purego

package bitpack

//go:generate sh -c "cd unshuffleasm && go run ./apart -out ../shuffle_amd64.s -stubs ../shuffle_amd64.go -pkg bitpack"

// shuffleVectors is Shuffle with 32 elements at a time. It reports false, and does nothing, if the machine cannot. Planes
// have wordTurn bytes at least, which is more than the kernels ask for.
func shuffleVectors(dst, src []byte, st, width int) bool {
	if !useAVX2 {
		return false
	}
	d, s := &dst[0], &src[0] // both hold 8*width*st bytes: st comes from their length
	switch width {
	case 1:
		shuffle1AVX2(d, s, st)
	case 2:
		shuffle2AVX2(d, s, st)
	case 4:
		shuffle4AVX2(d, s, st)
	case 8:
		shuffle8AVX2(d, s, st)
	case 16:
		shuffle16AVX2(d, s, st)
	}
	return true
}
