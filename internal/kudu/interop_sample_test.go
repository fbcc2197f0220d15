//go:build interop

package kudu

// sampled is how many cases there are for each that is tried: all are.
const sampled = 1
