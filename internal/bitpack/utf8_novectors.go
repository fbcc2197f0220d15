//go:build !(amd64 || arm64) || purego

package bitpack

import "unicode/utf8"

// UTF8 reports whether b is valid UTF-8, as utf8.Valid does.
func UTF8(b []byte) bool { return utf8.Valid(b) }
