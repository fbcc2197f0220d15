package orc

import (
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// encrypted is one part of orc-encrypt.
type encrypted struct {
	key     string
	columns [][]string // the names that lead to each
	mask    maskName
}

// parseEncrypt reads orc-encrypt:
//
//	parts   = part { (";" | newline) part }
//	part    = KEY ":" path { "," path } [ ":" MASK ]
//	path    = NAME { "." NAME }
//
// KEY and NAME may stand in double or back quotes, those inside doubled; with colons, commas, semicolons and dots in them
// they must.
func parseEncrypt(s string) ([]encrypted, error) {
	parts, err := cutOutside(s, ";\n")
	if err != nil {
		return nil, err
	}
	var out []encrypted
	for _, part := range parts {
		if part == "" && len(parts) > 1 { // a semicolon at the end
			continue
		}
		words, err := cutOutside(part, ":")
		if err != nil {
			return nil, err
		}
		if len(words) < 2 || len(words) > 3 {
			return nil, errs.Errorf(errs.ErrOption, "%w: %q is not KEY:COLUMN,COLUMN or KEY:COLUMN,COLUMN:MASK", errs.Opt("orc-encrypt", ""), part)
		}
		e := encrypted{mask: maskNullify}
		if e.key, err = unquoted(words[0]); err != nil {
			return nil, err
		}
		if len(words) == 3 {
			if e.mask, err = parseMask(words[2]); err != nil {
				return nil, err
			}
		}
		paths, err := cutOutside(words[1], ",")
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			names, err := cutOutside(p, ".")
			if err != nil {
				return nil, err
			}
			for i := range names {
				if names[i], err = unquoted(names[i]); err != nil {
					return nil, err
				}
			}
			e.columns = append(e.columns, names)
		}
		out = append(out, e)
	}
	return out, nil
}

// cutOutside cuts s at the separators that are not in quotes. Quotes open where a name begins.
func cutOutside(s, separators string) ([]string, error) {
	var out []string
	quote, start := byte(0), 0
	begins := true
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0:
			if c == quote { // one that is doubled opens them again at once
				quote, begins = 0, true
				continue
			}
		case begins && (c == '"' || c == '`'):
			quote = c
		case strings.IndexByte(separators, c) >= 0:
			out = append(out, s[start:i])
			start = i + 1
		}
		begins = quote == 0 && strings.IndexByte(";\n:,.", s[i]) >= 0
	}
	if quote != 0 {
		return nil, errs.Errorf(errs.ErrOption, "%w: a quote is not closed in %q", errs.Opt("orc-encrypt", ""), s)
	}
	return append(out, s[start:]), nil
}

// unquoted returns the name that s is, or that stands in its quotes.
func unquoted(s string) (string, error) {
	if s == "" || s[0] != '"' && s[0] != '`' {
		return s, nil
	}
	q := s[:1]
	if inner, ok := strings.CutSuffix(s[1:], q); ok {
		if name := strings.ReplaceAll(inner, q+q, "\x00"); !strings.Contains(name, q) {
			return strings.ReplaceAll(inner, q+q, q), nil
		}
	}
	return "", errs.Errorf(errs.ErrOption, "%w: %s is not one quoted name", errs.Opt("orc-encrypt", ""), s)
}
