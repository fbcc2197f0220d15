package options

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
)

// Check returns the value of every known option: the one given, or its default where none or an empty one is. A name that is not known, or a value
// that is not among the words of an option that has some, is ErrOption.
func Check(known []arrowio.Option, given map[string]string) (map[string]string, error) {
	values := make(map[string]string, len(known))
	names := make([]string, len(known))
	for i, o := range known {
		names[i], values[o.Name] = o.Name, o.Default
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		i := slices.Index(names, name)
		switch {
		case i < 0 && len(known) == 0:
			return nil, errs.Errorf(errs.ErrOption, "there is no option %w: the format has none", errs.Opt(name, ""))
		case i < 0:
			said := []any{errs.Opt(name, "")}
			for _, n := range names {
				said = append(said, errs.Opt(n, ""))
			}
			return nil, errs.Errorf(errs.ErrOption, "there is no option %w, only %w"+strings.Repeat(", %w", len(names)-1), said...)
		}
		v := given[name]
		if v == "" { // the zero value is the default
			continue
		}
		each := []string{v}
		if known[i].Repeated {
			each = Values(v)
		}
		for _, v := range each {
			if words := known[i].Values; words != nil && !slices.Contains(words, v) {
				return nil, errs.Errorf(errs.ErrOption, "%w is %q; it takes %s", errs.Opt(name, ""), v, strings.Join(words, ", "))
			}
			if v == "" {
				return nil, errs.Errorf(errs.ErrOption, "one of the values of %w is empty", errs.Opt(name, ""))
			}
		}
		values[name] = v
	}
	return values, nil
}

// Rows reads a number of rows, at least 1, or "all", which is more than any file has.
func Rows(name, value string) (int64, error) {
	if value == "all" {
		return math.MaxInt64, nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 {
		return 0, errs.Errorf(errs.ErrOption, "%w is %q; it takes a number of rows, or all", errs.Opt(name, ""), value)
	}
	return n, nil
}

// Delimiter reads what stands between fields: one ASCII character, or tab.
func Delimiter(name, value string) (byte, error) {
	switch {
	case value == "tab" || value == `\t`:
		return '\t', nil
	case len(value) == 1 && value[0] < utf8.RuneSelf && !strings.Contains("\"\r\n", value):
		return value[0], nil
	}
	return 0, errs.Errorf(errs.ErrOption, "%w is %q; it takes one ASCII character other than a quote or a line break, or tab", errs.Opt(name, ""), value)
}

// Decimal reads PRECISION,SCALE or PRECISION, whose scale is then 0: a precision of 1 to 38 and a scale no greater.
func Decimal(name, value string) (precision, scale int32, err error) {
	p, q, two := strings.Cut(value, ",")
	n, err := strconv.ParseInt(strings.TrimSpace(p), 10, 32)
	m := int64(0)
	if two && err == nil {
		m, err = strconv.ParseInt(strings.TrimSpace(q), 10, 32)
	}
	if err != nil || n < 1 || n > 38 || m < 0 || m > n {
		return 0, 0, errs.Errorf(errs.ErrOption, "%w is %q; it takes a precision of 1 to 38 and a scale no greater, as in 18,4", errs.Opt(name, ""), value)
	}
	return int32(n), int32(m), nil
}

// Values returns the values of an option that may be repeated (arrowio.Option.Repeated), in order; nil = none.
func Values(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
