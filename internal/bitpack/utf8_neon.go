//go:build arm64 && !purego

package bitpack

// utf8Block is how many bytes are checked at once.
const utf8Block = 16

func hasUTF8() bool { return useNEON }

// utf8Blocks reports whether blocks of 16 bytes at src and the 16 bytes at tail behind them are UTF-8 and no character goes on behind these.
// by is pairFaults.
//
//go:noescape
func utf8Blocks(src *byte, blocks int, tail *byte, by *byte) bool
