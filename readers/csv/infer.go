package csv

import (
	"math"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/internal/floattext"
	"github.com/arrowio/arrowio/internal/inferred"
	"github.com/arrowio/arrowio/internal/textvalues"
)

// kind is a type that the text of a column can have.
type kind uint8

const (
	kindInt kind = iota
	kindFloat
	kindBool
	kindDate
	kindTimestamp    // microseconds, without a zone
	kindTimestampUTC // with one
	kindTimestampNano
	kindTimestampNanoUTC
	kindText
	kindNull // of no value at all
	numKinds
)

// types are the Arrow types of the kinds.
var types = [numKinds]arrow.DataType{
	kindInt:              arrow.PrimitiveTypes.Int64,
	kindFloat:            arrow.PrimitiveTypes.Float64,
	kindBool:             arrow.FixedWidthTypes.Boolean,
	kindDate:             arrow.FixedWidthTypes.Date32,
	kindTimestamp:        &arrow.TimestampType{Unit: arrow.Microsecond},
	kindTimestampUTC:     &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
	kindTimestampNano:    &arrow.TimestampType{Unit: arrow.Nanosecond},
	kindTimestampNanoUTC: &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "UTC"},
	kindText:             arrow.BinaryTypes.String,
	kindNull:             arrow.Null,
}

// guess is what the sample leaves possible for one column.
type guess struct {
	not   [numKinds]bool
	value bool // whether there was one at all
}

// see narrows the guess by a value that is not null.
func (g *guess) see(v []byte) {
	g.value = true
	for k := kind(0); k < kindText; k++ {
		if !g.not[k] && !fits(k, v) {
			g.not[k] = true
		}
	}
}

// kind returns the narrowest kind that is left. A column without values is text.
func (g *guess) kind() kind {
	if g.value {
		for k := kind(0); k < kindText; k++ {
			if !g.not[k] {
				return k
			}
		}
	}
	return kindText
}

// possible returns the types that hold all values seen. Text is among them only where it is the narrowest.
func (g *guess) possible() inferred.Types {
	if !g.value {
		return inferred.Any
	}
	var t inferred.Types
	for k := kind(0); k < kindText; k++ {
		if !g.not[k] {
			t |= inferred.Of(types[k])
		}
	}
	if t == 0 {
		t = inferred.Text
	}
	return t
}

func fits(k kind, v []byte) bool {
	ok := false
	switch k {
	case kindInt:
		_, ok = parseInt(v)
	case kindFloat:
		_, ok = parseFloat(v)
	case kindBool:
		_, ok = parseBool(v)
	case kindDate:
		_, ok = textvalues.Date(v)
	case kindTimestamp, kindTimestampUTC:
		_, ok = textvalues.Timestamp(v, 6, k == kindTimestampUTC)
	case kindTimestampNano, kindTimestampNanoUTC:
		_, ok = textvalues.Timestamp(v, 9, k == kindTimestampNanoUTC)
	case kindText:
		ok = true
	}
	return ok
}

// digitsOf checks that v is a number that would be written the same way again: an optional minus, no plus, no leading
// zeros. It returns the number of digits in front of any point or exponent.
func digitsOf(v []byte) (digits int, integer bool) {
	i := 0
	if len(v) > 0 && v[0] == '-' {
		i = 1
	}
	start := i
	for i < len(v) && v[i]-'0' <= 9 {
		i++
	}
	digits = i - start
	if digits > 1 && v[start] == '0' {
		return 0, false
	}
	return digits, i == len(v)
}

func parseInt(v []byte) (int64, bool) {
	digits, integer := digitsOf(v)
	if !integer || digits == 0 || digits > 19 || digits == 1 && string(v) == "-0" {
		return 0, false
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	return n, err == nil
}

// parseFloat takes decimal numbers that a float64 keeps, NaN and Inf. Integers must be in the range in which a float64 has them all.
func parseFloat(v []byte) (float64, bool) {
	if f, ok := textvalues.NotNumber(v); ok {
		return f, true
	}
	digits, integer := digitsOf(v)
	if digits == 0 {
		return 0, false
	}
	for _, c := range v { // no hexadecimal, no underscores
		if c-'0' > 9 && c != '.' && c != 'e' && c != 'E' && c != '-' && c != '+' {
			return 0, false
		}
	}
	f, kept := floattext.Parse(v)
	if !kept {
		return 0, false
	}
	if integer && math.Abs(f) >= 1<<53 {
		return 0, false
	}
	return f, true
}

func parseBool(v []byte) (value, ok bool) {
	switch string(v) {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return false, false
}
