//go:build !arrowio_debug

package workers

// Debug reports whether panics go on: the build tag arrowio_debug is set.
const Debug = false
