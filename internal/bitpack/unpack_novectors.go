//go:build !(amd64 || arm64) || purego

package bitpack

func vectorsBE[T Integer, Z coding](_ []T, _ []byte, _ uint) int { return 0 }

func vectorsLE[T Integer](_ []T, _ []byte, _ uint) int { return 0 }
