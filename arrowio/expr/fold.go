package expr

import (
	"unicode"
	"unicode/utf8"
)

// Case is Unicode's simple case folding, as in unicode.SimpleFold and strings.EqualFold: characters are the same if they
// differ in case alone, one by one. So k, K and the Kelvin sign are the same, and ß and ẞ, but not ß and ss.

// foldRune is the same for all runes that differ in case only, and at most as long as the longest of them.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	least := r
	for x := unicode.SimpleFold(r); x != r; x = unicode.SimpleFold(x) {
		least = min(least, x)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}

// hasCase reports whether another rune differs from r in case only.
func hasCase(r rune) bool { return unicode.SimpleFold(r) != r }

// appendFold appends s with each rune folded. Bytes that are not UTF-8 stay as they are.
func appendFold[T string | []byte](dst []byte, s T) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
		if r == utf8.RuneError && n == 1 {
			dst = append(dst, c)
		} else {
			dst = utf8.AppendRune(dst, foldRune(r))
		}
		i += n
	}
	return dst
}
