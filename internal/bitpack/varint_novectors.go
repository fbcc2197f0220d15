//go:build !amd64 || purego

package bitpack

func vectorBlocks[T number, Z coding](_ []T, _ []byte, _ int) (i, p int) { return 0, 0 }
