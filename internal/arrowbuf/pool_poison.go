//go:build arrowio_debug

package arrowbuf

// poisonFreed overwrites what is freed and panics when a buffer is freed twice, so that a use after Release shows.
const poisonFreed = true
