//go:build arm64 && !purego

package bitpack

func init() {
	UnshuffleWith = func(vectors bool) bool {
		useNEON = vectors
		return true
	}
}
