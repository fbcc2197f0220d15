//go:build !amd64 || purego

package bitpack

func unshuffleVectors(_, _ []byte, _, _ int) bool { return false }

func codesVectors(_ []int32, _ []byte, _, _ int) bool { return false }
