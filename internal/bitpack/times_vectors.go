//go:build amd64 && !purego

package bitpack

import "unsafe"

//go:generate sh -c "cd unshuffleasm && go run ./times -out ../times_amd64.s -stubs ../times_amd64.go -pkg bitpack"

// Times makes times in a unit since 1970 of stored seconds and nanoseconds, up to the last multiple of four, and returns how many
// those are. It is 0 if the machine cannot, or if some value is out of bounds, has a second or more of nanoseconds or negative ones, and so needs a closer look;
// then dst is undefined. stored and nanos are at least as long as dst.
func Times(dst, stored, nanos []int64, r *TimeRule) int {
	n := len(dst) &^ 3
	if n == 0 || !useAVX2 {
		return 0
	}
	stored, nanos = stored[:n], nanos[:n]
	if timesAVX2(&dst[0], &stored[0], &nanos[0], n, (*byte)(unsafe.Pointer(r))) != 0 {
		return 0
	}
	return n
}
