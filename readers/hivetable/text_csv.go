package hivetable

import (
	"bytes"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// splitCSV is split for a line of CSV. Hive's parser has rules of its own for quotes inside of values, escapes and blanks before values: those are errors.
func (r *textRows) splitCSV(line []byte) (found int, err error) {
	l := r.f.layout
	if len(line) == 0 {
		return 0, nil // as if it had no field
	}
	odd := []byte{l.Quote, l.Escape}
	if l.Escape == l.Quote {
		odd = odd[:1]
	}
	for found < len(r.fields) || len(line) > 0 { // those that no column is for must be understood, too
		var field []byte
		ended := true
		if len(line) > 0 && line[0] == l.Quote {
			if field, line, err = l.quoted(line[1:]); err != nil {
				return 0, err
			}
			if len(line) > 0 {
				if line[0] != l.Delimiter {
					return 0, errs.Errorf(errs.ErrUnsupported, "something follows the quote at the end of %.40q, which Hive's parser takes in its own way", field)
				}
				line, ended = line[1:], false
			}
		} else {
			if i := bytes.IndexByte(line, l.Delimiter); i >= 0 {
				field, line, ended = line[:i], line[i+1:], false
			} else {
				field, line = line, nil
			}
			if bytes.ContainsAny(field, string(odd)) {
				return 0, errs.Errorf(errs.ErrUnsupported, "%.40q has a quote or an escape inside, which Hive's parser takes in its own way", field)
			}
		}
		if found < len(r.fields) {
			r.fields[found] = field
		}
		found++
		if ended {
			break
		}
		if len(line) == 0 { // the last field is empty
			if found < len(r.fields) {
				r.fields[found] = line
			}
			return found + 1, nil
		}
	}
	return found, nil
}

// quoted returns a value up to the quote at its end, and what follows that. Two quotes are one.
func (l *layout) quoted(line []byte) (value, rest []byte, err error) {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == l.Quote && i+1 < len(line) && line[i+1] == l.Quote:
			if value == nil {
				value = append(make([]byte, 0, len(line)), line[:i]...)
			}
			value = append(value, c)
			i++
		case c == l.Quote:
			if value == nil {
				value = line[:i]
			}
			return value, line[i+1:], nil
		case c == l.Escape:
			return nil, nil, errs.Errorf(errs.ErrUnsupported, "%.40q has an escape, which Hive's parser takes in its own way", line)
		case value != nil:
			value = append(value, c)
		}
	}
	return nil, nil, errs.Errorf(errs.ErrUnsupported, "%.40q has a quote without an end in its line, which Hive's parser takes in its own way", line)
}
