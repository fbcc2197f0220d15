package cfilewire

import "encoding/binary"

// DictMode is what a block of a DICT column holds (docs/formats/cfile.md §4.6).
type DictMode uint32

// Modes. One file may have both: codes until the dictionary has become as large as a block may be, and strings from there
// on.
const (
	DictCodes DictMode = 1 // numbers of strings of the dictionary: a BIT_SHUFFLE block of UINT32 (BitShuffle)
	DictPlain DictMode = 2 // strings as they are: a PLAIN block (Strings.OpenPlain)
)

// ParseDictMode cuts the mode off a block of a DICT column:
//
//	mode u32 | a block as the mode says
//
// rest is a part of b. The dictionary itself is a PLAIN block of its own, without a mode.
func ParseDictMode(b []byte) (m DictMode, rest []byte, err error) {
	if len(b) < 4 {
		return 0, nil, errBlockHead
	}
	if m = DictMode(binary.LittleEndian.Uint32(b)); m != DictCodes && m != DictPlain {
		return 0, nil, errDictMode
	}
	return m, b[4:], nil
}
