//go:build !(amd64 || arm64) || purego

package bitpack

func spreadVectors[T any](_ *[64]T, _ []T, _ uint64) bool { return false }

func spreadEndsVectors(_ *[64]int32, _ []int32, _ uint64) bool { return false }
