//go:build !amd64 || purego

package bitpack

func pickVectors[T any](_, _ []T, _ Marks) (int, bool) { return 0, false }

func pickTexts(dst []byte, at int, src []byte, starts, stops []int32, shift int) (done, to int) {
	return pickTextsWords(dst, at, src, starts, stops, shift)
}
