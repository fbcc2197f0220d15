//go:build arm64 && !purego

package bitpack

// rightSign is -1: NEON shifts to the left by each lane's count, and to the right where that is negative.
const rightSign = -1

func hasUnpack() bool { return useNEON }

// unpackGroups32 unpacks groups, at least one, of eight values to 32 bits each. A group has size bytes, and its fifth value begins in
// the byte half. It reads half+16 bytes from the beginning of a group on. by is lanes.
//
//go:noescape
func unpackGroups32(dst *byte, groups int, src *byte, size int, half int, by *byte)

// unpackGroups16 is unpackGroups32 to 16 bits each.
//
//go:noescape
func unpackGroups16(dst *byte, groups int, src *byte, size int, half int, by *byte)

// unpackZigzagGroups16 is unpackGroups16 for values that are zig-zag coded.
//
//go:noescape
func unpackZigzagGroups16(dst *byte, groups int, src *byte, size int, half int, by *byte)

// unpackZigzagGroups32 is unpackGroups32 for values that are zig-zag coded.
//
//go:noescape
func unpackZigzagGroups32(dst *byte, groups int, src *byte, size int, half int, by *byte)

// unpackGroups64 is unpackGroups32 to 64 bits each.
//
//go:noescape
func unpackGroups64(dst *byte, groups int, src *byte, size int, half int, by *byte)

// unpackZigzagGroups64 is unpackGroups64 for values that are zig-zag coded.
//
//go:noescape
func unpackZigzagGroups64(dst *byte, groups int, src *byte, size int, half int, by *byte)

// unpackWide unpacks fours, at least one, of four values of whole bytes to 64 bits each. Two values have two bytes. It reads two+16 bytes
// from the beginning of the four on. by is the order of the bytes of four.
//
//go:noescape
func unpackWide(dst *byte, fours int, src *byte, two int, by *byte)

// unpackZigzagWide is unpackWide for values that are zig-zag coded.
//
//go:noescape
func unpackZigzagWide(dst *byte, fours int, src *byte, two int, by *byte)
