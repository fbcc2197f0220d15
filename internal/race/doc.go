// Package race tells tests whether the race detector watches them. It makes everything ten times slower, so tests that
// try many cases of each kind try fewer then.
package race
