//go:build !amd64 || purego

package bitpack

func offsetVectors(_ []int32, _ int32) (k int, negative, overflow bool) { return 0, false, false }

func stepVectors[T Integer](_ []T, _ T, _ bool) int { return 0 }
