//go:build !amd64 || purego

package bitpack

func (d *Dictionary) gatherVectors(_ []int32, _ []byte, _ []int32, q int) (done, end int) {
	return 0, q
}

func mostOf([]int32) (most uint32, n int) { return 0, 0 }
