//go:build !arrowio_debug

package arrowio

const rePanic = false
