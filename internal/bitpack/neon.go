//go:build arm64 && !purego

package bitpack

// useNEON is a variable for the sake of tests: every arm64 machine has NEON.
var useNEON = true
