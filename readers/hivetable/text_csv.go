package hivetable

import (
	"unicode"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// csvLayout is how CSV is read. It is part of the JSON of a member.
type csvLayout struct {
	Delimiter byte `json:"delimiter"`
	Quote     byte `json:"quote"`
	Escape    byte `json:"escape"`
}

// csvRows are lines of OpenCSVSerde, which has a parser of its own: a quote in the middle of a value is a part of it, and yet what is in quotes
// changes with it.
type csvRows struct {
	*csvLayout
	builders []*array.StringBuilder // nil = the column is not read
	columns  []arrow.Field
	last     int    // the last column that is read, from 1
	value    []byte // scratch
}

func newCSVRows(f *textFile, builders []array.Builder) (*csvRows, error) {
	r := &csvRows{csvLayout: f.layout.CSV, builders: make([]*array.StringBuilder, len(builders)), columns: f.Fields.Fields()}
	for i, b := range builders {
		if b == nil {
			continue
		}
		text, ok := b.(*array.StringBuilder)
		if !ok {
			return nil, errs.Locate(errs.Errorf(errs.ErrUnsupported, "columns of CSV are texts"), errs.At{Column: r.columns[i].Name})
		}
		r.builders[i], r.last = text, i+1
	}
	return r, nil
}

// Append implements rowParser. A value whose quotes do not end is null, as are those that a line lacks.
func (r *csvRows) Append(line []byte) error {
	found := 0
	value, quoted, inside := r.value[:0], false, false // inside: something of the value was read, or its quotes have begun and not ended
	for i := 0; i < len(line); i++ {
		c := line[i]
		twice := i+1 < len(line) && (quoted || inside) // the next byte may be one that c makes a part of the value
		switch {
		case c == r.Escape:
			if twice && (line[i+1] == r.Quote || line[i+1] == r.Escape) {
				i++
				value = append(value, line[i])
			}
		case c == r.Quote:
			if twice && line[i+1] == r.Quote {
				i++
				value = append(value, c)
			} else {
				if r.isPart(line, i) {
					if len(value) > 0 && isBlank(value) {
						value = value[:0]
					} else {
						value = append(value, c)
					}
				}
				quoted = !quoted
			}
			inside = !inside
		case c == r.Delimiter && !quoted:
			if err := r.add(found, value); err != nil {
				return err
			}
			found++
			value, inside = value[:0], false
		default:
			value = append(value, c)
			inside = true
		}
	}
	r.value = value
	if !quoted && len(line) > 0 {
		if err := r.add(found, value); err != nil {
			return err
		}
		found++
	}
	for ; found < r.last; found++ {
		if b := r.builders[found]; b != nil {
			b.AppendNull()
		}
	}
	return nil
}

// isPart reports whether a quote stands in the middle of a value. The first three characters of a line never do.
func (r *csvRows) isPart(line []byte, i int) bool {
	if i+1 >= len(line) || line[i-min(i, 1)] == r.Delimiter || line[i+1] == r.Delimiter {
		return false
	}
	return i > 8 || utf16Length(line[:i]) > 2
}

// utf16Length returns how many characters of Java a text has.
func utf16Length(text []byte) (n int) {
	for _, c := range string(text) {
		if n++; c > 0xffff {
			n++
		}
	}
	return n
}

// isBlank reports whether a text is what Java calls white space.
func isBlank(text []byte) bool {
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		if space := c >= '\t' && c <= '\r' || c >= 0x1c && c <= ' ' || c > 0x7f && unicode.In(c, unicode.Z) && c != 0xa0 && c != 0x2007 && c != 0x202f; !space {
			return false
		}
		text = text[size:]
	}
	return true
}

func (r *csvRows) add(i int, value []byte) error {
	if i >= len(r.builders) || r.builders[i] == nil {
		return nil
	}
	if !utf8.Valid(value) {
		return errs.Locate(errs.Errorf(errs.ErrCorrupt, "%.40q is not UTF-8", value), errs.At{Column: r.columns[i].Name})
	}
	r.builders[i].BinaryBuilder.Append(value)
	return nil
}
