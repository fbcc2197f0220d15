//go:build !(amd64 || arm64) || purego

package bitpack

import "unicode/utf8"

func validUTF8(b []byte) bool { return utf8.Valid(b) }
