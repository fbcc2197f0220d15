package celltext

import (
	"math"
	"strconv"
)

// Rounded is a number of at least so many digits, with all of those before the point.
func Rounded(v float64, digits int) string {
	if a := math.Abs(v); a >= math.Pow10(digits)-0.5 && a < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}
