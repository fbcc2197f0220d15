//go:build !amd64 || purego

package bitpack

func shuffleVectors(_, _ []byte, _, _ int) bool { return false }
