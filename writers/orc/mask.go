package orc

import (
	"crypto/sha256"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/arrowbuf"
	"github.com/arrowio/arrowio/internal/arrowdense"
	"github.com/arrowio/arrowio/internal/halffloat"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// maskName is one of the masks that Java knows too, as footers name it: what stands in clear for encrypted columns.
//
//	nullify  nulls, instead of the column as a whole
//	sha256   of text the hash in hexadecimal digits, of binary the hash; nulls for all other types. What can be guessed
//	         can be checked: there is no salt
//	redact   9 for each digit of a number, true for booleans, the first moment of the year for dates and times; nulls
//	         for binary
//
// The last two keep structs, lists, maps, unions, and which values are null.
type maskName string

const (
	maskNullify maskName = "nullify"
	maskSHA256  maskName = "sha256"
	maskRedact  maskName = "redact"
)

func parseMask(s string) (maskName, error) {
	switch m := maskName(s); m {
	case maskNullify, maskSHA256, maskRedact:
		return m, nil
	}
	return "", errs.Errorf(errs.ErrOption, "%w: there is no mask %q, only nullify, sha256 and redact", errs.Opt("orc-encrypt", ""), s)
}

// nulls reports whether a type, whatever is below it, is null in clear. An error says that Java's writer cannot mask the
// type so: its redact fails for text and for decimals that fit 64 bits, and it knows of no geometries.
func (m maskName) nulls(t *orcwire.Type) (bool, error) {
	if m == maskNullify {
		return true, nil
	}
	switch t.Kind {
	case orcwire.Struct, orcwire.List, orcwire.Map, orcwire.Union:
		return false, nil
	case orcwire.Geometry, orcwire.Geography:
		return false, errs.Errorf(errs.ErrOption, "%w: the mask %s is not for %s: take nullify", errs.Opt("orc-encrypt", ""), m, t.Kind)
	case orcwire.String, orcwire.Char, orcwire.Varchar:
		if m == maskRedact {
			return false, errs.Errorf(errs.ErrOption, "%w: the mask redact is not for text: take sha256 or nullify", errs.Opt("orc-encrypt", ""))
		}
		return false, nil
	case orcwire.Binary:
		return m == maskRedact, nil
	case orcwire.Decimal:
		if p, _ := t.DecimalType(); m == maskRedact && p <= 18 {
			return false, errs.Errorf(errs.ErrOption, "%w: the mask redact is not for decimals of 18 digits or less: take nullify", errs.Opt("orc-encrypt", ""))
		}
	}
	return m == maskSHA256, nil
}

// leaves says what stands in clear.
func (m maskName) leaves(t *orcwire.Type, hidden bool) string {
	switch {
	case hidden:
		return "nulls"
	case m == maskSHA256 && len(t.Children) == 0:
		return "its SHA-256"
	case m == maskRedact && len(t.Children) == 0:
		return "redacted"
	}
	return "how it is nested"
}

// mask makes what stands in clear for values, none of which is null: an array that the node's content takes. The caller
// releases it.
type mask func(n *node, values arrow.Array) (arrow.Array, error)

// of returns the mask of values of a type; nil for types that have none of their own.
func (m maskName) of(t *orcwire.Type) mask {
	switch t.Kind {
	case orcwire.String, orcwire.Char, orcwire.Varchar, orcwire.Binary:
		if m == maskSHA256 {
			return hashText
		}
	}
	if m != maskRedact {
		return nil
	}
	switch t.Kind {
	case orcwire.Boolean:
		return redactBools
	case orcwire.Byte:
		return redactBytes
	case orcwire.Short:
		return redactInts[int16]
	case orcwire.Int:
		return redactInts[int32]
	case orcwire.Long:
		return redactInts[int64]
	case orcwire.Float:
		return redactFloats[float32]
	case orcwire.Double:
		return redactFloats[float64]
	case orcwire.Date:
		return redactDates
	case orcwire.Timestamp, orcwire.TimestampInstant:
		return redactTimes
	case orcwire.Decimal:
		return redactDecimals
	}
	return nil
}

// flatArray makes an array without nulls of n values, which the buffers hold.
func flatArray(dt arrow.DataType, n int, buffers ...[]byte) arrow.Array {
	all := []*memory.Buffer{nil}
	for _, b := range buffers {
		all = append(all, memory.NewBufferBytes(b))
	}
	d := array.NewData(dt, n, all, nil, 0, 0)
	defer d.Release()
	return array.MakeFromData(d)
}

// hashText hashes text, in capitals as Java does, cut to the length that the type has; and binary, not as digits.
func hashText(n *node, values arrow.Array) (arrow.Array, error) {
	c, ok := n.content.(*stringValues)
	if !ok {
		return nil, mismatch(n, values)
	}
	offsets, data, err := c.flatten(values)
	if err != nil {
		return nil, err
	}
	size, dt := 2*sha256.Size, arrow.DataType(arrow.BinaryTypes.String)
	switch n.typ.Kind {
	case orcwire.Binary:
		size, dt = sha256.Size, arrow.BinaryTypes.Binary
	case orcwire.Char, orcwire.Varchar:
		size = min(size, int(n.typ.MaxLength))
	}
	count := max(len(offsets)-1, 0)
	if int64(count)*int64(size) > math.MaxInt32 {
		return nil, arrowdense.TooMuch()
	}
	out, ends := make([]byte, 0, count*size), make([]int32, count+1)
	var digits [2 * sha256.Size]byte
	for i := range count {
		v := data[offsets[i]:offsets[i+1]]
		if n.typ.Kind == orcwire.Char { // blanks at the end are no part of the value
			for len(v) > 0 && v[len(v)-1] == ' ' {
				v = v[:len(v)-1]
			}
		}
		h := sha256.Sum256(v)
		if n.typ.Kind == orcwire.Binary {
			out = append(out, h[:]...)
		} else {
			hexCapitals(&digits, &h)
			out = append(out, digits[:size]...)
		}
		ends[i+1] = int32(len(out))
	}
	return flatArray(dt, count, arrowbuf.AsBytes(ends), out), nil
}

func hexCapitals(dst *[2 * sha256.Size]byte, src *[sha256.Size]byte) {
	const digits = "0123456789ABCDEF"
	for i, b := range src {
		dst[2*i], dst[2*i+1] = digits[b>>4], digits[b&15]
	}
}

// redactBools leaves true.
func redactBools(_ *node, values arrow.Array) (arrow.Array, error) {
	bits := []byte(strings.Repeat("\xff", (values.Len()+7)/8))
	return flatArray(arrow.FixedWidthTypes.Boolean, values.Len(), bits), nil
}

func redactBytes(n *node, values arrow.Array) (arrow.Array, error) {
	a, ok := values.(*array.Int8)
	if !ok {
		return nil, mismatch(n, values)
	}
	return flatArray(arrow.PrimitiveTypes.Int8, a.Len(), arrowbuf.AsBytes(nines(a.Int8Values()))), nil
}

func redactInts[T int16 | int32 | int64](n *node, values arrow.Array) (arrow.Array, error) {
	c, ok := n.content.(*ints[T])
	if !ok {
		return nil, mismatch(n, values)
	}
	v, err := c.values(values)
	if err != nil {
		return nil, err
	}
	return flatArray(arrow.GetDataType[T](), len(v), arrowbuf.AsBytes(nines(v))), nil
}

// nines returns numbers of as many digits, all 9, at most those that the type holds: Java does not mind the type, and
// leaves numbers that are beyond it.
func nines[T int8 | int16 | int32 | int64](v []T) []T {
	out := make([]T, len(v))
	for i, x := range v {
		n, m := T(9), x
		if m > 0 {
			m = -m // all have one
		}
		for m /= 10; m != 0; m /= 10 {
			if next := int64(n)*10 + 9; next > 0 && int64(T(next)) == next {
				n = T(next)
			}
		}
		if x < 0 {
			n = -n
		}
		out[i] = n
	}
	return out
}

func redactFloats[T float32 | float64](n *node, values arrow.Array) (arrow.Array, error) {
	out := make([]T, values.Len())
	switch a := values.(type) {
	case *array.Float16:
		for i, x := range a.Values() {
			out[i] = T(redactFloat(float64(halffloat.Float32(x))))
		}
	case *array.Float32:
		for i, x := range a.Float32Values() {
			out[i] = T(redactFloat(float64(x)))
		}
	case *array.Float64:
		for i, x := range a.Float64Values() {
			out[i] = T(redactFloat(x))
		}
	default:
		return nil, mismatch(n, values)
	}
	return flatArray(arrow.GetDataType[T](), len(out), arrowbuf.AsBytes(out)), nil
}

const (
	leastPower = -308
	mostPower  = 307
)

// powers are the powers of ten from leastPower to mostPower, each the float nearest to it.
var powers = func() (p [mostPower - leastPower + 1]float64) {
	for i := range p {
		p[i], _ = strconv.ParseFloat("1e"+strconv.Itoa(i+leastPower), 64)
	}
	return p
}()

// redactFloat leaves the sign and the power of ten: of 0.0321, 0.0999999. Not a number is taken for the smallest, as Java
// has it.
func redactFloat(x float64) float64 {
	nine, base := 9.0, 1.11111
	switch {
	case x == 0:
		return nine * base
	case !(x > 0):
		base, x = -base, -x
	}
	at := len(powers) - 1 // not a number
	if x == x {
		lo, hi := 0, len(powers)
		for lo < hi { // the first that is more
			if mid := (lo + hi) / 2; powers[mid] <= x {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		at = max(lo-1, 0)
	}
	return nine * base * powers[at]
}
