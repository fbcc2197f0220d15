//go:build amd64 && !purego

package bitpack

import "golang.org/x/sys/cpu"

func init() {
	UnshuffleWith = func(vectors bool) bool {
		useAVX2 = vectors && cpu.X86.HasAVX2
		return cpu.X86.HasAVX2
	}
}
