//go:build amd64 && !purego

package bitpack

//go:generate sh -c "cd unshuffleasm && go run ./utf8 -out ../utf8_amd64.s -stubs ../utf8_amd64.go -pkg bitpack"

// utf8Block is how many bytes are checked at once.
const utf8Block = 64

func hasUTF8() bool { return useAVX2 }

func utf8Blocks(src *byte, blocks int, tail *byte, by *byte) bool {
	return utf8AVX2(src, blocks, tail, by) != 0
}
