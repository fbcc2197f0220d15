//go:build !amd64 || purego

package bitpack

func putsFast() bool { return false }

func putZigzagFast[T Signed](_ []byte, _ int, _ []T) (values, size int) { return 0, 0 }

func putDecimalsFast(_ []byte, _ int, _ [][2]uint64) (values, size int) { return 0, 0 }
