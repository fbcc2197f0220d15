package arrowbuf

import (
	"encoding/binary"
	"unsafe"
)

// KeepRuns moves those of values that are in runs, half-open ranges of them, sorted and apart, together at the front, and returns how
// many they are. What is behind them is arbitrary afterwards.
func KeepRuns[T Fixed](values []T, runs [][2]int) int {
	to := 0
	for _, r := range runs {
		from, k := r[0], r[1]-r[0]
		switch {
		case from == to:
		case k <= shortRun && from-to >= shortRun && from+shortRun <= len(values):
			move4(values[to:to+shortRun:to+shortRun], values[from:from+shortRun:from+shortRun]) // what is too much is written over
		default:
			copy(values[to:], values[from:r[1]])
		}
		to += k
	}
	return to
}

// move4 copies four values. The compiler calls memmove for an assignment of arrays that may overlap.
func move4[T Fixed](dst, src []T) {
	var z T
	if unsafe.Sizeof(z) == 1 {
		copy(dst[:4], src[:4])
		return
	}
	a, b, c, d := src[0], src[1], src[2], src[3]
	dst[0], dst[1], dst[2], dst[3] = a, b, c, d
}

// KeepStrings moves the bytes of those texts that are in runs together at the front of values, and writes their ends behind ends[0],
// where they start from. The texts lie between offsets, of which the first is 0; runs are half-open ranges of them, sorted and apart.
// It returns how many bytes are kept. What is behind them in values is arbitrary afterwards.
func KeepStrings(ends []int32, values []byte, offsets []int32, runs [][2]int) int {
	start := int(ends[0])
	ends = ends[1:]
	to := 0
	for _, r := range runs {
		from, last := int(offsets[r[0]]), int(offsets[r[1]])
		gap, n := from-to, last-from
		if gap >= shortText && n <= longText && from+longText <= len(values) {
			for k := 0; k < n; k += shortText { // what is too much is written over
				move64(values[to+k:], values[from+k:])
			}
		} else {
			copy(values[to:to+n], values[from:last])
		}
		to += n
		shift := int32(start - gap)
		src, k := offsets[r[0]+1:], r[1]-r[0]
		if k <= shortRun && len(src) >= shortRun && len(ends) >= shortRun {
			d, s := (*[shortRun]int32)(ends), (*[shortRun]int32)(src)
			d[0], d[1], d[2], d[3] = s[0]+shift, s[1]+shift, s[2]+shift, s[3]+shift
		} else {
			d := ends[:k]
			for i, x := range src[:k] {
				d[i] = x + shift
			}
		}
		ends = ends[k:]
	}
	return to
}

// Texts of a run are copied by as many bytes as shortText at once, up to longText: a call of memmove branches on their length.
const (
	shortText = 64
	longText  = 256
)

// move64 copies 64 bytes.
func move64(dst, src []byte) {
	d, s := (*[64]byte)(dst), (*[64]byte)(src)
	le := binary.LittleEndian
	for i := 0; i < 64; i += 32 {
		w, x, y, z := le.Uint64(s[i:]), le.Uint64(s[i+8:]), le.Uint64(s[i+16:]), le.Uint64(s[i+24:])
		le.PutUint64(d[i:], w)
		le.PutUint64(d[i+8:], x)
		le.PutUint64(d[i+16:], y)
		le.PutUint64(d[i+24:], z)
	}
}
