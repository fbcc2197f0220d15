package arrowio

import "github.com/arrowio/arrowio/internal/workers"

// guard calls code of a driver: its panics are errors.
func guard(f func() error) error { return workers.Guard(f) }

// rePanic reports whether guard lets panics go on.
const rePanic = workers.Debug
