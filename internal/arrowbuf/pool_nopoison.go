//go:build !arrowio_debug

package arrowbuf

const poisonFreed = false
