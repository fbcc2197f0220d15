//go:build amd64 && !purego

package bitpack

//go:generate sh -c "cd unshuffleasm && go run ./unpack -out ../unpack_amd64.s -stubs ../unpack_amd64.go -pkg bitpack"

// rightSign is 1, as AVX2 has a shift to the right.
const rightSign = 1

func hasUnpack() bool { return useAVX2 }
