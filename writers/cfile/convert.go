package cfile

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"time"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/float16"

	"github.com/arrowio/arrowio/internal/halffloat"
)

// conversion makes stored values of Arrow's, both little-endian and of fixed width, many in a call.
type conversion struct {
	from int // bytes of a value of Arrow's
	// to fills dst, which has room for all values of src; nil where values are stored as they are, if they are good. The
	// result is where the first value is that cannot be stored, -1 if there is none. Later values in dst are not defined.
	to    func(dst, src []byte) (bad int)
	check func(src []byte) (bad int)
	say   func(value []byte) string // what is wrong with one
}

// cells is b as values; they lie anywhere.
func cells[T any](b []byte) []T {
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
}

// converts is a conversion by what it does for typed values.
func converts[D, S any](to func(dst []D, src []S) (bad int), say func(S) string) *conversion {
	var s S
	return &conversion{
		from: int(unsafe.Sizeof(s)),
		to: func(dst, src []byte) int {
			v := cells[S](src)
			return to(cells[D](dst)[:len(v)], v)
		},
		say: func(b []byte) string { return say(cells[S](b)[0]) },
	}
}

// checks is a conversion that leaves values as they are.
func checks[S any](check func(src []S) (bad int), say func(S) string) *conversion {
	var s S
	return &conversion{
		from:  int(unsafe.Sizeof(s)),
		check: func(src []byte) int { return check(cells[S](src)) },
		say:   func(b []byte) string { return say(cells[S](b)[0]) },
	}
}

// first returns where the first value is that is not good, -1 if all are.
func first[S any](src []S, good func(S) bool) int {
	for i, v := range src {
		if !good(v) {
			return i
		}
	}
	return -1
}

// wider is for values that all have a place in a wider type.
func wider[D, S uint8 | uint16 | uint32 | int16 | int32 | int64](dst []D, src []S) int {
	for i, v := range src {
		dst[i] = D(v)
	}
	return -1
}

func fine[S any](S) string { return "" }

var (
	bytesWider  = converts(wider[int16, uint8], fine[uint8])
	shortsWider = converts(wider[int32, uint16], fine[uint16])
	intsWider   = converts(wider[int64, uint32], fine[uint32])

	longsSigned = checks(func(src []uint64) int {
		var all uint64
		for _, v := range src {
			all |= v
		}
		if all <= math.MaxInt64 {
			return -1
		}
		return first(src, func(v uint64) bool { return v <= math.MaxInt64 })
	}, func(v uint64) string { return fmt.Sprintf("%d is beyond the range of int64", v) })

	halves = converts(func(dst []float32, src []float16.Num) int {
		halffloat.Widen(dst, src)
		return -1
	}, fine[float16.Num])
)

// Days that Kudu's clients have: those of the years 1 to 9999.
const (
	firstDay = -719162
	lastDay  = 2932896
)

// tableDates checks days: a table does not show others.
var tableDates = checks(func(src []int32) int {
	var least, most int32
	for _, v := range src {
		least, most = min(least, v), max(most, v)
	}
	if least >= firstDay && most <= lastDay {
		return -1
	}
	return first(src, func(v int32) bool { return v >= firstDay && v <= lastDay })
}, func(v int32) string {
	return fmt.Sprintf("%d days since 1970 are not in the years 1 to 9999, which Kudu has dates of", v)
})

// millisDates makes days of milliseconds.
func millisDates(table bool) *conversion {
	const day = 24 * 60 * 60 * 1000
	least, most := int64(math.MinInt32), int64(math.MaxInt32)
	if table {
		least, most = firstDay, lastDay
	}
	return converts(func(dst []int32, src []int64) int {
		for i, v := range src {
			d := v / day
			if d*day != v || d < least || d > most {
				return i
			}
			dst[i] = int32(d)
		}
		return -1
	}, func(v int64) string { return fmt.Sprintf("%d ms are no whole day that Kudu has a date of", v) })
}

// timesUp makes microseconds of a longer unit.
func timesUp(micros int64, unit arrow.TimeUnit) *conversion {
	most := math.MaxInt64 / micros
	return converts(func(dst []int64, src []int64) int {
		var least, great int64
		for i, v := range src {
			least, great = min(least, v), max(great, v)
			dst[i] = v * micros
		}
		if least >= -most && great <= most {
			return -1
		}
		return first(src, func(v int64) bool { return v >= -most && v <= most })
	}, func(v int64) string {
		return fmt.Sprintf("%d %s since 1970 are beyond what microseconds can count", v, unitNames[unit])
	})
}

// exactNanos makes microseconds of nanoseconds that are a whole number of them.
func exactNanos(option string) *conversion {
	return converts(func(dst []int64, src []int64) int {
		var rest int64
		for i, v := range src {
			q := v / 1000
			dst[i] = q
			rest |= v - 1000*q
		}
		if rest == 0 {
			return -1
		}
		return first(src, func(v int64) bool { return v%1000 == 0 })
	}, func(v int64) string {
		return fmt.Sprintf("%s is no whole number of microseconds; --%s=truncate drops the rest", time.Unix(0, v).UTC().Format(time.RFC3339Nano), option)
	})
}

// truncateNanos makes microseconds of nanoseconds, towards the past.
var truncateNanos = converts(func(dst []int64, src []int64) int {
	for i, v := range src {
		q := v / 1000
		dst[i] = q + (v-1000*q)>>63
	}
	return -1
}, fine[int64])

// decimals makes unscaled values of width bytes that have at most so many digits; 0 = any that there is room for.
func decimals(wide bool, width int, digits int32) *conversion {
	say := func(v *big.Int) string {
		if digits == 0 {
			return fmt.Sprintf("%s is beyond what 128 bits can hold", v)
		}
		return fmt.Sprintf("the unscaled value %s has more than %d digits", v, digits)
	}
	limit := powerOf10(digits)
	if wide {
		sayWide := func(v [4]uint64) string { return say(decimal256.New(v[3], v[2], v[1], v[0]).BigInt()) }
		switch width {
		case 4:
			return converts(func(dst []int32, src [][4]uint64) int { return narrow(dst, src, limit[0]) }, sayWide)
		case 8:
			return converts(func(dst []int64, src [][4]uint64) int { return narrow(dst, src, limit[0]) }, sayWide)
		}
		return converts(func(dst [][2]uint64, src [][4]uint64) int {
			for i := range src {
				v := &src[i]
				if sign := uint64(int64(v[1]) >> 63); v[2] != sign || v[3] != sign || digits > 0 && !below([2]uint64(v[:]), limit) {
					return i
				}
				dst[i] = [2]uint64(v[:])
			}
			return -1
		}, sayWide)
	}
	sayThis := func(v [2]uint64) string { return say(decimal128.New(int64(v[1]), v[0]).BigInt()) }
	switch width {
	case 4:
		return converts(func(dst []int32, src [][2]uint64) int { return narrow(dst, src, limit[0]) }, sayThis)
	case 8:
		return converts(func(dst []int64, src [][2]uint64) int { return narrow(dst, src, limit[0]) }, sayThis)
	}
	return checks(func(src [][2]uint64) int {
		// Most numbers have a highest word that is far below that of the limit, whatever follows.
		var high uint64
		for i := range src {
			high |= src[i][1] ^ uint64(int64(src[i][1])>>63)
		}
		if high < limit[1] {
			return -1
		}
		return first(src, func(v [2]uint64) bool { return below(v, limit) })
	}, sayThis)
}

// narrow takes the lowest words of values that are below a limit and above its negative. The limit is below 1 << 63.
func narrow[D int32 | int64, S [2]uint64 | [4]uint64](dst []D, src []S, limit uint64) int {
	var least, most int64
	var rest uint64 // bits of higher words that are not the sign
	for i := range src {
		low := int64(src[i][0])
		dst[i] = D(low)
		least, most = min(least, low), max(most, low)
		sign := uint64(low >> 63)
		for k := 1; k < len(src[i]); k++ {
			rest |= src[i][k] ^ sign
		}
	}
	if rest == 0 && least > -int64(limit) && most < int64(limit) {
		return -1
	}
	for i := range src {
		low := int64(src[i][0])
		sign := uint64(low >> 63)
		for k := 1; k < len(src[i]); k++ {
			if src[i][k] != sign {
				return i
			}
		}
		if low <= -int64(limit) || low >= int64(limit) {
			return i
		}
	}
	return -1
}

// powerOf10 returns 10 to the nth, the lower word first; n is at most 38.
func powerOf10(n int32) [2]uint64 {
	v := [2]uint64{1, 0}
	for range n {
		over, low := bits.Mul64(v[0], 10)
		v = [2]uint64{low, 10*v[1] + over}
	}
	return v
}

// below reports whether a number is below a limit and above its negative.
func below(v, limit [2]uint64) bool {
	if int64(v[1]) < 0 { // the least number is its own negative: as one without a sign it is above every limit
		low, borrow := bits.Sub64(0, v[0], 0)
		high, _ := bits.Sub64(0, v[1], borrow)
		v = [2]uint64{low, high}
	}
	return v[1] < limit[1] || v[1] == limit[1] && v[0] < limit[0]
}

// widthOf returns the bytes of Arrow's values of a type of fixed width; 0 = it has none.
func widthOf(t arrow.DataType) int {
	if t.ID() == arrow.BOOL {
		return 0
	}
	if f, ok := t.(arrow.FixedWidthDataType); ok {
		return f.BitWidth() / 8
	}
	return 0
}
