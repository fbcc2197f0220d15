package orccast

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// trimmed is b without the blanks at its end, if they mean nothing.
func trimmed(b []byte, padded bool) []byte {
	for padded && len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// cut shortens text to what c has room for. Blanks at the end of a char are none of it.
func (c column) cut(b []byte) []byte {
	if c.limit > 0 && len(b) > c.limit {
		n := 0
		for i, x := range b {
			if utf8.RuneStart(x) {
				if n == c.limit {
					b = b[:i]
					break
				}
				n++
			}
		}
	}
	return trimmed(b, c.padded)
}

// textKernel returns what prints values, each shortened to the new type.
func textKernel(f, t column) func(in *input) (output, error) {
	// A printer prints value i behind b, or says that it has no text.
	var printer func(in *input) func(b []byte, i int) ([]byte, bool)
	switch f.family {
	case boolean:
		printer = func(in *input) func([]byte, int) ([]byte, bool) {
			v := in.longs()
			return func(b []byte, i int) ([]byte, bool) {
				if v[i] != 0 {
					return append(b, "TRUE"...), true
				}
				return append(b, "FALSE"...), true
			}
		}
	case integer:
		printer = func(in *input) func([]byte, int) ([]byte, bool) {
			v := in.longs()
			return func(b []byte, i int) ([]byte, bool) { return strconv.AppendInt(b, v[i], 10), true }
		}
	case floating:
		printer = func(in *input) func([]byte, int) ([]byte, bool) {
			v := in.doubles()
			return func(b []byte, i int) ([]byte, bool) {
				if v[i] != v[i] {
					return b, false
				}
				return appendDouble(b, v[i]), true
			}
		}
	case decimal:
		scale := scaleOf(f)
		if scale < 0 {
			return nil
		}
		printer = func(in *input) func([]byte, int) ([]byte, bool) {
			v := in.decimals()
			return func(b []byte, i int) ([]byte, bool) { return numberOf(v[i], scale).append(b), true }
		}
	case text:
		printer = func(in *input) func([]byte, int) ([]byte, bool) {
			s := in.texts()
			return func(b []byte, i int) ([]byte, bool) { return append(b, s.at(i)...), true }
		}
	case bytes:
		printer = func(in *input) func([]byte, int) ([]byte, bool) {
			s := in.texts()
			return func(b []byte, i int) ([]byte, bool) { return appendHex(b, s.at(i)), true }
		}
	case date:
		printer = func(in *input) func([]byte, int) ([]byte, bool) {
			v := in.longs()
			return func(b []byte, i int) ([]byte, bool) { return appendDate(b, v[i]), true }
		}
	case instant:
		zone := ""
		if f.typ.(*arrow.TimestampType).TimeZone != "" {
			zone = " UTC"
		}
		printer = func(in *input) func([]byte, int) ([]byte, bool) {
			v := in.times()
			return func(b []byte, i int) ([]byte, bool) {
				return append(appendTime(b, v.secs[i], v.nanos[i]), zone...), true
			}
		}
	default:
		return nil
	}
	return func(in *input) (output, error) { return in.print(printer(in), t.cut) }
}

// print makes a column of text.
func (in *input) print(one func(b []byte, i int) ([]byte, bool), cut func([]byte) []byte) (output, error) {
	offsets := buffer[int32](in.mem, in.n+1)
	o := arrow.GetData[int32](offsets.Bytes())
	o[0] = 0
	var b []byte
	for i := range in.n {
		if in.valid(i) {
			start := len(b)
			var ok bool
			if b, ok = one(b, i); !ok {
				in.drop(i)
			}
			b = b[:start+len(cut(b[start:]))]
			if len(b) > math.MaxInt32 {
				offsets.Release()
				return nil, errs.Errorf(errs.ErrLimit, "the text of %d values takes more than 2 GiB; ask for smaller batches", i+1)
			}
		}
		o[i+1] = int32(len(b))
	}
	data := buffer[byte](in.mem, len(b))
	copy(data.Bytes(), b)
	return output{offsets, data}, nil
}

// binaryKernel shows text as bytes. A char has the blanks in the file that it is shown without.
func binaryKernel(f column) func(in *input) (output, error) {
	all := func(b []byte) []byte { return b }
	return func(in *input) (output, error) {
		s := in.texts()
		return in.print(func(b []byte, i int) ([]byte, bool) {
			v := s.at(i)
			b = append(b, v...)
			if f.padded {
				for range max(0, f.limit-utf8.RuneCount(v)) {
					b = append(b, ' ')
				}
			}
			return b, true
		}, all)
	}
}

// appendHex prints bytes as pairs of digits with blanks between.
func appendHex(b, v []byte) []byte {
	const digits = "0123456789abcdef"
	for i, x := range v {
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, digits[x>>4], digits[x&15])
	}
	return b
}

// append prints a decimal without an exponent, or zeros at its end.
func (x number) append(b []byte) []byte {
	for x.scale > 0 {
		d, r := x.digits.over(10)
		if r != 0 {
			break
		}
		x.digits, x.scale = d, x.scale-1
	}
	if x.digits == (wide{}) {
		return append(b, '0')
	}
	if x.negative {
		b = append(b, '-')
	}
	var buf [80]byte
	at := len(buf)
	for n := 0; n <= x.scale || x.digits != (wide{}); n++ {
		if n == x.scale && n > 0 {
			at--
			buf[at] = '.'
		}
		var r uint64
		x.digits, r = x.digits.over(10)
		at--
		buf[at] = byte('0' + r)
	}
	return append(b, buf[at:]...)
}

// appendDate prints a day: years beyond 9999 have a sign.
func appendDate(b []byte, day int64) []byte {
	y, m, d := time.Unix(day*86400, 0).UTC().Date()
	switch {
	case y > 9999:
		b = append(b, '+')
	case y < 0:
		b, y = append(b, '-'), -y
	}
	b = appendPadded(b, y, 4)
	b = appendPadded(append(b, '-'), int(m), 2)
	return appendPadded(append(b, '-'), d, 2)
}

func appendPadded(b []byte, v, width int) []byte {
	for p := 10; width > 1; width-- {
		if v < p {
			for range width - 1 {
				b = append(b, '0')
			}
			break
		}
		p *= 10
	}
	return strconv.AppendInt(b, int64(v), 10)
}

// appendTime prints a time, and as much of its fraction as there is.
func appendTime(b []byte, secs int64, nanos int32) []byte {
	day := secs / 86400
	rest := int(secs - day*86400)
	if rest < 0 {
		day--
		rest += 86400
	}
	b = append(appendDate(b, day), ' ')
	b = append(appendPadded(b, rest/3600, 2), ':')
	b = append(appendPadded(b, rest/60%60, 2), ':')
	b = appendPadded(b, rest%60, 2)
	if nanos == 0 {
		return b
	}
	b = appendPadded(append(b, '.'), int(nanos), 9)
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	return b
}
