package bitpack

import "unsafe"

// UnshuffleWith makes Unshuffle, UnshuffleCodes, Spread, UTF8 and the unpacking of integers use the vector kernels, or not, and reports whether the machine has
// what they need. Tests compare the two.
var UnshuffleWith = func(bool) bool { return false }

// VarintsWith is UnshuffleWith for varints.
var VarintsWith = func(bool) bool { return false }

// Int32s is b as what UnshuffleCodes writes.
func Int32s(b []byte) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}
